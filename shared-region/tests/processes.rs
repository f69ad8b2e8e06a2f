use contract::{Bytes, Uuid};
use shared_region::{Refused, Region};
use std::path::PathBuf;

#[test]
fn smoke() {
    let path = PathBuf::from(format!("/dev/shm/vgpu-test-{}", std::process::id()));
    let region = Region::open(&path).unwrap();
    let device = region.device(Uuid([7; 16])).unwrap();
    let member = region.join().unwrap();
    assert_eq!(member.reserve(device, Bytes(100), Bytes(100)), Ok(()));
    assert_eq!(member.reserve(device, Bytes(1), Bytes(100)), Err(Refused::OwnUse));
    let other = Region::open(&path).unwrap().join().unwrap();
    assert_eq!(other.reserve_or_reap(device, Bytes(1), Bytes(100)), Err(Refused::Total));
    drop(member);
    assert_eq!(other.reserve(device, Bytes(1), Bytes(100)), Ok(()));
    println!("{other:?}");
    let pairs = 10_000_000u32;
    let start = std::time::Instant::now();
    for _ in 0..pairs {
        other.reserve(device, Bytes(1), Bytes(100)).unwrap();
        other.refund(device, Bytes(1));
    }
    println!("{:?} a pair", start.elapsed() / pairs);
    let start = std::time::Instant::now();
    for _ in 0..pairs {
        other.reserve(device, Bytes(100), Bytes(100)).unwrap_err();
    }
    println!("{:?} a refusal", start.elapsed() / pairs);
    std::fs::remove_file(path).unwrap();
}
