//! On which device work is done.

/// A kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The simulated ones.
    Simulated,
    /// The one of the machine's own driver.
    Card,
}

impl Place {
    /// A limit of memory that holds every live allocation of every work at once, in bytes.
    #[must_use]
    pub const fn ample_memory(self) -> u64 {
        match self {
            // The driver without a device grants everything.
            Self::Simulated => 16 << 40,
            Self::Card => 8 << 30,
        }
    }
}
