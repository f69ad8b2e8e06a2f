//! Searches for inputs of [`vgpu_fuzz::region_member`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| vgpu_fuzz::region_member::run(input));
