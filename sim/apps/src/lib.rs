//! Programs that use CUDA as applications do, for tests and demonstrations.
