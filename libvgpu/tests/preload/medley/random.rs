//! Numbers that are random enough and the same for the same seed.

/// The most bytes of one request.
pub(super) const LARGEST: u64 = 512 << 20;

/// A generator: SplitMix64.
pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is above 0.
    pub(super) const fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// An index below `bound`, which is above 0.
    pub(super) fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(bound as u64)).unwrap()
    }

    pub(super) const fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// Bytes to ask for: from one to [`LARGEST`], small sizes as often as large ones.
    pub(super) const fn bytes(&mut self) -> u64 {
        let most = 1 << self.below(LARGEST.ilog2() as u64 + 1);
        1 + self.below(most)
    }
}
