//! The chapel's tasks: kept for `GetTask` and `ListTasks`, and played step by step to streams.
//!
//! Who may read a task is the agent's to decide (A2A §13.1): here only the assistant that made it.
//! Callers without a token share one list, so nothing they wrote is kept, only what they were told.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::broadcast::{Receiver, Sender, channel};

use crate::events::{Event, TaskIds, is_final, state_of};
use crate::faults::Fault;

/// How many tasks are kept; the oldest goes first.
const MOST: usize = 1_000;

/// The pause between the events of a stream.
const PAUSE: Duration = Duration::from_millis(150);

/// The tasks. A clone is a pointer.
#[derive(Clone)]
pub(crate) struct TaskStore(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    tasks: HashMap<String, Entry>,
    order: VecDeque<String>,
}

struct Entry {
    task: Value,
    owner: Option<String>,
    /// There while the task is being worked on.
    listeners: Option<Sender<Event>>,
}

/// What `ListTasks` may ask for.
#[derive(Default)]
pub(crate) struct TaskQuery {
    pub(crate) context: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) page_size: Option<usize>,
    /// How many were on the pages before.
    pub(crate) page_token: Option<usize>,
    /// A list leaves artifacts out unless it is asked for them.
    pub(crate) artifacts: bool,
}

impl TaskStore {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    /// Keeps a task that needs no more work.
    pub(crate) fn keep(&self, task: &Value, owner: Option<&str>) {
        self.insert(Entry { task: task.clone(), owner: owner.map(str::to_owned), listeners: None });
    }

    /// Keeps a task that begins now and will end as `done` says. What comes back are its events.
    pub(crate) fn play(&self, done: Value, owner: Option<&str>) -> (Event, Receiver<Event>) {
        let (sender, receiver) = channel(16);
        let mut begun = done.clone();
        if let Some(members) = begun.as_object_mut() {
            members.remove("artifacts");
            members.insert("status".to_owned(), json!({"state": "TASK_STATE_SUBMITTED"}));
        }
        self.insert(Entry { task: begun.clone(), owner: owner.map(str::to_owned), listeners: Some(sender) });
        let store = self.clone();
        tokio::spawn(async move {
            for step in steps(&done) {
                tokio::time::sleep(PAUSE).await;
                if !store.advance(&step) {
                    break;
                }
            }
        });
        (Event::Task(begun), receiver)
    }

    pub(crate) fn get(&self, id: &str, asker: Option<&str>) -> Option<Value> {
        self.kept().find(id, asker).map(|entry| entry.task.clone())
    }

    /// A page of the asker's tasks, as `ListTasks` answers it.
    pub(crate) fn page(&self, query: &TaskQuery, asker: Option<&str>) -> Value {
        let (mut tasks, total) = self.list(query, asker);
        let end = query.page_token.unwrap_or(0).saturating_add(tasks.len());
        if !query.artifacts {
            tasks.iter_mut().filter_map(Value::as_object_mut).for_each(|task| drop(task.remove("artifacts")));
        }
        let next = if end < total && !tasks.is_empty() { end.to_string() } else { String::new() };
        json!({"tasks": tasks, "nextPageToken": next, "pageSize": query.page_size(), "totalSize": total})
    }

    /// The newest first, and how many there are in all.
    fn list(&self, query: &TaskQuery, asker: Option<&str>) -> (Vec<Value>, usize) {
        let kept = self.kept();
        let mine = kept.order.iter().rev().filter_map(|id| kept.tasks.get(id));
        let wanted = |entry: &&Entry| {
            let context = entry.task.get("contextId").and_then(Value::as_str);
            entry.owner.as_deref() == asker
                && query.context.as_deref().is_none_or(|wanted| context == Some(wanted))
                && query.state.as_deref().is_none_or(|wanted| state_of(&entry.task) == wanted)
        };
        let found = mine.filter(wanted).collect::<Vec<_>>();
        let page = found.iter().skip(query.page_token.unwrap_or(0)).take(query.page_size());
        (page.map(|entry| entry.task.clone()).collect(), found.len())
    }

    pub(crate) fn cancel(&self, id: &str, asker: Option<&str>) -> Result<Value, Fault> {
        let mut kept = self.kept();
        let entry = kept.find_mut(id, asker).ok_or(Fault::TaskNotFound)?;
        if is_final(state_of(&entry.task)) {
            return Err(Fault::TaskNotCancelable);
        }
        entry.take_step(&Event::Status {
            ids: ids_of(&entry.task),
            status: json!({"state": "TASK_STATE_CANCELED"}),
            last: true,
        });
        Ok(entry.task.clone())
    }

    /// The task as it is, and its events to come. Only a task that has not ended can be watched.
    pub(crate) fn watch(&self, id: &str, asker: Option<&str>) -> Result<(Event, Option<Receiver<Event>>), Fault> {
        let kept = self.kept();
        let entry = kept.find(id, asker).ok_or(Fault::TaskNotFound)?;
        if is_final(state_of(&entry.task)) {
            return Err(Fault::Unsupported);
        }
        Ok((Event::Task(entry.task.clone()), entry.listeners.as_ref().map(Sender::subscribe)))
    }

    /// Takes one step, unless the task was cancelled or forgotten in the meantime.
    fn advance(&self, step: &Event) -> bool {
        let (Event::Status { ids, .. } | Event::Artifact { ids, .. }) = step else { return false };
        let mut kept = self.kept();
        let Some(entry) = kept.tasks.get_mut(&ids.task) else { return false };
        if entry.listeners.is_none() {
            return false;
        }
        entry.take_step(step);
        true
    }

    fn insert(&self, entry: Entry) {
        let id = ids_of(&entry.task).task;
        let mut kept = self.kept();
        kept.order.push_back(id.clone());
        kept.tasks.insert(id, entry);
        if kept.order.len() > MOST {
            let oldest = kept.order.pop_front();
            oldest.and_then(|id| kept.tasks.remove(&id));
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn find(&self, id: &str, asker: Option<&str>) -> Option<&Entry> {
        self.tasks.get(id).filter(|entry| entry.owner.as_deref() == asker)
    }

    fn find_mut(&mut self, id: &str, asker: Option<&str>) -> Option<&mut Entry> {
        self.tasks.get_mut(id).filter(|entry| entry.owner.as_deref() == asker)
    }
}

impl Entry {
    fn take_step(&mut self, step: &Event) {
        let Some(members) = self.task.as_object_mut() else { return };
        match step {
            Event::Status { status, .. } => drop(members.insert("status".to_owned(), status.clone())),
            Event::Artifact { artifact, .. } => {
                let artifacts = members.entry("artifacts").or_insert_with(|| Value::Array(Vec::new()));
                if let Some(artifacts) = artifacts.as_array_mut() {
                    artifacts.push(artifact.clone());
                }
            }
            Event::Message(_) | Event::Task(_) => {}
        }
        if let Some(listeners) = &self.listeners {
            // Nobody may be listening: the client has hung up.
            drop(listeners.send(step.clone()));
        }
        if matches!(step, Event::Status { last: true, .. }) {
            self.listeners = None;
        }
    }
}

impl TaskQuery {
    fn page_size(&self) -> usize {
        self.page_size.unwrap_or(50).clamp(1, 100)
    }
}

fn ids_of(task: &Value) -> TaskIds {
    let member = |name| task.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    TaskIds { task: member("id"), context: member("contextId") }
}

/// What happens to a task until it is `done`: working, its artifacts, its final status.
fn steps(done: &Value) -> Vec<Event> {
    let ids = ids_of(done);
    let working = json!({"state": "TASK_STATE_WORKING"});
    let artifacts = done.get("artifacts").and_then(Value::as_array).cloned().unwrap_or_default();
    let status = done.get("status").cloned().unwrap_or_default();
    let first = Event::Status { ids: ids.clone(), status: working, last: false };
    let last = Event::Status { ids: ids.clone(), status, last: true };
    let artifacts = artifacts.into_iter().map(|artifact| Event::Artifact { ids: ids.clone(), artifact });
    std::iter::once(first).chain(artifacts).chain(std::iter::once(last)).collect()
}
