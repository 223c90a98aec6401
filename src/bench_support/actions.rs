//! An action, from the guard to its start.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use serde_json::json;
use tokio::runtime::Runtime;

use crate::binding::{IncomingMessage, Operation, ReplyTarget, RequestReading, RequestedVersion};
use crate::call::{A2aCall, CallFacts, CallSetup};
use crate::card::AgentCard;
use crate::error::BoxError;
use crate::extension::A2aExtension;
use crate::findings::Findings;
use crate::negotiation::{Activation, DeclaredUri, DeclaredUris};
use crate::on_request::actions::store::{ActionLimit, MemoryStore};
use crate::on_request::actions::{ActionPermit, ActionTerms, Actions, Attestation, StaffNotice};
use crate::on_request::{Caller, ON_REQUEST_URI, OnRequest, OnRequestGuard};

/// Calls that each ask for another action, with everything at hand: nothing has to be waited for.
pub struct ActionBench {
    runtime: Runtime,
    guards: Vec<OnRequestGuard>,
    started: Vec<ActionPermit>,
}

impl ActionBench {
    #[must_use]
    #[expect(clippy::expect_used, reason = "a bench whose set-up fails measures nothing")]
    pub fn new(calls: u32) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let on_request = Arc::new(on_request());
        let guards = (0..calls).filter_map(|number| OnRequestGuard::of(&call(&on_request, number))).collect();
        Self { runtime, guards, started: Vec::new() }
    }

    /// Whether the next one could be started.
    pub fn perform(&mut self) -> bool {
        let Some(guard) = self.guards.pop() else { return false };
        let _entered = self.runtime.enter();
        let performing = pin!(guard.perform("booking"));
        match performing.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(permit)) => {
                self.started.push(permit);
                true
            }
            Poll::Ready(Err(_)) | Poll::Pending => false,
        }
    }
}

impl fmt::Debug for ActionBench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionBench").field("left", &self.guards.len()).finish_non_exhaustive()
    }
}

#[expect(clippy::expect_used, reason = "a bench whose set-up fails measures nothing")]
fn on_request() -> OnRequest {
    let entry = json!({
        "id": "booking", "personEntry": "https://ask.example.com", "assistantAccess": true, "completion": "in-conversation",
    });
    let card = AgentCard::from_serialize(json!({
        "skills": [{"id": "booking", "name": "Book"}],
        "capabilities": {"extensions": [{"uri": ON_REQUEST_URI.as_str(), "params": {"skills": [entry]}}]},
    }));
    let card = card.expect("a good card");
    let limit = ActionLimit::new(1_000_000, Duration::from_secs(60));
    let until = SystemTime::now() + Duration::from_secs(86_400);
    let actions = Actions::new("bench", "example.com", MemoryStore::new())
        .attestation(Attestation::new("example.com", 2, until))
        .staff(|_: StaffNotice| std::future::ready(Ok::<_, BoxError>(())));
    let terms = ActionTerms::new("booking").reversible("undo it").staff("Mair Evans").limits(limit, limit);
    let mut on_request = OnRequest::new().caller(Caller::assistant("assistant-7")).actions(actions).action(terms);
    let declared = card.extensions().next().expect("it is declared");
    on_request.bind(&card, &declared, &mut Findings::default());
    on_request
}

#[expect(clippy::expect_used, reason = "a bench whose set-up fails measures nothing")]
fn call(on_request: &Arc<OnRequest>, number: u32) -> A2aCall {
    let declared = DeclaredUris::new(vec![DeclaredUri { spellings: vec![ON_REQUEST_URI], required: false }]);
    let setup = CallSetup { declared, extensions: vec![on_request.clone()], ..CallSetup::default() };
    let call = A2aCall::new(Arc::new(setup), Activation::default());
    on_request.begin(&CallFacts::of_request(&http::Request::new(())), &call);
    let message = json!({
        "messageId": format!("m-{number}"), "contextId": "c-1", "role": "ROLE_USER",
        "parts": [{"text": "Please book a meeting on Tuesday morning."}],
        "metadata": {ON_REQUEST_URI.as_str(): {"actingFor": "a reference"}},
    });
    call.set_reading(RequestReading {
        target: ReplyTarget::unread(),
        operation: Some(Operation::SendMessage),
        message: Some(IncomingMessage::from_value(&message, None).expect("a good message")),
        requested_version: RequestedVersion::default(),
        is_json_rpc: true,
    });
    call
}
