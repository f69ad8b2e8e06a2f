//! What the kernel says about a process.

use contract::proc_pid::Stat;
use rustix::fs::{Mode, OFlags, open};

/// Enough for `/proc/<pid>/stat` up to the fields that are read.
const BUFFER: usize = 512;

/// What `/proc/<pid>/stat` says; `None` when there is no such process or no `/proc`. Allocates nothing but the path.
pub(super) fn stat(process: &str) -> Option<Stat> {
    let path = format!("/proc/{process}/stat");
    let file = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut buffer = [0; BUFFER];
    let length = rustix::io::read(&file, &mut buffer).ok()?;
    Stat::parse(buffer.get(..length)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_fields_are_where_they_are_expected() {
        let stat = stat("self").unwrap();
        assert_eq!(stat.pid, std::process::id());
        assert!(stat.threads >= 1 && stat.started > 0 && !stat.is_exiting);
    }
}
