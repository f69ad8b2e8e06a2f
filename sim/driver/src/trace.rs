//! A record of what a program asks `cuGetProcAddress`: `VGPU_SIM_TRACE=<file>`.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::OnceLock;

use crate::profile::Lookup;

fn file() -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let open = || {
        let path = std::env::var_os("VGPU_SIM_TRACE")?;
        let opened = OpenOptions::new().create(true).append(true).open(&path);
        opened.inspect_err(|error| eprintln!("vgpu-sim: VGPU_SIM_TRACE: {}: {error}", path.display())).ok()
    };
    FILE.get_or_init(open).as_ref()
}

/// Appends `name version flags -> symbol`, in one write so that lines of several processes do not mix.
pub(crate) fn lookup(name: &str, version: u32, flags: u64, answer: Option<Lookup>) {
    let Some(mut file) = file() else {
        return;
    };
    let symbol = match answer {
        Some(Lookup::Found(answer)) => answer.symbol,
        Some(Lookup::SymbolNotFound) => "SYMBOL_NOT_FOUND",
        Some(Lookup::VersionNotSufficient) => "VERSION_NOT_SUFFICIENT",
        None => "INVALID_VALUE",
    };
    let line = format!("{name} {version} {flags} -> {symbol}\n");
    // A trace that cannot be written must not change what the program sees.
    let _ = file.write_all(line.as_bytes());
}
