//! The internal table, as nvidia-smi uses it.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr;

use cuda_sys::{CUuuid, nvmlDevice_t, nvmlReturn_t};
use sim_kernel::{DeviceIndex, Kind};

use crate::nvml::call;
use crate::scene::{Scene, play};

static TABLE: CUuuid = CUuuid {
    bytes: [0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e, 0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4],
};

/// As nvidia-smi has it: 4128 bytes, which the field at the end makes it.
#[repr(C)]
struct Entry {
    pid: c_uint,
    used: u64,
    instances: [c_uint; 2],
    protected: u64,
    name: [c_char; 4096],
}

type ListProcesses = unsafe extern "C" fn(nvmlDevice_t, *mut c_uint, *mut Entry) -> nvmlReturn_t;
type Anything = unsafe extern "C" fn(nvmlDevice_t, *mut c_uint) -> nvmlReturn_t;

fn table(scene: &Scene) -> Vec<*const c_void> {
    let mut place = ptr::null();
    let answer = call!(scene.nvml, nvmlInternalGetExportTable(&raw mut place, &raw const TABLE));
    assert_eq!(answer, nvmlReturn_t::SUCCESS);
    let words: *const *const c_void = place.cast();
    // SAFETY: the first word is the size of the table in bytes.
    let bytes = unsafe { words.read() }.addr();
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts(words, bytes / size_of::<usize>()) }.to_vec()
}

fn lists(scene: &Scene, slot: usize) -> ListProcesses {
    // SAFETY: the slots of the lists have this type.
    unsafe { std::mem::transmute::<*const c_void, ListProcesses>(table(scene)[slot]) }
}

#[test]
fn the_table_has_the_size_of_the_branch_and_is_there_before_an_initialisation() {
    play(1, |scene| {
        let bytes = if scene.branch == "535" { 0x7a8 } else { 0x7d8 };
        assert_eq!(table(&scene).len() * size_of::<usize>(), bytes);
    });
}

#[test]
fn another_table_does_not_exist() {
    play(1, |scene| {
        let mut place = ptr::dangling();
        let other = CUuuid { bytes: [7; 16] };
        let answer = call!(scene.nvml, nvmlInternalGetExportTable(&raw mut place, &raw const other));
        assert_eq!((answer, place), (nvmlReturn_t::INVALID_ARGUMENT, ptr::null()));
        let answer = call!(scene.nvml, nvmlInternalGetExportTable(&raw mut place, ptr::null()));
        assert_eq!(answer, nvmlReturn_t::INVALID_ARGUMENT);
    });
}

#[test]
fn its_lists_name_the_processes() {
    play(1, |scene| {
        assert_eq!(size_of::<Entry>(), 4128);
        let scene = scene.initialised();
        let client = scene.connect(Kind::Cuda);
        client.create_context(DeviceIndex(0)).unwrap();
        let device = scene.nvml.device(0);
        let mut count = 2;
        let mut entries: [Entry; 2] = std::array::from_fn(|_| Entry {
            pid: 0,
            used: 0,
            instances: [0; 2],
            protected: 0,
            name: [0; 4096],
        });
        // SAFETY: there is room for as many entries as stated.
        let answer = unsafe { lists(&scene, 213)(device, &raw mut count, entries.as_mut_ptr()) };
        assert_eq!((answer, count), (nvmlReturn_t::SUCCESS, 1));
        assert_eq!((entries[0].pid, entries[0].used), (std::process::id(), 426 << 20));
        assert_eq!(entries[0].instances, [u32::MAX; 2]);
        // SAFETY: the library ends what it writes.
        let name = unsafe { CStr::from_ptr(entries[0].name.as_ptr()) };
        assert_eq!(name.to_str().ok(), std::env::args().next().as_deref());
        for slot in [214, 215] {
            count = 2;
            // SAFETY: as above.
            let answer = unsafe { lists(&scene, slot)(device, &raw mut count, entries.as_mut_ptr()) };
            assert_eq!((answer, count), (nvmlReturn_t::SUCCESS, 0), "slot {slot}");
        }
    });
}

#[test]
fn a_slot_that_nobody_knows_is_not_supported() {
    play(1, |scene| {
        let scene = scene.initialised();
        let mut answer = 7;
        for slot in [1, 165, 209, 244] {
            // SAFETY: these slots look at no argument.
            let function = unsafe { std::mem::transmute::<*const c_void, Anything>(table(&scene)[slot]) };
            // SAFETY: as above.
            let code = unsafe { function(scene.nvml.device(0), &raw mut answer) };
            assert_eq!((code, answer), (nvmlReturn_t::NOT_SUPPORTED, 7), "slot {slot}");
        }
    });
}
