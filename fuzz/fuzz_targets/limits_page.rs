//! Searches for inputs of [`vgpu_fuzz::limits_page`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| vgpu_fuzz::limits_page::run(input));
