use super::*;

mod reported;

/// What every detector finds, as written in the text.
fn found(text: &str) -> Vec<(&'static str, &str)> {
    let name = |common: CommonValue| match common {
        CommonValue::Amount => "amount",
        CommonValue::Percentage => "percentage",
        CommonValue::Appointment => "appointment",
        CommonValue::Telephone => "telephone",
    };
    let of = |common: CommonValue| common.detect(text).into_iter().map(move |one| (name(common), &text[one.range]));
    CommonValue::ALL.iter().copied().flat_map(of).collect()
}

#[test]
fn or_3_9_amounts_are_seen_in_the_usual_notations() {
    for (text, amount) in [
        ("It costs EUR 1.234,50 in all", "EUR 1.234,50"),
        ("about 1 234 € each", "1 234 €"),
        ("about 1\u{202f}234\u{a0}€ each", "1\u{202f}234\u{a0}€"),
        ("only $45!", "$45"),
        ("US$45", "$45"),
        ("45 dollars", "45 dollars"),
        ("45-dollar fee", "45-dollar"),
        ("45 US dollars", "45 US dollars"),
        ("2.5 million euros", "2.5 million euros"),
        ("12k USD", "12k USD"),
        ("CHF 1'234.-", "CHF 1'234.-"),
        ("CHF 1’234.50", "CHF 1’234.50"),
        ("Fr. 45.–", "Fr. 45.–"),
        ("45,- kr", "45,- kr"),
        ("£1,234.00", "£1,234.00"),
        ("€ 1.234", "€ 1.234"),
        ("1234,50€", "1234,50€"),
        ("Price: eur 45", "eur 45"),
        ("Rs. 4500", "Rs. 4500"),
        ("₹45,000", "₹45,000"),
        ("99¢", "99¢"),
        ("450 zł", "450 zł"),
        ("4500 Kč", "4500 Kč"),
        ("twenty-five euros", "twenty-five euros"),
        ("two hundred pounds", "two hundred pounds"),
        ("$4\u{200b}5", "$4\u{200b}5"),
    ] {
        assert_eq!(found(text), [("amount", amount)], "{text}");
    }
}

#[test]
fn or_3_9_amounts_are_seen_in_other_scripts_and_markup_and_words() {
    for (text, amount) in [
        ("450 KWD", "450 KWD"),
        ("BHD 12.500", "BHD 12.500"),
        ("450 ZMW", "450 ZMW"),
        ("Eur 450", "Eur 450"),
        ("450 Eur", "450 Eur"),
        ("Usd 450", "Usd 450"),
        ("450 TRY", "450 TRY"),
        ("TRY 1,200", "TRY 1,200"),
        ("CAD 45", "CAD 45"),
        ("PEN 12.50", "PEN 12.50"),
        ("450円です", "450円"),
        ("4万5千円", "5千円"),
        ("450元", "450元"),
        ("450 원", "450 원"),
        ("450원입니다", "450원"),
        ("450 руб.", "450 руб"),
        ("450 рублей", "450 рублей"),
        ("R 450.00", "R 450.00"),
        ("RM450", "RM450"),
        ("RM 12.50", "RM 12.50"),
        ("Bs. 450", "Bs. 450"),
        ("450 Ft", "450 Ft"),
        ("45 Fr.", "45 Fr"),
        ("Fr. 45-60", "Fr. 45"),
        ("(EUR) 450", "EUR) 450"),
        ("450 (EUR)", "450 (EUR"),
        ("**450** €", "450** €"),
        ("€**450**", "€**450"),
        ("&euro;450", "&euro;450"),
        ("450&nbsp;&#8364;, or 450 &euro;", "450 &euro;"),
        ("one hundred and fifty US dollars", "one hundred and fifty US dollars"),
        ("EUR four hundred", "EUR four hundred"),
        ("a twenty pound fee", "twenty pound"),
        ("20 pound", "20 pound"),
        ("a 20 pound deposit", "20 pound"),
        ("Euro 450", "Euro 450"),
        ("Euro 1.234", "Euro 1.234"),
        ("₹४५०", "₹४५०"),
        ("৳৪৫০", "৳৪৫০"),
        ("﹩45", "﹩45"),
        ("$\u{fe0f}4\u{2063}5", "$\u{fe0f}4\u{2063}5"),
        ("room 20 ($5 more)", "$5"),
    ] {
        assert_eq!(found(text), [("amount", amount)], "{text}");
    }
    let both = [("amount", "１２３４円"), ("amount", "￥１２３４")];
    assert_eq!(found("１２３４円ではなく ￥１２３４"), both);
}

#[test]
fn or_3_9_what_only_looks_like_an_amount_is_none() {
    for text in [
        "6 ft long",
        "a 7 ft casket",
        "a 6 Ft casket",
        "20 pound urn",
        "a twenty pound urn",
        "Mo-Fr 9.00-17.00 Uhr",
        "Mo-Fr 9-17 Uhr",
        "Fr. 9.00-17.00 Uhr",
        "Fr. 9-17 Uhr",
        "Fr. 9 Uhr",
        "TRY 3 TIMES",
        "RS-232 port",
        "RS 6",
        "BS 5750 certified",
        "Room RM 12",
        "room RM 120",
        "20 kn",
        "CAD 2024",
        "Euro 6 engines",
        "Euro 2024",
        "6 Fr catheter",
        "PHP 8.2",
        "TOP 10",
        "ALL 24 HOURS",
        "SDG 13",
        "COP 28",
        "INR 2",
        "R 4.1",
        "the three Rs",
        "3元素",
        "10원칙",
        "paid in EUR. 20 rooms",
        "prices (in EUR) 20 rooms",
        "paid in USD - 20 rooms",
        "1080p, 5 k run, 10 m",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn or_3_9_who_asks_tells_nothing() {
    for text in [
        "Which services are under $2000?",
        "Do you have something below 500 euros?",
        "Is there a 10% discount for veterans?",
        "Can I come on 3 May at 10:30?",
        "Is it really $45?",
        "Is it $45.50 (\"or so?\")",
        "Is it more than $45?! Tell me.",
        "¿Hay algo por 45 euros? Gracias.",
        "４５０円ですか？",
        "هل السعر 45 USD؟",
        "What costs $5 or $6 or $7?",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
    for (text, amount) in [
        ("It costs $45. Is that ok?", "$45"),
        ("It costs $45! Is that ok?", "$45"),
        ("Is that ok? It costs $45.", "$45"),
        ("It costs $45\nIs that ok?", "$45"),
        ("How much? From $45 to more", "$45"),
        ("費用は450円です。いいですか？", "450円"),
        ("Is $40 too much? It costs $45. Or $50?", "$45"),
        ("It costs **$45.** Is that ok?", "$45"),
    ] {
        assert_eq!(found(text), [("amount", amount)], "{text}");
    }
}

#[test]
fn or_3_9_a_detector_stops_after_ten_thousand_places() {
    for (common, text) in [
        (CommonValue::Amount, "$1 "),
        (CommonValue::Amount, "one euro "),
        (CommonValue::Percentage, "1% "),
        (CommonValue::Appointment, "3 May 2026 10:30 "),
        (CommonValue::Telephone, "+15550100, "),
    ] {
        assert_eq!(common.detect(&text.repeat(11_000)).len(), 10_000, "{text}");
        assert_eq!(common.detect(&text.repeat(9_000)).len(), 9_000, "{text}");
        // What is asked does not count.
        let asked = format!("{}? {text}", text.repeat(11_000));
        assert_eq!(common.detect(&asked).len(), 1, "{text}");
    }
}

#[test]
fn or_3_9_the_end_of_a_sentence_is_found_in_one_go() {
    let started = std::time::Instant::now();
    let text = format!("$4{}a", ".".repeat(400_000));
    assert_eq!(CommonValue::Amount.detect(&text).len(), 1);
    assert!(started.elapsed() < std::time::Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn the_lists_that_are_searched_are_sorted() {
    use super::{calendar, currency, number_words, percentage, sentence, telephone};
    let lists: [&[&str]; 22] = [
        &currency::CODES,
        &currency::PLAIN_CODES,
        &currency::NAMES,
        &currency::NAMES_BEFORE,
        &currency::SHORT_NAMES,
        &currency::MAGNITUDES,
        &amount::POUND_IS_MONEY,
        &amount::INTERFACES,
        &amount::PARTS_OF_A_BUILDING,
        &amount::OUNCES,
        &calendar::MONTHS,
        &calendar::SINCE,
        &calendar::HALF_DAYS,
        &calendar::BETWEEN,
        &calendar::AWAY,
        &calendar::CLOSED,
        &calendar::FILLERS,
        &sentence::ABBREVIATIONS,
        &number_words::NUMBER_WORDS,
        &percentage::WORDS,
        &telephone::NUMBERED,
        &telephone::PHONES,
    ];
    for list in lists {
        assert!(list.is_sorted(), "{list:?}");
    }
}

#[test]
fn or_3_9_percentages_dates_with_times_and_telephone_numbers_are_seen() {
    for (text, expected) in [
        ("a deposit of 12.5 %", ("percentage", "12.5 %")),
        ("10% off", ("percentage", "10%")),
        ("ten or 10 per cent", ("percentage", "10 per cent")),
        ("10 Prozent", ("percentage", "10 Prozent")),
        ("ten percent", ("percentage", "ten percent")),
        ("fifty per cent", ("percentage", "fifty per cent")),
        ("**10** %", ("percentage", "10** %")),
        ("0% interest", ("percentage", "0%")),
        ("१० ﹪", ("percentage", "१० ﹪")),
        ("2026年12月3日 14時", ("appointment", "2026年12月3日 14時")),
        ("2026년 12월 3일 14시", ("appointment", "2026년 12월 3일 14시")),
        ("noon on 3 December", ("appointment", "noon on 3")),
        ("3 December 2026 at midday", ("appointment", "3 December 2026 at midday")),
        ("2026-11-30T14:00Z", ("appointment", "2026-11-30T14:00")),
        ("on 30.11.2026 um 14.30 Uhr", ("appointment", "30.11.2026 um 14.30 Uhr")),
        ("11/30/26 at 2 pm", ("appointment", "11/30/26 at 2 pm")),
        ("at 2:30 p.m. on November 30", ("appointment", "2:30 p.m. on November 30")),
        ("30th of November, 14h30", ("appointment", "30th of November, 14h30")),
        ("Call +44 20 7946 0000.", ("telephone", "+44 20 7946 0000")),
        ("(555) 010-0100", ("telephone", "(555) 010-0100")),
        ("1-555-010-0100", ("telephone", "1-555-010-0100")),
        ("020 7946 0000", ("telephone", "020 7946 0000")),
        ("0030 210 1234567", ("telephone", "0030 210 1234567")),
        ("555-0100", ("telephone", "555-0100")),
        ("our number: 555-0100", ("telephone", "555-0100")),
        ("+44 (0)20 7946 0000", ("telephone", "+44 (0)20 7946 0000")),
    ] {
        assert_eq!(found(text), [expected], "{text}");
    }
}

#[test]
fn or_3_9_questions_hours_and_plain_figures_are_no_values() {
    for text in [
        "",
        "What does a cremation cost?",
        "How much is a service in the small hall, in euros or dollars?",
        "Monday to Friday 09:00 to 17:00, in English.",
        "Mo-Fr 9:00-17:00, Sa 10:00",
        "Open 24/7 09:00",
        "Since 1998, in 3 halls with 120 seats, room 12.",
        "We answer within 2 working days of 30 November.",
        "Version 1.2.3, RFC 3986, ISO 4217, A4",
        "try 3 times, top 10, pen 4",
        "Case 2026-0417 and order 1234-5678-9012",
        "$ is a sign, % another, + a third",
        "From 30 November on, see 11/30 and 30.11.2026",
        "https://example.com/2026/11/30",
        "100% confidential, one hundred percent, 100 per cent",
        "24 h desk from 30 November",
        "Open since 30.11.1998, 9:00-17:00 daily",
        "Open since 30 November 2010, 9:00-17:00 daily",
        "Since 30.11.2010 open 9:00-17:00",
        "The noon of 3 men",
        "order 123-4567, Case: 123-456-7890, ref #555-0100",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_panics_and_every_place_is_in_it(text in "[0-9 .,:$€%+()/TthpmaEUR\u{200b}é-]{0,40}|.{0,40}") {
        for common in CommonValue::ALL {
            for one in common.detect(&text) {
                proptest::prop_assert!(text.get(one.range.clone()).is_some_and(|place| !place.is_empty()), "{one:?}");
            }
        }
    }
}

#[test]
fn or_3_9_coins_and_names_written_like_codes_are_amounts() {
    for (text, amount) in [
        ("A visit costs 0.005 USDC today.", "0.005 USDC"),
        ("Send 12 USDT.", "12 USDT"),
        ("It is 500 sats.", "500 sats"),
        ("A call is 0.2 ETH.", "0.2 ETH"),
        ("It costs KSh 1,500 a night.", "KSh 1,500"),
        ("A visit costs 12 credits.", "12 credits"),
        ("Price: 40 tokens", "40 tokens"),
    ] {
        assert_eq!(found(text), [("amount", amount)], "{text}");
    }
    for text in ["Understands at most 4096 tokens of text.", "Is the humidity at 55% fine?", "A SOL of light."] {
        assert!(found(text).iter().all(|(kind, _)| *kind != "amount"), "{text}");
    }
}
