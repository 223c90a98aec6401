//! What a mistyped word was meant to be.

/// So long may a word be that is compared.
const MAX_WORD: usize = 40;
/// So many words are compared with.
const MAX_KNOWN: usize = 100;

/// The most similar of the known words, where one differs by a slip of the pen: by case, by hyphens,
/// by a letter or two.
pub(super) fn most_similar<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = Some(word).filter(|word| word.len() <= MAX_WORD).map(plain)?;
    let most = match wanted.chars().count() {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    };
    let known = known.into_iter().take(MAX_KNOWN).filter(|known| known.len() <= MAX_WORD);
    let distances = known.map(|known| (strsim::osa_distance(&wanted, &plain(known)), known));
    distances.filter(|(distance, _)| *distance <= most).min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

fn plain(word: &str) -> String {
    word.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_told_from_another_word() {
        let known = ["id", "fees", "treatment-prices", "personEntry", "assistantAccess"];
        for (word, meant) in [
            ("treatment-price", Some("treatment-prices")),
            ("Treatment_Prices", Some("treatment-prices")),
            ("assitantAccess", Some("assistantAccess")),
            ("assistant_access", Some("assistantAccess")),
            ("fee", None),
            ("fees ", Some("fees")),
            ("ID", Some("id")),
            ("is", None),
            ("prices", None),
            ("", None),
        ] {
            assert_eq!(most_similar(word, known), meant, "{word}");
        }
    }

    #[test]
    fn long_words_are_not_compared() {
        let long = "x".repeat(1_000_000);
        assert_eq!(most_similar(&long, [long.as_str()]), None);
    }
}
