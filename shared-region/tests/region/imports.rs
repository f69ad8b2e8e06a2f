//! Whether anybody holds memory of others.

use shared_region::Region;

use crate::support::Directory;

/// Two members of the region at this place would need two processes; a region opened twice in one is as good: what counts are
/// the descriptions of the file.
fn members(directory: &Directory) -> [shared_region::Member; 2] {
    [0; 2].map(|_| Region::open(&directory.region()).unwrap().join().unwrap())
}

#[test]
fn everybody_sees_it_as_long_as_somebody_does() {
    for directory in [Directory::new(), Directory::on_disk()] {
        let [one, other] = members(&directory);
        assert!(!one.others_hold_imports());
        let mark = one.mark_imports().unwrap();
        assert!(one.others_hold_imports() && other.others_hold_imports());
        let second = other.mark_imports().unwrap();
        drop(mark);
        assert!(one.others_hold_imports());
        drop(second);
        assert!(!one.others_hold_imports() && !other.others_hold_imports());
        drop(one.mark_imports().unwrap());
    }
}

#[test]
fn it_is_taken_to_be_so_where_it_cannot_be_told() {
    let directory = Directory::new();
    let [one, _other] = members(&directory);
    std::fs::remove_file(directory.region()).unwrap();
    assert!(one.others_hold_imports() && one.mark_imports().is_err());
}
