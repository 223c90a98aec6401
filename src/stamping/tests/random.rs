//! Random replies: the bytes that leave mean what the naive implementation says.

use std::cell::Cell;
use std::collections::VecDeque;

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use super::super::fixture::{Bench, K2, OTHER, REPLY, U1, U1_OLD, U2};
use super::super::{DocumentRules, EventStamper, Stamped};
use super::naive::{Answer, Naive};
use super::random_json::Entropy;
use crate::extension::{OutgoingObject, Stamp};

/// Heavy checks run in release profile.
const CASES: u32 = if cfg!(debug_assertions) { 3_000 } else { 20_000 };

fn runner() -> TestRunner {
    TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() })
}

/// A bench and the naive implementation of the same.
fn setting(entropy: &mut Entropy<'_>) -> (Bench, Naive, DocumentRules) {
    let (mut active, mut answers, mut asked) = (Vec::new(), [None; 2], [U1, U2]);
    for (index, uris) in [[U1, U1_OLD], [U2, U2]].into_iter().enumerate() {
        if entropy.below(3) == 0 {
            continue;
        }
        asked[index] = uris[entropy.below(2)];
        active.push(asked[index]);
        answers[index] =
            Some([Answer::Set, Answer::Set, Answer::SetAndRemove, Answer::Remove, Answer::Keep][entropy.below(5)]);
    }
    let stamp = |index: usize| {
        let answer = answers[index];
        move |_: &OutgoingObject<'_>| {
            let set = Stamp::set(super::super::fixture::value_of(index));
            match answer {
                Some(Answer::Set) => set,
                Some(Answer::SetAndRemove) => set.and(Stamp::remove()),
                Some(Answer::Remove) => Stamp::remove(),
                // What is not active goes whatever the extension says.
                Some(Answer::Keep) | None => Stamp::keep(),
            }
        }
    };
    let adding = entropy.below(5) != 4;
    let naive = Naive { answers, asked, adding, stamps: 0, removals: 0 };
    (Bench::new(&active, stamp(0), stamp(1)), naive, DocumentRules { adding, ..OTHER })
}

/// The reply to an operation leaves like any other, or not at all where a key stands in a place
/// that A2A does not know.
fn assert_alike_or_stopped(bench: &Bench, original: &Bytes, rules: DocumentRules) -> bool {
    match bench.stamper.document(original, &bench.call, DocumentRules { operation: true, ..rules }) {
        Stamped::Stopped(_) => {
            assert!(bench.stamper.has_managed_key(original));
            true
        }
        other => {
            assert_eq!(other, bench.stamper.document(original, &bench.call, rules));
            false
        }
    }
}

fn leaving(bench: &Bench, document: &Bytes, rules: DocumentRules) -> Vec<Bytes> {
    match bench.stamper.document(document, &bench.call, rules) {
        Stamped::Unchanged => vec![document.clone()],
        Stamped::Changed(slices) => slices.into_vec(),
        other => panic!("{document:?}: {other:?}"),
    }
}

/// Every byte of the original leaves in order, but those of removed entries and replaced values.
fn assert_only_managed_bytes_are_missing(original: &Bytes, slices: &[Bytes]) {
    let base = original.as_ptr() as usize;
    let mut cursor = 0;
    let own = slices.iter().filter_map(|slice| {
        let start = (slice.as_ptr() as usize).checked_sub(base)?;
        (start + slice.len() <= original.len()).then_some((start, slice.len()))
    });
    for (start, length) in own.chain([(original.len(), 0)]) {
        assert!(start >= cursor, "out of order");
        let gap = std::str::from_utf8(&original[cursor..start]).unwrap();
        let before = std::str::from_utf8(&original[..cursor]).unwrap();
        let replaced = before.trim_end().ends_with(':');
        let names_ours = || {
            let quoted = gap.trim_matches(|one: char| one == ',' || one.is_whitespace());
            let mut strings = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
            let name = strings.next().unwrap().unwrap();
            [U1, U1_OLD, U2, K2].contains(&name.as_str())
        };
        assert!(gap.is_empty() || replaced || names_ours(), "{gap:?} is missing");
        cursor = start + length;
    }
}

#[test]
fn random_documents_leave_as_the_naive_implementation_says() {
    let [stamps, removals, escapes, stopped] = [const { Cell::new(0) }; 4];
    let result = runner().run(&vec(any::<u8>(), 0..900), |bytes| {
        let mut entropy = Entropy::new(&bytes);
        let (bench, mut naive, rules) = setting(&mut entropy);
        let json: String = entropy.document();
        let original = Bytes::from(json.clone());
        let slices = leaving(&bench, &original, rules);
        assert_only_managed_bytes_are_missing(&original, &slices);
        let out = Bytes::from(slices.concat());
        let mut expected: Value = serde_json::from_str(&json).unwrap();
        naive.document(&mut expected);
        let found: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(found, expected, "{json}\n{}", String::from_utf8_lossy(&out));
        assert_eq!(bench.stamper.document(&out, &bench.call, rules), Stamped::Unchanged, "a second pass: {json}");
        let hidden = json.trim_end().strip_suffix('}').map(|open| format!("{open},\"extra\":[{{{U1:?}:1}}]}}"));
        for document in [Some(json), hidden.filter(|_| original.len() % 4 == 0)].into_iter().flatten() {
            let stops = assert_alike_or_stopped(&bench, &document.into(), rules);
            stopped.set(stopped.get() + u32::from(stops));
        }
        stamps.set(stamps.get() + u32::from(naive.stamps > 0));
        removals.set(removals.get() + u32::from(naive.removals > 0));
        escapes.set(escapes.get() + u32::from(entropy.escapes > 0));
        Ok(())
    });
    result.unwrap();
    for (what, count) in [("stamps", stamps), ("removals", removals), ("escapes", escapes), ("stops", stopped)] {
        assert!(count.get() * 20 > CASES, "{what} in {} of {CASES} cases", count.get());
    }
}

#[test]
fn b14_random_streams_are_the_same_in_all_chunkings() {
    let (changed, lines) = (Cell::new(0), Cell::new(0));
    let strategy = (vec(any::<u8>(), 0..900), vec(any::<u8>(), 0..60), vec(1..40_usize, 1..30));
    let result = runner().run(&strategy, |(bytes, shape, cuts)| {
        let mut entropy = Entropy::new(&bytes);
        let (bench, mut naive, rules) = setting(&mut entropy);
        let documents = (0..3).map(|_| entropy.document()).collect::<Vec<_>>();
        let mut shape = Entropy::new(&shape);
        let stream = documents.iter().map(|json| event(json, &mut shape)).collect::<String>();
        let whole = stream_out(&bench, &stream, rules, std::iter::repeat(stream.len().max(1)));
        for out in [
            stream_out(&bench, &stream, rules, std::iter::repeat(1)),
            stream_out(&bench, &stream, rules, cuts.iter().copied().cycle()),
        ] {
            assert_eq!(out, whole, "{stream:?}");
        }
        let sent = read_events(&whole);
        assert_eq!(sent.len(), documents.len(), "{whole:?}");
        for ((data, other), json) in sent.iter().zip(&documents) {
            let mut expected: Value = serde_json::from_str(json).unwrap();
            naive.document(&mut expected);
            assert_eq!(serde_json::from_str::<Value>(data).unwrap(), expected, "{stream:?}\n{whole:?}");
            lines.set(lines.get() + u32::from(other.iter().any(|line| line.starts_with("id"))));
        }
        let others = |events: Vec<(String, Vec<String>)>| events.into_iter().flat_map(|one| one.1).collect::<Vec<_>>();
        assert_eq!(others(sent), others(read_events(&stream)), "comments and other fields");
        assert_eq!(stream_out(&bench, &whole, rules, std::iter::repeat(7)), whole, "a second pass");
        changed.set(changed.get() + u32::from(whole != stream));
        Ok(())
    });
    result.unwrap();
    assert!(changed.get() * 20 > CASES && lines.get() * 20 > CASES, "{changed:?} {lines:?}");
}

/// An event with this payload, its lines in a random manner.
fn event(json: &str, shape: &mut Entropy<'_>) -> String {
    let end = shape.pick(&["\n", "\r\n", "\r"]);
    let other = ["", "id: 5", ": ping", "event: message", "retry:500", "id:", "x"];
    let mut event = String::new();
    let mut add_other = |event: &mut String| {
        let line = shape.pick(&other);
        if !line.is_empty() {
            event.push_str(&format!("{line}{end}"));
        }
        shape.below(2) == 0
    };
    for line in json.replace('\r', "").split('\n') {
        let space = if add_other(&mut event) && !line.starts_with(' ') { "" } else { " " };
        event.push_str(&format!("data:{space}{line}{end}"));
    }
    add_other(&mut event);
    event + end
}

fn stream_out(bench: &Bench, stream: &str, rules: DocumentRules, cuts: impl Iterator<Item = usize>) -> String {
    let mut events = EventStamper::new(1 << 20, rules);
    let mut rest = Bytes::copy_from_slice(stream.as_bytes());
    let mut out = VecDeque::new();
    for cut in cuts {
        if rest.is_empty() {
            break;
        }
        let chunk = rest.split_to(cut.min(rest.len()));
        events.push(chunk, &bench.stamper, &bench.call, &mut out).unwrap();
    }
    events.finish(&bench.stamper, &bench.call, &mut out).unwrap();
    String::from_utf8(out.into_iter().flatten().collect()).unwrap()
}

/// The data of each event, and its other lines.
fn read_events(stream: &str) -> Vec<(String, Vec<String>)> {
    let lines = stream.replace("\r\n", "\n").replace('\r', "\n");
    let (mut events, mut data, mut other) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines.split('\n') {
        if line.is_empty() {
            if !data.is_empty() {
                events.push((std::mem::take(&mut data).join("\n"), std::mem::take(&mut other)));
            }
        } else if let Some(value) = line.strip_prefix("data:") {
            data.push(value.strip_prefix(' ').unwrap_or(value).to_owned());
        } else {
            other.push(line.to_owned());
        }
    }
    events
}

#[test]
fn arbitrary_bytes_never_panic() {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\\",
        "\\u00",
        "data:",
        "\n",
        "\r",
        "\"metadata\":",
        "\"parts\":",
        "\"task\":",
        "\"role\":1",
        U1,
        K2,
        "\u{feff}",
        "null",
        "message",
    ];
    let strategy = vec((0..2 * pieces.len(), any::<u8>()), 0..60);
    let result = runner().run(&strategy, |choices| {
        let bytes: Vec<u8> = choices
            .iter()
            .flat_map(|(index, byte)| pieces.get(*index).map_or(vec![*byte], |piece| piece.as_bytes().to_vec()))
            .collect();
        let bytes = Bytes::from(bytes);
        for bench in [Bench::fixed(&[U1]), Bench::fixed(&[])] {
            drop(bench.stamper.document(&bytes, &bench.call, REPLY));
            let outcomes = [1, 3, 1000].map(|size| {
                let mut events = EventStamper::new(40, REPLY);
                let mut out = VecDeque::new();
                let mut chunks = bytes.chunks(size).map(Bytes::copy_from_slice);
                let end = chunks.try_for_each(|chunk| events.push(chunk, &bench.stamper, &bench.call, &mut out));
                let end = end.and_then(|()| events.finish(&bench.stamper, &bench.call, &mut out));
                (out.into_iter().flatten().collect::<Vec<u8>>(), end)
            });
            assert_eq!(outcomes[0], outcomes[1]);
            assert_eq!(outcomes[0], outcomes[2]);
        }
        Ok(())
    });
    result.unwrap();
}
