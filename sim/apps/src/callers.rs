//! Callers of a driver's functions, one a row of its table.

/// One function for each `symbol(arg: type, ...);`, which calls the library's function of that name and returns
/// `$missing` where there is none.
macro_rules! callers {
    ($library:ident -> $result:ident, $missing:expr; $($symbol:ident($($arg:ident: $ty:ty),*);)*) => {$(
        /// Calls the driver's function of this name.
        ///
        /// # Safety
        /// As the driver's documentation asks of its arguments.
        pub unsafe fn $symbol($($arg: $ty),*) -> $result {
            static SYMBOL: Symbol = Symbol::new(&symbol::$library, concat!(stringify!($symbol), "\0"));
            let address = SYMBOL.address();
            if address.is_null() {
                return $missing;
            }
            // SAFETY: the table has the signature of the function of this name.
            let function: unsafe extern "C" fn($($ty),*) -> $result = unsafe { std::mem::transmute(address) };
            // SAFETY: forwarded to the caller.
            unsafe { function($($arg),*) }
        }
    )*};
}

pub(crate) use callers;
