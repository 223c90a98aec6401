//! How the keys in Redis are called.

use super::RedisStoreError;
use crate::on_request::actions::store::{ActionKey, ClaimToken, LimitKey};

const LONGEST: usize = 100;

/// What stands before every key of one store, in braces: a cluster keeps all of them in one slot,
/// so that one script can reach them.
#[derive(Clone, Debug)]
pub(super) struct KeyPrefix(String);

impl KeyPrefix {
    pub(super) fn new(prefix: &str) -> Result<Self, RedisStoreError> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:/".contains(&byte);
        if prefix.is_empty() || prefix.len() > LONGEST || !prefix.bytes().all(is_allowed) {
            return Err(RedisStoreError::new("a prefix is 1 to 100 ASCII letters, digits and - . _ : /"));
        }
        Ok(Self(format!("{{{prefix}}}")))
    }

    pub(super) fn entry(&self, key: &ActionKey) -> String {
        format!("{}:action:{key}", self.0)
    }

    pub(super) fn tombstone(&self, key: &ActionKey, token: ClaimToken) -> String {
        let token = u128::from_be_bytes(*token.as_bytes());
        format!("{}:lost:{key}:{token:032x}", self.0)
    }

    pub(super) fn limit(&self, key: &LimitKey) -> String {
        format!("{}:limit:{key}", self.0)
    }

    pub(super) fn overdue(&self) -> String {
        format!("{}:overdue", self.0)
    }

    pub(super) fn notes(&self) -> String {
        format!("{}:notes", self.0)
    }

    pub(super) fn deferred(&self) -> String {
        format!("{}:deferred", self.0)
    }

    pub(super) fn generation(&self) -> String {
        format!("{}:generation", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_one_hash_tag_which_is_the_prefix() {
        let prefix = KeyPrefix::new("chapel:holy-trinity").unwrap();
        let action = ActionKey::new([0xab; 32]);
        let keys = [
            prefix.entry(&action),
            prefix.tombstone(&action, ClaimToken::random()),
            prefix.limit(&LimitKey::new([1; 32])),
            prefix.overdue(),
            prefix.notes(),
            prefix.deferred(),
            prefix.generation(),
        ];
        for key in keys {
            let (tag, name) = key.strip_prefix('{').unwrap().split_once('}').unwrap();
            assert_eq!(tag, "chapel:holy-trinity");
            assert!(!name.contains(['{', '}']), "{key}");
        }
    }

    #[test]
    fn a_prefix_that_would_move_the_hash_tag_or_break_a_key_is_refused() {
        let long = "p".repeat(LONGEST + 1);
        for prefix in ["", "a{b}", "}", "{", "a b", "a\n", "ä", &long] {
            assert!(KeyPrefix::new(prefix).is_err(), "{prefix:?}");
        }
    }
}
