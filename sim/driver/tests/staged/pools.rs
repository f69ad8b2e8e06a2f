//! Stream-ordered memory and its pools.

use std::ptr::{from_mut, null_mut};

use cuda_sys::{
    CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation, CUmemLocationType,
    CUmemPool_attribute as Attribute, CUmemPoolProps, CUmemoryPool, CUresult, CUstream,
};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const MIB: usize = 1 << 20;
/// What a pool takes at least when it grows.
const STEP: u64 = 32 << 20;
const DEFAULT: CUstream = CUstream(null_mut());

fn amount(scene: &Scene, pool: CUmemoryPool, attribute: Attribute) -> u64 {
    let mut value = 0_u64;
    let place = from_mut(&mut value).cast();
    assert_eq!(call!(scene.cuda, cuMemPoolGetAttribute(pool, attribute, place)), CUresult::SUCCESS);
    value
}

fn set(scene: &Scene, pool: CUmemoryPool, attribute: Attribute, mut value: u64) -> CUresult {
    call!(scene.cuda, cuMemPoolSetAttribute(pool, attribute, from_mut(&mut value).cast()))
}

fn properties(max: usize) -> CUmemPoolProps {
    CUmemPoolProps {
        allocType: CUmemAllocationType::PINNED,
        handleTypes: CUmemAllocationHandleType::NONE,
        location: CUmemLocation { kind: CUmemLocationType::DEVICE, id: 0 },
        win32SecurityAttributes: null_mut(),
        maxSize: max,
        usage: 0,
        gpuDirectRDMACapable: 0,
        reserved: [0; 53],
    }
}

#[test]
fn memory_of_a_pool_is_reserved_in_steps_and_goes_back_at_a_synchronisation() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let pool: CUmemoryPool = get!(scene.cuda, cuDeviceGetDefaultMemPool(_, 0));
        assert_eq!(get!(scene.cuda, cuDeviceGetMemPool(_, 0)), pool);
        let address: u64 = get!(scene.cuda, cuMemAllocAsync(_, MIB, DEFAULT));
        assert_eq!(amount(&scene, pool, Attribute::RESERVED_MEM_CURRENT), STEP);
        assert_eq!(amount(&scene, pool, Attribute::USED_MEM_CURRENT), MIB as u64);
        assert_eq!(call!(scene.cuda, cuMemsetD8_v2(address, 7, MIB)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemFreeAsync(address, DEFAULT)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemFreeAsync(address, DEFAULT)), CUresult::INVALID_VALUE);
        assert_eq!(scene.truth().pooled.0, STEP, "nobody has synchronised yet");
        assert_eq!(call!(scene.cuda, cuStreamSynchronize(DEFAULT)), CUresult::SUCCESS);
        assert_eq!((scene.truth().pooled.0, scene.truth().pooled_peak.0), (0, STEP));
        assert_eq!(amount(&scene, pool, Attribute::RESERVED_MEM_HIGH), STEP);
        assert_eq!(set(&scene, pool, Attribute::RESERVED_MEM_HIGH, 5), CUresult::INVALID_VALUE);
        assert_eq!(set(&scene, pool, Attribute::RESERVED_MEM_HIGH, 0), CUresult::SUCCESS);
        assert_eq!(amount(&scene, pool, Attribute::RESERVED_MEM_HIGH), 0);
    });
}

#[test]
fn a_pool_keeps_its_threshold_and_is_trimmed_on_request() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let pool: CUmemoryPool = get!(scene.cuda, cuDeviceGetDefaultMemPool(_, 0));
        assert_eq!(amount(&scene, pool, Attribute::RELEASE_THRESHOLD), 0);
        assert_eq!(set(&scene, pool, Attribute::RELEASE_THRESHOLD, u64::MAX), CUresult::SUCCESS);
        let address: u64 = get!(scene.cuda, cuMemAllocAsync(_, MIB, DEFAULT));
        assert_eq!(call!(scene.cuda, cuMemFreeAsync(address, DEFAULT)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::SUCCESS);
        assert_eq!(scene.truth().pooled.0, STEP);
        assert_eq!(get!(scene.cuda, cuMemAllocAsync(_, MIB, DEFAULT)), address, "used again");
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemPoolTrimTo(pool, 0)), CUresult::SUCCESS);
        assert_eq!(scene.truth().pooled.0, 0);
    });
}

#[test]
fn a_pool_of_the_program_serves_its_device_when_it_is_current() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let default: CUmemoryPool = get!(scene.cuda, cuDeviceGetDefaultMemPool(_, 0));
        let wanted = properties(0);
        let pool: CUmemoryPool = get!(scene.cuda, cuMemPoolCreate(_, &raw const wanted));
        assert_eq!(call!(scene.cuda, cuDeviceSetMemPool(0, pool)), CUresult::SUCCESS);
        let address: u64 = get!(scene.cuda, cuMemAllocAsync(_, MIB, DEFAULT));
        assert_eq!(amount(&scene, pool, Attribute::USED_MEM_CURRENT), MIB as u64);
        let mut told = 0_u64;
        let place = from_mut(&mut told).cast();
        let asked = cuda_sys::CUpointer_attribute::MEMPOOL_HANDLE;
        assert_eq!(call!(scene.cuda, cuPointerGetAttribute(place, asked, address)), CUresult::SUCCESS);
        assert_eq!(told, pool.0.addr() as u64);
        assert_eq!(call!(scene.cuda, cuMemPoolDestroy(default)), CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuMemPoolDestroy(pool)), CUresult::SUCCESS);
        assert_eq!(get!(scene.cuda, cuDeviceGetMemPool(_, 0)), default);
        assert_eq!(scene.truth().pooled.0, STEP, "something of it is still used");
        assert_eq!(call!(scene.cuda, cuMemFreeAsync(address, DEFAULT)), CUresult::SUCCESS);
        assert_eq!(scene.truth().pooled.0, 0);
    });
}

#[test]
fn a_pool_is_no_larger_than_it_may_be_and_those_of_a_fabric_are_not_supported() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (mut wanted, mut address) = (properties(32 * MIB), 5);
        let pool: CUmemoryPool = get!(scene.cuda, cuMemPoolCreate(_, &raw const wanted));
        let code = call!(scene.cuda, cuMemAllocFromPoolAsync(&raw mut address, 33 * MIB, pool, DEFAULT));
        assert_eq!((code, address), (CUresult::OUT_OF_MEMORY, 5));
        let _: u64 = get!(scene.cuda, cuMemAllocFromPoolAsync(_, 32 * MIB, pool, DEFAULT));
        wanted.handleTypes = CUmemAllocationHandleType::FABRIC;
        let mut shared = CUmemoryPool(null_mut());
        let code = call!(scene.cuda, cuMemPoolCreate(&raw mut shared, &raw const wanted));
        assert_eq!(code, CUresult::NOT_SUPPORTED);
    });
}

#[test]
fn memory_that_a_pool_gave_back_is_empty_when_it_comes_again() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        for _ in 0..3 {
            let address: u64 = get!(scene.cuda, cuMemAllocAsync(_, MIB, DEFAULT));
            let mut byte = 1_u8;
            let place = from_mut(&mut byte).cast();
            assert_eq!(call!(scene.cuda, cuMemcpyDtoH_v2(place, address, 1)), CUresult::SUCCESS);
            assert_eq!(byte, 0);
            assert_eq!(call!(scene.cuda, cuMemsetD8_v2(address, 7, MIB)), CUresult::SUCCESS);
            assert_eq!(call!(scene.cuda, cuMemFreeAsync(address, DEFAULT)), CUresult::SUCCESS);
            assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::SUCCESS);
        }
    });
}

#[test]
fn linear_memory_may_be_freed_in_a_stream() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let address: u64 = get!(scene.cuda, cuMemAlloc_v2(_, MIB));
        assert_eq!(call!(scene.cuda, cuMemFreeAsync(address, DEFAULT)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuStreamSynchronize(DEFAULT)), CUresult::SUCCESS);
        assert_eq!(scene.truth().requested.0, 0);
        assert_eq!(call!(scene.cuda, cuMemFreeAsync(0, DEFAULT)), CUresult::INVALID_VALUE);
    });
}

/// `CU_MEM_LOCATION_TYPE_HOST`, or a node of it.
fn on_host(kind: CUmemLocationType) -> CUmemLocation {
    CUmemLocation { kind, id: 0 }
}

#[test]
fn pools_of_host_memory_take_nothing_of_a_device() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let wanted = CUmemPoolProps { location: on_host(CUmemLocationType::HOST), ..properties(MIB) };
        let pool: CUmemoryPool = get!(scene.cuda, cuMemPoolCreate(_, &raw const wanted));
        let mut address: u64 = get!(scene.cuda, cuMemAllocFromPoolAsync(_, MIB, pool, DEFAULT));
        assert_eq!(amount(&scene, pool, Attribute::RESERVED_MEM_CURRENT), MIB as u64);
        let truth = scene.truth();
        assert_eq!((truth.pooled.0, truth.resident), (0, truth.overhead));
        let kept = address;
        let code = call!(scene.cuda, cuMemAllocFromPoolAsync(&raw mut address, 1, pool, DEFAULT));
        assert_eq!((code, address), (CUresult::OUT_OF_MEMORY, kept));
        let mut told = 0_u32;
        let asked = cuda_sys::CUpointer_attribute::MEMORY_TYPE;
        let code = call!(scene.cuda, cuPointerGetAttribute(from_mut(&mut told).cast(), asked, address));
        assert_eq!((code, told), (CUresult::SUCCESS, cuda_sys::CUmemorytype::HOST.0));
        assert_eq!(call!(scene.cuda, cuMemFreeAsync(address, DEFAULT)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemFreeAsync(address, DEFAULT)), CUresult::INVALID_VALUE);
        assert_eq!(amount(&scene, pool, Attribute::RESERVED_MEM_CURRENT), 0);
        assert_eq!(amount(&scene, pool, Attribute::USED_MEM_HIGH), MIB as u64);
        let address: u64 = get!(scene.cuda, cuMemAllocFromPoolAsync(_, MIB, pool, DEFAULT));
        assert_eq!(call!(scene.cuda, cuMemPoolDestroy(pool)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::SUCCESS);
    });
}

#[test]
fn places_of_the_host_have_pools_of_their_own() {
    Play::newest().run(|scene| {
        let (scene, _) = scene.with_context();
        let pinned = CUmemAllocationType::PINNED;
        let default = |kind| -> CUmemoryPool {
            let mut location = on_host(kind);
            get!(scene.cuda, cuMemGetDefaultMemPool(_, from_mut(&mut location), pinned))
        };
        let current = |kind| -> CUmemoryPool {
            let mut location = on_host(kind);
            get!(scene.cuda, cuMemGetMemPool(_, from_mut(&mut location), pinned))
        };
        let (host, node) = (CUmemLocationType::HOST, CUmemLocationType::HOST_NUMA);
        let device: CUmemoryPool = get!(scene.cuda, cuDeviceGetDefaultMemPool(_, 0));
        assert_eq!(default(CUmemLocationType::DEVICE), device);
        assert_eq!((default(host), default(node)), (current(host), current(node)));
        assert_ne!(default(host), default(node));
        let wanted = CUmemPoolProps { location: on_host(node), ..properties(0) };
        let pool: CUmemoryPool = get!(scene.cuda, cuMemPoolCreate(_, &raw const wanted));
        let mut location = on_host(node);
        assert_eq!(
            call!(scene.cuda, cuMemSetMemPool(from_mut(&mut location), pinned, pool)),
            CUresult::SUCCESS
        );
        let code = call!(scene.cuda, cuMemSetMemPool(from_mut(&mut location), pinned, device));
        assert_eq!((code, current(node)), (CUresult::INVALID_VALUE, pool));
        assert_eq!(call!(scene.cuda, cuMemPoolDestroy(default(node))), CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuMemPoolDestroy(pool)), CUresult::SUCCESS);
        assert_eq!(current(node), default(node));
    });
}
