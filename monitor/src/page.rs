//! Reading the limits page of a slice. The owner of balance and priorities may write in it meanwhile.

use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use contract::limits_page::{self, Page, PageError, SEQUENCE_WORD};

use crate::plain;

/// A writer is done within microseconds. One that died in the middle of a change leaves it so until somebody repairs it.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(1);

/// The limits page in `file`, as somebody has written it to the end.
///
/// # Errors
/// One line that names the file.
pub fn read(file: &Path) -> Result<Page, String> {
    // One byte more than a page has: a longer file is none.
    let most = limits_page::SIZE as u64 + 1;
    let page =
        settled(|| plain::read(file, most), || thread::sleep(PAUSE)).map_err(|error| error.to_string());
    let page = page.and_then(|page| page.map_err(|error| error.to_string()));
    page.map_err(|error| format!("limits page {}: {error}", file.display()))
}

/// The page, with a `pause` after each look at its content in which it was being written.
fn settled(
    mut content: impl FnMut() -> io::Result<Vec<u8>>,
    mut pause: impl FnMut(),
) -> io::Result<Result<Page, PageError>> {
    let mut page = unchanged(&mut content)?;
    for _ in 1..TRIES {
        if page != Err(PageError::BeingWritten) {
            break;
        }
        pause();
        page = unchanged(&mut content)?;
    }
    Ok(page)
}

/// The page, unless somebody has begun to change it before it was read to its end: then its sequence is another.
fn unchanged(content: &mut impl FnMut() -> io::Result<Vec<u8>>) -> io::Result<Result<Page, PageError>> {
    let (page, later) = (content()?, content()?);
    let decoded = Page::decode(&page);
    Ok(if sequence(&page) == sequence(&later) { decoded } else { Err(PageError::BeingWritten) })
}

fn sequence(page: &[u8]) -> Option<&[u8]> {
    page.chunks(size_of::<u64>()).nth(SEQUENCE_WORD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::limits_page::{Entry, SIZE};
    use contract::{Bytes, Uuid};

    fn page(gib: u64) -> Page {
        let entry = Entry { memory: Some(Bytes(gib << 30)), ..Entry::unlimited(Uuid([7; 16])) };
        Page::new(vec![entry]).expect("one entry")
    }

    /// The page with this limit, when its sequence was so.
    fn content(gib: u64, sequence: u8) -> Vec<u8> {
        let mut bytes = page(gib).encode();
        bytes[SEQUENCE_WORD * size_of::<u64>()] = sequence;
        bytes
    }

    /// What is made of these contents, the last of which stays.
    fn read(contents: &[Vec<u8>]) -> Result<Page, PageError> {
        let mut at = 0;
        let next = || {
            at += 1;
            Ok(contents[(at - 1).min(contents.len() - 1)].clone())
        };
        settled(next, || ()).expect("no error of the system")
    }

    #[test]
    fn a_slice_was_broken_while_the_owner_wrote_into_its_page() {
        assert_eq!(read(&[content(1, 2)]), Ok(page(1)));
        assert_eq!(read(&[content(1, 3), content(2, 3), content(2, 4)]), Ok(page(2)));
    }

    #[test]
    fn a_page_that_was_changed_while_it_was_read_is_read_again() {
        assert_eq!(read(&[content(1, 2), content(2, 4)]), Ok(page(2)));
        assert_eq!(read(&[content(1, 2), content(2, 3), content(2, 4)]), Ok(page(2)));
    }

    #[test]
    fn a_change_that_nobody_ends_and_what_is_no_page_are_errors() {
        assert_eq!(read(&[content(1, 3)]), Err(PageError::BeingWritten));
        assert_eq!(read(&[vec![]]), Err(PageError::Length(0)));
        assert_eq!(read(&[vec![0; SIZE + 1]]), Err(PageError::Length(SIZE + 1)));
    }
}
