//! Searches for inputs of [`vgpu_fuzz::claim`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| vgpu_fuzz::claim::run(input));
