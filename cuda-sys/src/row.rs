//! The table as data: what can be said of a row without calling it.

/// Which default stream a driver symbol means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// The call takes no stream.
    Any,
    /// Stream 0 is the legacy default stream.
    Legacy,
    /// Stream 0 is the per-thread default stream (`_ptds`, `_ptsz`).
    Ptds,
}

/// What the preload library does with an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Intercepted; the name is that of the module under `libvgpu/src/hooks`.
    Hooked(&'static str),
    /// Not intercepted: takes no device memory and no GPU time.
    Plain,
    /// Not intercepted although it takes device memory: not enforced yet.
    Uncounted,
}

/// One entry point.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What the preload library does with it.
    pub class: Class,
    /// Which default stream it means. NVML rows: [`Stream::Any`].
    pub stream: Stream,
    /// Driver rows: lowest `cudaVersion` at which `cuGetProcAddress` answers with it. NVML rows: first driver branch.
    pub since: u32,
    /// The name to ask `cuGetProcAddress` for. NVML rows: the symbol.
    pub query: &'static str,
    /// The exported name.
    pub symbol: &'static str,
    /// The parameter list as written in the table.
    pub signature: &'static str,
}

macro_rules! class {
    (plain) => {
        Class::Plain
    };
    (uncounted) => {
        Class::Uncounted
    };
    ($module:ident) => {
        Class::Hooked(stringify!($module))
    };
}

macro_rules! stream {
    (any) => {
        Stream::Any
    };
    (legacy) => {
        Stream::Legacy
    };
    (ptds) => {
        Stream::Ptds
    };
}

macro_rules! driver_rows {
    ($($class:ident $stream:ident $since:literal $query:literal $symbol:ident($($signature:tt)*);)*) => {
        /// Every driver row, in table order.
        pub const DRIVER: &[Row] = &[$(Row {
            class: class!($class),
            stream: stream!($stream),
            since: $since,
            query: $query,
            symbol: stringify!($symbol),
            signature: stringify!($($signature)*),
        }),*];
    };
}
crate::driver_api!(driver_rows);

macro_rules! nvml_rows {
    ($($class:ident $since:literal $symbol:ident($($signature:tt)*);)*) => {
        /// Every NVML row, in table order.
        pub const NVML: &[Row] = &[$(Row {
            class: class!($class),
            stream: Stream::Any,
            since: $since,
            query: stringify!($symbol),
            symbol: stringify!($symbol),
            signature: stringify!($($signature)*),
        }),*];
    };
}
crate::nvml_api!(nvml_rows);
