//! In which PID namespace the calling process is.

use rustix::fs::{CWD, readlinkat_raw};

/// Enough for `pid:[4026531836]` with the longest number.
const BUFFER: usize = 64;

/// The inode number of the namespace; 0 where it cannot be read.
///
/// It is read from the text of the link. To follow that costs more: the kernel then makes a file of the namespace.
pub(super) fn of_self() -> u64 {
    let mut buffer = [0; BUFFER];
    let text = readlinkat_raw(CWD, "/proc/self/ns/pid", buffer.as_mut_slice());
    text.ok().and_then(|length| number(buffer.get(..length)?)).unwrap_or(0)
}

/// The number in `pid:[4026531836]`.
fn number(text: &[u8]) -> Option<u64> {
    let number = text.strip_prefix(b"pid:[")?.strip_suffix(b"]")?;
    core::str::from_utf8(number).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_that_of_the_namespace_s_file() {
        let file = rustix::fs::stat("/proc/self/ns/pid").unwrap();
        assert_eq!(of_self(), file.st_ino);
    }

    #[test]
    fn what_is_no_such_text_has_no_number() {
        assert_eq!(number(b"pid:[4026531836]"), Some(4_026_531_836));
        for text in [&b""[..], b"pid:[]", b"pid:[1", b"mnt:[1]", b"pid:[-1]", b"pid:[18446744073709551616]"] {
            assert_eq!(number(text), None, "{text:?}");
        }
    }
}
