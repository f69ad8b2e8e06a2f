//! Whatever is at the path: a region afterwards, or one clear error.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use contract::Bytes;
use shared_region::layout::{HEADER_SIZE, SIZE};
use shared_region::{OpenFault, Region};

use crate::support::{Directory, GPU, only_gpu, open};

/// What opening the region at `path` complains about.
fn complaint(path: &Path) -> String {
    let error = Region::open(path).unwrap_err().to_string();
    assert!(error.starts_with(&format!("shared region {}: ", path.display())), "{error}");
    assert!(!error.contains('\n'), "{error}");
    error
}

/// A fresh region's bytes.
fn fresh() -> Vec<u8> {
    let directory = Directory::new();
    drop(open(&directory.region()));
    fs::read(directory.region()).unwrap()
}

#[test]
fn a_new_region_has_all_its_blocks_and_belongs_to_its_user_alone() {
    for directory in [Directory::new(), Directory::on_disk()] {
        let region = open(&directory.region());
        let file = fs::metadata(region.path()).unwrap();
        assert_eq!(file.len(), SIZE as u64);
        assert!(file.blocks() * 512 >= SIZE as u64, "{} blocks", file.blocks());
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn opening_and_joining_leave_no_descriptor_behind() {
    // Other tests run in this process, so only descriptors of this region count.
    for directory in [Directory::new(), Directory::on_disk()] {
        let region = open(&directory.region());
        let member = region.join().unwrap();
        member.reap().unwrap();
        let open_files = fs::read_dir("/proc/self/fd").unwrap();
        let links = open_files.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
        assert_eq!(links.filter(|link| link.starts_with(directory.path())).count(), 0);
    }
}

#[test]
fn another_programs_file_is_left_alone_and_a_sibling_used() {
    let directory = Directory::new();
    let path = directory.region();
    // HAMi's region starts with this number.
    let mut foreign = 19_920_718_i32.to_ne_bytes().to_vec();
    foreign.resize(2_008_952, 0);
    fs::write(&path, &foreign).unwrap();
    let region = open(&path);
    assert_eq!(region.path(), directory.path().join("region.vgpu"));
    region.join().unwrap().charge(only_gpu(), Bytes(1));
    assert_eq!(fs::read(&path).unwrap(), foreign);
    // And it is found again.
    assert_eq!(open(&path).device(GPU), open(&path).device(GPU));

    fs::write(directory.path().join("region.vgpu"), "neither").unwrap();
    let error = Region::open(&path).unwrap_err();
    assert!(matches!(error.fault, OpenFault::Foreign));
    assert!(error.to_string().contains("region.vgpu: holds another program's data"), "{error}");
}

#[test]
fn a_file_that_only_begins_with_zeros_is_another_programs() {
    let directory = Directory::new();
    let mut image = vec![0; 3 * HEADER_SIZE];
    image.push(1);
    fs::write(directory.region(), &image).unwrap();
    assert_eq!(open(&directory.region()).path(), directory.path().join("region.vgpu"));
    assert_eq!(fs::read(directory.region()).unwrap(), image);

    // Too long to be an unfinished region.
    let long = Directory::new();
    fs::File::create(long.region()).unwrap().set_len(SIZE as u64 + 1).unwrap();
    assert_eq!(open(&long.region()).path(), long.path().join("region.vgpu"));
}

#[test]
fn a_region_whose_maker_died_is_finished_by_the_next() {
    for length in [0, 1, HEADER_SIZE, SIZE] {
        let directory = Directory::new();
        fs::write(directory.region(), vec![0; length]).unwrap();
        assert_eq!(open(&directory.region()).path(), directory.region());
        assert!(fs::read(directory.region()).unwrap() == fresh(), "from {length} bytes");
    }
    // Dead between the rest of the header and the magic number: not blank, but nobody's data either.
    let directory = Directory::new();
    let mut unfinished = fresh();
    unfinished[..8].fill(0);
    fs::write(directory.region(), unfinished).unwrap();
    assert_eq!(open(&directory.region()).path(), directory.region());
    assert!(fs::read(directory.region()).unwrap() == fresh());
}

#[test]
fn a_region_that_is_cut_off_is_an_error() {
    for length in [8, 64, HEADER_SIZE, SIZE - 1] {
        let directory = Directory::new();
        fs::write(directory.region(), &fresh()[..length]).unwrap();
        let text = complaint(&directory.region());
        assert!(text.contains(&format!("cut off at {length} of {SIZE} bytes; remove it")), "{text}");
    }
}

#[test]
fn a_region_of_another_version_is_an_error() {
    let directory = Directory::new();
    let mut bytes = fresh();
    bytes[8] = 1;
    fs::write(directory.region(), bytes).unwrap();
    let text = complaint(&directory.region());
    assert!(text.contains("has layout version 1, this library knows 5"), "{text}");
}

#[test]
fn a_header_that_contradicts_itself_is_an_error() {
    for word in 2..8 {
        let directory = Directory::new();
        let mut bytes = fresh();
        bytes[word * 8] ^= 1;
        fs::write(directory.region(), bytes).unwrap();
        let text = complaint(&directory.region());
        assert!(text.contains("damaged header"), "{text}");
    }
}

#[test]
fn what_is_no_file_is_an_error() {
    let directory = Directory::new();
    assert!(complaint(directory.path()).contains("not a regular file"));
    let fifo = directory.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    assert!(complaint(&fifo).contains("not a regular file"));
    assert!(complaint(Path::new("/dev/null")).contains("not a regular file"));
}

#[test]
fn a_symbolic_link_is_not_followed() {
    let directory = Directory::new();
    let elsewhere = directory.path().join("elsewhere");
    let link = directory.path().join("link");
    symlink(&elsewhere, &link).unwrap();
    assert!(complaint(&link).contains("symbolic link"));
    assert!(!elsewhere.exists());
    fs::write(&elsewhere, "").unwrap();
    assert!(complaint(&link).contains("symbolic link"));
    assert_eq!(fs::read(&elsewhere).unwrap(), b"");
}

#[test]
fn a_path_that_leads_nowhere_asks_for_the_directory() {
    let directory = Directory::new();
    let fix = "is in a directory that does not exist; create the directory or name another path";
    assert!(complaint(&directory.path().join("no/such/directory")).ends_with(fix));
    fs::write(directory.path().join("file"), "no directory").unwrap();
    assert!(complaint(&directory.path().join("file/region")).ends_with(fix));
}

#[test]
fn a_region_that_was_removed_while_in_use_cannot_be_joined_by_mistake() {
    let directory = Directory::new();
    let region = open(&directory.region());
    let member = region.join().unwrap();
    fs::remove_file(region.path()).unwrap();
    assert!(region.join().unwrap_err().to_string().contains("was removed or replaced while in use"));
    drop(open(&directory.region()));
    let error = member.reap().unwrap_err().to_string();
    assert!(error.contains("was removed or replaced while in use"), "{error}");
    assert_eq!(member.reserve(only_gpu(), Bytes(1), Bytes(1)), Ok(()));
}

#[test]
fn holes_in_a_copied_region_are_filled() {
    let directory = Directory::new();
    drop(open(&directory.region()));
    let sparse = directory.path().join("sparse");
    fs::write(&sparse, &fresh()[..HEADER_SIZE]).unwrap();
    fs::File::options().write(true).open(&sparse).unwrap().set_len(SIZE as u64).unwrap();
    drop(open(&sparse));
    assert!(fs::metadata(&sparse).unwrap().blocks() * 512 >= SIZE as u64);
}
