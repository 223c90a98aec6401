//! The same answers in each binding and version of the card.

use serde_json::{Value, json};

use crate::driver::{ADDRESS, Chapel, ON_REQUEST, Reply, Request};
use crate::referrals::QUESTION;

/// How one binding and version asks, and where its reply is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Wire {
    SendMessage,
    HttpSend,
    OldSend,
    SendStreamingMessage,
    HttpStream,
    OldStream,
}

impl Wire {
    pub(crate) const ALL: [Self; 6] = [
        Self::SendMessage,
        Self::HttpSend,
        Self::OldSend,
        Self::SendStreamingMessage,
        Self::HttpStream,
        Self::OldStream,
    ];

    pub(crate) fn is_old(self) -> bool {
        matches!(self, Self::OldSend | Self::OldStream)
    }

    pub(crate) fn is_rpc(self) -> bool {
        !matches!(self, Self::HttpSend | Self::HttpStream)
    }

    pub(crate) fn streams(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::HttpStream | Self::OldStream)
    }

    /// A request with this message of 1.0.
    pub(crate) fn request(self, message: &Value) -> Request {
        let call = |method: &str, message: &Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}});
        match self {
            Self::SendMessage => Request::post("/a2a/v1", &call("SendMessage", message)),
            Self::SendStreamingMessage => Request::post("/a2a/v1", &call("SendStreamingMessage", message)),
            Self::HttpSend => Request::post("/a2a/rest/message:send", &json!({"message": message})),
            Self::HttpStream => Request::post("/a2a/rest/message:stream", &json!({"message": message})),
            Self::OldSend => old(&call("message/send", &to_0_3(message))),
            Self::OldStream => old(&call("message/stream", &to_0_3(message))),
        }
    }

    /// The results in a reply: one, or one for each event.
    pub(crate) fn results(self, reply: &Reply) -> Vec<Value> {
        assert_eq!(reply.status, 200, "{self:?}: {}", reply.raw());
        let documents = if self.streams() { reply.events() } else { vec![reply.json()] };
        let result = |document: Value| if self.is_rpc() { document["result"].clone() } else { document };
        documents.into_iter().map(result).collect()
    }

    /// The member of a result, or the result itself in 0.3.
    pub(crate) fn member<'a>(self, result: &'a Value, name: &str, kind: &str) -> Option<&'a Value> {
        if self.is_old() { Some(result).filter(|result| result["kind"] == kind) } else { result.get(name) }
    }

    pub(crate) fn state(self, name: &str) -> String {
        if self.is_old() { name.to_lowercase().replace('_', "-") } else { format!("TASK_STATE_{name}") }
    }
}

fn old(call: &Value) -> Request {
    Request::post("/a2a/v1", call).without("A2A-Version")
}

fn to_0_3(message: &Value) -> Value {
    let mut message = message.clone();
    message["kind"] = "message".into();
    message["role"] = "user".into();
    for part in message["parts"].as_array_mut().unwrap() {
        part["kind"] = "text".into();
        if part.get("data").is_some() {
            part["kind"] = "data".into();
        }
        if let Some(raw) = part.as_object_mut().unwrap().remove("raw") {
            *part = json!({"kind": "file", "file": {"bytes": raw, "mimeType": "text/plain"}});
        }
    }
    message
}

pub(crate) fn text_message(text: &str) -> Value {
    json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": text}]})
}

#[test]
fn the_referral_is_the_same_in_every_binding_and_version() {
    let chapel = Chapel::start();
    for wire in Wire::ALL {
        let reply = chapel.send(&wire.request(&text_message(QUESTION)).activating());
        let results = wire.results(&reply);
        assert_eq!(results.len(), 1, "{wire:?}: {}", reply.raw());
        let message = wire.member(&results[0], "message", "message").expect("a message");
        assert_eq!(message["role"], if wire.is_old() { "agent" } else { "ROLE_AGENT" });
        assert!(message["parts"][0]["text"].as_str().unwrap().contains(ADDRESS), "{wire:?}: {message}");
        assert_eq!(message["extensions"], json!([ON_REQUEST]), "{wire:?}");
        assert_eq!(message["metadata"][ON_REQUEST]["status"], "on-request", "{wire:?}");
        assert_eq!(reply.header("a2a-extensions"), Some(ON_REQUEST), "{wire:?}");
    }
}

#[test]
fn replies_have_the_type_of_their_binding() {
    let chapel = Chapel::start();
    for wire in Wire::ALL {
        let expected = match wire {
            _ if wire.streams() => "text/event-stream",
            Wire::HttpSend => "application/a2a+json",
            _ => "application/json",
        };
        for text in [QUESTION, "When can I visit Larkfield Chapel?"] {
            let reply = chapel.send(&wire.request(&text_message(text)));
            assert_eq!(reply.header("content-type"), Some(expected), "{wire:?}: {}", reply.raw());
        }
    }
}
