//! Actions at an assistant's request: all four conditions of OR-5.6, and never twice.
//!
//! The card opens an action with `assistantAccess`, and the operator fixes its [terms](ActionTerms).
//! [`OnRequestGuard::perform`](crate::OnRequestGuard::perform) then goes through the conditions, in
//! this order, and gives a [permit](ActionPermit) only after the last:
//!
//! 1. the rules and the policy, as for information; the message has a `messageId`;
//! 2. (a) an [attestation](AttestationSource) of level 2 of the operator's domain is valid now;
//! 3. (d) where a part cannot be undone, the [person has confirmed](PersonConfirmation) the whole message;
//! 4. (c) nobody has asked for the same before, and both [limits](ActionTerms::limits) allow it: one
//!    step of the [`store`];
//! 5. (b) the named member of [staff](StaffNotifier) was told;
//! 6. (a) again; and the store says that it is started.
//!
//! **When anything needed is missing, late, unreachable or doubtful, the action is not done and the
//! person is referred.** A refusal is always a referral, never an error and never a 429.
//!
//! # Never twice
//!
//! A claim is known by instance, assistant, `messageId` and skill, whatever binding it came in, and
//! goes `claimed → started → done | unknown`. A duplicate gets what the first was answered; while the
//! first runs it waits for that, up to [`duplicate_wait`](Actions::duplicate_wait). The same id with
//! anything else changed that the agent can read in it is referred. Where nobody knows what became of an action (its process died, its permit
//! was dropped, it took longer than allowed) staff are told, and the same message is never run again.
//!
//! What stands in a store can be lost. Give the booking system the
//! [`idempotency_key`](ActionPermit::idempotency_key), and let its unique constraint have the last word.
//!
//! # A deferred action
//!
//! Where the card says `deferred`, staff complete the action later, and no reply may call it done
//! (OR-5.8). That is for the agent's words to keep: answer with a Message that says so, or a Task that
//! still works. A Task of the call that ends COMPLETED keeps its state, and its words are replaced. A
//! bare Message, what a stream has sent before its end, and a stored Task that is fetched later are not
//! read.

mod attestation;
mod bound_message;
mod build_rules;
mod config;
mod confirmation;
mod desk;
mod digest;
mod guard;
mod held_claim;
mod note;
mod perform;
mod permit;
mod recorded;
mod reply;
mod settlement;
mod staff;
pub mod store;
mod terms;

pub use self::attestation::{Attestation, AttestationSource};
pub(super) use self::build_rules::OpenedAction;
pub use self::config::Actions;
pub use self::confirmation::{ConfirmationQuestion, NeverConfirmed, PersonConfirmation};
pub use self::desk::ConfirmationDesk;
pub use self::permit::ActionPermit;
pub use self::reply::ActionReply;
pub use self::staff::{StaffEvent, StaffNotice, StaffNotifier};
pub use self::terms::ActionTerms;
