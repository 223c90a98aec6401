//! The three bindings of the example on its one port, and how it starts.

use std::process::Command;

use serde_json::{Value, json};

use crate::client::*;
use crate::driver::{ADDRESS, CARD, ON_REQUEST, Request, figure, price};

#[tokio::test]
async fn the_same_words_in_all_three_bindings() {
    let chapel = chapel();
    let message = text_message(QUESTION);
    let rpc = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}});
    let over_rpc = chapel.send(&Request::post("/a2a/v1", &rpc).activating()).json()["result"]["message"].clone();
    let rest = Request::post("/a2a/rest/message:send", &json!({"message": message})).activating();
    let over_rest = chapel.send(&rest).json()["message"].clone();
    let over_grpc = Client::of(&chapel).await.send(&Caller::anonymous().activating(), &message).await;
    let over_grpc = &over_grpc.one()["message"];
    for other in [over_rpc, over_rest] {
        for member in ["parts", "metadata", "extensions", "role"] {
            assert_eq!(over_grpc[member], other[member], "{member}");
        }
    }
}

#[tokio::test]
async fn a_task_of_one_binding_is_found_in_the_others() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    let made = client.send(&Caller::named("acme"), &text_message("Has the transfer happened?")).await;
    let task = &made.one()["task"];
    let path = format!("/a2a/rest/tasks/{}", task["id"].as_str().unwrap());
    assert_eq!(chapel.send(&Request::get(&path).signed_in_as("acme")).json(), *task);
    assert_eq!(chapel.send(&Request::get(&path).signed_in_as("other")).status, 404);
}

#[test]
fn its_card_is_the_chapels_with_one_interface_more() {
    let chapel = chapel();
    let mut card = chapel.send(&Request::get("/.well-known/agent-card.json")).json();
    let interface = card["supportedInterfaces"].as_array_mut().unwrap().pop().unwrap();
    assert_eq!((&interface["protocolBinding"], &interface["protocolVersion"]), (&json!("GRPC"), &json!("1.0")));
    assert_eq!(card, serde_json::from_str::<Value>(CARD).unwrap());
}

#[test]
fn the_printed_commands_work_as_they_are_printed() {
    let chapel = chapel();
    let welcome =
        include_str!("../../examples/grpc/welcome.txt").replace("{base}", &format!("http://{}", chapel.addr()));
    let commands = welcome.lines().filter_map(|line| line.strip_prefix("  ")).collect::<Vec<_>>();
    assert_eq!(commands.len(), 3);
    for (command, marked) in commands.into_iter().zip([true, true, false]) {
        let output = Command::new("sh").args(["-c", command]).output().unwrap();
        let reply = String::from_utf8_lossy(&output.stdout).into_owned();
        let error = String::from_utf8_lossy(&output.stderr);
        if error.contains("curl: not found") || error.contains("does not support") {
            eprintln!("SKIPPED: there is no curl with HTTP/2 on this machine; `.ci/run` installs one");
            return;
        }
        assert!(reply.contains(ADDRESS), "{command}\n{reply}{error}");
        assert_eq!(reply.matches(ON_REQUEST).count() > 0, marked, "{command}\n{reply}");
        assert!(!reply.contains(figure(price())), "{reply}");
    }
}
