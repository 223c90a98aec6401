//! tonic 0.13 on both sides: the layer knows `http` types only.

use std::convert::Infallible;
use std::task::{Context, Poll};

use a2a_pb::{SendMessageRequest, SendMessageResponse, protojson};
use axum::Router;
use bytes::{Buf, BufMut};
use prost::Message;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tonic_0_13::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic_0_13::codegen::{BoxFuture, Service, http};
use tonic_0_13::transport::Channel;
use tonic_0_13::{Request, Response, Status};
use tower_a2a_extensions::A2aExtensionsLayer;

use crate::client::{QUESTION, chapel, from_json, referral_text, send_request, text_message, to_json};
use crate::driver::{CARD, ON_REQUEST};

const SEND: &str = "/lf.a2a.v1.A2AService/SendMessage";

/// A codec for messages of a newer prost than tonic 0.13 knows.
struct Prost<E, D>(std::marker::PhantomData<(E, D)>);

impl<E, D> Default for Prost<E, D> {
    fn default() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<E: Message + 'static, D: Message + Default + 'static> Codec for Prost<E, D> {
    type Encode = E;
    type Decode = D;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self::default()
    }

    fn decoder(&mut self) -> Self {
        Self::default()
    }
}

impl<E: Message, D> Encoder for Prost<E, D> {
    type Item = E;
    type Error = Status;

    fn encode(&mut self, message: E, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&message.encode_to_vec());
        Ok(())
    }
}

impl<E, D: Message + Default> Decoder for Prost<E, D> {
    type Item = D;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<D>, Status> {
        let bytes = buffer.copy_to_bytes(buffer.remaining());
        D::decode(bytes).map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}

/// Sends with a client of tonic 0.13: the reply's message as JSON, and its initial metadata's echo.
async fn send(addr: &str, text: &str, active: bool) -> (Value, Option<String>) {
    let channel = Channel::from_shared(format!("http://{addr}")).unwrap().connect().await.unwrap();
    let mut client = tonic_0_13::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let mut request = Request::new(send_request(&text_message(text)));
    request.metadata_mut().insert("a2a-version", "1.0".parse().unwrap());
    if active {
        request.metadata_mut().insert("a2a-extensions", ON_REQUEST.parse().unwrap());
    }
    let codec = Prost::<SendMessageRequest, SendMessageResponse>::default();
    let reply = client.unary(request, http::uri::PathAndQuery::from_static(SEND), codec).await.unwrap();
    let echo = reply.metadata().get("a2a-extensions").map(|value| value.to_str().unwrap().to_owned());
    (to_json::<protojson::SendMessageResponse>(reply.get_ref()), echo)
}

/// A service of tonic 0.13 that says `nine to five` to everybody.
#[derive(Clone)]
struct Hours;

impl tonic_0_13::server::UnaryService<SendMessageRequest> for Hours {
    type Response = SendMessageResponse;
    type Future = BoxFuture<Response<SendMessageResponse>, Status>;

    fn call(&mut self, _: Request<SendMessageRequest>) -> Self::Future {
        let message = json!({"message": {"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": "nine to five"}], "metadata": {ON_REQUEST: {"status": "none"}}}});
        Box::pin(async move { Ok(Response::new(from_json::<protojson::SendMessageResponse, _>(message))) })
    }
}

impl<B> Service<http::Request<B>> for Hours
where
    B: tonic_0_13::codegen::Body + Send + 'static,
    B::Error: Into<tonic_0_13::codegen::StdError> + Send,
    B::Data: Send,
{
    type Response = http::Response<tonic_0_13::body::Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let codec = Prost::<SendMessageResponse, SendMessageRequest>::default();
        Box::pin(async move { Ok(tonic_0_13::server::Grpc::new(codec).unary(Self, request).await) })
    }
}

#[tokio::test]
async fn a_client_of_tonic_0_13_gets_the_referral() {
    let chapel = chapel();
    let (reply, echo) = send(chapel.addr(), QUESTION, true).await;
    referral_text(&reply["message"]);
    assert_eq!(reply["message"]["metadata"][ON_REQUEST]["status"], "on-request");
    assert_eq!(echo.as_deref(), Some(ON_REQUEST));
    let (reply, echo) = send(chapel.addr(), QUESTION, false).await;
    referral_text(&reply["message"]);
    assert_eq!((&reply["message"]["metadata"], echo), (&Value::Null, None));
}

#[tokio::test]
async fn a_service_of_tonic_0_13_stands_behind_the_layer() {
    let layer = A2aExtensionsLayer::new(serde_json::from_str::<Value>(CARD).unwrap()).unwrap();
    let app = Router::new().route_service(SEND, Hours).layer(layer);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, app).await });
    for active in [true, false] {
        let (reply, echo) = send(&addr, "hello", active).await;
        assert_eq!(reply["message"]["parts"], json!([{"text": "nine to five"}]));
        assert!(!reply.to_string().contains(ON_REQUEST), "a mark that means nothing is removed: {reply}");
        assert_eq!(echo.is_some(), active);
        let (reply, _) = send(&addr, QUESTION, active).await;
        let text = reply["message"]["parts"][0]["text"].as_str().unwrap();
        assert!(text.contains("https://ask.larkfield.example/talk"), "{reply}");
    }
}
