//! How soon is a share right after something changed?

use std::rc::Rc;

use sim_model::{Nanos, Permille};

use super::LIMITER;
use crate::cell::{SECOND, Scene, Setting};
use crate::judge::STEP;
use crate::report::{Figure, Line, Section};
use crate::tenant::Tenant;
use crate::workload::{self, STEADY, Workload};
use crate::world::Pid;

/// The longest that a share may be off by more than two points after a start or a change of the limit.
const ALONE_MAX: Nanos = Nanos::from_millis(200);

/// Before this, nothing is changed.
const CHANGE: Nanos = Nanos::from_millis(3000);

pub(crate) fn sections() -> Vec<Section> {
    vec![alone(), beside()]
}

/// Windows in which one kernel, one late wake-up or one lease is two points.
fn window(workload: &Workload, setting: Setting) -> Nanos {
    let grain = workload.longest.max(setting.host.delay).max(Nanos::from_millis(1));
    Nanos((50 * grain.0).next_multiple_of(STEP.0))
}

fn alone() -> Section {
    let run = |workload: Workload| {
        move || {
            [(None, 300), (Some(300), 700), (Some(900), 100)]
                .map(|(before, after)| {
                    let settled = change(&workload, before.map(Permille), Permille(after));
                    Figure::judged(millis(settled), settled.is_some_and(|settled| settled <= ALONE_MAX))
                })
                .into()
        }
    };
    let quick = [workload::SHORT.name, workload::MEDIUM.name];
    Section {
        title: "A start, and a changed limit",
        explanation: "Milliseconds until every window in which one kernel is two points is within two points. Goal: 200.",
        columns: ["start at 30 %", "30 to 70 %", "90 to 10 %"].map(String::from).into(),
        lines: STEADY
            .iter()
            .filter(|workload| !workload.idles && workload.name != workload::MIXED.name)
            .map(|workload| Line::new(workload.name, quick.contains(&workload.name), run(*workload)))
            .collect(),
    }
}

/// The time that a process needs to have the share `after`, from its start or from a change while it runs.
fn change(workload: &Workload, before: Option<Permille>, after: Permille) -> Option<Nanos> {
    let setting = Setting::usual(LIMITER);
    let scene = Scene::new(setting);
    let tenant = scene.tenant(before.unwrap_or(after));
    let pids = [scene.start(&tenant, workload).pid];
    let (from, length) = (before.map_or(Nanos::ZERO, |_| CHANGE), window(workload, setting));
    let to = from + ALONE_MAX + length.max(SECOND) + length;
    scene.after(from, move || tenant.share.set(after));
    scene.play(to);
    scene.record.settled(&pids, (f64::from(after.0) / 10.0, 2.0), (from, to), length)
}

fn beside() -> Section {
    let run = |workload: Workload, neighbour: Workload| move || neighbours(&workload, &neighbour).into();
    let pairs = [
        (workload::MEDIUM, workload::MEDIUM, true),
        (workload::SHORT, workload::SHORT, false),
        (workload::SHORT, workload::LONG, false),
        (workload::GRAPHS, workload::MEDIUM, false),
    ];
    Section {
        title: "A neighbour that starts and stops",
        explanation: "A slice of 30 %, and one of 50 % that comes and goes. Milliseconds until every window of a second is within\n\
            five points / within two. Goals: 1000 / 5000.",
        columns: ["starts", "stops"].map(String::from).into(),
        lines: pairs
            .map(|(workload, neighbour, quick)| {
                Line::new(
                    format!("{}, beside {}", workload.name, neighbour.name),
                    quick,
                    run(workload, neighbour),
                )
            })
            .into(),
    }
}

/// The times that processes needed to be within five and within two points of `target` percent, judged.
pub(super) fn five_and_two(scene: &Scene, pids: &[Pid], target: f64, span: (Nanos, Nanos)) -> Figure {
    let settled = |tolerance| scene.record.settled(pids, (target, tolerance), span, SECOND);
    let (five, two) = (settled(5.0), settled(2.0));
    let reached =
        five.is_some_and(|five| five <= SECOND) && two.is_some_and(|two| two <= Nanos(5 * SECOND.0));
    Figure::judged(format!("{} / {}", millis(five), millis(two)), reached)
}

/// The same after a neighbour started, and after it stopped.
fn neighbours(workload: &Workload, neighbour: &Workload) -> [Figure; 2] {
    let scene = Rc::new(Scene::new(Setting::usual(LIMITER)));
    let tenant = scene.tenant(Permille(300));
    let pids = [scene.start(&tenant, workload).pid];
    let (stop, end) = (CHANGE + Nanos(9 * SECOND.0), CHANGE + Nanos(18 * SECOND.0));
    come_and_go(&scene, &scene.tenant(Permille(500)), *neighbour, (CHANGE, stop));
    scene.play(end);
    [(CHANGE, stop), (stop, end)].map(|span| five_and_two(&scene, &pids, 30.0, span))
}

/// A process of a tenant that starts and ends at stated times.
pub(super) fn come_and_go(
    scene: &Rc<Scene>,
    tenant: &Rc<Tenant>,
    workload: Workload,
    (start, stop): (Nanos, Nanos),
) {
    let (stage, tenant) = (Rc::clone(scene), Rc::clone(tenant));
    scene.after(start, move || {
        let process = stage.start(&tenant, &workload);
        stage.after(stop, move || process.end());
    });
}

fn millis(settled: Option<Nanos>) -> String {
    settled.map_or_else(|| "never".to_owned(), |span| (span.0 / 1_000_000).to_string())
}
