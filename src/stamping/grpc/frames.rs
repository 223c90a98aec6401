//! Stamps a gRPC body frame by frame, in whatever chunks it comes.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use super::FrameRoom;
use super::schema::ReplySchema;
use super::search::{EntryKeySearch, has_key};
use crate::binding::{FRAME_HEAD, FrameHead, Operation, ProtocolVersion, StreamBegin};
use crate::call::A2aCall;
use crate::observer::ExtensionsEvent;
use crate::stamping::{DocumentRules, ReplyStamper, Stamped};

/// Stamps one reply. A frame leaves when its last byte is there; one that is longer than the limit
/// goes on as it comes, searched for managed keys.
#[derive(Debug)]
pub(crate) struct FrameStamper {
    schema: Option<ReplySchema>,
    max_frame: usize,
    rules: DocumentRules,
    /// The current frame, as far as it has come.
    held: BytesMut,
    passing: Option<PassingFrame>,
    /// Why something must not leave; from then on nothing does.
    stopped: Option<FrameStop>,
    begin: StreamBegin,
    room: Box<FrameRoom>,
}

/// A frame that is too long to be held.
#[derive(Debug)]
struct PassingFrame {
    left: usize,
    search: EntryKeySearch,
}

/// The reply must end here: what comes next must not leave. Why, for the observer.
pub(crate) type FrameStop = String;

impl FrameStamper {
    /// For the reply to an operation; without one it is only searched.
    pub(crate) fn new(
        operation: Option<Operation>,
        version: ProtocolVersion,
        max_frame: usize,
        rules: DocumentRules,
    ) -> Self {
        let schema = ReplySchema::of(operation, version);
        let room = Box::default();
        Self {
            schema,
            max_frame,
            rules,
            held: BytesMut::new(),
            passing: None,
            stopped: None,
            begin: StreamBegin::Nothing,
            room,
        }
    }

    /// Takes the next bytes of the body, and puts out all that may leave.
    ///
    /// # Errors
    ///
    /// Where something must not leave; from then on every call says so. The caller ends the body.
    pub(crate) fn push(
        &mut self,
        mut chunk: Bytes,
        stamper: &ReplyStamper,
        call: &A2aCall,
        out: &mut VecDeque<Bytes>,
    ) -> Result<(), FrameStop> {
        self.check()?;
        while !chunk.is_empty() {
            let done = match &self.passing {
                Some(passing) => {
                    let part = chunk.split_to(passing.left.min(chunk.len()));
                    self.pass(part, stamper, call, out)
                }
                None => self.take(&mut chunk, stamper, call, out),
            };
            self.stopped = done.err();
            self.check()?;
        }
        Ok(())
    }

    /// The end of the body. What is held of a frame goes on as it is.
    ///
    /// # Errors
    ///
    /// Where that has a managed key.
    pub(crate) fn finish(
        &mut self,
        stamper: &ReplyStamper,
        call: &A2aCall,
        out: &mut VecDeque<Bytes>,
    ) -> Result<(), FrameStop> {
        self.check()?;
        let held = self.held.split().freeze();
        if held.is_empty() {
            return Ok(());
        }
        if call.is_shown() || stamper.guards_anything() || has_key(&held, &stamper.0.names) {
            return Err("the reply ends within a frame that cannot be read".into());
        }
        out.push_back(held);
        Ok(())
    }

    /// What the stream has begun with.
    pub(crate) fn begin(&self) -> &StreamBegin {
        &self.begin
    }

    fn check(&self) -> Result<(), FrameStop> {
        self.stopped.clone().map_or(Ok(()), Err)
    }

    /// How many bytes are held back.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.held.len()
    }

    /// Takes what belongs to the current frame.
    fn take(
        &mut self,
        chunk: &mut Bytes,
        stamper: &ReplyStamper,
        call: &A2aCall,
        out: &mut VecDeque<Bytes>,
    ) -> Result<(), FrameStop> {
        if self.held.len() < FRAME_HEAD && !(self.held.is_empty() && chunk.len() >= FRAME_HEAD) {
            let missing = FRAME_HEAD - self.held.len();
            self.held.extend_from_slice(&chunk.split_to(missing.min(chunk.len())));
        }
        let seen = if self.held.is_empty() { chunk.as_ref() } else { self.held.as_ref() };
        let Some(head) = FrameHead::read(seen) else { return Ok(()) };
        if !head.is_plain {
            return Err("the agent compressed a frame, which then cannot be looked into".into());
        }
        if head.length > self.max_frame && stamper.guards_anything() {
            // What stands in front of its mark would have left before that is seen.
            return Err("a frame is longer than what is held of one".into());
        }
        if head.length > self.max_frame {
            return self.begin_passing(head, chunk, stamper, call, out);
        }
        let missing = head.frame_length() - self.held.len();
        if chunk.len() < missing {
            self.held.extend_from_slice(&std::mem::take(chunk));
            return Ok(());
        }
        // A frame that came in one piece is not copied.
        let rest = chunk.split_to(missing);
        let frame = if self.held.is_empty() {
            rest
        } else {
            self.held.extend_from_slice(&rest);
            self.held.split().freeze()
        };
        self.stamp(frame, stamper, call, out)
    }

    fn stamp(
        &mut self,
        frame: Bytes,
        stamper: &ReplyStamper,
        call: &A2aCall,
        out: &mut VecDeque<Bytes>,
    ) -> Result<(), FrameStop> {
        if self.begin == StreamBegin::Nothing && stamper.guards_anything() && call.message().is_some() {
            self.begin = StreamBegin::read_message(frame.get(FRAME_HEAD..).unwrap_or_default());
        }
        match stamper.frame(&frame, self.schema, call, self.rules, &mut self.room) {
            Stamped::Unchanged => out.push_back(frame),
            Stamped::Changed(pieces) => out.extend(pieces),
            Stamped::Unstamped(why) => {
                call.observe(&ExtensionsEvent::LeftUnstamped { why: why.into() });
                out.push_back(frame);
            }
            Stamped::Stopped(why) => return Err(why),
        }
        Ok(())
    }

    fn begin_passing(
        &mut self,
        head: FrameHead,
        chunk: &mut Bytes,
        stamper: &ReplyStamper,
        call: &A2aCall,
        out: &mut VecDeque<Bytes>,
    ) -> Result<(), FrameStop> {
        let held = self.held.split().freeze();
        let left = head.frame_length() - held.len();
        if self.rules.adding && stamper.may_add(call) {
            call.observe(&ExtensionsEvent::LeftUnstamped { why: "a frame is longer than the limit".into() });
        }
        self.passing = Some(PassingFrame { left: left + held.len(), search: EntryKeySearch::default() });
        self.pass(held, stamper, call, out)?;
        self.pass(chunk.split_to(left.min(chunk.len())), stamper, call, out)
    }

    /// Lets a part of a frame through that is too long to be held.
    fn pass(
        &mut self,
        part: Bytes,
        stamper: &ReplyStamper,
        call: &A2aCall,
        out: &mut VecDeque<Bytes>,
    ) -> Result<(), FrameStop> {
        let Some(passing) = &mut self.passing else { return Ok(()) };
        if call.is_watched() {
            return Err("a frame that was not read follows something that was withheld".into());
        }
        if passing.search.hits(&part, &stamper.0.names) {
            return Err("a frame longer than the limit has an extension's metadata key".into());
        }
        passing.left -= part.len();
        if passing.left == 0 {
            self.passing = None;
        }
        if !part.is_empty() {
            out.push_back(part);
        }
        Ok(())
    }
}
