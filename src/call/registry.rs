//! Finding a call again where only headers arrive.

use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};

use super::{A2aCall, CallState};

/// The request header that carries the key. A client's own copy is removed.
pub(crate) const CALL_KEY: HeaderName = HeaderName::from_static("a2a-call-key");

/// Finds the [`A2aCall`] of a request by its headers, for agents that see nothing else.
///
/// SDK executors often run in a spawned task and get the request's headers as a map. The layer
/// adds a random key to the headers of every request, once this register has been asked for; it
/// gives the call back as long as the call lives, and at most `guard_ttl` long.
///
/// A client's own copy of that header is removed from every request that the layer looks at. One
/// that [`only`](crate::A2aExtensionsBuilder::only) leaves out keeps it; a key that the layer did not
/// give out finds nothing.
#[derive(Clone)]
pub struct CallRegistry(Arc<RegistryState>);

struct RegistryState {
    calls: Mutex<HashMap<String, RegisteredCall>>,
    ttl: Duration,
}

struct RegisteredCall {
    call: Weak<CallState>,
    since: Instant,
}

/// A place in the register that is given back when the call is dropped.
pub(super) struct Registration {
    key: String,
    registry: Weak<RegistryState>,
}

impl CallRegistry {
    pub(crate) fn new(ttl: Duration) -> Self {
        Self(Arc::new(RegistryState { calls: Mutex::default(), ttl }))
    }

    /// The call that a request's headers belong to.
    #[must_use]
    pub fn from_headers(&self, headers: &(impl HeaderLookup + ?Sized)) -> Option<A2aCall> {
        let key = headers.lookup(CALL_KEY.as_str())?;
        let calls = self.0.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let registered = calls.get(key).filter(|registered| registered.since.elapsed() < self.0.ttl)?;
        registered.call.upgrade().map(A2aCall)
    }

    /// Registers a call, and gives the header value that finds it.
    pub(crate) fn register(&self, call: &A2aCall) -> Option<HeaderValue> {
        let key = uuid::Uuid::new_v4().simple().to_string();
        let value = HeaderValue::try_from(key.as_str()).ok()?;
        let registration = Registration { key: key.clone(), registry: Arc::downgrade(&self.0) };
        call.0.registration.set(registration).ok()?;
        let registered = RegisteredCall { call: Arc::downgrade(&call.0), since: Instant::now() };
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner).insert(key, registered);
        Some(value)
    }

    /// How many calls are open.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether no call is open.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for CallRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRegistry").field("open", &self.len()).finish_non_exhaustive()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(registry) = self.registry.upgrade() {
            registry.calls.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
        }
    }
}

/// Headers in whatever form an SDK hands them on.
///
/// ```
/// use std::collections::HashMap;
/// use tower_a2a_extensions::HeaderLookup;
///
/// let params = HashMap::from([("A2A-Version".to_owned(), vec!["1.0".to_owned()])]);
/// assert_eq!(params.lookup("a2a-version"), Some("1.0"));
/// ```
pub trait HeaderLookup {
    /// The first value of the header, whose name is given in lower case.
    fn lookup(&self, lower_case_name: &str) -> Option<&str>;
}

impl HeaderLookup for HeaderMap {
    fn lookup(&self, lower_case_name: &str) -> Option<&str> {
        self.get(lower_case_name)?.to_str().ok()
    }
}

impl<H: BuildHasher> HeaderLookup for HashMap<String, String, H> {
    fn lookup(&self, lower_case_name: &str) -> Option<&str> {
        let exact = self.get(lower_case_name);
        let folded =
            || self.iter().find(|(name, _)| name.eq_ignore_ascii_case(lower_case_name)).map(|(_, value)| value);
        exact.or_else(folded).map(String::as_str)
    }
}

impl<H: BuildHasher> HeaderLookup for HashMap<String, Vec<String>, H> {
    fn lookup(&self, lower_case_name: &str) -> Option<&str> {
        let exact = self.get(lower_case_name);
        let folded =
            || self.iter().find(|(name, _)| name.eq_ignore_ascii_case(lower_case_name)).map(|(_, values)| values);
        exact.or_else(folded)?.first().map(String::as_str)
    }
}

impl HeaderLookup for [(String, String)] {
    fn lookup(&self, lower_case_name: &str) -> Option<&str> {
        self.iter().find(|(name, _)| name.eq_ignore_ascii_case(lower_case_name)).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_found_by_its_key_until_it_is_dropped() {
        let registry = CallRegistry::new(Duration::from_secs(60));
        let call = A2aCall::detached();
        let value = registry.register(&call).unwrap();
        let headers = HeaderMap::from_iter([(CALL_KEY, value)]);
        assert!(registry.from_headers(&headers).is_some());
        assert_eq!(registry.len(), 1);
        drop(call);
        assert!(registry.from_headers(&headers).is_none());
        assert!(registry.is_empty());
    }

    #[test]
    fn a_forged_key_and_an_old_call_find_nothing() {
        let registry = CallRegistry::new(Duration::ZERO);
        let call = A2aCall::detached();
        let value = registry.register(&call).unwrap();
        assert!(registry.from_headers(&HeaderMap::from_iter([(CALL_KEY, value)])).is_none());
        let forged = HeaderMap::from_iter([(CALL_KEY, HeaderValue::from_static("0"))]);
        assert!(registry.from_headers(&forged).is_none());
    }

    #[test]
    fn maps_are_searched_without_regard_to_case() {
        let single = HashMap::from([("A2A-Call-Key".to_owned(), "k".to_owned())]);
        let list = [("A2A-CALL-KEY".to_owned(), "k".to_owned())];
        assert_eq!(single.lookup("a2a-call-key"), Some("k"));
        assert_eq!(list[..].lookup("a2a-call-key"), Some("k"));
        assert_eq!(HashMap::from([("a2a-call-key".to_owned(), Vec::new())]).lookup("a2a-call-key"), None);
    }
}
