//! What the feature `tracing` writes, and that no word of a message is in it.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::{Router, routing::post};
use http::Request;
use serde_json::json;
use tower::ServiceExt;
use tower_a2a_extensions::on_request::Reason;
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, CallFacts, ExtensionUri, ExtensionsEvent, ExtensionsObserver,
    MessageGate, OnRequestGuard, OutgoingObject, Stamp, TracingObserver,
};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Everything that is logged while `work` runs.
fn logged(work: impl Future<Output = ()>) -> String {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_ansi(false).with_max_level(tracing_subscriber::filter::LevelFilter::TRACE);
    let subscriber = subscriber.with_writer(move || writer.clone()).finish();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tracing::subscriber::with_default(subscriber, || runtime.block_on(work));
    let bytes = log.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

/// Fails at every request.
struct Panicking;

impl Panicking {
    const URI: &str = "https://example.com/panicking/v1";
}

impl A2aExtension for Panicking {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(Self::URI)
    }

    fn begin(&self, _: &CallFacts<'_>, _: &A2aCall) {
        panic!("at once")
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        Stamp::keep()
    }
}

fn layer() -> A2aExtensionsLayer {
    let card = json!({
        "name": "Clinic",
        "supportedInterfaces": [{"url": "https://clinic.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {"extensions": [{
            "uri": "https://agent-capability.org/ext/on-request/v1",
            "params": {"skills": [{"id": "fees", "personEntry": "https://clinic.example/ask", "assistantAccess": true}]},
        }]},
        "skills": [{"id": "fees", "name": "Fees", "examples": ["What are the fees?"]}],
    });
    A2aExtensionsLayer::builder(card).observer(TracingObserver::new()).build().unwrap()
}

async fn send(app: Router, body: &str) {
    let request = Request::post("/a2a").header("a2a-version", "1.0").body(Body::from(body.to_owned())).unwrap();
    app.oneshot(request).await.unwrap();
}

#[test]
fn f7_decisions_refusals_and_findings_are_logged_without_a_word_of_a_message() {
    let question = json!({"jsonrpc": "2.0", "id": "secret-id", "method": "SendMessage", "params": {"message": {
        "messageId": "secret-message", "parts": [{"text": "What are the fees?"}],
        "metadata": {"https://agent-capability.org/ext/on-request/v1": {"actingFor": "secret-person"}},
    }}});
    let log = logged(async {
        let app = Router::new().route("/a2a", post(async || "{}")).layer(layer());
        send(app.clone(), &question.to_string()).await;
        send(app, "{\"secret-key\": nonsense").await;
    });
    for expected in
        ["OR-3.6", "extensions negotiated", "call decided", "kind-unstated", "fees", "request refused", "invalid-json"]
    {
        assert!(log.contains(expected), "{expected}:\n{log}");
    }
    assert!(!log.contains("secret") && !log.contains("What are"), "{log}");
    let level = |words: &str| log.lines().find(|line| line.contains(words)).unwrap().split_whitespace().nth(1).unwrap();
    let levels = ["OR-3.6", "extensions negotiated", "call decided", "request refused"].map(level);
    assert_eq!(levels, ["WARN", "DEBUG", "WARN", "INFO"], "a skill without a kind is the operator's to see to");
}

#[test]
fn a_finding_is_logged_at_the_level_of_its_severity() {
    let card = json!({
        "supportedInterfaces": [{"url": "https://clinic.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "capabilities": {"extensions": [{"uri": "https://example.com/nobodys/v1"}]},
    });
    let log = logged(async {
        let builder = A2aExtensionsLayer::builder(card).mounted_at("/elsewhere").observer(TracingObserver::new());
        assert_eq!(builder.build().unwrap().findings().iter().count(), 2);
    });
    let level = |words: &str| log.lines().find(|line| line.contains(words)).unwrap().split_whitespace().nth(1).unwrap();
    assert_eq!(["nobodys", "/elsewhere"].map(level), ["INFO", "WARN"], "{log}");
}

#[test]
fn each_reason_is_logged_at_the_level_of_what_it_says() {
    let uri = ExtensionUri::from_static("https://agent-capability.org/ext/on-request/v1");
    let level = |event: ExtensionsEvent<'_>| {
        let log = logged(async { TracingObserver::new().observe(&event) });
        log.split_whitespace().nth(1).unwrap().to_owned()
    };
    for reason in [Reason::PolicyRefused, Reason::NotOpened, Reason::Given] {
        assert_eq!(level(ExtensionsEvent::decided(&uri, "fees", reason.as_str())), "INFO", "{reason:?}");
    }
    for reason in [Reason::PolicyPanicked, Reason::NoTimer, Reason::UnknownSkill] {
        assert_eq!(level(ExtensionsEvent::decided_by_fault(&uri, "fees", reason.as_str())), "WARN", "{reason:?}");
    }
}

#[test]
fn a_refusal_because_the_layer_failed_is_a_warning() {
    let question = r#"{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": {"messageId": "m", "parts": []}}}"#;
    let log = logged(async {
        let layer = A2aExtensionsLayer::builder(json!({"capabilities": {"extensions": [{"uri": Panicking::URI}]}}));
        let layer = layer.extension(Panicking).observer(TracingObserver::new()).build().unwrap();
        send(Router::new().route("/a2a", post(async || "{}")).layer(layer), question).await;
    });
    assert!(log.lines().any(|line| line.contains("WARN") && line.contains("internal")), "{log}");
}

#[test]
fn a_guard_without_the_layer_is_named_in_the_log() {
    let log = logged(async {
        let handler = post(async |_: OnRequestGuard| "given");
        let app = Router::new().route("/before", post(async || "")).layer(layer()).route("/a2a", handler);
        send(app, "{}").await;
    });
    assert!(log.contains("ERROR") && log.contains("OnRequestGuard"), "{log}");
}
