//! Arrays and mipmapped arrays.

mod ends;
mod mapped;
mod sizes;
mod unasked;
mod views;

use super::books::Books;
use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;

/// `CU_AD_FORMAT_*`
const UINT8: u64 = 0x01;
const FLOAT: u64 = 0x20;
const NV12: u64 = 0xb0;
const BC1: u64 = 0x91;

/// `CUDA_ARRAY3D_*`
const LAYERED: u64 = 0x01;
const CUBEMAP: u64 = 0x04;
const SPARSE: u64 = 0x40;
const DEFERRED: u64 = 0x80;

/// What an array is to be.
#[derive(Clone, Copy, Debug)]
struct Shape {
    extents: [u64; 3],
    format: u64,
    channels: u64,
    flags: u64,
}

/// 4 MiB in whole blocks, so that nobody makes more of it.
const PLANE: Shape = Shape { extents: [1024, 1024, 0], format: FLOAT, channels: 1, flags: 0 };
const PLANE_BYTES: u64 = 4 * MIB;

impl Shape {
    /// The call that creates it.
    fn create(&self) -> String {
        format!("cuArray3DCreate_v2 out {}", self.descriptor())
    }

    /// The call that creates it with so many levels.
    fn create_levels(&self, levels: u64) -> String {
        format!("cuMipmappedArrayCreate out {} {levels}", self.descriptor())
    }

    fn descriptor(&self) -> String {
        let [width, height, depth] = self.extents;
        format!("in={width},{height},{depth},{},{}", self.format | self.channels << 32, self.flags)
    }
}

/// A tenant with a context who may take 1 GiB.
fn tenant(machine: &Machine) -> Puppet {
    Puppet::with_context(machine.limited("1g"))
}

fn destroy(tenant: &mut Puppet, array: u64) {
    tenant.does(&format!("cuArrayDestroy {array}"));
}

/// Asserts that so much is charged beside the context, and that as much is taken.
fn assert_taken(machine: &Machine, bytes: u64) {
    assert_eq!(Books::of(machine), Books::both(CONTEXT + bytes));
}
