//! What the page asks of the declaration, over the whole card: everything that is found.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::super::CONVERSE_URI;
use super::address::HttpsAddress;
use super::declaration::ConverseDeclaration;
use super::tool::ConverseTool;
use crate::card::{AgentCard, CardSkill, DeclaredExtension};
use crate::findings::{Finding, Findings, Severity, quoted};

/// The extension has no numbered rules.
const RULE: &str = "converse";
/// So many tools are checked.
const MAX_TOOLS: usize = 1_000;

/// Checks whatever a card declares of Converse, for a card that no layer is built with.
///
/// A card that does not declare the extension has no findings. With [`CardChecker::also`] its places
/// in the source are found too.
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::AgentCard;
/// use tower_a2a_extensions::converse::{ConverseDeclaration, ConverseTool, McpEndpoint, check_card};
///
/// let params = ConverseDeclaration::new(McpEndpoint::new("https://mcp.example.com/a"));
/// let card = AgentCard::from_serialize(json!({
///     "skills": [{"id": "book_table", "name": "Book a table"}],
///     "capabilities": {"extensions": [params.with_tool(ConverseTool::new("book_tabel", "Book a table."))]},
/// }))?;
/// let mut findings = tower_a2a_extensions::Findings::default();
/// check_card(&card, &mut findings);
/// let pointers = findings.iter().map(|finding| finding.pointer.as_str()).collect::<Vec<_>>();
/// assert_eq!(pointers, ["/capabilities/extensions/0/params/tools/0/toolName"]);
/// # Ok::<(), tower_a2a_extensions::BuildError>(())
/// ```
///
/// [`CardChecker::also`]: crate::on_request::CardChecker::also
pub fn check_card(card: &AgentCard, findings: &mut Findings) {
    for declared in card.extensions() {
        match declared.uri() {
            Some(uri) if CONVERSE_URI == *uri => drop(check(card, &declared, findings)),
            Some(uri) => near_miss(uri, &declared, findings),
            None => {}
        }
    }
}

/// Checks one declaration. What it declares, with compiled schemas, where none of the findings is an error.
pub(in super::super) fn check(
    card: &AgentCard,
    declared: &DeclaredExtension<'_>,
    findings: &mut Findings,
) -> Option<Arc<ConverseDeclaration>> {
    let mut found = Findings::default();
    let mut check = DeclarationCheck { card, declared, found: &mut found, tools: Vec::new() };
    check.run();
    let tools = check.tools;
    let declaration = (!found.has_errors()).then(|| ConverseDeclaration::read(declared.as_value(), tools));
    findings.extend(found);
    declaration.map(Arc::new)
}

/// URIs are compared byte for byte, so what almost matches is another extension to every client.
fn near_miss(uri: &str, declared: &DeclaredExtension<'_>, findings: &mut Findings) {
    let plain = uri.trim().trim_end_matches(['/', '#', '?']);
    let rest = |uri: &str| uri.split_once("://").map(|(_, rest)| rest.to_ascii_lowercase());
    if uri.len() < 200 && rest(plain).is_some() && rest(plain) == rest(CONVERSE_URI.as_str()) {
        let what = "this is almost the URI of Converse; it is compared byte for byte, so no client knows it";
        let finding = Finding::new(Severity::Warning, RULE, format!("{}/uri", declared.pointer()), what);
        findings.push(finding.with_help(format!("write {}", quoted(CONVERSE_URI.as_str()))));
    }
}

struct DeclarationCheck<'a> {
    card: &'a AgentCard,
    declared: &'a DeclaredExtension<'a>,
    found: &'a mut Findings,
    /// Those that were checked: what was compiled for the check is kept for the inputs.
    tools: Vec<ConverseTool>,
}

impl DeclarationCheck<'_> {
    fn run(&mut self) {
        let (root, params) = (self.declared.pointer(), self.declared.params());
        if self.declared.as_value().get("required").is_some_and(|required| *required != Value::Bool(false)) {
            let what = "the extension must not be required, so that a client that ignores it still works";
            self.error(format!("{root}/required"), what, "write `\"required\": false`");
        }
        let root = format!("{root}/params");
        let Some(params) = params.filter(|params| params.is_object()) else {
            self.error(root, "`params` must be an object with `mcp` and `tools`", "add both; `tools` may be empty");
            return;
        };
        if params.get("params").is_some() || params.get("uri").is_some() {
            let what = "this is a whole declaration, put into the `params` of another";
            self.error(root, what, "put it into `capabilities.extensions` itself");
            return;
        }
        self.mcp(params.get("mcp"), &format!("{root}/mcp"));
        self.tools(params.get("tools"), &format!("{root}/tools"));
    }

    fn error(&mut self, pointer: String, what: impl Into<String>, help: impl Into<String>) {
        self.found.push(Finding::new(Severity::Error, RULE, pointer, what).with_help(help));
    }

    fn warning(&mut self, pointer: String, what: impl Into<String>, help: impl Into<String>) {
        self.found.push(Finding::new(Severity::Warning, RULE, pointer, what).with_help(help));
    }

    fn mcp(&mut self, mcp: Option<&Value>, root: &str) {
        let Some(mcp) = mcp.filter(|mcp| mcp.is_object()) else {
            let help = "say where the agent's MCP endpoint and its server card are";
            self.error(root.to_owned(), "`mcp` must be an object with `url` and `serverCardUrl`", help);
            return;
        };
        let url = self.address(mcp, "url", root);
        let server_card = self.address(mcp, "serverCardUrl", root);
        if let (Some(url), Some(server_card)) = (url, server_card)
            && let Err(why) = server_card.is_one_segment_past(&url)
        {
            let written = mcp.get("url").and_then(Value::as_str).unwrap_or_default();
            let example = format!("{}/server-card", written.trim_end_matches('/'));
            let what = format!("the server card must be one segment past `mcp.url`: {why}");
            self.error(format!("{root}/serverCardUrl"), what, format!("write, for example, {}", quoted(&example)));
        }
    }

    fn address(&mut self, mcp: &Value, member: &str, root: &str) -> Option<HttpsAddress> {
        let pointer = format!("{root}/{member}");
        let help = "write an address such as `https://mcp.example.com/mcp/a/1`";
        let Some(text) = mcp.get(member).and_then(Value::as_str) else {
            self.error(pointer, format!("`{member}` must be a string, an https address"), help);
            return None;
        };
        match HttpsAddress::parse(text) {
            Ok(address) => {
                if address.is_plain() {
                    let what = format!("{} is an http address of this machine, for development alone", quoted(text));
                    self.warning(pointer, what, help);
                }
                Some(address)
            }
            Err(why) => {
                self.error(pointer, format!("{} cannot be used: {why}", quoted(text)), help);
                None
            }
        }
    }

    fn tools(&mut self, tools: Option<&Value>, root: &str) {
        let Some(tools) = tools.and_then(Value::as_array) else {
            let help = "where no routine is exposed, write `\"tools\": []`";
            self.error(root.to_owned(), "`tools` must be an array with one object for each exposed routine", help);
            return;
        };
        if tools.len() > MAX_TOOLS {
            let what = format!("{} tools are listed, {MAX_TOOLS} are checked", tools.len());
            self.error(root.to_owned(), what, "expose fewer routines");
        }
        let skills = self.card.skills().filter_map(|skill| skill.id()).collect::<HashSet<_>>();
        let mut seen = HashMap::new();
        for (index, tool) in tools.iter().enumerate().take(MAX_TOOLS) {
            let root = format!("{root}/{index}");
            if !tool.is_object() {
                self.error(root, "a tool is an object", "write `toolName`, `description` and `inputSchema`");
                continue;
            }
            let name = tool.get("toolName").and_then(Value::as_str);
            self.tool_name(name, &skills, format!("{root}/toolName"));
            if let Some(first) = name.and_then(|name| seen.insert(name, index)) {
                let what = format!("tool {first} has the same name");
                self.error(format!("{root}/toolName"), what, "keep one entry for a routine");
            }
            self.description(tool.get("description"), format!("{root}/description"));
            let tool = ConverseTool::read(tool);
            self.input_schema(&tool, &format!("{root}/inputSchema"));
            self.tools.push(tool);
        }
    }

    fn tool_name(&mut self, name: Option<&str>, skills: &HashSet<&str>, pointer: String) {
        match name {
            None | Some("") => {
                self.error(pointer, "a tool needs `toolName`, a string", "write the id of the routine's skill");
            }
            Some(name) if !skills.contains(name) => {
                let some = self.card.skills().filter_map(|skill: CardSkill<'_>| skill.id());
                let some = some.take(10).map(quoted).collect::<Vec<_>>().join(", ");
                let help = match some.as_str() {
                    "" => "a routine is a skill of the card as well, and the card has none with an id".to_owned(),
                    some => format!("a routine is a skill of the card as well; its skills are {some}"),
                };
                self.error(pointer, format!("the card has no skill with the id {}", quoted(name)), help);
            }
            Some(_) => {}
        }
    }

    fn description(&mut self, description: Option<&Value>, pointer: String) {
        let help = "say in a sentence what the routine does: a calling model chooses by it";
        match description {
            Some(Value::String(_)) => {}
            None => self.warning(pointer, "a tool has a `description`", help),
            Some(_) => self.error(pointer, "`description` must be a string", help),
        }
    }

    fn input_schema(&mut self, tool: &ConverseTool, root: &str) {
        let schema = tool.input_schema();
        match tool.compiled().get(schema) {
            Err(faults) => {
                for fault in faults {
                    self.error(format!("{root}{}", fault.pointer), fault.why.clone(), fault.help);
                }
                return;
            }
            Ok(compiled) if compiled.is_unchecked() => {
                let what = "this schema says more than slots do, and this crate was built without its feature \
                            `json-schema`: it is not checked, and `ConverseTool::read_input` refuses every input";
                self.warning(root.to_owned(), what, "build with the feature, or describe slots by their type only");
            }
            Ok(_) => {}
        }
        if schema.get("type").is_none_or(|value| value != "object") {
            let what = "the slots of a routine are members of an object, and the schema does not say so";
            self.warning(format!("{root}/type"), what, "write `\"type\": \"object\"`");
        }
    }
}

#[cfg(test)]
mod tests;
