//! Device memory.

use cuda_sys::CUresult;

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const MIB: usize = 1 << 20;

fn allocate(scene: &Scene, bytes: usize) -> u64 {
    get!(scene.cuda, cuMemAlloc_v2(_, bytes))
}

/// Free and total, in bytes.
fn info(scene: &Scene) -> (usize, usize) {
    let (mut free, mut total) = (0, 0);
    assert_eq!(call!(scene.cuda, cuMemGetInfo_v2(&raw mut free, &raw mut total)), CUresult::SUCCESS);
    (free, total)
}

#[test]
fn memory_is_taken_in_chunks_and_small_allocations_share_one() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (before, total) = info(&scene);
        assert_eq!((before, total), ((81_000 - 426) * MIB, 81_000 * MIB));
        let small = [allocate(&scene, 1), allocate(&scene, 1000)];
        assert_eq!(info(&scene).0, before - 2 * MIB);
        assert_eq!(small[1], small[0] + 512);
        let large = allocate(&scene, 2 * MIB + 1);
        assert_eq!(info(&scene).0, before - 6 * MIB);
        assert!(large.is_multiple_of(2 * MIB as u64));
        for address in [small[0], large, small[1]] {
            assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::SUCCESS);
        }
        assert_eq!(info(&scene).0, before);
        assert_eq!(scene.truth().requested_peak.0, 1 + 1000 + 2 * MIB as u64 + 1);
    });
}

#[test]
fn what_does_not_fit_is_refused_and_the_output_left_alone() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (free, _) = info(&scene);
        let whole = allocate(&scene, free);
        let mut address = 5;
        for bytes in [1, free, usize::MAX] {
            let code = call!(scene.cuda, cuMemAlloc_v2(&raw mut address, bytes));
            assert_eq!((code, address), (CUresult::OUT_OF_MEMORY, 5), "{bytes}");
        }
        assert_eq!(call!(scene.cuda, cuMemFree_v2(whole)), CUresult::SUCCESS);
        allocate(&scene, 1);
    });
}

#[test]
fn sizes_and_outputs_are_checked() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let mut address = 5;
        assert_eq!(call!(scene.cuda, cuMemAlloc_v2(&raw mut address, 0)), CUresult::INVALID_VALUE);
        let nowhere = std::ptr::null_mut();
        assert_eq!(call!(scene.cuda, cuMemAlloc_v2(nowhere, 1)), CUresult::INVALID_VALUE);
        assert_eq!((address, scene.truth().granted), (5, 0));
    });
}

#[test]
fn only_the_address_of_an_allocation_can_be_freed_and_only_once() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let address = allocate(&scene, MIB);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(0)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address + 512)), CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(0xdead_0000)), CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::INVALID_VALUE);
    });
}

#[test]
fn a_freed_address_is_the_next_one_to_be_given() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let first = allocate(&scene, 4 * MIB);
        let second = allocate(&scene, 4 * MIB);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(first)), CUresult::SUCCESS);
        assert_eq!(allocate(&scene, 2 * MIB), first);
        assert!(second > first);
    });
}

#[test]
fn memory_of_one_context_is_freed_from_another_and_goes_with_its_own() {
    Play::new().run(|scene| {
        let (scene, first) = scene.with_context();
        let address = allocate(&scene, 4 * MIB);
        let other = allocate(&scene, 4 * MIB);
        scene.create_context(0);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(first)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemFree_v2(other)), CUresult::INVALID_VALUE);
        assert_eq!(scene.truth().requested.0, 0);
    });
}

#[test]
fn rows_are_as_far_apart_as_the_pitch_says() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let mut pitch = 0;
        let address: u64 = get!(scene.cuda, cuMemAllocPitch_v2(_, &raw mut pitch, 1000, 300, 4));
        assert_eq!(pitch, 1024);
        let (mut base, mut size) = (0, 0);
        let last = address + 1024 * 300 - 1;
        let code = call!(scene.cuda, cuMemGetAddressRange_v2(&raw mut base, &raw mut size, last));
        assert_eq!((code, base, size), (CUresult::SUCCESS, address, 1024 * 300));
        let mut nothing = 0;
        for (row, rows, element) in [(0, 1, 4), (1, 0, 4), (1, 1, 3)] {
            let code =
                call!(scene.cuda, cuMemAllocPitch_v2(&raw mut nothing, &raw mut pitch, row, rows, element));
            assert_eq!((code, nothing), (CUresult::INVALID_VALUE, 0));
        }
        let code = call!(scene.cuda, cuMemAllocPitch_v2(&raw mut nothing, &raw mut pitch, usize::MAX, 3, 4));
        assert!(matches!(code, CUresult::OUT_OF_MEMORY | CUresult::INVALID_VALUE), "{code:?}");
    });
}

#[test]
fn addresses_of_the_32_bit_era_fit_32_bits_and_can_be_used_like_others() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let large = allocate(&scene, 100);
        assert!(large > u64::from(u32::MAX));
        let address: u32 = get!(scene.cuda, cuMemAlloc(_, 100));
        let mut pitch = 0_u32;
        let rows: u32 = get!(scene.cuda, cuMemAllocPitch(_, &raw mut pitch, 10, 10, 4));
        assert_eq!(pitch, 512);
        let text = *b"thirty-two";
        let mut back = [0_u8; 10];
        assert_eq!(call!(scene.cuda, cuMemcpyHtoD(address, text.as_ptr().cast(), 10)), CUresult::SUCCESS);
        let from = u64::from(address);
        let code = call!(scene.cuda, cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), from, 10));
        assert_eq!((code, back), (CUresult::SUCCESS, text));
        for address in [address, rows] {
            assert_eq!(call!(scene.cuda, cuMemFree(address)), CUresult::SUCCESS);
        }
        assert_eq!(scene.truth().requested.0, 100);
    });
}

#[test]
fn memory_needs_a_context_and_either_figure_may_be_unwanted() {
    Play::new().run(|scene| {
        let scene = scene.initialised();
        let (mut free, mut total) = (7, 7);
        let none = std::ptr::null_mut();
        assert_eq!(call!(scene.cuda, cuMemGetInfo_v2(&raw mut free, none)), CUresult::INVALID_CONTEXT);
        let mut address = 7;
        assert_eq!(call!(scene.cuda, cuMemAlloc_v2(&raw mut address, 1)), CUresult::INVALID_CONTEXT);
        assert_eq!((free, address), (7, 7));
        scene.create_context(0);
        assert_eq!(call!(scene.cuda, cuMemGetInfo_v2(none, &raw mut total)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemGetInfo_v2(&raw mut free, none)), CUresult::SUCCESS);
        assert_eq!((free, total), ((81_000 - 426) * MIB, 81_000 * MIB));
    });
}

#[test]
fn the_host_faults_at_a_device_address() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let address = allocate(&scene, 4096);
        let mut ends = [0; 2];
        // SAFETY: makes a pipe.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
        let pointer = std::ptr::with_exposed_provenance(usize::try_from(address).unwrap());
        // SAFETY: the kernel reads the memory and reports a fault as an error.
        let written = unsafe { libc::write(ends[1], pointer, 1) };
        let error = std::io::Error::last_os_error().raw_os_error();
        assert_eq!((written, error), (-1, Some(libc::EFAULT)));
    });
}
