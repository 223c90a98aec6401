//! Replies of seven real servers, byte for byte as they were on the wire.

use std::fs;
use std::path::Path;

use crate::support::{MOOD, Seen, asking, call, moody, response, send_to};

/// How often the URI stands in some bytes: twice for each stamp, as a key and in `extensions`.
fn stamps(bytes: &[u8]) -> usize {
    let named = bytes.windows(MOOD.len()).filter(|window| *window == MOOD.as_bytes()).count();
    assert_eq!(named % 2, 0);
    named / 2
}

fn method(file: &str) -> &'static str {
    match file {
        _ if file.starts_with("grpc-stream") => "SendStreamingMessage",
        _ if file.starts_with("grpc-subscribe") => "SubscribeToTask",
        _ if file.starts_with("grpc-get-task") => "GetTask",
        _ if file.starts_with("grpc-cancel-task") => "CancelTask",
        _ if file.starts_with("grpc-list-tasks") => "ListTasks",
        _ => "SendMessage",
    }
}

#[tokio::test]
async fn captured_replies_are_stamped_where_active_and_untouched_where_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/grpc_wire/captured");
    let mut table = String::new();
    let mut servers = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    servers.sort();
    for server in servers {
        let mut files = fs::read_dir(&server).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
        files.sort();
        for file in files {
            let body = fs::read(&file).unwrap();
            let name = file.file_name().unwrap().to_str().unwrap().strip_suffix(".resp.body").unwrap();
            let path = format!("/lf.a2a.v1.A2AService/{}", method(name));
            let send = async |uri: &str, body: Vec<u8>| {
                let request = call(&path, &[("a2a-extensions", uri)], asking("hi"));
                send_to(&moody(), request, &Seen::default(), move || response([body.clone()])).await.body
            };
            assert_eq!(send("", body.clone()).await, body, "{name}");
            let stamped = send(MOOD, body).await;
            table += &format!("{} {name} {}\n", server.file_name().unwrap().to_str().unwrap(), stamps(&stamped));
            assert_eq!(send(MOOD, stamped.clone()).await, stamped, "{name}: a second pass");
        }
    }
    assert_eq!(table, include_str!("stamps.txt"));
}
