//! `vgpu limits`: what the slices may hold, shown, and changed while they run.

mod change;
mod find;

use contract::env::Priority;
use contract::limits_page::SharePolicy;
use monitor::slices::{Limit, Slice, SliceGpu};

use crate::args::LimitsArgs;
use crate::failure::Failure;
use crate::ps::{compute, json};
use crate::say::{print, print_json, say, warn};
use crate::show::{Align, Seen, Table, Watch, columns, gpu_label, label, unsupervised};

/// Shows the limits, after changing them where that is asked for.
pub(crate) fn limits(args: &LimitsArgs) -> Result<(), Failure> {
    let mut watch = Watch::default();
    // A change is not kept waiting; what is shown after it is looked at for long enough.
    let Seen { slices, faults } = if args.is_change() { watch.look() } else { watch.look_once() };
    faults.iter().for_each(warn);
    let Some(wanted) = &args.slice else { return show(args, &slices) };
    let slice = find::slice(wanted, &slices)?;
    let gpus = find::gpus(args.gpu.as_deref(), slice)?;
    if !args.is_change() {
        return show(args, std::slice::from_ref(&only(slice, &gpus)));
    }
    change::change(args, slice, &gpus)?;
    // What it holds may be another amount by now.
    let Seen { slices, .. } = watch.look_once();
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
    unsupervised(slices).for_each(warn);
    print(&(table(slices).lines(columns()).join("\n") + "\n"))
}

fn table(slices: &[Slice]) -> Table<9> {
    let mut table = Table::new([
        ("SLICE", Align::Left),
        ("GPU", Align::Left),
        ("LIMIT", Align::Right),
        ("USED", Align::Right),
        ("PEAK", Align::Right),
        ("CORES", Align::Right),
        ("TIME / SHARE", Align::Right),
        ("WAITED", Align::Right),
        ("LAUNCHES", Align::Right),
    ]);
    for slice in slices {
        slice.gpus.iter().for_each(|gpu| table.row(cells(slice, gpu)));
    }
    table
}

fn cells(slice: &Slice, gpu: &SliceGpu) -> [String; 9] {
    let limit = match gpu.limit {
        Limit::Bytes(bytes) => bytes.human().to_string(),
        Limit::Unlimited => "none".to_owned(),
        Limit::Unknown => "?".to_owned(),
    };
    let (used, peak) = (gpu.used.human().to_string(), gpu.peak.human().to_string());
    let [time, waited, launches] = compute(&gpu.compute);
    [label(slice), gpu_label(gpu), limit, used, peak, cores(gpu), time, waited, launches]
}

/// The share that was asked for, and what else than a fixed share of low priority it is.
fn cores(gpu: &SliceGpu) -> String {
    let share = gpu.cores.map_or_else(|| "-".to_owned(), |share| format!("{} %", share.get()));
    let policy = Some(gpu.policy).filter(|policy| *policy != SharePolicy::default());
    let priority = (gpu.priority < Priority::default()).then_some("high");
    [Some(share.as_str()), policy.map(SharePolicy::name), priority]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
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
    fn a_share_is_shown_with_what_it_means() {
        let mut gpu = slices().remove(0).gpus.remove(0);
        assert_eq!(cores(&gpu), "30 %");
        (gpu.policy, gpu.priority) = (SharePolicy::Balance, Priority(0));
        assert_eq!(cores(&gpu), "30 % balance high");
        (gpu.cores, gpu.policy) = (None, SharePolicy::Fixed);
        assert_eq!(cores(&gpu), "- high");
    }

    #[test]
    fn of_one_gpu_only_what_is_held_there_is_shown() {
        let slice = &slices()[0];
        let shown = only(slice, &[&slice.gpus[1]]);
        assert_eq!(shown.gpus, slice.gpus[1..]);
        assert_eq!(shown.processes[0].usage, slice.processes[0].usage[1..]);
    }
}
