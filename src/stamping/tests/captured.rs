//! Real replies, kept under `tests/wire/`.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use bytes::Bytes;

use super::super::fixture::{Bench, REPLY, U1};
use super::super::{EventStamper, Stamped};

fn captured(name: &str) -> Bytes {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).into()
}

fn stamps(stamped: &str) -> usize {
    stamped.matches(&format!("\"{U1}\":{{\"status\":\"on-request\"}}")).count()
}

#[test]
fn captured_documents_get_a_stamp_for_each_object() {
    for (name, expected) in DOCUMENTS {
        let original = captured(name);
        let bench = Bench::fixed(&[U1]);
        let stamped = match bench.stamper.document(&original, &bench.call, REPLY) {
            Stamped::Unchanged => String::new(),
            Stamped::Changed(slices) => String::from_utf8(slices.concat()).unwrap(),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(stamps(&stamped), *expected, "{name}");
        if !stamped.is_empty() {
            serde_json::from_str::<serde_json::Value>(&stamped).unwrap();
            let idle = Bench::fixed(&[]);
            let removed = idle.document(&stamped, REPLY);
            let Stamped::Changed(slices) = removed else { panic!("{name}: {removed:?}") };
            let removed = String::from_utf8(slices.concat()).unwrap();
            assert_eq!(stamps(&removed), 0, "{name}");
        }
    }
}

#[test]
fn captured_streams_get_a_stamp_for_each_object() {
    for (name, expected) in STREAMS {
        let original = captured(name);
        let bench = Bench::fixed(&[U1]);
        let outs = [1, 17, original.len()].map(|size| {
            let mut events = EventStamper::new(1 << 20, REPLY);
            let mut out = VecDeque::new();
            for chunk in original.chunks(size) {
                events.push(Bytes::copy_from_slice(chunk), &bench.stamper, &bench.call, &mut out).unwrap();
            }
            events.finish(&bench.stamper, &bench.call, &mut out).unwrap();
            String::from_utf8(out.into_iter().flatten().collect()).unwrap()
        });
        assert_eq!(outs[0], outs[2], "{name}");
        assert_eq!(outs[1], outs[2], "{name}");
        assert_eq!(stamps(&outs[0]), *expected, "{name}");
    }
}

const DOCUMENTS: &[(&str, usize)] = &[
    ("a2a-protocol-server/jsonrpc-send-task-reply.resp.body", 2),
    ("a2a-protocol-server/rest-list-tasks.resp.body", 3),
    ("a2a-protocol-server/jsonrpc-error-task-not-found.resp.body", 0),
    ("a2a-rs-0.10/jsonrpc-send-message-reply-ext.resp.body", 2),
    ("a2a-rust-0.1/rest-list-tasks.resp.body", 5),
    ("a2a-server-lf/jsonrpc-get-task.resp.body", 2),
    ("agntcy-a2a-server/rest-get-task.resp.body", 2),
    ("js-a2a-sdk/jsonrpc-list-tasks.resp.body", 10),
    ("js-a2a-sdk/rest-send-message-reply.resp.body", 1),
    ("js-a2a-sdk/agent-card.resp.body", 0),
    ("python-a2a-sdk/jsonrpc-list-tasks.resp.body", 8),
    ("python-a2a-sdk/jsonrpc-send-task-reply.resp.body", 2),
];
const STREAMS: &[(&str, usize)] = &[
    ("a2a-protocol-server/jsonrpc-stream.resp.body", 5),
    ("a2a-rs-0.10/rest-stream.resp.body", 7),
    ("a2a-rust-0.1/rest-stream.resp.body", 5),
    ("a2a-server-lf/jsonrpc-stream.resp.body", 5),
    ("agntcy-a2a-server/jsonrpc-stream.resp.body", 5),
    ("js-a2a-sdk/jsonrpc-stream.resp.body", 5),
    ("python-a2a-sdk/jsonrpc-stream.resp.body", 5),
    ("python-a2a-sdk/rest-subscribe-get.resp.body", 1),
];
