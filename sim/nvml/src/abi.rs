//! Results inside the library, and the way from C arguments to Rust values.

use std::ffi::{CStr, c_char, c_uint};
use std::ptr::NonNull;

use cuda_sys::nvmlReturn_t;

/// What a body gives, or the code its caller gets instead.
pub(crate) type Outcome<T = ()> = Result<T, nvmlReturn_t>;

/// The code that the C caller gets.
pub(crate) fn code(outcome: Outcome) -> nvmlReturn_t {
    match outcome {
        Ok(()) => nvmlReturn_t::SUCCESS,
        Err(code) => code,
    }
}

/// A value made from a C argument.
///
/// A body states what it needs by the types of its parameters; the entry point converts.
pub(crate) trait FromAbi<Raw>: Sized {
    /// Converts, or says which error the argument deserves.
    ///
    /// # Safety
    ///
    /// A pointer among `raw` must be null or valid as the documentation of the called function demands, for as long
    /// as the value is used.
    unsafe fn from_abi(raw: Raw) -> Outcome<Self>;
}

impl<T> FromAbi<T> for T {
    unsafe fn from_abi(raw: T) -> Outcome<Self> {
        Ok(raw)
    }
}

/// Where the caller wants a result; null is an invalid argument.
#[derive(Debug)]
pub(crate) struct Out<T>(NonNull<T>);

/// What the caller passes by address and gets back changed; null is an invalid argument.
#[derive(Debug)]
pub(crate) struct InOut<T>(NonNull<T>);

/// What the caller passes by address; null is an invalid argument.
#[derive(Debug)]
pub(crate) struct Given<T>(pub(crate) T);

/// Text that the caller passes; null is an invalid argument. Bytes that are not UTF-8 match nothing here anyway.
#[derive(Debug)]
pub(crate) struct Text(pub(crate) String);

/// Where the caller wants text; null is an invalid argument.
#[derive(Debug)]
pub(crate) struct TextOut(NonNull<c_char>);

impl<T> FromAbi<*mut T> for Out<T> {
    unsafe fn from_abi(raw: *mut T) -> Outcome<Self> {
        NonNull::new(raw).map(Self).ok_or(nvmlReturn_t::INVALID_ARGUMENT)
    }
}

impl<T> FromAbi<*mut T> for InOut<T> {
    unsafe fn from_abi(raw: *mut T) -> Outcome<Self> {
        NonNull::new(raw).map(Self).ok_or(nvmlReturn_t::INVALID_ARGUMENT)
    }
}

impl<T: Copy> FromAbi<*const T> for Given<T> {
    unsafe fn from_abi(raw: *const T) -> Outcome<Self> {
        if raw.is_null() {
            return Err(nvmlReturn_t::INVALID_ARGUMENT);
        }
        // SAFETY: not null, so by this function's contract a readable `T`; C callers do not promise alignment.
        Ok(Self(unsafe { raw.read_unaligned() }))
    }
}

impl FromAbi<*mut c_char> for TextOut {
    unsafe fn from_abi(raw: *mut c_char) -> Outcome<Self> {
        NonNull::new(raw).map(Self).ok_or(nvmlReturn_t::INVALID_ARGUMENT)
    }
}

impl FromAbi<*const c_char> for Text {
    unsafe fn from_abi(raw: *const c_char) -> Outcome<Self> {
        if raw.is_null() {
            return Err(nvmlReturn_t::INVALID_ARGUMENT);
        }
        // SAFETY: not null, so by this function's contract a readable string with its terminator.
        let text = unsafe { CStr::from_ptr(raw) };
        Ok(Self(text.to_string_lossy().into_owned()))
    }
}

impl<T> Out<T> {
    /// Stores the result.
    pub(crate) fn set(&self, value: T) {
        // SAFETY: `from_abi` was promised a place for a `T`; C callers do not promise alignment.
        unsafe { self.0.as_ptr().write_unaligned(value) }
    }
}

impl<T: Copy> InOut<T> {
    /// What the caller passed, or what was stored last.
    pub(crate) fn get(&self) -> T {
        // SAFETY: `from_abi` was promised a readable `T`; C callers do not promise alignment.
        unsafe { self.0.as_ptr().read_unaligned() }
    }

    /// Stores the result.
    pub(crate) fn set(&self, value: T) {
        // SAFETY: as for `get`, and writable.
        unsafe { self.0.as_ptr().write_unaligned(value) }
    }
}

impl TextOut {
    /// Stores the text and its terminator in a buffer of `length` bytes; nothing when it is too small.
    pub(crate) fn set(&self, length: c_uint, text: &str) -> Outcome {
        if usize::try_from(length).is_ok_and(|length| length <= text.len()) {
            return Err(nvmlReturn_t::INSUFFICIENT_SIZE);
        }
        self.write(text.as_bytes());
        Ok(())
    }

    /// Stores as much of the text as fits a buffer of `length` bytes, and a terminator.
    pub(crate) fn set_cropped(&self, length: c_uint, text: &[u8]) -> Outcome {
        let room = usize::try_from(length).unwrap_or(usize::MAX);
        let room = room.checked_sub(1).ok_or(nvmlReturn_t::INVALID_ARGUMENT)?;
        self.write(&text[..text.len().min(room)]);
        Ok(())
    }

    fn write(&self, text: &[u8]) {
        let place = self.0.cast::<u8>().as_ptr();
        // SAFETY: `from_abi` was promised a buffer of the length that the caller states, and both callers of this
        // function made sure that the text and a terminator fit that.
        unsafe { place.copy_from_nonoverlapping(text.as_ptr(), text.len()) };
        // SAFETY: as above: the terminator is the last byte of what fits.
        let end = unsafe { place.add(text.len()) };
        // SAFETY: as above.
        unsafe { end.write(0) };
    }
}

/// The text in a fixed array, as structures have it; cropped to fit with its terminator.
pub(crate) fn chars<const N: usize>(text: &[u8]) -> [c_char; N] {
    let mut chars = [0; N];
    for (place, byte) in chars.iter_mut().take(N.saturating_sub(1)).zip(text) {
        *place = c_char::from_ne_bytes([*byte]);
    }
    chars
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(buffer: &mut [c_char]) -> TextOut {
        // SAFETY: the buffer outlives the value in each test, and its own length is what the test states.
        unsafe { FromAbi::from_abi(buffer.as_mut_ptr()) }.unwrap()
    }

    fn length(buffer: &[c_char]) -> c_uint {
        c_uint::try_from(buffer.len()).unwrap()
    }

    #[test]
    fn text_that_does_not_fit_with_its_terminator_is_not_stored_at_all() {
        let mut buffer = [7; 3];
        let size = length(&buffer);
        assert_eq!(place(&mut buffer).set(size, "abc"), Err(nvmlReturn_t::INSUFFICIENT_SIZE));
        assert_eq!(buffer, [7; 3]);
        assert_eq!(place(&mut buffer).set(size, "ab"), Ok(()));
        assert_eq!(buffer, chars(b"ab"));
    }

    #[test]
    fn cropped_text_always_ends() {
        let mut buffer = [7; 3];
        let size = length(&buffer);
        assert_eq!(place(&mut buffer).set_cropped(size, b"abcdef"), Ok(()));
        assert_eq!(buffer, chars(b"ab"));
        assert_eq!(place(&mut buffer).set_cropped(0, b"x"), Err(nvmlReturn_t::INVALID_ARGUMENT));
    }

    #[test]
    fn null_is_an_invalid_argument() {
        // SAFETY: null is allowed.
        let out: Outcome<Out<u32>> = unsafe { FromAbi::from_abi(std::ptr::null_mut()) };
        assert_eq!(out.unwrap_err(), nvmlReturn_t::INVALID_ARGUMENT);
        // SAFETY: null is allowed.
        let text: Outcome<Text> = unsafe { FromAbi::from_abi(std::ptr::null()) };
        assert_eq!(text.unwrap_err(), nvmlReturn_t::INVALID_ARGUMENT);
    }
}
