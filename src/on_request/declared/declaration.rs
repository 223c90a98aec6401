//! The declaration in the Agent Card, read and built (On Request §3).

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::skill::SkillId;
use crate::on_request::ON_REQUEST_URI;

/// When an action is finished (OR-3.6).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Completion {
    /// It is finished when the exchange ends. Not for anything where a step waits on a person.
    InConversation,
    /// A member of staff completes it later.
    Deferred,
}

impl Completion {
    pub(in crate::on_request) const ALL: [Self; 2] = [Self::InConversation, Self::Deferred];

    /// As it is written in the card.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InConversation => "in-conversation",
            Self::Deferred => "deferred",
        }
    }

    pub(in crate::on_request) fn read(value: &Value) -> Option<Self> {
        Self::ALL.into_iter().find(|completion| value == completion.as_str())
    }
}

/// What kind of thing an on-request skill gives.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum SkillKind {
    /// It tells something (OR-5.4).
    Information,
    /// It changes something in the operator's systems (OR-5.6).
    Action,
    /// It is opened to assistants, and neither the card nor the configuration says what it is.
    /// Nothing is given until one of them does.
    Unstated,
}

/// One entry of the declaration: an on-request skill.
///
/// ```
/// use tower_a2a_extensions::on_request::{Completion, OnRequestSkill, SkillKind};
///
/// let booking = OnRequestSkill::new("arrangement-booking", "https://ask.example.com/talk")
///     .with_assistant_access(true)
///     .with_completion(Completion::Deferred);
/// assert_eq!(booking.kind(), SkillKind::Action);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OnRequestSkill {
    id: SkillId,
    person_entry: String,
    assistant_access: bool,
    completion: Option<Completion>,
    configured: Option<SkillKind>,
}

impl OnRequestSkill {
    /// An entry that is not opened to assistants.
    #[must_use]
    pub fn new(id: impl Into<SkillId>, person_entry: impl Into<String>) -> Self {
        let person_entry = person_entry.into();
        Self { id: id.into(), person_entry, assistant_access: false, completion: None, configured: None }
    }

    /// Opens the skill to assistants that act for a person (OR-3.5), or closes it.
    ///
    /// # Security
    ///
    /// How an assistant shows that it acts for a person is not defined yet. To open a skill is to
    /// accept the assistant's own assertion (OR-5.5).
    #[must_use]
    pub fn with_assistant_access(mut self, open: bool) -> Self {
        self.assistant_access = open;
        self
    }

    /// Says that the skill is an action, and when it is finished (OR-3.6).
    #[must_use]
    pub fn with_completion(mut self, completion: Completion) -> Self {
        self.completion = Some(completion);
        self
    }

    /// Says what the card leaves open. A skill with `completion` stays an action.
    #[must_use]
    pub fn with_kind(mut self, kind: SkillKind) -> Self {
        self.configured = Some(kind);
        self
    }

    /// The id of the skill in the card.
    #[must_use]
    pub fn id(&self) -> &SkillId {
        &self.id
    }

    /// Where a person can ask (OR-3.4).
    #[must_use]
    pub fn person_entry(&self) -> &str {
        &self.person_entry
    }

    /// Whether the operator has opened it to assistants (OR-3.5).
    #[must_use]
    pub fn assistant_access(&self) -> bool {
        self.assistant_access
    }

    /// When the action is finished, if it is one by the card.
    #[must_use]
    pub fn completion(&self) -> Option<Completion> {
        self.completion
    }

    /// What kind of thing it gives. An opened skill of which neither card nor configuration says
    /// so is [`Unstated`](SkillKind::Unstated), and referred.
    #[must_use]
    pub fn kind(&self) -> SkillKind {
        match (self.completion, self.configured) {
            (Some(_), _) => SkillKind::Action,
            (None, Some(kind)) => kind,
            (None, None) if self.assistant_access => SkillKind::Unstated,
            (None, None) => SkillKind::Information,
        }
    }

    pub(in crate::on_request) fn is_action(&self) -> bool {
        self.kind() == SkillKind::Action
    }

    /// Reads an entry; what cannot be read closes the skill. `None` without an id or an address.
    fn read(entry: &Value) -> Option<Self> {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let skill = Self::new(text("id")?, text("personEntry")?)
            .with_assistant_access(entry.get("assistantAccess") == Some(&Value::Bool(true)));
        Some(match entry.get("completion") {
            None => skill,
            // An unknown value is an error of the card; until then it is the stricter kind.
            Some(value) => skill.with_completion(Completion::read(value).unwrap_or(Completion::Deferred)),
        })
    }

    fn to_value(&self) -> Value {
        let mut entry = Map::new();
        entry.insert("id".into(), self.id.as_str().into());
        entry.insert("personEntry".into(), self.person_entry.as_str().into());
        entry.insert("assistantAccess".into(), self.assistant_access.into());
        if let Some(completion) = self.completion {
            entry.insert("completion".into(), completion.as_str().into());
        }
        entry.into()
    }
}

/// The `params` of the declaration (OR-3.2), to read or to build.
///
/// It serialises to the whole `AgentExtension` object that goes into `capabilities.extensions`.
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::on_request::{OnRequestDeclaration, OnRequestSkill};
///
/// let declaration = OnRequestDeclaration::new()
///     .with_description("What the chapel tells the person who asks.")
///     .with_skill(OnRequestSkill::new("service-pricing", "https://ask.example.com/talk"));
/// assert_eq!(
///     serde_json::to_value(&declaration)?,
///     json!({
///         "uri": "https://agent-capability.org/ext/on-request/v1",
///         "description": "What the chapel tells the person who asks.",
///         "required": false,
///         "params": {"skills": [
///             {"id": "service-pricing", "personEntry": "https://ask.example.com/talk", "assistantAccess": false}
///         ]}
///     })
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct OnRequestDeclaration {
    description: Option<String>,
    skills: Vec<OnRequestSkill>,
}

impl OnRequestDeclaration {
    /// A declaration without skills; it needs at least one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says in words what the declaration is about.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Adds a skill.
    #[must_use]
    pub fn with_skill(mut self, skill: OnRequestSkill) -> Self {
        self.skills.push(skill);
        self
    }

    /// The skills, in the card's order.
    pub fn skills(&self) -> impl Iterator<Item = &OnRequestSkill> {
        self.skills.iter()
    }

    /// The `AgentExtension` object for `capabilities.extensions` (A2A §4.4.4).
    #[must_use]
    pub fn to_extension(&self) -> Value {
        let skills = self.skills.iter().map(OnRequestSkill::to_value).collect::<Vec<_>>();
        let mut extension = Map::new();
        extension.insert("uri".into(), ON_REQUEST_URI.as_str().into());
        if let Some(description) = &self.description {
            extension.insert("description".into(), description.as_str().into());
        }
        extension.insert("required".into(), false.into());
        extension.insert("params".into(), json!({"skills": skills}));
        extension.into()
    }

    /// Reads `params` as far as they can be read. What is wrong with them is for the card rules
    /// to say; an entry that cannot be read is left out.
    #[must_use]
    pub fn read(params: &Value) -> Self {
        let entries = params.get("skills").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Self { description: None, skills: entries.iter().filter_map(OnRequestSkill::read).collect() }
    }
}

impl Serialize for OnRequestDeclaration {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_extension().serialize(serializer)
    }
}
