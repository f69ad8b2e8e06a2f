//! Maps by numbers that the driver or the kernel has chosen.

use crate::spread::spread;
use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

/// A map by addresses, handles or descriptors.
///
/// The standard library's draws a random number first, from the kernel or from a file, and ends the process where a
/// sandbox allows neither. There is nobody here whom random numbers would defend against.
pub type Table<Key, Value> = HashMap<Key, Value, BuildHasherDefault<Spread>>;

/// The hash of one number.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = spread(self.0.rotate_left(32) ^ number);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_i32(&mut self, number: i32) {
        self.write_u64(u64::from(number.cast_unsigned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::hash::Hash;
    use std::collections::HashSet;

    fn hash(key: impl Hash) -> u64 {
        let mut hasher = Spread::default();
        key.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn keys_of_any_kind_are_told_apart() {
        let mut all: Vec<_> = (0..1000_u64).map(|index| hash(0x7f00_0000_0000 + (index << 21))).collect();
        all.extend((0..1000_i32).map(hash));
        all.extend((1..1000_usize).map(|index| hash(index << 12)));
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        assert_ne!(hash((1_u64, 2_u64)), hash((2_u64, 1_u64)));
        assert_ne!(hash([1_u8, 2]), hash([2_u8, 1]));
    }
}
