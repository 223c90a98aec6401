//! Agents in this process, on a real socket, with a tonic server and one layer around it. They give
//! everything to everybody, and nobody else's word counts: what keeps the secret is the layer.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use a2a_pb::a2a_service_server::{A2aService, A2aServiceServer};
use a2a_pb::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
    SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig, protojson,
};
use futures_core::Stream;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tower_a2a_extensions::on_request::Caller;
use tower_a2a_extensions::{A2aCall, A2aExtensionsLayer, CallFacts, Held, OnRequest, OnRequestGuard};

use crate::client::from_json;
use crate::driver::{figure, price};

/// What the agent holds is the chapel's price: the client searches every reply for it.
static HELD: Held<fn() -> &'static str> = Held::new("service-pricing", price);

type Events = Pin<Box<dyn Stream<Item = Result<StreamResponse, Status>> + Send>>;

/// One store for all callers, as SDKs ship them.
#[derive(Clone, Default)]
pub(crate) struct Leaky(Arc<State>);

#[derive(Default)]
struct State {
    /// Ask the guard before telling.
    asks: bool,
    task: Mutex<Value>,
    calls: AtomicUsize,
}

impl Leaky {
    /// Tells the price to whoever reaches it.
    pub(crate) fn telling() -> Self {
        Self::default()
    }

    /// Asks the guard, and shows its only task to everybody.
    pub(crate) fn asking() -> Self {
        Self(Arc::new(State { asks: true, ..State::default() }))
    }

    /// Starts it behind a layer with this card; gives its address.
    pub(crate) async fn serve(&self, card: Value) -> String {
        let on_request = OnRequest::new().information("service-pricing").held(&HELD).caller(|facts: &CallFacts<'_>| {
            Some(Caller::assistant(facts.headers().get("x-assistant")?.to_str().ok()?))
        });
        let layer = A2aExtensionsLayer::builder(card).extension(on_request).build().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap().to_string();
        let server = Server::builder().accept_http1(true).layer(layer).add_service(A2aServiceServer::new(self.clone()));
        tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        addr
    }

    pub(crate) fn calls(&self) -> usize {
        self.0.calls.load(Ordering::SeqCst)
    }

    fn count(&self) {
        self.0.calls.fetch_add(1, Ordering::SeqCst);
    }

    fn task(&self) -> Value {
        let task = self.0.task.lock().unwrap().clone();
        if task.is_null() { json!({"id": "t-1", "status": {"state": "TASK_STATE_WORKING"}}) } else { task }
    }

    async fn answer<T>(&self, request: &Request<T>) -> Value {
        self.count();
        if !self.0.asks {
            let text = format!("it costs {}", figure(price()));
            return json!({"message": {"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": text}]}});
        }
        let guard = A2aCall::of(request.extensions()).and_then(OnRequestGuard::of).expect("behind the layer");
        let mut task = json!({"id": "t-1", "contextId": "c-1", "status": {"state": "TASK_STATE_WORKING"}});
        match guard.open(&HELD).await {
            Ok(price) => {
                let hours = json!({"artifactId": "hours", "parts": [{"text": "nine to five"}]});
                let given = price.artifact(|price| json!([{"text": price()}]));
                task["artifacts"] = json!([hours, given]);
            }
            Err(referral) => task = referral.into_task(task),
        }
        *self.0.task.lock().unwrap() = task.clone();
        json!({"task": task})
    }
}

fn events(events: Vec<Value>) -> Response<Events> {
    let events = events.into_iter().map(|event| Ok(from_json::<protojson::StreamResponse, _>(event)));
    Response::new(Box::pin(stream::iter(events.collect::<Vec<_>>())))
}

#[tonic::async_trait]
impl A2aService for Leaky {
    type SendStreamingMessageStream = Events;
    type SubscribeToTaskStream = Events;

    async fn send_message(
        &self,
        request: Request<SendMessageRequest>,
    ) -> Result<Response<SendMessageResponse>, Status> {
        Ok(Response::new(from_json::<protojson::SendMessageResponse, _>(self.answer(&request).await)))
    }

    async fn send_streaming_message(&self, request: Request<SendMessageRequest>) -> Result<Response<Events>, Status> {
        let reply = self.answer(&request).await;
        let Some(artifacts) = reply.pointer("/task/artifacts").and_then(Value::as_array) else {
            return Ok(events(vec![reply]));
        };
        let ids = json!({"taskId": "t-1", "contextId": "c-1"});
        let mut all =
            vec![json!({"task": {"id": "t-1", "contextId": "c-1", "status": {"state": "TASK_STATE_WORKING"}}})];
        all.extend(artifacts.iter().map(|artifact| {
            let mut update = ids.clone();
            update["artifact"] = artifact.clone();
            json!({"artifactUpdate": update})
        }));
        let mut last = ids;
        last["status"] = json!({"state": "TASK_STATE_COMPLETED"});
        all.push(json!({"statusUpdate": last}));
        Ok(events(all))
    }

    async fn get_task(&self, _: Request<GetTaskRequest>) -> Result<Response<Task>, Status> {
        self.count();
        Ok(Response::new(from_json::<protojson::Task, _>(self.task())))
    }

    async fn list_tasks(&self, _: Request<ListTasksRequest>) -> Result<Response<ListTasksResponse>, Status> {
        self.count();
        let other = json!({"id": "t-2", "status": {"state": "TASK_STATE_WORKING"}, "artifacts": [{"artifactId": "other", "parts": [{"text": "for all"}]}]});
        let page = json!({"tasks": [self.task(), other], "totalSize": 2});
        Ok(Response::new(from_json::<protojson::ListTasksResponse, _>(page)))
    }

    async fn cancel_task(&self, _: Request<CancelTaskRequest>) -> Result<Response<Task>, Status> {
        self.count();
        Ok(Response::new(from_json::<protojson::Task, _>(self.task())))
    }

    async fn subscribe_to_task(&self, _: Request<SubscribeToTaskRequest>) -> Result<Response<Events>, Status> {
        self.count();
        Ok(events(vec![json!({"task": self.task()})]))
    }

    async fn create_task_push_notification_config(
        &self,
        _: Request<TaskPushNotificationConfig>,
    ) -> Result<Response<TaskPushNotificationConfig>, Status> {
        self.count();
        Ok(Response::new(TaskPushNotificationConfig::default()))
    }

    async fn get_task_push_notification_config(
        &self,
        _: Request<GetTaskPushNotificationConfigRequest>,
    ) -> Result<Response<TaskPushNotificationConfig>, Status> {
        self.count();
        Ok(Response::new(TaskPushNotificationConfig::default()))
    }

    async fn list_task_push_notification_configs(
        &self,
        _: Request<ListTaskPushNotificationConfigsRequest>,
    ) -> Result<Response<ListTaskPushNotificationConfigsResponse>, Status> {
        self.count();
        Ok(Response::new(ListTaskPushNotificationConfigsResponse::default()))
    }

    async fn delete_task_push_notification_config(
        &self,
        _: Request<DeleteTaskPushNotificationConfigRequest>,
    ) -> Result<Response<()>, Status> {
        self.count();
        Ok(Response::new(()))
    }

    async fn get_extended_agent_card(
        &self,
        _: Request<GetExtendedAgentCardRequest>,
    ) -> Result<Response<AgentCard>, Status> {
        self.count();
        Ok(Response::new(AgentCard::default()))
    }
}
