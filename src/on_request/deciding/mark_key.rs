//! To whom something was given: a keyed hash that only this operator can make and check.

use std::fmt;
use std::sync::OnceLock;

use hmac::digest::Output;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use uuid::Uuid;

use super::caller::Caller;
use crate::on_request::declared::skill::SkillId;

/// The fewest bytes of a key.
const MIN_KEY: usize = 32;
/// The block of SHA-256, to which HMAC fills a shorter key with zeros (RFC 2104 §2).
const BLOCK: usize = 64;
/// How many bytes of the hash are written: 128 bits, far more than anybody can try online.
const TAG: usize = 16;
/// What is hashed first, so that the same key in another place gives other hashes.
const CONTEXT: &[u8] = b"on-request/v1 givenTo";

/// The key with which marks are signed for the assistant they were given to.
///
/// A mark that the guard writes holds a private `givenTo`: HMAC-SHA-256 over the assistant's id and
/// the skill's, cut to 128 bits and written in hex. It stays in the agent's store and never leaves.
/// With it a later reply can tell whether who reads an Artifact is who got it.
///
/// By default the key is random for each process. Then what was given is withheld from everybody
/// after a restart, and by every other replica. Replicas, and agents whose tasks outlive a process,
/// share a key, see [`OnRequest::mark_key`](crate::on_request::OnRequest::mark_key).
///
/// # Security
///
/// At least 32 bytes from a random source, used for nothing else and kept like a password: who has
/// the key and can write into the store can make what is given to one assistant look given to
/// another, and can tell from a stored mark which assistant it names. A pass phrase is no such key.
///
/// ```
/// use tower_a2a_extensions::on_request::MarkKey;
///
/// let key = MarkKey::new(b"never write a key into the source; this one is for a test")?;
/// assert_eq!(format!("{key:?}"), "MarkKey { .. }");
/// assert!(MarkKey::new(b"too short").is_err());
/// # Ok::<(), tower_a2a_extensions::on_request::MarkKeyError>(())
/// ```
#[derive(Clone)]
pub struct MarkKey(Hmac<Sha256>);

impl MarkKey {
    /// A key of random bytes that all replicas share.
    ///
    /// # Errors
    ///
    /// [`MarkKeyError`] where it is shorter than 32 bytes.
    pub fn new(key: impl AsRef<[u8]>) -> Result<Self, MarkKeyError> {
        let key = key.as_ref();
        if key.len() < MIN_KEY {
            return Err(MarkKeyError(()));
        }
        Hmac::new_from_slice(key).map(Self).map_err(|_| MarkKeyError(()))
    }

    /// A new random key.
    pub(in crate::on_request) fn random() -> Self {
        // Two UUIDs of version 4 come from the system's random source and leave 244 bits open.
        let (first, second) = (Uuid::new_v4(), Uuid::new_v4());
        let mut key = [0; MIN_KEY];
        key.iter_mut().zip(first.as_bytes().iter().chain(second.as_bytes())).for_each(|(to, from)| *to = *from);
        Self::from(key)
    }

    /// The key of this process, where none is configured.
    pub(in crate::on_request) fn of_process() -> Self {
        static KEY: OnceLock<MarkKey> = OnceLock::new();
        KEY.get_or_init(Self::random).clone()
    }

    /// What a mark says of who got it. `None` where nothing can be given to the caller.
    pub(in crate::on_request) fn given_to(&self, caller: &Caller, skill: &SkillId) -> Option<String> {
        let tag: Output<Sha256> = self.hash(caller, skill)?.finalize().into_bytes();
        Some(tag.iter().take(TAG).map(|byte| format!("{byte:02x}")).collect())
    }

    /// Whether `given_to` names this caller, compared in constant time.
    pub(in crate::on_request) fn is_given_to(&self, caller: &Caller, skill: &SkillId, given_to: &str) -> bool {
        let tag = read_hex(given_to).filter(|tag| tag.len() == TAG);
        let (Some(tag), Some(hash)) = (tag, self.hash(caller, skill)) else { return false };
        hash.verify_truncated_left(&tag).is_ok()
    }

    /// The hash before it is read out. Lengths stand before texts, so that no two callers or skills
    /// run into one; a caller without an id has a domain of its own, which no id can spell.
    fn hash(&self, caller: &Caller, skill: &SkillId) -> Option<Hmac<Sha256>> {
        if caller.is_unidentifiable() {
            return None;
        }
        let mut hash = self.0.clone();
        let mut add = |text: &[u8]| {
            hash.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(text);
        };
        add(CONTEXT);
        match caller.id() {
            Some(id) => {
                add(b"assistant");
                add(id.as_bytes());
            }
            None => add(b"anonymous"),
        }
        add(skill.as_str().as_bytes());
        Some(hash)
    }
}

/// The bytes must be random, as for [`new`](MarkKey::new).
impl From<[u8; MIN_KEY]> for MarkKey {
    fn from(key: [u8; MIN_KEY]) -> Self {
        let mut block = [0; BLOCK];
        block.iter_mut().zip(key).for_each(|(to, from)| *to = from);
        Self(KeyInit::new(&block.into()))
    }
}

/// Shows nothing of the key.
impl fmt::Debug for MarkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MarkKey").finish_non_exhaustive()
    }
}

/// A key has fewer than 32 bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MarkKeyError(());

impl fmt::Display for MarkKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a mark key has at least {MIN_KEY} bytes")
    }
}

impl std::error::Error for MarkKeyError {}

/// Only as it is written above: two lower-case digits for each byte.
fn read_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if digits.len() != 2 * TAG {
        return None;
    }
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    digits.chunks(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> MarkKey {
        MarkKey::from([byte; 32])
    }

    fn skill() -> SkillId {
        SkillId::from("service-pricing")
    }

    #[test]
    fn what_is_given_to_one_is_given_to_nobody_else() {
        let callers = ["a", "b", "", "anonymous", "ab", "a\0", "assistant"].map(Caller::assistant);
        for (own, one) in callers.iter().enumerate() {
            let given_to = key(1).given_to(one, &skill()).unwrap();
            assert_eq!(given_to.len(), 32);
            for (other, another) in callers.iter().enumerate() {
                assert_eq!(key(1).is_given_to(another, &skill(), &given_to), own == other, "{own} {other}");
            }
            assert!(!key(2).is_given_to(one, &skill(), &given_to), "under another key");
            assert!(!key(1).is_given_to(one, &"other".into(), &given_to), "for another skill");
        }
    }

    #[test]
    fn texts_that_run_together_alike_are_told_apart() {
        let given_to = key(1).given_to(&Caller::assistant("ab"), &"c".into()).unwrap();
        assert!(!key(1).is_given_to(&Caller::assistant("a"), &"bc".into(), &given_to));
    }

    #[test]
    fn a_caller_whose_identification_panicked_is_given_nothing() {
        let nobody = Caller::unidentifiable();
        assert_eq!(key(1).given_to(&nobody, &skill()), None);
        let anonymous = key(1).given_to(&Caller::anonymous(), &skill()).unwrap();
        assert!(key(1).is_given_to(&Caller::anonymous(), &skill(), &anonymous));
        assert!(!key(1).is_given_to(&nobody, &skill(), &anonymous));
    }

    #[test]
    fn what_is_no_hash_of_ours_is_given_to_nobody() {
        let caller = Caller::assistant("a");
        let right = key(1).given_to(&caller, &skill()).unwrap();
        let flipped = |at: usize| {
            let mut bytes = right.clone().into_bytes();
            bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            String::from_utf8(bytes).unwrap()
        };
        let odd = ["", "0", &right[..30], &right.to_uppercase(), &format!("{right}00"), "ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ"];
        for odd in odd.into_iter().map(str::to_owned).chain((0..32).map(flipped)) {
            assert_eq!(key(1).is_given_to(&caller, &skill(), &odd), odd == right, "{odd}");
        }
    }

    #[test]
    fn the_hash_is_hmac_sha_256() {
        // Computed elsewhere: a replica of another version must read the same marks.
        let given_to = key(7).given_to(&Caller::assistant("assistant-7"), &skill()).unwrap();
        assert_eq!(given_to, "3dcfcdbb4a440925ca1e0237992b2f22");
        let anonymous = key(7).given_to(&Caller::anonymous(), &skill()).unwrap();
        assert_eq!(anonymous, "e45362b142a5c504a5971ff48030ca3d");
    }

    #[test]
    fn an_array_and_its_bytes_are_one_key_and_random_ones_differ() {
        let caller = Caller::assistant("a");
        let given_to = |key: &MarkKey| key.given_to(&caller, &skill());
        assert_eq!(given_to(&key(9)), given_to(&MarkKey::new([9; 32]).unwrap()));
        assert_ne!(given_to(&MarkKey::random()), given_to(&MarkKey::random()));
        assert_eq!(given_to(&MarkKey::of_process()), given_to(&MarkKey::of_process()));
        for length in 0..32 {
            assert_eq!(MarkKey::new(vec![1; length]).unwrap_err().to_string(), "a mark key has at least 32 bytes");
        }
    }
}
