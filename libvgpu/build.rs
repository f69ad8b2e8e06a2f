//! Linker arguments of the preload library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libvgpu.so");
    // Hooks stay reachable through pointers the application keeps, so the library must never be unmapped.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Our own references to a hook mean ours, also when an interposer in front of us exports the same name: handing out
    // its function as the driver's would have it call itself.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
}
