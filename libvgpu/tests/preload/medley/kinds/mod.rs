//! The kinds of memory, one a file.

mod arrays;
mod contexts;
mod graphs;
mod greens;
mod linear;
mod managed;
mod modules;
mod physical;
mod pitched;
mod pools;

use super::MIB;
use super::player::Thread;
use super::random::Random;

/// What the simulated driver's pools grow by.
pub(super) const POOL_STEP: u64 = 32 * MIB;

/// What a process holds of one kind of memory.
pub(super) trait Kind {
    /// Asks for something.
    fn take(&mut self, thread: &mut Thread<'_>, random: &mut Random) -> Attempt;

    /// Gives something back. It holds something.
    fn give(&mut self, thread: &mut Thread<'_>, random: &mut Random);

    /// How much it holds, in pieces.
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives back what is kept when everything has been given back.
    fn finish(&mut self, _thread: &mut Thread<'_>) {}
}

/// What became of a request.
pub(super) struct Attempt {
    pub(super) is_refused: bool,
    /// What it could not have been granted without.
    pub(super) needs: u64,
}

impl Attempt {
    pub(super) const GRANTED: Self = Self { is_refused: false, needs: 0 };

    /// A call that ended with `code` and needs so many bytes.
    ///
    /// # Panics
    /// When the call neither succeeded nor was refused for want of memory.
    pub(super) fn of(code: u64, needs: u64) -> Self {
        assert!(code == 0 || code == crate::puppet::OUT_OF_MEMORY, "a call returned {code}");
        Self { is_refused: code != 0, needs }
    }
}

/// Everything that a process of the container may hold; it may load these images.
pub(super) fn all(thread: &mut Thread<'_>, images: &[String]) -> Vec<Box<dyn Kind>> {
    vec![
        Box::new(linear::Linear::default()),
        Box::new(managed::Managed::default()),
        Box::new(pitched::Pitched::default()),
        Box::new(arrays::Arrays::default()),
        Box::new(physical::Physical::default()),
        Box::new(pools::Pools::new(thread)),
        Box::new(contexts::Contexts::default()),
        Box::new(greens::Greens::new(thread)),
        Box::new(graphs::Graphs::new(thread)),
        Box::new(modules::Modules::new(images)),
    ]
}

/// Takes one of `held` at random.
fn any<T>(held: &mut Vec<T>, random: &mut Random) -> T {
    held.swap_remove(random.index(held.len()))
}
