//! What has become of devices between two moments. Pure.

use contract::Uuid;

use super::health::Member;

/// One device that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was not known before, and can be given out.
    New(Uuid),
    /// It cannot be given out now, or for another reason than before.
    Bad(Uuid, String),
    /// It can be given out again.
    Good(Uuid),
}

/// The changes from `before` to `now`, in the order of `now`. No device is ever forgotten, so none is missing in it.
#[must_use]
pub fn changes(before: &[Member], now: &[Member]) -> Vec<Change> {
    let change = |member: &Member| {
        let uuid = member.gpu.uuid;
        let was = before.iter().find(|other| other.gpu.uuid == uuid);
        match (was.map(|was| &was.fault), &member.fault) {
            (Some(was), fault) if was == fault => None,
            (None, None) => Some(Change::New(uuid)),
            (Some(_), None) => Some(Change::Good(uuid)),
            (_, Some(fault)) => Some(Change::Bad(uuid, fault.clone())),
        }
    };
    now.iter().filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::Gpu;
    use contract::Bytes;

    fn member(byte: u8, fault: Option<&str>) -> Member {
        let gpu = Gpu {
            index: 0,
            uuid: Uuid([byte; 16]),
            model: String::new(),
            memory: Bytes(1),
            pci: String::new(),
            numa: None,
            capability: (9, 0),
            mig: false,
        };
        Member { gpu, fault: fault.map(str::to_owned) }
    }

    #[test]
    fn each_change_is_told_once() {
        let [a, b, c] = [1, 2, 3].map(|byte| Uuid([byte; 16]));
        let first = [member(1, None), member(2, Some("lost"))];
        assert_eq!(changes(&[], &first), [Change::New(a), Change::Bad(b, "lost".to_owned())]);
        assert_eq!(changes(&first, &first), []);
        let second = [member(1, Some("XID 79")), member(2, None), member(3, None)];
        let expected = [Change::Bad(a, "XID 79".to_owned()), Change::Good(b), Change::New(c)];
        assert_eq!(changes(&first, &second), expected);
        let third = [member(1, Some("gone")), member(2, None), member(3, None)];
        assert_eq!(changes(&second, &third), [Change::Bad(a, "gone".to_owned())]);
    }
}
