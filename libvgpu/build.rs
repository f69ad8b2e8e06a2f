//! Linker arguments of the preload library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libvgpu.so");
    // Hooks stay reachable through pointers the application keeps, so the library must never be unmapped.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
