//! What a check is told beside the card.

use std::borrow::Cow;
use std::sync::Arc;

use super::circumstances::CIRCUMSTANCE_WORDS;
use crate::values::{CommonValue, ValueDetector};

#[derive(Clone)]
pub(super) struct CardOptions {
    /// Origins that the operator controls, beside what the card shows.
    pub(super) origins: Vec<String>,
    /// Values that must stand in no text.
    pub(super) values: Vec<String>,
    pub(super) path_words: Cow<'static, [Cow<'static, str>]>,
    pub(super) detectors: Vec<Arc<dyn ValueDetector>>,
    /// Whether hosts of one registrable domain belong together, where the suffix list is built in.
    pub(super) by_registrable_domain: bool,
}

impl Default for CardOptions {
    fn default() -> Self {
        let detectors = CommonValue::ALL.iter().map(|common| Arc::new(*common) as Arc<dyn ValueDetector>);
        Self {
            origins: Vec::new(),
            values: Vec::new(),
            path_words: CIRCUMSTANCE_WORDS.iter().map(|word| Cow::Borrowed(*word)).collect(),
            detectors: detectors.collect(),
            by_registrable_domain: false,
        }
    }
}
