//! Searches for inputs of [`vgpu_fuzz::admission`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| vgpu_fuzz::admission::run(input));
