//! Gates, in card order, and extensions that misbehave.

use std::sync::{Arc, Mutex};

use http::StatusCode;
use serde_json::{Value, json};
use tower_a2a_extensions::{
    A2aCall, A2aError, A2aErrorKind, A2aExtension, A2aExtensionsLayer, Answer, CallFacts, ExtensionUri,
    ExtensionsEvent, ExtensionsObserver, Gate, GateFuture, IncomingMessage, MessageGate, OutgoingObject, Stamp,
};

use crate::support::*;

/// What an extension does when it is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Conduct {
    Pass,
    Answer,
    AnswerLater,
    Refuse,
    PanicInGate,
    PanicLater,
    PanicInBegin,
    PanicInActivate,
    PanicInStamp,
}

struct Gated {
    uri: &'static str,
    conduct: Conduct,
    asked: Arc<Mutex<Vec<&'static str>>>,
}

impl A2aExtension for Gated {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(self.uri)
    }

    fn begin(&self, _: &CallFacts<'_>, _: &A2aCall) {
        assert_ne!(self.conduct, Conduct::PanicInBegin);
    }

    fn activate(&self, _: &CallFacts<'_>) -> bool {
        assert_ne!(self.conduct, Conduct::PanicInActivate);
        true
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        Some(self)
    }

    fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        assert_ne!(self.conduct, Conduct::PanicInStamp);
        Stamp::keep()
    }
}

impl MessageGate for Gated {
    fn decide<'a>(&'a self, message: &'a IncomingMessage, _: &'a A2aCall) -> GateFuture<'a> {
        self.asked.lock().unwrap().push(self.uri);
        let answer = Gate::Answer(Answer::text(format!("no {}", message.text())).metadata(self.uri, json!({"a": 1})));
        match self.conduct {
            Conduct::Answer => answer.into(),
            Conduct::AnswerLater => GateFuture::new(async {
                tokio::task::yield_now().await;
                answer
            }),
            Conduct::Refuse => Gate::Refuse(A2aError::new(A2aErrorKind::UnsupportedOperation, "not this")).into(),
            Conduct::PanicInGate => panic!("in the gate"),
            Conduct::PanicLater => GateFuture::new(async {
                tokio::task::yield_now().await;
                panic!("later")
            }),
            _ => Gate::Pass.into(),
        }
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl ExtensionsObserver for Log {
    fn observe(&self, event: &ExtensionsEvent<'_>) {
        self.0.lock().unwrap().push(format!("{event:?}"));
        assert!(!format!("{event:?}").contains("Refused"), "an observer may panic");
    }
}

struct Outcome {
    reply: Value,
    echo: Option<String>,
    status: StatusCode,
    calls: usize,
    asked: Vec<&'static str>,
    log: Vec<String>,
}

async fn run(first: Conduct, second: Conduct) -> Outcome {
    let (asked, log, seen) = (Arc::default(), Log::default(), Seen::default());
    // Given in the other order than the card's.
    let layer = A2aExtensionsLayer::builder(two())
        .extension(Gated { uri: SECOND, conduct: second, asked: Arc::clone(&asked) })
        .extension(Gated { uri: FIRST, conduct: first, asked: Arc::clone(&asked) })
        .observer(log.clone())
        .build()
        .unwrap();
    let response = call(&agent(&seen).layer(layer), send(&[("a2a-extensions", FIRST.as_bytes())])).await;
    let echo = response.headers().get("a2a-extensions").map(|line| line.to_str().unwrap().to_owned());
    let (status, calls) = (response.status(), seen.lock().unwrap().len());
    let reply = body(response).await;
    let (asked, log) = (asked.lock().unwrap().clone(), log.0.lock().unwrap().clone());
    Outcome { reply, echo, status, calls, asked, log }
}

#[tokio::test]
async fn the_first_gate_of_the_card_that_does_not_pass_decides() {
    let both = run(Conduct::Answer, Conduct::Refuse).await;
    assert_eq!(both.asked, [FIRST]);
    assert_eq!(both.reply["result"]["message"]["parts"][0]["text"], "no hi");
    let second = run(Conduct::Pass, Conduct::Refuse).await;
    assert_eq!(second.asked, [FIRST, SECOND]);
    assert_eq!(second.reply["error"]["code"], -32004);
    let none = run(Conduct::Pass, Conduct::Pass).await;
    assert_eq!((both.calls, second.calls, none.calls), (0, 0, 1));
}

#[tokio::test]
async fn a_gate_may_wait() {
    let later = run(Conduct::AnswerLater, Conduct::Pass).await;
    assert_eq!((later.calls, &later.reply["result"]["message"]["parts"][0]["text"]), (0, &json!("no hi")));
    assert_eq!(later.echo.as_deref(), Some(FIRST));
}

#[tokio::test]
async fn an_answers_metadata_goes_only_to_those_who_activated() {
    let active = run(Conduct::Answer, Conduct::Pass).await;
    assert_eq!(active.reply["result"]["message"]["metadata"], json!({FIRST: {"a": 1}}));
    let inactive = run(Conduct::Pass, Conduct::Answer).await;
    assert!(
        !inactive.reply.to_string().contains(SECOND) && inactive.reply["result"]["message"].get("metadata").is_none()
    );
}

#[tokio::test]
async fn b34_a_gate_that_panics_refuses_and_the_agent_is_not_called() {
    for conduct in [Conduct::PanicInGate, Conduct::PanicLater, Conduct::PanicInBegin] {
        let outcome = run(conduct, Conduct::Pass).await;
        assert_eq!((outcome.calls, outcome.status.as_u16()), (0, 200), "{conduct:?}");
        assert_eq!(outcome.reply["error"]["code"], -32603, "{conduct:?}: {}", outcome.reply);
        assert!(outcome.log.iter().any(|event| event.contains("Refused")), "{:?}", outcome.log);
    }
}

#[tokio::test]
async fn b34_a_panicking_activation_is_none_and_a_panicking_stamp_adds_nothing() {
    let denied = run(Conduct::PanicInActivate, Conduct::Pass).await;
    assert_eq!((denied.calls, denied.echo), (1, None));
    let unstamped = run(Conduct::PanicInStamp, Conduct::Pass).await;
    assert_eq!((unstamped.calls, unstamped.status.as_u16()), (1, 200));
    assert!(unstamped.reply["result"]["message"].get("metadata").is_none(), "the reply is not lost");
}

#[tokio::test]
async fn f7_the_observer_sees_what_was_negotiated_and_no_word_of_a_message() {
    let outcome = run(Conduct::Pass, Conduct::Pass).await;
    assert!(outcome.log[0].contains("Negotiated") && outcome.log[0].contains(FIRST), "{:?}", outcome.log);
    assert!(outcome.log.iter().all(|event| !event.contains("\"hi\"")));
}
