//! How often it is booked (OR-5.6 c): three in a row for one assistant, ten in total, a minute.

use std::time::{Duration, Instant};

use crate::ask::{Ask, Reply};
use crate::driver::{Diary, assert_printed, send_at_once};

/// In a limit of ten a minute one becomes free after six seconds, of three after twenty.
const NEXT: Duration = Duration::from_secs(6);

/// Runs `bookings` on a fresh diary. What took so long that one more became free says nothing, and
/// is done again.
fn in_time(bookings: impl Fn(&Diary) -> Result<usize, String>) {
    for _ in 0..5 {
        let diary = Diary::start();
        let started = Instant::now();
        let outcome = bookings(&diary);
        let took = started.elapsed();
        if took >= NEXT {
            eprintln!("it took {took:?} on this machine: once more");
            continue;
        }
        assert_printed(&diary.stop(), outcome.unwrap());
        return;
    }
    panic!("this machine is too slow to book ten times within {NEXT:?}");
}

#[test]
fn or_5_6_c_the_fourth_of_one_assistant_is_referred() {
    in_time(|diary| {
        let bookings = (1..=5).map(|number| {
            let ask = Ask::booking(&format!("m-{number}"));
            ask.is_booked(&diary.send(&ask))
        });
        let bookings = bookings.collect::<Vec<_>>();
        // Another has a limit of its own, and what was booked is answered when the limit is used up.
        let other = Ask::booking("m-1").of("other");
        let again = Ask::booking("m-1");
        let more = [other, again].map(|ask| ask.is_booked(&diary.send(&ask)));
        match (&bookings[..], more) {
            ([true, true, true, false, false], [true, true]) => Ok(4),
            _ => Err(format!("{bookings:?}, {more:?}")),
        }
    });
}

#[test]
fn or_5_6_c_the_eleventh_in_total_is_referred() {
    in_time(|diary| {
        let ask = |number: usize| Ask::booking(&format!("m-{number}")).of(&format!("assistant-{}", number % 4));
        let ten = send_at_once((0..10).map(|number| (diary, ask(number))));
        let ten = ten.iter().filter(|(ask, reply)| ask.is_booked(reply)).count();
        let eleventh = Ask::booking("m-10").of("assistant-2");
        let eleventh = eleventh.is_booked(&diary.send(&eleventh));
        if (ten, eleventh) == (10, false) { Ok(10) } else { Err(format!("{ten}, then {eleventh}")) }
    });
}

#[test]
fn e3_of_forty_at_once_exactly_ten_are_booked() {
    in_time(|diary| {
        let asks = (0..40).map(|number| Ask::booking(&format!("m-{number}")).of(&format!("assistant-{}", number % 8)));
        let booked = send_at_once(asks.map(|ask| (diary, ask)));
        let booked = booked.iter().filter(|(ask, reply)| ask.is_booked(reply)).count();
        if booked == 10 { Ok(10) } else { Err(format!("{booked} were booked")) }
    });
}

#[test]
fn or_5_6_c_a_flood_of_fresh_ids_resets_no_limit() {
    in_time(|diary| {
        let ask = |number: usize| (diary, Ask::booking(&format!("m-{number}")));
        let booked = |replies: Vec<(Ask, Reply)>| replies.iter().filter(|(ask, reply)| ask.is_booked(reply)).count();
        let first = booked(send_at_once((0..3).map(ask)));
        let flood = booked(send_at_once((3..203).map(ask)));
        let again = booked(send_at_once((0..3).map(ask)));
        if (first, flood, again) == (3, 0, 3) { Ok(3) } else { Err(format!("{first}, {flood}, {again}")) }
    });
}

#[test]
fn lifted_limits_stop_nobody() {
    let diary = Diary::start_with(&[("BOOKING_LIMITS", "off")]);
    let booked = send_at_once((0..30).map(|number| (&diary, Ask::booking(&format!("m-{number}")))));
    for (ask, reply) in &booked {
        ask.assert_booked(reply);
    }
    assert_printed(&diary.stop(), 30);
}
