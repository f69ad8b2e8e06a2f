//! The oldest glibc that the built library loads on.

use crate::elf::SharedObject;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};

/// Every distribution that a supported driver runs on has at least this one.
const FLOOR: (u32, u32) = (2, 17);

/// Fails when the staged library needs a newer glibc than [`FLOOR`].
pub(crate) fn run(workspace: &Workspace, _: &[String]) -> Result<()> {
    let library = SharedObject::read(&workspace.library())?;
    println!("floor: glibc {}; the promise is {}.{}", newest(&library)?, FLOOR.0, FLOOR.1);
    Ok(())
}

/// The newest glibc that `library` needs, and for what.
///
/// # Errors
/// It is newer than [`FLOOR`], or that cannot be told.
fn newest(library: &SharedObject) -> Result<String> {
    let (least_major, least_minor) = FLOOR;
    if let Some(symbol) = library.versions.get("GLIBC_PRIVATE") {
        bail!("libvgpu.so needs {symbol}, which is private to one build of glibc");
    }
    if let Some(symbol) = library.unversioned.first() {
        bail!(
            "libvgpu.so needs {symbol}, and glibc {least_major}.{least_minor} has no such function: with one that has \
             not, nothing starts where the library is preloaded"
        );
    }
    let needs = library.versions.iter().filter_map(|(version, symbol)| Some((parse(version)?, symbol)));
    let ((major, minor), symbol) =
        needs.max().context("libvgpu.so needs no version of glibc: is it the library?")?;
    if (major, minor) > FLOOR {
        bail!(
            "libvgpu.so needs GLIBC_{major}.{minor} (for {symbol}), the promise is {least_major}.{least_minor}: \
             was it staged without zig?"
        );
    }
    Ok(format!("{major}.{minor} (for {symbol})"))
}

/// The number in `GLIBC_2.14` or `GLIBC_2.2.5`.
fn parse(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix("GLIBC_")?.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(versions: &[(&str, &str)]) -> SharedObject {
        let versions = versions.iter().map(|(version, symbol)| ((*version).to_owned(), (*symbol).to_owned()));
        SharedObject { versions: versions.collect(), ..SharedObject::default() }
    }

    #[test]
    fn a_newer_version_is_an_error_that_names_its_symbol() {
        let old = [("GLIBC_2.2.5", "malloc"), ("GLIBC_2.17", "clock_gettime")];
        assert_eq!(newest(&library(&old)).unwrap(), "2.17 (for clock_gettime)");
        let new = newest(&library(&[old[0], ("GLIBC_2.34", "dlsym")])).unwrap_err().to_string();
        assert!(new.contains("dlsym"), "{new}");
    }

    #[test]
    fn a_function_that_the_old_glibc_lacks_has_no_version_and_is_an_error() {
        let mut library = library(&[("GLIBC_2.17", "clock_gettime")]);
        library.unversioned.insert("gettid".to_owned());
        let error = newest(&library).unwrap_err().to_string();
        assert!(error.contains("gettid"), "{error}");
    }

    #[test]
    fn versions_compare_as_numbers_and_not_as_text() {
        assert_eq!(parse("GLIBC_2.2.5"), Some((2, 2)));
        assert!(parse("GLIBC_2.4") < parse("GLIBC_2.14"));
        assert_eq!(parse("GLIBC_PRIVATE"), None);
        assert_eq!(parse("GCC_3.0"), None);
    }
}
