//! Searches for inputs of [`vgpu_fuzz::nvidia_smi`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| vgpu_fuzz::nvidia_smi::run(input));
