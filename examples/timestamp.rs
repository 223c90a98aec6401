//! A third party's extension, whole: it writes the time into every message and artifact.
//! The key it writes is not its URI. Run it: `cargo run --example timestamp`.

use std::borrow::Cow;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tower::ServiceExt;
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, BoxError, ExtensionUri, MessageGate, OutgoingObject, Stamp,
};

const URI: &str = "https://github.com/a2aproject/a2a-samples/extensions/timestamp/v1";
const KEY: &str = "github.com/a2aproject/a2a-samples/extensions/timestamp/v1/timestamp";

struct Timestamp;

impl A2aExtension for Timestamp {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(URI)
    }

    fn metadata_keys(&self) -> Vec<Cow<'static, str>> {
        vec![KEY.into()]
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _call: &A2aCall) -> Stamp {
        match OffsetDateTime::now_utc().format(&Rfc3339) {
            Ok(now) if object.is_active() => Stamp::set(now),
            _ => Stamp::remove(),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let card = json!({"name": "Clock", "capabilities": {"extensions": [{"uri": URI}]}, "skills": []});
    let reply = json!({"message": {"messageId": "1", "role": "ROLE_AGENT", "parts": [{"text": "tick"}]}});
    let agent = Router::new().route("/message:send", post(Json(reply)));
    let agent = agent.layer(A2aExtensionsLayer::builder(card).extension(Timestamp).build()?);
    for asked in [URI, "https://example.com/something-else"] {
        let request = Request::post("/message:send").header("A2A-Version", "1.0").header("A2A-Extensions", asked);
        let ask = Body::from(r#"{"message": {"messageId": "0", "role": "ROLE_USER", "parts": [{"text": "?"}]}}"#);
        let reply = to_bytes(agent.clone().oneshot(request.body(ask)?).await?.into_body(), 4096).await?;
        let reply = String::from_utf8_lossy(&reply);
        println!("{reply}");
        assert_eq!(reply.contains(KEY), asked == URI);
    }
    Ok(())
}
