//! Regions that cannot be used: one clear line, and a driver that does not start.

use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;
use crate::run::Run;
use crate::{namespace, stage};
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
fn a_file_that_is_no_region_and_cannot_become_one() {
    let machine = Machine::new();
    let path = Path::new("/proc/version");
    does_not_start(with_region(&machine, path), path);
}

#[test]
fn a_directory_that_the_user_may_not_write_to() {
    let machine = Machine::new();
    let path = machine.path("region");
    let puppet = stage::file("bin/puppet");
    let places = [stage::library(), stage::file("sim/550"), puppet];
    let places: Vec<_> = places.iter().map(|place| place.to_str().unwrap()).collect();
    // As nobody, who may read neither the stage nor root's directories: everything is copied to where it may.
    let script = r#"
work=$(mktemp -d)
mount -t tmpfs none "$work"
cp "$1" "$3" "$work"
cp -r "$2" "$work/driver"
export LD_LIBRARY_PATH="$work/driver"
exec setpriv --reuid=65534 --regid=65534 --clear-groups env LD_PRELOAD="$work/libvgpu.so" "$work/puppet"
"#;
    let Some(run) = namespace::script(script, &places) else { return };
    let limits =
        |run: Run| run.env("CUDA_DEVICE_MEMORY_LIMIT", "1g").env("CUDA_DEVICE_MEMORY_SHARED_CACHE", &path);
    does_not_start(limits(run), &path);
    // Nor where the file is there and belongs to somebody else.
    Puppet::with_context(machine.limited("1g")).end();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let Some(run) = namespace::script(script, &places) else { return };
    does_not_start(limits(run), &path);
}

#[test]
fn a_full_disk() {
    let machine = Machine::new();
    let directory = machine.path("full");
    std::fs::create_dir(&directory).unwrap();
    let script = r#"
mount -t tmpfs -o size=4k none "$1"
exec env LD_PRELOAD="$2" "$3"
"#;
    let places = [directory.clone(), stage::library(), stage::file("bin/puppet")];
    let places: Vec<_> = places.iter().map(|place| place.to_str().unwrap()).collect();
    let Some(run) = namespace::script(script, &places) else { return };
    let path = directory.join("region");
    let run =
        machine.on(run).env("CUDA_DEVICE_MEMORY_LIMIT", "1g").env("CUDA_DEVICE_MEMORY_SHARED_CACHE", &path);
    does_not_start(run, &path);
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

#[test]
fn rubbish_for_what_a_context_takes_is_not_believed() {
    // Behind the header, which is a page, the first GPU's entry: its identity, then what a context takes.
    const LEARNED: u64 = 4096 + 16;
    let machine = Machine::new();
    let _first = Puppet::with_context(machine.limited("4g"));
    let file = std::fs::File::options().write(true).open(machine.path("region")).unwrap();
    for rubbish in [1_u64, 1 << 40] {
        std::os::unix::fs::FileExt::write_all_at(&file, &rubbish.to_ne_bytes(), LEARNED).unwrap();
        let mut second = Puppet::with_context(machine.limited("4g"));
        let memory = second.memory();
        assert_eq!(memory.total - memory.free, 2 * CONTEXT, "{rubbish}");
    }
}
