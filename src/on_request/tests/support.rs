//! A small agent's card, and calls to it without a server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::binding::{
    Binding, IncomingMessage, Operation, ProtocolVersion, ReplyTarget, RequestReading, RequestedVersion,
};
use crate::call::{A2aCall, CallFacts, CallSetup};
use crate::card::AgentCard;
use crate::extension::{A2aExtension, Gate, MessageGate};
use crate::findings::Findings;
use crate::negotiation::{Activation, DeclaredUri, DeclaredUris};
use crate::observer::{ExtensionsEvent, ExtensionsObserver};
use crate::on_request::{ON_REQUEST_URI, OnRequest};

pub(super) const ENTRY: &str = "https://ask.example.com/talk";
pub(super) const URI: &str = "https://agent-capability.org/ext/on-request/v1";

/// A card with a skill of every kind.
pub(super) fn card() -> AgentCard {
    let skill = |id: &str, name: &str, example: &str| json!({"id": id, "name": name, "examples": [example]});
    let mut portal = skill("portal", "Portal", "Has my file arrived?");
    portal["securityRequirements"] = json!([{"schemes": {"portal": {"list": []}}}]);
    AgentCard::from_serialize(json!({
        "name": "Clerk",
        "provider": {"organization": "Example Chapel", "url": "https://example.com"},
        "skills": [
            skill("hours", "Hours", "When are you open?"),
            skill("closed", "Closed prices", "What does it cost?"),
            skill("open", "Open prices", "What does the open one cost?"),
            skill("unstated", "Unstated", "What is unstated?"),
            skill("booking", "Booking", "Book it for me."),
            skill("closed-booking", "Closed booking", "Book the closed one."),
            skill("later", "Later", "Do it later."),
            portal,
        ],
        "capabilities": {"extensions": [{"uri": URI, "params": {"skills": [
            {"id": "closed", "personEntry": ENTRY},
            {"id": "open", "personEntry": "https://ask.example.com/open", "assistantAccess": true},
            {"id": "unstated", "personEntry": ENTRY, "assistantAccess": true},
            {"id": "booking", "personEntry": ENTRY, "assistantAccess": true, "completion": "in-conversation"},
            {"id": "closed-booking", "personEntry": ENTRY, "completion": "in-conversation"},
            {"id": "later", "personEntry": ENTRY, "assistantAccess": true, "completion": "deferred"},
        ]}}]},
    }))
    .unwrap()
}

/// The configuration that opens what the card opens.
pub(super) fn opened() -> OnRequest {
    OnRequest::new().information("open")
}

pub(super) fn message(text: &str) -> Value {
    json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": text}]})
}

/// A message of an assistant that says it acts for somebody.
pub(super) fn assistants_message(text: &str) -> Value {
    let mut message = message(text);
    message["metadata"] = json!({URI: {"actingFor": "a reference"}});
    message
}

#[derive(Default)]
pub(super) struct Observed(Mutex<Vec<String>>);

impl Observed {
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl ExtensionsObserver for Observed {
    fn observe(&self, event: &ExtensionsEvent<'_>) {
        let line = match event {
            ExtensionsEvent::Decided { subject, reason, .. } => format!("{subject}: {reason}"),
            ExtensionsEvent::Noticed { what, .. } => format!("noticed: {what}"),
            other => format!("{other:?}"),
        };
        self.0.lock().unwrap().push(line);
    }
}

/// One call under a layer with On Request.
pub(super) struct TestCall {
    pub(super) on_request: Arc<OnRequest>,
    pub(super) call: A2aCall,
    pub(super) observed: Arc<Observed>,
}

pub(super) struct TestCallBuilder {
    on_request: OnRequest,
    message: Option<IncomingMessage>,
    timeout: Option<Duration>,
    strict: bool,
    nobodys: bool,
    target: ReplyTarget,
    request: http::Request<()>,
}

pub(super) fn call(on_request: OnRequest) -> TestCallBuilder {
    TestCallBuilder {
        on_request,
        message: None,
        timeout: None,
        strict: false,
        nobodys: false,
        target: ReplyTarget::unread(),
        request: http::Request::new(()),
    }
}

impl TestCallBuilder {
    pub(super) fn message(self, message: &Value) -> Self {
        self.message_with(message, None)
    }

    pub(super) fn message_with(mut self, message: &Value, request_metadata: Option<&Value>) -> Self {
        self.message = Some(IncomingMessage::from_value(message, request_metadata).unwrap());
        self
    }

    pub(super) fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    pub(super) fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// The call of a payload, which nobody asked for.
    pub(super) fn nobodys(mut self) -> Self {
        self.nobodys = true;
        self
    }

    pub(super) fn spoken(mut self, binding: Binding, version: ProtocolVersion) -> Self {
        self.target.binding = binding;
        self.target.version = version;
        self
    }

    pub(super) fn request(mut self, request: http::Request<()>) -> Self {
        self.request = request;
        self
    }

    pub(super) fn build(mut self) -> TestCall {
        let card = card();
        let mut findings = Findings::default();
        let declared = card.extensions().next().unwrap();
        self.on_request.bind(&card, &declared, &mut findings);
        assert!(!findings.has_errors(), "{findings}");

        let on_request = Arc::new(self.on_request);
        let observed = Arc::new(Observed::default());
        let setup = CallSetup {
            declared: DeclaredUris::new(vec![DeclaredUri { spellings: vec![ON_REQUEST_URI], required: false }]),
            extensions: vec![on_request.clone()],
            observer: Some(observed.clone()),
            decision_timeout: self.timeout.unwrap_or(CallSetup::default().decision_timeout),
            strict: self.strict,
        };
        let make = if self.nobodys { A2aCall::nobodys } else { A2aCall::new };
        let call = make(Arc::new(setup), Activation::default());
        on_request.begin(&CallFacts::of_request(&self.request), &call);
        call.set_reading(RequestReading {
            target: self.target,
            operation: Some(Operation::SendMessage),
            message: self.message,
            requested_version: RequestedVersion::default(),
            is_json_rpc: true,
        });
        TestCall { on_request, call, observed }
    }
}

impl TestCall {
    pub(super) async fn gate(&self) -> Gate {
        self.on_request.decide(self.call.message().unwrap(), &self.call).await
    }

    /// The referral that the gate answers with: status, skill and text.
    pub(super) async fn referral(&self) -> Option<(String, String, String)> {
        match self.gate().await {
            Gate::Pass => None,
            Gate::Answer(answer) => {
                let message = answer.to_message(&self.call);
                let mark = &message["metadata"][URI];
                let said = message["parts"][0]["text"].as_str().unwrap();
                let text = |name: &str| mark[name].as_str().unwrap().to_owned();
                assert!(said.contains(&text("personEntry")), "{answer:?}");
                Some((text("status"), text("skillId"), said.to_owned()))
            }
            Gate::Refuse(error) => panic!("{error}"),
        }
    }
}
