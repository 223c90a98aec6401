//! The shapes of replies and the members that are read in each: a closed table.

use crate::extension::ObjectKind;
use crate::json::JsonText;

/// What an object of a reply is, by the place where it stands. Each shape holds only later ones,
/// so that reading nests at most as deep as this list is long.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ReplyShape {
    /// The document itself: a JSON-RPC response or anything of [`Payload`](Self::Payload).
    Document,
    /// A `SendMessageResponse`, `StreamResponse` or `ListTasksResponse`, or a bare Task, Message or
    /// event; told by its members.
    Payload,
    Task,
    Event,
    Status,
    /// A Message or an Artifact.
    Object(ObjectKind),
}

/// A member that is read, whatever its spelling.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum MemberKey {
    Result,
    Error,
    Task,
    Tasks,
    Message,
    /// What 0.3's proto calls `update`: the message of a status.
    StatusMessage,
    Update,
    Status,
    State,
    Artifact,
    Artifacts,
    History,
    Metadata,
    Extensions,
    Parts,
    Role,
    Kind,
    Id,
    TaskId,
    ObjectId,
    ReferenceTaskIds,
}

/// The longest spelling below, escaped throughout.
const LONGEST_ESCAPED: usize = 6 * "reference_task_ids".len();

impl MemberKey {
    /// The member that `key` names in an object of `shape`.
    #[inline]
    pub(super) fn of(key: &JsonText<'_>, shape: ReplyShape) -> Option<Self> {
        let member = match key.raw() {
            (raw, false) => Self::spelled(raw),
            (raw, true) if raw.len() <= LONGEST_ESCAPED => Self::spelled(key.decode().ok()?.as_bytes()),
            _ => None,
        };
        member.and_then(|member| member.within(shape))
    }

    fn spelled(key: &[u8]) -> Option<Self> {
        Some(match key {
            b"result" => Self::Result,
            b"error" => Self::Error,
            b"task" => Self::Task,
            b"tasks" => Self::Tasks,
            b"message" | b"msg" => Self::Message,
            b"update" => Self::StatusMessage,
            b"statusUpdate" | b"status_update" | b"artifactUpdate" | b"artifact_update" => Self::Update,
            b"status" => Self::Status,
            b"state" => Self::State,
            b"artifact" => Self::Artifact,
            b"artifacts" => Self::Artifacts,
            b"history" => Self::History,
            b"metadata" => Self::Metadata,
            b"extensions" => Self::Extensions,
            b"parts" | b"content" => Self::Parts,
            b"role" => Self::Role,
            b"kind" => Self::Kind,
            b"id" => Self::Id,
            b"taskId" | b"task_id" => Self::TaskId,
            b"referenceTaskIds" | b"reference_task_ids" => Self::ReferenceTaskIds,
            b"messageId" | b"message_id" | b"artifactId" | b"artifact_id" => Self::ObjectId,
            _ => return None,
        })
    }

    /// The same, if objects of `shape` have such a member.
    fn within(self, shape: ReplyShape) -> Option<Self> {
        let has = match shape {
            ReplyShape::Document => !matches!(self, Self::State | Self::StatusMessage),
            ReplyShape::Payload => !matches!(self, Self::State | Self::StatusMessage | Self::Result | Self::Error),
            ReplyShape::Task => {
                let is_list = matches!(self, Self::Artifacts | Self::History | Self::Metadata | Self::Extensions);
                is_list || matches!(self, Self::Status | Self::Kind | Self::Id)
            }
            ReplyShape::Event => {
                let is_list = matches!(self, Self::Metadata | Self::Extensions);
                is_list || matches!(self, Self::Status | Self::Artifact | Self::Kind | Self::TaskId)
            }
            ReplyShape::Status => return self.within_status(),
            ReplyShape::Object(_) => {
                matches!(
                    self,
                    Self::Metadata
                        | Self::Extensions
                        | Self::Parts
                        | Self::Role
                        | Self::Kind
                        | Self::ObjectId
                        | Self::ReferenceTaskIds
                )
            }
        };
        has.then_some(self)
    }

    fn within_status(self) -> Option<Self> {
        match self {
            Self::Message | Self::StatusMessage => Some(Self::StatusMessage),
            Self::State | Self::Metadata | Self::Extensions => Some(self),
            _ => None,
        }
    }
}
