//! What the extensions' answers do to the bytes.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::super::Stamped;
use super::super::fixture::{Bench, K2, REPLY, U1, U1_OLD, U2};
use crate::extension::{ObjectKind, OutgoingObject, Stamp};

fn keep(_: &OutgoingObject<'_>) -> Stamp {
    Stamp::keep()
}

/// The first extension is active and sets `1`.
fn one() -> Bench {
    Bench::new(&[U1], |_| Stamp::set(1), keep)
}

#[test]
fn c1_c3_c8_only_insertions_change_the_bytes() {
    let json = "{ \"message\" : {\"z\":18446744073709551616,\"p\":1.10,\"a\":-0,\"u\":\"https:\\/\\/x\\u001B\",\n\"parts\":[ ] } }";
    let expected = format!(
        "{{ \"message\" : {{\"z\":18446744073709551616,\"p\":1.10,\"a\":-0,\"u\":\"https:\\/\\/x\\u001B\",\n\"parts\":[ ] ,\"extensions\":[\"{U1}\"],\"metadata\":{{\"{U1}\":1}}}} }}"
    );
    assert_eq!(one().reply(json), expected);
    assert_eq!(one().reply(&expected), expected, "a second pass");
}

#[test]
fn c17_missing_null_and_wrong_metadata_and_extensions() {
    let table = [
        ("{}", format!(r#"{{"extensions":["{U1}"],"metadata":{{"{U1}":1}}}}"#)),
        (r#"{"metadata":null,"extensions":null}"#, format!(r#"{{"metadata":{{"{U1}":1}},"extensions":["{U1}"]}}"#)),
        (r#"{"metadata":{},"extensions":[]}"#, format!(r#"{{"metadata":{{"{U1}":1}},"extensions":["{U1}"]}}"#)),
        (
            r#"{"metadata":{"a":1},"extensions":[ "b" ]}"#,
            format!(r#"{{"metadata":{{"a":1,"{U1}":1}},"extensions":[ "b" ,"{U1}"]}}"#),
        ),
        (r#"{"metadata":[]}"#, r#"{"metadata":[]}"#.to_owned()),
        (r#"{"metadata":"x","extensions":[]}"#, r#"{"metadata":"x","extensions":[]}"#.to_owned()),
        (r#"{"metadata":{},"extensions":"x"}"#, format!(r#"{{"metadata":{{"{U1}":1}},"extensions":"x"}}"#)),
    ];
    for (object, expected) in table {
        let bench = one();
        let out = bench.reply(&format!(r#"{{"message":{object}}}"#));
        assert_eq!(out, format!(r#"{{"message":{expected}}}"#));
        let reported = bench.seen().iter().any(|event| event.starts_with("LeftUnstamped"));
        assert_eq!(reported, object.contains("\"x\"") || object.contains("[]}") && !object.contains("{}"), "{object}");
        assert_eq!(one().reply(&out), out, "a second pass");
    }
}

#[test]
fn c19_values_are_set_once_and_equal_ones_left_alone() {
    let table = [
        (
            format!(r#"{{"metadata":{{"{U1}": 1 }},"extensions":["{U1}"]}}"#),
            format!(r#"{{"metadata":{{"{U1}": 1 }},"extensions":["{U1}"]}}"#),
        ),
        (
            format!(r#"{{"metadata":{{"{U1}":{{"x":2}},"a":1}}}}"#),
            format!(r#"{{"metadata":{{"{U1}":1,"a":1}},"extensions":["{U1}"]}}"#),
        ),
        (
            format!(r#"{{"metadata":{{"{U1}":2,"a":1,"{U1}":1}},"extensions":["{U1}","{U1}","x","x"]}}"#),
            format!(r#"{{"metadata":{{"a":1,"{U1}":1}},"extensions":["{U1}","x","x"]}}"#),
        ),
        (
            format!(r#"{{"metadata":{{"{U1}":1}},"metadata":{{"b":2}},"extensions":[],"extensions":["{U1}"]}}"#),
            format!(
                r#"{{"metadata":{{"{U1}":1}},"metadata":{{"b":2,"{U1}":1}},"extensions":["{U1}"],"extensions":["{U1}"]}}"#
            ),
        ),
    ];
    for (object, expected) in table {
        let out = one().reply(&format!(r#"{{"message":{object}}}"#));
        assert_eq!(out, format!(r#"{{"message":{expected}}}"#));
        assert_eq!(one().document(&out, REPLY), Stamped::Unchanged, "a second pass");
    }
}

#[test]
fn escaped_keys_and_uris_are_ours_too() {
    let slashed = U1.replace('/', "\\/");
    let json = format!(r#"{{"mess\u0061ge":{{"meta\u0064ata":{{"{slashed}":7}},"extens\u0069ons":["{slashed}"]}}}}"#);
    assert_eq!(one().reply(&json), json.replace(":7", ":1"));
    let removed = Bench::fixed(&[]).reply(&json);
    assert_eq!(removed, r#"{"mess\u0061ge":{"meta\u0064ata":{},"extens\u0069ons":[]}}"#);
}

#[test]
fn a15_data_of_extensions_that_are_not_active_goes_whatever_stamp_says() {
    let json = format!(
        r#"{{"message":{{"metadata":{{"{U1}":1,"x":1,"{K2}":2}},"extensions":["{U2}","y","{U1}","{U1_OLD}"]}}}}"#
    );
    let stamps: [fn(&OutgoingObject<'_>) -> Stamp; 4] =
        [keep, |_| Stamp::set(5), |_| Stamp::remove(), |_| panic!("a test panics")];
    for stamp in stamps {
        let out = Bench::new(&[U2], stamp, keep).reply(&json);
        assert_eq!(out, format!(r#"{{"message":{{"metadata":{{"x":1,"{K2}":2}},"extensions":["{U2}","y"]}}}}"#));
    }
}

#[test]
fn a_removed_member_goes_with_one_comma() {
    for (before, after) in [
        ("{U:1}", "{}"),
        ("{ U:1 }", "{  }"),
        ("{U:1,\"a\":1}", "{\"a\":1}"),
        ("{\"a\":1,U:1}", "{\"a\":1}"),
        ("{\"a\":1 , U:1, \"b\":1}", "{\"a\":1 , \"b\":1}"),
        ("{U:1 ,U:2,\"a\":1}", "{\"a\":1}"),
        ("{\"a\":1,U:1,U:[2,{}]}", "{\"a\":1}"),
        ("{U:1,\"a\":1,U:1,\"b\":1,U:1}", "{\"a\":1,\"b\":1}"),
        ("{U:1,U:1}", "{}"),
    ] {
        let json = |metadata: &str| format!(r#"{{"message":{{"metadata":{metadata}}}}}"#);
        let out = Bench::fixed(&[]).reply(&json(&before.replace('U', &format!("\"{U1}\""))));
        let normal = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(normal(&out), normal(&json(after)), "{before}");
        serde_json::from_str::<Value>(&out).unwrap();
    }
}

#[test]
fn the_uri_is_listed_as_the_client_asked_for_it() {
    let bench =
        Bench::new(&[U1_OLD], |object| Stamp::set_key(object.requested_uri().unwrap().as_str().to_owned(), 1), keep);
    let out = bench.reply(&format!(r#"{{"message":{{"extensions":["{U1}","x"]}}}}"#));
    assert_eq!(out, format!(r#"{{"message":{{"extensions":["x","{U1_OLD}"],"metadata":{{"{U1_OLD}":1}}}}}}"#));
}

#[test]
fn a_key_of_another_is_ignored_and_reported() {
    let bench = Bench::new(&[U1, U2], |_| Stamp::set_key(K2, 1), keep);
    assert_eq!(bench.document(r#"{"message":{}}"#, REPLY), Stamped::Unchanged);
    assert!(bench.seen().iter().any(|event| event.contains("does not own")), "{:?}", bench.seen());
}

#[test]
fn remove_with_set_removes_what_is_not_set() {
    let bench = Bench::new(&[U1], |_| Stamp::set(1).and(Stamp::remove()), keep);
    let json = format!(r#"{{"message":{{"metadata":{{"{U1_OLD}":9,"{U1}":9}}}}}}"#);
    assert_eq!(bench.reply(&json), format!(r#"{{"message":{{"metadata":{{"{U1}":1}},"extensions":["{U1}"]}}}}"#));
}

#[test]
fn a_panicking_stamp_loses_its_keys() {
    let bench = Bench::new(&[U1, U2], |_| panic!("a test panics"), |_| Stamp::set(2));
    let json = format!(r#"{{"message":{{"metadata":{{"{U1}":1}},"extensions":["{U1}"]}}}}"#);
    assert_eq!(bench.reply(&json), format!(r#"{{"message":{{"metadata":{{"{K2}":2}},"extensions":["{U2}"]}}}}"#));
}

#[test]
fn a_value_that_nobody_can_parse_is_seen_as_unreadable_and_goes() {
    static SEEN: AtomicBool = AtomicBool::new(false);
    let see = |object: &OutgoingObject<'_>| {
        SEEN.store(object.is_unreadable(U1) && object.metadata(U1).is_none(), Ordering::Relaxed);
        Stamp::keep()
    };
    let bench = Bench::new(&[U1], see, keep);
    let json = format!(r#"{{"message":{{"metadata":{{"{U1}":"\ud800"}},"parts":[]}}}}"#);
    assert_eq!(bench.reply(&json), r#"{"message":{"metadata":{},"parts":[]}}"#);
    assert!(SEEN.load(Ordering::Relaxed));
}

#[test]
fn forbid_stops_the_document() {
    let bench = Bench::new(
        &[U1],
        |object| if object.kind() == ObjectKind::Artifact { Stamp::forbid("why") } else { Stamp::set(1) },
        keep,
    );
    let json = r#"{"task":{"history":[{}],"artifacts":[{}]}}"#;
    assert_eq!(bench.document(json, REPLY), Stamped::Stopped("why".to_owned()));
}

#[test]
fn withhold_leaves_ids_and_one_text() {
    let withhold = |object: &OutgoingObject<'_>| {
        if object.kind() == ObjectKind::Artifact { Stamp::withhold("ask\nthere") } else { Stamp::keep() }
    };
    let json = format!(
        r#"{{"task":{{"artifacts":[{{"name":"EUR 42","artifactId":"a\/1","description":"EUR 42","parts":[{{"text":"EUR 42","metadata":{{"{U1}":1}}}}],"metadata":{{"{U1}":1,"x":"EUR 42"}},"extensions":["{U1}"],"price":42}}]}}}}"#
    );
    let bench = Bench::new(&[U2], withhold, keep);
    let out = bench.reply(&json);
    assert_eq!(out, r#"{"task":{"artifacts":[{"artifactId":"a\/1","parts":[{"text":"ask\nthere"}]}]}}"#);
    let marked = Bench::new(&[U2], withhold, |_| Stamp::set(2)).reply(&json);
    let marked: Value = serde_json::from_str(&marked).unwrap();
    let artifact = &marked["task"]["artifacts"][0];
    assert_eq!(artifact["metadata"], json!({K2: 2}), "what other extensions set stays");
    assert_eq!(artifact["extensions"], json!([U2]));
    assert!(!marked.to_string().contains("42"));
    let old = format!(r#"{{"kind":"task","artifacts":[{{"metadata":{{"{U1}":1}}}}]}}"#);
    assert_eq!(bench.reply(&old), r#"{"kind":"task","artifacts":[{"parts":[{"kind":"text","text":"ask\nthere"}]}]}"#);
    let proto = format!(r#"{{"task":{{"artifacts":[{{"content":[],"metadata":{{"{U1}":1}}}}]}}}}"#);
    assert_eq!(bench.reply(&proto), r#"{"task":{"artifacts":[{"content":[{"text":"ask\nthere"}]}]}}"#);
}

#[test]
fn an_extension_sees_state_id_text_and_marked_siblings() {
    let check = |object: &OutgoingObject<'_>| match object.id() {
        Some("a1") => {
            assert_eq!(object.task_state(), Some("TASK_STATE_COMPLETED"));
            assert_eq!(object.text(), Some("one\ntwo"));
            assert_eq!(object.metadata(U1), Some(&json!({"n": 1})));
            assert!(!object.has_marked_sibling(U1) && object.has_marked_sibling(K2));
            Stamp::set("seen")
        }
        Some("a2") => {
            assert_eq!(object.text(), None.or(object.metadata(K2).map(|_| "")));
            assert!(object.has_marked_sibling(U1) && !object.has_marked_sibling(K2));
            Stamp::set("seen")
        }
        other => panic!("{other:?}"),
    };
    let json = format!(
        r#"{{"artifacts":[{{"metadata":{{"{U1}":{{"n":1}}}},"artifactId":"a1","parts":[{{"text":"one"}},{{"data":1}},{{"text":"two"}}]}},{{"artifactId":"a2","metadata":{{"{K2}":1}}}}],"id":"t","status":{{"state":"TASK_STATE_COMPLETED"}}}}"#
    );
    let out = Bench::new(&[U1], check, keep).reply(&json);
    assert_eq!(out.matches("seen").count(), 2, "{out}");
}

#[test]
fn nothing_is_scanned_where_nothing_can_change() {
    let idle = Bench::new(&[], |_| panic!("asked for nothing"), keep);
    assert_eq!(idle.document(r#"{"message":{"parts":[{"text":"a\nb"}]}}"#, REPLY), Stamped::Unchanged);
    assert!(idle.seen().is_empty());
}

#[test]
fn objects_know_whether_they_stand_in_a_list_of_tasks() {
    let bench = Bench::new(&[U1], |object| Stamp::set(object.in_list()), |_| Stamp::keep());
    let task = r#"{"id":"t","status":{"state":"completed","message":{"role":"agent"}},"artifacts":[{},{}],"history":[{"role":"agent"}]}"#;
    for (list, document) in [
        (false, task.to_owned()),
        (false, format!(r#"{{"result":{task}}}"#)),
        (false, format!(r#"{{"task":{task}}}"#)),
        (true, format!(r#"{{"tasks":[{task}]}}"#)),
        (true, format!(r#"{{"result":{{"tasks":[{task},{task}]}}}}"#)),
        (true, format!(r#"{{"result":[{task}]}}"#)),
        (true, format!("[{task}]")),
    ] {
        let reply = bench.reply(&document);
        let stamped = format!(r#""{U1}":{list}"#);
        let tasks = document.matches(r#""id":"t""#).count();
        assert_eq!(reply.matches(&stamped).count(), 4 * tasks, "{reply}");
    }
    let both = bench.reply(&format!(r#"{{"tasks":[{task}],"task":{task}}}"#));
    let count = |list: bool| both.matches(&format!(r#""{U1}":{list}"#)).count();
    assert_eq!((count(true), count(false)), (4, 4), "what stands behind a list is none: {both}");
}

#[test]
fn every_object_gets_its_own_value_whatever_the_one_before_got() {
    let by_id = |object: &OutgoingObject<'_>| match object.id() {
        Some("keep") => Stamp::keep(),
        Some(id) => Stamp::set(id.starts_with('b')),
        None => Stamp::set(Value::Null),
    };
    let bench =
        Bench::new(&[U1, U2], by_id, |object| if object.id() == Some("a3") { keep(object) } else { Stamp::set(2) });
    // The last but one is spelled with an escape, the last is no text.
    let ids = ["a1", "a2", "b1", "keep", "a3", "a4", "\\u0062", "b\u{1}"];
    let artifacts = ids.map(|id| format!(r#"{{"artifactId":"{id}"}}"#)).join(",");
    let out = bench.reply(&format!(r#"{{"task":{{"artifacts":[{artifacts}]}}}}"#)).replace('\u{1}', "1");
    let out: Value = serde_json::from_str(&out).unwrap();
    let first =
        [json!(false), json!(false), json!(true), json!(null), json!(false), json!(false), json!(true), json!(null)];
    for (index, value) in first.into_iter().enumerate() {
        let artifact = &out["task"]["artifacts"][index];
        let (mut metadata, mut extensions) = (json!({U1: value, K2: 2}), json!([U1, U2]));
        match index {
            3 => (metadata, extensions) = (json!({K2: 2}), json!([U2])),
            4 => (metadata, extensions) = (json!({U1: value}), json!([U1])),
            _ => {}
        }
        assert_eq!((&artifact["metadata"], &artifact["extensions"]), (&metadata, &extensions), "{index}");
    }
}
