//! Which process of a list is this one, when the list has ids that mean nothing here: the one whose use has changed as this
//! one's must have.

use contract::Bytes;

/// The least change that tells one process from another.
const TELLING: u64 = 16 << 20;

/// How far two figures of one change may be apart: allocations that share chunks may have opened or emptied one.
const CLOSE: u64 = 2 << 20;

/// What is in use on a device by each of its processes, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Ids, and what the driver says that each uses.
    pub processes: Vec<(u32, Bytes)>,
    /// What this process has, as far as it asked for it by size.
    pub asked: Bytes,
}

impl Listing {
    /// The id of this process, if what it asked for has changed enough since `before` and one process changed alike.
    #[must_use]
    pub fn recognise(&self, before: &Self) -> Option<u32> {
        let change = Change::between(before.asked, self.asked);
        if change.bytes < TELLING {
            return None;
        }
        let mut alike = self.processes.iter().filter(|(id, used)| {
            let earlier = before.processes.iter().find(|(known, _)| known == id);
            earlier.is_some_and(|(_, earlier)| Change::between(*earlier, *used).is_close_to(change))
        });
        let found = alike.next()?;
        alike.next().is_none().then_some(found.0)
    }
}

/// By how much, and which way.
#[derive(Clone, Copy)]
struct Change {
    bytes: u64,
    is_growth: bool,
}

impl Change {
    fn between(Bytes(before): Bytes, Bytes(now): Bytes) -> Self {
        Self { bytes: now.abs_diff(before), is_growth: now > before }
    }

    fn is_close_to(self, other: Self) -> bool {
        self.is_growth == other.is_growth && self.bytes.abs_diff(other.bytes) <= CLOSE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn listing(asked: u64, used: &[(u32, u64)]) -> Listing {
        let processes = used.iter().map(|(id, mib)| (*id, Bytes(mib * MIB))).collect();
        Listing { processes, asked: Bytes(asked * MIB) }
    }

    #[test]
    fn the_one_that_changes_alike_is_this_one() {
        let before = listing(0, &[(10, 426), (20, 426), (30, 900)]);
        let now = listing(100, &[(10, 426), (20, 526), (30, 700)]);
        assert_eq!(now.recognise(&before), Some(20));
        assert_eq!(before.recognise(&now), Some(20), "also when it frees");
    }

    #[test]
    fn of_two_that_change_alike_neither_is() {
        let before = listing(0, &[(10, 426), (20, 426)]);
        assert_eq!(listing(100, &[(10, 526), (20, 526)]).recognise(&before), None);
    }

    #[test]
    fn a_small_change_and_a_newcomer_tell_nothing() {
        let before = listing(0, &[(10, 426)]);
        assert_eq!(listing(2, &[(10, 428)]).recognise(&before), None);
        assert_eq!(listing(100, &[(10, 426), (20, 100)]).recognise(&before), None);
    }
}
