//! The head of a gRPC frame: a flag and the length of the message behind it.

use bytes::Bytes;

use crate::error::{A2aError, A2aErrorKind};

/// How long the head of a frame is.
pub(crate) const FRAME_HEAD: usize = 5;

/// What a head says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct FrameHead {
    /// The message is as it is; any other flag says that it is compressed, or nothing known.
    pub(crate) is_plain: bool,
    /// The length of the message.
    pub(crate) length: usize,
}

impl FrameHead {
    /// Reads the first bytes of a frame; `None` where they are not there yet.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (flag, rest) = bytes.split_first()?;
        let length = u32::from_be_bytes(*rest.first_chunk()?);
        Some(Self { is_plain: *flag == 0, length: usize::try_from(length).unwrap_or(usize::MAX) })
    }

    /// The length of the whole frame.
    pub(crate) fn frame_length(self) -> usize {
        self.length.saturating_add(FRAME_HEAD)
    }
}

/// A frame around a message; `None` where it is longer than a frame can say.
pub(super) fn frame(message: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(message.len()).ok()?;
    Some([&[0], &length.to_be_bytes()[..], message].concat())
}

/// The message of a body that must be exactly one plain frame.
pub(super) fn only_message(body: &Bytes) -> Result<Bytes, A2aError> {
    let invalid = |why: &'static str| A2aError::new(A2aErrorKind::InvalidRequest, why);
    let head = FrameHead::read(body).ok_or_else(|| invalid("the request ends within a gRPC frame"))?;
    if !head.is_plain {
        // What gRPC answers to an encoding that a server does not know.
        return Err(A2aError::new(A2aErrorKind::NotImplemented, "the request must not be compressed"));
    }
    match body.len().cmp(&head.frame_length()) {
        std::cmp::Ordering::Less => Err(invalid("the request ends within a gRPC frame")),
        std::cmp::Ordering::Greater => Err(invalid("the request has more than one gRPC frame")),
        std::cmp::Ordering::Equal => Ok(body.slice(FRAME_HEAD..)),
    }
}
