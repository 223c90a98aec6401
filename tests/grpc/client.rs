//! The official SDK's client on a tonic channel that keeps all that comes back.
//!
//! Every byte of every reply, its head and its trailers, is searched for the price before a test
//! sees it.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use a2a_pb::a2a_service_client::A2aServiceClient;
use a2a_pb::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, SendMessageRequest, StreamResponse, SubscribeToTaskRequest,
    protojson,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use http::HeaderMap;
use http_body_util::BodyExt;
use prost::Message;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tonic::metadata::MetadataValue;
use tonic::transport::Channel;
use tonic::{Request, Status, Streaming};
use tower::Service;

use crate::driver::{ADDRESS, CardFile, Chapel, ON_REQUEST, figure, opened_card, price};

/// The card's own example question.
pub(crate) const QUESTION: &str = "What does a cremation cost at Larkfield Chapel?";
/// What no resolver knows.
pub(crate) const PARAPHRASE: &str = "Roughly, how much would it be to have my father cremated?";

/// A chapel with its gRPC service.
pub(crate) fn chapel() -> Chapel {
    Chapel::start_program("grpc", None)
}

/// One whose card is this. What it lists as interfaces does not matter but for their versions.
pub(crate) fn chapel_with(name: &str, card: &Value) -> Chapel {
    let file = CardFile::new(&format!("grpc-{name}"), &card.to_string());
    Chapel::start_program("grpc", Some(file.path()))
}

/// With the price opened to assistants.
pub(crate) fn opened_chapel(name: &str) -> Chapel {
    chapel_with(name, &opened_card())
}

pub(crate) fn text_message(text: &str) -> Value {
    json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": text}]})
}

pub(crate) fn for_person(text: &str) -> Value {
    let mut message = text_message(text);
    message["metadata"] = json!({ON_REQUEST: {"actingFor": "family-7"}});
    message
}

/// Who calls, and what its metadata says.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    metadata: Vec<(&'static str, String)>,
    binary: Vec<(&'static str, String)>,
    may_be_told: bool,
}

impl Caller {
    pub(crate) fn anonymous() -> Self {
        Self { metadata: vec![("a2a-version", "1.0".to_owned())], binary: Vec::new(), may_be_told: false }
    }

    pub(crate) fn named(name: &str) -> Self {
        Self::anonymous().with("authorization", &format!("Bearer demo-{name}"))
    }

    pub(crate) fn activating(self) -> Self {
        self.with("a2a-extensions", ON_REQUEST)
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.metadata.push((name, value.to_owned()));
        self
    }

    pub(crate) fn with_binary(mut self, name: &'static str, value: &str) -> Self {
        self.binary.push((name, value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.metadata.retain(|(known, _)| *known != name);
        self
    }

    /// The reply may hold the price.
    pub(crate) fn may_be_told(mut self) -> Self {
        self.may_be_told = true;
        self
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        for (name, value) in &self.metadata {
            request.metadata_mut().append(*name, value.parse().unwrap());
        }
        for (name, value) in &self.binary {
            request.metadata_mut().append_bin(*name, MetadataValue::from_bytes(value.as_bytes()));
        }
        request
    }
}

/// A reply: its messages as JSON, and all that came.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) outcome: Result<Vec<Value>, Status>,
    pub(crate) captured: Captured,
}

impl Reply {
    pub(crate) fn messages(&self) -> &[Value] {
        self.outcome.as_ref().unwrap_or_else(|status| panic!("{status:?}"))
    }

    pub(crate) fn one(&self) -> &Value {
        let [one] = self.messages() else { panic!("one message: {self:?}") };
        one
    }

    pub(crate) fn status(&self) -> &Status {
        self.outcome.as_ref().expect_err("an error")
    }

    pub(crate) fn echo(&self) -> Option<&str> {
        self.captured.head.get("a2a-extensions").map(|value| value.to_str().unwrap())
    }

    /// Whether a text is anywhere in it.
    pub(crate) fn holds(&self, text: &str) -> bool {
        self.captured.holds(text)
    }

    pub(crate) fn tells_price(&self) -> bool {
        self.holds(figure(price()))
    }
}

/// The initial metadata, the bytes of DATA and the trailers of one reply.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captured {
    pub(crate) head: HeaderMap,
    pub(crate) data: Vec<u8>,
    pub(crate) trailers: Option<HeaderMap>,
}

impl Captured {
    pub(crate) fn holds(&self, text: &str) -> bool {
        let mut bytes = self.data.clone();
        for (name, value) in [Some(&self.head), self.trailers.as_ref()].into_iter().flatten().flatten() {
            bytes.extend_from_slice(format!("\n{name}: ").as_bytes());
            bytes.extend_from_slice(value.as_bytes());
            // What is binary comes in base64.
            bytes.extend(STANDARD_NO_PAD.decode(value.as_bytes().trim_ascii_end()).unwrap_or_default());
        }
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    }
}

/// A connection to one server.
#[derive(Clone)]
pub(crate) struct Client {
    channel: Channel,
}

/// What is kept of the reply that comes.
type Record = Arc<Mutex<Captured>>;

impl Client {
    pub(crate) async fn of(chapel: &Chapel) -> Self {
        Self::connect(chapel.addr()).await
    }

    pub(crate) async fn connect(addr: &str) -> Self {
        let endpoint = Channel::from_shared(format!("http://{addr}")).unwrap();
        Self { channel: endpoint.connect().await.unwrap() }
    }

    fn service(&self) -> (A2aServiceClient<Tap>, Record) {
        let record = Record::default();
        let tap = Tap { channel: self.channel.clone(), record: Arc::clone(&record) };
        (A2aServiceClient::new(tap), record)
    }

    pub(crate) async fn send(&self, caller: &Caller, message: &Value) -> Reply {
        let (mut client, record) = self.service();
        let reply = client.send_message(caller.request(send_request(message))).await;
        let reply = reply.map(|reply| vec![to_json::<protojson::SendMessageResponse>(reply.get_ref())]);
        finish(caller, reply, &record)
    }

    pub(crate) async fn stream(&self, caller: &Caller, message: &Value) -> Reply {
        let (mut client, record) = self.service();
        let events = match client.send_streaming_message(caller.request(send_request(message))).await {
            Ok(reply) => all(reply.into_inner()).await,
            Err(status) => Err(status),
        };
        finish(caller, events, &record)
    }

    /// The first event of a stream; then the client hangs up.
    pub(crate) async fn stream_one(&self, caller: &Caller, message: &Value) -> Reply {
        let (mut client, record) = self.service();
        let mut events =
            client.send_streaming_message(caller.request(send_request(message))).await.unwrap().into_inner();
        let first = events.message().await.unwrap().expect("an event");
        finish(caller, Ok(vec![to_json::<protojson::StreamResponse>(&first)]), &record)
    }

    pub(crate) async fn get(&self, caller: &Caller, id: &str) -> Reply {
        let (mut client, record) = self.service();
        let reply = client.get_task(caller.request(GetTaskRequest { id: id.to_owned(), ..Default::default() })).await;
        let reply = reply.map(|reply| vec![to_json::<protojson::Task>(reply.get_ref())]);
        finish(caller, reply, &record)
    }

    /// A list with artifacts.
    pub(crate) async fn list(&self, caller: &Caller) -> Reply {
        let (mut client, record) = self.service();
        let request = ListTasksRequest { include_artifacts: Some(true), ..Default::default() };
        let reply = client.list_tasks(caller.request(request)).await;
        let reply = reply.map(|reply| vec![to_json::<protojson::ListTasksResponse>(reply.get_ref())]);
        finish(caller, reply, &record)
    }

    pub(crate) async fn cancel(&self, caller: &Caller, id: &str) -> Reply {
        let (mut client, record) = self.service();
        let request = CancelTaskRequest { id: id.to_owned(), ..Default::default() };
        let reply = client.cancel_task(caller.request(request)).await;
        let reply = reply.map(|reply| vec![to_json::<protojson::Task>(reply.get_ref())]);
        finish(caller, reply, &record)
    }

    pub(crate) async fn subscribe(&self, caller: &Caller, id: &str) -> Reply {
        let (mut client, record) = self.service();
        let request = SubscribeToTaskRequest { id: id.to_owned(), ..Default::default() };
        let events = match client.subscribe_to_task(caller.request(request)).await {
            Ok(reply) => all(reply.into_inner()).await,
            Err(status) => Err(status),
        };
        finish(caller, events, &record)
    }
}

async fn all(mut events: Streaming<StreamResponse>) -> Result<Vec<Value>, Status> {
    let mut all = Vec::new();
    while let Some(event) = events.message().await? {
        all.push(to_json::<protojson::StreamResponse>(&event));
    }
    Ok(all)
}

fn finish(caller: &Caller, outcome: Result<Vec<Value>, Status>, record: &Record) -> Reply {
    let reply = Reply { outcome, captured: record.lock().unwrap().clone() };
    assert!(caller.may_be_told || !reply.tells_price(), "{caller:?} is told the price: {reply:?}");
    assert!(!reply.holds("givenTo"), "who got something never leaves: {reply:?}");
    reply
}

pub(crate) fn send_request(message: &Value) -> SendMessageRequest {
    from_json::<protojson::SendMessageRequest, _>(json!({"message": message}))
}

/// A message of the wire as ProtoJSON; `J` is the same message for JSON.
pub(crate) fn to_json<J: Message + Default + Serialize>(message: &impl Message) -> Value {
    serde_json::to_value(J::decode(message.encode_to_vec().as_slice()).unwrap()).unwrap()
}

pub(crate) fn from_json<J: Message + DeserializeOwned, P: Message + Default>(json: Value) -> P {
    let typed = serde_json::from_value::<J>(json).unwrap();
    P::decode(typed.encode_to_vec().as_slice()).unwrap()
}

/// The text of a message that refers, which it must.
pub(crate) fn referral_text(message: &Value) -> &str {
    let text = message["parts"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {message}"));
    assert!(text.contains(ADDRESS) && text.contains("Larkfield Chapel"), "{text}");
    text
}

/// Writes down what comes through.
#[derive(Clone)]
struct Tap {
    channel: Channel,
    record: Record,
}

impl Service<http::Request<tonic::body::Body>> for Tap {
    type Response = http::Response<tonic::body::Body>;
    type Error = tonic::transport::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.channel.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<tonic::body::Body>) -> Self::Future {
        let record = Arc::clone(&self.record);
        let reply = self.channel.call(request);
        Box::pin(async move {
            let (parts, body) = reply.await?.into_parts();
            record.lock().unwrap().head = parts.headers.clone();
            let body = body.map_frame(move |frame| {
                let mut record = record.lock().unwrap();
                if let Some(data) = frame.data_ref() {
                    record.data.extend_from_slice(data);
                }
                if let Some(trailers) = frame.trailers_ref() {
                    record.trailers = Some(trailers.clone());
                }
                frame
            });
            Ok(http::Response::from_parts(parts, tonic::body::Body::new(body)))
        })
    }
}
