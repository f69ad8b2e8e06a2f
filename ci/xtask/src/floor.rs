//! The oldest glibc that the built library loads on.

use crate::elf::SharedObject;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};

/// Every distribution that a supported driver runs on has at least this one.
const FLOOR: (u32, u32) = (2, 17);

/// Fails when the staged library needs a newer glibc than [`FLOOR`].
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    let library = SharedObject::read(&workspace.library())?;
    if let Some(symbol) = library.versions.get("GLIBC_PRIVATE") {
        bail!("libvgpu.so needs {symbol}, which is private to one build of glibc");
    }
    let needs = library.versions.iter().filter_map(|(version, symbol)| Some((parse(version)?, symbol)));
    let ((major, minor), symbol) =
        needs.max().context("libvgpu.so needs no version of glibc: is it the library?")?;
    if (major, minor) > FLOOR {
        bail!(
            "libvgpu.so needs GLIBC_{major}.{minor} (for {symbol}), the promise is {}.{}: \
             was it staged without zig?",
            FLOOR.0,
            FLOOR.1
        );
    }
    println!("floor: glibc {major}.{minor} (for {symbol}); the promise is {}.{}", FLOOR.0, FLOOR.1);
    Ok(())
}

/// The number in `GLIBC_2.14` or `GLIBC_2.2.5`.
fn parse(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix("GLIBC_")?.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn versions_compare_as_numbers_and_not_as_text() {
        assert_eq!(parse("GLIBC_2.2.5"), Some((2, 2)));
        assert!(parse("GLIBC_2.4") < parse("GLIBC_2.14"));
        assert_eq!(parse("GLIBC_PRIVATE"), None);
        assert_eq!(parse("GCC_3.0"), None);
    }
}
