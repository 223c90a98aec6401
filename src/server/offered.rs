//! What the card says about how the agent can be reached.

use std::borrow::Cow;

use crate::binding::{ProtocolVersion, RequestReading, RequestedVersion, RouteFacts, SaidVersion, VersionNumber};
use crate::card::AgentCard;
use crate::error::{A2aError, A2aErrorKind};

/// The interfaces of a card, and whether it streams.
#[derive(Clone, Debug, Default)]
pub(super) struct OfferedService {
    /// The protocol versions of all interfaces; empty where the card lists no interface.
    versions: Vec<OfferedVersion>,
    /// `None` where the card does not say.
    streaming: Option<bool>,
    /// The paths of all HTTP+JSON interfaces.
    http_json_paths: Vec<String>,
    /// The paths of all others.
    other_paths: Vec<String>,
    /// The only family that the card lists for HTTP+JSON.
    http_json_family: Option<ProtocolVersion>,
    /// What a router around the layer has taken off the front of every path; often nothing.
    pub(super) mount: String,
}

/// A version of an interface.
#[derive(Clone, Debug, Eq, PartialEq)]
struct OfferedVersion {
    /// As the card has it.
    text: String,
    number: Option<VersionNumber>,
    /// The card names no version, so every one of the family counts.
    any_minor: bool,
}

impl OfferedVersion {
    fn of(said: Option<&str>, family: ProtocolVersion) -> Self {
        let text = said.unwrap_or(family.as_str());
        Self { text: text.to_owned(), number: VersionNumber::parse(text), any_minor: said.is_none() }
    }

    fn family(&self) -> ProtocolVersion {
        self.number.map_or(ProtocolVersion::V1_0, VersionNumber::family)
    }

    fn is(&self, requested: &SaidVersion) -> bool {
        match (self.number, requested) {
            (Some(own), SaidVersion::Number(number)) => {
                own == *number || (self.any_minor && own.family() == number.family())
            }
            (None, SaidVersion::Other(said)) => self.text.trim() == said.trim(),
            _ => false,
        }
    }
}

impl OfferedService {
    pub(super) fn new(card: &AgentCard, mount: String) -> Self {
        let mut service = Self { streaming: card.streaming(), mount, ..Self::default() };
        let mut families = Vec::new();
        for interface in card.interfaces() {
            let is_http_json = interface.protocol_binding() == Some("HTTP+JSON");
            let family = if interface.has_0_3_shape() { ProtocolVersion::V0_3 } else { ProtocolVersion::V1_0 };
            let version = OfferedVersion::of(interface.protocol_version(), family);
            if is_http_json {
                families.push(version.family());
            }
            if !service.versions.contains(&version) {
                service.versions.push(version);
            }
            let url = interface.url().and_then(|url| url.parse::<http::Uri>().ok());
            let paths = if is_http_json { &mut service.http_json_paths } else { &mut service.other_paths };
            paths.extend(url.map(|url| url.path().to_owned()));
        }
        service.http_json_family = families.first().copied().filter(|first| families.iter().all(|one| one == first));
        service
    }

    /// Whether the card serves A2A at this path: JSON-RPC at exactly one, HTTP+JSON below its own.
    /// Below the root everything is, so that says nothing.
    pub(super) fn serves(&self, path: &str) -> bool {
        let path = &*self.whole_path(path);
        let serves_below = |served: &String| match served.trim_matches('/').is_empty() {
            true => is_at(path, served),
            false => is_under(path, served),
        };
        self.http_json_paths.iter().any(serves_below) || self.other_paths.iter().any(|served| is_at(path, served))
    }

    /// What the card says of a path.
    pub(super) fn route(&self, path: &str) -> RouteFacts<'_> {
        let path = &*self.whole_path(path);
        let is_mount = !self.mount.is_empty() && is_at(path, &self.mount);
        RouteFacts {
            serves_http_json: self.http_json_paths.iter().any(|served| is_under(path, served)),
            serves_json_rpc: is_mount || self.other_paths.iter().any(|served| is_at(path, served)),
            mount: &self.mount,
            http_json_family: self.http_json_family,
            http_json_paths: &self.http_json_paths,
        }
    }

    /// The path as the card's URLs have it.
    fn whole_path<'a>(&self, path: &'a str) -> Cow<'a, str> {
        if self.mount.is_empty() { Cow::Borrowed(path) } else { Cow::Owned(format!("{}{path}", self.mount)) }
    }

    /// Whether one of the interfaces is at, below or above the mount.
    pub(super) fn fits_mount(&self) -> bool {
        let mut paths = self.http_json_paths.iter().chain(&self.other_paths).peekable();
        let fits = |served: &String| is_under(served, &self.mount) || is_under(&self.mount, served);
        paths.peek().is_none() || paths.any(fits)
    }

    /// Whether the card lists the version that a request names (A2A §3.6.2). One that names none asks
    /// nothing of the card.
    pub(super) fn check_version(&self, requested: &RequestedVersion) -> Result<(), A2aError> {
        let lists = |fits: &dyn Fn(&OfferedVersion) -> bool| self.versions.is_empty() || self.versions.iter().any(fits);
        let said = requested.said.as_ref();
        if said.is_none_or(|said| lists(&|listed| listed.is(said)))
            && requested.service.is_none_or(|service| lists(&|listed| listed.family() == service))
        {
            return Ok(());
        }
        let error =
            A2aError::new(A2aErrorKind::VersionNotSupported, "this agent does not speak the requested A2A version");
        let mut listed = Vec::new();
        for version in &self.versions {
            if !listed.contains(&version.text.as_str()) {
                listed.push(version.text.as_str());
            }
        }
        Err(error.with_metadata("supportedVersions", listed.join(",")))
    }

    /// Whether the card offers what a request uses; a gate never answers for what it does not. A card
    /// that does not say whether it streams may do so, and a gate answers with one event.
    pub(super) fn check(&self, reading: &RequestReading) -> Result<(), A2aError> {
        self.check_version(&reading.requested_version)?;
        if reading.target.streaming && self.streaming == Some(false) {
            return Err(A2aError::new(A2aErrorKind::UnsupportedOperation, "this agent does not stream"));
        }
        Ok(())
    }
}

fn is_at(path: &str, served: &str) -> bool {
    path.trim_end_matches('/') == served.trim_end_matches('/')
}

fn is_under(path: &str, served: &str) -> bool {
    let rest = path.strip_prefix(served.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
