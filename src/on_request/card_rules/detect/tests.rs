use super::*;

/// What every detector finds, as written in the text.
fn found(text: &str) -> Vec<(&'static str, &str)> {
    let name = |common: CommonValue| match common {
        CommonValue::Amount => "amount",
        CommonValue::Percentage => "percentage",
        CommonValue::Appointment => "appointment",
        CommonValue::Telephone => "telephone",
    };
    let of = |common: CommonValue| common.detect(text).into_iter().map(move |one| (name(common), &text[one.range]));
    CommonValue::ALL.into_iter().flat_map(of).collect()
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
        ("１２３４円ではなく ￥１２３４", "￥１２３４"),
        ("99¢", "99¢"),
        ("450 zł", "450 zł"),
        ("4500 Kč", "4500 Kč"),
        ("twenty-five euros", "five euros"),
        ("two hundred pounds", "hundred pounds"),
        ("$4\u{200b}5", "$4\u{200b}5"),
    ] {
        assert_eq!(found(text), [("amount", amount)], "{text}");
    }
}

#[test]
fn or_3_9_percentages_dates_with_times_and_telephone_numbers_are_seen() {
    for (text, expected) in [
        ("a deposit of 12.5 %", ("percentage", "12.5 %")),
        ("10% off", ("percentage", "10%")),
        ("ten or 10 per cent", ("percentage", "10 per cent")),
        ("10 Prozent", ("percentage", "10 Prozent")),
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
