//! Processes that lack something: space for a file, stack, descriptors.

use crate::support::{Directory, Part, Role, open};

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_not_a_signal() {
    let directory = Directory::new();
    let limited = ["sh", "-c", "ulimit -f 10 && exec \"$@\"", "sh"];
    let (status, said) = Role::start_in(&limited, Part::Open, &directory.region(), 0).finish();
    assert!(status.success(), "{status}");
    let said = said.unwrap();
    assert!(said.contains("this process may not write files longer than"), "{said}");
    assert!(said.contains("(ulimit -f)"), "{said}");
    // A region that is there needs no writing.
    drop(open(&directory.region()));
    let (_, said) = Role::start_in(&limited, Part::Open, &directory.region(), 0).finish();
    assert_eq!(said.as_deref(), Some("opened"));
}

#[test]
fn a_thread_with_the_smallest_stack_can_make_a_region_and_join_it() {
    let directory = Directory::new();
    // What it finds there of a dead process is cleared up as well.
    for _ in 0..2 {
        let (status, said) = Role::start(Part::SmallStack, &directory.region(), 5).finish();
        assert_eq!(said.as_deref(), Some("done"), "{status}");
    }
}

#[test]
fn a_process_without_descriptors_is_told_so() {
    let directory = Directory::new();
    let mut role = Role::start(Part::NoDescriptor, &directory.region(), 0);
    for what in ["cannot join shared region", "shared region"] {
        let said = role.says().unwrap();
        assert!(said.starts_with(what), "{said}");
        assert!(
            said.ends_with("too many files are open already; close some or raise the limit (ulimit -n)"),
            "{said}"
        );
    }
}
