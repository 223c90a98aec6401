//! The documents of an event stream.

use serde_json::Value;

/// The JSON document of each event of a streamed reply, in order.
///
/// Comments, and fields other than `data`, are left out. `body` is a whole `text/event-stream`, such
/// as [`respond`](super::respond) gives it; with JSON-RPC each document is a whole response.
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::testing;
///
/// let body = b": hello\n\ndata: {\"message\": {\"parts\": []}}\n\nid: 2\ndata: {\"task\":\ndata: {\"id\": \"t-1\"}}\n\n";
/// assert_eq!(testing::events(body), [json!({"message": {"parts": []}}), json!({"task": {"id": "t-1"}})]);
/// ```
///
/// # Panics
///
/// Where the body is no UTF-8, an event's data is no JSON, or the last event is not ended by an
/// empty line: a client would not get it.
#[must_use]
#[track_caller]
pub fn events(body: &[u8]) -> Vec<Value> {
    let text = match std::str::from_utf8(body) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => panic!("the stream is no UTF-8: {error}"),
    };
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines = text.split('\n').collect::<Vec<_>>();
    // Behind the last line feed stands no line, or one that broke off.
    let rest = lines.pop().unwrap_or_default();
    let (mut documents, mut data) = (Vec::new(), None::<String>);
    for line in lines {
        if let Some(value) = data_of(line) {
            data = Some(data.map_or_else(|| value.to_owned(), |before| format!("{before}\n{value}")));
        } else if line.is_empty()
            && let Some(data) = data.take()
        {
            documents.push(document(&data));
        }
    }
    assert!(
        rest.is_empty() && data.is_none(),
        "the stream breaks off inside an event: {}{rest}",
        data.unwrap_or_default()
    );
    documents
}

/// The value of a `data` field.
fn data_of(line: &str) -> Option<&str> {
    let value = line.strip_prefix("data")?;
    match value.strip_prefix(':') {
        Some(value) => Some(value.strip_prefix(' ').unwrap_or(value)),
        None => value.is_empty().then_some(""),
    }
}

#[track_caller]
fn document(data: &str) -> Value {
    match serde_json::from_str(data) {
        Ok(document) => document,
        Err(error) => panic!("an event's data is no JSON ({error}): {data}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_end_of_line_ends_one() {
        for end in ["\n", "\r\n", "\r"] {
            let body =
                ["\u{feff}event: x", "data: {\"a\":", "data:1}", "", ": ping", "", "data: 2", "database: 3", "", ""];
            assert_eq!(events(body.join(end).as_bytes()), [json!({"a": 1}), json!(2)], "{end:?}");
        }
    }

    #[test]
    fn an_empty_stream_has_no_events() {
        for body in ["", "\n\n", ": ping\n\n", "retry: 5\nid: 1\n\n"] {
            assert!(events(body.as_bytes()).is_empty(), "{body:?}");
        }
    }

    #[test]
    fn what_a_client_would_not_get_fails_the_test() {
        let bodies: [&[u8]; 6] =
            [b"data: 1", b"data: 1\n", b"data: 1\n\ndata: 2\n", b"data\n\n", b"data: {\n\n", b"data: \"\xff\"\n\n"];
        for body in bodies {
            assert!(std::panic::catch_unwind(|| events(body)).is_err(), "{}", body.escape_ascii());
        }
    }
}
