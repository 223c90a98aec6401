//! The tasks of deferred actions that staff have not completed yet.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::on_request::declared::skill::SkillId;

/// How many are kept. Of more the oldest are forgotten.
const MOST_TASKS: usize = 100_000;
/// A longer id is not remembered.
const MAX_ID: usize = 1 << 10;

#[derive(Debug, Default)]
pub(super) struct DeferredTasks(Mutex<TaskList>);

#[derive(Debug, Default)]
struct TaskList {
    skills: HashMap<String, SkillId>,
    /// In the order in which they came. What was settled meanwhile is passed over.
    order: VecDeque<String>,
}

impl DeferredTasks {
    pub(super) fn add(&self, task: &str, skill: &SkillId) {
        let mut list = self.list();
        if task.is_empty() || task.len() > MAX_ID || list.skills.contains_key(task) {
            return;
        }
        while list.order.len() >= MOST_TASKS {
            let oldest = list.order.pop_front();
            oldest.and_then(|oldest| list.skills.remove(&oldest));
        }
        list.skills.insert(task.to_owned(), skill.clone());
        list.order.push_back(task.to_owned());
    }

    pub(super) fn settle(&self, task: &str) -> bool {
        self.list().skills.remove(task).is_some()
    }

    pub(super) fn skill(&self, task: &str) -> Option<SkillId> {
        self.list().skills.get(task).cloned()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list().skills.is_empty()
    }

    fn list(&self) -> MutexGuard<'_, TaskList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_kept_until_it_is_settled_and_the_list_is_bounded() {
        let tasks = DeferredTasks::default();
        let skill = SkillId::from("booking");
        tasks.add("t", &skill);
        assert_eq!(tasks.skill("t"), Some(skill.clone()));
        assert!(tasks.settle("t") && !tasks.settle("t") && tasks.is_empty());
        (0..MOST_TASKS + 10).for_each(|number| tasks.add(&number.to_string(), &skill));
        assert_eq!((tasks.skill("5"), tasks.skill("100005")), (None, Some(skill.clone())));
        tasks.add(&"x".repeat(MAX_ID + 1), &skill);
        assert!(tasks.list().order.len() <= MOST_TASKS && tasks.list().skills.len() <= MOST_TASKS);
    }
}
