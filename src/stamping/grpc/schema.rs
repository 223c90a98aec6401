//! The messages that replies consist of, and the numbers of the fields that are read in each: a
//! closed table of A2A 1.0 and 0.3.

use crate::binding::{Operation, ProtocolVersion};
use crate::extension::ObjectKind;

use ProtocolVersion::{V0_3, V1_0};

/// What a message of a reply is, by the place where it stands. Each type holds only later ones, so
/// that reading nests at most as deep as this list is long.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ReplyType {
    SendMessageResponse,
    StreamResponse,
    ListTasksResponse,
    Task,
    StatusUpdate,
    ArtifactUpdate,
    Status,
    /// A Message or an Artifact.
    Object(ObjectKind),
    Part,
}

/// What a field is, as far as it is looked at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum FieldRole {
    /// A message of which there is one.
    One(ReplyType),
    /// A message of which there are several.
    Many(ReplyType),
    /// A `google.protobuf.Struct` with the extensions' values.
    Metadata,
    /// A URI of `extensions`.
    ExtensionUri,
    ObjectId,
    /// The id of a Task, or the `taskId` of an event.
    TaskId,
    Role,
    TaskState,
    /// The content of a Part that is a text.
    Text,
    /// The content of a Part in which keys can stand.
    Data,
    /// It is known, and no key can stand in it.
    Plain,
}

/// The messages of one version.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct ReplySchema {
    version: ProtocolVersion,
    root: ReplyType,
}

impl ReplySchema {
    /// What an operation answers with; `None` where no objects are in it.
    pub(super) fn of(operation: Option<Operation>, version: ProtocolVersion) -> Option<Self> {
        let root = match operation? {
            Operation::SendMessage => ReplyType::SendMessageResponse,
            Operation::SendStreamingMessage | Operation::SubscribeToTask => ReplyType::StreamResponse,
            Operation::GetTask | Operation::CancelTask => ReplyType::Task,
            Operation::ListTasks => ReplyType::ListTasksResponse,
            _ => return None,
        };
        Some(Self { version, root })
    }

    pub(super) fn root(self) -> ReplyType {
        self.root
    }

    /// The role of a field; `None` where this version has no such field.
    #[inline]
    pub(super) fn role(self, message: ReplyType, number: u32) -> Option<FieldRole> {
        use FieldRole::{Many, Metadata, One, Plain};
        use ReplyType as T;
        Some(match message {
            T::Part => return self.part_role(number),
            T::Object(ObjectKind::Artifact) => return self.artifact_role(number),
            T::Object(_) => return Self::message_role(number),
            T::SendMessageResponse | T::StreamResponse => match number {
                1 => One(T::Task),
                2 => One(T::Object(ObjectKind::Message)),
                3 if message == T::StreamResponse => One(T::StatusUpdate),
                4 if message == T::StreamResponse => One(T::ArtifactUpdate),
                _ => return None,
            },
            T::ListTasksResponse => match number {
                1 => Many(T::Task),
                2..=4 => Plain,
                _ => return None,
            },
            T::Task => match number {
                1 => FieldRole::TaskId,
                2 => Plain,
                3 => One(T::Status),
                4 => Many(T::Object(ObjectKind::Artifact)),
                5 => Many(T::Object(ObjectKind::HistoryMessage)),
                6 => Metadata,
                _ => return None,
            },
            T::StatusUpdate => match (self.version, number) {
                (V1_0, 4) | (V0_3, 5) => Metadata,
                (_, 1) => FieldRole::TaskId,
                (_, 2 | 4) => Plain,
                (_, 3) => One(T::Status),
                _ => return None,
            },
            T::ArtifactUpdate => match number {
                1 => FieldRole::TaskId,
                2 | 4 | 5 => Plain,
                3 => One(T::Object(ObjectKind::Artifact)),
                6 => Metadata,
                _ => return None,
            },
            T::Status => match number {
                1 => FieldRole::TaskState,
                2 => One(T::Object(ObjectKind::StatusMessage)),
                3 => Plain,
                _ => return None,
            },
        })
    }

    #[inline]
    fn message_role(number: u32) -> Option<FieldRole> {
        Some(match number {
            1 => FieldRole::ObjectId,
            2 | 3 => FieldRole::Plain,
            4 => FieldRole::Role,
            5 => FieldRole::Many(ReplyType::Part),
            6 => FieldRole::Metadata,
            7 => FieldRole::ExtensionUri,
            8 => FieldRole::Plain,
            _ => return None,
        })
    }

    #[inline]
    fn artifact_role(self, number: u32) -> Option<FieldRole> {
        // 0.3 has no field 2, and all that follows is one further.
        let number = match (self.version, number) {
            (V0_3, 2) => return None,
            (V0_3, 3..) => number - 1,
            _ => number,
        };
        Some(match number {
            1 => FieldRole::ObjectId,
            2 | 3 => FieldRole::Plain,
            4 => FieldRole::Many(ReplyType::Part),
            5 => FieldRole::Metadata,
            6 => FieldRole::ExtensionUri,
            _ => return None,
        })
    }

    #[inline]
    fn part_role(self, number: u32) -> Option<FieldRole> {
        Some(match (self.version, number) {
            (_, 1) => FieldRole::Text,
            (V1_0, 4) | (V0_3, 3) => FieldRole::Data,
            (V1_0, 5) | (V0_3, 4) => FieldRole::Metadata,
            (V1_0, 2 | 3 | 6 | 7) | (V0_3, 2) => FieldRole::Plain,
            _ => return None,
        })
    }

    /// The numbers under which a Message or Artifact is written.
    pub(super) fn numbers(self, kind: ObjectKind) -> ObjectNumbers {
        match (kind, self.version) {
            (ObjectKind::Artifact, V1_0) => ObjectNumbers { parts: 4, metadata: 5, extensions: 6, ids: &[1] },
            (ObjectKind::Artifact, V0_3) => ObjectNumbers { parts: 5, metadata: 6, extensions: 7, ids: &[1] },
            _ => ObjectNumbers { parts: 5, metadata: 6, extensions: 7, ids: &[1, 2, 3, 4] },
        }
    }

    /// A task state as ProtoJSON names it; one that is not known by its number.
    pub(super) fn state_name(self, state: i32) -> std::borrow::Cow<'static, str> {
        std::borrow::Cow::Borrowed(match state {
            1 => "TASK_STATE_SUBMITTED",
            2 => "TASK_STATE_WORKING",
            3 => "TASK_STATE_COMPLETED",
            4 => "TASK_STATE_FAILED",
            5 if self.version == V0_3 => "TASK_STATE_CANCELLED",
            5 => "TASK_STATE_CANCELED",
            6 => "TASK_STATE_INPUT_REQUIRED",
            7 => "TASK_STATE_REJECTED",
            8 => "TASK_STATE_AUTH_REQUIRED",
            _ => return state.to_string().into(),
        })
    }
}

/// Numbers of a Message or Artifact.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectNumbers {
    pub(super) parts: u32,
    pub(super) metadata: u32,
    pub(super) extensions: u32,
    /// Fields that say which object it is, where it belongs and whose it is.
    pub(super) ids: &'static [u32],
}
