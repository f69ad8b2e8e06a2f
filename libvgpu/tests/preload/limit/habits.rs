//! What frameworks do with memory, step by step as they do it, in a slice that is smaller than they would like.

use super::books::Books;
use super::{GIB, MIB};
use crate::machine::{CONTEXT, Machine};
use crate::puppet::{OUT_OF_MEMORY, Puppet};

/// What a tenant of 4 GiB with a context has left.
const LEFT: u64 = 4 * GIB - CONTEXT;

fn tenant(machine: &Machine) -> Puppet {
    Puppet::with_context(machine.limited("4g"))
}

/// A caching allocator as PyTorch's: blocks that the program has given back are kept, and freed when the driver has no more.
#[derive(Default)]
struct Caching {
    cached: Vec<(u64, u64)>,
}

impl Caching {
    /// A block of at least `bytes`; what it retried with is freed first.
    fn allocate(&mut self, tenant: &mut Puppet, bytes: u64) -> Result<(u64, u64), u64> {
        // Large blocks are multiples of 2 MiB, those up to 10 MiB are cut from segments of 20 MiB.
        let size = if bytes < 10 * MIB { 20 * MIB } else { bytes.next_multiple_of(2 * MIB) };
        if let Some(place) = self.cached.iter().position(|(_, cached)| *cached >= size) {
            return Ok(self.cached.swap_remove(place));
        }
        let address = tenant.allocate(size).or_else(|code| {
            assert_eq!(code, OUT_OF_MEMORY, "any other code ends the program");
            for (address, _) in self.cached.drain(..) {
                tenant.free(address);
            }
            tenant.allocate(size)
        })?;
        Ok((address, size))
    }
}

#[test]
fn a_caching_allocator_that_is_refused_frees_what_it_keeps_and_goes_on() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    let mut allocator = Caching::default();
    // Growing blocks of which none fits into those before, as longer and longer sequences give.
    for mib in (11..1500).step_by(97) {
        let block = allocator.allocate(&mut tenant, mib * MIB).unwrap();
        // A refusal leaves no error behind: the memory works.
        assert_eq!(tenant.ask(&format!("fill {} 65536 7", block.0)), "0 0 65536");
        allocator.cached.push(block);
    }
    let held: u64 = allocator.cached.iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + held));
    // More than there is, even with an empty cache.
    assert_eq!(allocator.allocate(&mut tenant, LEFT + 1), Err(OUT_OF_MEMORY));
    assert!(allocator.cached.is_empty());
    assert_eq!(Books::of(&machine), Books::both(CONTEXT));
}

#[test]
fn an_allocator_that_takes_most_of_what_is_free_at_its_start_gets_it() {
    let machine = Machine::new();
    let mut first = tenant(&machine);
    // As XLA does: three quarters of what is free in one piece.
    let free = first.memory().free;
    assert_eq!(free, LEFT);
    first.allocate(free / 4 * 3).unwrap();
    // The next process of the slice counts from what is left.
    let mut second = tenant(&machine);
    let free = second.memory().free;
    assert_eq!(free, LEFT - LEFT / 4 * 3 - CONTEXT);
    second.allocate(free / 4 * 3).unwrap();
    // And one that has been told of more than there is now tries with less, by a tenth each time.
    let mut size = free;
    let mut tries = 0;
    while second.allocate(size) == Err(OUT_OF_MEMORY) {
        size = size / 10 * 9;
        tries += 1;
    }
    assert!(tries > 5 && size > MIB, "{size} bytes after {tries} tries");
}

#[test]
fn a_pool_that_is_filled_once_serves_from_what_it_has() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    // As RMM does: a pool that keeps what it has, taken at the start by one allocation which is freed at once.
    let pool = tenant.does("cuMemPoolCreate out in=1,1,0,0")[0];
    tenant.does(&format!("cuMemPoolSetAttribute {pool} 4 in=0xffffffffffffffff"));
    let half = LEFT / 2 / (32 * MIB) * (32 * MIB);
    let all = tenant.does(&format!("cuMemAllocFromPoolAsync out {half} {pool} 0"))[0];
    tenant.does(&format!("cuMemFreeAsync {all} 0"));
    tenant.does("cuStreamSynchronize 0");
    assert_eq!(Books::of(&machine), Books::both(CONTEXT + half));
    // Another allocator of the program can have the rest and no byte more. What the pool keeps is given up for that.
    let rest = tenant.allocate(LEFT - half).unwrap();
    for _ in 0..8 {
        let piece = tenant.does(&format!("cuMemAllocFromPoolAsync out {} {pool} 0", half / 16))[0];
        tenant.does(&format!("cuMemFreeAsync {piece} 0"));
    }
    tenant.does("cuStreamSynchronize 0");
    assert_eq!(Books::of(&machine), Books::both(4 * GIB));
    assert!(tenant.allocate(half).is_ok(), "what a pool does not use is trimmed before a refusal");
    tenant.free(rest);
}

#[test]
fn graphs_captured_largest_first_share_one_pool_and_are_replayed_at_the_limit() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    // As PyTorch does with the driver's allocator: a graph for each batch size, captured in global mode, the largest first.
    let stream = tenant.does("cuStreamCreate out 1")[0];
    let graphs = [1024, 512, 256, 128, 64].map(|mib| {
        tenant.does(&format!("cuStreamBeginCapture_v2 {stream} 0"));
        let pieces =
            [(); 4].map(|()| tenant.does(&format!("cuMemAllocAsync out {} {stream}", mib * MIB / 4))[0]);
        for piece in pieces {
            tenant.does(&format!("cuMemsetD8Async {piece} 7 4096 {stream}"));
            tenant.does(&format!("cuMemFreeAsync {piece} {stream}"));
        }
        let graph = tenant.does(&format!("cuStreamEndCapture {stream} out"))[0];
        tenant.does(&format!("cuGraphInstantiateWithFlags out {graph} 0"))[0]
    });
    // What the graphs take for themselves, which is seen when they are instantiated.
    let own = machine.truth()["device.0.resident"] - CONTEXT;
    assert_eq!(Books::of(&machine).told, CONTEXT + own);
    for exec in graphs {
        tenant.does(&format!("cuGraphLaunch {exec} {stream}"));
    }
    assert_eq!(Books::of(&machine).told, CONTEXT + own + GIB, "one stream, one pool");
    // The cache gets the rest, to the last byte, and the graphs are replayed beside it.
    let rest = tenant.allocate(LEFT - own - GIB).unwrap();
    for round in 0..20 {
        let exec = graphs[round % graphs.len()];
        tenant.does(&format!("cuGraphLaunch {exec} {stream}"));
    }
    tenant.does(&format!("cuStreamSynchronize {stream}"));
    let truth = machine.truth();
    assert_eq!((truth["device.0.graphs"], truth["device.0.refused"]), (GIB, 0));
    assert!(truth["device.0.resident_peak"] <= 4 * GIB, "{truth:?}");
    // All that is given back is back.
    for exec in graphs {
        tenant.does(&format!("cuGraphExecDestroy {exec}"));
    }
    tenant.does("cuDeviceGraphMemTrim 0");
    tenant.free(rest);
    assert_eq!(Books::of(&machine), Books::both(CONTEXT));
}

#[test]
fn a_profile_by_differences_of_free_memory_finds_what_was_allocated() {
    let machine = Machine::new();
    let mut tenant = tenant(&machine);
    // As vLLM does: what a trial run takes is the difference of two answers; the cache gets a share of the total less that.
    let before = tenant.memory();
    let trial = tenant.allocate(777 * MIB).unwrap();
    let peak = before.free - tenant.memory().free;
    assert_eq!(peak, 777 * MIB);
    tenant.free(trial);
    assert_eq!(tenant.memory(), before);
    let cache = before.total / 10 * 9 - CONTEXT - peak;
    let blocks = cache / (16 * MIB);
    let all: Vec<_> = (0..blocks).map(|_| tenant.allocate(16 * MIB)).collect();
    assert!(all.iter().all(Result::is_ok), "{blocks} blocks");
    // The model still has what its trial run took.
    assert!(tenant.allocate(777 * MIB).is_ok());
}
