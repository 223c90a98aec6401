//! Who asks, for handlers whose tasks belong to somebody.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::auth::Claims;

/// The assistant's name, `None` for an anonymous caller.
pub(crate) struct Asker(pub(crate) Option<String>);

impl<S: Sync> FromRequestParts<S> for Asker {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.extensions.get::<Claims>().map(|claims| claims.assistant.clone())))
    }
}
