//! One booking for one message, however often and however it is asked for.

use crate::ask::Ask;
use crate::driver::{Diary, assert_printed, count, send_at_once};

#[test]
fn e3_fifty_requests_at_once_are_one_booking_and_fifty_equal_replies() {
    let diary = Diary::start();
    let ask = Ask::booking("m-1");
    let replies = send_at_once((0..50).map(|_| (&diary, ask.clone())));
    let messages = replies.iter().map(|(ask, reply)| ask.assert_booked(reply)).collect::<Vec<_>>();
    assert_eq!(messages.len(), 50);
    assert!(messages.iter().all(|message| message == &messages[0]), "{messages:?}");
    assert_printed(&diary.stop(), 1);
}

#[test]
fn e2_unary_and_streamed_twins_at_once_are_one_booking() {
    let diary = Diary::start();
    let twins = ["SendMessage", "SendStreamingMessage"].into_iter().cycle().take(12);
    let replies = send_at_once(twins.map(|method| (&diary, Ask::booking("m-1").by(method))));
    let messages = replies.iter().map(|(ask, reply)| ask.assert_booked(reply)).collect::<Vec<_>>();
    assert!(messages.iter().all(|message| message == &messages[0]), "{messages:?}");
    assert_printed(&diary.stop(), 1);
}

#[test]
fn e2_what_was_booked_in_one_version_is_told_in_the_other() {
    for (first, second) in [("SendMessage", "message/send"), ("message/stream", "SendStreamingMessage")] {
        let diary = Diary::start();
        let (first, second) = (Ask::booking("m-1").by(first), Ask::booking("m-1").by(second));
        let before = first.assert_booked(&diary.send(&first));
        let after = second.assert_booked(&diary.send(&second));
        assert_eq!(before["messageId"], after["messageId"]);
        assert_printed(&diary.stop(), 1);
    }
}

#[test]
fn e2_the_same_id_with_other_words_is_in_doubt() {
    let diary = Diary::start();
    let ask = Ask::booking("m-1");
    ask.assert_booked(&diary.send(&ask));
    let other = ask.clone().saying("Book an hour on Friday instead.");
    other.assert_in_doubt(&diary.send(&other));
    ask.assert_booked(&diary.send(&ask));
    assert_printed(&diary.stop(), 1);
}

#[test]
fn e2_the_same_id_of_another_assistant_is_another_booking() {
    let diary = Diary::start();
    let (one, other) = (Ask::booking("m-1"), Ask::booking("m-1").of("other"));
    let first = one.assert_booked(&diary.send(&one));
    let second = other.assert_booked(&diary.send(&other));
    assert_ne!(first["messageId"], second["messageId"]);
    let lines = diary.stop();
    assert_printed(&lines, 2);
    assert_eq!(count(&lines, "booked"), 2);
}

#[test]
fn what_stands_in_an_id_forges_no_line() {
    let diary = Diary::start();
    let ask = Ask::booking("m-1\nbooked m-2\r\ntold nobody");
    ask.assert_booked(&diary.send(&ask));
    assert_printed(&diary.stop(), 1);
}
