//! Tasks whose actions staff have still to complete.

use super::{SharedStore, random_hash, told};
use crate::on_request::actions::store::TaskKey;

/// A task is told, with its skill, until its action is completed; it is completed once.
///
/// # Panics
///
/// Where that is not so.
pub async fn a_deferred_task_is_told_until_it_is_completed(store: &SharedStore) {
    let [one, two] = [random_hash(), random_hash()].map(TaskKey::new);
    let both = [(one, "booking"), (two, "a skill, \"quoted\" \u{e9}")];
    for (task, skill) in both {
        assert!(told("defer", store.defer(&task, skill).await), "there is room for a task");
        assert!(told("defer", store.defer(&task, skill).await), "a task may be told of twice");
    }
    let deferred = told("deferred", store.deferred(10_000).await);
    for (task, skill) in both {
        let found = deferred.iter().filter(|(known, _)| *known == task).collect::<Vec<_>>();
        assert_eq!(found, [&(task, skill.to_owned())], "a deferred task is told once, with its skill");
    }
    assert_eq!(told("deferred", store.deferred(1).await).len(), 1, "no more are told than were asked for");
    assert!(told("complete_deferred", store.complete_deferred(&one).await), "what is deferred can be completed");
    assert!(!told("complete_deferred", store.complete_deferred(&one).await), "it is completed once");
    let left = told("deferred", store.deferred(10_000).await);
    assert!(left.iter().all(|(task, _)| *task != one), "what is completed is told no more");
    assert!(left.iter().any(|(task, _)| *task == two), "another task stays");
    assert!(told("complete_deferred", store.complete_deferred(&two).await));
}
