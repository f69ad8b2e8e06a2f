//! Layouts that this table and the vendor's headers must agree on.

/// Where the fields of a structure are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its name.
    pub name: &'static str,
    /// Its size in bytes.
    pub size: usize,
    /// Its fields and their offsets. A field that C calls `type` is `kind` here.
    pub fields: &'static [(&'static str, usize)],
}

/// Fails the build when a structure is not of the size stated, and makes a module's `LAYOUTS` of them all, for which
/// `cargo xtask table` asks a C compiler what the header says.
macro_rules! layouts {
    ($($name:ident $size:literal { $($field:ident),* $(,)? })*) => {
        $(const _: () = assert!(size_of::<$name>() == $size);)*

        pub(super) const LAYOUTS: &[$crate::Layout] = &[$($crate::Layout {
            name: stringify!($name),
            size: $size,
            fields: &[$((stringify!($field), core::mem::offset_of!($name, $field))),*],
        }),*];
    };
}
pub(crate) use layouts;
