//! `vgpu limits`: what the slices may hold, shown, and changed while they run.

mod change;
mod find;

use monitor::slices::{Limit, Slice, SliceGpu};

use crate::args::LimitsArgs;
use crate::failure::Failure;
use crate::ps::json;
use crate::say::{print, print_json, say, warn};
use crate::show::{Align, Seen, Table, Watch, columns, gpu_label, label};

/// Shows the limits, after changing them where that is asked for.
pub(crate) fn limits(args: &LimitsArgs) -> Result<(), Failure> {
    let mut watch = Watch::default();
    let Seen { slices, faults } = watch.look();
    faults.iter().for_each(warn);
    let Some(wanted) = &args.slice else { return show(args, &slices) };
    let slice = find::slice(wanted, &slices)?;
    let gpus = find::gpus(args.gpu.as_deref(), slice)?;
    if !args.is_change() {
        return show(args, std::slice::from_ref(&only(slice, &gpus)));
    }
    change::change(args, slice, &gpus)?;
    // What it holds may be another amount by now.
    let Seen { slices, .. } = watch.look();
    let slice = slices.iter().find(|now| now.name == slice.name).unwrap_or(slice);
    let gpus = find::gpus(args.gpu.as_deref(), slice)?;
    change::warnings(args, slice, &gpus).iter().for_each(warn);
    show(args, std::slice::from_ref(&only(slice, &gpus)))
}

/// `slice` with those of its GPUs alone that are asked for.
fn only(slice: &Slice, gpus: &[&SliceGpu]) -> Slice {
    let mut shown = slice.clone();
    let is_asked_for = |gpu: &SliceGpu| gpus.iter().any(|asked| asked.uuid == gpu.uuid);
    for process in &mut shown.processes {
        let mut places = slice.gpus.iter();
        process.usage.retain(|_| places.next().is_some_and(is_asked_for));
    }
    shown.gpus.retain(is_asked_for);
    shown
}

fn show(args: &LimitsArgs, slices: &[Slice]) -> Result<(), Failure> {
    if args.json {
        return print_json(&json::document(slices));
    }
    if slices.is_empty() {
        say("no slice of this user is running; start one with vgpu run --memory SIZE -- COMMAND");
        return Ok(());
    }
    print(&(table(slices).lines(columns()).join("\n") + "\n"))
}

fn table(slices: &[Slice]) -> Table<6> {
    let mut table = Table::new([
        ("SLICE", Align::Left),
        ("GPU", Align::Left),
        ("LIMIT", Align::Right),
        ("USED", Align::Right),
        ("PEAK", Align::Right),
        ("CORES", Align::Right),
    ]);
    for slice in slices {
        slice.gpus.iter().for_each(|gpu| table.row(cells(slice, gpu)));
    }
    table
}

fn cells(slice: &Slice, gpu: &SliceGpu) -> [String; 6] {
    let limit = match gpu.limit {
        Limit::Bytes(bytes) => bytes.human().to_string(),
        Limit::Unlimited => "none".to_owned(),
        Limit::Unknown => "?".to_owned(),
    };
    let cores = gpu.cores.map_or_else(|| "-".to_owned(), |share| format!("{} %", share.get()));
    let (used, peak) = (gpu.used.human().to_string(), gpu.peak.human().to_string());
    [label(slice), gpu_label(gpu), limit, used, peak, cores]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::samples::slices;

    #[test]
    fn a_line_for_each_gpu_of_each_slice() {
        let text = table(&slices()).lines(usize::MAX).join("\n") + "\n";
        assert_eq!(text, include_str!("golden/table.txt"));
    }

    #[test]
    fn of_one_gpu_only_what_is_held_there_is_shown() {
        let slice = &slices()[0];
        let shown = only(slice, &[&slice.gpus[1]]);
        assert_eq!(shown.gpus, slice.gpus[1..]);
        assert_eq!(shown.processes[0].usage, slice.processes[0].usage[1..]);
    }
}
