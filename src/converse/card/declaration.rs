//! The declaration in the Agent Card, read and built.

use serde::Serialize;
use serde_json::{Value, json};

use super::super::CONVERSE_URI;
use super::super::outcome::InvocationOutcome;
use super::input::{ToolInput, ToolInputError};
use super::tool::ConverseTool;
use crate::binding::IncomingMessage;

/// Where the agent can be reached by MCP (`params.mcp`).
///
/// ```
/// use tower_a2a_extensions::converse::McpEndpoint;
///
/// let mcp = McpEndpoint::new("https://mcp.example.com/mcp/a/1");
/// assert_eq!(mcp.server_card_url(), "https://mcp.example.com/mcp/a/1/server-card");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct McpEndpoint {
    url: String,
    server_card_url: String,
}

impl McpEndpoint {
    /// An endpoint with its server card at `server-card` behind it.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        let url = url.into();
        let server_card_url = format!("{}/server-card", url.strip_suffix('/').unwrap_or(&url));
        Self { url, server_card_url }
    }

    /// Sets where the server card is: one segment past the endpoint.
    #[must_use]
    pub fn with_server_card_url(mut self, server_card_url: impl Into<String>) -> Self {
        self.server_card_url = server_card_url.into();
        self
    }

    /// The endpoint, an https address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The server card, an https address one segment past the endpoint.
    #[must_use]
    pub fn server_card_url(&self) -> &str {
        &self.server_card_url
    }
}

/// The declaration of Converse in a card, to build or to read.
///
/// It serialises to the whole `AgentExtension` object, one of `capabilities.extensions` (A2A §4.4.4).
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::converse::{ConverseDeclaration, ConverseTool, McpEndpoint, Slot, SlotType};
///
/// let book_table = ConverseTool::new("book_table", "Book a table.").with_slot(Slot::required("date", SlotType::String));
/// let params = ConverseDeclaration::new(McpEndpoint::new("https://mcp.example.com/a")).with_tool(book_table);
/// assert_eq!(
///     serde_json::to_value(&params)?,
///     json!({
///         "uri": "https://docs.radioso.ai/reference/a2a-converse-extension/v1",
///         "required": false,
///         "params": {
///             "mcp": {"url": "https://mcp.example.com/a", "serverCardUrl": "https://mcp.example.com/a/server-card"},
///             "tools": [{
///                 "toolName": "book_table",
///                 "description": "Book a table.",
///                 "inputSchema": {
///                     "type": "object", "properties": {"date": {"type": "string"}}, "required": ["date"]
///                 }
///             }]
///         }
///     })
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConverseDeclaration {
    description: Option<String>,
    mcp: McpEndpoint,
    tools: Vec<ConverseTool>,
}

impl ConverseDeclaration {
    /// A declaration that exposes no routine.
    #[must_use]
    pub fn new(mcp: McpEndpoint) -> Self {
        Self { description: None, mcp, tools: Vec::new() }
    }

    /// Says in words what the declaration is about.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Exposes a routine.
    #[must_use]
    pub fn with_tool(mut self, tool: ConverseTool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Where the agent can be reached by MCP.
    #[must_use]
    pub fn mcp(&self) -> &McpEndpoint {
        &self.mcp
    }

    /// The exposed routines, in the card's order.
    pub fn tools(&self) -> impl Iterator<Item = &ConverseTool> {
        self.tools.iter()
    }

    /// The exposed routine of this name.
    #[must_use]
    pub fn tool(&self, tool_name: &str) -> Option<&ConverseTool> {
        self.tools.iter().find(|tool| tool.tool_name() == tool_name)
    }

    /// Reads the input of a call to a routine that the caller names.
    ///
    /// ```
    /// use tower_a2a_extensions::converse::{ConverseDeclaration, InvocationOutcome, McpEndpoint};
    ///
    /// let params = ConverseDeclaration::new(McpEndpoint::new("https://mcp.example.com/a"));
    /// let error = params.read_input("book_table", "{}").unwrap_err();
    /// assert_eq!(error.outcome(), &InvocationOutcome::UnknownTool);
    /// ```
    ///
    /// # Errors
    ///
    /// [`ToolInputError`] where no exposed routine has the name, or [`ConverseTool::read_input`] fails.
    pub fn read_input(&self, tool_name: &str, json: &str) -> Result<ToolInput, ToolInputError> {
        self.known(tool_name)?.read_input(json)
    }

    /// Like [`read_input`](Self::read_input), of a value that was read already: what a data Part
    /// holds under `data`.
    ///
    /// # Errors
    ///
    /// As [`read_input`](Self::read_input).
    pub fn read_value(&self, tool_name: &str, data: &Value) -> Result<ToolInput, ToolInputError> {
        self.known(tool_name)?.read_value(data)
    }

    /// Like [`read_input`](Self::read_input), of the data Part of a message: for gates. A handler has
    /// [`A2aCall::message`](crate::A2aCall::message) only while an extension with a gate is installed,
    /// and else reads its own [value](Self::read_value).
    ///
    /// # Errors
    ///
    /// [`ToolInputError`] where no exposed routine has the name, or [`ConverseTool::read_message`] fails.
    pub fn read_message(&self, tool_name: &str, message: &IncomingMessage) -> Result<ToolInput, ToolInputError> {
        self.known(tool_name)?.read_message(message)
    }

    fn known(&self, tool_name: &str) -> Result<&ConverseTool, ToolInputError> {
        let unknown = || ToolInputError::new(tool_name, InvocationOutcome::UnknownTool, Vec::new());
        self.tool(tool_name).ok_or_else(unknown)
    }

    /// The `AgentExtension` object for `capabilities.extensions` (A2A §4.4.4).
    #[must_use]
    pub fn to_extension(&self) -> Value {
        let mut extension = json!({
            "uri": CONVERSE_URI.as_str(),
            "required": false,
            "params": {
                "mcp": {"url": self.mcp.url, "serverCardUrl": self.mcp.server_card_url},
                "tools": self.tools.iter().map(ConverseTool::to_value).collect::<Vec<_>>(),
            },
        });
        if let (Some(description), Some(members)) = (&self.description, extension.as_object_mut()) {
            members.insert("description".into(), description.as_str().into());
        }
        extension
    }

    /// The declaration that an `AgentExtension` object of a card is, with these tools. What is wrong
    /// with it is for the rules to say.
    pub(super) fn read(extension: &Value, tools: Vec<ConverseTool>) -> Self {
        let mcp = extension.get("params").and_then(|params| params.get("mcp"));
        let address = |name: &str| {
            let address = mcp.and_then(|mcp| mcp.get(name)).and_then(Value::as_str);
            address.unwrap_or_default().to_owned()
        };
        Self {
            description: extension.get("description").and_then(Value::as_str).map(str::to_owned),
            mcp: McpEndpoint { url: address("url"), server_card_url: address("serverCardUrl") },
            tools,
        }
    }
}

impl Serialize for ConverseDeclaration {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_extension().serialize(serializer)
    }
}
