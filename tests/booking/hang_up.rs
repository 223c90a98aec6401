//! Clients that do not wait, and a process that is told to stop.

use std::io::Read;
use std::thread;
use std::time::Duration;

use crate::ask::{Ask, Reply};
use crate::driver::{Diary, assert_printed, count};

#[test]
fn e2_a_client_that_hangs_up_is_booked_once_and_gets_the_recorded_reply_later() {
    let diary = Diary::start();
    let ask = Ask::booking("m-1");
    let stream = diary.open(&ask);
    diary.wait_for("told", 1);
    thread::sleep(Duration::from_millis(50));
    assert_eq!(diary.count("booked"), 0, "it is being booked");
    drop(stream);
    // At once, while it is being booked, and long after.
    let first = ask.assert_booked(&diary.send(&ask));
    diary.wait_for("done", 1);
    let second = ask.assert_booked(&diary.send(&ask));
    assert_eq!(first, second);
    assert_printed(&diary.stop(), 1);
}

#[test]
fn e1_wherever_clients_hang_up_nothing_is_booked_twice() {
    let diary = Diary::start_with(&[("BOOKING_LIMITS", "off")]);
    let asks = (0..60).map(|number| Ask::booking(&format!("m-{number}"))).collect::<Vec<_>>();
    let (diary, asks) = (&diary, &asks);
    thread::scope(|scope| {
        for (number, ask) in asks.iter().enumerate() {
            scope.spawn(move || {
                let stream = diary.open(ask);
                // From before anything is claimed to after all is done.
                thread::sleep(Duration::from_micros(400 * (number as u64).pow(2) / 3));
                drop(stream);
            });
        }
    });
    let booked = asks.iter().filter(|ask| ask.is_booked(&diary.send(ask))).count();
    assert_eq!(booked, asks.iter().filter(|ask| ask.is_booked(&diary.send(ask))).count(), "for good");
    // What was dropped between the start and the booking is unknown: referred, and never booked.
    let is_settled = || diary.count("done") == booked && diary.count("unknown") == asks.len() - booked;
    for _ in 0..500 {
        if is_settled() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert!(is_settled(), "{booked}, {}, {}", diary.count("done"), diary.count("unknown"));
    assert_eq!((diary.count("booked"), diary.count("already-booked")), (booked, 0));
    assert!(booked > 10, "{booked}");
}

#[test]
fn a_process_that_is_told_to_stop_books_what_it_has_begun() {
    let diary = Diary::start();
    let (answered, hung_up) = (Ask::booking("m-1"), Ask::booking("m-2"));
    let mut waiting = diary.open(&answered);
    drop({
        let stream = diary.open(&hung_up);
        diary.wait_for("told", 2);
        stream
    });
    let lines = diary.stop();
    assert_printed(&lines, 2);
    let mut raw = Vec::new();
    waiting.read_to_end(&mut raw).unwrap();
    answered.assert_booked(&Reply::read(raw));
}

/// The documented limit of `MemoryStore`: what a process knew dies with it. This is why the booking
/// system has a unique constraint on `idempotency_key`, and why replicas share a store.
#[test]
fn a_store_in_memory_forgets_what_was_booked_when_its_process_is_killed() {
    let ask = Ask::booking("m-1");
    let first = Diary::start();
    ask.assert_booked(&first.send(&ask));
    let mut lines = first.kill();
    let second = Diary::start();
    ask.assert_booked(&second.send(&ask));
    lines.extend(second.stop());
    assert_eq!(count(&lines, "booked"), 2);
}
