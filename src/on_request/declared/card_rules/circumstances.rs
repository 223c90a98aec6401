//! Paths that reveal the circumstances of whoever follows them (OR-3.8).

use std::borrow::Cow;
use std::collections::HashSet;

use percent_encoding::percent_decode_str;

use crate::values::FoldedText;

/// The words that are looked for in the path and the host of a `personEntry` by default: whole words, in any
/// case, also as a plural with `s`. English only, and small on purpose: replace it with
/// [`CardChecker::path_words`](super::CardChecker::path_words).
pub const CIRCUMSTANCE_WORDS: &[&str] = &[
    "abortion",
    "abuse",
    "addiction",
    "adoption",
    "anxiety",
    "asylum",
    "bankruptcy",
    "bereaved",
    "bereavement",
    "cancer",
    "custody",
    "death",
    "debt",
    "deceased",
    "dementia",
    "depression",
    "diagnosis",
    "disability",
    "divorce",
    "eviction",
    "fertility",
    "foreclosure",
    "funeral",
    "grief",
    "hiv",
    "hospice",
    "insolvency",
    "miscarriage",
    "oncology",
    "overdue",
    "palliative",
    "pregnancy",
    "pregnant",
    "rehab",
    "stillbirth",
    "suicide",
    "terminal",
    "unemployed",
    "victim",
    "widow",
];

/// So often an address is decoded: what stays encoded then is no word.
const MAX_DECODINGS: usize = 3;

/// The words to look for, ready to be looked up.
#[derive(Clone, Debug)]
pub(super) struct PathWords(HashSet<String>);

impl PathWords {
    pub(super) fn new(words: &[Cow<'static, str>]) -> Self {
        Self(words.iter().map(|word| word.trim().to_lowercase()).filter(|word| !word.is_empty()).collect())
    }

    /// The first of the words that the path of an https address holds, also encoded.
    pub(super) fn in_path(&self, entry: &str) -> Option<String> {
        self.first(&decoded(path(entry)?))
    }

    /// The first of the words that is in the name of the host.
    pub(super) fn in_host(&self, entry: &str) -> Option<String> {
        let rest = entry.strip_prefix("https://")?;
        self.first(rest.split_once('/').map_or(rest, |(host, _)| host))
    }

    fn first(&self, text: &str) -> Option<String> {
        let is_listed =
            |word: &str| self.0.contains(word) || word.strip_suffix('s').is_some_and(|word| self.0.contains(word));
        let words = text.split(|character: char| !character.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).find(|word| is_listed(word))
    }
}

/// What an https address carries in its path that may be about a person, though it has no query:
/// an encoded `?`, `#` or `@`, a control or unseen character, or `;name=value`.
pub(super) fn carried(entry: &str) -> Option<&'static str> {
    let path = decoded(path(entry)?);
    let has_parameter = path.split('/').flat_map(|segment| segment.split(';').skip(1)).any(|one| one.contains('='));
    let is_unseen = |character: char| FoldedText::new(character.encode_utf8(&mut [0; 4])).as_str().is_empty();
    if path.contains('?') {
        Some("an encoded `?`")
    } else if path.contains('#') {
        Some("an encoded `#`")
    } else if path.contains('@') {
        Some("an `@`")
    } else if has_parameter {
        Some("a parameter, `;name=value`")
    } else if path.chars().any(char::is_control) {
        Some("an encoded control character")
    } else if path.chars().any(is_unseen) {
        Some("an encoded character that cannot be seen")
    } else {
        None
    }
}

fn path(entry: &str) -> Option<&str> {
    Some(entry.strip_prefix("https://")?.split_once('/')?.1)
}

/// Decoded until nothing is encoded any more, as readers one behind the other may do.
fn decoded(path: &str) -> String {
    let mut path = path.to_owned();
    for _ in 0..MAX_DECODINGS {
        if !path.contains('%') {
            break;
        }
        path = percent_decode_str(&path).decode_utf8_lossy().into_owned();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> PathWords {
        PathWords::new(&CIRCUMSTANCE_WORDS.iter().map(|word| Cow::Borrowed(*word)).collect::<Vec<_>>())
    }

    #[test]
    fn or_3_8_whole_words_of_the_path_count_however_they_are_written() {
        let words = words();
        for (path, word) in [
            ("bereavement", Some("bereavement")),
            ("talk/Recent-Deaths", Some("deaths")),
            ("%62ereavement/", Some("bereavement")),
            ("%2562ereavement", Some("bereavement")),
            ("%252562ereavement", Some("bereavement")),
            ("talk%2Fdebt", Some("debt")),
            ("talk", None),
            ("deathly", None),
            ("100%25", None),
            ("", None),
        ] {
            let entry = format!("https://funeral.example/{path}");
            assert_eq!(words.in_path(&entry).as_deref(), word, "{path}");
        }
        assert_eq!(words.in_path("tel:+15550100"), None);
        let own = PathWords::new(&[Cow::Borrowed(" VIP "), Cow::Borrowed("")]);
        assert_eq!(own.in_path("https://x.example/s/vip").as_deref(), Some("vip"));
    }

    #[test]
    fn or_3_8_the_labels_of_the_host_are_words_too() {
        for (entry, word) in [
            ("https://bereavement.example.com", Some("bereavement")),
            ("https://ask-Debt.example.com:8443/talk", Some("debt")),
            ("https://ask.example.com/debt", None),
            ("https://debtor.example.com", None),
            ("tel:+15550100", None),
        ] {
            assert_eq!(words().in_host(entry).as_deref(), word, "{entry}");
        }
    }

    #[test]
    fn or_3_8_what_a_path_carries_is_seen_through_its_encoding() {
        for (path, what) in [
            ("talk%3Fwho=x", Some("an encoded `?`")),
            ("talk%253Fwho=x", Some("an encoded `?`")),
            ("talk%23x", Some("an encoded `#`")),
            ("talk;who=john", Some("a parameter, `;name=value`")),
            ("talk%3Bwho%3Djohn/x", Some("a parameter, `;name=value`")),
            ("john%40example.com", Some("an `@`")),
            ("john@example.com", Some("an `@`")),
            ("talk%0Ax", Some("an encoded control character")),
            ("talk%00", Some("an encoded control character")),
            ("talk%C2%9Bx", Some("an encoded control character")),
            ("talk%E2%80%AEx", Some("an encoded character that cannot be seen")),
            ("talk%E2%80%8Bx", Some("an encoded character that cannot be seen")),
            ("talk;v", None),
            ("a=b/talk;/x=1", None),
            ("gespr%C3%A4ch/100%25", None),
            ("", None),
        ] {
            assert_eq!(carried(&format!("https://ask.example.com/{path}")), what, "{path}");
        }
        assert_eq!(carried("tel:+15550100"), None);
        assert_eq!(carried("https://ask.example.com"), None);
    }
}
