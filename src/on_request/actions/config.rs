//! What all actions of one operator share.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::attestation::{AnySource, AttestationSource};
use super::confirmation::{AnyConfirmation, NeverConfirmed, PersonConfirmation};
use super::digest::ActionHashes;
use super::settlement::{ActionServices, Settlement, tell_overdue};
use super::staff::{AnyNotifier, StaffNotifier};
use super::store::{ActionStore, StoreError};
use crate::on_request::declared::skill::SkillId;
use crate::shield::{Shielded, shielded};

const DEFAULT_DUPLICATE_WAIT: Duration = Duration::from_secs(5);
/// How many duplicates wait at once.
const MOST_WAITERS: usize = 256;

/// What is needed to carry out actions at an assistant's request (OR-5.6), beside the
/// [terms](super::ActionTerms) of each: whose agent it is, who attests that, where claims are kept
/// and how staff are told. A clone is a handle to the same.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use tower_a2a_extensions::on_request::actions::store::{ActionLimit, MemoryStore};
/// use tower_a2a_extensions::on_request::actions::{ActionTerms, Actions, Attestation, StaffNotice};
/// use tower_a2a_extensions::{BoxError, OnRequest};
///
/// let minute = Duration::from_secs(60);
/// let until = SystemTime::now() + Duration::from_secs(86_400);
/// let actions = Actions::new("chapel", "larkfield.example", MemoryStore::new())
///     .attestation(Attestation::new("larkfield.example", 2, until))
///     .staff(|notice: StaffNotice| async move { Ok::<_, BoxError>(println!("told {}", notice.staff())) });
/// let on_request = OnRequest::new().actions(actions.clone()).action(
///     ActionTerms::new("arrangement-booking")
///         .reversible("cancel it in the diary")
///         .staff("Mair Evans")
///         .limits(ActionLimit::new(3, minute), ActionLimit::new(10, minute)),
/// );
///
/// // At the end of the process, after the server has stopped:
/// # tokio_test::block_on(async {
/// actions.settled().await;
/// # });
/// ```
#[derive(Clone)]
pub struct Actions {
    instance: Arc<str>,
    hashes: Arc<ActionHashes>,
    domain: Arc<str>,
    attestation: Option<AnySource>,
    confirmation: AnyConfirmation,
    can_confirm: bool,
    duplicate_wait: Duration,
    clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    services: ActionServices,
    settlement: Arc<Settlement>,
    waiters: Arc<Semaphore>,
}

impl Actions {
    /// Actions of the agent `instance` of the operator of `domain`, claimed in `store`.
    ///
    /// `instance` is part of every key: all replicas of one agent have the same, and two agents that
    /// share a store have different ones. `domain` is the subject that the attestation must name: the host of the card's `provider.url`
    /// (with or without `www.`), a domain above it, or that of an
    /// [`operator_origin`](crate::OnRequest::operator_origin). Another does not build (OR-5.6 a).
    #[must_use]
    pub fn new(instance: impl Into<String>, domain: impl Into<String>, store: impl ActionStore) -> Self {
        let instance = instance.into();
        Self {
            hashes: Arc::new(ActionHashes::new(&instance)),
            instance: instance.into(),
            domain: domain.into().into(),
            attestation: None,
            confirmation: AnyConfirmation::new(NeverConfirmed),
            can_confirm: false,
            duplicate_wait: DEFAULT_DUPLICATE_WAIT,
            clock: Arc::new(SystemTime::now),
            services: ActionServices {
                store: Arc::new(store),
                staff: None,
                untold: Arc::default(),
                deferred: Arc::default(),
            },
            settlement: Arc::default(),
            waiters: Arc::new(Semaphore::new(MOST_WAITERS)),
        }
    }

    /// Sets who attests that the operator is a named business (OR-5.6 a).
    #[must_use]
    pub fn attestation(mut self, source: impl AttestationSource) -> Self {
        self.attestation = Some(AnySource::new(source));
        self
    }

    /// Sets how staff are told (OR-5.6 b).
    #[must_use]
    pub fn staff(mut self, notifier: impl StaffNotifier) -> Self {
        self.services.staff = Some(AnyNotifier::new(notifier));
        self
    }

    /// Sets how persons confirm what cannot be undone (OR-5.6 d). Default: [`NeverConfirmed`].
    #[must_use]
    pub fn confirmation(mut self, confirmation: impl PersonConfirmation) -> Self {
        self.confirmation = AnyConfirmation::new(confirmation);
        self.can_confirm = true;
        self
    }

    /// Sets for how long a duplicate waits for what the first becomes. Default: 5 s. Then it is
    /// referred, in words that do not say whether anything was done.
    #[must_use]
    pub fn duplicate_wait(mut self, wait: Duration) -> Self {
        self.duplicate_wait = wait;
        self
    }

    /// Sets the clock by which attestations are valid. For tests that move it.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Waits until nothing is held or running any more and all of it is settled in the store. For the
    /// end of a process, after its server has stopped; put a time limit around it.
    pub async fn settled(&self) {
        self.settlement.settled().await;
    }

    /// Tells staff of actions whose outcome is unknown because whoever did them is gone, and of what
    /// they could not be told before, and returns how many that were. From the first call of this on,
    /// or the first action, it runs by itself every 15 s: call it when a process starts, so that a
    /// crash does not wait for the next booking to be told. It also learns which tasks of deferred actions
    /// staff have still to complete.
    ///
    /// # Errors
    ///
    /// Where the store cannot be asked.
    pub async fn tell_overdue(&self) -> Result<usize, StoreError> {
        if let Ok(runtime) = Handle::try_current() {
            self.settlement.run_on(&runtime, &self.services);
        }
        let told = tell_overdue(&self.services).await?;
        self.services.deferred.compare(self.services.store.as_ref()).await?;
        Ok(told)
    }

    /// Staff have completed the deferred action of this task: from now on its replies may say so
    /// (OR-5.8). `false` where no such task is waiting. Until then whatever the agent says of the task as
    /// COMPLETED leaves in the words that staff complete it: in get, list, subscribe and push payloads too.
    ///
    /// The store keeps such tasks for all replicas. A replica learns of another's tasks when it starts
    /// with [`tell_overdue`](Self::tell_overdue), and every 15 s from then on.
    ///
    /// # Errors
    ///
    /// Where the store cannot be asked. The task is then still waiting.
    pub async fn complete_deferred(&self, task_id: &str) -> Result<bool, StoreError> {
        let task = self.hashes.task(task_id);
        let was_stored = self.services.store.complete_deferred(&task).await?;
        Ok(self.services.deferred.settle(&task) || was_stored)
    }

    /// Staff have still to complete the action of this task.
    pub(super) fn defer(&self, task_id: &str, skill: &SkillId) {
        self.services.deferred.add(self.hashes.task(task_id), skill);
    }

    /// The skill that staff have still to complete for a task.
    pub(super) fn deferred_skill(&self, task_id: &str) -> Option<SkillId> {
        self.services.deferred.skill(&self.hashes.task(task_id))
    }

    pub(super) fn awaits_staff(&self) -> bool {
        !self.services.deferred.is_empty()
    }

    pub(super) fn hashes(&self) -> &ActionHashes {
        &self.hashes
    }

    pub(super) fn confirmer(&self) -> &AnyConfirmation {
        &self.confirmation
    }

    pub(super) fn wait(&self) -> Duration {
        self.duplicate_wait
    }

    pub(super) fn waiters(&self) -> &Semaphore {
        &self.waiters
    }

    pub(super) fn now(&self) -> SystemTime {
        (self.clock)()
    }

    pub(super) fn services(&self) -> &ActionServices {
        &self.services
    }

    pub(super) fn settlement(&self) -> &Arc<Settlement> {
        &self.settlement
    }

    /// Whether a level-2 attestation of the operator's domain is valid now (OR-5.6 a).
    /// It waits for the source, however long that takes.
    pub(in crate::on_request) async fn is_attested(&self) -> bool {
        let Some(source) = &self.attestation else { return false };
        match Shielded::new(async { source.ask().await }).await {
            // The clock is read after the answer: what ended while it was fetched has ended.
            Ok(Ok(Some(attestation))) => shielded(|| attestation.holds_for(&self.domain, self.now())).unwrap_or(false),
            _ => false,
        }
    }

    /// What is missing for any action at all, in words.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let whole = [
            (!self.instance.trim().is_empty(), "the name of the instance"),
            (!self.domain.trim().is_empty(), "the operator's domain (OR-5.6 a)"),
            (self.attestation.is_some(), "who attests the operator: `attestation` (OR-5.6 a)"),
            (self.services.staff.is_some(), "how staff are told: `staff` (OR-5.6 b)"),
        ];
        whole.into_iter().filter(|(is_given, _)| !is_given).map(|(_, what)| what).collect()
    }

    /// The domain that must be attested.
    pub(super) fn domain(&self) -> &str {
        &self.domain
    }

    pub(super) fn can_confirm(&self) -> bool {
        self.can_confirm
    }
}

impl fmt::Debug for Actions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Actions")
            .field("instance", &self.instance)
            .field("domain", &self.domain)
            .finish_non_exhaustive()
    }
}
