//! Random replies of every shape, printed in random ways.

use super::super::fixture::{K2, U1, U1_OLD, U2};

/// Decisions are taken from bytes that proptest makes and shrinks; then everything is the first choice.
pub(super) struct Entropy<'a> {
    bytes: std::slice::Iter<'a, u8>,
    pub(super) escapes: usize,
}

impl<'a> Entropy<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.iter(), escapes: 0 }
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or_default()) % bound
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == bound - 1
    }

    pub(super) fn pick<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len())]
    }

    /// A random order.
    fn shuffled(&mut self, mut members: Vec<String>) -> Vec<String> {
        for last in (1..members.len()).rev() {
            let other = last - self.below(last + 1);
            members.swap(last, other);
        }
        members
    }

    fn space(&mut self) -> &'static str {
        ["", "", "", " ", "\n", "\t ", "\r\n"][self.below(7)]
    }

    /// A JSON string that means `text`.
    fn string(&mut self, text: &str) -> String {
        if !self.one_in(4) {
            return format!("\"{text}\"");
        }
        self.escapes += 1;
        let mut out = String::from("\"");
        for character in text.chars() {
            match character {
                '/' if self.one_in(2) => out.push_str("\\/"),
                _ if self.one_in(3) => out.push_str(&format!("\\u{:04x}", u32::from(character))),
                _ => out.push(character),
            }
        }
        out + "\""
    }

    fn member(&mut self, key: &str, value: impl std::fmt::Display) -> String {
        let (key, before, after) = (self.string(key), self.space(), self.space());
        format!("{key}{before}:{after}{value}")
    }

    fn brackets(&mut self, open: char, items: &[String], close: char) -> String {
        let mut out = String::from(open);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            out.push_str(self.space());
            out.push_str(item);
            out.push_str(self.space());
        }
        out.push(close);
        out
    }

    fn object(&mut self, members: Vec<String>) -> String {
        let members = self.shuffled(members);
        self.brackets('{', &members, '}')
    }

    fn foreign_value(&mut self) -> String {
        let uri = format!("{{\"{U1}\":[1]}}");
        self.pick(&["1", "1.10", "\"x\\n\\\"\"", "null", "[]", "{\"metadata\":{}}", &uri, "\"https:\\/\\/y\""])
            .to_owned()
    }

    fn name(&mut self) -> &'static str {
        ["x", U1, K2, "y", U1_OLD, "https://biz.example/ext", U2][self.below(7)]
    }

    fn metadata_object(&mut self) -> String {
        let count = self.below(5);
        let members = (0..count)
            .map(|_| {
                let (name, value) = (self.name(), self.foreign_value());
                self.member(name, value)
            })
            .collect::<Vec<_>>();
        self.brackets('{', &members, '}')
    }

    /// `metadata` of an object: missing, of any type, or twice.
    fn object_metadata(&mut self, members: &mut Vec<String>) {
        match self.below(8) {
            0 => {}
            1 => members.push(self.member("metadata", "null")),
            2 => {
                let other = self.pick(&["\"x\"", "[]", "7"]).to_owned();
                members.push(self.member("metadata", other));
            }
            3 => {
                for _ in 0..2 {
                    let metadata = self.metadata_object();
                    members.push(self.member("metadata", metadata));
                }
            }
            _ => {
                let metadata = self.metadata_object();
                members.push(self.member("metadata", metadata));
            }
        }
    }

    fn object_extensions(&mut self, members: &mut Vec<String>) {
        let value = match self.below(6) {
            0 | 1 => return,
            2 => self.pick(&["null", "\"x\""]).to_owned(),
            _ => {
                let count = self.below(4);
                let items = (0..count)
                    .map(|_| {
                        let name = self.name();
                        if self.one_in(9) { "5".to_owned() } else { self.string(name) }
                    })
                    .collect::<Vec<_>>();
                self.brackets('[', &items, ']')
            }
        };
        members.push(self.member("extensions", value));
    }

    fn parts(&mut self) -> String {
        let count = self.below(3);
        let items = (0..count)
            .map(|_| {
                let value = self.foreign_value();
                let mut members = vec![self.member("text", "\"t\""), self.member("data", value)];
                if self.one_in(3) {
                    let metadata = self.metadata_object();
                    members.push(self.member("metadata", metadata));
                }
                self.object(members)
            })
            .collect::<Vec<_>>();
        self.brackets('[', &items, ']')
    }

    /// A Message or Artifact.
    fn outgoing(&mut self, id: &str, roles: &[&str]) -> Vec<String> {
        let mut members = vec![self.member(id, "\"i\"")];
        self.object_metadata(&mut members);
        self.object_extensions(&mut members);
        let parts = self.parts();
        let spelling = self.pick(&["parts", "content"]);
        members.push(self.member(spelling, parts));
        if !roles.is_empty() {
            let role = self.pick(roles).to_owned();
            members.push(self.member("role", role));
        }
        if self.one_in(4) {
            let value = self.foreign_value();
            members.push(self.member("unknown", value));
        }
        members
    }

    fn message(&mut self) -> String {
        let members =
            self.outgoing("messageId", &["\"ROLE_AGENT\"", "\"agent\"", "\"ROLE_USER\"", "\"user\"", "1", "2"]);
        self.object(members)
    }

    fn artifact(&mut self) -> String {
        let members = self.outgoing("artifactId", &[]);
        self.object(members)
    }

    fn list(&mut self, item: fn(&mut Self) -> String) -> String {
        let count = self.below(3);
        let items = (0..count).map(|_| item(self)).collect::<Vec<_>>();
        self.brackets('[', &items, ']')
    }

    fn status(&mut self) -> String {
        let mut members = vec![self.member("state", "\"TASK_STATE_WORKING\"")];
        if self.one_in(2) {
            let message = self.message();
            members.push(self.member("message", message));
        }
        self.object(members)
    }

    fn task_members(&mut self) -> Vec<String> {
        let status = self.status();
        let mut members = vec![self.member("id", "\"t\""), self.member("status", status)];
        let artifacts = self.list(Self::artifact);
        members.push(self.member("artifacts", artifacts));
        let history = self.list(Self::message);
        members.push(self.member("history", history));
        if self.one_in(3) {
            let metadata = self.metadata_object();
            members.push(self.member("metadata", metadata));
        }
        members
    }

    fn task(&mut self) -> String {
        let members = self.task_members();
        self.object(members)
    }

    fn event_members(&mut self, artifact: bool) -> Vec<String> {
        let (key, value) = if artifact { ("artifact", self.artifact()) } else { ("status", self.status()) };
        let mut members = vec![self.member("taskId", "\"t\""), self.member(key, value)];
        if self.one_in(3) {
            let metadata = self.metadata_object();
            members.push(self.member("metadata", metadata));
        }
        members
    }

    fn payload(&mut self) -> String {
        let members = match self.below(10) {
            0 => self.outgoing("messageId", &["\"agent\"", "\"user\"", "2"]),
            1 => self.task_members(),
            2 => {
                let mut members = self.event_members(false);
                members.push(self.member("kind", "\"status-update\""));
                members
            }
            3 => {
                let mut members = self.event_members(true);
                members.push(self.member("kind", "\"artifact-update\""));
                members
            }
            4 => {
                let event = self.event_members(false);
                let (key, event) = (self.pick(&["statusUpdate", "status_update"]), self.object(event));
                vec![self.member(key, event)]
            }
            5 => {
                let event = self.event_members(true);
                let (key, event) = (self.pick(&["artifactUpdate", "artifact_update"]), self.object(event));
                vec![self.member(key, event)]
            }
            6 => {
                let tasks = self.list(Self::task);
                vec![self.member("tasks", tasks), self.member("pageSize", "2")]
            }
            7 => {
                let message = self.message();
                vec![self.member("message", message)]
            }
            8 => vec![self.member("name", "\"nothing known\"")],
            _ => {
                let task = self.task();
                vec![self.member("task", task)]
            }
        };
        self.object(members)
    }

    /// A reply.
    pub(super) fn document(&mut self) -> String {
        match self.below(6) {
            0 => {
                let result = self.payload();
                let mut members = vec![self.member("jsonrpc", "\"2.0\""), self.member("result", result)];
                if self.one_in(8) {
                    members.push(self.member("error", "{\"code\":1}"));
                }
                self.object(members)
            }
            1 => self.list(Self::task),
            _ => self.payload(),
        }
    }
}
