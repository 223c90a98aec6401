//! Extractors and responses for axum, on `axum-core`.

use std::fmt;

use axum_core::body::Body;
use axum_core::extract::{FromRequestParts, OptionalFromRequestParts};
use axum_core::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;

use crate::call::{A2aCall, ActivatedExtensions};
use crate::converse::ConverseReply;
use crate::on_request::{ActionReply, OnRequestGuard, Referral};

/// The request did not pass the layer that an extractor needs.
///
/// The route was added after `.layer(..)`, or the layer has no On Request installed. The caller
/// gets status 500 and an empty body. Outer layers find this type in the response's extensions, and
/// the feature `tracing` logs it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct MissingLayer {
    /// What was to be extracted.
    pub extractor: &'static str,
}

impl MissingLayer {
    fn of(extractor: &'static str) -> Self {
        #[cfg(feature = "tracing")]
        tracing::error!(extractor, "the A2A extensions layer is missing on this route; nothing is given");
        Self { extractor }
    }
}

impl fmt::Display for MissingLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the A2A extensions layer that `{}` needs is missing on this route", self.extractor)
    }
}

impl std::error::Error for MissingLayer {}

impl IntoResponse for MissingLayer {
    fn into_response(self) -> Response {
        let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl IntoResponse for Referral {
    fn into_response(self) -> Response {
        self.into_http_response().map(Body::from)
    }
}

impl IntoResponse for ActionReply {
    fn into_response(self) -> Response {
        self.into_http_response().map(Body::from)
    }
}

/// What can be found in a request that passed the layer.
trait FromCall: Sized {
    const NAME: &'static str;

    fn from_call(call: &A2aCall) -> Option<Self>;
}

impl FromCall for A2aCall {
    const NAME: &'static str = "A2aCall";

    fn from_call(call: &A2aCall) -> Option<Self> {
        Some(call.clone())
    }
}

impl FromCall for ActivatedExtensions {
    const NAME: &'static str = "ActivatedExtensions";

    fn from_call(call: &A2aCall) -> Option<Self> {
        Some(call.activated())
    }
}

impl FromCall for OnRequestGuard {
    const NAME: &'static str = "OnRequestGuard";

    fn from_call(call: &A2aCall) -> Option<Self> {
        Self::of(call)
    }
}

impl FromCall for ConverseReply {
    const NAME: &'static str = "ConverseReply";

    fn from_call(call: &A2aCall) -> Option<Self> {
        Some(Self::of(call))
    }
}

fn find<T: FromCall>(parts: &Parts) -> Option<T> {
    T::from_call(A2aCall::of(&parts.extensions)?)
}

macro_rules! extractor {
    ($type:ty) => {
        impl<S: Sync> FromRequestParts<S> for $type {
            type Rejection = MissingLayer;

            async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, MissingLayer> {
                find(parts).ok_or_else(|| MissingLayer::of(Self::NAME))
            }
        }

        impl<S: Sync> OptionalFromRequestParts<S> for $type {
            type Rejection = std::convert::Infallible;

            async fn from_request_parts(
                parts: &mut Parts,
                _state: &S,
            ) -> Result<Option<Self>, std::convert::Infallible> {
                Ok(find(parts))
            }
        }
    };
}

extractor!(A2aCall);
extractor!(ActivatedExtensions);
extractor!(OnRequestGuard);
extractor!(ConverseReply);
