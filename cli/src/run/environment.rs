//! What the command finds in its environment.
//!
//! Limits that the caller's own environment has stay in force: the library lets them tighten the slice.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use contract::env::{LIMITS_DIR, REGION};
use monitor::runs::Run;

use crate::failure::Failure;

const PRELOAD: &str = "LD_PRELOAD";
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// The variables to set for a command in `slice`. `get` answers for the present environment.
pub(super) fn of(
    slice: &Run,
    library: &Path,
    simulator: Option<&Path>,
    get: impl Fn(&str) -> Option<OsString>,
) -> Result<Vec<(&'static str, OsString)>, Failure> {
    let mut variables = vec![
        (LIMITS_DIR, slice.limits_dir().into_os_string()),
        (REGION, slice.region().into_os_string()),
        (PRELOAD, first(PRELOAD, library, get(PRELOAD))?),
    ];
    if let Some(dir) = simulator {
        variables.push((LIBRARY_PATH, first(LIBRARY_PATH, dir, get(LIBRARY_PATH))?));
    }
    Ok(variables)
}

/// `path`, then what was in the list `variable` before.
fn first(variable: &str, path: &Path, before: Option<OsString>) -> Result<OsString, Failure> {
    if path.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b':' | b';' | b' ' | b'\t' | b'\n')) {
        return Err(Failure::own(format_args!(
            "{} cannot be written into {variable}, where blanks, colons and semicolons separate names; move it to another \
             directory",
            path.display()
        )));
    }
    let mut list = OsString::from(path);
    if let Some(before) = before.filter(|before| !before.is_empty()) {
        list.push(OsStr::new(":"));
        list.push(before);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::limits_page::Page;
    use monitor::runs::Runs;
    use std::collections::HashMap;

    fn environment(simulator: Option<&str>, before: &[(&str, &str)]) -> HashMap<&'static str, OsString> {
        let home = tempfile::tempdir().expect("a temporary directory");
        let runs = Runs::at(home.path().join("vgpu")).expect("a new directory");
        let slice = runs.start(&Page::new(vec![]).expect("no GPU")).expect("a slice");
        let before: HashMap<&str, &str> = before.iter().copied().collect();
        let get = |name: &str| before.get(name).map(OsString::from);
        let variables = of(&slice, Path::new("/opt/lib/libvgpu.so"), simulator.map(Path::new), get);
        let variables: HashMap<_, _> = variables.expect("right paths").into_iter().collect();
        assert_eq!(variables["VGPU_LIMITS_DIR"], slice.limits_dir());
        assert_eq!(variables["CUDA_DEVICE_MEMORY_SHARED_CACHE"], slice.region());
        variables
    }

    #[test]
    fn the_library_is_preloaded_first() {
        let preload = |before| environment(None, before)["LD_PRELOAD"].clone();
        assert_eq!(preload(&[]), "/opt/lib/libvgpu.so");
        assert_eq!(preload(&[("LD_PRELOAD", "")]), "/opt/lib/libvgpu.so");
        assert_eq!(preload(&[("LD_PRELOAD", "a.so b.so")]), "/opt/lib/libvgpu.so:a.so b.so");
    }

    #[test]
    fn the_simulator_is_found_first_and_only_when_asked_for() {
        assert!(!environment(None, &[("LD_LIBRARY_PATH", "/x")]).contains_key("LD_LIBRARY_PATH"));
        assert_eq!(environment(Some("/opt/sim/550"), &[])["LD_LIBRARY_PATH"], "/opt/sim/550");
        let before = [("LD_LIBRARY_PATH", "/x:/y")];
        assert_eq!(environment(Some("/opt/sim/550"), &before)["LD_LIBRARY_PATH"], "/opt/sim/550:/x:/y");
    }

    #[test]
    fn the_callers_own_limits_are_left_alone() {
        let before = [("CUDA_DEVICE_MEMORY_LIMIT", "1g"), ("CUDA_DEVICE_SM_LIMIT_0", "30")];
        let environment = environment(None, &before);
        assert!(before.iter().all(|(name, _)| !environment.contains_key(name)));
    }

    #[test]
    fn a_path_that_the_loader_would_split_is_refused() {
        for path in ["/my library/libvgpu.so", "/a:b/libvgpu.so"] {
            let error = first("LD_PRELOAD", Path::new(path), None).expect_err(path).to_string();
            assert!(error.starts_with(&format!("{path} cannot be written into LD_PRELOAD")), "{error}");
        }
    }
}
