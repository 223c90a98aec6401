//! What callgrind counts, by name; also what a profiler can be pointed at.

use std::hint::black_box;

use serde::de::IgnoredAny;
use tower_a2a_extensions::bench_support::reads_message;

use crate::agents::{self, Front, call, stamping};
use crate::bodies::{Content, Reply, event_json, request};
use crate::rows;

pub(crate) fn by_name(name: &str) -> Option<Box<dyn FnMut()>> {
    let (kind, of) = name.split_once('/')?;
    match kind {
        "call" => called(of),
        "stamping" => {
            let (bench, document) = (stamping(1, true), Reply::of_size(size(of)?, Content::Text).to_bytes());
            Some(Box::new(move || drop(black_box(bench.document(&document)))))
        }
        "own" => {
            let reply = Reply::of_size(size(of)?, Content::Text);
            Some(Box::new(move || drop(black_box(reply.to_vec()))))
        }
        "inactive" => {
            let (bench, document) = (stamping(1, false), Reply::of_size(size(of)?, Content::Text).to_bytes());
            Some(Box::new(move || drop(black_box(bench.document(&document)))))
        }
        "read" => {
            let (head, body) = (rows::request_head(), request(size(of)?));
            Some(Box::new(move || assert!(black_box(reads_message(&head, &body)))))
        }
        "ignored" => {
            let body = request(size(of)?);
            Some(Box::new(move || assert!(black_box(serde_json::from_slice::<IgnoredAny>(&body).is_ok()))))
        }
        "header" => {
            let (bench, headers) = rows::header();
            Some(Box::new(move || assert_eq!(black_box(bench.negotiate(&headers)), 8)))
        }
        "event" => {
            let (bench, json) = (stamping(1, true), event_json(size(of)?));
            let event = bytes::Bytes::from([b"data: ", &json[..], b"\n\n"].concat());
            let mut events = bench.events();
            Some(Box::new(move || assert!(black_box(events.push(event.clone())) > 0)))
        }
        _ => None,
    }
}

fn size(name: &str) -> Option<usize> {
    Some(match name {
        "300" => 300,
        "4k" => 4 << 10,
        "64k" => 64 << 10,
        "1m" => 1 << 20,
        _ => return None,
    })
}

fn called(front: &str) -> Option<Box<dyn FnMut()>> {
    let (reply, body) = (Reply::of_size(300, Content::Text), request(300));
    let front = match front {
        "bare" => {
            let agent = agents::agent(reply);
            return Some(Box::new(move || assert!(black_box(call(&agent, &body, None)) > 0)));
        }
        "NothingInstalled" => Front::NothingInstalled,
        "Stamping" => Front::Stamping,
        "PassingGate" => Front::PassingGate,
        "OnRequest" => Front::OnRequest,
        _ => return None,
    };
    let agent = agents::layered(front, reply);
    Some(Box::new(move || assert!(black_box(call(&agent, &body, None)) > 0)))
}
