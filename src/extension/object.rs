//! An outgoing object, as an extension sees it.

use std::borrow::Cow;

use serde_json::Value;

use crate::uri::ExtensionUri;

/// Which kind of object goes out.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ObjectKind {
    /// A Message that is the reply, or an event of a stream.
    Message,
    /// The `message` of a task's `status`.
    StatusMessage,
    /// An agent's message in a task's `history`.
    HistoryMessage,
    /// An Artifact, or a chunk of one.
    Artifact,
    /// What encloses Messages and Artifacts, or a Part of one: a Task, a status, an event, a reply. An
    /// extension is asked about it only where one of its keys stands there, and nothing is set there.
    /// Data of an active extension without a gate stays unless it says [remove](super::Stamp::remove);
    /// all other goes. Where it [withholds](super::Stamp::withhold), only ids, state and the text leave
    /// of the whole Task or event, or the reply is stopped.
    Enclosing,
}

/// An object on its way to the client, as an extension sees it.
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::{ObjectKind, OutgoingObject};
///
/// let artifact = OutgoingObject::new(ObjectKind::Artifact, true)
///     .with_task_state("TASK_STATE_COMPLETED")
///     .with_metadata("https://example.com/mood/v1", json!("cheerful"));
/// assert_eq!(artifact.metadata("https://example.com/mood/v1"), Some(&json!("cheerful")));
/// ```
#[derive(Clone, Debug)]
pub struct OutgoingObject<'a> {
    kind: ObjectKind,
    active: bool,
    uri: Option<&'a ExtensionUri>,
    task_state: Option<ObjectText<'a>>,
    id: Option<ObjectText<'a>>,
    task_id: Option<ObjectText<'a>>,
    text: Option<Cow<'a, str>>,
    metadata: Vec<(Cow<'a, str>, Value)>,
    unreadable: Vec<Cow<'a, str>>,
    marked_siblings: Vec<Cow<'a, str>>,
    in_list: bool,
    withheld: bool,
    absent: bool,
    artifact_count: usize,
}

/// A text that is read when somebody asks for it: few extensions do.
#[derive(Clone, Debug)]
pub(crate) enum ObjectText<'a> {
    Read(Cow<'a, str>),
    /// What is no text counts as not there.
    Unread {
        bytes: &'a [u8],
        read: fn(&[u8]) -> Option<&str>,
    },
}

impl ObjectText<'_> {
    fn get(&self) -> Option<&str> {
        match self {
            Self::Read(text) => Some(text),
            Self::Unread { bytes, read } => read(bytes),
        }
    }
}

impl<'a> OutgoingObject<'a> {
    /// An object for a unit test of [`A2aExtension::stamp`](super::A2aExtension::stamp).
    #[must_use]
    pub fn new(kind: ObjectKind, active: bool) -> Self {
        Self {
            kind,
            active,
            uri: None,
            task_state: None,
            id: None,
            task_id: None,
            text: None,
            metadata: Vec::new(),
            marked_siblings: Vec::new(),
            unreadable: Vec::new(),
            in_list: false,
            withheld: false,
            absent: false,
            artifact_count: 0,
        }
    }

    /// Sets the state of the task it belongs to, as it is written there.
    #[must_use]
    pub fn with_task_state(mut self, state: impl Into<Cow<'a, str>>) -> Self {
        self.task_state = Some(ObjectText::Read(state.into()));
        self
    }

    /// Sets the id of the task it belongs to.
    #[must_use]
    pub fn with_task_id(mut self, id: impl Into<Cow<'a, str>>) -> Self {
        self.task_id = Some(ObjectText::Read(id.into()));
        self
    }

    /// Sets its own id: `messageId` or `artifactId`.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<Cow<'a, str>>) -> Self {
        self.id = Some(ObjectText::Read(id.into()));
        self
    }

    /// Sets the text of its text Parts.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<Cow<'a, str>>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Adds a value that the agent has written into its `metadata`.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<Cow<'a, str>>, value: Value) -> Self {
        self.metadata.push((key.into(), value));
        self
    }

    /// Says that under `key` stands what cannot be read.
    #[must_use]
    pub fn with_unreadable(mut self, key: impl Into<Cow<'a, str>>) -> Self {
        self.unreadable.push(key.into());
        self
    }

    /// Says that another Artifact of the same reply or event carries `key` in its `metadata`.
    #[must_use]
    pub fn with_marked_sibling(mut self, key: impl Into<Cow<'a, str>>) -> Self {
        self.marked_siblings.push(key.into());
        self
    }

    /// Says that it stands in a list of tasks.
    #[must_use]
    pub fn with_list(mut self) -> Self {
        self.in_list = true;
        self
    }

    /// Says that it is not there: see [`is_absent`](Self::is_absent).
    #[must_use]
    pub fn with_absence(mut self) -> Self {
        self.absent = true;
        self
    }

    /// Sets how many Artifacts its document or event holds.
    #[must_use]
    pub fn with_artifact_count(mut self, count: usize) -> Self {
        self.artifact_count = count;
        self
    }

    /// Says that another extension withholds its content. What the agent wrote into its `metadata` is
    /// gone with that.
    ///
    /// ```
    /// use serde_json::json;
    /// use tower_a2a_extensions::{ObjectKind, OutgoingObject};
    ///
    /// let artifact = OutgoingObject::new(ObjectKind::Artifact, true)
    ///     .with_id("a-1")
    ///     .with_metadata("https://example.com/sources/v1", json!(["the price list"]))
    ///     .with_content_withheld();
    /// assert!(artifact.is_withheld());
    /// assert_eq!(artifact.metadata("https://example.com/sources/v1"), None);
    /// assert_eq!(artifact.id(), Some("a-1"));
    /// ```
    #[must_use]
    pub fn with_content_withheld(mut self) -> Self {
        self.withheld = true;
        self.text = None;
        self.metadata.clear();
        self.unreadable.clear();
        self
    }

    /// Sets what its document says of it.
    pub(crate) fn set_place(
        &mut self,
        task_state: Option<ObjectText<'a>>,
        task_id: Option<ObjectText<'a>>,
        id: Option<ObjectText<'a>>,
    ) {
        self.task_state = task_state;
        self.task_id = task_id;
        self.id = id;
    }

    /// Says whether the extension that is asked next is active, and how the client spelled it.
    pub(crate) fn set_asked(&mut self, active: bool, uri: Option<&'a ExtensionUri>) {
        self.active = active;
        self.uri = uri;
    }

    /// Which kind of object it is.
    #[must_use]
    pub fn kind(&self) -> ObjectKind {
        self.kind
    }

    /// Whether the asked extension is active on the call.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// The spelling under which the client asked for the extension, where it has aliases.
    #[must_use]
    pub fn requested_uri(&self) -> Option<&ExtensionUri> {
        self.uri
    }

    /// Whether it stands in a list of tasks: in the reply to `ListTasks`, or in any array of tasks or
    /// replies. Whoever gets one has not had to know the id of its task.
    #[must_use]
    pub fn in_list(&self) -> bool {
        self.in_list
    }

    /// Whether it is the `status.message` that a task's final status lacks. It is asked about only where
    /// something was withheld or refused in the call, and leaves only where an extension gives it a text
    /// by [`withhold`](super::Stamp::withhold).
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.absent
    }

    /// How many Artifacts its document or event holds, itself included.
    #[must_use]
    pub fn artifact_count(&self) -> usize {
        self.artifact_count
    }

    /// Whether another extension [withholds](super::Stamp::withhold) its content, so that a text of that
    /// extension leaves instead. The object is then asked about once more, and only what is set now
    /// leaves with it: set nothing that tells of the content.
    #[must_use]
    pub fn is_withheld(&self) -> bool {
        self.withheld
    }

    /// The state of the task it belongs to, as it is written there: `TASK_STATE_COMPLETED`, or
    /// `completed` in 0.3.
    #[must_use]
    pub fn task_state(&self) -> Option<&str> {
        self.task_state.as_ref()?.get()
    }

    /// The id of the Task or event that it stands in. `None` for a Message that is the whole reply.
    #[must_use]
    pub fn task_id(&self) -> Option<&str> {
        self.task_id.as_ref()?.get()
    }

    /// Its `messageId` or `artifactId`.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_ref()?.get()
    }

    /// The text of its text Parts, joined by line feeds. Only there where it carries a managed key, or
    /// where something was withheld or refused in the call.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The value that stands under one of the extensions' keys in its `metadata`; the last, if
    /// the key occurs twice.
    #[must_use]
    pub fn metadata(&self, key: &str) -> Option<&Value> {
        self.metadata.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// All values under this key, in order; more than one where the key occurs twice. What decides
    /// whether an object may leave looks at each.
    pub fn metadata_values(&self, key: &str) -> impl Iterator<Item = &Value> {
        self.metadata.iter().filter(move |(name, _)| name == key).map(|(_, value)| value)
    }

    /// Whether a value under this key cannot be read: it is no valid JSON, or names a member twice.
    /// It does not leave; whether the object may is for the extension to say.
    #[must_use]
    pub fn is_unreadable(&self, key: &str) -> bool {
        self.unreadable.iter().any(|name| name == key)
    }

    /// Whether another Artifact of the same document or event carries this key.
    #[must_use]
    pub fn has_marked_sibling(&self, key: &str) -> bool {
        self.marked_siblings.iter().any(|name| name == key)
    }
}
