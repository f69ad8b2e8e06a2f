//! Where an image in memory ends: its caller gives an address and no length.

use std::ffi::CStr;

use cuda_sys::CUresult;

use super::{BadImage, elf, fatbin};

/// What the compiler puts around a fat binary: this, a version, the address.
const WRAPPER: &[u8] = &0x4662_43b1_u32.to_le_bytes();
const WRAPPED: usize = 8;

/// All bytes of an image.
///
/// # Safety
///
/// `image` must point to an image of a known kind, or to a string that ends in a zero byte, which stays as it is while
/// the bytes are used.
pub(super) unsafe fn whole<'a>(image: *const u8) -> Result<&'a [u8], BadImage> {
    // SAFETY: passed on.
    if unsafe { begins(image, WRAPPER) } {
        // SAFETY: a wrapper has an address there.
        let wrapped = unsafe { image.wrapping_add(WRAPPED).cast::<*const u8>().read_unaligned() };
        if wrapped.is_null() {
            return Err(CUresult::INVALID_IMAGE.into());
        }
        // SAFETY: what is wrapped is an image.
        return unsafe { whole(wrapped) };
    }
    for (magic, head, length) in
        [(elf::MAGIC, elf::HEAD, elf::length as Length), (fatbin::MAGIC, fatbin::HEAD, fatbin::length)]
    {
        // SAFETY: passed on.
        if unsafe { begins(image, magic) } {
            // SAFETY: an image of this kind has so long a head.
            let head = unsafe { std::slice::from_raw_parts(image, head) };
            let length = length(head).ok_or(CUresult::INVALID_IMAGE)?;
            // SAFETY: and it is as long as its head says.
            return Ok(unsafe { std::slice::from_raw_parts(image, length) });
        }
    }
    // SAFETY: it is none of those, so a string.
    Ok(unsafe { CStr::from_ptr(image.cast()) }.to_bytes())
}

/// How long an image is, by its head.
type Length = fn(&[u8]) -> Option<usize>;

/// # Safety
///
/// `image` must be readable up to its first byte that differs from `magic`.
unsafe fn begins(image: *const u8, magic: &[u8]) -> bool {
    // SAFETY: every byte before each one was as expected, so that one is readable.
    magic.iter().enumerate().all(|(at, byte)| unsafe { image.wrapping_add(at).read() } == *byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_ends_at_its_zero_byte_and_a_file_where_it_says() {
        // SAFETY: a string.
        assert_eq!(unsafe { whole(c".version".as_ptr().cast()) }, Ok(&b".version"[..]));
        let mut binary = fatbin::MAGIC.to_vec();
        binary.extend([1, 0, 16, 0, 4, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9]);
        // SAFETY: a fat binary of 16 + 4 bytes.
        assert_eq!(unsafe { whole(binary.as_ptr()) }.map(<[u8]>::len), Ok(20));
        let mut wrapper = WRAPPER.to_vec();
        wrapper.extend([1, 0, 0, 0]);
        wrapper.extend(binary.as_ptr().expose_provenance().to_ne_bytes());
        // SAFETY: a wrapper of it.
        assert_eq!(unsafe { whole(wrapper.as_ptr()) }.map(<[u8]>::len), Ok(20));
    }
}
