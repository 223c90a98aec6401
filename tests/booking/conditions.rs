//! What has to hold before anything is booked (OR-5.6), and the referral where it does not (OR-5.7).

use crate::ask::{Ask, text_of};
use crate::driver::{Diary, assert_printed};

#[test]
fn or_5_6_one_booking_tells_staff_once_and_books_once() {
    for method in Ask::METHODS {
        let diary = Diary::start();
        let ask = Ask::booking("m-1").by(method);
        ask.assert_booked(&diary.send(&ask));
        let lines = diary.stop();
        assert_printed(&lines, 1);
        let order = lines.iter().filter(|line| ["told", "booked", "done"].iter().any(|word| line.starts_with(word)));
        let order = order.map(String::as_str).collect::<Vec<_>>();
        assert_eq!(order[..2], ["told Mair Evans", "booked m-1"], "{method}");
    }
}

#[test]
fn or_5_6_it_is_booked_in_the_cards_words_in_free_words_and_by_its_id() {
    let diary = Diary::start();
    let asks = [
        Ask::booking("m-1").saying("Book a first meeting with a director at Larkfield Chapel."),
        Ask::booking("m-2").saying("Please reserve an hour with a director."),
        Ask::booking("m-3").saying("Tuesday, please.").named("arrangement-booking"),
    ];
    for ask in &asks {
        ask.assert_booked(&diary.send(ask));
    }
    assert_printed(&diary.stop(), 3);
}

/// Asserts that every way to ask for a booking is referred, marked or not, and that nothing happens.
fn assert_nothing_is_booked(diary: Diary, ask: &Ask) {
    for text in ["Book a first meeting with a director at Larkfield Chapel.", "Please reserve an hour."] {
        for method in Ask::METHODS {
            let ask = ask.clone().by(method).saying(text);
            ask.assert_referred(&diary.send(&ask));
            let plain = ask.not_activating();
            plain.assert_referred(&diary.send(&plain));
        }
    }
    assert_printed(&diary.stop(), 0);
}

#[test]
fn or_5_6_a_an_attestation_of_level_1_is_not_enough() {
    assert_nothing_is_booked(Diary::start_with(&[("BOOKING_ATTESTATION", "level1")]), &Ask::booking("m-1"));
}

#[test]
fn or_5_6_a_an_attestation_that_has_ended_is_none() {
    assert_nothing_is_booked(Diary::start_with(&[("BOOKING_ATTESTATION", "expired")]), &Ask::booking("m-1"));
}

#[test]
fn or_5_6_who_acts_for_nobody_is_referred() {
    assert_nothing_is_booked(Diary::start(), &Ask::booking("m-1").for_nobody());
}

#[test]
fn e4_who_is_not_identified_is_referred() {
    assert_nothing_is_booked(Diary::start(), &Ask::booking("m-1").without_token());
}

#[test]
fn e2_a_message_without_an_id_is_referred() {
    assert_nothing_is_booked(Diary::start(), &Ask::without_id());
    assert_nothing_is_booked(Diary::start(), &Ask::booking(""));
}

#[test]
fn what_is_public_stays_public_and_the_price_stays_referred() {
    let diary = Diary::start_with(&[("BOOKING_ATTESTATION", "expired")]);
    for method in Ask::METHODS {
        let hours = Ask::booking("m-1").by(method).saying("When can I visit Larkfield Chapel?").without_token();
        assert!(text_of(&hours.message(&diary.send(&hours))).contains("08:30"), "{method}");
        for text in ["What does a cremation cost at Larkfield Chapel?", "How much is it, all in all?"] {
            let price = Ask::booking("m-2").by(method).saying(text);
            let message = price.message(&diary.send(&price));
            let mark = &message["metadata"][crate::ask::ON_REQUEST];
            assert_eq!((&mark["status"], &mark["skillId"]), (&"on-request".into(), &"service-pricing".into()));
        }
    }
    assert_printed(&diary.stop(), 0);
}

#[test]
fn or_5_10_who_asks_for_a_person_hears_that_nobody_can_be_reached() {
    let diary = Diary::start();
    for method in Ask::METHODS {
        let ask = Ask::booking("m-1").by(method).saying("Can I speak to a member of staff?");
        let reply = diary.send(&ask);
        let message = ask.message(&reply);
        let text = text_of(&message);
        assert!(text.contains("Nobody at Larkfield Chapel can be reached now."), "{method}: {text}");
        assert!(
            text.contains("08:30 to 16:30") && text.contains("https://ask.larkfield.example/talk"),
            "{method}: {text}"
        );
    }
    assert_printed(&diary.stop(), 0);
}
