//! What is told of memory, and that it is the machine's truth.

use cuda_sys::{nvmlBAR1Memory_t, nvmlMemory_t, nvmlMemory_v2_t, nvmlReturn_t};
use sim_kernel::{AllocationRequest, Bytes, DeviceIndex, Kind};

use crate::nvml::call;
use crate::scene::{Scene, play};

const MIB: u64 = 1 << 20;

fn first_form(scene: &Scene, index: u32) -> nvmlMemory_t {
    let mut memory = nvmlMemory_t::default();
    let answer = call!(scene.nvml, nvmlDeviceGetMemoryInfo(scene.nvml.device(index), &raw mut memory));
    assert_eq!(answer, nvmlReturn_t::SUCCESS);
    memory
}

fn second_form(scene: &Scene, index: u32) -> nvmlMemory_v2_t {
    let mut memory = nvmlMemory_v2_t { version: nvmlMemory_v2_t::VERSION, ..nvmlMemory_v2_t::default() };
    let answer = call!(scene.nvml, nvmlDeviceGetMemoryInfo_v2(scene.nvml.device(index), &raw mut memory));
    assert_eq!(answer, nvmlReturn_t::SUCCESS);
    memory
}

#[test]
fn the_default_card_has_81559_mib_and_both_forms_agree() {
    play(1, |scene| {
        let scene = scene.initialised();
        let (first, second) = (first_form(&scene, 0), second_form(&scene, 0));
        assert_eq!(first.total, 81_559 * MIB);
        assert_eq!(first.used + first.free, first.total);
        assert_eq!(second.version, 0x0200_0028);
        assert_eq!((second.total, second.free), (first.total, first.free));
        assert!(second.reserved > 0);
        assert_eq!(second.used + second.reserved, first.used);
    });
}

#[test]
fn memory_of_a_context_and_an_allocation_is_seen_on_its_device_only_and_then_gone() {
    play(2, |scene| {
        let scene = scene.initialised();
        let before = (first_form(&scene, 0), first_form(&scene, 1));
        let client = scene.connect(Kind::Cuda);
        let context = client.create_context(DeviceIndex(1)).unwrap();
        assert_eq!(first_form(&scene, 1).used - before.1.used, 426 * MIB);
        client.allocate(context.id, AllocationRequest::Linear { bytes: Bytes::from_gib(1) }).unwrap();
        assert_eq!(first_form(&scene, 1).used - before.1.used, 1_450 * MIB);
        assert_eq!(second_form(&scene, 1).used, 1_450 * MIB);
        assert_eq!(first_form(&scene, 0), before.0);
        client.destroy_context(context.id).unwrap();
        assert_eq!(first_form(&scene, 1), before.1);
    });
}

#[test]
fn a_structure_of_another_version_is_refused_and_left_alone() {
    play(1, |scene| {
        let scene = scene.initialised();
        for version in [0, 40, 2, nvmlMemory_v2_t::VERSION + 1, 1 << 24 | 40] {
            let asked = nvmlMemory_v2_t { version, ..nvmlMemory_v2_t::default() };
            let mut memory = asked;
            let answer = call!(scene.nvml, nvmlDeviceGetMemoryInfo_v2(scene.nvml.device(0), &raw mut memory));
            assert_eq!((answer, memory), (nvmlReturn_t::ARGUMENT_VERSION_MISMATCH, asked), "{version:#x}");
        }
    });
}

#[test]
fn the_window_of_the_cpu_is_a_power_of_two_that_holds_the_memory() {
    play(1, |scene| {
        let scene = scene.initialised();
        let mut memory = nvmlBAR1Memory_t::default();
        let answer = call!(scene.nvml, nvmlDeviceGetBAR1MemoryInfo(scene.nvml.device(0), &raw mut memory));
        assert_eq!(answer, nvmlReturn_t::SUCCESS);
        assert_eq!(memory.bar1Total, 131_072 * MIB);
        assert_eq!(memory.bar1Used + memory.bar1Free, memory.bar1Total);
    });
}
