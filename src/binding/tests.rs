use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

use super::*;

mod properties;
mod shapes;
mod talked_past;

/// The key of an extension that is installed in these tests.
const KEY: &str = "https://biz.example/ext/v1";

/// A request to read.
struct Sample {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

impl Sample {
    fn post(path: &str, body: impl AsRef<[u8]>) -> Self {
        let body = Bytes::copy_from_slice(body.as_ref());
        Self { method: Method::POST, uri: path.parse().unwrap(), headers: HeaderMap::new(), body }
    }

    fn rpc(body: impl AsRef<[u8]>) -> Self {
        Self::post("/rpc", body)
    }

    fn method(mut self, method: &str) -> Self {
        self.method = Method::from_bytes(method.as_bytes()).unwrap();
        self
    }

    fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        self
    }

    fn head(&self) -> RequestHead<'_> {
        let route = RouteFacts { serves_json_rpc: self.uri.path() == "/rpc", ..RouteFacts::default() };
        RequestHead { method: &self.method, uri: &self.uri, headers: &self.headers, route }
    }

    fn bodyless(&self) -> RequestReading {
        read_bodyless(self.head())
    }

    fn read(&self) -> Result<RequestReading, Box<RequestRefusal>> {
        assert_eq!(peek(&self.body, false), PeekedBody::MustBeRead, "{:?}", self.body);
        read_request(self.head(), &self.body, &[KEY.to_owned()])
    }

    /// The text of the message that is gated.
    #[track_caller]
    fn gated(&self) -> String {
        let reading = self.read().expect("it is read");
        let text = reading.message.expect("it holds a message").text().into_owned();
        assert!(reading.operation.is_some());
        text
    }

    /// The code of the refusal and the binding it is told in.
    #[track_caller]
    fn refused(&self) -> (i32, Binding) {
        let refusal = self.read().expect_err("it is refused");
        (refusal.error.kind().codes().json_rpc, refusal.target.binding)
    }

    /// Nothing of A2A: it is handed on whatever the card requires.
    #[track_caller]
    fn untouched(&self) {
        let reading = self.read().expect("it is none of ours");
        assert!(reading.message.is_none());
        assert!(matches!(reading.operation, None | Some(Operation::SharedPath)), "{:?}", reading.operation);
    }
}

/// `SendMessage` with one text.
fn send(text: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{"message":{}}}}}"#, message(text))
}

fn message(text: &str) -> String {
    format!(r#"{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"{text}"}}]}}"#)
}
