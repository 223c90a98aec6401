//! The reader against `serde_json` on requests that are right, and against a reader that forgives
//! nearly everything on requests that are not.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::*;

mod lenient;

const CASES: u32 = 2_500;

fn run<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    TestRunner::new(config).run(strategy, test).unwrap();
}

/// Any JSON that fits into a few lines.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-z\u{e9}\"]{0,6}", inner, 0..4)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn any_part() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => ".{0,20}".prop_map(|text| json!({"text": text})),
        1 => ".{0,20}".prop_map(|text| json!({"kind": "text", "text": text, "metadata": {"text": 1}})),
        1 => any_json().prop_map(|data| json!({"data": data, "filename": null})),
        1 => Just(json!({"url": "https://x", "mediaType": "text/plain"})),
    ]
}

/// `{"message": …, "metadata": …}` as 1.0 has it.
fn any_send() -> impl Strategy<Value = Value> {
    let ids = proptest::option::of(".{0,6}");
    let parts = proptest::collection::vec(any_part(), 0..4);
    (parts, ids.clone(), ids.clone(), ids, any_json(), any_json(), any_json()).prop_map(
        |(parts, message_id, context_id, task_id, in_message, in_request, extra)| {
            json!({
                "configuration": {"returnImmediately": true},
                "message": {
                    "contextId": context_id, "extra": extra, "messageId": message_id, "taskId": task_id,
                    "metadata": {KEY: in_message, "other": extra}, "parts": parts, "role": "ROLE_USER"
                },
                "metadata": {KEY: in_request},
                "tenant": extra
            })
        },
    )
}

/// Writes a value with white space and escapes that change nothing; `style` decides where.
fn write(value: &Value, style: &mut impl Iterator<Item = u8>, out: &mut String) {
    if style.next().unwrap_or(0).is_multiple_of(4) {
        out.push_str([" ", "\n", "\t", "\r\n "][usize::from(style.next().unwrap_or(0)) % 4]);
    }
    match value {
        Value::Object(members) => {
            for (index, (key, value)) in members.iter().enumerate() {
                out.push_str(if index == 0 { "{" } else { "," });
                write(&Value::from(key.as_str()), style, out);
                out.push(':');
                write(value, style, out);
            }
            out.push_str(if members.is_empty() { "{}" } else { "}" });
        }
        Value::Array(elements) => {
            for (index, value) in elements.iter().enumerate() {
                out.push_str(if index == 0 { "[" } else { "," });
                write(value, style, out);
            }
            out.push_str(if elements.is_empty() { "[]" } else { "]" });
        }
        Value::String(text) => {
            out.push('"');
            for character in text.chars() {
                if style.next().unwrap_or(0).is_multiple_of(8) {
                    let mut units = [0; 2];
                    out.extend(character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04X}")));
                } else {
                    let quoted = Value::from(character.to_string()).to_string();
                    out.push_str(&quoted[1..quoted.len() - 1]);
                }
            }
            out.push('"');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn written(value: &Value, style: &[u8]) -> String {
    let mut out = String::new();
    write(value, &mut style.iter().copied().cycle().take(1 << 16), &mut out);
    out
}

/// A request in one of the bindings, and the JSON pointer to what `any_send` made.
fn any_request() -> impl Strategy<Value = (&'static str, Value, &'static str)> {
    (any_send(), 0..4, any_json()).prop_map(|(send, shape, id)| match shape {
        0 => ("/message:send", send, ""),
        1 => ("/elsewhere", send, ""),
        2 => ("/rpc", json!({"jsonrpc": "2.0", "id": id, "method": "SendMessage", "params": send}), "/params"),
        _ => ("/rpc", json!({"method": "message/stream", "params": send, "extra": id}), "/params"),
    })
}

/// A request without a message.
fn any_other_request() -> impl Strategy<Value = (&'static str, Value, &'static str)> {
    (any_json(), 0..4).prop_map(|(extra, shape)| match shape {
        0 => ("/contact", json!({"message": "Hi", "parts": extra}), ""),
        1 => ("/elsewhere", json!({"other": {"parts": [{"text": "x"}]}, "extra": extra}), ""),
        2 => {
            ("/rpc", json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "x"}, "extra": extra}), "")
        }
        _ => ("/mcp", json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"arguments": extra}}), ""),
    })
}

fn any_style() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 1..64)
}

#[test]
fn what_is_right_is_read_as_serde_json_reads_it() {
    run(&(any_request(), any_style()), |((path, request, pointer), style)| {
        let text = written(&request, &style);
        let parsed: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&parsed, &request, "the writer of this test changes nothing");
        let sample = Sample::post(path, &text);
        let reading = sample.read().unwrap();
        let read = reading.message.unwrap();
        let send = parsed.pointer(pointer).unwrap();
        let parts = send["message"]["parts"].as_array().unwrap();
        let texts = parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>();
        prop_assert_eq!(read.texts().collect::<Vec<_>>(), texts.clone());
        prop_assert_eq!(read.text(), texts.join("\n"));
        let data = parts.iter().filter_map(|part| part.get("data")).cloned().collect::<Vec<_>>();
        let read_data = read.data().map(|data| serde_json::from_str::<Value>(&data).unwrap()).collect::<Vec<_>>();
        prop_assert_eq!(read_data, data);
        let message = &send["message"];
        for (id, name) in
            [(read.message_id(), "messageId"), (read.context_id(), "contextId"), (read.task_id(), "taskId")]
        {
            prop_assert_eq!(id.as_deref(), message[name].as_str());
        }
        let metadata = [message["metadata"][KEY].clone(), send["metadata"][KEY].clone()];
        prop_assert_eq!(read.metadata(KEY).collect::<Vec<_>>(), metadata);
        if let ReplyId::Raw(raw) = reading.target.id {
            prop_assert_eq!(serde_json::from_slice::<Value>(&raw).unwrap(), parsed["id"].clone());
        } else {
            let id = parsed.get("id");
            prop_assert!(path != "/rpc" || id.is_none_or(|id| !id.is_string() && !id.is_number()));
        }
        Ok(())
    });
}

/// What a change of a body may bring in.
const TOKENS: [&[u8]; 34] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b" ",
    b"null",
    b"\"message\":",
    b"\"Message\":",
    b"\"request\":",
    b"\"params\":",
    b"\"Params\":{",
    b"\"mess_age\":{\"parts\":[{\"text\":\"price\"}]},",
    b"\"text\":\"price\",",
    b"\"parts\":[{\"text\":\"price\"}],",
    b"\"content\":[],",
    b"\"message\":{\"parts\":[{\"text\":\"price\"}]},",
    b"\"request\":{\"content\":[{\"text\":\"price\"}]},",
    b"\\u006d",
    b"\xef\xbb\xbf",
    b"\0",
    b"\xff",
    b"_",
    b"\\q",
    b"\\ud800",
    b"\xc5\xbf",
    b"{\"parts\":[{\"text\":\"price\"}]},",
    b"\"x\":",
    b"\"method\":\"x\",",
    b"1e999",
    b"NaN",
];

#[derive(Clone, Debug)]
enum Change {
    Insert(Index, usize),
    Remove(Index, usize),
    Copy(Index, Index, usize),
    Replace(Index, u8),
    FlipCase(Index),
    /// Renames what a reader looks for, so that a message may get lost.
    Rename(usize, usize),
}

fn any_change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    prop_oneof![
        4 => (index(), 0..TOKENS.len()).prop_map(|(at, token)| Change::Insert(at, token)),
        1 => (index(), 1..40_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        1 => (index(), index(), 1..80_usize).prop_map(|(from, to, length)| Change::Copy(from, to, length)),
        1 => (index(), any::<u8>()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        2 => index().prop_map(Change::FlipCase),
        4 => (0..4_usize, 0..5_usize).prop_map(|(from, to)| Change::Rename(from, to)),
    ]
}

fn change(body: &mut Vec<u8>, change: &Change) {
    if body.is_empty() {
        return;
    }
    let range = |at: &Index, length: usize, body: &[u8]| {
        let start = at.index(body.len());
        start..(start + length).min(body.len())
    };
    match change {
        Change::Insert(at, token) => {
            // Mostly where a member may stand, so that structure survives.
            let near = at.index(body.len());
            let place =
                body[near..].iter().position(|byte| matches!(byte, b',' | b'{' | b'[')).map_or(near, |p| near + p + 1);
            body.splice(place..place, TOKENS[*token].iter().copied());
        }
        Change::Remove(at, length) => drop(body.drain(range(at, *length, body))),
        Change::Copy(from, to, length) => {
            let piece = body[range(from, *length, body)].to_vec();
            let to = to.index(body.len());
            body.splice(to..to, piece);
        }
        Change::Replace(at, byte) => {
            let at = at.index(body.len());
            body[at] = *byte;
        }
        Change::FlipCase(at) => {
            let near = at.index(body.len());
            if let Some(letter) = body[near..].iter_mut().find(|byte| byte.is_ascii_alphabetic()) {
                *letter ^= 0x20;
            }
        }
        Change::Rename(from, to) => {
            let from = ["\"message\"", "\"params\"", "\"parts\"", "\"text\""][*from];
            let to = ["\"other\"", "\"request\"", "\"content\"", "\"Message\"", "\"x\""][*to];
            let text = String::from_utf8_lossy(body).replacen(from, to, 1);
            *body = text.into_bytes();
        }
    }
}

#[test]
fn nothing_passes_in_which_a_lenient_reader_finds_a_message() {
    let (passed, gated, refused) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let requests = prop_oneof![2 => any_request(), 1 => any_other_request()];
    let strategy = (requests, any_style(), proptest::collection::vec(any_change(), 1..5));
    run(&strategy, |((path, request, _), style, changes)| {
        let mut body = written(&request, &style).into_bytes();
        changes.iter().for_each(|one| change(&mut body, one));
        if peek(&body, false) != PeekedBody::MustBeRead {
            return Ok(());
        }
        let found = lenient::texts(&body);
        match Sample::post(path, &body).read() {
            Err(_) => refused.set(refused.get() + 1),
            Ok(reading) => match reading.message {
                None => {
                    prop_assert_eq!(found, None, "{}", String::from_utf8_lossy(&body));
                    passed.set(passed.get() + 1);
                }
                Some(message) => {
                    let texts = message.texts().map(String::from).collect::<Vec<_>>();
                    prop_assert_eq!(found, Some(texts), "{}", String::from_utf8_lossy(&body));
                    gated.set(gated.get() + 1);
                }
            },
        }
        Ok(())
    });
    let enough = CASES / 20;
    let counts = [passed.get(), gated.get(), refused.get()];
    assert!(counts.iter().all(|count| *count >= enough), "passed, gated, refused: {counts:?}");
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let bytes = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        proptest::collection::vec(proptest::sample::select(&TOKENS[..]), 0..40).prop_map(|tokens| tokens.concat()),
    ];
    let path = proptest::sample::select(vec!["/rpc", "/message:send", "/tasks/7:cancel", "/tasks", "/v1/card", "/"]);
    let header = proptest::collection::vec(32..=255_u8, 0..30);
    run(&(bytes, path, header), |(bytes, path, header)| {
        let mut sample = Sample::post(path, &bytes);
        let value = header.iter().map(|byte| if *byte == 127 { b'x' } else { *byte }).collect::<Vec<_>>();
        let value = HeaderValue::from_bytes(&value).unwrap();
        for name in ["content-type", "content-encoding", "a2a-version"] {
            sample.headers.insert(name, value.clone());
        }
        let _ = check_encoding(&sample.headers);
        let _ = (sample.bodyless(), peek(&bytes, true));
        match read_request(sample.head(), &sample.body, &[KEY.to_owned()]) {
            Ok(reading) => {
                let draft = ReplyDraft::answering(reading.message.as_ref(), "x");
                let response = message_response(&reading.target, &draft);
                prop_assert!(response.status().is_success());
            }
            Err(refusal) => {
                let response = error_response(&refusal.target, &refusal.error);
                prop_assert!(serde_json::from_slice::<Value>(response.body()).is_ok());
            }
        }
        Ok(())
    });
}
