//! The internal table of nvidia-smi, on management libraries of branches that are and are not known.

use crate::compile;
use crate::run::{Run, Said};
use crate::scratch::Scratch;

/// Bytes of a table with all slots that are known, and some more.
const WHOLE: usize = 0x7d8;

/// What the table is on a library of this version and table size, run so.
fn table(version: &str, size: usize, around: impl FnOnce(Run) -> Run) -> Said {
    let scratch = Scratch::new();
    let flags = [format!("-DVERSION={version}"), format!("-DSIZE={size}")];
    compile::library(scratch.path(), "libnvidia-ml.so.1", "nvml_with_table.c", &[&flags[0], &flags[1]]);
    let program = compile::program(scratch.path(), "internal_table.c", &[]);
    let region = scratch.path().join("region");
    let run =
        Run::preloaded(program).libraries(scratch.path()).env("CUDA_DEVICE_MEMORY_SHARED_CACHE", region);
    around(run).said()
}

/// As above, in a slice and in silence.
fn in_slice(version: &str, size: usize) -> String {
    let said = table(version, size, |run| run.env("CUDA_DEVICE_MEMORY_LIMIT", "1g"));
    assert_eq!((&*said.errors, &*said.status), ("", "exit status: 0"), "{version} {size}");
    said.output
}

/// The driver's own table.
fn native(size: usize) -> String {
    let slots = [26, 72, 81, 145, 213, 214, 215, 216].map(|slot| format!("slot {slot}: libnvidia-ml.so.1\n"));
    format!(
        "size: {size}\nanother table: libnvidia-ml.so.1\nagain: the same\n{}samples: 77\n",
        slots.concat()
    )
}

/// A copy in which what tells of processes is ours.
fn patched(samples: u32) -> String {
    let of = |slot: u32, library: &str| format!("slot {slot}: {library}\n");
    let ours = |slot: &u32| of(*slot, "libvgpu.so");
    let theirs = |slot: &u32| of(*slot, "libnvidia-ml.so.1");
    let slots: Vec<String> =
        [[26, 72, 81].iter().map(theirs).collect(), [145, 213, 214, 215].iter().map(ours).collect()]
            .into_iter()
            .chain([theirs(&216)])
            .collect();
    format!(
        "size: {WHOLE}\nanother table: libnvidia-ml.so.1\nagain: the same\n{}samples: {samples}\n",
        slots.concat()
    )
}

const EMPTY: &str = "size: 8\nanother table: libnvidia-ml.so.1\nagain: the same\n";

#[test]
fn known_branches_get_a_copy_with_the_slices_processes() {
    for version in ["535.309.01", "550.163.01"] {
        assert_eq!(in_slice(version, WHOLE), patched(77), "{version}: samples are the driver's, filtered");
    }
    assert_eq!(in_slice("580.65.06", WHOLE), patched(3), "the form of a sample is not known");
}

#[test]
fn an_unknown_branch_or_size_gets_a_table_without_processes_rather_than_other_peoples() {
    for version in ["470.256.02", "545.29.06", "999.1"] {
        assert_eq!(in_slice(version, WHOLE), EMPTY, "{version}");
    }
    for size in [8, 0x6b8, WHOLE + 4, 1 << 20] {
        assert_eq!(in_slice("550.163.01", size), EMPTY, "{size}");
    }
}

#[test]
fn the_drivers_table_stays_without_a_slice_and_when_it_is_switched_off() {
    for version in ["550.163.01", "999.1"] {
        assert_eq!(table(version, WHOLE, |run| run).output, native(WHOLE), "{version}");
        let off = |run: Run| run.env("CUDA_DEVICE_MEMORY_LIMIT", "1g").env("VGPU_NVIDIA_SMI_TABLE", "off");
        assert_eq!(table(version, WHOLE, off).output, native(WHOLE), "{version}");
    }
}

#[test]
fn a_switch_that_is_neither_on_nor_off_is_named_once_and_hides_others() {
    let said = table("550.163.01", WHOLE, |run| {
        run.env("CUDA_DEVICE_MEMORY_LIMIT", "1g").env("VGPU_NVIDIA_SMI_TABLE", "no")
    });
    assert_eq!(said.output, patched(77));
    assert_eq!(said.errors, "vgpu: VGPU_NVIDIA_SMI_TABLE=no is neither `on` nor `off`; taken as `on`\n");
}
