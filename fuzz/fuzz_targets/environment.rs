//! Searches for inputs of [`vgpu_fuzz::environment`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| vgpu_fuzz::environment::run(input));
