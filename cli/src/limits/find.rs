//! Which slice and which of its GPUs the arguments mean.

use monitor::slices::{Slice, SliceGpu};

use crate::failure::Failure;
use crate::run::is_meant;
use crate::show::{escaped, gpu_label, label};

/// The slice that `wanted` names: in full, as `vgpu ps` shows it, or by the process id of its `vgpu run`.
pub(super) fn slice<'a>(wanted: &str, slices: &'a [Slice]) -> Result<&'a Slice, Failure> {
    if let Some(slice) = slices.iter().find(|slice| slice.name == wanted) {
        return Ok(slice);
    }
    let is_its_pid = |slice: &Slice| slice.supervisor.is_some_and(|pid| pid.to_string() == wanted);
    let matches: Vec<&Slice> =
        slices.iter().filter(|slice| label(slice) == wanted || is_its_pid(slice)).collect();
    match matches.as_slice() {
        [slice] => Ok(slice),
        [] if slices.is_empty() => Err(Failure::usage(format_args!(
            "there is no slice {wanted}, as none of this user is running; start one with vgpu run"
        ))),
        [] => Err(Failure::usage(format_args!(
            "there is no slice {wanted}, or it has ended; running: {}",
            list(slices.iter().map(label))
        ))),
        several => Err(Failure::usage(format_args!(
            "{wanted} may be {}; write the whole name",
            list(several.iter().map(|slice| escaped(&slice.name)))
        ))),
    }
}

/// Those of the slice's GPUs that `wanted` names; all of them if it names none.
pub(super) fn gpus<'a>(wanted: Option<&str>, slice: &'a Slice) -> Result<Vec<&'a SliceGpu>, Failure> {
    let Some(wanted) = wanted else { return Ok(slice.gpus.iter().collect()) };
    let matches: Vec<&SliceGpu> =
        slice.gpus.iter().filter(|gpu| is_meant(wanted, gpu.index, gpu.uuid)).collect();
    match matches.as_slice() {
        [_] => Ok(matches),
        [] => Err(Failure::usage(format_args!(
            "--gpu {wanted}: slice {} has no such GPU; it has {}",
            label(slice),
            list(slice.gpus.iter().map(gpu_label))
        ))),
        several => Err(Failure::usage(format_args!(
            "--gpu {wanted} may be {}; write more of the UUID",
            list(several.iter().map(|gpu| gpu_label(gpu)))
        ))),
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::samples::slices;

    #[test]
    fn a_slice_by_its_name_its_short_name_or_its_supervisor() {
        let slices = slices();
        for wanted in ["run-4711-0000000000000001", "run-4711", "4711"] {
            assert_eq!(slice(wanted, &slices).expect(wanted).supervisor, Some(4711));
        }
        assert_eq!(slice("vgpu-1000-4026531841", &slices).expect("by its file").supervisor, None);
    }

    #[test]
    fn an_unknown_slice_is_named_beside_those_there_are() {
        let error = |wanted, slices: &[Slice]| slice(wanted, slices).expect_err(wanted).to_string();
        assert_eq!(
            error("run-1", &slices()),
            "there is no slice run-1, or it has ended; running: run-4711, run-4720, run-4730, vgpu-1000-4026531841"
        );
        assert!(error("run-1", &[]).ends_with("none of this user is running; start one with vgpu run"));
        let mut twice = slices();
        twice.extend(slices());
        twice[4].name = "run-4711-0000000000000009".to_owned();
        assert_eq!(
            error("run-4711", &twice),
            "run-4711 may be run-4711-0000000000000001, run-4711-0000000000000009; write the whole name"
        );
    }

    #[test]
    fn a_gpu_by_its_index_or_uuid() {
        let slice = &slices()[0];
        let index =
            |wanted| gpus(wanted, slice).map(|gpus| gpus.iter().map(|gpu| gpu.index).collect::<Vec<_>>());
        assert_eq!(index(None), Ok(vec![Some(0), Some(1)]));
        assert_eq!(index(Some("1")), Ok(vec![Some(1)]));
        assert_eq!(index(Some("GPU-a0")), Ok(vec![Some(0)]));
        let error = |wanted| index(Some(wanted)).expect_err(wanted).to_string();
        assert_eq!(
            error("7"),
            "--gpu 7: slice run-4711 has no such GPU; it has 0 GPU-a0a0a0a0, 1 GPU-a1a1a1a1"
        );
        assert_eq!(error("a"), "--gpu a may be 0 GPU-a0a0a0a0, 1 GPU-a1a1a1a1; write more of the UUID");
    }
}
