//! What drivers of the simulated GPU have in common that are all in the process: one device without a past, one context, and
//! memory whose addresses are unique and lead nowhere. Every call takes constant time, whatever came before.
//!
//! [`entry`] has the functions, called like the symbols, which such a driver exports beside its own.

pub mod answer;
pub mod entry;
pub mod unique;

pub use answer::{not_supported, store};
