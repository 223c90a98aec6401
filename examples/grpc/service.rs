//! gRPC, A2A 1.0 (A2A §10).

use std::pin::Pin;
use std::sync::Arc;

use a2a_pb::a2a_service_server::A2aService;
use a2a_pb::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
    SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig, protojson,
};
use futures_core::Stream;
use futures_util::stream::{self, StreamExt};
use tokio::sync::broadcast::Receiver;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};
use tower_a2a_extensions::{A2aCall, OnRequestGuard};

use crate::agent::Clerk;
use crate::auth::Claims;
use crate::convert::{from_json, status, to_json};
use crate::events::{Event, Version};
use crate::faults::Fault;
use crate::tasks::TaskQuery;

type Events = Pin<Box<dyn Stream<Item = Result<StreamResponse, Status>> + Send>>;

/// The service. It does what `rest.rs` does, in other words.
pub(crate) struct Desk {
    clerk: Arc<Clerk>,
}

impl Desk {
    pub(crate) fn new(clerk: Arc<Clerk>) -> Self {
        Self { clerk }
    }

    /// Asks the clerk, with the guard that the layer made for this call.
    async fn answer(&self, request: &Request<SendMessageRequest>) -> Result<Event, Status> {
        check_version(request.metadata())?;
        let guard = A2aCall::of(request.extensions()).and_then(OnRequestGuard::of);
        let guard = guard.ok_or_else(|| Status::internal("the route is not covered by the layer"))?;
        let message = request.get_ref().message.as_ref().ok_or_else(|| status(Fault::BadParams))?;
        let message = to_json::<protojson::Message>(message)?;
        self.clerk.answer(&message, asker(request), &guard).await.map_err(status)
    }
}

#[tonic::async_trait]
impl A2aService for Desk {
    type SendStreamingMessageStream = Events;
    type SubscribeToTaskStream = Events;

    async fn send_message(
        &self,
        request: Request<SendMessageRequest>,
    ) -> Result<Response<SendMessageResponse>, Status> {
        let reply = self.answer(&request).await?;
        if let Event::Task(task) = &reply {
            self.clerk.tasks.keep(task, asker(&request));
        }
        from_json::<protojson::SendMessageResponse, _>(reply.to_json(Version::V1_0)).map(Response::new)
    }

    async fn send_streaming_message(&self, request: Request<SendMessageRequest>) -> Result<Response<Events>, Status> {
        Ok(Response::new(match self.answer(&request).await? {
            Event::Task(task) => {
                let (first, rest) = self.clerk.tasks.play(task, asker(&request));
                events(first, Some(rest))
            }
            reply => events(reply, None),
        }))
    }

    async fn get_task(&self, request: Request<GetTaskRequest>) -> Result<Response<Task>, Status> {
        check_version(request.metadata())?;
        let task = self.clerk.tasks.get(&request.get_ref().id, asker(&request));
        let task = task.ok_or_else(|| status(Fault::TaskNotFound))?;
        from_json::<protojson::Task, _>(task).map(Response::new)
    }

    async fn list_tasks(&self, request: Request<ListTasksRequest>) -> Result<Response<ListTasksResponse>, Status> {
        check_version(request.metadata())?;
        // The SDK's JSON spells the members of a query as JSON-RPC does.
        let query = to_json::<protojson::ListTasksRequest>(request.get_ref())?;
        let page = self.clerk.tasks.page(&TaskQuery::from_json(&query), asker(&request));
        from_json::<protojson::ListTasksResponse, _>(page).map(Response::new)
    }

    async fn cancel_task(&self, request: Request<CancelTaskRequest>) -> Result<Response<Task>, Status> {
        check_version(request.metadata())?;
        let task = self.clerk.tasks.cancel(&request.get_ref().id, asker(&request)).map_err(status)?;
        from_json::<protojson::Task, _>(task).map(Response::new)
    }

    async fn subscribe_to_task(&self, request: Request<SubscribeToTaskRequest>) -> Result<Response<Events>, Status> {
        check_version(request.metadata())?;
        let (first, rest) = self.clerk.tasks.watch(&request.get_ref().id, asker(&request)).map_err(status)?;
        Ok(Response::new(events(first, rest)))
    }

    async fn create_task_push_notification_config(
        &self,
        _: Request<TaskPushNotificationConfig>,
    ) -> Result<Response<TaskPushNotificationConfig>, Status> {
        Err(status(Fault::NoPushNotifications))
    }

    async fn get_task_push_notification_config(
        &self,
        _: Request<GetTaskPushNotificationConfigRequest>,
    ) -> Result<Response<TaskPushNotificationConfig>, Status> {
        Err(status(Fault::NoPushNotifications))
    }

    async fn list_task_push_notification_configs(
        &self,
        _: Request<ListTaskPushNotificationConfigsRequest>,
    ) -> Result<Response<ListTaskPushNotificationConfigsResponse>, Status> {
        Err(status(Fault::NoPushNotifications))
    }

    async fn delete_task_push_notification_config(
        &self,
        _: Request<DeleteTaskPushNotificationConfigRequest>,
    ) -> Result<Response<()>, Status> {
        Err(status(Fault::NoPushNotifications))
    }

    async fn get_extended_agent_card(
        &self,
        _: Request<GetExtendedAgentCardRequest>,
    ) -> Result<Response<AgentCard>, Status> {
        Err(status(Fault::Unsupported))
    }
}

/// Who asks, as the auth layer found out.
fn asker<T>(request: &Request<T>) -> Option<&str> {
    request.extensions().get::<Claims>().map(|claims| claims.assistant.as_str())
}

/// This service is that of 1.0; a client that names no version is served by the service it calls.
fn check_version(metadata: &MetadataMap) -> Result<(), Status> {
    let named = metadata.get("a2a-version").map(|value| value.to_str().map(str::trim));
    match named {
        None | Some(Ok("" | "1.0")) => Ok(()),
        Some(_) => Err(status(Fault::Version)),
    }
}

/// The first event at once, the others as they happen.
fn events(first: Event, rest: Option<Receiver<Event>>) -> Events {
    let rest = stream::unfold(rest, |rest| async move {
        let mut rest = rest?;
        rest.recv().await.ok().map(|event| (event, Some(rest)))
    });
    let events = stream::iter([first]).chain(rest);
    Box::pin(events.map(|event| from_json::<protojson::StreamResponse, _>(event.to_json(Version::V1_0))))
}
