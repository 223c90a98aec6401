//! What is asked for in metadata, and what the initial metadata of a reply names.

use crate::client::*;
use crate::driver::ON_REQUEST;

#[tokio::test]
async fn a11_the_echo_is_initial_metadata_unary_and_streaming_and_never_a_trailer() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    for text in [QUESTION, PARAPHRASE, "When can I visit Larkfield Chapel?", "Has the transfer happened?"] {
        let caller = Caller::anonymous().activating();
        for reply in
            [client.send(&caller, &text_message(text)).await, client.stream(&caller, &text_message(text)).await]
        {
            assert_eq!(reply.echo(), Some(ON_REQUEST), "{text}");
            let trailers = reply.captured.trailers.as_ref().unwrap();
            assert!(!trailers.contains_key("a2a-extensions") && !trailers.contains_key("x-a2a-extensions"), "{text}");
        }
    }
    let error = client.get(&Caller::anonymous().activating(), "no-such-task").await;
    assert_eq!(error.echo(), Some(ON_REQUEST), "also on errors of a request that got past negotiation");
}

#[tokio::test]
async fn a11_all_entries_and_both_names_are_read_and_binary_ones_are_not() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    let none = "https://none.example/x/v1";
    let asked = [
        vec![("a2a-extensions", none), ("a2a-extensions", ON_REQUEST)],
        vec![("a2a-extensions", "https://none.example/x/v1 , https://agent-capability.org/ext/on-request/v1")],
        vec![("x-a2a-extensions", ON_REQUEST)],
        vec![("a2a-extensions", none), ("x-a2a-extensions", ON_REQUEST)],
    ];
    for entries in asked {
        let mut caller = Caller::anonymous();
        for (name, value) in &entries {
            caller = caller.with(name, value);
        }
        let reply = client.send(&caller, &text_message(QUESTION)).await;
        assert!(reply.one()["message"]["metadata"][ON_REQUEST].is_object(), "{entries:?}");
        let names = ["a2a-extensions", "x-a2a-extensions"];
        for name in names {
            let used = entries.iter().any(|(known, _)| known == &name);
            let echo = reply.captured.head.get(name).map(|value| value.to_str().unwrap());
            assert_eq!(echo, used.then_some(ON_REQUEST), "{entries:?}");
        }
    }
    for value in [none, "https://agent-capability.org/ext/on-request/v2", "", ","] {
        let reply = client.send(&Caller::anonymous().with("a2a-extensions", value), &text_message(QUESTION)).await;
        assert!(!reply.holds(ON_REQUEST) && reply.echo().is_none(), "{value}: {reply:?}");
    }
}

#[tokio::test]
async fn a11_a_binary_entry_activates_nothing() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    let reply =
        client.send(&Caller::anonymous().with_binary("a2a-extensions-bin", ON_REQUEST), &text_message(QUESTION)).await;
    assert!(!reply.holds(ON_REQUEST) && reply.echo().is_none(), "{reply:?}");
}
