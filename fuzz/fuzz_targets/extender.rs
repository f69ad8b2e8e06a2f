//! Searches for inputs of [`vgpu_fuzz::extender`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| vgpu_fuzz::extender::run(input));
