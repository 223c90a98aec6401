//! Events as `text/event-stream`.

use std::convert::Infallible;

use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use tokio::sync::broadcast::Receiver;

use crate::events::Event;

/// The first event at once, the others as they happen, each written by `write`.
pub(crate) fn event_stream(
    first: Event,
    rest: Option<Receiver<Event>>,
    write: impl Fn(&Event) -> String + Send + 'static,
) -> Response {
    let events = stream::unfold((Some(first), rest), |(first, rest)| async move {
        match (first, rest) {
            (Some(event), rest) => Some((event, (None, rest))),
            (None, Some(mut rest)) => rest.recv().await.ok().map(|event| (event, (None, Some(rest)))),
            (None, None) => None,
        }
    });
    let lines = events.map(move |event| Ok::<_, Infallible>(sse::Event::default().data(write(&event))));
    Sse::new(lines).keep_alive(KeepAlive::default()).into_response()
}
