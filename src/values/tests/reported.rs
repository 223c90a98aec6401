//! Texts that were taken for values, and values that were not seen.

use super::found;

#[test]
fn or_3_9_opening_hours_beside_a_date_are_no_appointment() {
    for text in [
        "Open 9:00 to 17:00. Closed on 25 December.",
        "9am\u{2013}5pm (not on 25 December)",
        "De lunes a viernes de 9 a 18 h, sábados 10 a 13 h; cerrado el 25 de diciembre.",
        "土曜10時～12時。年末年始（12月29日～1月3日）は休業。",
        "土曜10時〜12時、12月25日は休業",
        "10時から12時まで、12月25日は休み",
        "평일 9시~18시, 12월 25일 휴무.",
        "평일 9시부터 18시까지 (12월 25일 제외)",
        "Open from 1 April to 31 October, 10 am to 6 pm",
        "Geöffnet vom 1. April bis 31. Oktober, 10 bis 18 Uhr",
        "Geöffnet vom 1. April bis zum 31. Oktober, 10-18 Uhr",
        "Ouvert du 1er avril au 31 octobre, de 10 h à 18 h",
        "Abierto del 1 de abril al 31 de octubre, de 10 a 18 h",
        "4月1日から10月31日まで、10時から18時",
        "4月1日～10月31日 10時～18時",
        "Open April 1 - October 31, daily from 10:00",
        "From 1 April open at 10:00",
        "9 a.m. to 5 p.m., closed on Friday 25 December",
        "Open at 9:00, 25 December closed",
        "Ab 9 Uhr; am 25. Dezember geschlossen",
        "Open at 9:00, 25. Dezember geschlossen",
        "Open until 17:00, except on 25 Dec.",
        "Open at 9:00. 25 December is a holiday.",
        "Open at 9:00 (25 December is a holiday)",
        "On 25 Dec. Open at 9:00",
        "9:00 to noon, 3 December",
        "noon to 3 pm on 3 December",
        "3 December, noon to 3 pm",
        "Open at noon. Closed on 25 December.",
        "open on 3 May from 9:00-17:00",
        "9.30-17.30 Uhr am 3. Mai",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn or_3_9_an_appointment_beside_dots_and_brackets_is_seen() {
    for (text, appointment) in [
        ("am 3. Dezember um 14 Uhr", "3. Dezember um 14 Uhr"),
        ("on 3 Dec. at 10:00", "3 Dec. at 10:00"),
        ("on 3 December, approx. 10:00", "3 December, approx. 10:00"),
        ("at 10:00 with Dr. Smith on 3 May", "10:00 with Dr. Smith on 3"),
        ("3 May 2026 - 10:00", "3 May 2026 - 10:00"),
        ("May 3, 2026 - 10 am", "3, 2026 - 10 am"),
        ("3 mai à 10 h", "3 mai à 10 h"),
        ("el 3 de mayo de 2026 a las 10:00", "3 de mayo de 2026 a las 10:00"),
        ("2026年12月3日（木）14時", "2026年12月3日（木）14時"),
        ("2026-11-30T14:00:00-05:00", "2026-11-30T14:00"),
        ("Votre rendez-vous du 3 mai à 10 h", "3 mai à 10 h"),
        ("Ihr Termin vom 3. Mai um 10 Uhr", "3. Mai um 10 Uhr"),
        ("Open 9:00 to 17:00, and yours is 3 May at 10:30", "3 May at 10:30"),
        ("Closed on 25 December. Yours is 3 May at 10:30", "3 May at 10:30"),
        ("Do not forget: 3 May, 10:30", "3 May, 10:30"),
    ] {
        assert_eq!(found(text), [("appointment", appointment)], "{text}");
    }
}

#[test]
fn or_3_9_a_shortened_word_ends_no_question() {
    for text in [
        "Is it under $500 incl. tax?",
        "Is $500 enough for Dr. Smith?",
        "Is $500 enough for J. Smith?",
        "Is it $500 vs. $600?",
        "Muss ich die 19 % MwSt. zahlen?",
        "Kostet es 45 € am 3. Dezember?",
        "Est-ce 500 € env. par mois ?",
        "Can I see you on 3 Dec. at 10:00, Dr. Smith?",
        "Is it $45 in the U.S. Embassy?",
        "Kostet es 45 Mio. Euro?",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
    for (text, amount) in [
        ("It costs $45. Is that ok?", "$45"),
        ("It costs $45 in all. ¿Vale?", "$45"),
        ("It costs $45 at 5 p.m. Is that ok?", "$45"),
        ("It costs $45 for 2 h. Is that ok?", "$45"),
        ("It costs $45.\nincl. tax?", "$45"),
        ("It costs $45. 还可以吗？", "$45"),
        ("It costs $45. \"Is that ok?\"", "$45"),
    ] {
        assert_eq!(found(text), [("amount", amount)], "{text}");
    }
}

#[test]
fn or_3_9_amounts_with_separators_and_rarer_forms_are_seen() {
    for (text, amount) in [
        ("1 200 Ft", "1 200 Ft"),
        ("45 000 Ft", "45 000 Ft"),
        ("12.500 Ft", "12.500 Ft"),
        ("1,200 crowns", "1,200 crowns"),
        ("5.50 Fr.", "5.50 Fr"),
        ("1'200 Fr.", "1'200 Fr"),
        ("R1,200", "R1,200"),
        ("R1 200", "R1 200"),
        ("R1,200.50", "R1,200.50"),
        ("450 U.S. dollars", "450 U.S. dollars"),
        ("45 U.S.$", "45 U.S.$"),
        ("forty-five (45) euros", "45) euros"),
        ("45ドル", "45ドル"),
        ("45ドルです", "45ドル"),
        ("45ユーロ", "45ユーロ"),
        ("4万ドル", "4万ドル"),
        ("45유로입니다", "45유로"),
        ("45美元", "45美元"),
        ("only $.99", "$.99"),
        ("[EUR] 45", "EUR] 45"),
        ("45 [EUR]", "45 [EUR"),
        ("Rp 450.000", "Rp 450.000"),
        ("Rp. 450.000", "Rp. 450.000"),
        ("RM 450 for adults", "RM 450"),
        ("5 pounds 30 pence", "5 pounds"),
        ("20 pounds off", "20 pounds"),
        ("Rs 485 only", "Rs 485"),
    ] {
        let found = found(text);
        assert_eq!(found.first(), Some(&("amount", amount)), "{text}: {found:?}");
    }
    for (text, percentage) in [("%15", "%15"), ("(%12,5)", "%12,5"), ("bugün %15 indirim", "%15")] {
        assert_eq!(found(text), [("percentage", percentage)], "{text}");
    }
    for text in [
        "3 pounds of coffee",
        "Weight: 5 pounds 3 ounces",
        "5 pounds 12 ounces",
        "RM 204 in building 5",
        "Rs 485 interface",
        "3ドルフィン",
        "R 4.1.2",
        "a%20b https://example.com/?a=%20 and %100",
        "paid in $. 99 rooms",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn or_3_9_what_else_is_numbered_is_no_telephone_number() {
    for text in [
        "Model XR-450-2000",
        "call XR-450-2000 today",
        "model xr-450-2000",
        "part no. 555-1234",
        "Part no. 0123-456-789",
        "No. 555-1234",
        "part number 555-1234",
        "NPI 123-456-7890",
        "version 01.02.03.04",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
    for (text, number) in [
        ("Phone no. 555-0100", "555-0100"),
        ("Tel.-Nr. 0123 456 789", "0123 456 789"),
        ("Emergency no. 555-0100", "555-0100"),
        ("our number: 555-0100", "555-0100"),
        ("call us\u{2014}555-0100", "555-0100"),
        ("TEL-555-0100", "555-0100"),
        ("No. +44 20 7946 0000", "+44 20 7946 0000"),
        ("See our case. 555-0100", "555-0100"),
        ("01.23.45.67.89", "01.23.45.67.89"),
        ("8 (495) 123-45-67", "8 (495) 123-45-67"),
        ("(11) 91234-5678", "(11) 91234-5678"),
    ] {
        assert_eq!(found(text), [("telephone", number)], "{text}");
    }
}

#[test]
fn or_3_9_what_repeats_is_read_in_one_go() {
    let started = std::time::Instant::now();
    for part in [
        "RM1-",
        "9-",
        "9:00 to ",
        "3 Dec. ",
        "noon 3 May ",
        "(3 May ",
        "Rs 1 ",
        "XR-450-2000-",
        "%1 ",
        "5 pounds 1",
        "A. ",
    ] {
        let text = part.repeat(60_000 / part.len());
        for common in super::CommonValue::ALL {
            drop(super::ValueDetector::detect(common, &text));
        }
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}
