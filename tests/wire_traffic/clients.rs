//! Requests of the official Python and JavaScript clients, with On Request installed.

use std::convert::Infallible;
use std::fs;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use serde_json::json;
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::{A2aCall, A2aExtensionsLayer, A2aRequestBody, Binding, ProtocolVersion};

use crate::support::wire;

const ON_REQUEST: &str = "https://agent-capability.org/ext/on-request/v1";
/// What the captured clients ask for.
const ASKED: &str = "https://agent.example.com/ext/v1";

fn layer() -> A2aExtensionsLayer {
    let interface = |path, binding| json!({"url": format!("https://agent.example.com{path}"), "protocolBinding": binding, "protocolVersion": "1.0"});
    A2aExtensionsLayer::new(json!({
        "name": "Clerk",
        "provider": {"organization": "Clerk", "url": "https://example.com"},
        "supportedInterfaces": [interface("/rpc", "JSONRPC"), interface("/rest", "HTTP+JSON")],
        "capabilities": {"streaming": true, "extensions": [
            {"uri": ASKED},
            {"uri": ON_REQUEST, "params": {"skills": [{"id": "pricing", "personEntry": "https://ask.example.com/talk"}]}},
        ]},
        "skills": [{"id": "pricing", "name": "Costs", "description": "On request.", "tags": [], "examples": ["What does it cost?"]}],
    }))
    .unwrap()
}

/// A request that a client sent.
struct Sent {
    name: String,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

fn sent(client: &str) -> Vec<Sent> {
    let folder = wire().join("clients").join(client);
    let mut names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names =
        names.by_ref().filter_map(|name| Some(name.strip_suffix(".req.headers")?.to_owned())).collect::<Vec<_>>();
    names.sort();
    let read = |name: String| {
        let head = fs::read_to_string(folder.join(format!("{name}.req.headers"))).unwrap();
        let mut lines = head.split("\r\n").filter(|line| !line.is_empty());
        let mut line = lines.next().unwrap().split(' ');
        let header = |line: &str| {
            let (header, value) = line.split_once(':').unwrap();
            (header.parse::<http::HeaderName>().unwrap(), value.trim().parse().unwrap())
        };
        Sent {
            method: line.next().unwrap().parse().unwrap(),
            uri: line.next().unwrap().parse().unwrap(),
            headers: lines.map(header).collect(),
            body: fs::read(folder.join(format!("{name}.req.body"))).unwrap().into(),
            name,
        }
    };
    names.into_iter().map(read).collect()
}

/// What the agent sees of a request.
type Seen = (Method, Uri, HeaderMap, Bytes, A2aCall);

async fn through_layer(sent: &Sent) -> (Response<Bytes>, Option<Seen>) {
    let seen = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&seen);
    let agent = tower::service_fn(move |request: Request<A2aRequestBody<Full<Bytes>>>| {
        let keep = Arc::clone(&keep);
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            let call = A2aCall::of(&parts.extensions).unwrap().clone();
            *keep.lock().unwrap() = Some((parts.method, parts.uri, parts.headers, body, call));
            let reply = Response::builder().status(202).header("content-type", "application/json");
            Ok::<_, Infallible>(reply.body(Full::new(Bytes::from("{}"))).unwrap())
        }
    });
    let mut request = Request::new(Full::new(sent.body.clone()));
    *request.method_mut() = sent.method.clone();
    *request.uri_mut() = sent.uri.clone();
    *request.headers_mut() = sent.headers.clone();
    let (parts, body) = layer().layer(agent).oneshot(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let seen = seen.lock().unwrap().take();
    (Response::from_parts(parts, body), seen)
}

#[tokio::test]
async fn every_request_of_the_official_clients_reaches_the_agent_as_it_was_sent() {
    for (client, count) in [("js-client", 24), ("python-client", 22)] {
        let requests = sent(client);
        assert_eq!(requests.len(), count, "{client}");
        for sent in requests {
            let name = format!("{client}/{}", sent.name);
            let (reply, seen) = through_layer(&sent).await;
            let (method, uri, headers, body, call) = seen.unwrap_or_else(|| panic!("{name} was refused: {reply:?}"));
            assert_eq!((reply.status().as_u16(), &method, &uri), (202, &sent.method, &sent.uri), "{name}");
            assert_eq!(body, sent.body, "{name}");
            // The header asks for one that the card declares, so it stays.
            for header in ["a2a-version", "a2a-extensions", "content-type", "content-length", "accept"] {
                assert_eq!(headers.get(header), sent.headers.get(header), "{name}: {header}");
            }
            let asked = sent.headers.get("a2a-extensions").is_some_and(|value| value == ASKED);
            assert_eq!(call.activated().contains(ASKED), asked, "{name}");
            assert_eq!(reply.headers().contains_key("a2a-extensions"), asked, "{name}");
        }
    }
}

#[tokio::test]
async fn the_messages_in_them_are_found_in_their_binding() {
    let mut found = (0, 0);
    for client in ["js-client", "python-client"] {
        for sent in sent(client) {
            let is_send = sent.uri.path().contains("/message:") || {
                let body = String::from_utf8_lossy(&sent.body);
                body.contains("\"SendMessage\"") || body.contains("\"SendStreamingMessage\"")
            };
            let (_, seen) = through_layer(&sent).await;
            let call = seen.unwrap().4;
            assert_eq!(call.message().is_some(), is_send, "{client}/{}", sent.name);
            if is_send {
                assert_eq!(call.protocol_version(), Some(ProtocolVersion::V1_0), "{client}/{}", sent.name);
                match call.binding() {
                    Some(Binding::JsonRpc) => found.0 += 1,
                    Some(Binding::HttpJson) => found.1 += 1,
                    other => panic!("{client}/{}: {other:?}", sent.name),
                }
            }
        }
    }
    assert!(found.0 >= 8 && found.1 >= 8, "{found:?}");
}
