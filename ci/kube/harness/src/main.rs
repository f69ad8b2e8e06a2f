//! `vgpu-kube-install`: what `cargo xtask kube install` runs in the cluster's namespaces.

#![forbid(unsafe_code)]

use kube_harness::product::installation::{NEXT, install_stage};

fn main() {
    // Whatever goes wrong is a panic, as in a test. A person wants to read what, and not where.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("kube install: {}", panic.payload_as_str().unwrap_or("?"))
    }));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => install_stage(None),
        [flag, file] if flag == "--values" => install_stage(Some(file)),
        _ => panic!("no arguments `{}`; usage: vgpu-kube-install [--values FILE]", arguments.join(" ")),
    }
    println!("vgpu is installed. What to try next:\n");
    for (command, shows) in NEXT {
        println!("  {command:<66}# {shows}");
    }
    println!(
        "\n`cargo xtask kube enter` is a shell with kubectl, helm and vgpu; `cargo xtask kube down` ends it all."
    );
}
