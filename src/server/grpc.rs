//! Calls of the A2A gRPC service, told by their path, whatever method and content type say.

#[cfg(feature = "grpc")]
mod reply;

use http::{Method, request};

use super::admission::{Admission, AdmittedCall, HeadAdmission};
use crate::binding::{Operation, read_bodyless};
#[cfg(feature = "grpc")]
use crate::binding::{check_encoding, names_plain_grpc};
use crate::error::{A2aError, A2aErrorKind};

impl AdmittedCall {
    /// Decides by the head alone, where it can. With a gate every body is read.
    #[cfg(feature = "grpc")]
    pub(super) fn admit_grpc(&self, parts: &request::Parts, bodyless: bool) -> HeadAdmission {
        if is_no_call(&parts.method, bodyless) {
            return HeadAdmission::Settled(Admission::Forward);
        }
        let operation = read_bodyless(self.head(parts)).operation;
        let is_card = operation.is_some_and(Operation::is_card);
        if let Some(error) = self.missing_error().filter(|_| !is_card) {
            return HeadAdmission::Settled(self.refuse_unread(parts, &error));
        }
        let looks = self.config.has_gate() || self.config.stamper.manages_anything();
        if let Some(why) = self.unread_grpc(parts, operation.is_some()).filter(|_| looks) {
            let error = A2aError::new(A2aErrorKind::NotImplemented, why);
            return HeadAdmission::Settled(self.refuse_unread(parts, &error));
        }
        if bodyless || !self.config.has_gate() {
            return HeadAdmission::Settled(self.admit_unread(parts));
        }
        match check_encoding(&parts.headers) {
            Ok(()) => HeadAdmission::ReadBody,
            Err(error) => HeadAdmission::Settled(self.refuse_unread(parts, &error)),
        }
    }

    /// Why a call could not be looked into, or its reply: translation belongs outside of the layer.
    #[cfg(feature = "grpc")]
    fn unread_grpc(&self, parts: &request::Parts, is_known: bool) -> Option<&'static str> {
        if !names_plain_grpc(&parts.headers) || parts.method != Method::POST {
            return Some("only gRPC with protobuf is served here");
        }
        // A method that is not known may send a message.
        (!is_known && self.config.has_gate()).then_some("the method is unknown")
    }

    /// Without a reader for gRPC nothing passes a gate unread.
    #[cfg(not(feature = "grpc"))]
    pub(super) fn admit_grpc(&self, parts: &request::Parts, bodyless: bool) -> HeadAdmission {
        if is_no_call(&parts.method, bodyless) {
            return HeadAdmission::Settled(Admission::Forward);
        }
        let is_card = read_bodyless(self.head(parts)).operation.is_some_and(Operation::is_card);
        let unread = || A2aError::new(A2aErrorKind::NotImplemented, "gRPC is not served here");
        let missing = self.missing_error().filter(|_| !is_card);
        let error = missing.or_else(|| self.config.has_gate().then(unread));
        HeadAdmission::Settled(match error {
            Some(error) => self.refuse_unread(parts, &error),
            None => Admission::Forward,
        })
    }
}

/// A preflight or a probe: it carries nothing, and calls nothing.
fn is_no_call(method: &Method, bodyless: bool) -> bool {
    bodyless && [Method::GET, Method::HEAD, Method::OPTIONS].contains(method)
}
