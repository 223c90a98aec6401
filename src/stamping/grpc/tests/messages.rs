//! The messages of A2A as prost knows them, for tests: written by hand after the table of numbers.
#![allow(dead_code, missing_docs, clippy::exhaustive_structs, clippy::exhaustive_enums, unreachable_pub)]

use prost_types::Struct;

/// A2A 1.0.
pub mod v1 {
    use super::Struct;
    use prost_types::Value;

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Part {
        #[prost(oneof = "Content", tags = "1, 2, 3, 4")]
        pub content: Option<Content>,
        #[prost(message, optional, tag = "5")]
        pub metadata: Option<Struct>,
        #[prost(string, tag = "6")]
        pub filename: String,
        #[prost(string, tag = "7")]
        pub media_type: String,
    }

    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum Content {
        #[prost(string, tag = "1")]
        Text(String),
        #[prost(bytes, tag = "2")]
        Raw(Vec<u8>),
        #[prost(string, tag = "3")]
        Url(String),
        #[prost(message, tag = "4")]
        Data(Value),
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Message {
        #[prost(string, tag = "1")]
        pub message_id: String,
        #[prost(string, tag = "2")]
        pub context_id: String,
        #[prost(string, tag = "3")]
        pub task_id: String,
        #[prost(int32, tag = "4")]
        pub role: i32,
        #[prost(message, repeated, tag = "5")]
        pub parts: Vec<Part>,
        #[prost(message, optional, tag = "6")]
        pub metadata: Option<Struct>,
        #[prost(string, repeated, tag = "7")]
        pub extensions: Vec<String>,
        #[prost(string, repeated, tag = "8")]
        pub reference_task_ids: Vec<String>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Artifact {
        #[prost(string, tag = "1")]
        pub artifact_id: String,
        #[prost(string, tag = "2")]
        pub name: String,
        #[prost(string, tag = "3")]
        pub description: String,
        #[prost(message, repeated, tag = "4")]
        pub parts: Vec<Part>,
        #[prost(message, optional, tag = "5")]
        pub metadata: Option<Struct>,
        #[prost(string, repeated, tag = "6")]
        pub extensions: Vec<String>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct TaskStatus {
        #[prost(int32, tag = "1")]
        pub state: i32,
        #[prost(message, optional, tag = "2")]
        pub message: Option<Message>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Task {
        #[prost(string, tag = "1")]
        pub id: String,
        #[prost(string, tag = "2")]
        pub context_id: String,
        #[prost(message, optional, tag = "3")]
        pub status: Option<TaskStatus>,
        #[prost(message, repeated, tag = "4")]
        pub artifacts: Vec<Artifact>,
        #[prost(message, repeated, tag = "5")]
        pub history: Vec<Message>,
        #[prost(message, optional, tag = "6")]
        pub metadata: Option<Struct>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct StatusUpdate {
        #[prost(string, tag = "1")]
        pub task_id: String,
        #[prost(string, tag = "2")]
        pub context_id: String,
        #[prost(message, optional, tag = "3")]
        pub status: Option<TaskStatus>,
        #[prost(message, optional, tag = "4")]
        pub metadata: Option<Struct>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct ArtifactUpdate {
        #[prost(string, tag = "1")]
        pub task_id: String,
        #[prost(string, tag = "2")]
        pub context_id: String,
        #[prost(message, optional, tag = "3")]
        pub artifact: Option<Artifact>,
        #[prost(bool, tag = "4")]
        pub append: bool,
        #[prost(bool, tag = "5")]
        pub last_chunk: bool,
        #[prost(message, optional, tag = "6")]
        pub metadata: Option<Struct>,
    }

    /// `SendMessageResponse` has the first two kinds of payload.
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct StreamResponse {
        #[prost(oneof = "Payload", tags = "1, 2, 3, 4")]
        pub payload: Option<Payload>,
    }

    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum Payload {
        #[prost(message, tag = "1")]
        Task(Task),
        #[prost(message, tag = "2")]
        Message(Message),
        #[prost(message, tag = "3")]
        StatusUpdate(StatusUpdate),
        #[prost(message, tag = "4")]
        ArtifactUpdate(ArtifactUpdate),
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct ListTasksResponse {
        #[prost(message, repeated, tag = "1")]
        pub tasks: Vec<Task>,
        #[prost(string, tag = "2")]
        pub next_page_token: String,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct SendMessageRequest {
        #[prost(string, tag = "1")]
        pub tenant: String,
        #[prost(message, optional, tag = "2")]
        pub message: Option<Message>,
        #[prost(message, optional, tag = "4")]
        pub metadata: Option<Struct>,
    }
}

/// A2A 0.3, where its numbers differ.
pub mod v03 {
    use super::{Struct, v1};

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct DataPart {
        #[prost(message, optional, tag = "1")]
        pub data: Option<Struct>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct FilePart {
        #[prost(string, tag = "1")]
        pub file_with_uri: String,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Part {
        #[prost(oneof = "Content", tags = "1, 2, 3")]
        pub part: Option<Content>,
    }

    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum Content {
        #[prost(string, tag = "1")]
        Text(String),
        #[prost(message, tag = "2")]
        File(FilePart),
        #[prost(message, tag = "3")]
        Data(DataPart),
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Message {
        #[prost(string, tag = "1")]
        pub message_id: String,
        #[prost(string, tag = "2")]
        pub context_id: String,
        #[prost(string, tag = "3")]
        pub task_id: String,
        #[prost(int32, tag = "4")]
        pub role: i32,
        #[prost(message, repeated, tag = "5")]
        pub content: Vec<Part>,
        #[prost(message, optional, tag = "6")]
        pub metadata: Option<Struct>,
        #[prost(string, repeated, tag = "7")]
        pub extensions: Vec<String>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Artifact {
        #[prost(string, tag = "1")]
        pub artifact_id: String,
        #[prost(string, tag = "3")]
        pub name: String,
        #[prost(string, tag = "4")]
        pub description: String,
        #[prost(message, repeated, tag = "5")]
        pub parts: Vec<Part>,
        #[prost(message, optional, tag = "6")]
        pub metadata: Option<Struct>,
        #[prost(string, repeated, tag = "7")]
        pub extensions: Vec<String>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Task {
        #[prost(string, tag = "1")]
        pub id: String,
        #[prost(string, tag = "2")]
        pub context_id: String,
        #[prost(message, optional, tag = "3")]
        pub status: Option<v1::TaskStatus>,
        #[prost(message, repeated, tag = "4")]
        pub artifacts: Vec<Artifact>,
        #[prost(message, optional, tag = "6")]
        pub metadata: Option<Struct>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct StatusUpdate {
        #[prost(string, tag = "1")]
        pub task_id: String,
        #[prost(message, optional, tag = "3")]
        pub status: Option<v1::TaskStatus>,
        #[prost(bool, tag = "4")]
        pub is_final: bool,
        #[prost(message, optional, tag = "5")]
        pub metadata: Option<Struct>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct ArtifactUpdate {
        #[prost(string, tag = "1")]
        pub task_id: String,
        #[prost(message, optional, tag = "3")]
        pub artifact: Option<Artifact>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct StreamResponse {
        #[prost(oneof = "Payload", tags = "1, 2, 3, 4")]
        pub payload: Option<Payload>,
    }

    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum Payload {
        #[prost(message, tag = "1")]
        Task(Task),
        #[prost(message, tag = "2")]
        Message(Message),
        #[prost(message, tag = "3")]
        StatusUpdate(StatusUpdate),
        #[prost(message, tag = "4")]
        ArtifactUpdate(ArtifactUpdate),
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct SendMessageRequest {
        #[prost(message, optional, tag = "1")]
        pub request: Option<Message>,
        #[prost(message, optional, tag = "3")]
        pub metadata: Option<Struct>,
    }
}
