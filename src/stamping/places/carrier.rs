//! `metadata` that belongs to no Message and no Artifact.

use std::ops::Range;

use super::{ListPlace, ObjectPlace, PlaceReader};

/// `metadata` of a Task, a status, an event, an agent's Part or the reply itself: managed keys are
/// removed from there and never set.
#[derive(Debug)]
pub(in super::super) struct CarrierPlace {
    pub(in super::super) metadata: ListPlace,
    /// What it speaks about: the Task, event or reply, or the object that has the Part.
    owner: Range<usize>,
    /// It is a status's, whose Task or event has not been read to its end.
    is_of_status: bool,
}

impl CarrierPlace {
    /// Whether what stands here is said of an object too.
    pub(in super::super) fn speaks_about(&self, object: &ObjectPlace<'_>) -> bool {
        self.owner.start <= object.span.start && object.span.end <= self.owner.end
    }
}

impl PlaceReader<'_, '_> {
    pub(super) fn carry(&mut self, lists: Vec<ListPlace>, owner: &Range<usize>) {
        self.add_carriers(lists, owner, false);
    }

    pub(super) fn carry_status(&mut self, lists: Vec<ListPlace>, status: &Range<usize>) {
        self.add_carriers(lists, status, true);
    }

    fn add_carriers(&mut self, lists: Vec<ListPlace>, owner: &Range<usize>, is_of_status: bool) {
        let places = lists.into_iter().filter(|list| !list.managed.is_empty());
        let places = places.map(|metadata| CarrierPlace { metadata, owner: owner.clone(), is_of_status });
        self.places.carriers.extend(places);
    }

    /// What a status says it says of its whole Task or event.
    pub(super) fn widen_status(&mut self, since: usize, owner: &Range<usize>) {
        for carrier in self.places.carriers.iter_mut().skip(since).filter(|carrier| carrier.is_of_status) {
            carrier.owner = owner.clone();
            carrier.is_of_status = false;
        }
    }
}
