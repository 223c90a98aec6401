use serde_json::{Value, json};

use super::*;
use crate::converse::{ConverseTool, McpEndpoint, Slot, SlotType};

/// The declaration of the page, with `change` made to it.
fn declaration(change: impl FnOnce(&mut Value)) -> Value {
    let mut declaration = json!({
        "uri": "https://docs.radioso.ai/reference/a2a-converse-extension/v1",
        "description": "Radioso conversation extension. params.mcp names this agent's MCP endpoint and server card; params.tools lists each exposed routine with the JSON Schema of its input.",
        "required": false,
        "params": {
            "mcp": {
                "url": "https://mcp.radioso.ai/mcp/a/ag_7Qb3nT1xK9wZs2Pv0Lm4Rd",
                "serverCardUrl": "https://mcp.radioso.ai/mcp/a/ag_7Qb3nT1xK9wZs2Pv0Lm4Rd/server-card"
            },
            "tools": [{
                "toolName": "book_table",
                "description": "Book a table for a date and party size.",
                "inputSchema": {
                    "type": "object",
                    "properties": {"date": {"type": "string"}, "partySize": {"type": "integer"}},
                    "required": ["date", "partySize"]
                }
            }]
        }
    });
    change(&mut declaration);
    declaration
}

fn card(declaration: &Value) -> AgentCard {
    let skills = json!([{"id": "ask_agent", "name": "Ask"}, {"id": "book_table", "name": "Book a table"}]);
    AgentCard::from_serialize(json!({"skills": skills, "capabilities": {"extensions": [declaration]}})).unwrap()
}

fn checked(declaration: &Value) -> (Option<Arc<ConverseDeclaration>>, Vec<String>) {
    let (card, mut findings) = (card(declaration), Findings::default());
    let params = check(&card, &card.extensions().next().unwrap(), &mut findings);
    let told = findings.iter().map(|finding| {
        assert_eq!(finding.rule, "converse");
        assert!(finding.help.is_some(), "{finding}");
        let place = finding.pointer.strip_prefix("/capabilities/extensions/0/").unwrap();
        format!("{:?} {place}", finding.severity)
    });
    let told = told.collect();
    (params, told)
}

fn told(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let (params, told) = checked(&declaration(change));
    assert_eq!(params.is_none(), told.iter().any(|one| one.starts_with("Error")), "{told:?}");
    told
}

#[test]
fn the_card_example_of_the_page_is_read_and_built_field_by_field() {
    let page = declaration(|_| {});
    let (params, told) = checked(&page);
    assert_eq!(told, Vec::<String>::new());
    let params = params.unwrap();
    assert_eq!(params.mcp().url(), "https://mcp.radioso.ai/mcp/a/ag_7Qb3nT1xK9wZs2Pv0Lm4Rd");
    assert_eq!(params.mcp().server_card_url(), "https://mcp.radioso.ai/mcp/a/ag_7Qb3nT1xK9wZs2Pv0Lm4Rd/server-card");
    let tool = params.tool("book_table").unwrap();
    assert_eq!(params.tools().count(), 1);
    assert_eq!(tool.tool_name(), "book_table");
    assert_eq!(tool.description(), "Book a table for a date and party size.");
    let slots = [Slot::required("date", SlotType::String), Slot::required("partySize", SlotType::Integer)];
    assert_eq!(tool.slots().collect::<Vec<_>>(), slots);

    let built =
        slots.into_iter().fold(ConverseTool::new(tool.tool_name(), tool.description()), ConverseTool::with_slot);
    assert_eq!(built, *tool);
    let built = ConverseDeclaration::new(McpEndpoint::new(params.mcp().url()))
        .with_description(page["description"].as_str().unwrap())
        .with_tool(built);
    assert_eq!(built.to_extension(), page);
    assert_eq!(params.to_extension(), page);
}

#[test]
fn a_card_that_exposes_no_routine_is_fine() {
    let (params, told) = checked(&declaration(|it| it["params"]["tools"] = json!([])));
    assert_eq!((params.unwrap().tools().count(), told), (0, Vec::new()));
}

#[test]
fn what_was_compiled_for_the_check_is_kept_for_the_inputs() {
    let (declaration, _) = checked(&declaration(|_| {}));
    assert!(format!("{declaration:?}").contains("SchemaCell(Some(true))"), "{declaration:?}");
    assert!(!format!("{:?}", ConverseTool::new("x", "")).contains("Some(true)"));
}

#[test]
fn a_declaration_within_params_is_told_as_one() {
    let whole = declaration(|_| {});
    assert_eq!(told(|it| it["params"] = whole.clone()), ["Error params"]);
    let (card, mut findings) = (card(&declaration(|it| it["params"] = whole)), Findings::default());
    check_card(&card, &mut findings);
    let help = findings.iter().map(|finding| finding.help.clone().unwrap()).collect::<Vec<_>>();
    assert_eq!(help, ["put it into `capabilities.extensions` itself"]);
}

#[test]
fn a_card_without_skills_is_told_so() {
    let card = json!({"skills": [], "capabilities": {"extensions": [declaration(|_| {})]}});
    let mut findings = Findings::default();
    check_card(&AgentCard::from_serialize(card).unwrap(), &mut findings);
    let help = findings.iter().map(|finding| finding.help.clone().unwrap()).collect::<Vec<_>>();
    assert_eq!(help, ["a routine is a skill of the card as well, and the card has none with an id"]);
}

#[test]
fn required_is_false_or_left_out() {
    assert_eq!(told(|it| drop(it.as_object_mut().unwrap().remove("required"))), Vec::<String>::new());
    for bad in [json!(true), json!(null), json!("false")] {
        assert_eq!(told(|it| it["required"] = bad), ["Error required"]);
    }
}

#[test]
fn params_and_their_members_have_their_types() {
    for bad in [json!(null), json!([]), json!("x")] {
        assert_eq!(told(|it| it["params"] = bad), ["Error params"]);
    }
    assert_eq!(told(|it| it["params"] = json!({})), ["Error params/mcp", "Error params/tools"]);
    assert_eq!(told(|it| drop(it.as_object_mut().unwrap().remove("params"))), ["Error params"]);
    assert_eq!(told(|it| it["params"]["tools"] = json!({})), ["Error params/tools"]);
    assert_eq!(told(|it| it["params"]["tools"][0] = json!("book_table")), ["Error params/tools/0"]);
    assert_eq!(
        told(|it| it["params"]["tools"][0] = json!({})),
        ["Error params/tools/0/toolName", "Warning params/tools/0/description", "Error params/tools/0/inputSchema"]
    );
    assert_eq!(told(|it| it["params"]["tools"][0]["description"] = json!(1)), ["Error params/tools/0/description"]);
}

#[test]
fn both_addresses_are_https_and_the_server_card_is_one_segment_further() {
    let both = ["Error params/mcp/url", "Error params/mcp/serverCardUrl"];
    assert_eq!(told(|it| it["params"]["mcp"] = json!({})), both);
    assert_eq!(told(|it| it["params"]["mcp"] = json!({"url": "http://a/b", "serverCardUrl": 1})), both);
    for elsewhere in ["https://mcp.radioso.ai/server-card", "https://mcp.radioso.ai/mcp/a/ag_7Qb3nT1xK9wZs2Pv0Lm4Rd"] {
        assert_eq!(
            told(|it| it["params"]["mcp"]["serverCardUrl"] = json!(elsewhere)),
            ["Error params/mcp/serverCardUrl"]
        );
    }
}

#[test]
fn every_tool_is_a_skill_of_the_card_and_listed_once() {
    for bad in [json!(""), json!(1), json!("book_tabel"), json!("Book_table")] {
        assert_eq!(told(|it| it["params"]["tools"][0]["toolName"] = bad), ["Error params/tools/0/toolName"]);
    }
    let twice = told(|it| {
        let tool = it["params"]["tools"][0].clone();
        it["params"]["tools"] = json!([tool, tool]);
    });
    assert_eq!(twice, ["Error params/tools/1/toolName"]);
}

#[test]
fn an_input_schema_is_an_object_that_describes_one() {
    for bad in [json!(true), json!("object"), json!([]), json!(null)] {
        assert_eq!(told(|it| it["params"]["tools"][0]["inputSchema"] = bad), ["Error params/tools/0/inputSchema"]);
    }
    let untyped = told(|it| it["params"]["tools"][0]["inputSchema"] = json!({}));
    assert!(untyped.contains(&"Warning params/tools/0/inputSchema/type".to_owned()), "{untyped:?}");
}

#[test]
fn a_schema_that_says_more_than_slots_is_checked_or_said_to_be_unchecked() {
    let good = told(|it| it["params"]["tools"][0]["inputSchema"]["minProperties"] = json!(1));
    let mut bad = told(|it| {
        it["params"]["tools"][0]["inputSchema"]["properties"]["date"] = json!({"type": "strin", "maxLength": -1})
    });
    bad.sort();
    if cfg!(feature = "json-schema") {
        let root = "Error params/tools/0/inputSchema/properties/date";
        assert_eq!((good, bad), (Vec::new(), vec![format!("{root}/maxLength"), format!("{root}/type")]));
    } else {
        let unchecked = vec!["Warning params/tools/0/inputSchema".to_owned()];
        assert_eq!((good, bad), (unchecked.clone(), unchecked));
    }
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let all = told(|it| {
        it["required"] = json!(true);
        it["params"]["mcp"]["url"] = json!("https://user@mcp.radioso.ai/x");
        it["params"]["tools"][0]["toolName"] = json!("x");
        it["params"]["tools"][0]["inputSchema"] = json!(false);
    });
    let places = ["required", "params/mcp/url", "params/tools/0/toolName", "params/tools/0/inputSchema"];
    assert_eq!(all, places.map(|place| format!("Error {place}")));
}

#[test]
fn a_uri_that_is_almost_that_of_converse_is_told_and_another_is_not() {
    let told = |uri: &str| {
        let mut findings = Findings::default();
        check_card(&card(&json!({"uri": uri})), &mut findings);
        findings.into_iter().map(|finding| (finding.severity, finding.pointer)).collect::<Vec<_>>()
    };
    let uri = CONVERSE_URI;
    for near in
        [format!("{uri}/"), uri.as_str().replace("https", "http"), uri.as_str().to_uppercase(), format!(" {uri}")]
    {
        assert_eq!(told(&near), [(Severity::Warning, "/capabilities/extensions/0/uri".to_owned())], "{near}");
    }
    for other in ["https://docs.radioso.ai/reference/a2a-converse-extension/v2", "urn:x", "https://example.com/"] {
        assert_eq!(told(other), [], "{other}");
    }
    assert_eq!(told(uri.as_str()), [(Severity::Error, "/capabilities/extensions/0/params".to_owned())]);
}
