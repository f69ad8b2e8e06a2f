//! Layouts that the compiler and the vendor's headers must agree on.

/// Fails the build when a structure has another size than the header's, and names them all for
/// `cargo xtask table`, which asks a C compiler for the header's own answer.
macro_rules! layouts {
    ($(#[$doc:meta])* $list:ident: $($name:ident = $size:literal,)*) => {
        $(const _: () = assert!(size_of::<$name>() == $size);)*

        $(#[$doc])*
        pub const $list: &[(&str, usize)] = &[$((stringify!($name), $size)),*];
    };
}
pub(crate) use layouts;
