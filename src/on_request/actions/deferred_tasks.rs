//! The tasks of deferred actions that staff have not completed yet, as far as this process knows.
//!
//! The store keeps them for all replicas. This copy answers without waiting, and is compared with the
//! store from time to time.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::store::{ActionStore, StoreError, TaskKey};
use crate::on_request::declared::skill::SkillId;

/// How many are kept. If there are more, the oldest are forgotten.
const MOST_TASKS: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct DeferredTasks(Mutex<TaskList>);

#[derive(Debug, Default)]
struct TaskList {
    tasks: HashMap<TaskKey, KnownTask>,
    /// In the order in which they came. A task that was settled meanwhile is passed over.
    order: VecDeque<TaskKey>,
    /// Counts the comparisons with the store.
    comparison: u64,
}

#[derive(Debug)]
struct KnownTask {
    skill: SkillId,
    /// The comparison before which the store got it. `None` until it has it.
    stored: Option<u64>,
}

impl DeferredTasks {
    pub(super) fn add(&self, task: TaskKey, skill: &SkillId) {
        self.list().add(task, skill, None);
    }

    pub(super) fn settle(&self, task: &TaskKey) -> bool {
        self.list().tasks.remove(task).is_some()
    }

    pub(super) fn skill(&self, task: &TaskKey) -> Option<SkillId> {
        self.list().tasks.get(task).map(|known| known.skill.clone())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list().tasks.is_empty()
    }

    /// Hands over to the store what it does not have yet.
    pub(super) async fn store(&self, store: &dyn ActionStore) -> Result<(), StoreError> {
        let unstored = self.list().unstored();
        for (task, skill) in unstored {
            let is_stored = store.defer(&task, skill.as_str()).await?;
            if is_stored {
                self.list().note_stored(&task);
            }
        }
        Ok(())
    }

    /// The same, and learns what other replicas have deferred and completed.
    pub(super) async fn compare(&self, store: &dyn ActionStore) -> Result<(), StoreError> {
        self.store(store).await?;
        let comparison = self.list().begin_comparison();
        let stored = store.deferred(MOST_TASKS).await?;
        self.list().compare(stored, comparison);
        Ok(())
    }

    fn list(&self) -> MutexGuard<'_, TaskList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TaskList {
    fn add(&mut self, task: TaskKey, skill: &SkillId, stored: Option<u64>) {
        if self.tasks.contains_key(&task) {
            return;
        }
        while self.order.len() >= MOST_TASKS {
            let oldest = self.order.pop_front();
            oldest.and_then(|oldest| self.tasks.remove(&oldest));
        }
        self.tasks.insert(task, KnownTask { skill: skill.clone(), stored });
        self.order.push_back(task);
    }

    fn unstored(&self) -> Vec<(TaskKey, SkillId)> {
        let unstored = self.tasks.iter().filter(|(_, known)| known.stored.is_none());
        unstored.map(|(task, known)| (*task, known.skill.clone())).collect()
    }

    fn note_stored(&mut self, task: &TaskKey) {
        let comparison = self.comparison;
        if let Some(known) = self.tasks.get_mut(task) {
            known.stored = Some(comparison);
        }
    }

    fn begin_comparison(&mut self) -> u64 {
        self.comparison += 1;
        self.comparison
    }

    /// Takes over what the store had in this comparison. A task that it got before and does not have any
    /// more was completed elsewhere.
    fn compare(&mut self, stored: Vec<(TaskKey, String)>, comparison: u64) {
        let is_whole = stored.len() < MOST_TASKS;
        let stored = stored.into_iter().collect::<HashMap<_, _>>();
        let was_stored = |known: &KnownTask| known.stored.is_some_and(|before| before < comparison);
        self.tasks.retain(|task, known| !is_whole || !was_stored(known) || stored.contains_key(task));
        for (task, skill) in stored {
            self.add(task, &skill.into(), Some(comparison));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::MemoryStore;
    use super::*;

    fn key(number: u64) -> TaskKey {
        let mut hash = [0; 32];
        hash[..8].copy_from_slice(&number.to_be_bytes());
        TaskKey::new(hash)
    }

    #[test]
    fn a_task_is_kept_until_it_is_settled_and_the_list_is_bounded() {
        let (tasks, skill) = (DeferredTasks::default(), SkillId::from("booking"));
        tasks.add(key(7), &skill);
        assert_eq!(tasks.skill(&key(7)), Some(skill.clone()));
        assert!(tasks.settle(&key(7)) && !tasks.settle(&key(7)) && tasks.is_empty());
        (0..10_010).for_each(|number| tasks.add(key(number), &skill));
        assert_eq!((tasks.skill(&key(5)), tasks.skill(&key(10_005))), (None, Some(skill)));
        assert!(tasks.list().order.len() <= MOST_TASKS && tasks.list().tasks.len() <= MOST_TASKS);
    }

    #[tokio::test]
    async fn replicas_learn_from_the_store_what_others_have_deferred_and_completed() {
        let (store, skill) = (MemoryStore::new(), SkillId::from("booking"));
        let (one, two) = (DeferredTasks::default(), DeferredTasks::default());
        one.add(key(1), &skill);
        one.store(&store).await.unwrap();
        assert_eq!(two.skill(&key(1)), None);
        two.compare(&store).await.unwrap();
        assert_eq!(two.skill(&key(1)), Some(skill.clone()));

        // Staff complete it with the second.
        assert!(store.complete_deferred(&key(1)).await.unwrap() && two.settle(&key(1)));
        one.add(key(2), &skill);
        one.compare(&store).await.unwrap();
        assert_eq!((one.skill(&key(1)), one.skill(&key(2))), (None, Some(skill)));
        two.compare(&store).await.unwrap();
        assert!(two.skill(&key(2)).is_some());
    }

    #[test]
    fn a_task_that_the_store_got_while_it_was_read_stays() {
        let (mut list, skill) = (TaskList::default(), SkillId::from("booking"));
        let comparison = list.begin_comparison();
        list.add(key(1), &skill, None);
        list.note_stored(&key(1));
        list.compare(Vec::new(), comparison);
        assert!(list.tasks.contains_key(&key(1)));
        let next = list.begin_comparison();
        list.compare(Vec::new(), next);
        assert!(list.tasks.is_empty());
    }
}
