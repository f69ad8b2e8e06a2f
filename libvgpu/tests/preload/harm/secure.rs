//! Programs with privileges that their caller has not: the caller's environment decides nothing.

use crate::machine::Machine;
use crate::puppet::Puppet;
use crate::supervisor::Supervisor;
use crate::{namespace, stage};
use contract::env;

const GIB: u64 = 1 << 30;

/// Makes a system of its own, in which the library is preloaded into everything and the driver is installed; and in it
/// runs a puppet that belongs to root and is set to run as root, as a user who is not.
///
/// Arguments: a directory to work in, the library, the directory of the driver, the puppet.
const SCRIPT: &str = r#"
work=$1
PATH=$PATH:/usr/sbin:/sbin
cp -a /etc "$work/etc"
[ -d "$work/vgpu" ] && cp -a "$work/vgpu" "$work/etc/vgpu"
cp "$2" "$work/libvgpu.so"
cp "$4" "$work/puppet"
chmod 4755 "$work/puppet"
chmod 755 "$work"
echo "$3" > "$work/etc/ld.so.conf.d/000-driver.conf"
mount -t tmpfs none /dev/shm
mount --bind "$work/etc" /etc
ldconfig
echo "$work/libvgpu.so" > /etc/ld.so.preload
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$work/puppet"
"#;

/// A puppet with privileges, whose caller sets `limit` and a region in the environment.
fn privileged(machine: &Machine, limit: &str) -> Option<Puppet> {
    let paths = [machine.path(""), stage::library(), stage::file("sim/550"), stage::file("bin/puppet")];
    let paths: Vec<_> = paths.iter().map(|path| path.to_str().unwrap()).collect();
    let run = namespace::script(SCRIPT, &paths)?
        .env("VGPU_SIM_SOCKET", machine.path("socket"))
        .env(env::MEMORY_LIMIT, limit)
        .env(env::REGION, machine.path("region"));
    Some(Puppet::start(run))
}

fn total(puppet: &mut Puppet) -> u64 {
    puppet.does("cuInit 0");
    puppet.does("cuDeviceTotalMem_v2 out 0")[0]
}

#[test]
fn the_caller_cannot_limit_a_privileged_program() {
    for limit in ["1g", "abc"] {
        let machine = Machine::new();
        let Some(mut puppet) = privileged(&machine, limit) else { return };
        assert!(total(&mut puppet) > 70 * GIB, "{limit}");
        assert!(!machine.path("region").exists());
    }
}

#[test]
fn the_caller_cannot_lift_the_limit_of_a_privileged_program() {
    let machine = Machine::new();
    let supervisor = Supervisor::at(&machine, "vgpu/limits");
    supervisor.publish(&supervisor.memory(Some(2 * GIB)));
    let Some(mut puppet) = privileged(&machine, "0") else { return };
    assert_eq!(total(&mut puppet), 2 * GIB);
    puppet.does("cuCtxCreate_v2 out 0 0");
    assert!(puppet.allocate(2 * GIB).is_err());
    // What it charges is in the system's region, not where its caller wants.
    assert!(!machine.path("region").exists());
}
