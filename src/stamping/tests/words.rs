//! New words for an object: in the place of its text Parts, behind all its Parts, and both at once.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::{prop_assert_eq, prop_oneof, proptest};
use serde_json::{Value, json};

use super::super::fixture::{Bench, U1};
use crate::extension::Stamp;

fn stamp(instead: bool, behind: bool, marks: bool) -> Stamp {
    let words = |is_wanted: bool, stamp: Stamp| if is_wanted { stamp } else { Stamp::keep() };
    words(instead, Stamp::with_text("not\ndone"))
        .and(words(behind, Stamp::add_text("ask")))
        .and(words(marks, Stamp::set(1)))
}

fn reworded(object: &str, instead: bool, behind: bool, marks: bool) -> String {
    let active: &[&str] = if marks { &[U1] } else { &[] };
    let bench = Bench::new(active, move |_| stamp(instead, behind, marks), |_| Stamp::keep());
    bench.call.show();
    let reply = bench.reply(&format!(r#"{{"message":{object}}}"#));
    reply.strip_prefix(r#"{"message":"#).and_then(|rest| rest.strip_suffix('}')).unwrap().to_owned()
}

#[test]
fn words_come_in_the_place_of_texts_or_behind_all_parts() {
    let (text, ask) = (r#"{"text":"not\ndone"}"#, r#"{"text":"ask"}"#);
    let table = [
        (r#"[{"text":"a"}]"#, format!("[{text}]"), format!(r#"[{{"text":"a"}},{ask}]"#), format!("[{text},{ask}]")),
        (
            r#"[ {"data":{"x":1.10}} , {"text":"a","metadata":{"q":1}} , {"url":"u"} ,{"text":"b"} ]"#,
            format!(r#"[ {{"data":{{"x":1.10}}}} , {text} , {{"url":"u"}} ]"#),
            format!(
                r#"[ {{"data":{{"x":1.10}}}} , {{"text":"a","metadata":{{"q":1}}}} , {{"url":"u"}} ,{{"text":"b"}} ,{ask}]"#
            ),
            format!(r#"[ {{"data":{{"x":1.10}}}} , {text} , {{"url":"u"}} ,{ask}]"#),
        ),
        (
            r#"[{"text":"a"},{"text":"b"},7]"#,
            format!("[{text},7]"),
            format!(r#"[{{"text":"a"}},{{"text":"b"}},7,{ask}]"#),
            format!("[{text},7,{ask}]"),
        ),
        (
            r#"[{"raw":"eA=="}]"#,
            format!(r#"[{text},{{"raw":"eA=="}}]"#),
            format!(r#"[{{"raw":"eA=="}},{ask}]"#),
            format!(r#"[{text},{{"raw":"eA=="}},{ask}]"#),
        ),
        ("[]", format!("[{text}]"), format!("[{ask}]"), format!("[{text},{ask}]")),
        ("null", format!("[{text}]"), format!("[{ask}]"), format!("[{text},{ask}]")),
        // Words that stand where no list does are not thrown away, but are not left where they are wrong.
        (r#""done""#, format!("[{text}]"), r#""done""#.to_owned(), format!("[{text},{ask}]")),
    ];
    for (parts, instead, behind, both) in table {
        let object = |parts: &str| format!(r#"{{"messageId":"m","parts":{parts},"z":1}}"#);
        assert_eq!(reworded(&object(parts), true, false, false), object(&instead));
        assert_eq!(reworded(&object(parts), false, true, false), object(&behind));
        assert_eq!(reworded(&object(parts), true, true, false), object(&both));
    }
}

#[test]
fn an_object_without_parts_gets_some() {
    let parts = r#""parts":[{"text":"not\ndone"},{"text":"ask"}]"#;
    assert_eq!(reworded("{}", true, true, false), format!("{{{parts}}}"));
    assert_eq!(reworded(r#"{"role":"ROLE_AGENT"}"#, true, true, false), format!(r#"{{"role":"ROLE_AGENT",{parts}}}"#));
    let marks = format!(r#""extensions":["{U1}"],"metadata":{{"{U1}":1}}"#);
    assert_eq!(reworded("{}", true, true, true), format!("{{{parts},{marks}}}"));
    let old = reworded(r#"{"kind":"message"}"#, false, true, false);
    assert_eq!(old, r#"{"kind":"message","parts":[{"kind":"text","text":"ask"}]}"#);
}

#[test]
fn each_list_of_parts_gets_the_words_since_readers_differ_in_which_they_take() {
    let twice = reworded(r#"{"parts":[{"text":"a"}],"content":[{"text":"b"}]}"#, true, true, false);
    let parts = r#"[{"text":"not\ndone"},{"text":"ask"}]"#;
    assert_eq!(twice, format!(r#"{{"parts":{parts},"content":{parts}}}"#));
}

/// The same over a parsed object.
fn naive(mut object: Value, instead: bool, behind: bool) -> Value {
    let old = object["parts"].as_array().cloned().unwrap_or_default();
    let is_text = |part: &Value| part.get("text").is_some();
    let first = old.iter().position(is_text).unwrap_or_default();
    let mut parts = old;
    if instead {
        parts.retain(|part| !is_text(part));
        parts.insert(first, json!({"text": "not\ndone"}));
    }
    if behind {
        parts.push(json!({"text": "ask"}));
    }
    object["parts"] = parts.into();
    object
}

fn parts() -> impl Strategy<Value = Value> {
    let part = prop_oneof![
        Just(json!({"text": "a"})),
        Just(json!({"text": "b", "metadata": {"q": [1, {}]}})),
        Just(json!({"data": {"text": "c"}})),
        Just(json!({"data": null})),
        Just(json!({})),
        Just(json!(7)),
        Just(json!([{"text": "d"}])),
    ];
    prop_oneof![8 => vec(part, 0..6).prop_map(Value::from), 1 => Just(Value::Null)]
}

proptest! {
    #[test]
    fn new_words_mean_the_same_as_over_a_tree(
        parts in parts(), has_parts in any::<bool>(), pretty in any::<bool>(),
        words in 1..4u8, marks in any::<bool>(), has_others in any::<bool>(),
    ) {
        let (instead, behind) = (words & 1 == 1, words & 2 == 2);
        let mut object = if has_others { json!({"messageId": "m"}) } else { json!({}) };
        if has_parts {
            object["parts"] = parts;
        }
        let text = if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) }.unwrap();
        let mut wanted = naive(object, instead, behind);
        if marks {
            wanted["metadata"] = json!({U1: 1});
            wanted["extensions"] = json!([U1]);
        }
        let left: Value = serde_json::from_str(&reworded(&text, instead, behind, marks)).unwrap();
        prop_assert_eq!(left, wanted);
    }
}
