//! What every loop over the frames of a body does alike.

use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http_body::Frame;

/// How many frames are read before other tasks get their turn.
pub(super) const FRAMES_PER_POLL: usize = 1024;

/// Gives other tasks their turn, and comes back at once.
pub(super) fn yield_now<T>(cx: &Context<'_>) -> Poll<T> {
    cx.waker().wake_by_ref();
    Poll::Pending
}

/// A chunk as bytes; what is `Bytes` already is not copied.
pub(super) fn into_bytes(mut data: impl Buf) -> Bytes {
    data.copy_to_bytes(data.remaining())
}

pub(super) fn into_bytes_frame<D: Buf>(frame: Frame<D>) -> Frame<Bytes> {
    frame.map_data(into_bytes)
}
