//! The one connection that all callers share.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use ::redis::{ConnectionInfo, Value};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

use super::fault::{Fault, SharedFault};
use super::node::Node;
use super::script::ScriptCall;

/// After a failed attempt nobody tries again for so long: what is down is not stormed.
const REST: Duration = Duration::from_millis(200);

type Attempt = Option<Result<Arc<Node>, SharedFault>>;

/// Connects when it is first used, and anew after whatever went wrong. Many callers share one
/// attempt, which goes on where they are gone.
pub(super) struct Link {
    nodes: Vec<ConnectionInfo>,
    /// A key, to find the server of a cluster that has it.
    probe: String,
    limit: Duration,
    state: Mutex<LinkState>,
}

#[derive(Default)]
struct LinkState {
    stage: Stage,
    /// Counts the attempts.
    number: u64,
    /// Which node is tried first.
    first: usize,
    /// Where the last connection led to.
    learnt: Option<ConnectionInfo>,
    policy: Option<String>,
}

#[derive(Default)]
enum Stage {
    #[default]
    Idle,
    Connecting(watch::Receiver<Attempt>),
    Up(Arc<Node>),
    Resting(Instant, SharedFault),
}

impl Link {
    pub(super) fn new(nodes: Vec<ConnectionInfo>, probe: String, limit: Duration) -> Self {
        Self { nodes, probe, limit, state: Mutex::default() }
    }

    pub(super) fn nodes(&self) -> &[ConnectionInfo] {
        &self.nodes
    }

    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    pub(super) fn policy(&self) -> Option<String> {
        self.locked().policy.clone()
    }

    /// Runs a script. What was sent is never sent again, unless the server says that it did nothing.
    pub(super) async fn run(self: &Arc<Self>, call: &ScriptCall) -> Result<Value, SharedFault> {
        let node = self.node().await?;
        match self.run_on(&node, call).await {
            Err(fault) if fault.is_refused() => {
                let node = self.node().await?;
                self.run_on(&node, call).await
            }
            answer => answer,
        }
    }

    async fn run_on(&self, node: &Arc<Node>, call: &ScriptCall) -> Result<Value, SharedFault> {
        let answer = node.run(call, self.limit).await;
        if answer.as_ref().is_err_and(Fault::ends_connection) {
            self.drop_node(|current| Arc::ptr_eq(current, node));
        }
        answer.map_err(Arc::new)
    }

    /// The connection, or what keeps us from one.
    pub(super) async fn node(self: &Arc<Self>) -> Result<Arc<Node>, SharedFault> {
        let mut attempt = match self.node_or_attempt() {
            Ok(node) => return node,
            Err(attempt) => attempt,
        };
        let result = timeout(self.limit.saturating_mul(2), attempt.wait_for(Option::is_some)).await;
        match result {
            Ok(Ok(result)) => result.clone().unwrap_or_else(|| Err(Arc::new(Fault::Interrupted))),
            Ok(Err(_)) => Err(Arc::new(Fault::Interrupted)),
            Err(_) => Err(Arc::new(Fault::Late)),
        }
    }

    fn node_or_attempt(self: &Arc<Self>) -> Result<Result<Arc<Node>, SharedFault>, watch::Receiver<Attempt>> {
        let mut state = self.locked();
        match &state.stage {
            Stage::Up(node) => return Ok(Ok(Arc::clone(node))),
            Stage::Resting(until, fault) if Instant::now() < *until => return Ok(Err(Arc::clone(fault))),
            // Its sender is gone where the runtime it ran on is.
            Stage::Connecting(attempt) if attempt.has_changed().is_ok() => return Err(attempt.clone()),
            Stage::Idle | Stage::Connecting(_) | Stage::Resting(..) => {}
        }
        let Ok(runtime) = Handle::try_current() else { return Ok(Err(Arc::new(Fault::Interrupted))) };
        let (sender, receiver) = watch::channel(None);
        state.number += 1;
        state.stage = Stage::Connecting(receiver.clone());
        runtime.spawn(Arc::clone(self).attempt(state.number, sender));
        Err(receiver)
    }

    async fn attempt(self: Arc<Self>, number: u64, sender: watch::Sender<Attempt>) {
        let result = timeout(self.limit, self.open(number)).await.unwrap_or(Err(Fault::Late));
        let result = result.map(Arc::new).map_err(Arc::new);
        {
            let mut state = self.locked();
            if state.number == number {
                match &result {
                    Ok(node) => {
                        state.learnt = Some(node.info.clone());
                        state.policy.clone_from(&node.policy);
                        state.stage = Stage::Up(Arc::clone(node));
                    }
                    Err(fault) => {
                        // What hangs must not keep us from the others.
                        state.first = state.first.wrapping_add(1);
                        state.stage = Stage::Resting(Instant::now() + REST, Arc::clone(fault));
                    }
                }
            }
        }
        sender.send_replace(Some(result));
    }

    /// Tries one node after the other.
    async fn open(self: &Arc<Self>, number: u64) -> Result<Node, Fault> {
        let mut last = Fault::Interrupted;
        for info in self.candidates() {
            let link = Arc::downgrade(self);
            let on_end = move || {
                if let Some(link) = Weak::upgrade(&link) {
                    link.ended(number);
                }
            };
            match Node::open(info, &self.probe, on_end).await {
                Ok(node) => return Ok(node),
                Err(fault) => last = fault,
            }
        }
        Err(last)
    }

    fn candidates(&self) -> Vec<ConnectionInfo> {
        let state = self.locked();
        let is_new = |info: &&ConnectionInfo| self.nodes.iter().all(|node| node.addr() != info.addr());
        let mut nodes = self.nodes.iter().chain(state.learnt.iter().filter(is_new)).cloned().collect::<Vec<_>>();
        let first = state.first % nodes.len().max(1);
        nodes.rotate_left(first);
        nodes
    }

    /// The server closed the connection of an attempt: the next caller connects anew.
    fn ended(&self, number: u64) {
        let mut state = self.locked();
        if state.number == number && matches!(state.stage, Stage::Up(_)) {
            state.stage = Stage::Idle;
        }
    }

    fn drop_node(&self, is_it: impl Fn(&Arc<Node>) -> bool) {
        let mut state = self.locked();
        if matches!(&state.stage, Stage::Up(current) if is_it(current)) {
            state.stage = Stage::Idle;
        }
    }

    fn locked(&self) -> MutexGuard<'_, LinkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let addresses = self.nodes.iter().map(|node| node.addr().to_string());
        f.debug_list().entries(addresses).finish()
    }
}
