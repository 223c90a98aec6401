//! What a test asks for, and what it is answered.

use serde_json::{Value, json};

pub(crate) const ON_REQUEST: &str = "https://agent-capability.org/ext/on-request/v1";
pub(crate) const ADDRESS: &str = "https://ask.larkfield.example/talk";
const BOOKED: &str = "Booked: Tuesday at ten";
const IN_DOUBT: &str = "cannot be said here whether this has been done; do not send this again";

/// A booking, by the assistant `acme` for a person, unless a test says otherwise.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    method: &'static str,
    id: Option<String>,
    text: &'static str,
    assistant: Option<String>,
    person: Option<&'static str>,
    skill: Option<&'static str>,
    activates: bool,
}

impl Ask {
    pub(crate) const METHODS: [&'static str; 4] =
        ["SendMessage", "SendStreamingMessage", "message/send", "message/stream"];

    pub(crate) fn booking(id: &str) -> Self {
        Self {
            method: "SendMessage",
            id: Some(id.to_owned()),
            text: "Book a first meeting on Tuesday, please.",
            assistant: Some("acme".to_owned()),
            person: Some("family-7"),
            skill: None,
            activates: true,
        }
    }

    pub(crate) fn without_id() -> Self {
        Self { id: None, ..Self::booking("") }
    }

    pub(crate) fn by(self, method: &'static str) -> Self {
        Self { method, ..self }
    }

    pub(crate) fn saying(self, text: &'static str) -> Self {
        Self { text, ..self }
    }

    pub(crate) fn of(self, assistant: &str) -> Self {
        Self { assistant: Some(assistant.to_owned()), ..self }
    }

    pub(crate) fn without_token(self) -> Self {
        Self { assistant: None, ..self }
    }

    pub(crate) fn for_nobody(self) -> Self {
        Self { person: None, ..self }
    }

    pub(crate) fn named(self, skill: &'static str) -> Self {
        Self { skill: Some(skill), ..self }
    }

    pub(crate) fn not_activating(self) -> Self {
        Self { activates: false, ..self }
    }

    fn is_old(&self) -> bool {
        self.method.contains('/')
    }

    pub(crate) fn to_bytes(&self, addr: &str) -> Vec<u8> {
        let body = self.body().to_string();
        let mut head = format!("POST /a2a/v1 HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n");
        head.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
        if !self.is_old() {
            head.push_str("A2A-Version: 1.0\r\n");
        }
        if self.activates {
            head.push_str(&format!("A2A-Extensions: {ON_REQUEST}\r\n"));
        }
        if let Some(assistant) = &self.assistant {
            head.push_str(&format!("Authorization: Bearer demo-{assistant}\r\n"));
        }
        format!("{head}\r\n{body}").into_bytes()
    }

    fn body(&self) -> Value {
        let mut message = json!({"role": "ROLE_USER", "parts": [{"text": self.text}]});
        if self.is_old() {
            message = json!({"kind": "message", "role": "user", "parts": [{"kind": "text", "text": self.text}]});
        }
        if let Some(id) = &self.id {
            message["messageId"] = json!(id);
        }
        let members = [("actingFor", self.person), ("skillId", self.skill)];
        for (name, value) in members.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            message["metadata"][ON_REQUEST][name] = value.into();
        }
        json!({"jsonrpc": "2.0", "id": "q-1", "method": self.method, "params": {"message": message}})
    }

    /// The one message of a reply. Whatever is answered, it is HTTP 200, a message of the agent, and no error.
    pub(crate) fn message(&self, reply: &Reply) -> Value {
        assert_eq!(reply.status, 200, "{self:?}\n{reply:?}");
        let document = if self.method.contains("tream") { reply.event() } else { reply.json() };
        assert_eq!(document["id"], "q-1");
        let result = document.get("result").unwrap_or_else(|| panic!("{self:?}\n{reply:?}"));
        let (message, role) = if self.is_old() { (result, "agent") } else { (&result["message"], "ROLE_AGENT") };
        assert_eq!(message["role"], role, "{self:?}\n{reply:?}");
        assert_eq!(reply.header("a2a-extensions").is_some(), self.activates, "{reply:?}");
        message.clone()
    }

    /// Asserts that it was booked, and returns the message.
    pub(crate) fn assert_booked(&self, reply: &Reply) -> Value {
        let message = self.message(reply);
        assert!(text_of(&message).contains(BOOKED), "{self:?}\n{reply:?}");
        message
    }

    /// Whether it was booked; else asserts that it is a whole referral, or in doubt.
    pub(crate) fn is_booked(&self, reply: &Reply) -> bool {
        if text_of(&self.message(reply)).contains(BOOKED) {
            return true;
        }
        match text_of(&self.message(reply)).contains(IN_DOUBT) {
            true => self.assert_in_doubt(reply),
            false => self.assert_referred(reply),
        }
        false
    }

    /// Asserts that it says neither that it was booked nor that it was not: no mark, and the address.
    pub(crate) fn assert_in_doubt(&self, reply: &Reply) {
        let message = self.message(reply);
        let text = text_of(&message);
        assert!(text.contains(IN_DOUBT) && text.contains(ADDRESS) && !text.contains(BOOKED), "{self:?}\n{reply:?}");
        assert!(!reply.body.contains("action-referred") && !reply.body.contains(ON_REQUEST), "{reply:?}");
    }

    /// Asserts OR-5.7 and OR-6.1: the address in words, and marked only where that was asked for.
    pub(crate) fn assert_referred(&self, reply: &Reply) {
        let message = self.message(reply);
        assert!(text_of(&message).contains(ADDRESS) && !text_of(&message).contains(BOOKED), "{self:?}\n{reply:?}");
        if self.activates {
            let mark = json!({"status": "action-referred", "skillId": "arrangement-booking", "personEntry": ADDRESS});
            assert_eq!(message["metadata"], json!({ON_REQUEST: mark}), "{self:?}");
            assert_eq!(message["extensions"], json!([ON_REQUEST]));
        } else {
            assert!(!reply.raw.contains(ON_REQUEST) && !reply.body.contains(ON_REQUEST), "{reply:?}");
        }
    }
}

pub(crate) fn text_of(message: &Value) -> &str {
    message["parts"][0]["text"].as_str().unwrap_or_default()
}

/// A reply: its bytes as they came, and its body with the chunks joined.
#[derive(Debug)]
pub(crate) struct Reply {
    raw: String,
    body: String,
    status: u16,
}

impl Reply {
    pub(crate) fn read(raw: Vec<u8>) -> Self {
        let raw = String::from_utf8(raw).expect("UTF-8");
        let (head, body) = raw.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no reply: {raw:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let body = if head.contains("transfer-encoding: chunked") { join_chunks(body) } else { body.to_owned() };
        Self { status, body, raw }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let (head, _) = self.raw.split_once("\r\n\r\n")?;
        head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The one event of a stream.
    fn event(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("text/event-stream"), "{self:?}");
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:")).collect::<Vec<_>>();
        let [data] = data[..] else { panic!("not one event: {self:?}") };
        serde_json::from_str(data).unwrap()
    }
}

fn join_chunks(mut body: &str) -> String {
    let mut joined = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        joined.push_str(&rest[..size]);
        body = &rest[(size + 2).min(rest.len())..];
    }
    joined
}
