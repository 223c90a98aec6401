//! Extensions and calls for the tests of this room.

use std::any::Any;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use serde_json::{Value, json};

use super::{DocumentRules, ReplyStamper, Stamped, StampingExtension};
use crate::call::{A2aCall, CallSetup};
use crate::extension::{A2aExtension, MessageGate, OutgoingObject, Stamp};
use crate::negotiation::{Activation, DeclaredUri, DeclaredUris};
use crate::observer::{ExtensionsEvent, ExtensionsObserver};
use crate::uri::ExtensionUri;

pub(super) const U1: &str = "https://biz.example/ext/v1";
pub(super) const U1_OLD: &str = "https://biz.example/old/v1";
pub(super) const U2: &str = "https://biz.example/two/v1";
pub(super) const K2: &str = "biz.example/two/key";

pub(super) const REPLY: DocumentRules = DocumentRules { adding: true, operation: true };
pub(super) const ERROR_REPLY: DocumentRules = DocumentRules { adding: false, operation: true };
pub(super) const OTHER: DocumentRules = DocumentRules { adding: true, operation: false };

type StampFn = Box<dyn Fn(&OutgoingObject<'_>) -> Stamp + Send + Sync>;

struct TestExtension(StampFn);

impl A2aExtension for TestExtension {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(U1)
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        (self.0)(object)
    }
}

/// Sees what was observed, as text.
#[derive(Default)]
pub(super) struct Seen(Mutex<Vec<String>>);

impl ExtensionsObserver for Seen {
    fn observe(&self, event: &ExtensionsEvent<'_>) {
        self.0.lock().unwrap().push(format!("{event:?}"));
    }
}

/// A stamper with two extensions: the first has an alias and its URIs as keys, the second another key.
pub(super) struct Bench {
    pub(super) stamper: ReplyStamper,
    pub(super) call: A2aCall,
    seen: Arc<Seen>,
}

pub(super) fn value_of(extension: usize) -> Value {
    [json!({"status": "on-request"}), json!("2026-01-01T00:00:00Z")][extension].clone()
}

impl Bench {
    pub(super) fn new(
        active: &[&str],
        first: impl Fn(&OutgoingObject<'_>) -> Stamp + Send + Sync + 'static,
        second: impl Fn(&OutgoingObject<'_>) -> Stamp + Send + Sync + 'static,
    ) -> Self {
        let uri = |uri: &str| ExtensionUri::new(uri).unwrap();
        let extension = |stamp: StampFn, index, own: &str, aliases: &[&str], keys: &[&str]| StampingExtension {
            extension: Arc::new(TestExtension(stamp)),
            index,
            uri: uri(own),
            aliases: aliases.iter().map(|alias| uri(alias)).collect(),
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        };
        let stamper = ReplyStamper::new(vec![
            extension(Box::new(first), 0, U1, &[U1_OLD], &[U1, U1_OLD]),
            extension(Box::new(second), 1, U2, &[], &[K2]),
        ]);
        let declared = |spellings: &[&str]| DeclaredUri {
            spellings: spellings.iter().map(|one| uri(one)).collect(),
            required: false,
        };
        let declared = DeclaredUris::new(vec![declared(&[U1, U1_OLD]), declared(&[U2])]);
        let activation = Activation::negotiate(&declared, active.iter().map(|uri| uri.as_bytes()));
        let seen = Arc::new(Seen::default());
        let observer: Arc<dyn ExtensionsObserver> = seen.clone();
        let extensions: Vec<Arc<dyn Any + Send + Sync>> = Vec::new();
        let setup = CallSetup { declared, extensions, observer: Some(observer), ..CallSetup::default() };
        Self { stamper, call: A2aCall::new(Arc::new(setup), activation), seen }
    }

    /// Both set a fixed value when active, and remove when not.
    pub(super) fn fixed(active: &[&str]) -> Self {
        let fixed = |extension| {
            move |object: &OutgoingObject<'_>| {
                if object.is_active() { Stamp::set(value_of(extension)) } else { Stamp::remove() }
            }
        };
        Self::new(active, fixed(0), fixed(1))
    }

    pub(super) fn document(&self, json: &str, rules: DocumentRules) -> Stamped {
        self.stamper.document(&Bytes::copy_from_slice(json.as_bytes()), &self.call, rules)
    }

    /// The bytes that leave for a reply.
    pub(super) fn reply(&self, json: &str) -> String {
        match self.document(json, REPLY) {
            Stamped::Unchanged => json.to_owned(),
            Stamped::Changed(slices) => String::from_utf8(slices.concat()).unwrap(),
            other => panic!("{json}: {other:?}"),
        }
    }

    pub(super) fn seen(&self) -> Vec<String> {
        self.seen.0.lock().unwrap().clone()
    }
}
