//! What is claimed, and what comes of it.

use std::fmt;
use std::time::Duration;

use uuid::Uuid;

use super::limit::ActionLimit;

const DEFAULT_LEASE: Duration = Duration::from_secs(15);
const DEFAULT_REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

macro_rules! hash_key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub struct $name([u8; 32]);

        impl $name {
            /// Of a hash.
            #[must_use]
            pub const fn new(hash: [u8; 32]) -> Self {
                Self(hash)
            }

            /// The hash.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        /// In hex: 64 letters and digits, whatever the ids are that were hashed.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&hex(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }
    };
}

pub(in crate::on_request::actions) fn hex(bytes: &[u8; 32]) -> String {
    let digit = |value: u8| char::from(if value < 10 { b'0' + value } else { b'a' + value - 10 });
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

hash_key! {
    /// One action: SHA-256 over the instance, the assistant, its `messageId` and the skill.
    ActionKey
}
hash_key! {
    /// What one limit counts: SHA-256 over the instance, the skill and, of the limit of one
    /// assistant, the assistant.
    LimitKey
}

hash_key! {
    /// One task of a deferred action: SHA-256 over the instance and the task's id.
    TaskKey
}

/// Who holds a claim: 122 random bits, a new one for each attempt.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct ClaimToken(Uuid);

impl ClaimToken {
    /// A new one.
    #[must_use]
    pub fn random() -> Self {
        Self(Uuid::new_v4())
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

/// A claim to do one action now.
#[derive(Clone, Debug)]
pub struct ActionClaim {
    key: ActionKey,
    token: ClaimToken,
    digest: [u8; 32],
    assistant: (LimitKey, ActionLimit),
    total: (LimitKey, ActionLimit),
    lease: Duration,
    remembered: Duration,
    note: Vec<u8>,
}

impl ActionClaim {
    /// A claim with limits that allow nothing, and the defaults of everything else.
    #[must_use]
    pub fn new(key: ActionKey, token: ClaimToken) -> Self {
        let nothing = (LimitKey::new([0; 32]), ActionLimit::NOTHING);
        Self {
            key,
            token,
            digest: [0; 32],
            assistant: nothing,
            total: nothing,
            lease: DEFAULT_LEASE,
            remembered: DEFAULT_REMEMBERED,
            note: Vec::new(),
        }
    }

    /// Sets the token of another attempt.
    #[must_use]
    pub fn with_token(mut self, token: ClaimToken) -> Self {
        self.token = token;
        self
    }

    /// Sets the digest of what is asked for.
    #[must_use]
    pub fn with_digest(mut self, digest: [u8; 32]) -> Self {
        self.digest = digest;
        self
    }

    /// Sets the limit of the assistant and the limit in total.
    #[must_use]
    pub fn with_limits(mut self, assistant: (LimitKey, ActionLimit), total: (LimitKey, ActionLimit)) -> Self {
        self.assistant = assistant;
        self.total = total;
        self
    }

    /// Sets for how long the claim is held until it is started. Default: 15 s.
    #[must_use]
    pub fn with_lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Sets for how long the action is remembered. Default: 24 h.
    #[must_use]
    pub fn with_remembered(mut self, remembered: Duration) -> Self {
        self.remembered = remembered;
        self
    }

    /// Sets what [`take_overdue`](super::ActionStore::take_overdue) gives out; at most some hundred bytes.
    #[must_use]
    pub fn with_note(mut self, note: Vec<u8>) -> Self {
        self.note = note;
        self
    }

    /// The action.
    #[must_use]
    pub fn key(&self) -> &ActionKey {
        &self.key
    }

    /// Who claims.
    #[must_use]
    pub fn token(&self) -> ClaimToken {
        self.token
    }

    /// SHA-256 of what is asked for, the same in every binding.
    #[must_use]
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// What the limit of the assistant counts, and the limit. Its key also names whose share of a
    /// store's room the entry takes.
    #[must_use]
    pub fn assistant_limit(&self) -> (LimitKey, ActionLimit) {
        self.assistant
    }

    /// What the limit in total counts, and the limit.
    #[must_use]
    pub fn total_limit(&self) -> (LimitKey, ActionLimit) {
        self.total
    }

    /// For how long the claim is held until it is started.
    #[must_use]
    pub fn lease(&self) -> Duration {
        self.lease
    }

    /// For how long the action is remembered.
    #[must_use]
    pub fn remembered(&self) -> Duration {
        self.remembered
    }

    /// What [`take_overdue`](super::ActionStore::take_overdue) gives out.
    #[must_use]
    pub fn note(&self) -> &[u8] {
        &self.note
    }
}

/// How far an action is.
#[derive(Clone, Eq, PartialEq)]
#[non_exhaustive]
pub enum ActionState {
    /// Somebody holds the claim and has not started.
    Claimed,
    /// It is being done.
    Started,
    /// It is done, and was answered so. Empty where there was no answer to keep.
    Done(Vec<u8>),
    /// It was started, and nobody knows what became of it.
    Unknown,
}

/// Shows no word of a reply.
impl fmt::Debug for ActionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claimed => f.write_str("Claimed"),
            Self::Started => f.write_str("Started"),
            Self::Done(reply) => write!(f, "Done({} bytes)", reply.len()),
            Self::Unknown => f.write_str("Unknown"),
        }
    }
}

/// What comes of a claim.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ClaimOutcome {
    /// The claim is held by this token.
    Claimed,
    /// There is an entry already.
    Taken {
        /// The digest of the first claim.
        digest: [u8; 32],
        /// How far it is.
        state: ActionState,
    },
    /// A limit does not allow it now.
    Limited,
    /// The claim was abandoned before it arrived.
    Lost,
    /// There is no room for another entry, or none for this assistant.
    Full,
    /// The store may have lost entries, and does not claim anything before they would all have been
    /// forgotten.
    Emptied,
}

/// What comes of giving up.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum AbandonOutcome {
    /// It was not started, and can be claimed again.
    Freed,
    /// It was started, and is unknown from now on. Told once.
    Unknown,
    /// It was settled before, or the claim is another's.
    Settled,
}
