//! What callgrind counts; also what a profiler can be pointed at, by name.

use std::hint::black_box;
use std::time::Duration;

use bytes::Bytes;
use tower_a2a_extensions::bench_support::{ActionBench, EventsBench, reads_message};
use tower_a2a_extensions::on_request::actions::store::{
    ActionClaim, ActionKey, ActionLimit, ActionStore, ClaimOutcome, ClaimToken, LimitKey, MemoryStore,
};
use tower_a2a_extensions::testing::ready;

use crate::agents::{self, Front, call};
use crate::bodies::{Content, Reply, event_json, request};
use crate::checks;
use crate::rows;

const KB: usize = 1 << 10;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Scenario {
    CallBare,
    CallNothingManaged,
    CallGate,
    CallOnRequest,
    CallInactive,
    Stamping300,
    Stamping4Kb,
    Stamping64Kb,
    Stamping1Mb,
    Inactive4Kb,
    Inactive64Kb,
    Read300,
    HeaderOf8,
    OneEvent,
    Action,
    Claim,
    #[cfg(feature = "grpc")]
    Grpc300,
    #[cfg(feature = "grpc")]
    Grpc4Kb,
    #[cfg(feature = "grpc")]
    Grpc64Kb,
}

impl Scenario {
    const ALL: &[Self] = &[
        Self::CallBare,
        Self::CallNothingManaged,
        Self::CallGate,
        Self::CallOnRequest,
        Self::CallInactive,
        Self::Stamping300,
        Self::Stamping4Kb,
        Self::Stamping64Kb,
        Self::Stamping1Mb,
        Self::Inactive4Kb,
        Self::Inactive64Kb,
        Self::Read300,
        Self::HeaderOf8,
        Self::OneEvent,
        Self::Action,
        Self::Claim,
        #[cfg(feature = "grpc")]
        Self::Grpc300,
        #[cfg(feature = "grpc")]
        Self::Grpc4Kb,
        #[cfg(feature = "grpc")]
        Self::Grpc64Kb,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::CallBare => "call-bare",
            Self::CallNothingManaged => "call-nothing-managed",
            Self::CallGate => "call-gate",
            Self::CallOnRequest => "call-on-request",
            Self::CallInactive => "call-inactive",
            Self::Stamping300 => "stamping-300",
            Self::Stamping4Kb => "stamping-4kb",
            Self::Stamping64Kb => "stamping-64kb",
            Self::Stamping1Mb => "stamping-1mb",
            Self::Inactive4Kb => "inactive-4kb",
            Self::Inactive64Kb => "inactive-64kb",
            Self::Read300 => "read-300",
            Self::HeaderOf8 => "header-of-8",
            Self::OneEvent => "one-event",
            Self::Action => "action",
            Self::Claim => "claim",
            #[cfg(feature = "grpc")]
            Self::Grpc300 => "grpc-300",
            #[cfg(feature = "grpc")]
            Self::Grpc4Kb => "grpc-4kb",
            #[cfg(feature = "grpc")]
            Self::Grpc64Kb => "grpc-64kb",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scenario| scenario.name() == name)
    }

    /// One round of it, after a look at whether it does its work.
    pub(crate) fn prepare(self) -> Box<dyn FnMut()> {
        match self {
            Self::CallBare => {
                let (agent, body) = (agents::agent(Reply::of_size(300, Content::Text)), request(300));
                checks::answers(&agent, &body, None);
                Box::new(move || assert!(black_box(call(&agent, &body, None)) > 0))
            }
            Self::CallNothingManaged => called(Front::NothingInstalled),
            Self::CallGate => called(Front::PassingGate),
            Self::CallOnRequest => called(Front::OnRequest),
            Self::CallInactive => called(Front::Stamping),
            Self::Stamping300 => stamped(300),
            Self::Stamping4Kb => stamped(4 * KB),
            Self::Stamping64Kb => stamped(64 * KB),
            Self::Stamping1Mb => stamped(KB * KB),
            Self::Inactive4Kb => inactive(4 * KB),
            Self::Inactive64Kb => inactive(64 * KB),
            Self::Read300 => {
                let (head, body) = (rows::request_head(), request(300));
                Box::new(move || assert!(black_box(reads_message(&head, &body))))
            }
            Self::HeaderOf8 => {
                let (bench, headers) = rows::header();
                Box::new(move || assert_eq!(black_box(bench.negotiate(&headers)), 8))
            }
            Self::OneEvent => {
                let (mut events, event) = one_event();
                Box::new(move || assert!(black_box(events.push(event.clone())) > event.len()))
            }
            Self::Action => {
                let mut actions = ActionBench::new(100);
                Box::new(move || assert!(black_box(actions.perform())))
            }
            Self::Claim => {
                let store = MemoryStore::new();
                let mut claims = claims(100);
                Box::new(move || assert!(black_box(claims.next().is_some_and(|claim| is_started(&store, &claim)))))
            }
            #[cfg(feature = "grpc")]
            Self::Grpc300 => framed(300),
            #[cfg(feature = "grpc")]
            Self::Grpc4Kb => framed(4 * KB),
            #[cfg(feature = "grpc")]
            Self::Grpc64Kb => framed(64 * KB),
        }
    }
}

/// Claims of other actions each.
fn claims(count: u8) -> impl Iterator<Item = ActionClaim> {
    let limit = ActionLimit::new(1_000_000, Duration::from_secs(60));
    let claim = move |number| {
        ActionClaim::new(ActionKey::new([number; 32]), ClaimToken::random())
            .with_limits((LimitKey::new([1; 32]), limit), (LimitKey::new([2; 32]), limit))
            .with_note(vec![b'x'; 200])
    };
    (0..count).map(claim).collect::<Vec<_>>().into_iter()
}

fn is_started(store: &MemoryStore, claim: &ActionClaim) -> bool {
    let claimed = ready(store.claim(claim)).is_ok_and(|outcome| outcome == ClaimOutcome::Claimed);
    claimed && ready(store.start(claim.key(), claim.token(), Duration::from_secs(30))).is_ok_and(|started| started)
}

/// A stream, and an event of 300 bytes that it stamps.
pub(crate) fn one_event() -> (EventsBench, Bytes) {
    let json = event_json(300);
    let event = Bytes::from([b"data: ", &json[..], b"\n\n"].concat());
    let bench = checks::event_stamping(&json);
    let mut events = bench.events();
    checks::event_is_stamped(&mut events, &event, &bench, &json);
    (events, event)
}

fn stamped(size: usize) -> Box<dyn FnMut()> {
    let document = Reply::of_size(size, Content::Text).to_bytes();
    let bench = checks::stamping(1, &document);
    Box::new(move || drop(black_box(bench.document(&document))))
}

#[cfg(feature = "grpc")]
fn framed(size: usize) -> Box<dyn FnMut()> {
    let (mut frames, frame) = crate::grpc::one_frame(size);
    Box::new(move || assert!(black_box(frames.push(frame.clone())) > frame.len()))
}

fn inactive(size: usize) -> Box<dyn FnMut()> {
    let document = Reply::of_size(size, Content::Text).to_bytes();
    let bench = checks::inactive(&document);
    Box::new(move || drop(black_box(bench.document(&document))))
}

fn called(front: Front) -> Box<dyn FnMut()> {
    let (agent, body) = (agents::layered(front, Reply::of_size(300, Content::Text)), request(300));
    checks::answers(&agent, &body, None);
    Box::new(move || assert!(black_box(call(&agent, &body, None)) > 0))
}
