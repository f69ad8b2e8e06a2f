//! Result codes, as numbers with names: a driver newer than this table may return any value.

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident: $($(#[$code_doc:meta])* $code:ident = $value:literal,)*) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[must_use]
        pub struct $name(pub u32);

        impl $name {
            $($(#[$code_doc])* pub const $code: Self = Self($value);)*

            /// Whether the call succeeded.
            #[inline]
            pub const fn is_success(self) -> bool {
                self.0 == 0
            }
        }
    };
}

codes! {
    /// What a CUDA driver call returns.
    CUresult:
    /// The call succeeded.
    SUCCESS = 0,
    /// An argument is out of range or null.
    INVALID_VALUE = 1,
    /// Not enough memory: what a request over the limit is told.
    OUT_OF_MEMORY = 2,
    /// `cuInit` has not succeeded in this process.
    NOT_INITIALIZED = 3,
    /// The driver is shutting down with the process.
    DEINITIALIZED = 4,
    /// The loaded libcuda is a stub.
    STUB_LIBRARY = 34,
    /// No CUDA device.
    NO_DEVICE = 100,
    /// No device of that ordinal.
    INVALID_DEVICE = 101,
    /// No context, or a dead one, is current.
    INVALID_CONTEXT = 201,
    /// An unknown handle.
    INVALID_HANDLE = 400,
    /// A named thing was not found.
    NOT_FOUND = 500,
    /// The work has not finished.
    NOT_READY = 600,
    /// A context was destroyed under its user.
    CONTEXT_IS_DESTROYED = 709,
    /// This driver or device does not support the call.
    NOT_SUPPORTED = 801,
    /// The system is not ready to use CUDA.
    SYSTEM_NOT_READY = 802,
}

codes! {
    /// What an NVML call returns.
    nvmlReturn_t:
    /// The call succeeded.
    SUCCESS = 0,
    /// `nvmlInit` has not succeeded in this process.
    UNINITIALIZED = 1,
    /// An argument is out of range or null.
    INVALID_ARGUMENT = 2,
    /// This driver or device does not support the call.
    NOT_SUPPORTED = 3,
    /// A named thing was not found.
    NOT_FOUND = 6,
    /// The caller's array is too small.
    INSUFFICIENT_SIZE = 7,
    /// The kernel driver is not loaded.
    DRIVER_NOT_LOADED = 9,
    /// The time given by the caller has passed.
    TIMEOUT = 10,
    /// libnvidia-ml was not found.
    LIBRARY_NOT_FOUND = 12,
    /// The library lacks the function.
    FUNCTION_NOT_FOUND = 13,
    /// The device is out of reach.
    GPU_IS_LOST = 15,
    /// A versioned structure carries a version the library does not know.
    ARGUMENT_VERSION_MISMATCH = 25,
    /// Anything else.
    UNKNOWN = 999,
}
