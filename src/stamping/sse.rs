//! Stamps an event stream event by event (WHATWG HTML §9.2.6, "Interpreting an event stream").
//!
//! An event leaves as soon as the blank line behind it is there, in whatever chunks it came. Only
//! the JSON in its `data` lines changes; comments, other fields, their order and the line endings
//! stay as they are. An event longer than the limit goes on as it comes, searched for managed keys.

mod lines;

use std::collections::VecDeque;
use std::ops::Range;

use bytes::{Bytes, BytesMut};
use memchr::memchr2;

use self::lines::EventData;
use super::document::Edited;
use super::search::{KeySearch, Searched};
use super::splice::{slice, splice};
use super::{DocumentRules, ReplyStamper};
use crate::binding::{StreamBegin, is_error};
use crate::call::A2aCall;
use crate::observer::ExtensionsEvent;

/// The stream must end here: what comes next must not leave.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct StreamStop {
    /// Why, for the observer.
    pub(crate) why: String,
    /// A part of the stopped event has left. What is sent next must end that event first, with a
    /// blank line.
    pub(crate) inside_event: bool,
}

/// Stamps one event stream.
#[derive(Debug)]
pub(crate) struct EventStamper {
    max_event: usize,
    rules: DocumentRules,
    line: LineState,
    /// How many bytes of the current event have come.
    length: usize,
    /// The same bytes, unless it is too long.
    event: BytesMut,
    /// No event has ended yet: a byte order mark may stand in front.
    is_first: bool,
    /// Set where the current event is too long.
    search: Option<KeySearch>,
    /// A part of the current event has left.
    has_left: bool,
    stopped: Option<StreamStop>,
    begin: StreamBegin,
    /// An error of the agent has come that does not leave, nor does what follows it.
    ends_in_error: bool,
}

/// Where the stream stands between two bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum LineState {
    Start,
    /// At the start of a line, but an LF that comes next belongs to the line before.
    AfterCr,
    Within,
}

impl EventStamper {
    pub(crate) fn new(max_event: usize, rules: DocumentRules) -> Self {
        Self {
            max_event,
            rules,
            line: LineState::Start,
            length: 0,
            event: BytesMut::new(),
            is_first: true,
            search: None,
            has_left: false,
            stopped: None,
            begin: StreamBegin::Nothing,
            ends_in_error: false,
        }
    }

    /// Takes the next bytes of the stream, and puts out all that may leave.
    ///
    /// # Errors
    ///
    /// [`StreamStop`] where something must not leave; from then on every call says so.
    pub(crate) fn push(
        &mut self,
        mut chunk: Bytes,
        stamper: &ReplyStamper,
        call: &A2aCall,
        out: &mut VecDeque<Bytes>,
    ) -> Result<(), StreamStop> {
        self.check()?;
        while !chunk.is_empty() && !self.ends_in_error {
            if self.length == 0 && self.line == LineState::AfterCr && chunk.first() == Some(&b'\n') {
                // The rest of the line end behind an event that has left.
                self.line = LineState::Start;
                put(out, chunk.split_to(1));
                continue;
            }
            let done = match self.event_end(&chunk) {
                Some(end) => {
                    let event = chunk.split_to(end);
                    self.end_event(event, stamper, call, out)
                }
                None => self.keep(std::mem::take(&mut chunk), stamper, call, out),
            };
            self.note_stop(done)?;
        }
        Ok(())
    }

    /// The end of the stream. An event without the blank line behind it goes on as it is.
    ///
    /// # Errors
    ///
    /// [`StreamStop`] where that event has a managed key.
    pub(crate) fn finish(
        &mut self,
        stamper: &ReplyStamper,
        call: &A2aCall,
        out: &mut VecDeque<Bytes>,
    ) -> Result<(), StreamStop> {
        self.check()?;
        if let Some(mut search) = self.search.take() {
            put(out, search.finish());
            return Ok(());
        }
        let event = self.event.split().freeze();
        let data = EventData::read(&event, self.is_first);
        if call.is_watched() && data.as_ref().is_some_and(|data| !data.json.iter().all(u8::is_ascii_whitespace)) {
            return self.note_stop(Err(self.unread_stop()));
        }
        if self.rules.operation && data.as_ref().is_some_and(|data| stamper.may_lack_a_mark(&data.json)) {
            let why = "the stream ends within a Message or Artifact, whose mark may be missing".into();
            return self.note_stop(Err(StreamStop { why, inside_event: false }));
        }
        let holds_key = match &data {
            Some(data) => {
                stamper.has_managed_key(&data.json) || self.rules.operation && hides_a_key(&event, data, stamper)
            }
            None => self.rules.operation && stamper.has_managed_key(&event),
        };
        if holds_key {
            let why = "the stream ends within an event that has an extension's metadata key".into();
            return self.note_stop(Err(StreamStop { why, inside_event: false }));
        }
        put(out, event);
        Ok(())
    }

    /// What the stream has begun with, where an error of the agent has come for which a referral stands.
    pub(crate) fn error_behind(&self) -> Option<&StreamBegin> {
        self.ends_in_error.then_some(&self.begin)
    }

    /// How many bytes are held back.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.event.len()
    }

    fn check(&self) -> Result<(), StreamStop> {
        self.stopped.clone().map_or(Ok(()), Err)
    }

    fn note_stop(&mut self, done: Result<(), StreamStop>) -> Result<(), StreamStop> {
        done.inspect_err(|stop| self.stopped = Some(stop.clone()))
    }

    /// Reads lines up to the blank one that ends the event; `None` where the chunk ends before.
    /// `length` then counts what stands before the end of that line, or all.
    fn event_end(&mut self, chunk: &Bytes) -> Option<usize> {
        let mut at = 0;
        if self.line == LineState::AfterCr && chunk.first() == Some(&b'\n') {
            self.line = LineState::Start;
            at = 1;
        }
        loop {
            let rest = chunk.get(at..).unwrap_or_default();
            let Some(distance) = memchr2(b'\r', b'\n', rest) else {
                self.line = if rest.is_empty() { self.line } else { LineState::Within };
                self.length += chunk.len();
                return None;
            };
            let is_blank = distance == 0 && self.line != LineState::Within;
            let line_end = at + distance;
            let is_cr = chunk.get(line_end) == Some(&b'\r');
            let is_crlf = is_cr && chunk.get(line_end + 1) == Some(&b'\n');
            self.line = if is_cr && !is_crlf { LineState::AfterCr } else { LineState::Start };
            at = line_end + 1 + usize::from(is_crlf);
            if is_blank {
                self.length += line_end;
                return Some(at);
            }
        }
    }

    /// Keeps a part of an event, or lets it through if the event is too long to be kept.
    fn keep(
        &mut self,
        part: Bytes,
        stamper: &ReplyStamper,
        call: &A2aCall,
        out: &mut VecDeque<Bytes>,
    ) -> Result<(), StreamStop> {
        if self.length > self.max_event {
            return self.search(part, stamper, call, out);
        }
        self.event.extend_from_slice(&part);
        Ok(())
    }

    fn end_event(
        &mut self,
        last: Bytes,
        stamper: &ReplyStamper,
        call: &A2aCall,
        out: &mut VecDeque<Bytes>,
    ) -> Result<(), StreamStop> {
        if self.length > self.max_event {
            self.search(last, stamper, call, out)?;
            put(out, self.search.take().map(|mut search| search.finish()).unwrap_or_default());
            if self.rules.adding && stamper.may_add(call) {
                let why = "an event is longer than the limit".into();
                call.observe(&ExtensionsEvent::LeftUnstamped { why });
            }
        } else {
            let event = self.whole(last);
            let begin = &mut self.begin;
            self.ends_in_error = stamp_event(event, self.is_first, begin, self.rules, stamper, call, out)?;
        }
        self.length = 0;
        self.is_first = false;
        self.has_left = false;
        Ok(())
    }

    /// The current event in one piece; a slice of the chunk if it came in one.
    fn whole(&mut self, last: Bytes) -> Bytes {
        if self.event.is_empty() {
            return last;
        }
        self.event.extend_from_slice(&last);
        self.event.split().freeze()
    }

    /// What cannot be read leaves no more once something was withheld: it may be the rest of that.
    fn unread_stop(&self) -> StreamStop {
        let why = "an event that was not read follows something that was withheld".into();
        StreamStop { why, inside_event: self.has_left }
    }

    fn search(
        &mut self,
        part: Bytes,
        stamper: &ReplyStamper,
        call: &A2aCall,
        out: &mut VecDeque<Bytes>,
    ) -> Result<(), StreamStop> {
        if call.is_watched() {
            return Err(self.unread_stop());
        }
        if self.rules.operation && stamper.guards_anything() {
            // What stands in front of its mark would have left before that is seen.
            let why = "an event is longer than what is held of one".into();
            return Err(StreamStop { why, inside_event: self.has_left });
        }
        let before = self.event.split().freeze();
        let search = self.search.get_or_insert_with(|| stamper.key_search().in_events());
        for bytes in [before, part].iter().filter(|bytes| !bytes.is_empty()) {
            let Searched { leaving, hit } = search.push(bytes);
            for bytes in leaving {
                self.has_left |= !bytes.is_empty();
                put(out, bytes);
            }
            if hit {
                let why = "an event longer than the limit has an extension's metadata key".into();
                return Err(StreamStop { why, inside_event: self.has_left });
            }
        }
        Ok(())
    }
}

/// Stamps one event. True where it is an error for which a referral stands: then it does not leave.
fn stamp_event(
    event: Bytes,
    is_first: bool,
    begin: &mut StreamBegin,
    rules: DocumentRules,
    stamper: &ReplyStamper,
    call: &A2aCall,
    out: &mut VecDeque<Bytes>,
) -> Result<bool, StreamStop> {
    let Some(data) = EventData::read(&event, is_first) else {
        if rules.operation && stamper.has_managed_key(&event) {
            let why = "an event without data has an extension's metadata key".into();
            return Err(StreamStop { why, inside_event: false });
        }
        put(out, event);
        return Ok(false);
    };
    if rules.operation && hides_a_key(&event, &data, stamper) {
        let why = "a line beside the data of an event has an extension's metadata key".into();
        return Err(StreamStop { why, inside_event: false });
    }
    if rules.operation && stamper.guards_anything() && call.message().is_some() {
        if *begin != StreamBegin::Other && call.instead_of_error().is_some() && is_error(&data.json) {
            return Ok(true);
        }
        if *begin == StreamBegin::Nothing {
            *begin = StreamBegin::read(&data.json);
        }
    }
    match stamper.edits(&data.json, call, rules) {
        Edited::Edits(edits) if edits.list.is_empty() => put(out, event),
        Edited::Edits(edits) => splice(&event, data.in_event(edits)).into_iter().for_each(|bytes| put(out, bytes)),
        Edited::Unstamped(why) => {
            call.observe(&ExtensionsEvent::LeftUnstamped { why: why.into() });
            put(out, event);
        }
        Edited::Stopped(why) => return Err(StreamStop { why, inside_event: false }),
    }
    Ok(false)
}

/// Whether a managed key stands in a line of the event that is no `data`: a reader that takes lines
/// in another way may find the data there.
fn hides_a_key(event: &Bytes, data: &EventData, stamper: &ReplyStamper) -> bool {
    let holds =
        |line: Range<usize>| stamper.may_hold_a_key(event.get(line.clone()).unwrap_or_default(), || slice(event, line));
    data.other_lines(event).any(holds)
}

fn put(out: &mut VecDeque<Bytes>, bytes: Bytes) {
    if !bytes.is_empty() {
        out.push_back(bytes);
    }
}
