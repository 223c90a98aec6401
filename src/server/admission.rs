//! What happens to a request before the agent sees it. Plain functions; nothing here polls.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE,
    IF_UNMODIFIED_SINCE, RANGE,
};
use http::{Method, Response, request};

use super::config::LayerConfig;
use super::media_type::{essence, is_json};
use super::upgrade::{UpgradeOffer, settle_upgrade};
use crate::binding::{
    IncomingMessage, RequestHead, RequestReading, RequestRefusal, check_encoding, error_response, is_grpc_path,
    read_bodyless, read_request,
};
use crate::call::{A2aCall, CALL_KEY, CallFacts};
use crate::error::{A2aError, A2aErrorKind};
use crate::negotiation::{
    Activation, HeaderSpelling, request_header_names, requested_lines, requested_members, rewrite_request_headers,
    unchecked_members,
};
use crate::observer::ExtensionsEvent;
use crate::shield::shielded;
use crate::uri::ExtensionUri;

/// Headers by which an agent would answer with bytes that cannot be read.
static UNREADABLE: [HeaderName; 4] =
    [ACCEPT_ENCODING, RANGE, IF_RANGE, HeaderName::from_static("grpc-accept-encoding")];

/// Headers about the state of what is asked for. Of a stamped reply the agent knows no state.
static CONDITIONAL: [HeaderName; 4] = [IF_MATCH, IF_NONE_MATCH, IF_MODIFIED_SINCE, IF_UNMODIFIED_SINCE];

/// One request under the layer, with what is needed once its reply comes.
#[derive(Clone)]
pub(super) struct AdmittedCall {
    pub(super) config: Arc<LayerConfig>,
    pub(super) call: A2aCall,
    pub(super) spelling: HeaderSpelling,
    pub(super) method: Method,
    /// The call of another layer further out.
    outer: Option<A2aCall>,
    /// The body could be JSON-RPC, by method and content type.
    pub(super) may_be_rpc: bool,
    /// The path is one under which the card serves A2A.
    pub(super) is_served: bool,
    /// It is HEAD for what GET would read, so that its reply describes that.
    pub(super) describes_operation: bool,
    /// An extension panicked when it saw the request.
    failed: bool,
}

/// What comes next for a request of which only the head is known.
pub(super) enum HeadAdmission {
    /// Its body has to be looked at.
    ReadBody,
    /// The body does not matter.
    Settled(Admission),
}

/// What comes next for a request.
pub(super) enum Admission {
    /// It goes to the agent.
    Forward,
    /// The gates decide about its message.
    AskGates(IncomingMessage),
    /// It is answered without the agent.
    Refused(Response<Bytes>),
}

impl AdmittedCall {
    /// Reads the header of a request. `None` where the layer has nothing to do with it: it is left
    /// out by `only`, or the same layer has seen it already.
    pub(super) fn of(config: &Arc<LayerConfig>, parts: &request::Parts) -> Option<Self> {
        let outer = A2aCall::of(&parts.extensions);
        if outer.is_some_and(|call| call.is_of(&config.setup)) || !config.covers(parts) {
            return None;
        }
        // Another layer has left only its own URIs in the headers.
        let asked = outer.map_or_else(|| requested_lines(&parts.headers), |call| call.asked().clone());
        let facts = CallFacts::new(&parts.method, &parts.uri, &parts.headers, &parts.extensions);
        let mut activation = Activation::negotiate(&config.setup.declared, unchecked_members(&asked));
        for installed in &config.extensions {
            let index = installed.index;
            let optional = activation.is_requested(index) && !config.setup.declared.is_required(index);
            if optional && !shielded(|| installed.extension.activate(&facts)).unwrap_or(false) {
                activation.deny(index);
            }
        }
        let spelling = request_header_names(&asked);
        let call = A2aCall::asking(Arc::clone(&config.setup), activation, asked);
        let mut failed = false;
        for installed in &config.extensions {
            failed |= shielded(|| installed.extension.begin(&facts, &call)).is_err();
        }
        if let Some(outer) = outer {
            outer.set_inner(&call);
        }
        // Where nothing is managed nobody asks what the reply could be.
        let manages = config.stamper.manages_anything();
        let mut admitted = Self {
            failed,
            may_be_rpc: manages && parts.method == Method::POST && !names_another_type(&parts.headers),
            is_served: manages && config.service.serves(parts.uri.path()),
            describes_operation: false,
            config: Arc::clone(config),
            call,
            spelling,
            outer: outer.cloned(),
            method: parts.method.clone(),
        };
        if manages && parts.method == Method::HEAD {
            let head = RequestHead { method: &Method::GET, ..admitted.head(parts) };
            let operation = read_bodyless(head).operation;
            admitted.describes_operation = operation.map_or(admitted.is_served, |operation| !operation.is_card());
        }
        admitted.observe_negotiation();
        Some(admitted)
    }

    fn observe_negotiation(&self) {
        if self.config.setup.observer.is_none() {
            return;
        }
        let declared = &self.config.setup.declared;
        let known = |member: &&[u8]| std::str::from_utf8(member).is_ok_and(|uri| declared.index_of(uri).is_some());
        let ignored = requested_members(self.call.asked()).filter(|member| !known(member)).count();
        self.call.observe(&ExtensionsEvent::Negotiated { activated: self.call.active_uris().collect(), ignored });
    }

    /// Decides what the head alone can decide.
    pub(super) fn admit(&self, parts: &mut request::Parts, bodyless: bool) -> HeadAdmission {
        match self.refuse_by_head(parts) {
            Some(refused) => HeadAdmission::Settled(refused),
            None if is_grpc_path(&parts.uri) => self.admit_grpc(parts, bodyless),
            None if bodyless => HeadAdmission::Settled(self.admit_unread(parts)),
            None => self.admit_with_body(parts),
        }
    }

    /// What is refused whatever the body holds.
    fn refuse_by_head(&self, parts: &mut request::Parts) -> Option<Admission> {
        let refuse = |parts: &request::Parts, kind, why| Some(self.refuse_unread(parts, &A2aError::new(kind, why)));
        if self.failed {
            return refuse(parts, A2aErrorKind::Internal, "the request could not be handled");
        }
        let settles_upgrades = self.config.has_gate() && !self.config.options.allow_upgrades;
        if settles_upgrades && settle_upgrade(parts) == UpgradeOffer::Refused {
            return refuse(parts, A2aErrorKind::NotImplemented, "another protocol cannot be looked into");
        }
        None
    }

    fn admit_with_body(&self, parts: &request::Parts) -> HeadAdmission {
        if self.misses_required() {
            if let Some(refused) = self.required_by(&read_bodyless(self.head(parts))) {
                return HeadAdmission::Settled(refused);
            }
        } else if !self.config.has_gate() {
            self.read_path(parts);
            return HeadAdmission::Settled(Admission::Forward);
        }
        match check_encoding(&parts.headers) {
            Ok(()) => HeadAdmission::ReadBody,
            Err(error) => HeadAdmission::Settled(self.refuse_unread(parts, &error)),
        }
    }

    /// Keeps what the path alone says, where it names an operation: errors go out in its binding.
    fn read_path(&self, parts: &request::Parts) {
        if !self.config.stamper.manages_anything() {
            return;
        }
        let reading = read_bodyless(self.head(parts));
        if reading.operation.is_some() {
            self.call.set_reading(reading);
        }
    }

    /// Decides with a body that was read whole.
    pub(super) fn admit_body(&self, parts: &request::Parts, body: &Bytes) -> Admission {
        match read_request(self.head(parts), body, &self.config.managed_keys) {
            Ok(reading) => self.admit_reading(reading),
            Err(refusal) => {
                let RequestRefusal { target, error } = *refusal;
                Admission::Refused(self.refused(error_response(&target, &error), &error))
            }
        }
    }

    /// Decides about a body that turned out to be blank, or no JSON: only the path counts.
    pub(super) fn admit_unread(&self, parts: &request::Parts) -> Admission {
        self.admit_reading(read_bodyless(self.head(parts)))
    }

    fn admit_reading(&self, reading: RequestReading) -> Admission {
        if let Some(refused) = self.required_by(&reading) {
            return refused;
        }
        let message = reading.message.clone().filter(|_| self.config.has_gate());
        self.call.set_reading(reading);
        message.map_or(Admission::Forward, Admission::AskGates)
    }

    /// The refusal where an operation lacks an extension that the card requires. Cards are how a
    /// client learns what is required, so they are never refused, unless a message comes along.
    fn required_by(&self, reading: &RequestReading) -> Option<Admission> {
        let operation = reading.operation?;
        if !operation.needs_required_extensions() && reading.message.is_none() {
            return None;
        }
        let missing = self.missing_error()?;
        // A client that speaks another version learns that first.
        let error = self.config.service.check_version(&reading.requested_version).err().unwrap_or(missing);
        Some(Admission::Refused(self.refused(error_response(&reading.target, &error), &error)))
    }

    fn misses_required(&self) -> bool {
        self.config.setup.declared.missing(self.call.activation()).next().is_some()
    }

    pub(super) fn missing_error(&self) -> Option<A2aError> {
        let missing = self.config.setup.declared.missing(self.call.activation());
        let missing = missing.map(ExtensionUri::as_str).collect::<Vec<_>>();
        if missing.is_empty() {
            return None;
        }
        let message = format!("this agent requires what the request does not ask for: {}", missing.join(", "));
        let error = A2aError::new(A2aErrorKind::ExtensionSupportRequired, message);
        Some(error.with_metadata("missingExtensions", missing.join(",")))
    }

    /// A refusal where only the head is known.
    pub(super) fn refuse_unread(&self, parts: &request::Parts, error: &A2aError) -> Admission {
        let target = read_bodyless(self.head(parts)).target;
        Admission::Refused(self.refused(error_response(&target, error), error))
    }

    /// Completes a refusal: the observer sees it, and the echo is there unless negotiation failed.
    pub(super) fn refused(&self, mut response: Response<Bytes>, error: &A2aError) -> Response<Bytes> {
        self.call.observe(&ExtensionsEvent::Refused { kind: error.kind(), why: error.message().to_owned().into() });
        if error.kind() == A2aErrorKind::ExtensionSupportRequired {
            self.say_vary(response.headers_mut());
        } else {
            self.finish_head(response.headers_mut());
        }
        response
    }

    /// Makes the head that the agent sees: active URIs only, the call, and no wish that would make
    /// its reply unreadable.
    pub(super) fn prepare(&self, parts: &mut request::Parts) {
        rewrite_request_headers(&mut parts.headers, self.spelling, self.active_in_all_layers());
        if self.outer.is_none() && may_have(&parts.headers, &[CALL_KEY]) {
            parts.headers.remove(CALL_KEY);
        }
        if self.config.registers_calls()
            && let Some(key) = self.config.registry.register(&self.call)
        {
            parts.headers.insert(CALL_KEY, key);
        }
        let wishes: &[&[HeaderName]] = match self.config.stamper.manages_anything() {
            true if self.is_operation() || self.describes_operation => &[&UNREADABLE, &CONDITIONAL],
            true if self.may_be_operation() => &[&UNREADABLE],
            _ => &[],
        };
        for names in wishes {
            if may_have(&parts.headers, names) {
                names.iter().for_each(|name| drop(parts.headers.remove(name)));
            }
        }
        parts.extensions.insert(self.call.clone());
    }

    /// What is active in this layer and in others around and inside it, each once.
    pub(super) fn active_in_all_layers(&self) -> impl Iterator<Item = &ExtensionUri> {
        let layers = [self.outer.as_ref(), Some(&self.call), self.call.inner()];
        (0..).zip(layers).flat_map(move |(place, layer)| {
            let named = move |uri| {
                layers.into_iter().take(place).flatten().any(|call| call.active_uris().any(|one| one == uri))
            };
            layer.into_iter().flat_map(A2aCall::active_uris).filter(move |uri| !named(*uri))
        })
    }

    /// The call of another layer further out.
    pub(super) fn outer(&self) -> Option<&A2aCall> {
        self.outer.as_ref()
    }

    pub(super) fn head<'a>(&'a self, parts: &'a request::Parts) -> RequestHead<'a> {
        let route = self.config.service.route(parts.uri.path());
        RequestHead { method: &parts.method, uri: &parts.uri, headers: &parts.headers, route }
    }
}

/// Whether one of these names may be there. Most requests have few headers, and comparing all of them
/// costs less than to look names up.
fn may_have(headers: &HeaderMap, names: &[HeaderName]) -> bool {
    const FEW: usize = 16;
    headers.keys_len() > FEW || headers.keys().any(|name| names.contains(name))
}

/// Whether the headers name a content type that is no JSON.
fn names_another_type(headers: &HeaderMap) -> bool {
    headers.contains_key(CONTENT_TYPE) && !essence(headers).is_some_and(|kind| is_json(&kind))
}
