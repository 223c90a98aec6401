//! The documents that an answer cites.

use serde_json::{Map, Value};

use super::members::{EnvelopePart, EnvelopeReadError, MemberReader, MemberWriter};

/// A document that the answer cites: an entry of `citations`.
///
/// ```
/// use tower_a2a_extensions::converse::Citation;
///
/// let menu = Citation::new("doc-4", "chunk-1", "Menu").with_source_url("https://example.com/menu");
/// assert_eq!(menu.source_url(), Some("https://example.com/menu"));
/// ```
///
/// # Security
///
/// Ids, title and address leave with the reply: cite what its reader may know of.
#[derive(Clone, Debug, PartialEq)]
pub struct Citation {
    document_id: String,
    chunk_id: Option<String>,
    title: Option<String>,
    source_url: Option<String>,
    others: Map<String, Value>,
}

impl Citation {
    /// A piece of a document.
    #[must_use]
    pub fn new(document_id: impl Into<String>, chunk_id: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            document_id: document_id.into(),
            chunk_id: Some(chunk_id.into()),
            title: Some(title.into()),
            source_url: None,
            others: Map::new(),
        }
    }

    /// Sets where the document can be read, if it can.
    #[must_use]
    pub fn with_source_url(mut self, url: impl Into<String>) -> Self {
        self.source_url = Some(url.into());
        self
    }

    /// The document.
    #[must_use]
    pub fn document_id(&self) -> &str {
        &self.document_id
    }

    /// The piece of it. Every peer of this version sends one.
    #[must_use]
    pub fn chunk_id(&self) -> Option<&str> {
        self.chunk_id.as_deref()
    }

    /// Its title. Every peer of this version sends one.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Where it can be read, as it is written.
    #[must_use]
    pub fn source_url(&self) -> Option<&str> {
        self.source_url.as_deref()
    }
}

impl EnvelopePart for Citation {
    fn read(mut members: MemberReader) -> Result<Self, EnvelopeReadError> {
        Ok(Self {
            document_id: members.text("documentId")?,
            chunk_id: members.optional_text("chunkId")?,
            title: members.optional_text("title")?,
            source_url: members.optional_text("sourceUrl")?,
            others: members.rest(),
        })
    }

    fn write(&self) -> Map<String, Value> {
        MemberWriter::new(&self.others)
            .set("documentId", self.document_id())
            .set_if("chunkId", self.chunk_id())
            .set_if("title", self.title())
            .set_if("sourceUrl", self.source_url())
            .finish()
    }
}
