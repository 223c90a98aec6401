//! What survives reading and writing.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use super::Envelope;

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let name = prop_oneof![
            "[a-z]{1,4}",
            prop::sample::select(vec!["author", "state", "status", "key", "citations", "pendingInput", "suppressed"])
                .prop_map(str::to_owned),
        ];
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// An object with these members, each with its strategy, some left out, and members of a newer peer.
fn object(known: Vec<(&'static str, bool, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let members = known.into_iter().map(|(name, always, value)| {
        let is_there = any::<bool>().prop_map(move |is_there| is_there || always);
        (is_there, value).prop_map(move |(is_there, value)| is_there.then(|| (name.to_owned(), value)))
    });
    let others = prop::collection::btree_map("x-[a-z]{1,3}", any_json(), 0..3);
    (members.collect::<Vec<_>>(), others)
        .prop_map(|(known, others)| Value::Object(known.into_iter().flatten().chain(others).collect()))
        .boxed()
}

fn text() -> BoxedStrategy<Value> {
    ".{0,12}".prop_map(Value::from).boxed()
}

fn word(page: &'static [&'static str]) -> BoxedStrategy<Value> {
    prop_oneof![prop::sample::select(page).prop_map(Value::from), text()].boxed()
}

fn flag() -> BoxedStrategy<Value> {
    any::<bool>().prop_map(Value::from).boxed()
}

fn list(entry: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    vec(entry, 0..4).prop_map(Value::from).boxed()
}

/// What a peer of this version or a newer one sends.
fn any_envelope() -> BoxedStrategy<Value> {
    let coverage = object(vec![
        ("availability", true, word(&["assessed", "not_recorded", "failed", "invalid"])),
        ("coverage", false, word(&["answered", "partial"])),
        ("reason", false, word(&["sufficient_evidence"])),
        ("originatingTurnId", false, text()),
        ("originatingRequestId", false, text()),
    ]);
    let ownership = object(vec![("state", true, word(&["ai_owned", "human_owned"])), ("suppressed", false, flag())]);
    let slot = object(vec![
        ("key", true, text()),
        ("type", false, text()),
        ("required", false, flag()),
        ("description", false, text()),
    ]);
    let routine = object(vec![
        ("toolName", false, text()),
        ("name", false, text()),
        ("status", true, word(&["active", "completed"])),
        ("pendingInput", false, list(slot)),
    ]);
    let invocation = object(vec![("toolName", true, text()), ("outcome", true, word(&["started"]))]);
    let citation = object(vec![
        ("documentId", true, text()),
        ("chunkId", false, text()),
        ("title", false, text()),
        ("sourceUrl", false, text()),
    ]);
    object(vec![
        ("author", true, word(&["agent", "human"])),
        ("answerCoverage", false, coverage),
        ("ownership", false, ownership),
        ("routine", false, routine),
        ("invocation", false, invocation),
        ("citations", false, list(citation)),
    ])
}

proptest! {
    #[test]
    fn what_a_newer_peer_says_survives_reading_and_writing(value in any_envelope()) {
        let read = Envelope::from_value(&value).unwrap();
        prop_assert_eq!(read.to_value(), value);
    }

    #[test]
    fn what_was_built_reads_as_itself(value in any_envelope()) {
        if let Ok(built) = Envelope::from_value(&value).unwrap().into_builder().build() {
            prop_assert_eq!(Envelope::from_value(&built.to_value()), Ok(built));
        }
    }

    #[test]
    fn whatever_is_read_does_not_panic_and_is_stable(value in any_json()) {
        if let Ok(read) = Envelope::from_value(&value) {
            prop_assert_eq!(Envelope::from_value(&read.to_value()), Ok(read));
        }
    }
}
