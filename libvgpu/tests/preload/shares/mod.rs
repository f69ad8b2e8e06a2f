//! What a compute share means, on the simulated GPU.

mod lives;
mod paths;
mod quiet;
