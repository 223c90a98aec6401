//! A hasher for keys that are hashes already.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Mixes eight bytes of a key with a number that only this process knows, so that nobody can choose
/// messages whose keys all fall into one place.
#[derive(Clone, Debug)]
pub(super) struct KeyHasherBuilder(u64);

impl Default for KeyHasherBuilder {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0_u8))
    }
}

impl BuildHasher for KeyHasherBuilder {
    type Hasher = KeyHasher;

    fn build_hasher(&self) -> KeyHasher {
        KeyHasher(self.0)
    }
}

#[derive(Debug)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        let first = bytes.first_chunk::<8>().map_or(0, |first| u64::from_le_bytes(*first));
        let mixed = u128::from(first ^ self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        self.0 = u64::try_from(mixed >> 64).unwrap_or_default() ^ self.0.rotate_left(32);
    }

    /// The length, which is the same for all keys.
    fn write_usize(&mut self, _length: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}
