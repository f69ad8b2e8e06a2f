//! What a limit means, judged by what the driver of a simulated GPU saw.

mod devices;
mod page;
mod picture;
mod processes;
mod product;
mod sizes;
mod storm;
mod values;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
