//! The closed table of member names that the reader knows, and names that only look like them.
//!
//! Servers spell members in camelCase, in proto snake_case and with the names of 0.3; Go's JSON
//! readers also ignore case, and some ignore `_` and `-`. What is spelled exactly as one of the
//! table's rows is read; what is equal only after folding is doubt, and the reader refuses it.

/// What a Part holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum PartKind {
    Text,
    Data,
    /// The bytes of a file, in base64.
    Raw,
    /// The address of a file.
    Url,
    /// 0.3's `file`, an object.
    File,
}

impl PartKind {
    /// The same for all that hold a file, as 0.3's `kind` has it.
    pub(super) fn is_like(self, other: Self) -> bool {
        self == other || (self.is_file() && other.is_file())
    }

    pub(super) fn is_file(self) -> bool {
        matches!(self, Self::Raw | Self::Url | Self::File)
    }
}

/// A member that the reader knows, whatever its spelling.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Member {
    /// `message`, and 0.3's `request`.
    Message,
    Params,
    Method,
    Id,
    JsonRpc,
    Metadata,
    Configuration,
    /// `parts`, and 0.3's `content`.
    Parts,
    Kind,
    MessageId,
    ContextId,
    TaskId,
    Role,
    Extensions,
    Text,
    Data,
    Raw,
    Url,
    File,
}

impl Member {
    /// For the content members of a Part: what kind of Part they make.
    pub(super) fn part_kind(self) -> Option<PartKind> {
        match self {
            Self::Text => Some(PartKind::Text),
            Self::Data => Some(PartKind::Data),
            Self::Raw => Some(PartKind::Raw),
            Self::Url => Some(PartKind::Url),
            Self::File => Some(PartKind::File),
            _ => None,
        }
    }
}

/// One row: the member, its name after folding, and the spellings that are read.
pub(super) struct Spelling {
    member: Member,
    folded: &'static [u8],
    exact: &'static [&'static str],
    /// The name is one that only 0.3 has.
    only_0_3: bool,
}

const fn row(member: Member, folded: &'static [u8], exact: &'static [&'static str]) -> Spelling {
    Spelling { member, folded, exact, only_0_3: false }
}

const MESSAGE: Spelling = row(Member::Message, b"message", &["message"]);
const REQUEST: Spelling = Spelling { member: Member::Message, folded: b"request", exact: &["request"], only_0_3: true };
const PARAMS: Spelling = row(Member::Params, b"params", &["params"]);
const METADATA: Spelling = row(Member::Metadata, b"metadata", &["metadata"]);
const CONFIGURATION: Spelling = row(Member::Configuration, b"configuration", &["configuration"]);
const KIND: Spelling = row(Member::Kind, b"kind", &["kind"]);

/// What is looked at on the top level of a body.
pub(super) const TOP_LEVEL: &[Spelling] = &[
    MESSAGE,
    REQUEST,
    PARAMS,
    METADATA,
    CONFIGURATION,
    row(Member::Method, b"method", &["method"]),
    row(Member::Id, b"id", &["id"]),
    row(Member::JsonRpc, b"jsonrpc", &["jsonrpc"]),
];

/// What is looked at inside `params`.
pub(super) const IN_PARAMS: &[Spelling] = &[MESSAGE, REQUEST, PARAMS, METADATA, CONFIGURATION];

/// What is looked at inside a candidate for the message.
pub(super) const IN_MESSAGE: &[Spelling] = &[
    MESSAGE,
    REQUEST,
    PARAMS,
    METADATA,
    KIND,
    row(Member::Parts, b"parts", &["parts"]),
    Spelling { member: Member::Parts, folded: b"content", exact: &["content"], only_0_3: true },
    row(Member::MessageId, b"messageid", &["messageId", "message_id"]),
    row(Member::ContextId, b"contextid", &["contextId", "context_id"]),
    row(Member::TaskId, b"taskid", &["taskId", "task_id"]),
    row(Member::Role, b"role", &["role"]),
    row(Member::Extensions, b"extensions", &["extensions"]),
];

/// What is looked at inside a Part.
pub(super) const IN_PART: &[Spelling] = &[
    KIND,
    row(Member::Text, b"text", &["text"]),
    row(Member::Data, b"data", &["data"]),
    row(Member::Raw, b"raw", &["raw"]),
    row(Member::Url, b"url", &["url"]),
    row(Member::File, b"file", &["file"]),
];

/// What a key is, by one of the tables.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum KeyMatch {
    Unknown,
    Exact {
        member: Member,
        only_0_3: bool,
    },
    /// Some server may take it for the member.
    Folded(Member),
}

/// Looks a key up.
pub(super) fn find(table: &[Spelling], key: &str) -> KeyMatch {
    find_exact(table, key.as_bytes()).unwrap_or_else(|| {
        find_folded(table, FoldedName::of(key)).map_or(KeyMatch::Unknown, |row| KeyMatch::Folded(row.member))
    })
}

/// The same for a key that is spelled as in the table.
pub(super) fn find_exact(table: &[Spelling], key: &[u8]) -> Option<KeyMatch> {
    let row = table.iter().find(|row| row.exact.iter().any(|exact| exact.as_bytes() == key))?;
    Some(KeyMatch::Exact { member: row.member, only_0_3: row.only_0_3 })
}

fn find_folded(table: &[Spelling], name: Option<FoldedName>) -> Option<&Spelling> {
    let name = name?;
    table.iter().find(|row| row.folded == name.as_bytes())
}

/// A name without case, `_` and `-`, if it is short enough to be one of ours.
#[derive(Default)]
struct FoldedName {
    bytes: [u8; 16],
    length: usize,
}

impl FoldedName {
    /// Folds as Go does: only U+017F and U+212A fold to ASCII from outside of it.
    fn of(key: &str) -> Option<Self> {
        let mut name = Self::default();
        for character in key.trim_start_matches('\u{feff}').chars() {
            match character {
                '_' | '-' => {}
                '\u{17f}' => name.push(b's')?,
                '\u{212a}' => name.push(b'k')?,
                _ => name.push(u8::try_from(character).ok().filter(u8::is_ascii)?.to_ascii_lowercase())?,
            }
        }
        Some(name)
    }

    fn push(&mut self, byte: u8) -> Option<()> {
        *self.bytes.get_mut(self.length)? = byte;
        self.length += 1;
        Some(())
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// Which members an object has had.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeenMembers(u32);

impl SeenMembers {
    /// Notes a member, and says whether it is the first under any of its spellings.
    pub(super) fn is_first(&mut self, member: Member) -> bool {
        let bit = 1 << (member as u32);
        let first = self.0 & bit == 0;
        self.0 |= bit;
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::JsonScan;

    fn look_up(table: &[Spelling], raw: &[u8]) -> KeyMatch {
        let quoted = [b"\"", raw, b"\""].concat();
        find(table, &JsonScan::new(&quoted).text().unwrap().decode().unwrap())
    }

    #[test]
    fn every_row_is_found_under_its_spellings_and_folds_to_its_name() {
        for table in [TOP_LEVEL, IN_PARAMS, IN_MESSAGE, IN_PART] {
            for row in table {
                for exact in row.exact {
                    let expected = KeyMatch::Exact { member: row.member, only_0_3: row.only_0_3 };
                    assert_eq!(look_up(table, exact.as_bytes()), expected, "{exact}");
                    let shouted = exact.to_ascii_uppercase();
                    assert_eq!(look_up(table, shouted.as_bytes()), KeyMatch::Folded(row.member), "{shouted}");
                }
            }
        }
    }

    #[test]
    fn escapes_do_not_hide_a_name() {
        let expected = KeyMatch::Exact { member: Member::Message, only_0_3: false };
        assert_eq!(look_up(TOP_LEVEL, br"\u006dess\u0061ge"), expected);
        assert_eq!(look_up(TOP_LEVEL, br"\u004dessage"), KeyMatch::Folded(Member::Message));
    }

    #[test]
    fn what_some_server_takes_for_a_member_is_folded() {
        for raw in [
            "Message",
            "mess_age",
            "mes\u{17f}age",
            "me\u{17f}\u{17f}age",
            "\u{feff}message",
            "mess-age",
            "_message_",
            "MESSAGE",
        ] {
            assert_eq!(look_up(TOP_LEVEL, raw.as_bytes()), KeyMatch::Folded(Member::Message), "{raw}");
        }
        assert_eq!(look_up(IN_PART, "\u{212a}ind".as_bytes()), KeyMatch::Folded(Member::Kind));
        assert_eq!(look_up(IN_MESSAGE, b"messageid"), KeyMatch::Folded(Member::MessageId));
        assert_eq!(look_up(IN_MESSAGE, b"Message_Id"), KeyMatch::Folded(Member::MessageId));
    }

    #[test]
    fn other_names_are_unknown() {
        for raw in ["messages", "messag", "", "m\u{e9}ssage", "message ", "configurations and more", "x"] {
            assert_eq!(look_up(TOP_LEVEL, raw.as_bytes()), KeyMatch::Unknown, "{raw}");
        }
        let long = "m_".repeat(100_000);
        assert_eq!(look_up(TOP_LEVEL, long.as_bytes()), KeyMatch::Unknown);
    }

    #[test]
    fn a_member_is_first_once() {
        let mut seen = SeenMembers::default();
        assert!(seen.is_first(Member::Message));
        assert!(seen.is_first(Member::File));
        assert!(!seen.is_first(Member::Message));
    }
}
