//! What is preloaded: our library, and others.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use super::finding::Finding;
use super::place::Place;
use crate::failure::Failure;
use crate::show::escaped;

/// The oldest C library that ours runs with.
const GLIBC_FLOOR: (u32, u32) = (2, 17);

/// The C library of this machine's programs.
pub(super) fn glibc() -> Finding {
    const CHECK: &str = "C library";
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let text =
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    let version = text.strip_prefix("glibc ").and_then(|version| {
        let (major, minor) = version.split_once('.')?;
        Some((major.parse::<u32>().ok()?, minor.split('.').next()?.parse::<u32>().ok()?))
    });
    let (major, minor) = GLIBC_FLOOR;
    match version {
        Some(version) if version < GLIBC_FLOOR => Finding::fail(
            CHECK,
            escaped(&text),
            format_args!("vgpu needs glibc {major}.{minor} or later: use a newer system or container image"),
        ),
        Some(_) => Finding::ok(CHECK, escaped(&text)),
        None => Finding::warn(
            CHECK,
            "getconf does not tell its version",
            format_args!("make sure that it is glibc {major}.{minor} or later, not musl"),
        ),
    }
}

/// Whether the loader takes our library into a program.
pub(super) fn ours(library: &Result<std::path::PathBuf, Failure>) -> Finding {
    const CHECK: &str = "libvgpu.so";
    let path = match library {
        Ok(path) => path,
        Err(failure) => return Finding::fail(CHECK, "it is not to be found", failure),
    };
    match loader_says(path) {
        Ok(said) if said.is_empty() => {
            Finding::ok(CHECK, format_args!("{} can be preloaded", path.display()))
        }
        Ok(said) => Finding::fail(CHECK, said, "install a build for this system"),
        Err(error) => Finding::warn(
            CHECK,
            format_args!("cannot try to preload {}: {error}", path.display()),
            "run this program from a file that may be executed",
        ),
    }
}

/// What the loader complains about when this program is started with `library`, without running it.
fn loader_says(library: &Path) -> std::io::Result<String> {
    let program = std::env::current_exe()?;
    let mut command = Command::new(program);
    command.env("LD_PRELOAD", library).env("LD_TRACE_LOADED_OBJECTS", "1").env_remove("LD_BIND_NOW");
    let output = command.output()?;
    let complaint = String::from_utf8_lossy(&output.stderr).lines().next().map(escaped).unwrap_or_default();
    if !complaint.is_empty() {
        return Ok(complaint);
    }
    let loaded =
        output.stdout.windows(library.as_os_str().len()).any(|part| part == library.as_os_str().as_bytes());
    Ok(if loaded {
        String::new()
    } else {
        format!("the loader passes {} over without a word", library.display())
    })
}

/// Other libraries in every program: harmless ones are common, a second limiter is not. `ours` is no other, as inside a slice.
pub(super) fn others(place: &Place, ours: Option<&Path>) -> Vec<Finding> {
    let variable = place.variable("LD_PRELOAD").map(|value| ("LD_PRELOAD", value.as_bytes().to_vec()));
    let file = fs::read(place.file("/etc/ld.so.preload")).ok().map(|content| ("/etc/ld.so.preload", content));
    let mut findings: Vec<Finding> = variable
        .into_iter()
        .chain(file)
        .filter_map(|(from, list)| preload(from, &list, place, ours))
        .collect();
    if findings.is_empty() {
        findings.push(Finding::ok("other preloads", "none"));
    }
    findings
}

fn preload(from: &'static str, list: &[u8], place: &Place, ours: Option<&Path>) -> Option<Finding> {
    const CHECK: &str = "other preloads";
    let separators = |byte: &u8| matches!(byte, b':' | b' ' | b'\t' | b'\n');
    let ours = ours.and_then(|file| fs::canonicalize(file).ok());
    let is_ours = |name: &&OsStr| ours.is_some() && fs::canonicalize(place.file(name)).ok() == ours;
    let names = list.split(separators).filter(|name| !name.is_empty()).map(OsStr::from_bytes);
    let names: Vec<&OsStr> = names.filter(|name| !is_ours(name)).collect();
    let shown = |name: &&OsStr| escaped(&name.to_string_lossy());
    let limiter = names.iter().find(|name| {
        let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        ["vgpu", "hami", "nvshare", "gpushare", "tensor_fusion", "cuda_hook"]
            .iter()
            .any(|part| file.contains(part))
    });
    if let Some(limiter) = limiter {
        return Some(Finding::fail(
            CHECK,
            format_args!("{from} preloads {}, which stands in front of the driver too", shown(limiter)),
            format_args!("take it out of {from}: of two limiters neither sees all"),
        ));
    }
    let first = names.first()?;
    Some(Finding::ok(
        CHECK,
        format_args!("{from} preloads {} and more, none known to be in the way", shown(first)),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::finding::Status;
    use super::*;

    #[test]
    fn another_limiter_is_in_the_way_and_other_libraries_are_not() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let find = |variables: &[(&str, &str)]| others(&Place::at(home.path(), variables), None);
        assert_eq!(find(&[]), [Finding::ok("other preloads", "none")]);
        assert_eq!(find(&[("LD_PRELOAD", "/usr/lib/libjemalloc.so.2")])[0].status, Status::Ok);
        let found = find(&[("LD_PRELOAD", "libjemalloc.so.2 /usr/local/vgpu/libvgpu.so")]);
        assert_eq!(found[0].status, Status::Fail);
        assert!(found[0].finding.contains("LD_PRELOAD preloads /usr/local/vgpu/libvgpu.so"));
        fs::create_dir(home.path().join("etc")).expect("a directory");
        fs::write(home.path().join("etc/ld.so.preload"), "/opt/libhami\u{1b}.so\n").expect("a file");
        let found = find(&[("LD_PRELOAD", "libjemalloc.so.2")]);
        assert_eq!((found[0].status, found[1].status), (Status::Ok, Status::Fail));
        assert!(found[1].finding.contains("/opt/libhami\\u{1b}.so"), "{found:?}");
    }

    #[test]
    fn a_slice_s_own_library_is_no_other_limiter() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let [ours, copy] = ["libvgpu.so", "libvgpu-copy.so"].map(|name| home.path().join(name));
        fs::write(&ours, "").expect("a file");
        fs::write(&copy, "").expect("a file");
        let find = |list: &str| others(&Place::at(Path::new("/"), &[("LD_PRELOAD", list)]), Some(&ours));
        let [ours, copy] = [&ours, &copy].map(|path| path.to_string_lossy());
        assert!(find(&ours).iter().all(|found| found.status == Status::Ok));
        let found = find(&format!("{ours}:{copy}"));
        assert!(found[0].finding.contains(&*copy), "{found:?}");
        assert_eq!(found[0].status, Status::Fail);
    }

    #[test]
    fn the_loader_says_what_it_cannot_preload() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let file = home.path().join("libvgpu.so");
        fs::write(&file, "no library").expect("a file");
        let found = ours(&Ok(file));
        assert_eq!(found.status, Status::Fail);
        assert!(found.finding.contains("libvgpu.so"), "{found:?}");
    }

    #[test]
    fn this_machine_has_a_c_library() {
        assert_eq!(glibc().status, Status::Ok);
    }
}
