//! Memory that is not asked for by one call and freed by another: addresses and what is behind them, and what several
//! processes hold. Everything is done on the simulated driver, which has it all.

mod habits;
mod names;
mod sharing;
mod tenant;
mod virtual_memory;

const MIB: u64 = 1 << 20;
