//! What a compute share means, on the simulated GPU.

mod lives;
mod page;
mod paths;
mod quiet;
