//! The service that stands in front of the agent.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

use super::config::LayerConfig;
use super::future::A2aExtensionsFuture;
use super::request_body::A2aRequestBody;
use super::response_body::A2aExtensionsBody;
use crate::error::BoxError;

/// An agent with extension support. Made by [`A2aExtensionsLayer`](crate::A2aExtensionsLayer).
///
/// Its error is the inner service's: what the layer refuses is a response.
#[derive(Clone)]
pub struct A2aExtensionsService<S> {
    inner: S,
    config: Arc<LayerConfig>,
}

impl<S> A2aExtensionsService<S> {
    pub(super) fn new(inner: S, config: Arc<LayerConfig>) -> Self {
        Self { inner, config }
    }

    /// The service behind the layer.
    pub fn get_ref(&self) -> &S {
        &self.inner
    }

    /// The service behind the layer.
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S, ReqBody, ResBody> Service<Request<ReqBody>> for A2aExtensionsService<S>
where
    S: Service<Request<A2aRequestBody<ReqBody>>, Response = Response<ResBody>> + Clone,
    ReqBody: Body,
    ReqBody::Error: Into<BoxError>,
    ResBody: Body,
    ResBody::Error: Into<BoxError>,
{
    type Response = Response<A2aExtensionsBody<ResBody>>;
    type Error = S::Error;
    type Future = A2aExtensionsFuture<S, S::Future, ReqBody, ResBody>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<ReqBody>) -> Self::Future {
        // The instance that was polled ready is the one to call; the clone takes its place.
        let clone = self.inner.clone();
        let ready = std::mem::replace(&mut self.inner, clone);
        A2aExtensionsFuture::start(ready, request, &self.config)
    }
}

impl<S: fmt::Debug> fmt::Debug for A2aExtensionsService<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("A2aExtensionsService").field("inner", &self.inner).finish_non_exhaustive()
    }
}
