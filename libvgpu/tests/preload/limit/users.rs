//! Processes of several users in one container.

use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;
use crate::{namespace, stage};
use contract::env;

/// A puppet of nobody's, on a machine of its own with the same card: the simulated one serves one user only. Nobody may not
/// read the stage of others, so all of it is copied.
const SCRIPT: &str = r#"
work=$(mktemp -d)
mount -t tmpfs none "$work"
install -d -o 65534 -m 700 "$work/machine"
cp "$1" "$3" "$4" "$work"
cp -r "$2" "$work/driver"
export LD_LIBRARY_PATH="$work/driver" VGPU_SIM_SOCKET="$work/machine/socket"
export VGPU_SIM_KERNEL="$work/vgpu-sim-kernel"
exec setpriv --reuid=65534 --regid=65534 --clear-groups env LD_PRELOAD="$work/libvgpu.so" "$work/puppet"
"#;

#[test]
fn a_second_user_shares_the_limit_of_the_first() {
    let machine = Machine::new();
    let places = [
        stage::library(),
        stage::file("sim/550"),
        stage::file("bin/puppet"),
        stage::file("bin/vgpu-sim-kernel"),
    ];
    let places: Vec<_> = places.iter().map(|place| place.to_str().unwrap()).collect();
    let Some(run) = namespace::script(SCRIPT, &places) else { return };
    let mut first = Puppet::with_context(machine.limited("2g"));
    first.allocate(100 * MIB).unwrap();
    let run = run.env(env::MEMORY_LIMIT, "2g").env(env::REGION, machine.path("region"));
    let mut second = Puppet::with_context(run);
    let free = 2 * GIB - 2 * CONTEXT - 100 * MIB;
    assert_eq!([first.memory().free, second.memory().free], [free; 2]);
    second.allocate(free).unwrap();
    assert!(first.allocate(1).is_err());
    second.kill();
    assert!(first.allocate(free + CONTEXT).is_ok());
}
