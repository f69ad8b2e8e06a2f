//! The process that plays the kernel driver for the simulated GPU, and its client.
