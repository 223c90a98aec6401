//! The same rules over a parsed tree: slow, lossy and easy to read.

use serde_json::{Value, json};

use super::super::fixture::{K2, U1, U1_OLD, U2, value_of};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Answer {
    Set,
    SetAndRemove,
    Remove,
    Keep,
}

/// What each extension does; `None` where it is not active.
#[derive(Clone, Copy, Debug)]
pub(super) struct Naive {
    pub(super) answers: [Option<Answer>; 2],
    pub(super) asked: [&'static str; 2],
    pub(super) adding: bool,
    pub(super) stamps: usize,
    pub(super) removals: usize,
}

const KEYS: [&[&str]; 2] = [&[U1, U1_OLD], &[K2]];
const URIS: [&[&str]; 2] = [&[U1, U1_OLD], &[U2]];

impl Naive {
    pub(super) fn document(&mut self, document: &mut Value) {
        match document {
            Value::Array(items) => items.iter_mut().for_each(|item| self.payload(item)),
            _ => self.outer(document),
        }
    }

    fn outer(&mut self, document: &mut Value) {
        let adding = self.adding;
        self.adding &= document.get("error").is_none_or(Value::is_null);
        match document.get_mut("result") {
            Some(result) => self.payload(result),
            None => self.payload(document),
        }
        self.adding = adding;
    }

    fn payload(&mut self, payload: &mut Value) {
        let kind = payload["kind"].as_str().unwrap_or_default().to_owned();
        for key in ["statusUpdate", "status_update", "artifactUpdate", "artifact_update"] {
            if let Some(event) = payload.get_mut(key) {
                return self.event(event);
            }
        }
        if let Some(message) = payload.get_mut("message") {
            self.message(message);
        } else if let Some(task) = payload.get_mut("task") {
            self.task(task);
        } else if let Some(tasks) = payload.get_mut("tasks") {
            tasks.as_array_mut().unwrap().iter_mut().for_each(|task| self.task(task));
        } else if payload.get("role").is_some() {
            self.message(payload);
        } else if kind.ends_with("-update") {
            self.event(payload);
        } else if payload.get("id").is_some() {
            self.task(payload);
        }
    }

    fn task(&mut self, task: &mut Value) {
        self.event(task);
        for artifact in task["artifacts"].as_array_mut().unwrap() {
            self.object(artifact);
        }
        for message in task["history"].as_array_mut().unwrap() {
            self.message(message);
        }
    }

    fn event(&mut self, event: &mut Value) {
        self.clear(event);
        if let Some(message) = event.pointer_mut("/status/message") {
            self.message(message);
        }
        if let Some(artifact) = event.get_mut("artifact") {
            self.object(artifact);
        }
    }

    fn message(&mut self, message: &mut Value) {
        if ![json!("user"), json!("ROLE_USER"), json!(1)].contains(&message["role"]) {
            self.object(message);
        }
    }

    /// What is not active goes, and what an extension says must go. Of URIs only those go that stand
    /// beside a managed key.
    fn clear(&mut self, carrier: &mut Value) {
        let Some(Value::Object(metadata)) = carrier.get_mut("metadata") else { return };
        if !KEYS.iter().copied().flatten().any(|key| metadata.contains_key(*key)) {
            return;
        }
        for (keys, answer) in KEYS.iter().zip(self.answers) {
            if answer.is_some_and(|answer| answer != Answer::Remove) {
                continue;
            }
            for key in *keys {
                self.removals += usize::from(metadata.remove(*key).is_some());
            }
        }
    }

    fn object(&mut self, object: &mut Value) {
        for parts in ["parts", "content"] {
            for part in object.get_mut(parts).and_then(Value::as_array_mut).into_iter().flatten() {
                self.clear(part);
            }
        }
        for extension in 0..2 {
            let answer = self.answers[extension].unwrap_or(Answer::Remove);
            let sets = matches!(answer, Answer::Set | Answer::SetAndRemove);
            let removes = matches!(answer, Answer::Remove | Answer::SetAndRemove);
            for key in KEYS[extension] {
                let is_set = sets && *key == KEYS[extension][0];
                if removes && !is_set || is_set && !self.adding {
                    self.removals += usize::from(remove_key(object, key));
                }
            }
            if removes && !(sets && self.adding) && (!sets || answer == Answer::SetAndRemove) {
                self.unlist(object, URIS[extension]);
            }
            if sets && self.adding {
                self.set(object, extension);
            }
        }
    }

    fn set(&mut self, object: &mut Value, extension: usize) {
        let members = object.as_object_mut().unwrap();
        let metadata = members.entry("metadata").or_insert(Value::Null);
        if metadata.is_null() {
            *metadata = json!({});
        }
        let Some(metadata) = metadata.as_object_mut() else { return };
        metadata.insert(KEYS[extension][0].to_owned(), value_of(extension));
        self.stamps += 1;
        let listed = members.entry("extensions").or_insert(Value::Null);
        if listed.is_null() {
            *listed = json!([]);
        }
        let Some(listed) = listed.as_array_mut() else { return };
        let asked = json!(self.asked[extension]);
        let mut seen = false;
        listed.retain(|uri| {
            let is_ours = URIS[extension].iter().any(|one| uri == one);
            let stays = !is_ours || *uri == asked && !seen;
            seen |= is_ours && stays;
            stays
        });
        if !seen {
            listed.push(asked);
        }
    }

    fn unlist(&mut self, object: &mut Value, uris: &[&str]) {
        if let Some(Value::Array(listed)) = object.get_mut("extensions") {
            let before = listed.len();
            listed.retain(|uri| !uris.iter().any(|one| uri == one));
            self.removals += before - listed.len();
        }
    }
}

fn remove_key(object: &mut Value, key: &str) -> bool {
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    metadata.is_some_and(|metadata| metadata.remove(key).is_some())
}
