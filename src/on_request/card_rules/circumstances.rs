//! Paths that reveal the circumstances of whoever follows them (OR-3.8).

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// The words that are looked for in the path of a `personEntry` by default: whole words, in any
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

/// The first of the words that the path of an https address holds.
pub(super) fn revealing_word(entry: &str, words: &[Cow<'static, str>]) -> Option<String> {
    let (_, path) = entry.strip_prefix("https://")?.split_once('/')?;
    let path = percent_decode_str(path).decode_utf8_lossy().to_lowercase();
    let is_word = |word: &&str| {
        words
            .iter()
            .map(|listed| listed.to_lowercase())
            .any(|listed| **word == listed || word.strip_suffix('s').is_some_and(|singular| singular == listed))
    };
    path.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .find(is_word)
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn or_3_8_whole_words_of_the_path_count_however_they_are_written() {
        let words = CIRCUMSTANCE_WORDS.iter().map(|word| Cow::Borrowed(*word)).collect::<Vec<_>>();
        for (path, word) in [
            ("bereavement", Some("bereavement")),
            ("talk/Recent-Deaths", Some("deaths")),
            ("%62ereavement/", Some("bereavement")),
            ("talk", None),
            ("deathly", None),
            ("", None),
        ] {
            assert_eq!(revealing_word(&format!("https://funeral.example/{path}"), &words).as_deref(), word, "{path}");
        }
        assert_eq!(revealing_word("tel:+15550100", &words), None);
    }
}
