//! What the head of a request says.

use std::fmt;

use http::{Extensions, HeaderMap, Method, Uri};

/// The head of a request, for code that decides before anything else has run.
#[derive(Clone, Copy)]
pub struct CallFacts<'a> {
    method: &'a Method,
    uri: &'a Uri,
    headers: &'a HeaderMap,
    extensions: &'a Extensions,
}

impl<'a> CallFacts<'a> {
    pub(crate) fn new(method: &'a Method, uri: &'a Uri, headers: &'a HeaderMap, extensions: &'a Extensions) -> Self {
        Self { method, uri, headers, extensions }
    }

    /// The facts of a request, for tests.
    #[must_use]
    pub fn of_request<B>(request: &'a http::Request<B>) -> Self {
        Self::new(request.method(), request.uri(), request.headers(), request.extensions())
    }

    /// The HTTP method.
    #[must_use]
    pub fn method(&self) -> &'a Method {
        self.method
    }

    /// The request's URI.
    #[must_use]
    pub fn uri(&self) -> &'a Uri {
        self.uri
    }

    /// The headers, as the client sent them.
    #[must_use]
    pub fn headers(&self) -> &'a HeaderMap {
        self.headers
    }

    /// What outer layers know, for example an auth layer's principal.
    #[must_use]
    pub fn extensions(&self) -> &'a Extensions {
        self.extensions
    }
}

/// Shows method and path, no header: one may hold a credential.
impl fmt::Debug for CallFacts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFacts").field("method", self.method).field("path", &self.uri.path()).finish_non_exhaustive()
    }
}
