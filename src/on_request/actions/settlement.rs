//! What is left to do when a claim is let go: a drop cannot wait, so one task does it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, sleep, timeout};

use super::deferred_tasks::DeferredTasks;
use super::note::read_note;
use super::staff::{AnyNotifier, StaffEvent, StaffNotice};
use super::store::{AbandonOutcome, ActionKey, ActionStore, ClaimToken, StoreError};
use crate::deadline::has_timer;
use crate::shield::Shielded;

/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(5);
/// How often something is tried, with longer and longer pauses between.
const ATTEMPTS: u32 = 6;
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// How often the store is asked for what nobody will settle.
const SWEEP: Duration = Duration::from_secs(15);
/// How many notes are taken at once.
const SWEEP_SIZE: usize = 64;
/// How many notices wait for staff who cannot be reached. Of more the oldest are lost.
const MOST_UNTOLD: usize = 4_096;
/// How many actions are held, running or waiting to be settled at once. More are not started.
const MOST_IN_FLIGHT: usize = 4_096;
/// How many are settled at the same time. The others wait, and the lease settles what waits too long.
const MOST_SETTLING: usize = 64;

/// Who does what settlement needs.
#[derive(Clone)]
pub(super) struct ActionServices {
    pub(super) store: Arc<dyn ActionStore>,
    pub(super) staff: Option<AnyNotifier>,
    /// What staff could not be told yet.
    pub(super) untold: Arc<Mutex<VecDeque<StaffNotice>>>,
    /// The tasks of deferred actions that staff have not completed yet.
    pub(super) deferred: Arc<DeferredTasks>,
}

/// What becomes of a claim that is let go.
pub(super) struct SettlementJob {
    pub(super) services: ActionServices,
    pub(super) key: ActionKey,
    pub(super) token: ClaimToken,
    pub(super) notice: StaffNotice,
    pub(super) what: SettlementKind,
    pub(super) flight: InFlight,
}

pub(super) enum SettlementKind {
    /// It was not started, as far as is known here.
    Abandon {
        /// Staff were told that it is about to start.
        staff_told: bool,
        /// The store may have started it.
        start_sent: bool,
    },
    /// It is done, and this is to be recorded.
    Complete(Vec<u8>),
    /// It is done and recorded.
    TellDone,
}

/// The way to the one task, which is made where it is first needed and again where its runtime is gone.
#[derive(Default)]
pub(super) struct Settlement {
    sender: Mutex<Option<UnboundedSender<SettlementJob>>>,
    count: Arc<FlightCount>,
}

#[derive(Default)]
struct FlightCount {
    open: AtomicUsize,
    landed: Notify,
}

/// Something that is held, running or waiting to be settled.
pub(super) struct InFlight(Arc<FlightCount>);

impl Drop for InFlight {
    fn drop(&mut self) {
        if self.0.open.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.landed.notify_waiters();
        }
    }
}

impl Settlement {
    /// Counts one more, if there is a task that will settle it. `None` where there are too many, or
    /// no timer: outside a tokio runtime, or in one whose time driver is off.
    pub(super) fn take_off(&self, services: &ActionServices) -> Option<InFlight> {
        let runtime = Handle::try_current().ok().filter(|_| has_timer())?;
        if self.count.open.load(Ordering::Acquire) >= MOST_IN_FLIGHT {
            return None;
        }
        self.run_on(&runtime, services);
        self.count.open.fetch_add(1, Ordering::AcqRel);
        Some(InFlight(Arc::clone(&self.count)))
    }

    /// Makes the task, where there is none or its runtime is gone.
    pub(super) fn run_on(&self, runtime: &Handle, services: &ActionServices) {
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        if sender.as_ref().is_none_or(UnboundedSender::is_closed) {
            let (new, jobs) = unbounded_channel();
            runtime.spawn(run(services.clone(), jobs));
            *sender = Some(new);
        }
    }

    /// Hands a job over. It never waits. Where the task's runtime is gone, the lease settles it.
    pub(super) fn send(&self, job: SettlementJob) {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = sender.as_ref() {
            drop(sender.send(job));
        }
    }

    pub(super) async fn settled(&self) {
        loop {
            let landed = self.count.landed.notified();
            let mut landed = std::pin::pin!(landed);
            // Listening before looking, so that nothing lands unnoticed in between.
            landed.as_mut().enable();
            if self.count.open.load(Ordering::Acquire) == 0 {
                return;
            }
            landed.await;
        }
    }
}

async fn run(services: ActionServices, mut jobs: UnboundedReceiver<SettlementJob>) {
    let mut swept: Option<Instant> = None;
    let settling = Arc::new(Semaphore::new(MOST_SETTLING));
    loop {
        if swept.is_none_or(|swept| swept.elapsed() >= SWEEP) {
            swept = Some(Instant::now());
            let services = services.clone();
            tokio::spawn(async move {
                drop(tell_overdue(&services).await);
                drop(timeout(ATTEMPT, services.deferred.compare(services.store.as_ref())).await);
            });
        }
        match timeout(SWEEP, jobs.recv()).await {
            // On its own: a slow one keeps no other waiting.
            Ok(Some(job)) => {
                let Ok(turn) = Arc::clone(&settling).acquire_owned().await else { return };
                drop(tokio::spawn(async move {
                    settle(job).await;
                    drop(turn);
                }));
            }
            Ok(None) => return,
            Err(_) => {}
        }
    }
}

async fn settle(job: SettlementJob) {
    let SettlementJob { services, key, token, notice, what, flight } = job;
    let event = match what {
        SettlementKind::TellDone => Some(StaffEvent::Done),
        SettlementKind::Complete(reply) => {
            // It was done, whether or not the store learns of it: then it is unknown there.
            drop(persist(|| services.store.complete(&key, token, &reply)).await);
            Some(StaffEvent::Done)
        }
        SettlementKind::Abandon { staff_told, start_sent } => {
            let mut attempts = 0_u32;
            let abandoned = persist(|| {
                attempts += 1;
                services.store.abandon(&key, token)
            });
            match abandoned.await {
                Ok(AbandonOutcome::Unknown) => Some(StaffEvent::Unknown),
                Ok(AbandonOutcome::Freed) => staff_told.then_some(StaffEvent::NotDone),
                // By an attempt whose answer was lost.
                Ok(AbandonOutcome::Settled) if attempts > 1 && start_sent => Some(StaffEvent::Unknown),
                Ok(AbandonOutcome::Settled) if attempts > 1 => staff_told.then_some(StaffEvent::NotDone),
                // By whom else: it is told where that is known.
                Ok(AbandonOutcome::Settled) => None,
                Err(_) if start_sent => Some(StaffEvent::Unknown),
                Err(_) => staff_told.then_some(StaffEvent::NotDone),
            }
        }
    };
    if let Some(event) = event {
        tell(&services, notice.of(event)).await;
    }
    drop(flight);
}

/// Tells staff of what has become unknown because nobody settled it.
pub(super) async fn tell_overdue(services: &ActionServices) -> Result<usize, StoreError> {
    let mut told = 0;
    let waiting = std::mem::take(&mut *services.untold.lock().unwrap_or_else(PoisonError::into_inner));
    for notice in waiting {
        told += usize::from(tell(services, notice).await);
    }
    loop {
        let notes = timeout(ATTEMPT, services.store.take_overdue(SWEEP_SIZE)).await.map_err(StoreError::new)??;
        for note in &notes {
            // A note of another version is told as well as it can be read.
            if let Some(notice) = read_note(note) {
                told += usize::from(tell(services, notice).await);
            }
        }
        if notes.len() < SWEEP_SIZE {
            return Ok(told);
        }
    }
}

/// Whether they were told. What they were not is kept, and told again by the next sweep.
async fn tell(services: &ActionServices, notice: StaffNotice) -> bool {
    let Some(staff) = &services.staff else { return false };
    let mut pause = FIRST_PAUSE;
    for attempt in 1..=ATTEMPTS {
        if let Ok(Ok(Ok(()))) = timeout(ATTEMPT, Shielded::new(async { staff.tell(notice.clone()).await })).await {
            return true;
        }
        wait_after(attempt, &mut pause).await;
    }
    let mut untold = services.untold.lock().unwrap_or_else(PoisonError::into_inner);
    if untold.len() >= MOST_UNTOLD {
        untold.pop_front();
    }
    untold.push_back(notice);
    false
}

/// Tries until the store answers, for about half a minute.
async fn persist<T, F>(mut step: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut pause = FIRST_PAUSE;
    let mut last = StoreError::new("it was not asked");
    for attempt in 1..=ATTEMPTS {
        // Made inside the shield: a step that panics does so while it is polled.
        let attempt_step = async { step().await };
        match timeout(ATTEMPT, Shielded::new(attempt_step)).await {
            Ok(Ok(Ok(answer))) => return Ok(answer),
            Ok(Ok(Err(error))) => last = error,
            Ok(Err(_)) => last = StoreError::new("the store panicked"),
            Err(elapsed) => last = StoreError::new(elapsed),
        }
        wait_after(attempt, &mut pause).await;
    }
    Err(last)
}

async fn wait_after(attempt: u32, pause: &mut Duration) {
    if attempt < ATTEMPTS {
        sleep(*pause).await;
        *pause *= 2;
    }
}
