//! From the requested members and the card to the set of active extensions.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::uri::ExtensionUri;

/// How many extensions one card may declare: one bit each, and one for the seal.
pub(crate) const MAX_DECLARED: usize = 63;

/// How many spellings beside the card's own an extension may have: all of them are counted in a byte.
pub(crate) const MAX_ALIASES: usize = u8::MAX as usize;

const SEAL: u64 = 1 << 63;

/// One declared extension: its spellings (the first is the card's), and whether it is required.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredUri {
    pub(crate) spellings: Vec<ExtensionUri>,
    pub(crate) required: bool,
}

/// All declared extensions in card order, at most [`MAX_DECLARED`].
#[derive(Clone, Debug, Default)]
pub(crate) struct DeclaredUris {
    declared: Vec<DeclaredUri>,
    /// Every spelling of every extension. URIs of one author differ only near their end: most
    /// comparisons are settled by the ending.
    spellings: Vec<(UriEnding, Requested)>,
}

impl DeclaredUris {
    pub(crate) fn new(declared: Vec<DeclaredUri>) -> Self {
        let mut spellings = Vec::new();
        for (index, one) in (0..).zip(declared.iter().take(MAX_DECLARED)) {
            let endings = one.spellings.iter().map(|uri| UriEnding::of(uri.as_str().as_bytes()));
            spellings.extend((0..=u8::MAX).zip(endings).map(|(spelling, end)| (end, Requested { index, spelling })));
        }
        Self { declared, spellings }
    }

    /// The declared extension and its spelling that `member` names exactly.
    fn find(&self, member: &[u8]) -> Option<Requested> {
        let ending = UriEnding::of(member);
        let mut alike = self.spellings.iter().filter(|(end, _)| *end == ending).map(|(_, requested)| *requested);
        alike.find(|requested| self.uri(*requested).is_some_and(|uri| uri.as_str().as_bytes() == member))
    }

    fn uri(&self, requested: Requested) -> Option<&ExtensionUri> {
        self.declared.get(usize::from(requested.index))?.spellings.get(usize::from(requested.spelling))
    }

    /// The place of the extension that has this URI among its spellings.
    pub(crate) fn index_of(&self, uri: &str) -> Option<usize> {
        self.find(uri.as_bytes()).map(|requested| usize::from(requested.index))
    }

    /// The required ones that a client did not ask for.
    pub(crate) fn missing<'a>(&'a self, activation: &'a Activation) -> impl Iterator<Item = &'a ExtensionUri> {
        self.declared
            .iter()
            .enumerate()
            .filter(|(index, declared)| declared.required && activation.requested & bit(*index) == 0)
            .filter_map(|(_, declared)| declared.spellings.first())
    }

    pub(crate) fn is_required(&self, index: usize) -> bool {
        self.declared.get(index).is_some_and(|declared| declared.required)
    }
}

/// The last eight bytes of a URI, which is all of it if it is shorter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct UriEnding(u64);

impl UriEnding {
    fn of(uri: &[u8]) -> Self {
        let ending = uri.last_chunk::<8>().copied();
        Self(ending.map_or_else(|| uri.iter().fold(0, |end, byte| end << 8 | u64::from(*byte)), u64::from_be_bytes))
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Requested {
    index: u8,
    spelling: u8,
}

/// What one request asked for, and what is declined since. No allocation.
pub(crate) struct Activation {
    order: [Requested; MAX_DECLARED],
    count: usize,
    requested: u64,
    /// A bit for each declined extension; the top bit says that the head has left.
    declined: AtomicU64,
}

impl Default for Activation {
    fn default() -> Self {
        Self { order: [Requested::default(); MAX_DECLARED], count: 0, requested: 0, declined: AtomicU64::new(0) }
    }
}

impl Activation {
    /// Intersects what is requested with what is declared, in client order, each once.
    pub(crate) fn negotiate<'a>(declared: &DeclaredUris, members: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut activation = Self::default();
        for requested in members.filter_map(|member| declared.find(member)) {
            let bit = bit(usize::from(requested.index));
            if activation.requested & bit != 0 {
                continue;
            }
            if let Some(place) = activation.order.get_mut(activation.count) {
                *place = requested;
                activation.count += 1;
                activation.requested |= bit;
            }
        }
        activation
    }

    /// Switches an extension off before the call starts, because its own code says so.
    pub(crate) fn deny(&mut self, index: usize) {
        *self.declined.get_mut() |= bit(index);
    }

    pub(crate) fn is_requested(&self, index: usize) -> bool {
        self.requested & bit(index) != 0
    }

    pub(crate) fn is_active(&self, index: usize) -> bool {
        self.active() & bit(index) != 0
    }

    /// The active URIs in client order, in the client's spelling.
    pub(crate) fn uris<'a>(&'a self, declared: &'a DeclaredUris) -> impl Iterator<Item = &'a ExtensionUri> {
        let active = self.active();
        let order = self.order.iter().take(self.count);
        order.filter(move |one| active & bit(usize::from(one.index)) != 0).filter_map(|one| declared.uri(*one))
    }

    /// The spelling under which the client asked for an extension.
    pub(crate) fn spelling<'a>(&self, declared: &'a DeclaredUris, index: usize) -> Option<&'a ExtensionUri> {
        let one = self.order.iter().take(self.count).find(|one| usize::from(one.index) == index)?;
        declared.uri(*one)
    }

    /// Declines an extension, unless the head has left.
    pub(crate) fn decline(&self, index: usize) -> Result<(), DeclineError> {
        let add = |state: u64| if state & SEAL == 0 { Some(state | bit(index)) } else { None };
        self.declined
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, add)
            .map(|_| ())
            .map_err(|_| DeclineError::HeadSent)
    }

    /// From now on nothing can be declined. What is active then is what the echo says.
    pub(crate) fn seal(&self) {
        self.declined.fetch_or(SEAL, Ordering::AcqRel);
    }

    fn active(&self) -> u64 {
        self.requested & !self.declined.load(Ordering::Acquire)
    }
}

impl fmt::Debug for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Activation").field("requested", &self.requested).field("active", &self.active()).finish()
    }
}

/// An extension cannot be declined any more, or not at all.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum DeclineError {
    /// The response head, and with it the echo, has left.
    HeadSent,
    /// The card says that clients must support the extension.
    Required,
}

impl fmt::Display for DeclineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HeadSent => "the response head has left, it named the extension as active",
            Self::Required => "the card declares the extension as required, it cannot be declined",
        })
    }
}

impl std::error::Error for DeclineError {}

const fn bit(index: usize) -> u64 {
    if index < MAX_DECLARED { 1 << index } else { 0 }
}

#[cfg(test)]
mod tests;
