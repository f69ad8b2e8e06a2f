//! Result codes, as numbers with names: a driver newer than this table may return any value.

mod driver;
mod nvml;

pub use driver::CUresult;
pub use nvml::nvmlReturn_t;

use core::ffi::CStr;

/// A newtype with one constant a code, called as in the header without the common prefix.
macro_rules! codes {
    (
        $(#[$doc:meta])*
        $name:ident $success:literal $prefix:literal:
        $($(#[$code_doc:meta])* $code:ident = $value:literal,)*
    ) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[must_use]
        pub struct $name(pub u32);

        impl $name {
            /// The call succeeded.
            pub const SUCCESS: Self = Self(0);
            $($(#[$code_doc])* pub const $code: Self = Self($value);)*

            /// The header's names and their values.
            pub const NAMED: &[(&str, u32)] =
                &[($success, 0), $((concat!($prefix, stringify!($code)), $value)),*];

            /// Whether the call succeeded.
            #[inline]
            pub const fn is_success(self) -> bool {
                self.0 == 0
            }

            /// The header's name, for C; none for a number this table does not know.
            pub const fn c_name(self) -> Option<&'static core::ffi::CStr> {
                match self.0 {
                    0 => Some($crate::result::c_str(concat!($success, "\0"))),
                    $($value => Some($crate::result::c_str(concat!($prefix, stringify!($code), "\0"))),)*
                    _ => None,
                }
            }

            /// The header's name; none for a number this table does not know.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    0 => Some($success),
                    $($value => Some(concat!($prefix, stringify!($code))),)*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use codes;

/// A name that the macro above ended with its NUL.
const fn c_str(name: &str) -> &CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => c"",
    }
}

#[cfg(test)]
mod tests {
    use super::{CUresult, nvmlReturn_t};

    #[test]
    fn names_are_the_headers() {
        assert_eq!(CUresult::SUCCESS.name(), Some("CUDA_SUCCESS"));
        assert_eq!(CUresult::OUT_OF_MEMORY.name(), Some("CUDA_ERROR_OUT_OF_MEMORY"));
        assert_eq!(nvmlReturn_t(999).name(), Some("NVML_ERROR_UNKNOWN"));
        assert_eq!(CUresult(12_345).name(), None);
        assert_eq!(CUresult(12_345).c_name(), None);
    }

    #[test]
    fn both_kinds_of_name_agree() {
        for &(name, value) in CUresult::NAMED {
            assert_eq!(CUresult(value).name(), Some(name));
            assert_eq!(CUresult(value).c_name().map(|name| name.to_bytes()), Some(name.as_bytes()));
        }
        for &(name, value) in nvmlReturn_t::NAMED {
            assert_eq!(nvmlReturn_t(value).name(), Some(name));
            assert_eq!(nvmlReturn_t(value).c_name().map(|name| name.to_bytes()), Some(name.as_bytes()));
        }
    }
}
