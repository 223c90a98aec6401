//! What is known of a request before its body.

use http::{HeaderMap, Method, Uri};

use super::ProtocolVersion;

/// What the card says of a request's path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RouteFacts<'a> {
    /// HTTP+JSON is served under this path.
    pub(crate) serves_http_json: bool,
    /// It is the path of an interface that is not HTTP+JSON, or where the layer is mounted.
    pub(crate) serves_json_rpc: bool,
    /// What a router around the layer has taken off the front of the path.
    pub(crate) mount: &'a str,
    /// The only family that the card lists for HTTP+JSON.
    pub(crate) http_json_family: Option<ProtocolVersion>,
    /// Where the card serves HTTP+JSON.
    pub(crate) http_json_paths: &'a [String],
}

/// What is known before the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestHead<'a> {
    pub(crate) method: &'a Method,
    pub(crate) uri: &'a Uri,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) route: RouteFacts<'a>,
}
