//! Noticing that this is a forked child, without a handler and without a system call.

use core::sync::atomic::Ordering;

use crate::mapping::Mapping;

/// Remembers the process that made it.
#[derive(Debug)]
pub(crate) enum ForkToken {
    /// A page that holds a mark here and that the kernel hands to forked children as zeros.
    Page(Mapping),
    /// The process id, where the kernel cannot wipe pages (Linux before 4.14): one system call a look.
    Pid(u32),
}

const MARK: u64 = 1;

impl ForkToken {
    /// A token of the calling process.
    pub(crate) fn new() -> Self {
        match Mapping::private_page() {
            Ok(page) if page.zero_in_children().is_ok() => {
                page.first_word().store(MARK, Ordering::Relaxed);
                Self::Page(page)
            }
            _ => Self::Pid(std::process::id()),
        }
    }

    /// Whether the caller is the process that made the token.
    pub(crate) fn is_mine(&self) -> bool {
        match self {
            Self::Page(page) => page.first_word().load(Ordering::Relaxed) == MARK,
            Self::Pid(pid) => *pid == std::process::id(),
        }
    }
}
