//! Files in place of the limits page that are none.

use crate::machine::Machine;
use crate::puppet::Puppet;
use crate::run::Run;
use crate::{namespace, stage};
use contract::{env, paths};
use std::process::Command;

#[test]
fn a_pipe_in_place_of_the_limits_page_is_refused_and_not_waited_for() {
    let machine = Machine::new();
    let directory = machine.path("limits");
    std::fs::create_dir(&directory).unwrap();
    let file = paths::limits_file(&directory);
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    let mut tenant = Puppet::start(machine.tenant().env(env::LIMITS_DIR, &directory));
    assert_eq!([tenant.ask("cuInit 0"), tenant.ask("nvmlInit_v2")], ["802", "999"]);
    let (_, errors) = tenant.end();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.starts_with("vgpu: ") && errors.contains(file.to_str().unwrap()), "{errors}");
}

#[test]
fn looking_for_a_page_takes_no_descriptor_of_a_program_that_has_none_left() {
    let machine = Machine::new();
    let run = Run::preloaded(machine.program("crowded.c")).libraries(&stage::file("sim/null"));
    assert_eq!(run.output(), "cuInit: 0\n");
}

/// Arguments: a directory to work in, the library, the directory of the driver, the program.
const CLOSED: &str = r#"
work=$1
cp -a /etc "$work/etc"
mkdir -p "$work/etc/vgpu/limits"
chmod 700 "$work/etc/vgpu"
cp "$2" "$work/libvgpu.so"
cp -L "$3/libcuda.so.1" "$work/libcuda.so.1"
chmod 755 "$work"
mount --bind "$work/etc" /etc
exec setpriv --reuid=65534 --regid=65534 --clear-groups \
    env LD_PRELOAD="$work/libvgpu.so" LD_LIBRARY_PATH="$work" "$4"
"#;

#[test]
fn a_page_in_a_directory_closed_to_the_program_is_not_taken_for_no_limit() {
    let machine = Machine::new();
    let paths = [machine.path(""), stage::library(), stage::file("sim/null"), machine.program("crowded.c")];
    let paths: Vec<_> = paths.iter().map(|path| path.to_str().unwrap()).collect();
    let Some(run) = namespace::script(CLOSED, &paths) else { return };
    assert_eq!(run.said().output, "cuInit: 802\n");
}

/// Arguments: a directory to work in, the library, the directory of the driver, the program, what is put in the place of
/// the directory of limits.
const IN_ITS_PLACE: &str = r#"
work=$1
cp -a /etc "$work/etc"
mkdir -p "$work/etc/vgpu"
case $5 in
file) echo 1g > "$work/etc/vgpu/limits" ;;
link) ln -s nowhere "$work/etc/vgpu/limits" ;;
above) rmdir "$work/etc/vgpu"; echo 1g > "$work/etc/vgpu" ;;
esac
mount --bind "$work/etc" /etc
exec env LD_PRELOAD="$2" LD_LIBRARY_PATH="$3" "$4"
"#;

#[test]
fn a_file_or_a_dead_link_in_place_of_the_directory_of_limits_is_not_taken_for_no_limit() {
    for kind in ["file", "link", "above"] {
        let machine = Machine::new();
        let places =
            [machine.path(""), stage::library(), stage::file("sim/null"), machine.program("crowded.c")];
        let mut arguments: Vec<_> = places.iter().map(|path| path.to_str().unwrap()).collect();
        arguments.push(kind);
        let Some(run) = namespace::script(IN_ITS_PLACE, &arguments) else { return };
        assert_eq!(run.said().output, "cuInit: 802\n", "{kind}");
    }
}
