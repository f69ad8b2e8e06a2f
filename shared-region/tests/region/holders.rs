//! Who holds memory of a device.

use contract::Bytes;

use crate::support::{Directory, GPU, LIMIT, Part, Role, only_gpu, open};

#[test]
fn holders_are_the_living_with_something_in_hand_and_together_they_hold_the_total() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let device = region.device(GPU).unwrap();
    let [first, second, idle] = [(); 3].map(|()| region.join().unwrap());
    first.reserve(device, Bytes(90), LIMIT).unwrap();
    second.charge(device, Bytes(7));
    let mut used: Vec<_> = region.holders(device).into_iter().map(|holder| holder.used).collect();
    used.sort();
    assert_eq!(used, [Bytes(7), Bytes(90)]);
    assert_eq!(used.iter().map(|bytes| bytes.0).sum::<u64>(), region.total(device).0);
    for holder in region.holders(device) {
        assert_eq!(holder.pid, std::process::id());
        assert!(holder.pid_namespace != 0 && holder.started != 0);
    }
    drop((first, second));
    assert_eq!(region.holders(device), []);
    assert_eq!(idle.own(device), Bytes::ZERO);
}

#[test]
fn what_a_dead_process_held_has_no_holder_although_nobody_has_cleared_up() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let role = Role::start(Part::Hold, &directory.region(), 5).ready();
    let [holder] = region.holders(only_gpu())[..] else { panic!("{:?}", region.holders(only_gpu())) };
    assert_eq!(holder.used, Bytes(5));
    assert_ne!(holder.pid, std::process::id());
    role.kill();
    assert_eq!(region.holders(only_gpu()), []);
    assert_eq!(region.total(only_gpu()), Bytes(5));
}
