//! Attributes of pointers.

use std::ffi::{c_uint, c_void};

use cuda_sys::{CUpointer_attribute, CUresult};

use crate::abi::{Address, Ready};
use crate::memory::{self, Answer};
use crate::outcome::Outcome;

/// # Safety
///
/// `data` must be null or valid for a value of the attribute's size.
pub(crate) unsafe fn cuPointerGetAttribute(
    call: Ready,
    data: *mut c_void,
    attribute: CUpointer_attribute,
    pointer: Address,
) -> Outcome {
    if data.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let answer = memory::ask(call.driver, attribute, pointer.0)?.ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: not null, so a place for this attribute.
    unsafe { write(data, answer) };
    Ok(())
}

/// Unlike the singular, it does not fail for a pointer that the driver does not know.
///
/// # Safety
///
/// `attributes` and `data` must be null or valid for reads of `count` elements, and each of the latter a place for a
/// value of its attribute's size.
pub(crate) unsafe fn cuPointerGetAttributes(
    call: Ready,
    count: c_uint,
    attributes: *mut CUpointer_attribute,
    data: *mut *mut c_void,
    pointer: Address,
) -> Outcome {
    if count == 0 || attributes.is_null() || data.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    for index in 0..count as usize {
        // SAFETY: below the count.
        let attribute = unsafe { attributes.wrapping_add(index).read() };
        // SAFETY: below the count.
        let place = unsafe { data.wrapping_add(index).read() };
        if place.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let answer = match memory::ask(call.driver, attribute, pointer.0)? {
            Some(answer) => answer,
            None => memory::unknown(attribute)?,
        };
        // SAFETY: not null, so a place for this attribute.
        unsafe { write(place, answer) };
    }
    Ok(())
}

/// # Safety
///
/// `place` must be valid for writes of the answer's size.
unsafe fn write(place: *mut c_void, answer: Answer) {
    match answer {
        // SAFETY: the caller vouches for the place.
        Answer::Word(value) => unsafe { place.cast::<u64>().write_unaligned(value) },
        // SAFETY: as above.
        Answer::Number(value) => unsafe { place.cast::<u32>().write_unaligned(value) },
        // SAFETY: as above.
        Answer::Flag(value) => unsafe { place.cast::<bool>().write(value) },
    }
}
