//! Files in place of the limits page that are none.

use crate::machine::Machine;
use crate::puppet::Puppet;
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
