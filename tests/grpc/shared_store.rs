//! What was given once, read again from a store that shows every task to everybody.

use serde_json::{Value, json};

use crate::client::*;
use crate::driver::{ADDRESS, ON_REQUEST, opened_card};
use crate::leaky::Leaky;

fn assistant(name: &str) -> Caller {
    Caller::anonymous().with("x-assistant", name)
}

/// Every way to read the task: the reply, and its artifacts.
async fn ways(client: &Client, caller: &Caller) -> Vec<(&'static str, Reply)> {
    vec![
        ("get", client.get(caller, "t-1").await),
        ("list", client.list(caller).await),
        ("cancel", client.cancel(caller, "t-1").await),
        ("subscribe", client.subscribe(caller, "t-1").await),
    ]
}

fn artifacts(reply: &Reply) -> Vec<Value> {
    let message = reply.one();
    let task = ["/task", "/tasks/0"].into_iter().find_map(|pointer| message.pointer(pointer)).unwrap_or(message);
    task["artifacts"].as_array().unwrap_or_else(|| panic!("{message}")).clone()
}

async fn opened() -> (Leaky, Client) {
    let agent = Leaky::asking();
    let client = Client::connect(&agent.serve(opened_card()).await).await;
    (agent, client)
}

#[tokio::test]
async fn or_5_4_what_one_assistant_was_given_is_kept_for_it_and_withheld_from_everybody_else() {
    let (_agent, client) = opened().await;
    let given = client.send(&assistant("acme").may_be_told(), &for_person(QUESTION)).await;
    assert!(given.tells_price(), "{given:?}");
    for active in [true, false] {
        let as_asked = |caller: Caller| if active { caller.activating() } else { caller };
        for (way, reply) in ways(&client, &as_asked(assistant("acme")).may_be_told()).await {
            assert!(reply.tells_price(), "{way}: {reply:?}");
            assert_eq!(reply.holds("given-on-opt-in"), active, "{way}: {reply:?}");
            assert_eq!(artifacts(&reply)[1]["metadata"].get(ON_REQUEST).is_some(), active, "{way}");
        }
        for caller in [assistant("other"), Caller::anonymous()] {
            for (way, reply) in ways(&client, &as_asked(caller.clone())).await {
                let [hours, withheld] = &artifacts(&reply)[..] else { panic!("{way}: two artifacts: {reply:?}") };
                assert_eq!(hours["parts"], json!([{"text": "nine to five"}]), "{way}: what is for all stays");
                let text = withheld["parts"][0]["text"].as_str().unwrap();
                assert!(text.contains(ADDRESS), "{way}: {withheld}");
                assert_eq!(withheld["parts"].as_array().unwrap().len(), 1, "{way}: {withheld}");
                assert!(!reply.holds("given-on-opt-in"), "{way}: {reply:?}");
            }
        }
    }
    let listed = client.list(&assistant("other")).await;
    assert_eq!(listed.one()["tasks"][1]["artifacts"][0]["parts"][0]["text"], "for all");
}

#[tokio::test]
async fn every_event_of_a_stream_that_gives_is_marked_for_who_asks_to_see_it() {
    let (_agent, client) = opened().await;
    for active in [true, false] {
        let caller = assistant("acme").may_be_told();
        let caller = if active { caller.activating() } else { caller };
        let reply = client.stream(&caller, &for_person(QUESTION)).await;
        let events = reply.messages();
        assert_eq!(events.len(), 4, "{reply:?}");
        let marked = |event: &Value| event["artifactUpdate"]["artifact"]["metadata"].get(ON_REQUEST).is_some();
        // The first artifact comes after the guard was asked and before the agent has marked one itself.
        let expected = [false, active, active, false];
        assert_eq!(events.iter().map(marked).collect::<Vec<_>>(), expected, "{reply:?}");
        assert!(reply.tells_price());
    }
}

#[tokio::test]
async fn a_message_that_continues_the_task_of_another_gets_the_referral() {
    let (_agent, client) = opened().await;
    client.send(&assistant("acme").may_be_told(), &for_person(QUESTION)).await;
    let mut on = text_message("And the second one?");
    on["taskId"] = json!("t-1");
    for reply in [client.send(&assistant("other"), &on).await, client.stream(&assistant("other"), &on).await] {
        assert!(reply.holds(ADDRESS), "{reply:?}");
    }
}
