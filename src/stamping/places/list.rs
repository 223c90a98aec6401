//! Where managed names stand in one `metadata` object or `extensions` array.

use std::ops::Range;

use super::PlaceReader;
use crate::json::{JsonKind, ScanError};

/// The value of a `metadata` or `extensions` member.
#[derive(Debug)]
pub(crate) struct ListPlace {
    pub(crate) value: Range<usize>,
    pub(crate) form: ListForm,
    /// How many members or elements it has, managed or not.
    pub(crate) count: usize,
    pub(crate) managed: Vec<ManagedEntry>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ListForm {
    /// An object for `metadata`, an array for `extensions`.
    List,
    Null,
    /// Something else, which is left as it is.
    Other,
}

/// A managed key with its value, or a managed URI.
#[derive(Debug)]
pub(crate) struct ManagedEntry {
    /// Its place in [`ManagedNames`](super::super::names::ManagedNames).
    pub(crate) name: usize,
    pub(crate) span: Range<usize>,
    /// The value of a member; of an element the same as `span`.
    pub(crate) value: Range<usize>,
    /// How many members or elements stand before it.
    pub(crate) ordinal: usize,
}

/// Both lists of a Part, a status, a Task, an event or a reply: nothing is set there.
#[derive(Debug)]
pub(crate) struct CarriedLists {
    pub(crate) metadata: Vec<ListPlace>,
    pub(crate) extensions: Vec<ListPlace>,
}

impl CarriedLists {
    /// `None` where no managed key stands in `metadata`.
    pub(super) fn of(metadata: Vec<ListPlace>, extensions: Vec<ListPlace>) -> Option<Self> {
        let lists = Self { metadata, extensions };
        let is_marked = lists.entries().next().is_some();
        is_marked.then_some(lists)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &ManagedEntry> {
        self.metadata.iter().flat_map(|list| &list.managed)
    }
}

impl PlaceReader<'_, '_> {
    /// Reads the value of `metadata`.
    pub(super) fn metadata(&mut self) -> Result<ListPlace, ScanError> {
        if self.scan.kind()? != JsonKind::Object {
            return self.no_list();
        }
        let start = self.scan.enter()?;
        let (mut count, mut managed) = (0, Vec::new());
        while let Some(key) = self.scan.next_key()? {
            match self.names.key(&key) {
                Some(name) => {
                    let value = self.scan.skip()?;
                    managed.push(ManagedEntry { name, span: key.outer().start..value.end, value, ordinal: count });
                }
                None => self.skip_opaque()?,
            }
            count += 1;
        }
        Ok(ListPlace { value: start..self.scan.offset(), form: ListForm::List, count, managed })
    }

    /// Reads the value of `extensions`.
    pub(super) fn extensions(&mut self) -> Result<ListPlace, ScanError> {
        if self.scan.kind()? != JsonKind::Array {
            return self.no_list();
        }
        let start = self.scan.enter()?;
        let (mut count, mut managed) = (0, Vec::new());
        while self.scan.next_element()? {
            if self.scan.kind()? == JsonKind::String {
                let text = self.scan.text()?;
                if let Some(name) = self.names.uri(&text) {
                    managed.push(ManagedEntry { name, span: text.outer(), value: text.outer(), ordinal: count });
                }
            } else {
                self.skip_unknown()?;
            }
            count += 1;
        }
        Ok(ListPlace { value: start..self.scan.offset(), form: ListForm::List, count, managed })
    }

    fn no_list(&mut self) -> Result<ListPlace, ScanError> {
        let form = if self.scan.kind()? == JsonKind::Null { ListForm::Null } else { ListForm::Other };
        let value = self.skip_unknown()?;
        Ok(ListPlace { value, form, count: 0, managed: Vec::new() })
    }
}
