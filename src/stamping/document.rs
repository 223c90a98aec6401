//! From a whole JSON document to its edits.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::ask::{ExtensionAsker, judgeable_value};
use super::decide::ObjectAsker;
use super::decision::{Forbidden, ObjectDecision};
use super::enclosing::StandInShape;
use super::hidden::hidden_values;
use super::misshapen::{misshapen, misshapen_document};
use super::names::ManagedNames;
use super::object_edits::EditWriter;
use super::places::{CarriedLists, CarrierOwner, ManagedEntry, ReplyPlaces, UnreadableReply, find_places};
use super::search::KeySearch;
use super::splice::{Edits, slice};
use super::{DocumentRules, ReplyStamper};
use crate::call::A2aCall;
use crate::json::JsonScan;
use crate::observer::ExtensionsEvent;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What is to be done with a document.
#[derive(Debug)]
pub(super) enum Edited {
    Edits(Edits),
    Unstamped(&'static str),
    Stopped(String),
}

impl ReplyStamper {
    /// Decides about a document. `rules` say what its bytes do not.
    pub(super) fn edits(&self, document: &Bytes, call: &A2aCall, rules: DocumentRules) -> Edited {
        let adds = rules.adding && self.may_add(call);
        // Where nothing is active or watched and no managed name occurs, there is nothing to find, but
        // a mark that is guarded may be what a document lacks that breaks off.
        let may_hold = || self.0.names.may_occur(document) || is_wide(document);
        let breaks_off = || rules.operation && self.guards_anything() && !is_whole(document);
        if !self.manages_anything() || !(adds || call.is_shown() || may_hold() || breaks_off()) {
            let stops = misshapen_document(without_mark(document), &self.0.names, call, rules);
            return stops.map_or_else(|| Edited::Edits(Edits::default()), Edited::Stopped);
        }
        let mark = document.len() - without_mark(document).len();
        let json = slice(document, mark..document.len());
        let places = match find_places(&json, &self.0.names) {
            Ok(places) => places,
            Err(unreadable) => return self.unread(document, call, rules, adds, unreadable),
        };
        if let Some(why) = misshapen(&places, call, rules) {
            return Edited::Stopped(why);
        }
        if rules.operation && call.is_watched() && !places.unknown.is_empty() {
            return Edited::Stopped("what is not known follows something that was withheld".into());
        }
        if rules.operation && self.hides_a_key(&json, &places, call) {
            return Edited::Stopped("the reply has an extension's metadata key where A2A has no metadata".into());
        }
        call.begin_document();
        let had_withheld = call.is_watched();
        let (mut edited, withheld_any) = self.decide(&json, call, rules, &places);
        if withheld_any && (!had_withheld && self.0.extensions.len() > 1 || places.has_status) {
            // What stands in front of the withheld object was decided before that was known.
            (edited, _) = self.decide(&json, call, rules, &places);
        }
        if let Edited::Edits(edits) = &mut edited {
            edits.move_by(mark);
        }
        edited
    }

    /// Decides about everything, and says whether anything was withheld.
    fn decide(&self, json: &Bytes, call: &A2aCall, rules: DocumentRules, places: &ReplyPlaces<'_>) -> (Edited, bool) {
        let mut withheld_any = false;
        match self.decide_all(json, call, rules, places, &mut withheld_any) {
            Ok(edits) => (Edited::Edits(edits), withheld_any),
            Err(Forbidden(why)) => (Edited::Stopped(why), withheld_any),
        }
    }

    fn decide_all(
        &self,
        json: &Bytes,
        call: &A2aCall,
        rules: DocumentRules,
        places: &ReplyPlaces<'_>,
        withheld_any: &mut bool,
    ) -> Result<Edits, Forbidden> {
        let names = &*self.0.names;
        let mut writer = EditWriter::new(json, names);
        let mut decision = ObjectDecision::default();
        let asker = ObjectAsker::new(&self.0, call, json, rules, places);
        let sealed = seal_carriers(&asker, &mut writer, places, call)?;
        for object in places.objects.iter().filter(|object| !is_within(&object.span, &sealed)) {
            asker.decide(object, &mut decision)?;
            if let Some(text) = decision.withheld.take() {
                *withheld_any = true;
                writer.withhold(object, &mut decision, &text, places.has_kinds);
                continue;
            }
            writer.object(object, &mut decision, || StandInShape::of(call, places.has_kinds));
            for lists in &object.part_lists {
                asker.part(lists, &mut decision)?;
                if decision.withheld.is_some() {
                    return Err(Forbidden("what must be withheld stands beside a Part".into()));
                }
                writer.carried(lists, &decision);
            }
        }
        if call.has_withheld() {
            let shape = StandInShape::of(call, places.has_kinds);
            for status in places.statuses.iter().filter(|status| !is_within(&status.message, &sealed)) {
                asker.absent(status, &mut decision)?;
                if let Some(text) = decision.withheld.take() {
                    writer.status_message(status, &mut decision, &shape, &text);
                }
            }
        }
        if writer.left_unstamped {
            let why = "`metadata` is no object or `extensions` no array in an object of the reply".into();
            call.observe(&ExtensionsEvent::LeftUnstamped { why });
        }
        Ok(writer.edits)
    }

    /// Whether a key stands where nothing can be removed.
    fn hides_a_key(&self, json: &Bytes, places: &ReplyPlaces<'_>, call: &A2aCall) -> bool {
        let (names, guarded) = (&self.0.names, &self.0.guarded);
        let has_key = |names: &Arc<ManagedNames>, value: &Bytes| KeySearch::new(Arc::clone(names)).push(value).hit;
        let holds = |names: &Arc<ManagedNames>, values: &[Range<usize>]| {
            !values.is_empty()
                && !names.is_empty()
                && names.may_occur(json)
                && values.iter().any(|place| has_key(names, &slice(json, place.clone())))
        };
        let hides_a_mark = |place: &Range<usize>| {
            let value = slice(json, place.clone());
            has_key(guarded, &value) && !self.is_harmless(&value, call)
        };
        let may_hide = !guarded.is_empty() && guarded.may_occur(json);
        // The values of extensions that guard nothing can hide a mark like any other.
        let is_guarded = |entry: &&ManagedEntry| guarded.keys().iter().any(|key| key == names.key_name(entry.name));
        let metadata = places.objects.iter().flat_map(|object| &object.metadata).flat_map(|list| &list.managed);
        let in_parts = places.objects.iter().flat_map(|object| &object.part_lists);
        let carried = places.carriers.iter().map(|carrier| &carrier.lists).chain(in_parts);
        let unguarded = metadata.chain(carried.flat_map(CarriedLists::entries)).filter(|entry| !is_guarded(entry));
        holds(names, &places.unknown)
            || holds(names, &places.plain)
            || may_hide && places.opaque.iter().chain(unguarded.map(|entry| &entry.value)).any(hides_a_mark)
    }

    /// Whether the extensions take nothing in a value of the agent's own for a mark. An agent may keep
    /// what its client wrote under their keys, for example.
    fn is_harmless(&self, value: &Bytes, call: &A2aCall) -> bool {
        let asker = ExtensionAsker { setup: &self.0, call };
        let judged = |(key, place): (usize, Range<usize>)| {
            let value = value.get(place).and_then(judgeable_value);
            value.is_some_and(|value| asker.is_no_mark(self.0.guarded.key_name(key), value))
        };
        hidden_values(value, &self.0.guarded).is_some_and(|values| !values.is_empty() && values.into_iter().all(judged))
    }

    /// A document that cannot be read: adding to it fails open, removing from it closed.
    fn unread(
        &self,
        document: &Bytes,
        call: &A2aCall,
        rules: DocumentRules,
        adds: bool,
        unreadable: UnreadableReply,
    ) -> Edited {
        if rules.operation && self.guards_anything() && (unreadable.may_lack_a_mark || is_wide(document)) {
            return Edited::Stopped("the reply breaks off behind content whose mark may be missing".into());
        }
        let is_blank = document.iter().all(u8::is_ascii_whitespace);
        if call.is_watched() && !is_blank {
            return Edited::Stopped("what cannot be read follows something that was withheld".into());
        }
        if rules.operation && self.has_managed_key(document) {
            return Edited::Stopped(
                "the reply is no JSON that can be read, and has an extension's metadata key".into(),
            );
        }
        if adds && !is_blank {
            Edited::Unstamped("the reply is no JSON that can be read")
        } else {
            Edited::Edits(Edits::default())
        }
    }

    /// Whether these bytes break off where a mark may still have followed that an extension guards.
    pub(crate) fn may_lack_a_mark(&self, bytes: &[u8]) -> bool {
        let cut = |json| find_places(json, &self.0.names).is_err_and(|unreadable| unreadable.may_lack_a_mark);
        self.guards_anything() && cut(without_mark(bytes))
    }

    /// The same as [`has_managed_key`](Self::has_managed_key), without cost where no name occurs.
    pub(super) fn may_hold_a_key(&self, bytes: &[u8], shared: impl FnOnce() -> Bytes) -> bool {
        self.0.names.may_occur(bytes) && self.has_managed_key(&shared())
    }

    /// Whether a managed key stands in these bytes as an object key.
    pub(super) fn has_managed_key(&self, bytes: &Bytes) -> bool {
        self.key_search().push(bytes).hit
    }
}

/// Decides about what stands beside the objects. Gives the Tasks and events of which only a text
/// leaves, in their order.
fn seal_carriers(
    asker: &ObjectAsker<'_>,
    writer: &mut EditWriter<'_>,
    places: &ReplyPlaces<'_>,
    call: &A2aCall,
) -> Result<Vec<Range<usize>>, Forbidden> {
    let (mut sealed, mut decision) = (Vec::new(), ObjectDecision::default());
    for carrier in &places.carriers {
        asker.carrier(carrier, &mut decision)?;
        let Some(text) = decision.withheld.take() else {
            writer.carried(&carrier.lists, &decision);
            continue;
        };
        let unsealed = || Forbidden("what must be withheld stands beside no Message, Artifact, Task or event".into());
        let CarrierOwner::Enclosing(span) = &carrier.owner else { return Err(unsealed()) };
        if sealed.last() == Some(span) {
            continue;
        }
        let enclosing = writer.enclosing(span).ok_or_else(unsealed)?;
        asker.stand_in(enclosing.kind(), carrier, &mut decision)?;
        writer.seal(&enclosing, &mut decision, &StandInShape::of(call, places.has_kinds), &text);
        sealed.push(span.clone());
    }
    Ok(sealed)
}

/// Whether a place lies within one of these, which are in order.
pub(super) fn is_within(place: &Range<usize>, outer: &[Range<usize>]) -> bool {
    let next = outer.partition_point(|one| one.end < place.end);
    outer.get(next).is_some_and(|one| one.start <= place.start && place.end <= one.end)
}

/// The text behind a byte order mark, if there is one.
pub(super) fn without_mark(document: &[u8]) -> &[u8] {
    document.strip_prefix(BYTE_ORDER_MARK).unwrap_or(document)
}

/// Whether the text is structurally one JSON value.
pub(super) fn is_whole(document: &[u8]) -> bool {
    let mut scan = JsonScan::new(without_mark(document));
    scan.skip().is_ok() && scan.end().is_ok()
}

/// Whether the text is UTF-16 or UTF-32, in which no name can be found as it is.
fn is_wide(document: &[u8]) -> bool {
    document.iter().take(4).any(|byte| matches!(byte, 0 | 0xFE | 0xFF))
}
