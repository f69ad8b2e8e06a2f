//! Regions that cannot be used: one clear line, and a driver that does not start.

use crate::machine::Machine;
use crate::puppet::Puppet;
use crate::run::Run;
use std::path::Path;

/// `cuInit` answers 802 and `nvmlInit` 999, after one line that names `path`.
fn does_not_start(run: Run, path: &Path) {
    let mut tenant = Puppet::start(run);
    assert_eq!([tenant.ask("cuInit 0"), tenant.ask("nvmlInit_v2")], ["802", "999"]);
    let (_, errors) = tenant.end();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.starts_with("vgpu: ") && errors.contains(path.to_str().unwrap()), "{errors}");
}

fn with_region(machine: &Machine, path: &Path) -> Run {
    machine.limited("1g").env("CUDA_DEVICE_MEMORY_SHARED_CACHE", path)
}

#[test]
fn a_directory_that_is_not_there() {
    let machine = Machine::new();
    let path = machine.path("nowhere/region");
    does_not_start(with_region(&machine, &path), &path);
}

#[test]
fn a_directory_in_place_of_the_file() {
    let machine = Machine::new();
    let path = machine.path("directory");
    std::fs::create_dir(&path).unwrap();
    does_not_start(with_region(&machine, &path), &path);
}

#[test]
fn a_path_that_is_relative_or_empty_is_used_or_refused_but_never_ignored() {
    let machine = Machine::new();
    let mut tenant = Puppet::start(with_region(&machine, Path::new("/proc/version")));
    assert_eq!(tenant.ask("cuInit 0"), "802");
}

#[test]
fn a_region_cut_short() {
    let machine = Machine::new();
    Puppet::with_context(machine.limited("1g")).kill();
    let path = machine.path("region");
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_len(100).unwrap();
    does_not_start(machine.limited("1g"), &path);
}

#[test]
fn another_program_s_file_is_left_alone_and_a_region_beside_it_is_used() {
    let machine = Machine::new();
    let path = machine.path("region");
    // What HAMi's library leaves at this path: its magic number, and its size.
    let mut theirs = vec![0; 2_008_953];
    theirs[..4].copy_from_slice(&19_920_718_u32.to_le_bytes());
    std::fs::write(&path, &theirs).unwrap();
    let [mut one, mut other] = [0; 2].map(|_| Puppet::with_context(machine.limited("2g")));
    let address = one.allocate(1 << 20).unwrap();
    let free = other.memory().free;
    one.free(address);
    assert_eq!(other.memory().free, free + (1 << 20));
    assert_eq!(std::fs::read(&path).unwrap(), theirs);
}

#[test]
fn text_in_place_of_the_region_is_left_alone() {
    let machine = Machine::new();
    let path = machine.path("region");
    let text = "somebody's notes\n".repeat(10_000);
    std::fs::write(&path, &text).unwrap();
    let mut tenant = Puppet::start(machine.limited("1g"));
    let code = tenant.ask("cuInit 0");
    assert!(["0", "802"].contains(&code.as_str()), "{code}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_region_full_of_rubbish_hurts_nobody_else() {
    let machine = Machine::new();
    let path = machine.path("region");
    let mut tenant = Puppet::with_context(machine.limited("1g"));
    tenant.allocate(1 << 20).unwrap();
    let mut content = std::fs::read(&path).unwrap();
    // Everything behind the first page, where the format is told: sums, slots, owners.
    let rubbish = (0_u8..=255).cycle().skip(37).step_by(7);
    content.iter_mut().skip(4096).zip(rubbish).for_each(|(byte, rubbish)| *byte = rubbish);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &content, 0).unwrap();
    // Whatever the answers are, they are answers: nobody crashes or waits for ever.
    for line in ["cuMemAlloc_v2 out 4096", "cuMemGetInfo_v2 out out", "cuCtxCreate_v2 out 0 0", "nvmlInit_v2"]
    {
        tenant.ask(line);
    }
    let mut late = Puppet::start(machine.limited("1g"));
    late.ask("cuInit 0");
    late.ask("cuCtxCreate_v2 out 0 0");
    late.ask("cuMemAlloc_v2 out 4096");
    assert_eq!(tenant.end().0.code(), Some(0));
    assert_eq!(late.end().0.code(), Some(0));
}
