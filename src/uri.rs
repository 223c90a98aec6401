//! The identifier of an extension.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The URI that identifies an extension, for example in the `A2A-Extensions` header.
///
/// It is compared byte for byte: no case folding, no trailing slash, no other version (A2A
/// extensions topic, "Versioning"). Cloning copies a pointer.
///
/// ```
/// use tower_a2a_extensions::ExtensionUri;
///
/// const TIMESTAMP: ExtensionUri = ExtensionUri::from_static("https://example.com/timestamp/v1");
/// assert_eq!(TIMESTAMP, "https://example.com/timestamp/v1");
/// assert!(ExtensionUri::new("https://example.com/a,b").is_err(), "a comma would split the header");
/// ```
#[derive(Clone)]
pub struct ExtensionUri(Repr);

#[derive(Clone)]
enum Repr {
    Static(&'static str),
    Shared(Arc<str>),
}

/// The text is no absolute ASCII URI that fits into a comma-separated header.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum UriError {
    /// It does not start with a scheme and a colon.
    NoScheme,
    /// A byte at this offset is none of RFC 3986, or a comma, which separates header members.
    Byte {
        /// Bytes before the offending one.
        offset: usize,
    },
}

impl ExtensionUri {
    /// A URI that is checked where the program is compiled, if it is used for a `const`.
    ///
    /// # Panics
    ///
    /// Where `uri` is not one that [`new`](Self::new) accepts.
    #[must_use]
    pub const fn from_static(uri: &'static str) -> Self {
        assert!(check(uri.as_bytes()).is_ok(), "not an absolute ASCII URI without comma");
        Self(Repr::Static(uri))
    }

    /// A URI from configuration or a card.
    ///
    /// # Errors
    ///
    /// [`UriError`] where it is no absolute URI of RFC 3986's ASCII characters, or holds a comma.
    pub fn new(uri: impl Into<Arc<str>>) -> Result<Self, UriError> {
        let uri = uri.into();
        check(uri.as_bytes())?;
        Ok(Self(Repr::Shared(uri)))
    }

    /// The exact string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Static(uri) => uri,
            Repr::Shared(uri) => uri,
        }
    }

    /// Whether header bytes are a URI that can be asked for at all.
    pub(crate) fn accepts(bytes: &[u8]) -> bool {
        check(bytes).is_ok()
    }
}

const fn check(bytes: &[u8]) -> Result<(), UriError> {
    let mut rest = bytes;
    let mut offset = 0;
    let mut in_scheme = true;
    while let [byte, behind @ ..] = rest {
        if in_scheme {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' => {}
                b'0'..=b'9' | b'+' | b'-' | b'.' if offset > 0 => {}
                b':' if offset > 0 && !behind.is_empty() => in_scheme = false,
                _ => return Err(UriError::NoScheme),
            }
        } else if !is_uri_byte(*byte) {
            return Err(UriError::Byte { offset });
        }
        rest = behind;
        offset += 1;
    }
    if in_scheme { Err(UriError::NoScheme) } else { Ok(()) }
}

const fn is_uri_byte(byte: u8) -> bool {
    matches!(byte,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'%'
        | b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@'
        | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b';' | b'=')
}

impl fmt::Debug for ExtensionUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for ExtensionUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq for ExtensionUri {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for ExtensionUri {}

impl Hash for ExtensionUri {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl PartialEq<str> for ExtensionUri {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for ExtensionUri {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl AsRef<str> for ExtensionUri {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl From<ExtensionUri> for Cow<'static, str> {
    fn from(uri: ExtensionUri) -> Self {
        match uri.0 {
            Repr::Static(uri) => Cow::Borrowed(uri),
            Repr::Shared(uri) => Cow::Owned(uri.as_ref().into()),
        }
    }
}

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoScheme => f.write_str("an extension URI starts with a scheme, such as `https:`"),
            Self::Byte { offset } => {
                write!(f, "byte {offset} cannot stand in an extension URI: only ASCII of RFC 3986, and a comma as %2C")
            }
        }
    }
}

impl std::error::Error for UriError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a7_d2_only_ascii_uris_without_comma_are_identifiers() {
        for good in ["https://biz.example/ext/v1", "urn:x:y", "HTTPS://EX.com", "tel:+1", "a+b-c.d:e"] {
            assert!(ExtensionUri::new(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            ":",
            "x",
            "x:",
            "1x:y",
            "/path",
            "https://biz.example/menü",
            "https://x/a b",
            "https://x/a,b",
            "x:\u{7f}",
            "x:\\y",
            "x:\"y",
        ] {
            assert!(ExtensionUri::new(bad).is_err(), "{bad}");
        }
        assert_eq!(ExtensionUri::new("x:ab c"), Err(UriError::Byte { offset: 4 }));
    }

    #[test]
    fn d3_comparison_is_exact() {
        let uri = ExtensionUri::from_static("https://biz.example");
        assert_ne!(uri, "https://biz.example/");
        assert_ne!(uri, "HTTPS://biz.example");
        assert_eq!(uri, ExtensionUri::new("https://biz.example").unwrap());
    }
}
