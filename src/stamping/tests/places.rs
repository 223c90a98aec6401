//! Which objects are found, and which are left alone.

use serde_json::Value;

use super::super::Stamped;
use super::super::fixture::{Bench, ERROR_REPLY, K2, OTHER, REPLY, U1, U2};
use crate::extension::Stamp;

/// Pointers of the objects that carry the first extension's mark.
fn marked(json: &str) -> Vec<String> {
    let out = Bench::fixed(&[U1]).reply(json);
    let mut found = Vec::new();
    collect(&serde_json::from_str(&out).unwrap(), "", &mut found);
    found.sort();
    found
}

fn collect(value: &Value, pointer: &str, found: &mut Vec<String>) {
    if value.pointer("/metadata").is_some_and(|metadata| metadata.get(U1).is_some()) {
        assert_eq!(value["extensions"], serde_json::json!([U1]), "{pointer}");
        found.push(pointer.to_owned());
    }
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| collect(value, &format!("{pointer}/{key}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| collect(item, &format!("{pointer}/{index}"), found));
        }
        _ => {}
    }
}

#[test]
fn a17_every_outgoing_object_of_every_shape_is_found() {
    let agent = r#"{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"t"}]}"#;
    let user = r#"{"messageId":"m","role":"ROLE_USER","parts":[{"text":"t"}]}"#;
    let task = format!(
        r#"{{"id":"t","status":{{"state":"TASK_STATE_COMPLETED","message":{agent}}},"artifacts":[{{"artifactId":"a"}},{{}}],"history":[{user},{agent}]}}"#
    );
    let of_task = ["/artifacts/0", "/artifacts/1", "/history/1", "/status/message"];
    let under = |prefix: &str| of_task.iter().map(|one| format!("{prefix}{one}")).collect::<Vec<_>>();
    let one = |pointer: &str| vec![pointer.to_owned()];
    let event = format!(r#"{{"taskId":"t","status":{{"state":"s","message":{agent}}}}}"#);
    let artifact = r#"{"taskId":"t","artifact":{"artifactId":"a","parts":[]},"append":true}"#;
    let table = [
        (format!(r#"{{"message":{agent}}}"#), one("/message")),
        (format!(r#"{{"msg":{agent}}}"#), one("/msg")),
        (format!(r#"{{"task":{task}}}"#), under("/task")),
        (task.clone(), under("")),
        (format!(r#"{{"statusUpdate":{event}}}"#), one("/statusUpdate/status/message")),
        (format!(r#"{{"status_update":{event}}}"#), one("/status_update/status/message")),
        (format!(r#"{{"artifactUpdate":{artifact}}}"#), one("/artifactUpdate/artifact")),
        (format!(r#"{{"artifact_update":{artifact}}}"#), one("/artifact_update/artifact")),
        (format!(r#"{{"tasks":[{task}],"nextPageToken":"","pageSize":1}}"#), under("/tasks/0")),
        (format!("[{task}]"), under("/0")),
        (format!(r#"{{"kind":"message",{}"#, &agent[1..]), one("")),
        (agent.to_owned(), one("")),
        (format!(r#"{{"kind":"status-update",{}"#, &event[1..]), one("/status/message")),
        (format!(r#"{{"kind":"artifact-update",{}"#, &artifact[1..]), one("/artifact")),
        (r#"{"role":"ROLE_AGENT","content":[{"text":"t"}],"message_id":"m"}"#.to_owned(), one("")),
        (format!(r#"{{"id":"t","status":{{"state":"TASK_STATE_WORKING","update":{agent}}}}}"#), one("/status/update")),
    ];
    for (json, expected) in table {
        assert_eq!(marked(&json), expected, "{json}");
        let in_result = expected.iter().map(|one| format!("/result{one}")).collect::<Vec<_>>();
        let wrapped = format!(r#"{{"id":7,"result":{json},"jsonrpc":"2.0"}}"#);
        assert_eq!(marked(&wrapped), in_result, "{wrapped}");
    }
}

#[test]
fn a18_a_status_without_message_gets_none() {
    for json in [
        r#"{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"}}}"#,
        r#"{"id":"t","status":{"state":"TASK_STATE_WORKING"}}"#,
        r#"{"id":"t","status":{"state":"completed","message":null},"artifacts":null,"history":[]}"#,
    ] {
        assert_eq!(Bench::fixed(&[U1, U2]).document(json, REPLY), Stamped::Unchanged, "{json}");
    }
}

#[test]
fn a24_users_messages_and_parts_are_never_touched() {
    for role in ["\"user\"", "\"ROLE_USER\"", "1", "\"\\u0075ser\""] {
        let json = format!(
            r#"{{"task":{{"history":[{{"metadata":{{"{U1}":1}},"extensions":["{U1}"],"parts":[{{"text":"x","metadata":{{"{U1}":1}}}}],"role":{role}}}]}}}}"#
        );
        for bench in [Bench::fixed(&[U1]), Bench::fixed(&[])] {
            assert_eq!(bench.document(&json, REPLY), Stamped::Unchanged, "{json}");
        }
    }
    for role in ["\"User\"", "\"USER\"", "2", "1.0", "10", "null", "\"agent\"", "\"user \"", "[1]"] {
        let json = format!(r#"{{"message":{{"parts":[{{"text":"x"}}],"role":{role}}}}}"#);
        assert_eq!(marked(&json), ["/message"], "{json}");
    }
    let torn = r#"{"message":{"role":"user","parts":[],"role":"agent"}}"#;
    assert_eq!(marked(torn), ["/message"], "two roles count as the agent's");
}

#[test]
fn managed_keys_go_from_places_that_are_no_objects() {
    let json = format!(
        r#"{{"task":{{"id":"t","metadata":{{"{U1}":1,"x":2}},"status":{{"state":"s","metadata":{{"{K2}":1}}}},"artifacts":[{{"parts":[{{"data":{{"{U1}":5}},"metadata":{{"y":1,"{U1}":1}}}}]}}]}},"metadata":{{"{U1}":1}}}}"#
    );
    let bare = format!(
        r#"{{"task":{{"id":"t","metadata":{{"x":2}},"status":{{"state":"s","metadata":{{}}}},"artifacts":[{{"parts":[{{"data":{{"{U1}":5}},"metadata":{{"y":1}}}}]}}]}},"metadata":{{}}}}"#
    );
    assert_eq!(Bench::fixed(&[]).reply(&json), bare);
    let active: Value = serde_json::from_str(&Bench::fixed(&[U1]).reply(&json)).unwrap();
    assert_eq!(active["task"]["metadata"], serde_json::json!({U1: 1, "x": 2}), "what is active stays");
    assert_eq!(active["task"]["status"]["metadata"], serde_json::json!({}));
    assert_eq!(active["task"]["artifacts"][0]["parts"][0]["metadata"], serde_json::json!({"y": 1, U1: 1}));
    assert_eq!(active["metadata"], serde_json::json!({U1: 1}));
}

#[test]
fn replies_that_report_an_error_only_lose() {
    let own = format!(r#"{{"message":{{"role":"agent","metadata":{{"{U1}":1}},"extensions":["{U1}"]}}}}"#);
    let bench = Bench::fixed(&[U1]);
    let stamped = bench.document(&own, ERROR_REPLY);
    let Stamped::Changed(slices) = stamped else { panic!("{stamped:?}") };
    assert_eq!(
        slices.concat(),
        br#"{"message":{"role":"agent","metadata":{},"extensions":["https://biz.example/ext/v1"]}}"#
    );
    let plain = r#"{"message":{"role":"agent"}}"#;
    assert_eq!(bench.document(plain, ERROR_REPLY), Stamped::Unchanged);
    let both = r#"{"error":{"code":1},"result":{"message":{"role":"agent"}}}"#;
    assert_eq!(bench.document(both, REPLY), Stamped::Unchanged);
    let null = r#"{"error":null,"result":{"message":{"role":"agent"}}}"#;
    assert_eq!(marked(null), ["/result/message"]);
    for error in [
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no such task"}}"#,
        r#"{"error":{"code":404,"status":"NOT_FOUND","message":"x","details":[]}}"#,
        r#"{"code":-32001,"message":"x","data":null}"#,
    ] {
        assert_eq!(bench.document(error, REPLY), Stamped::Unchanged, "{error}");
    }
}

#[test]
fn unknown_shapes_are_searched_in_replies_to_operations_only() {
    let card = format!(r#"{{"name":"x","capabilities":{{"extensions":[{{"uri":"{U1}"}}]}}}}"#);
    let keyed = format!(r#"{{"name":"x","extra":{{"{U1}":{{}}}}}}"#);
    let escaped = keyed.replace("biz", "b\\u0069z").replace('/', "\\/");
    let nested = format!(r#"{{"jsonrpc":"2.0","result":{{"config":{{"{U1}":1}}}}}}"#);
    let listed = format!(r#"[[{{"{U1}":1}}]]"#);
    for bench in [Bench::fixed(&[U1]), Bench::fixed(&[])] {
        assert_eq!(bench.document(&card, REPLY), Stamped::Unchanged);
        for json in [&keyed, &escaped, &nested, &listed] {
            assert_eq!(bench.document(json, OTHER), Stamped::Unchanged, "{json}");
            assert!(matches!(bench.document(json, REPLY), Stamped::Stopped(_)), "{json}");
        }
    }
}

#[test]
fn what_cannot_be_read_goes_on_unless_it_has_a_managed_key() {
    let active = Bench::fixed(&[U1]);
    let cut = r#"{"message":{"role":"agent","parts":[{"text":"x"#;
    assert!(matches!(active.document(cut, REPLY), Stamped::Unstamped(_)));
    assert_eq!(Bench::fixed(&[]).document(cut, REPLY), Stamped::Unchanged);
    assert_eq!(active.document(" \n", REPLY), Stamped::Unchanged);
    for (json, stops) in [
        (format!(r#"{{"message":{{"metadata":{{"{U1}":1"#), true),
        (format!(r#"{{"message":{{"metadata":{{"{U1}" : 1}}}} trailing"#), true),
        (format!(r#"{{"message":{{"meta"data":{{"{U1}":nope}}}}"#), true),
        (format!("{{\"x\":{{\"{}\":1}}", U1.replace('/', "\\/")), true),
        (format!(r#"{{"message":{{"extensions":["{U1}""#), false),
        (format!("<html>{U1}: see \"{U1}\"</html>"), false),
    ] {
        for bench in [&active, &Bench::fixed(&[])] {
            assert_eq!(matches!(bench.document(&json, REPLY), Stamped::Stopped(_)), stops, "{json}");
        }
    }
    let wide: String = format!(r#"{{"metadata":{{"{U1}":1}}}}"#).chars().flat_map(|one| [one, '\0']).collect();
    assert!(matches!(active.document(&wide, REPLY), Stamped::Stopped(_)), "UTF-16");
}

#[test]
fn a_byte_order_mark_stays_in_front() {
    let json = "\u{feff}{\"message\":{}}";
    let out = Bench::fixed(&[U2]).reply(json);
    assert!(out.starts_with("\u{feff}{\"message\":{\"extensions\":"), "{out}");
}

#[test]
fn a_million_levels_are_read() {
    let deep = "[{\"a\":".repeat(500_000) + "1" + &"}]".repeat(500_000);
    let json = format!(r#"{{"message":{{"parts":[{{"data":{deep}}}],"metadata":{{"x":{deep},"{U1}":{deep}}}}}}}"#);
    let out = Bench::fixed(&[U2]).reply(&json);
    assert_eq!(out.matches(U1).count(), 0);
    assert_eq!(out.matches(K2).count(), 1);
    let hopeless = "[".repeat(1_000_000);
    assert!(matches!(Bench::fixed(&[U2]).document(&hopeless, REPLY), Stamped::Unstamped(_)));
}

#[test]
fn a_document_of_more_objects_than_are_kept_goes_on_unstamped() {
    let bench = Bench::fixed(&[U1]);
    let many = |count: usize| format!(r#"{{"task":{{"artifacts":[{}{{}}]}}}}"#, "{},".repeat(count));
    assert!(matches!(bench.document(&many(60_000), REPLY), Stamped::Changed(_)));
    assert!(matches!(bench.document(&many(70_000), REPLY), Stamped::Unstamped(_)));
    let with_key = many(70_000).replacen("{}", &format!(r#"{{"metadata":{{"{K2}":1}}}}"#), 1);
    assert!(matches!(bench.document(&with_key, REPLY), Stamped::Stopped(_)));
}

#[test]
fn a_long_list_of_the_same_uris_takes_no_quadratic_time() {
    let bench = Bench::new(&[U1, U2], |_| Stamp::set(1), |_| Stamp::keep());
    let list = |uri: &str| format!(r#""{uri}","#).repeat(100_000);
    let json = format!(r#"{{"message":{{"extensions":[{}{}"x"]}}}}"#, list(U2), list(U1));
    let started = std::time::Instant::now();
    assert!(matches!(bench.document(&json, REPLY), Stamped::Changed(_)));
    assert!(started.elapsed().as_secs() < 20, "100 000 by 100 000 comparisons take far longer");
}
