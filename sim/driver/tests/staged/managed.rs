//! Managed memory.

use cuda_sys::{CUmem_advise, CUresult};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const MIB: usize = 1 << 20;

fn resident(scene: &Scene) -> u64 {
    scene.truth().managed_resident.0 >> 20
}

#[test]
fn the_host_reads_what_the_device_wrote() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let address: u64 = get!(scene.cuda, cuMemAllocManaged(_, 8 * MIB, 1));
        assert_eq!(resident(&scene), 0, "nothing is on the device before it is touched there");
        assert_eq!(call!(scene.cuda, cuMemsetD8_v2(address, 0x5a, 3 * MIB)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::SUCCESS);
        let pointer = std::ptr::with_exposed_provenance_mut::<u8>(usize::try_from(address).unwrap());
        // SAFETY: eight mebibytes of managed memory, which the host may use.
        let bytes = unsafe { std::slice::from_raw_parts(pointer, 8 * MIB) };
        assert!(bytes[..3 * MIB].iter().all(|byte| *byte == 0x5a));
        assert_eq!(bytes[3 * MIB], 0);
        assert_eq!(resident(&scene), 4);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::SUCCESS);
        assert_eq!(resident(&scene), 0);
    });
}

#[test]
fn memory_moves_where_it_is_prefetched() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let address: u64 = get!(scene.cuda, cuMemAllocManaged(_, 8 * MIB, 1));
        let stream = cuda_sys::CUstream(std::ptr::null_mut());
        let prefetch = |device| call!(scene.cuda, cuMemPrefetchAsync(address, 8 * MIB, device, stream));
        assert_eq!(prefetch(0), CUresult::SUCCESS);
        assert_eq!(resident(&scene), 8);
        assert_eq!(prefetch(-1), CUresult::SUCCESS);
        assert_eq!(resident(&scene), 0);
        assert_eq!(prefetch(5), CUresult::INVALID_DEVICE);
        let beyond = call!(scene.cuda, cuMemPrefetchAsync(address, 8 * MIB + 1, 0, stream));
        assert_eq!(beyond, CUresult::INVALID_VALUE);
        let device: u64 = get!(scene.cuda, cuMemAlloc_v2(_, MIB));
        let advice = CUmem_advise::SET_READ_MOSTLY;
        assert_eq!(call!(scene.cuda, cuMemAdvise(address, MIB, advice, 0)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemAdvise(device, MIB, advice, 0)), CUresult::INVALID_VALUE);
    });
}

#[test]
fn more_may_be_allocated_than_a_device_has() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let _: u64 = get!(scene.cuda, cuMemAllocManaged(_, 160_000 * MIB, 1));
        let mut address = 3;
        for (bytes, flags) in [(0, 1), (MIB, 0), (MIB, 4)] {
            let code = call!(scene.cuda, cuMemAllocManaged(&raw mut address, bytes, flags));
            assert_eq!((code, address), (CUresult::INVALID_VALUE, 3));
        }
    });
}
