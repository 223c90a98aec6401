//! Event streams, case by case.

use std::collections::VecDeque;

use bytes::Bytes;

use super::super::fixture::{Bench, REPLY, U1, U2};
use super::super::{EventStamper, StreamStop};

const MESSAGE: &str = r#"{"message":{}}"#;
const STAMPED: &str = r#"{"message":{"extensions":["https://biz.example/ext/v1"],"metadata":{"https://biz.example/ext/v1":{"status":"on-request"}}}}"#;

/// What leaves in chunks of one size, and how it ends.
fn stream(bench: &Bench, body: &[u8], size: usize, max: usize) -> (String, Result<(), StreamStop>) {
    let mut events = EventStamper::new(max, REPLY);
    let mut out = VecDeque::new();
    let mut chunks = body.chunks(size).map(Bytes::copy_from_slice);
    let end = chunks.try_for_each(|chunk| events.push(chunk, &bench.stamper, &bench.call, &mut out));
    let end = end.and_then(|()| events.finish(&bench.stamper, &bench.call, &mut out));
    (String::from_utf8(out.into_iter().flatten().collect()).unwrap(), end)
}

fn everywhere(bench: &Bench, body: &str, expected: &str) {
    for size in 1..=body.len() {
        let (out, end) = stream(bench, body.as_bytes(), size, 1000);
        assert_eq!(out, expected, "in {size}");
        assert_eq!(end, Ok(()));
    }
}

#[test]
fn b11_b13_b18_comments_fields_and_line_ends_stay() {
    for end in ["\n", "\r\n", "\r"] {
        let lines = |json: &str| {
            [
                ": ping - 1",
                "",
                "id:",
                "retry: 500",
                "event: message",
                &format!("data: {json}"),
                "",
                ":",
                "",
                &format!("data:{json}"),
                "id: 2",
                "x",
                "",
                "",
                "data",
                "",
            ]
            .map(|line| format!("{line}{end}"))
            .concat()
        };
        everywhere(&Bench::fixed(&[U1]), &lines(MESSAGE), &lines(STAMPED));
        everywhere(&Bench::fixed(&[]), &lines(MESSAGE), &lines(MESSAGE));
    }
}

#[test]
fn b13_an_event_leaves_with_the_first_byte_of_its_blank_line() {
    for end in ["\n", "\r"] {
        let bench = Bench::fixed(&[U1]);
        let mut events = EventStamper::new(1000, REPLY);
        let mut out = VecDeque::new();
        let event = Bytes::from(format!("data: {MESSAGE}{end}{end}"));
        events.push(event.slice(..event.len() - 1), &bench.stamper, &bench.call, &mut out).unwrap();
        assert!(out.is_empty());
        events.push(event.slice(event.len() - 1..), &bench.stamper, &bench.call, &mut out).unwrap();
        let left: Vec<u8> = out.drain(..).flatten().collect();
        assert_eq!(left, format!("data: {STAMPED}{end}{end}").into_bytes());
        events.push(Bytes::from_static(b"\n"), &bench.stamper, &bench.call, &mut out).unwrap();
        assert_eq!(out.len(), 1, "the LF of a CR LF, or a blank line, goes on at once");
    }
}

#[test]
fn b14_characters_may_be_cut_anywhere() {
    let body = "data: {\"message\":{\"parts\":[{\"text\":\"好😀\"}]}}\n\n";
    let expected = body.replace("}]}}", &format!("}}],{}", &STAMPED[12..]));
    everywhere(&Bench::fixed(&[U1]), body, &expected);
}

#[test]
fn b17_json_over_several_data_lines() {
    let body = "data: {\ndata:  \"message\": {\nid: 5\ndata:\ndata:   \"parts\": []\n: x\ndata: }\ndata:}\n\n";
    let stamp = &STAMPED[12..STAMPED.len() - 2];
    let expected = body.replace("[]\n: x\ndata: }", &format!("[]\n: x\ndata: ,{stamp}}}"));
    everywhere(&Bench::fixed(&[U1]), body, &expected);
    let own = format!(
        "data: {{\"message\": {{\ndata: \"metadata\": {{\nid: 5\ndata: \"{U1}\":\ndata: [1,\n: x\ndata: 2],\ndata: \"y\":1}}}}}}\n\n"
    );
    let removed =
        "data: {\"message\": {\ndata: \"metadata\": {\nid: 5\ndata: \ndata: \n: x\ndata: \ndata: \"y\":1}}}\n\n";
    everywhere(&Bench::fixed(&[]), &own, removed);
}

#[test]
fn b19_a_long_event_goes_on_searched_and_unstamped() {
    let text = "a".repeat(500);
    let long = format!("data: {{\"message\":{{\"parts\":[{{\"text\":\"{text}\"}}]}}}}\r\n\r\n");
    let short = format!("data: {MESSAGE}\r\n\r\n");
    let bench = Bench::fixed(&[U1]);
    for size in 1..=long.len() + short.len() {
        let (out, end) = stream(&bench, format!("{long}{short}").as_bytes(), size, 100);
        assert_eq!((out, end), (format!("{long}data: {STAMPED}\r\n\r\n"), Ok(())), "in {size}");
    }
    assert!(bench.seen().iter().all(|event| event.contains("longer than the limit")));
    for key in [format!("\"{U1}\":1"), format!("\"{U1}\"\r\ndata: :1"), format!("\"{U1}\"\r\nid: 1\r\ndata::1")] {
        let before = format!("{short}data: {{\"x\":\"{text}\",");
        let body = format!("{before}{key}}}\r\n\r\n{short}");
        for size in 1..=body.len() {
            let (out, end) = stream(&Bench::fixed(&[]), body.as_bytes(), size, 100);
            assert!(end.is_err_and(|stop| stop.inside_event), "{key:?} in {size}");
            assert_eq!(out, before, "{key:?} in {size}");
        }
    }
}

#[test]
fn b19_memory_stays_flat_over_an_endless_event() {
    let bench = Bench::fixed(&[U1]);
    let mut events = EventStamper::new(1000, REPLY);
    let mut out = VecDeque::new();
    for _ in 0..1000 {
        events.push(Bytes::from_static(&[b'a'; 4096]), &bench.stamper, &bench.call, &mut out).unwrap();
        out.clear();
        assert!(events.kept() <= 1000);
    }
}

#[test]
fn b20_the_rest_at_the_end_is_flushed_and_searched() {
    for rest in [format!("data: {MESSAGE}"), format!("data: {MESSAGE}\n"), "id: 7".to_owned(), String::new()] {
        let body = format!("data: {MESSAGE}\n\n{rest}");
        everywhere(&Bench::fixed(&[U1]), &body, &format!("data: {STAMPED}\n\n{rest}"));
    }
    let body = format!("data: {MESSAGE}\n\ndata: {{\"message\":{{\"metadata\":{{\"{U1}\"\ndata: :1}}");
    let (out, end) = stream(&Bench::fixed(&[]), body.as_bytes(), 9, 1000);
    assert_eq!(out, format!("data: {MESSAGE}\n\n"));
    assert!(end.is_err_and(|stop| !stop.inside_event));
}

#[test]
fn a_byte_order_mark_is_read_over_once() {
    let body = format!("\u{feff}data: {MESSAGE}\n\n");
    everywhere(&Bench::fixed(&[U1]), &body, &format!("\u{feff}data: {STAMPED}\n\n"));
    let later = format!("data: x\n\n\u{feff}data: {MESSAGE}\n\n");
    everywhere(&Bench::fixed(&[U1]), &later, &later);
}

#[test]
fn what_is_no_json_goes_on() {
    for data in ["[DONE]", "ping", "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001}}", "{"] {
        let body = format!("data: {data}\n\n");
        everywhere(&Bench::fixed(&[U1]), &body, &body);
    }
}

#[test]
fn a_stopped_event_ends_the_stream_before_its_first_byte() {
    let bench = Bench::fixed(&[]);
    let body = format!("data: {MESSAGE}\n\nid: 2\ndata: {{\"what\":{{\"{U1}\":1}}}}\n\ndata: {MESSAGE}\n\n");
    for size in 1..=body.len() {
        let (out, end) = stream(&bench, body.as_bytes(), size, 1000);
        assert_eq!(out, format!("data: {MESSAGE}\n\n"), "in {size}");
        assert!(end.is_err_and(|stop| !stop.inside_event));
    }
    let mut events = EventStamper::new(1000, REPLY);
    let mut out = VecDeque::new();
    assert!(events.push(Bytes::from(body), &bench.stamper, &bench.call, &mut out).is_err());
    out.clear();
    assert!(events.push(Bytes::from_static(b": x\n\n"), &bench.stamper, &bench.call, &mut out).is_err());
    assert!(events.finish(&bench.stamper, &bench.call, &mut out).is_err() && out.is_empty());
}

#[test]
fn untouched_events_are_slices_of_the_chunk() {
    let bench = Bench::fixed(&[U2]);
    let chunk = Bytes::from(": a\n\ndata: {\"task\":{\"id\":\"t\"}}\n\n");
    let mut out = VecDeque::new();
    EventStamper::new(1000, REPLY).push(chunk.clone(), &bench.stamper, &bench.call, &mut out).unwrap();
    assert_eq!(out.iter().map(|bytes| bytes.as_ptr()).next(), Some(chunk.as_ptr()));
    assert_eq!(out.len(), 2);
}
