//! Stamps gRPC replies at the level of the wire format: fields that nobody here knows stay byte for
//! byte, and so does the order of all of them.
//!
//! A frame goes through the same steps as a JSON document: [`places`] finds every outgoing object,
//! [`view`] shows each to the extensions, [`object_edits`] turns the answers into edits, and
//! [`lengths`] cuts the frame at them and corrects every length around. [`frames`] does so frame by
//! frame.

mod enclosing;
mod frames;
mod lengths;
mod merge;
mod object_edits;
mod places;
mod schema;
mod search;
mod text_parts;
mod view;

#[cfg(test)]
mod tests;

use std::ops::Range;

use bytes::Bytes;

use self::enclosing::Enclosing;
pub(crate) use self::frames::FrameStamper;
use self::lengths::WireEdits;
use self::object_edits::{EditWriter, EncodedSets};
use self::places::ReplyPlaces;
use self::schema::ReplySchema;
use self::search::{has_entry_key, has_entry_key_at};
use self::view::ObjectAsker;
use super::decision::{Forbidden, ObjectDecision};
use super::document::is_within;
use super::{DocumentRules, ReplyStamper, Stamped};
use crate::binding::FRAME_HEAD;
use crate::call::A2aCall;
use crate::observer::ExtensionsEvent;

/// Room that one frame after the other uses.
#[derive(Debug, Default)]
struct FrameRoom {
    places: ReplyPlaces,
    edits: WireEdits,
    sets: EncodedSets,
}

impl ReplyStamper {
    /// Stamps one whole frame that is not compressed.
    fn frame(
        &self,
        frame: &Bytes,
        schema: Option<ReplySchema>,
        call: &A2aCall,
        rules: DocumentRules,
        room: &mut FrameRoom,
    ) -> Stamped {
        let adds = rules.adding && self.may_add(call);
        let may_hold = || self.0.names.may_occur(frame);
        if !self.manages_anything() || !(adds || call.is_shown() || may_hold()) {
            return Stamped::Unchanged;
        }
        let Some(schema) = schema else {
            // Nothing of A2A's objects is in it.
            return match has_entry_key(frame, &self.0.names) {
                true => Stamped::Stopped("a reply without objects has an extension's metadata key".into()),
                false => Stamped::Unchanged,
            };
        };
        let root = FRAME_HEAD..frame.len();
        match room.places.find(frame, &root, schema, &self.0.names, !self.0.guarded.is_empty()) {
            Ok(()) if room.places.is_split => self.split_frame(frame, schema, call, rules, room),
            Ok(()) => self.stamp_places(frame, schema, call, rules, room),
            Err(_) => self.unread_frame(frame, call, adds),
        }
    }

    /// A reply in which a message is written in several pieces.
    fn split_frame(
        &self,
        frame: &Bytes,
        schema: ReplySchema,
        call: &A2aCall,
        rules: DocumentRules,
        room: &mut FrameRoom,
    ) -> Stamped {
        let root = FRAME_HEAD..frame.len();
        let adds = rules.adding && self.may_add(call);
        let Ok(message) = merge::merged(frame, &root, schema, schema.root()) else {
            return self.unread_frame(frame, call, adds);
        };
        let head = u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes();
        let whole = Bytes::from([&[0], &head[..], &message].concat());
        let root = FRAME_HEAD..whole.len();
        match room.places.find(&whole, &root, schema, &self.0.names, !self.0.guarded.is_empty()) {
            Ok(()) if !room.places.is_split => self.stamp_places(&whole, schema, call, rules, room),
            _ => self.unread_frame(frame, call, adds),
        }
    }

    fn stamp_places(
        &self,
        frame: &Bytes,
        schema: ReplySchema,
        call: &A2aCall,
        rules: DocumentRules,
        room: &mut FrameRoom,
    ) -> Stamped {
        let places = &room.places;
        if call.is_watched() && !places.unknown.is_empty() {
            return Stamped::Stopped("what is not known follows something that was withheld".into());
        }
        if self.frame_hides_a_key(frame, places) {
            return Stamped::Stopped("the reply has an extension's metadata key where A2A has no metadata".into());
        }
        call.begin_document();
        let had_withheld = call.is_watched();
        let mut withheld_any = false;
        let stamped = self.decide_places(frame, schema, call, rules, room, &mut withheld_any);
        if withheld_any && (!had_withheld && self.0.extensions.len() > 1 || room.places.has_status) {
            // What stands in front of the withheld object was decided before that was known.
            return self.decide_places(frame, schema, call, rules, room, &mut withheld_any);
        }
        stamped
    }

    fn decide_places(
        &self,
        frame: &Bytes,
        schema: ReplySchema,
        call: &A2aCall,
        rules: DocumentRules,
        room: &mut FrameRoom,
        withheld_any: &mut bool,
    ) -> Stamped {
        match self.write_places(frame, schema, call, rules, room, withheld_any) {
            Err(Forbidden(why)) => Stamped::Stopped(why),
            Ok(()) if room.edits.edits.is_empty() => Stamped::Unchanged,
            Ok(()) => match room.edits.apply(frame, &room.places.lengths, FRAME_HEAD) {
                Some(pieces) => Stamped::Changed(pieces),
                None => Stamped::Stopped("the stamped reply is longer than a frame can be".into()),
            },
        }
    }

    fn write_places(
        &self,
        frame: &Bytes,
        schema: ReplySchema,
        call: &A2aCall,
        rules: DocumentRules,
        room: &mut FrameRoom,
        withheld_any: &mut bool,
    ) -> Result<(), Forbidden> {
        let FrameRoom { places, edits, sets } = room;
        let places = &*places;
        edits.clear();
        sets.trim();
        let names = &*self.0.names;
        let mut writer = EditWriter { bytes: frame, names, schema, edits, sets, left_unstamped: false };
        let asker = ObjectAsker::new(&self.0, call, frame, schema, rules, places);
        let mut decision = ObjectDecision::default();
        let sealed = seal_carriers(&asker, &mut writer, places)?;
        for object in places.objects.iter().filter(|object| !is_within(&object.content, &sealed)) {
            asker.decide(object, &mut decision)?;
            if let Some(text) = decision.withheld.take() {
                *withheld_any = true;
                writer.withhold(object, &mut decision, &text);
                continue;
            }
            writer.object(object, &mut decision);
            for metadata in &object.part_metadata {
                asker.part(metadata, &mut decision)?;
                if decision.withheld.is_some() {
                    return Err(Forbidden("what must be withheld stands beside a Part".into()));
                }
                writer.carried(metadata, &decision);
            }
        }
        if call.has_withheld() {
            for status in places.statuses.iter().filter(|status| !is_within(&status.content, &sealed)) {
                asker.absent(status, &mut decision)?;
                if let Some(text) = decision.withheld.take() {
                    writer.status_message(status, &mut decision, &text);
                }
            }
        }
        if writer.left_unstamped {
            let why = "an extension's value is none that protobuf has".into();
            call.observe(&ExtensionsEvent::LeftUnstamped { why });
        }
        Ok(())
    }

    /// Whether a key stands where nothing can be removed.
    fn frame_hides_a_key(&self, frame: &Bytes, places: &ReplyPlaces) -> bool {
        has_entry_key_at(frame, &places.unknown, &self.0.names)
            || self.guards_anything()
                && self.0.guarded.may_occur(frame)
                && (has_entry_key_at(frame, &places.opaque, &self.0.guarded)
                    || has_entry_key_at(frame, &self.unguarded_values(places), &self.0.guarded))
    }

    /// The values of extensions that guard nothing: they can hide a mark like any other.
    fn unguarded_values(&self, places: &ReplyPlaces) -> Vec<Range<usize>> {
        let guarded = self.0.guarded.keys();
        let is_guarded = |name: usize| guarded.iter().any(|key| key == self.0.names.key_name(name));
        let of_objects = places.objects.iter().flat_map(|object| object.metadata.iter().chain(&object.part_metadata));
        let metadata = of_objects.chain(places.carriers.iter().map(|carrier| &carrier.metadata));
        let entries = metadata.flat_map(|one| &one.managed).filter(|entry| !is_guarded(entry.name));
        entries.map(|entry| entry.value.clone().unwrap_or_else(|| entry.span.clone())).collect()
    }

    /// A frame that cannot be read: adding to it fails open, removing from it closed.
    fn unread_frame(&self, frame: &Bytes, call: &A2aCall, adds: bool) -> Stamped {
        if call.is_watched() {
            return Stamped::Stopped("what cannot be read follows something that was withheld".into());
        }
        if search::has_key(frame, &self.0.names) {
            return Stamped::Stopped("the reply cannot be read, and has an extension's metadata key".into());
        }
        if adds { Stamped::Unstamped("the reply is no protobuf message that can be read") } else { Stamped::Unchanged }
    }
}

/// Decides about what stands beside the objects. Gives the Tasks and events of which only a text
/// leaves, in their order.
fn seal_carriers(
    asker: &ObjectAsker<'_>,
    writer: &mut EditWriter<'_>,
    places: &ReplyPlaces,
) -> Result<Vec<Range<usize>>, Forbidden> {
    let (mut sealed, mut decision) = (Vec::new(), ObjectDecision::default());
    for carrier in &places.carriers {
        asker.carrier(carrier, &mut decision)?;
        let Some(text) = decision.withheld.take() else {
            writer.carried(&carrier.metadata, &decision);
            continue;
        };
        if sealed.last() == Some(&carrier.owner.content) {
            continue;
        }
        let enclosing = Enclosing::read(writer.bytes, &carrier.owner, writer.schema).ok_or_else(|| {
            Forbidden("what must be withheld stands beside no Message, Artifact, Task or event".into())
        })?;
        asker.stand_in(enclosing.kind(), carrier, &mut decision)?;
        writer.seal(&enclosing, &mut decision, &text);
        sealed.push(carrier.owner.content.clone());
    }
    Ok(sealed)
}
