//! Physical memory that is mapped to arrays without memory: charged while such an array holds it.

use super::*;
use crate::machine::BRANCHES;

/// Physical memory for tiles.
fn memory(tenant: &mut Puppet, bytes: u64) -> u64 {
    tenant.does(&format!("cuMemCreate out {bytes} in=1,1,0,{} 0", 1 << 16))[0]
}

/// 8 by 8 tiles of 128 by 128 elements, which are 4 MiB.
const TILES: Shape = Shape { flags: SPARSE, ..PLANE };

/// Maps columns of [`TILES`] from the first to before the last to memory; unmaps them where there is none.
fn map(tenant: &mut Puppet, array: u64, columns: [u64; 2], memory: u64) {
    let [from, to] = columns.map(|column| 128 * column);
    let operation = if memory == 0 { 2 } else { 1 };
    // Of level and layer 0: offsets in x, y and z, extents in x, y and z.
    let part = format!("0,{from},{},{}", (to - from) << 32, 1024 | 1_u64 << 32);
    tenant.does(&format!("cuMemMapArrayAsync in=0,{array},0,{part},{operation},{memory},0,1 1 0"));
}

fn release(tenant: &mut Puppet, memory: u64) {
    tenant.does(&format!("cuMemRelease {memory}"));
}

#[test]
fn a_piece_stays_charged_until_its_last_tile_is_unmapped() {
    for branch in BRANCHES {
        let machine = Machine::with(branch, 1);
        let mut tenant = tenant(&machine);
        let array = tenant.does(&TILES.create())[0];
        let (one, other) = (memory(&mut tenant, 4 * MIB), memory(&mut tenant, 2 * MIB));
        map(&mut tenant, array, [0, 8], one);
        release(&mut tenant, one);
        assert_taken(&machine, 6 * MIB);
        map(&mut tenant, array, [2, 6], other);
        release(&mut tenant, other);
        assert_taken(&machine, 6 * MIB);
        map(&mut tenant, array, [0, 4], 0);
        assert_taken(&machine, 6 * MIB);
        map(&mut tenant, array, [6, 8], 0);
        assert_taken(&machine, 2 * MIB);
        map(&mut tenant, array, [0, 8], 0);
        assert_taken(&machine, 0);
        destroy(&mut tenant, array);
    }
}

#[test]
fn the_end_of_an_array_or_its_context_is_the_end_of_its_mappings() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let array = tenant.does(&TILES.create())[0];
    let one = memory(&mut tenant, 4 * MIB);
    map(&mut tenant, array, [0, 8], one);
    release(&mut tenant, one);
    destroy(&mut tenant, array);
    assert_taken(&machine, 0);

    let (first, context) = (tenant.does("cuCtxGetCurrent out")[0], tenant.does("cuCtxCreate_v2 out 0 0")[0]);
    let array = tenant.does(&TILES.create())[0];
    let one = memory(&mut tenant, 4 * MIB);
    map(&mut tenant, array, [0, 8], one);
    release(&mut tenant, one);
    assert_taken(&machine, CONTEXT + 4 * MIB);
    tenant.does(&format!("cuCtxDestroy_v2 {context}"));
    tenant.does(&format!("cuCtxSetCurrent {first}"));
    assert_taken(&machine, 0);
}

#[test]
fn an_array_that_is_mapped_as_a_whole_holds_one_piece() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let array = tenant.does(&Shape { flags: DEFERRED, ..PLANE }.create())[0];
    let (one, other) = (memory(&mut tenant, 4 * MIB), memory(&mut tenant, 6 * MIB));
    for piece in [one, other] {
        map(&mut tenant, array, [3, 4], piece);
        release(&mut tenant, piece);
    }
    assert_taken(&machine, 6 * MIB);
    map(&mut tenant, array, [0, 1], 0);
    assert_taken(&machine, 0);
}

#[test]
fn what_the_driver_does_not_map_is_not_held() {
    let machine = Machine::new();
    let run = machine.limited("1g").env("VGPU_SIM_FAULTS", "cuMemMapArrayAsync:1=1");
    let mut tenant = Puppet::with_context(run);
    let array = tenant.does(&TILES.create())[0];
    let one = memory(&mut tenant, 4 * MIB);
    let call = format!(
        "cuMemMapArrayAsync in=0,{array},0,0,0,{},{},1,{one},0,1 1 0",
        1024_u64 << 32,
        1024 | 1_u64 << 32
    );
    assert_eq!(tenant.ask(&call), "1");
    release(&mut tenant, one);
    assert_taken(&machine, 0);
}
