//! Which program a process is.

use core::hash::Hasher;
use std::hash::DefaultHasher;

/// A number that is the same for the life of this program, and in its forked children, and another one after `exec`. Never 0.
///
/// It comes from the random bytes that the kernel gives each program at its start: to ask for others may be forbidden later,
/// by a sandbox that the program has set up for itself. The C library guards the stack with them, so they are not told
/// to anybody as they are.
pub(super) fn image() -> u64 {
    // SAFETY: `getauxval` has no preconditions.
    let address = unsafe { libc::getauxval(libc::AT_RANDOM) };
    let bytes = core::ptr::with_exposed_provenance::<[u8; 16]>(usize::try_from(address).unwrap_or(0));
    let mut hasher = DefaultHasher::new();
    // SAFETY: null where the kernel gives none, else 16 bytes that stay where they are; bytes need no alignment.
    hasher.write(unsafe { bytes.as_ref() }.unwrap_or(&[0; 16]));
    hasher.finish() | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_program_is_the_same_all_its_life_and_no_other() {
        let marked = std::env::var("IMAGE_OF_PARENT");
        if let Ok(parent) = marked {
            assert_ne!(image().to_string(), parent);
            return;
        }
        assert_eq!(image(), image());
        let mut again = Command::new(std::env::current_exe().unwrap());
        let again = again.arg("a_program_is_the_same_all_its_life_and_no_other");
        assert!(again.env("IMAGE_OF_PARENT", image().to_string()).output().unwrap().status.success());
    }
}
