//! Allocators that are preloaded too, in front of us and behind.

use super::{DRIVER, OURS, driver};
use crate::compile;
use crate::run::Run;
use crate::scratch::Scratch;
use crate::stage;
use std::path::{Path, PathBuf};

/// Where Debian, and others, install libraries.
const DIRECTORIES: [&str; 4] =
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];

/// The library `name` of this machine. Without it the test says so and ends.
fn installed(name: &str) -> Option<PathBuf> {
    let found =
        DIRECTORIES.iter().map(|directory| Path::new(directory).join(name)).find(|path| path.exists());
    if found.is_none() {
        println!("skipped: {name} is not installed");
    }
    found
}

/// A busy program is right in all it does, with `allocator` in front of us and behind us.
fn works_beside(allocator: &Path) {
    let scratch = Scratch::new();
    driver(scratch.path());
    let program = compile::program(scratch.path(), "busy.c", &[]);
    let ours = stage::library();
    for order in [[ours.as_path(), allocator], [allocator, ours.as_path()]] {
        let run = order.into_iter().fold(Run::natively(&program), Run::behind);
        let output = run.libraries(scratch.path()).arg(DRIVER).output();
        assert_eq!(output, format!("cuMemAlloc_v2: {OURS}\ncuInit: 0\nchild: 0\n"), "{order:?}");
    }
}

#[test]
fn works_beside_an_allocator_that_calls_dlsym() {
    let scratch = Scratch::new();
    works_beside(&compile::library(scratch.path(), "liballocator.so", "allocator.c", &["-fno-builtin"]));
}

#[test]
fn works_beside_jemalloc() {
    installed("libjemalloc.so.2").iter().for_each(|allocator| works_beside(allocator));
}

#[test]
fn works_beside_tcmalloc() {
    installed("libtcmalloc_minimal.so.4").iter().for_each(|allocator| works_beside(allocator));
}

#[test]
fn works_beside_mimalloc() {
    installed("libmimalloc.so.2").iter().for_each(|allocator| works_beside(allocator));
}
