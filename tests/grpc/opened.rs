//! The chapel with a card that opens the price to assistants (OR-5.4), over gRPC.

use serde_json::{Value, json};

use crate::client::*;
use crate::driver::{ADDRESS, Chapel, ON_REQUEST, Request};

/// The artifact of a reply: of its task, or of the event that carries it.
fn artifact_of(reply: &Reply) -> Value {
    let found = reply.messages().iter().find_map(|message| {
        let of_event = message.pointer("/artifactUpdate/artifact");
        of_event.or_else(|| message.pointer("/task/artifacts/0")).or_else(|| message.pointer("/artifacts/0"))
    });
    found.unwrap_or_else(|| panic!("no artifact: {reply:?}")).clone()
}

fn assert_given(reply: &Reply, active: bool) {
    assert!(reply.tells_price(), "{reply:?}");
    let artifact = artifact_of(reply);
    assert!(artifact["parts"][0]["text"].is_string(), "{artifact}");
    let mark = json!({ON_REQUEST: {"status": "given-on-opt-in", "skillId": "service-pricing", "personEntry": ADDRESS}});
    match active {
        true => assert_eq!((&artifact["metadata"], &artifact["extensions"]), (&mark, &json!([ON_REQUEST]))),
        false => assert!(!reply.holds(ON_REQUEST), "{reply:?}"),
    }
    assert_eq!(reply.echo(), active.then_some(ON_REQUEST));
}

async fn ask(client: &Client, streaming: bool, caller: &Caller, message: &Value) -> Reply {
    match streaming {
        true => client.stream(caller, message).await,
        false => client.send(caller, message).await,
    }
}

#[tokio::test]
async fn or_5_4_a_known_assistant_that_acts_for_a_person_gets_the_price_as_an_artifact() {
    let chapel = opened_chapel("given");
    let client = Client::of(&chapel).await;
    for streaming in [false, true] {
        for text in [QUESTION, PARAPHRASE] {
            let caller = Caller::named("acme").may_be_told();
            assert_given(&ask(&client, streaming, &caller.clone().activating(), &for_person(text)).await, true);
            assert_given(&ask(&client, streaming, &caller, &for_person(text)).await, false);
        }
    }
}

#[tokio::test]
async fn or_5_4_everybody_else_is_referred() {
    let chapel = opened_chapel("referred");
    let client = Client::of(&chapel).await;
    for streaming in [false, true] {
        for text in [QUESTION, PARAPHRASE] {
            let anonymous = (Caller::anonymous(), for_person(text));
            let for_nobody = (Caller::named("acme"), text_message(text));
            for (caller, message) in [anonymous, for_nobody] {
                for caller in [caller.clone(), caller.activating()] {
                    let reply = ask(&client, streaming, &caller, &message).await;
                    assert!(reply.outcome.is_ok() && reply.holds(ADDRESS), "{text}: {reply:?}");
                }
            }
        }
    }
    for person in [json!(""), json!(" \t"), json!("\u{3164}"), json!(7), json!(["a"]), json!(null)] {
        let mut message = text_message(QUESTION);
        message["metadata"] = json!({ON_REQUEST: {"actingFor": person}});
        let reply = client.send(&Caller::named("acme"), &message).await;
        assert!(reply.holds(ADDRESS), "{person}: {reply:?}");
    }
}

#[tokio::test]
async fn an_opened_action_stays_referred() {
    let mut card = crate::driver::opened_card();
    card["capabilities"]["extensions"][0]["params"]["skills"][1]["assistantAccess"] = true.into();
    let chapel = chapel_with("action", &card);
    let client = Client::of(&chapel).await;
    for text in ["Book a first meeting with a director at Larkfield Chapel.", "Reserve an hour on Monday"] {
        let reply = client.send(&Caller::named("acme").activating(), &for_person(text)).await;
        assert!(reply.holds("action-referred") && reply.holds(ADDRESS), "{reply:?}");
    }
}

#[tokio::test]
async fn the_price_that_one_assistant_got_is_read_again_by_it_in_every_binding_and_by_nobody_else() {
    let chapel = opened_chapel("readers");
    let client = Client::of(&chapel).await;
    let acme = Caller::named("acme").may_be_told();
    let given = client.send(&acme, &for_person(QUESTION)).await;
    let id = given.one()["task"]["id"].as_str().unwrap();
    for active in [true, false] {
        let caller = if active { acme.clone().activating() } else { acme.clone() };
        assert_given(&client.get(&caller, id).await, active);
        let listed = client.list(&caller).await;
        assert!(listed.tells_price(), "{listed:?}");
        assert_eq!(listed.holds("given-on-opt-in"), active, "{listed:?}");
    }
    let poll = Request::get(&format!("/a2a/rest/tasks/{id}")).signed_in_as("acme").activating();
    let polled = chapel.send_for_price(&poll);
    assert_eq!(polled.json()["artifacts"][0]["metadata"][ON_REQUEST]["status"], "given-on-opt-in");
    // Whose task it is says the chapel's own store.
    for stranger in [Caller::anonymous(), Caller::named("other"), Caller::named("other").activating()] {
        assert_eq!(client.get(&stranger, id).await.status().code(), tonic::Code::NotFound);
        assert_eq!(client.list(&stranger).await.one().get("tasks"), None);
        assert_eq!(client.subscribe(&stranger, id).await.status().code(), tonic::Code::NotFound);
        assert_eq!(client.cancel(&stranger, id).await.status().code(), tonic::Code::NotFound);
    }
    assert_eq!(client.subscribe(&acme, id).await.status().code(), tonic::Code::FailedPrecondition);
}

#[tokio::test]
async fn a_stream_that_has_hung_up_is_watched_and_polled_for_the_price() {
    let chapel = opened_chapel("polled");
    let client = Client::of(&chapel).await;
    let acme = Caller::named("acme").activating().may_be_told();
    let first = client.stream_one(&Caller::named("acme").activating(), &for_person(QUESTION)).await;
    let id = first.one()["task"]["id"].as_str().unwrap();
    let length = u32::from_be_bytes(first.captured.data[1..5].try_into().unwrap());
    assert_eq!(first.captured.data.len(), 5 + length as usize, "an event leaves before the next one is made");
    assert_given(&client.subscribe(&acme, id).await, true);
    assert_given(&client.get(&acme, id).await, true);
}

#[tokio::test]
async fn what_was_given_over_json_rpc_is_read_over_grpc() {
    let chapel = opened_chapel("bindings");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": for_person(QUESTION)}});
    let given = send_for_price(&chapel, &Request::post("/a2a/v1", &call).signed_in_as("acme"));
    let id = given["result"]["task"]["id"].as_str().unwrap();
    let client = Client::of(&chapel).await;
    assert_given(&client.get(&Caller::named("acme").activating().may_be_told(), id).await, true);
}

fn send_for_price(chapel: &Chapel, request: &Request) -> Value {
    let reply = chapel.send_for_price(request);
    assert!(reply.tells_price(), "{}", reply.raw());
    reply.json()
}
