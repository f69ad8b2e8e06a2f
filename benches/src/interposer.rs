//! What stands between a program and the driver.

use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};

/// A library that is preloaded, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interposer {
    /// What it is called.
    pub name: String,
    /// Its file; `None`: nothing is preloaded.
    pub library: Option<PathBuf>,
    /// What is set for it beside the limits in HAMi's names. `{memory}` in a value is the limit of memory in bytes, `{cores}` the
    /// percent of compute, `{cache}` the file that the processes of a slice share.
    pub environment: Vec<(String, String)>,
    /// The command that starts programs in slices with priorities and changes their limits, as `vgpu` does.
    pub manager: Option<PathBuf>,
}

/// How one is written.
pub const FORM: &str = "write none, vgpu, or NAME=/path/lib.so[,VARIABLE=VALUE]...";

impl Interposer {
    /// Nothing.
    #[must_use]
    pub fn none() -> Self {
        Self { name: "none".to_owned(), library: None, environment: Vec::new(), manager: None }
    }

    /// The library of a stage directory.
    #[must_use]
    pub fn vgpu(stage: &Path) -> Self {
        let manager = Some(stage.join("bin/vgpu"));
        Self { library: Some(stage.join("lib/libvgpu.so")), manager, name: "vgpu".to_owned(), ..Self::none() }
    }

    /// Reads one as it is written on a command line.
    ///
    /// # Errors
    /// What is wrong with `text`, and what to write.
    pub fn parse(text: &str, stage: &Path) -> Result<Self> {
        match text {
            "none" => return Ok(Self::none()),
            "vgpu" => return Ok(Self::vgpu(stage)),
            _ => {}
        }
        let (name, rest) = text.split_once('=').with_context(|| format!("{text:?}: {FORM}"))?;
        ensure!(is_name(name), "{name:?} in {text:?}: a name has letters, digits, - and _ alone");
        ensure!(!["none", "vgpu"].contains(&name), "{name:?} in {text:?} is taken; give it another name");
        let mut parts = rest.split(',');
        let library = library(parts.next().unwrap_or_default()).with_context(|| format!("in {text:?}"))?;
        let environment =
            parts.map(variable).collect::<Result<_>>().with_context(|| format!("in {text:?}"))?;
        Ok(Self { name: name.to_owned(), library: Some(library), environment, manager: None })
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// The absolute path of a file that can be preloaded.
fn library(text: &str) -> Result<PathBuf> {
    let path = std::path::absolute(text).with_context(|| format!("{text:?} is no path; {FORM}"))?;
    ensure!(path.is_file(), "there is no file {}; name the library that is to be preloaded", path.display());
    if path.to_string_lossy().contains([' ', '\t', ':', ';']) {
        bail!("{}: the loader preloads no path with a blank, colon or semicolon; link to it", path.display());
    }
    Ok(path)
}

fn variable(text: &str) -> Result<(String, String)> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => bail!("{text:?} is no VARIABLE=VALUE; a value has no comma"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Interposer> {
        Interposer::parse(text, Path::new("/stage"))
    }

    #[test]
    fn a_library_has_a_name_and_what_is_set_for_it() {
        let file = std::env::current_exe().unwrap();
        let other = parse(&format!("other={},LIMIT={{memory}},MODE=", file.display())).unwrap();
        assert_eq!((other.name.as_str(), other.library), ("other", Some(file)));
        let set = [("LIMIT", "{memory}"), ("MODE", "")].map(|(name, value)| (name.into(), value.into()));
        assert_eq!(other.environment, set);
        assert_eq!(parse("none").unwrap(), Interposer::none());
        assert_eq!(parse("vgpu").unwrap().library, Some("/stage/lib/libvgpu.so".into()));
    }

    #[test]
    fn what_cannot_be_understood_is_named_beside_the_way_out() {
        let problem = |text: &str| format!("{:#}", parse(text).unwrap_err());
        assert!(problem("hami").contains("\"hami\": write none, vgpu, or NAME="));
        assert!(problem("a b=/x").contains("letters"));
        assert!(problem("vgpu=/x").contains("taken"));
        assert!(problem("x=/nowhere/lib.so").contains("there is no file /nowhere/lib.so"));
        let file = std::env::current_exe().unwrap();
        assert!(problem(&format!("x={},MODE", file.display())).contains("\"MODE\" is no VARIABLE=VALUE"));
    }
}
