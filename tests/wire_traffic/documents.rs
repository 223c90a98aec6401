//! Every captured reply: inactive it leaves as it is, active it gets exactly its stamps.

use std::collections::BTreeSet;
use std::fs;

use crate::support::{Captured, URI, chunks, head, read, wire};
use crate::table::{ACTIVATED, CASES, NONE, SERVERS};

/// All replies of the table, with the number of stamps.
fn replies() -> Vec<(Captured, usize)> {
    let mut replies = Vec::new();
    for (case, counts) in CASES {
        for (server, count) in SERVERS.iter().zip(counts).filter(|(_, count)| **count != NONE) {
            replies.push((Captured::reply(server, case), *count));
        }
    }
    replies.extend(ACTIVATED.iter().map(|(case, count)| (Captured::reply("js-a2a-sdk-activated", case), *count)));
    replies
}

/// Whether the text is the original and what stamps write, each where the original goes on otherwise:
/// whole members where there were none, else entries of a list.
fn is_original_with_stamps(original: &str, text: &str) -> bool {
    let (listed, entry) = (format!("\"extensions\":[\"{URI}\"]"), format!("\"{URI}\":\"calm\""));
    let metadata = format!("\"metadata\":{{{entry}}}");
    let additions = [format!("{listed},{metadata}"), listed, metadata, entry, format!("\"{URI}\"")];
    let additions =
        additions.iter().flat_map(|addition| [format!(",{addition}"), addition.clone()]).collect::<Vec<_>>();
    let (mut original, mut text) = (original, text);
    while !text.is_empty() {
        let was_there = |addition: &str| {
            let shell = addition.split(&format!("\"{URI}")).next().unwrap();
            !shell.is_empty() && original.starts_with(shell)
        };
        let addition = additions.iter().find(|addition| text.starts_with(*addition) && !was_there(addition));
        if let Some(addition) = addition {
            text = &text[addition.len()..];
        } else if let Some(byte) = text.chars().next().filter(|byte| original.starts_with(*byte)) {
            (original, text) = (&original[byte.len_utf8()..], &text[byte.len_utf8()..]);
        } else {
            return false;
        }
    }
    original.is_empty()
}

fn stamps(text: &str) -> usize {
    let (values, lists) = (format!("\"{URI}\":\"calm\""), format!("\"{URI}\"]"));
    assert_eq!(text.matches(&values).count(), text.matches(&lists).count(), "{text}");
    text.matches(&values).count()
}

/// The lines of a stream that are not data, in order, with their line ends; and how many are data.
fn framing(stream: &str) -> (Vec<&str>, usize) {
    let (data, other): (Vec<_>, Vec<_>) = stream.split_inclusive('\n').partition(|line| line.starts_with("data:"));
    (other, data.len())
}

fn assert_stamped(original: &Captured, stamped: &str, count: usize) {
    let name = &original.name;
    assert_eq!(stamps(stamped), count, "{name}: {stamped}");
    assert!(is_original_with_stamps(&original.body(), stamped), "{name}: {stamped}");
    if original.is_stream() {
        assert_eq!(framing(stamped), framing(&original.body()), "{name}");
    }
}

#[tokio::test]
async fn inactive_every_reply_leaves_byte_for_byte() {
    for (captured, _) in replies() {
        let (out, echo) = captured.through_layer(false).await;
        assert_eq!(out, captured.body(), "{}", captured.name);
        assert_eq!(echo, None, "{}", captured.name);
    }
}

#[tokio::test]
async fn active_every_reply_gets_exactly_its_stamps_and_keeps_its_framing() {
    let mut stamped_files = 0;
    for (captured, count) in replies() {
        let (out, echo) = captured.through_layer(true).await;
        assert_eq!(echo.as_deref(), Some(URI), "{}", captured.name);
        assert_stamped(&captured, &out, count);
        stamped_files += usize::from(count > 0);
    }
    assert_eq!(stamped_files, STAMPED_FILES);
}

/// How many entries of the table are no zero.
const STAMPED_FILES: usize = 188;

#[tokio::test]
async fn streams_in_their_own_chunks_leave_alike() {
    let mut seen = 0;
    for (whole, count) in replies() {
        let raw = wire().join(format!("{}.resp.rawbody", whole.name));
        let Ok(raw) = fs::read(raw) else { continue };
        let chunked = Captured { chunks: chunks(&raw), ..whole.clone() };
        assert_eq!(chunked.body(), whole.body(), "{}", whole.name);
        assert_eq!(chunked.through_layer(false).await.0, whole.body(), "{}", whole.name);
        assert_stamped(&whole, &chunked.through_layer(true).await.0, count);
        seen += 1;
    }
    assert!(seen >= 60, "{seen} replies are chunked");
}

#[tokio::test]
async fn b11_keep_alive_comments_of_a_silent_task_stay_where_they_are() {
    let mut comments = 0;
    for server in SERVERS.iter().filter(|server| **server != "a2a-rust-0.1") {
        let name = format!("{server}/jsonrpc-stream-keepalive");
        let raw = read(&format!("{name}.resp.raw"));
        let end = raw.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        let (status, content_type) = head(&raw[..end]);
        let captured = Captured { name, status, content_type, chunks: chunks(&raw[end..]) };
        assert!(captured.is_stream(), "{server}");
        assert_eq!(captured.through_layer(false).await.0, captured.body(), "{server}");
        assert_stamped(&captured, &captured.through_layer(true).await.0, 1);
        comments += framing(&captured.body()).0.iter().filter(|line| line.starts_with(':')).count();
    }
    assert!(comments > 4, "{comments} comments");
}

#[test]
fn every_captured_reply_is_in_the_table() {
    for server in SERVERS.iter().chain(&["js-a2a-sdk-activated"]) {
        let files = fs::read_dir(wire().join(server)).unwrap().map(|entry| entry.unwrap().file_name());
        let files = files.map(|file| file.into_string().unwrap());
        let on_disk = files.filter_map(|file| file.strip_suffix(".resp.body").map(str::to_owned));
        let column = SERVERS.iter().position(|one| one == server);
        let known = CASES.iter().filter(|(case, counts)| match column {
            Some(column) => counts[column] != NONE,
            None => ACTIVATED.iter().any(|(activated, _)| activated == case),
        });
        let known = known.map(|(case, _)| (*case).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(on_disk.collect::<BTreeSet<_>>(), known, "{server}");
    }
}
