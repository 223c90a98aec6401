//! Values that the page lists, and those that a newer peer may know.

use std::fmt;

/// A word that this version does not know. Only reading a word makes one, so that none of those that
/// are known can hide in it.
///
/// ```
/// use tower_a2a_extensions::converse::Author;
///
/// let Author::Other(word) = Author::from("committee") else { panic!() };
/// assert_eq!(word.as_str(), "committee");
/// ```
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct UnknownWord(String);

impl UnknownWord {
    pub(in crate::converse) fn new(word: &str) -> Self {
        Self(word.to_owned())
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// An enum of words, with what is written for each, and `Other` for what this version does not know.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Eq, Hash, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)+
            /// A word of a newer peer. It is written again as it was read.
            Other($crate::converse::words::UnknownWord),
        }

        impl $name {
            /// As it is written.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word.as_str(),
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    _ => Self::Other($crate::converse::words::UnknownWord::new(word)),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(super) use words;
