//! Is a share kept, second by second, and does keeping it cost throughput?

use sim_model::{Nanos, Permille};

use super::LIMITER;
use crate::cell::{Setting, Steady, steady};
use crate::limiter::Kind;
use crate::report::{Figure, Line, Section};
use crate::tenant::Host;
use crate::workload::{STEADY, Workload};

/// The limits that are tried, in percent.
const LIMITS: [u32; 4] = [10, 30, 50, 90];

/// Seconds that are judged of each cell.
const SPAN: u64 = 10;

/// Seconds of the same work without a limit.
const NATIVE_SPAN: u64 = 2;

/// Points that the windows of a cell may err by on average.
const ERROR_MAX: f64 = 1.0;

/// What has to be left of share times native throughput.
const LEFT_MIN: f64 = 0.98;

/// A cell of a workload at a limit, beside the same work without a limit.
struct Beside {
    limited: Steady,
    native: f64,
    /// Throughput, as a part of share times native.
    left: f64,
    /// Whether that depends on what runs beside what.
    is_concurrent: bool,
}

pub(crate) fn sections() -> Vec<Section> {
    vec![usual(), harder(), others()]
}

fn usual() -> Section {
    let run = |workload: Workload| {
        move || {
            let cells = LIMITS.map(|limit| beside(Setting::usual(LIMITER), &workload, limit));
            let native = Figure::told(format!("{:.1}", cells[0].native));
            let figures = cells.iter().map(|cell| {
                let Steady { kept, .. } = &cell.limited;
                let text = format!("{:.1} / {:.1} / {:.1}", kept.achieved, kept.error, kept.worst);
                Figure::judged(text, cell.is_reached())
            });
            std::iter::once(native).chain(figures).collect()
        }
    };
    Section {
        title: "One process",
        explanation: "What it had of the card, in percent / mean error of windows of a second, in points / error of the worst one. \
            Goals:\n\
            1 on average; 5 in the worst, or what its longest kernel does at the edges; 98 % of share times native throughput.",
        columns: ["native"]
            .map(String::from)
            .into_iter()
            .chain(LIMITS.map(|limit| format!("{limit} %")))
            .collect(),
        lines: STEADY.map(|workload| Line::new(workload.name, true, run(workload))).into(),
    }
}

fn harder() -> Section {
    let usual = Setting::usual(LIMITER);
    let late = |delay| Setting { host: Host { delay, ..usual.host }, ..usual };
    let settings = [
        ("on time", late(Nanos::ZERO)),
        ("1 ms late", late(Nanos::from_millis(1))),
        ("5 ms late", late(Nanos::from_millis(5))),
        ("no NVML", Setting { host: Host { nvml: false, ..usual.host }, ..usual }),
        ("188 SMs", Setting { multiprocessors: 188, ..usual }),
    ];
    let run = move |workload: Workload| {
        move || {
            let figures = settings.map(|(_, setting)| {
                let cells = LIMITS.map(|limit| beside(setting, &workload, limit));
                let most = |of: fn(&Beside) -> f64| cells.iter().map(of).fold(0.0, f64::max);
                let text = format!(
                    "{:.1} / {:.1}",
                    most(|cell| cell.limited.kept.error),
                    most(|cell| cell.limited.kept.worst)
                );
                Figure::judged(text, cells.iter().all(Beside::is_reached))
            });
            figures.into()
        }
    };
    Section {
        title: "One process, other circumstances",
        explanation: "The most of the limits 10, 30, 50 and 90 %: mean error / worst window, in points. The same goals.",
        columns: settings.map(|(name, _)| name.to_owned()).into(),
        lines: STEADY.map(|workload| Line::new(workload.name, false, run(workload))).into(),
    }
}

fn others() -> Section {
    let kinds =
        [("no limiter", Kind::Unlimited), ("waits for each launch", Kind::Naive), ("vgpu", Kind::Bucket)];
    let run = move |workload: Workload| {
        move || {
            let figures = kinds.map(|(_, kind)| {
                let cell = beside(Setting::usual(kind), &workload, 30);
                let Steady { kept, .. } = &cell.limited;
                Figure::told(format!("{:.1} / {:.1} / {:.0}", kept.achieved, kept.error, 100.0 * cell.left))
            });
            figures.into()
        }
    };
    Section {
        title: "Other limiters at 30 %",
        explanation: "What it had of the card, in percent / mean error in points / throughput, in percent of share times native.",
        columns: kinds.map(|(name, _)| name.to_owned()).into(),
        lines: STEADY.map(|workload| Line::new(workload.name, false, run(workload))).into(),
    }
}

/// Runs a workload without a limit and with one.
fn beside(setting: Setting, workload: &Workload, limit: u32) -> Beside {
    let native = steady(setting.native(), workload, Permille::WHOLE, 100.0, NATIVE_SPAN);
    let target = f64::from(limit).min(native.kept.achieved);
    let limited = steady(setting, workload, Permille(limit * 10), target, SPAN);
    let left = if workload.concurrent {
        limited.kernels_per_second / native.kernels_per_second
    } else {
        limited.kept.achieved / native.kept.achieved
    };
    Beside {
        native: native.kept.achieved,
        left: left * 100.0 / f64::from(limit),
        limited,
        is_concurrent: workload.concurrent,
    }
}

impl Beside {
    fn is_reached(&self) -> bool {
        let Steady { kept, bound, .. } = &self.limited;
        let is_full = self.is_concurrent || self.left >= LEFT_MIN;
        kept.error <= ERROR_MAX && kept.worst <= *bound && is_full
    }
}
