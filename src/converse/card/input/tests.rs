use serde_json::json;

use super::super::slot::{Slot, SlotType};
use super::super::tool::ConverseTool;
use super::*;
use crate::binding::IncomingMessage;
use crate::converse::{ConverseDeclaration, McpEndpoint};

fn book_table() -> ConverseTool {
    ConverseTool::new("book_table", "Book a table for a date and party size.")
        .with_slot(Slot::required("date", SlotType::String))
        .with_slot(Slot::required("partySize", SlotType::Integer))
}

fn problems(error: &ToolInputError) -> Vec<(Option<&str>, &str)> {
    error.problems().iter().map(|problem| (problem.slot(), problem.pointer())).collect()
}

#[test]
fn an_input_that_fits_starts_the_routine() {
    let input = book_table().read_input(r#"{"date": "2027-05-01", "partySize": 4}"#).unwrap();
    assert_eq!((input.tool_name(), input.outcome()), ("book_table", InvocationOutcome::Started));
    assert_eq!(json!(input.as_map()), json!({"date": "2027-05-01", "partySize": 4}));
    assert_eq!(input.get("date"), Some(&json!("2027-05-01")));
    assert!(!format!("{input:?}").contains("2027"));
}

#[test]
fn an_input_that_does_not_fit_starts_nothing_and_every_slot_is_named() {
    let error = book_table().read_input(r#"{"partySize": "four"}"#).unwrap_err();
    assert_eq!(error.outcome(), &InvocationOutcome::NotStarted);
    assert_eq!(problems(&error), [(Some("date"), "/date"), (Some("partySize"), "/partySize")]);
    assert!(error.to_string().contains("`/date` is required, and missing"), "{error}");
    assert!(error.to_string().contains("`/partySize` must be of type integer"), "{error}");
    assert!(!error.to_string().contains("four"), "{error}");
}

#[test]
fn an_input_out_of_bounds_starts_nothing() {
    let deep = format!(r#"{{"date": {}}}"#, "[".repeat(40) + &"]".repeat(40));
    let long = format!(r#"{{"date": "{}"}}"#, "x".repeat(70_000));
    for json in ["", "[]", "{", r#"{"date": "a", "date": "b", "partySize": 4}"#, &deep, &long] {
        let error = book_table().read_input(json).unwrap_err();
        assert_eq!(error.outcome(), &InvocationOutcome::NotStarted);
        assert_eq!(problems(&error), [(None, "")]);
        assert!(error.to_string().len() < 200);
    }
}

#[test]
fn a_routine_that_is_not_exposed_is_unknown() {
    let params = ConverseDeclaration::new(McpEndpoint::new("https://mcp.example.com/a")).with_tool(book_table());
    let error = params.read_input("book_tabel\u{1b}[2J", "{}").unwrap_err();
    assert_eq!((error.outcome(), error.problems()), (&InvocationOutcome::UnknownTool, [].as_slice()));
    assert!(!error.to_string().contains('\u{1b}'), "{error}");
    assert!(params.read_input("book_table", r#"{"date": "x", "partySize": 2}"#).is_ok());
}

#[test]
fn a_name_that_a_caller_made_up_is_kept_in_short() {
    let declaration = ConverseDeclaration::new(McpEndpoint::new("https://mcp.example.com/a"));
    let error = declaration.read_input(&"é".repeat(1 << 20), "{}").unwrap_err();
    assert_eq!(error.tool_name(), format!("{}…", "é".repeat(80)));
    let error = declaration.read_input(&"x".repeat(80), "{}").unwrap_err();
    assert_eq!(error.tool_name(), "x".repeat(80));
}

#[test]
fn a_key_that_serde_json_keeps_for_itself_is_a_member_that_is_no_slot() {
    let raw = r#"{"$serde_json::private::RawValue": "{\"date\": \"2027-05-01\", \"partySize\": 4}"}"#;
    let error = book_table().read_input(raw).unwrap_err();
    assert_eq!(problems(&error), [(Some("date"), "/date"), (Some("partySize"), "/partySize")]);
    let error = book_table().deny_unknown().read_input(raw).unwrap_err();
    assert_eq!(problems(&error)[0].0, Some("$serde_json::private::RawValue"));
}

#[test]
fn a_misspelt_slot_is_refused_where_unknown_members_are() {
    let tool = book_table().with_slot(Slot::optional("note", SlotType::String));
    let json = r#"{"date": "2027-05-01", "partySize": 4, "noet": "x"}"#;
    assert!(tool.read_input(json).is_ok());
    let closed = tool.deny_unknown();
    assert_eq!(problems(&closed.read_input(json).unwrap_err()), [(Some("noet"), "/noet")]);
    let more = closed.with_slot(Slot::optional("noet", SlotType::String));
    assert!(more.read_input(json).is_ok());
    let made = book_table().with_input_schema(json!(null)).deny_unknown();
    assert_eq!(made.input_schema(), &json!({"type": "object", "additionalProperties": false}));
}

#[test]
fn every_required_slot_is_listed_whatever_its_type_is() {
    let tool = book_table().with_input_schema(json!({
        "type": "object",
        "properties": {
            "area": {"enum": ["in", "out"], "description": "Where."},
            "date": {"$ref": "#/$defs/date"},
            "name": {"type": ["string", "null"]},
            "size": {"type": "integer"}
        },
        "required": ["area", "date", "name", "phone"],
        "$defs": {"date": {"type": "string"}}
    }));
    let slots = tool.slots().collect::<Vec<_>>();
    let required = |key: &str| Slot::required(key, SlotType::Any);
    assert_eq!(
        slots,
        [
            required("area").with_description("Where."),
            required("date"),
            required("name"),
            Slot::optional("size", SlotType::Integer),
            required("phone"),
        ]
    );
    let again = slots.into_iter().fold(ConverseTool::new("book_table", ""), ConverseTool::with_slot);
    assert_eq!(again.input_schema()["properties"]["name"], json!({}));
    assert!(again.read_input(r#"{"area": 1, "date": [], "name": null, "phone": true}"#).is_ok());
    assert_eq!(
        problems(&again.read_input(r#"{"area": 1, "date": 1, "name": 1}"#).unwrap_err()),
        [(Some("phone"), "/phone")]
    );
}

#[test]
fn the_input_is_the_one_data_part_of_a_message() {
    let read = |parts: serde_json::Value| {
        let message = IncomingMessage::from_value(&json!({"messageId": "m", "parts": parts}), None).unwrap();
        let params = ConverseDeclaration::new(McpEndpoint::new("https://mcp.example.com/a")).with_tool(book_table());
        params.read_message("book_table", &message).map_err(|error| error.to_string())
    };
    let data = json!({"data": {"date": "2027-05-01", "partySize": 4}});
    assert!(read(json!([{"text": "Please."}, data])).is_ok());
    assert!(read(json!([{"text": "Please."}])).unwrap_err().contains("no data Part"));
    assert!(read(json!([data, data])).unwrap_err().contains("more than one data Part"));
    assert!(read(json!([{"data": "2027-05-01"}])).unwrap_err().contains("must be an object"));
}

#[test]
fn a_schema_that_is_none_accepts_nothing() {
    for schema in [json!(true), json!(null), json!([])] {
        let error = book_table().with_input_schema(schema).read_input("{}").unwrap_err();
        assert_eq!(error.outcome(), &InvocationOutcome::NotStarted);
    }
    let typo = book_table().with_input_schema(json!({"type": "objekt"}));
    assert_eq!(typo.read_input("{}").unwrap_err().outcome(), &InvocationOutcome::NotStarted);
}

#[test]
fn a_slot_that_is_set_again_is_another_and_the_schema_is_read_again() {
    let tool = book_table();
    assert!(tool.read_input("{}").is_err());
    let relaxed = tool
        .clone()
        .with_slot(Slot::optional("date", SlotType::String).with_description("The day."))
        .with_slot(Slot::optional("partySize", SlotType::Number));
    assert_eq!(
        relaxed.input_schema(),
        &json!({
            "type": "object",
            "properties": {"date": {"type": "string", "description": "The day."}, "partySize": {"type": "number"}}
        })
    );
    assert!(relaxed.read_input("{}").is_ok());
    assert!(tool.read_input("{}").is_err());
}

#[test]
fn a_key_of_the_caller_is_told_in_short() {
    let closed = json!({"type": "object", "additionalProperties": false});
    let tool = book_table().with_input_schema(closed);
    for key in ["x".repeat(10_000), "é/~".repeat(300)] {
        let error = tool.read_input(&json!({&key: 1}).to_string()).unwrap_err();
        let [problem] = error.problems() else { panic!("{error:?}") };
        assert_eq!((problem.slot().unwrap().chars().count(), problem.pointer()), (81, ""));
        assert!(error.to_string().len() < 300, "{error}");
    }
    let error = tool.read_input(r#"{"a/b~": 1}"#).unwrap_err();
    assert_eq!(problems(&error), [(Some("a/b~"), "/a~1b~0")]);
}

#[cfg(feature = "json-schema")]
#[test]
fn a_place_deep_in_a_slot_keeps_the_name_of_the_slot() {
    let schema = json!({
        "type": "object",
        "properties": {"guests": {"type": "array", "items": {"type": "object", "required": ["name"]}}}
    });
    let tool = book_table().with_input_schema(schema);
    let error = tool.read_input(r#"{"guests": [{"name": "Ann"}, {}]}"#).unwrap_err();
    assert_eq!(problems(&error), [(Some("guests"), "/guests/1/name")]);
}
