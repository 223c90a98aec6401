//! The same chapel with a card that opens the price to assistants (OR-5.4).

use serde_json::{Value, json};

use crate::bindings::{Wire, text_message};
use crate::driver::{ADDRESS, Chapel, ON_REQUEST, Reply, Request};
use crate::paraphrases::{PARAPHRASES, hidden};
use crate::referrals::QUESTION;

fn for_person(mut message: Value, acting_for: &Value) -> Value {
    message["metadata"] = json!({ON_REQUEST: {"actingFor": acting_for}});
    message
}

fn with_person(text: &str) -> Value {
    for_person(text_message(text), &json!("family-7"))
}

/// The artifact of a reply: of its task, or of the event that carries it.
fn artifact_of(wire: Wire, reply: &Reply) -> Value {
    let results = wire.results(reply);
    let found = results.iter().find_map(|result| {
        let update = wire.member(result, "artifactUpdate", "artifact-update").map(|update| &update["artifact"]);
        update.or_else(|| wire.member(result, "task", "task")?["artifacts"].get(0))
    });
    found.unwrap_or_else(|| panic!("{wire:?}: no artifact in {}", reply.raw())).clone()
}

#[test]
fn or_5_4_a_known_assistant_that_acts_for_a_person_gets_the_price_as_an_artifact() {
    let chapel = Chapel::start_opened("given");
    for wire in Wire::ALL {
        for text in [QUESTION, PARAPHRASES[0]] {
            let request = wire.request(&with_person(text)).signed_in_as("acme");
            let reply = chapel.send_for_price(&request.clone().activating());
            let artifact = artifact_of(wire, &reply);
            assert!(reply.tells_price() && artifact["parts"][0]["text"].is_string(), "{wire:?}: {}", reply.raw());
            let mark = &artifact["metadata"][ON_REQUEST];
            assert_eq!((&mark["status"], &mark["skillId"]), (&json!("given-on-opt-in"), &json!("service-pricing")));
            assert!(mark.get("givenTo").is_none(), "{mark}");
            assert_eq!(artifact["extensions"], json!([ON_REQUEST]));
            assert!(reply.body.contains(&wire.state("COMPLETED")), "{wire:?}: {}", reply.body);

            let plain = chapel.send_for_price(&request);
            assert!(plain.tells_price() && !plain.body.contains(ON_REQUEST), "{wire:?}: {}", plain.raw());
        }
    }
}

#[test]
fn or_5_4_everybody_else_is_referred() {
    let chapel = Chapel::start_opened("referred");
    let huge = json!("x".repeat(1024 * 1024));
    let persons = [json!(""), json!(" \t"), json!("\u{200b}\u{2060}"), json!("\u{3164}"), json!(7), json!(["a"]), huge];
    for wire in Wire::ALL {
        for text in [QUESTION, PARAPHRASES[0]] {
            let anonymous = wire.request(&with_person(text));
            let for_nobody = wire.request(&text_message(text)).signed_in_as("acme");
            for request in [anonymous, for_nobody] {
                assert!(chapel.send(&request.activating()).body.contains(ADDRESS), "{wire:?}: {text}");
            }
        }
    }
    for person in persons {
        for text in [QUESTION, PARAPHRASES[0]] {
            let message = for_person(text_message(text), &person);
            let reply = chapel.send(&Wire::SendMessage.request(&message).signed_in_as("acme").activating());
            assert!(reply.body.contains(ADDRESS), "{}", reply.raw());
        }
    }
}

#[test]
fn no_wording_and_no_part_gets_the_price_without_a_person() {
    let chapel = Chapel::start_opened("wordings");
    let texts = PARAPHRASES.into_iter().map(text_message);
    for message in texts.chain(hidden()) {
        for request in [
            Wire::HttpSend.request(&message).signed_in_as("acme"),
            Wire::HttpSend.request(&for_person(message.clone(), &json!("family-7"))),
        ] {
            assert!(chapel.send(&request).body.contains(ADDRESS), "{message}");
        }
    }
}

#[test]
fn every_wording_and_part_gets_the_price_for_a_person_and_so_does_a_follow_up() {
    let chapel = Chapel::start_opened("follow-up");
    let texts = PARAPHRASES.into_iter().map(text_message);
    for message in texts.chain(hidden()) {
        let request = Wire::HttpSend.request(&for_person(message, &json!("family-7"))).signed_in_as("acme");
        let reply = chapel.send_for_price(&request);
        assert!(reply.tells_price(), "{request:?}: {}", reply.raw());

        let mut follow_up = with_person("And the second one?");
        follow_up["contextId"] = reply.json()["task"]["contextId"].clone();
        let follow_up = Wire::OldSend.request(&follow_up);
        assert!(chapel.send_for_price(&follow_up.clone().signed_in_as("acme")).tells_price());
        chapel.send(&follow_up);
        chapel.send(&follow_up.signed_in_as("other"));
    }
}

/// Every way to read a task: a request, and whether the chapel shows an ended task that way.
fn ways(id: &str) -> [(Request, bool); 9] {
    let rpc = |method: &str, params: Value| {
        Request::post("/a2a/v1", &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    };
    let path = format!("/a2a/rest/tasks/{id}");
    let mut on = with_person("And again?");
    on["taskId"] = json!(id);
    [
        (rpc("GetTask", json!({"id": id})), true),
        (rpc("tasks/get", json!({"id": id})).without("A2A-Version"), true),
        (Request::get(&path), true),
        (rpc("ListTasks", json!({"includeArtifacts": true})), true),
        (Request::get("/a2a/rest/tasks?includeArtifacts=true"), true),
        (Request::get(&format!("{path}:subscribe")), false),
        (rpc("CancelTask", json!({"id": id})), false),
        (Wire::SendMessage.request(&on), false),
        (Wire::HttpStream.request(&on), false),
    ]
}

#[test]
fn the_price_that_one_assistant_got_is_read_again_by_it_and_not_by_another() {
    let chapel = Chapel::start_opened("readers");
    for wire in Wire::ALL {
        let given = chapel.send_for_price(&wire.request(&with_person(QUESTION)).signed_in_as("acme"));
        let results = wire.results(&given);
        let task = wire.member(&results[0], "task", "task").expect("a task");
        let id = task["id"].as_str().unwrap();
        for (request, shows) in ways(id) {
            let active = chapel.send_for_price(&request.clone().signed_in_as("acme").activating());
            assert_eq!((active.tells_price(), active.body.contains("given-on-opt-in")), (shows, shows), "{request:?}");
            assert!(!shows || active.header("cache-control") == Some("no-store"), "{}", active.raw());
            let plain = chapel.send_for_price(&request.clone().signed_in_as("acme"));
            assert_eq!((plain.tells_price(), plain.body.contains(ON_REQUEST)), (shows, false), "{request:?}");

            // Whose task it is says the chapel's own store; the layer would withhold the price.
            chapel.send(&request.clone());
            chapel.send(&request.clone().signed_in_as("other"));
            chapel.send(&request.signed_in_as("other").activating());
        }
    }
}

#[test]
fn a_stream_that_has_hung_up_is_polled_for_the_price() {
    let chapel = Chapel::start_opened("polled");
    let stream = Wire::SendStreamingMessage.request(&with_person(QUESTION)).signed_in_as("acme").activating();
    let id = chapel.first_event(&stream)["result"]["task"]["id"].as_str().unwrap().to_owned();
    let poll = Request::get(&format!("/a2a/rest/tasks/{id}")).signed_in_as("acme").activating();
    let watch = Request::get(&format!("/a2a/rest/tasks/{id}:subscribe"));
    chapel.send(&watch.clone().signed_in_as("other"));
    let watched = chapel.send_for_price(&watch.signed_in_as("acme").activating());
    assert!(watched.tells_price() && watched.body.contains("given-on-opt-in"), "{}", watched.raw());
    let polled = chapel.send_for_price(&poll);
    assert_eq!(polled.json()["artifacts"][0]["metadata"][ON_REQUEST]["status"], "given-on-opt-in", "{}", polled.raw());
    assert!(polled.tells_price());
}

#[test]
fn an_opened_action_stays_referred() {
    let mut card = crate::driver::opened_card();
    card["capabilities"]["extensions"][0]["params"]["skills"][1]["assistantAccess"] = true.into();
    let chapel = Chapel::start_with_card("action", &card);
    for text in ["Book a first meeting with a director at Larkfield Chapel.", "Reserve an hour on Monday"] {
        let reply = chapel.send(&Wire::SendMessage.request(&with_person(text)).signed_in_as("acme").activating());
        assert!(reply.body.contains("action-referred") && reply.body.contains(ADDRESS), "{}", reply.raw());
    }
}
