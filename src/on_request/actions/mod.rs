//! Actions at an assistant's request: all four conditions of OR-5.6, and never twice.
//!
//! The card opens an action with `assistantAccess`, and the operator fixes its [terms](ActionTerms).
//! [`OnRequestGuard::perform`](crate::OnRequestGuard::perform) then goes through the conditions, in
//! this order, and gives a [permit](ActionPermit) only after the last:
//!
//! 1. what the [`store`] knows of the same message: what was done is answered again, whatever has closed,
//!    ended or filled up since, and of what may have been done nothing is said to be undone;
//! 2. the rules and the policy, as for information; the message has a `messageId`;
//! 3. (a) an [attestation](AttestationSource) of level 2 of the operator's domain is valid now;
//! 4. (d) where a part cannot be undone, the [person has confirmed](PersonConfirmation) the whole message;
//! 5. (c) nobody has asked for the same before, and both [limits](ActionTerms::limits) allow it: one
//!    step of the [`store`];
//! 6. (b) the named member of [staff](StaffNotifier) was told;
//! 7. (a) again; and the store says that it is started.
//!
//! **When anything needed is missing, late, unreachable or doubtful, the action is not done and the
//! person is referred.** A refusal is always a referral, never an error and never a 429. Where nobody knows whether it was
//! done, the reply is [in doubt](ActionReply::is_in_doubt): a Message without a mark, or a task that
//! ends FAILED.
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
//! (OR-5.8). Answer with a [`DeferredReply`], which leaves as it is. Of any other Message of the call,
//! and of what stands in a task or event that says COMPLETED, the text Parts become a text that says
//! so; the state, all other Parts, and artifacts that were given for another skill stay. What a stream
//! has sent before its end is not read. Later replies of the task say the same until
//! [`Actions::complete_deferred`]; the store keeps such tasks for all replicas.

mod attestation;
mod bound_message;
mod build_rules;
mod config;
mod confirmation;
mod deferred;
mod deferred_tasks;
mod desk;
mod digest;
mod guard;
mod held_claim;
mod in_doubt;
mod known;
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
pub use self::deferred::DeferredReply;
pub use self::desk::ConfirmationDesk;
pub use self::permit::ActionPermit;
pub use self::reply::ActionReply;
pub use self::staff::{StaffEvent, StaffNotice, StaffNotifier};
pub use self::terms::ActionTerms;
