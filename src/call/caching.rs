//! Whether caches may keep the reply to a call.

use std::sync::atomic::{AtomicBool, Ordering};

use super::A2aCall;

/// What has been said of the reply so far.
#[derive(Debug, Default)]
pub(super) struct CachingBan {
    always: AtomicBool,
    for_streams: AtomicBool,
}

impl A2aCall {
    /// The reply leaves with `no-store` in its `Cache-Control`, whatever else the agent says there. For
    /// what one caller gets and another must not.
    ///
    /// It counts until the head leaves. The head of a JSON document leaves after its objects were
    /// stamped, so there an extension may decide in [`stamp`](crate::A2aExtension::stamp); that of a
    /// stream before its first event, see [`forbid_caching_of_streams`](Self::forbid_caching_of_streams).
    ///
    /// ```
    /// use tower_a2a_extensions::{A2aCall, A2aExtension, ExtensionUri, MessageGate, OutgoingObject, Stamp};
    ///
    /// struct Discount;
    ///
    /// impl A2aExtension for Discount {
    ///     fn uri(&self) -> ExtensionUri {
    ///         ExtensionUri::from_static("https://example.com/discount/v1")
    ///     }
    ///
    ///     fn gate(&self) -> Option<&dyn MessageGate> {
    ///         None
    ///     }
    ///
    ///     fn stamp(&self, object: &OutgoingObject<'_>, call: &A2aCall) -> Stamp {
    ///         if !object.is_active() {
    ///             return Stamp::remove();
    ///         }
    ///         call.forbid_caching();
    ///         Stamp::set("for you alone")
    ///     }
    /// }
    ///
    /// # let card = serde_json::json!({"capabilities": {"extensions": [{"uri": "https://example.com/discount/v1"}]}});
    /// let layer = tower_a2a_extensions::A2aExtensionsLayer::builder(card).extension(Discount).build()?;
    /// # tokio_test::block_on(async {
    /// # const TASK: &str = r#"{"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [{}]}"#;
    /// # let agent = async |_| {
    /// #     let reply = http::Response::builder().header("content-type", "application/a2a+json");
    /// #     reply.body(bytes::Bytes::from(TASK)).unwrap()
    /// # };
    /// let get = || http::Request::get("/a2a/v1/tasks/t").header("a2a-version", "1.0");
    ///
    /// let plain = tower_a2a_extensions::testing::respond(&layer, get().body("").unwrap(), agent).await;
    /// assert!(!plain.headers().contains_key("cache-control"));
    ///
    /// let asking = get().header("a2a-extensions", "https://example.com/discount/v1").body("").unwrap();
    /// let stamped = tower_a2a_extensions::testing::respond(&layer, asking, agent).await;
    /// assert_eq!(stamped.headers()["cache-control"], "no-store");
    /// # });
    /// # Ok::<(), tower_a2a_extensions::BuildError>(())
    /// ```
    pub fn forbid_caching(&self) {
        self.0.caching.always.store(true, Ordering::Relaxed);
    }

    /// The same, where the reply is an event stream; a document is left as it is. For extensions
    /// that find out event by event, after the head has left: called in
    /// [`begin`](crate::A2aExtension::begin).
    pub fn forbid_caching_of_streams(&self) {
        self.0.caching.for_streams.store(true, Ordering::Relaxed);
    }

    pub(crate) fn may_be_cached(&self, is_stream: impl FnOnce() -> bool) -> bool {
        let ban = &self.0.caching;
        !(ban.always.load(Ordering::Relaxed) || ban.for_streams.load(Ordering::Relaxed) && is_stream())
    }
}
