//! Taking an input apart.

/// What is left of an input. At its end there are only zeros.
pub(crate) struct Take<'a>(pub(crate) &'a [u8]);

impl Take<'_> {
    pub(crate) const fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        byte
    }

    pub(crate) fn short(&mut self) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()]))
    }

    pub(crate) fn word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A word that is often small, often large, and sometimes any.
    pub(crate) fn amount(&mut self) -> u64 {
        match self.byte() {
            shift @ 0..64 => u64::from(self.byte()) << shift,
            64..128 => u64::from(self.byte()),
            128..192 => u64::MAX - u64::from(self.byte()),
            _ => self.word(),
        }
    }
}
