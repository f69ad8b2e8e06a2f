//! Is a share kept by those who are stopped, killed, idle for a while, or never seen before?

use std::rc::Rc;

use sim_model::{Nanos, Permille};

use super::LIMITER;
use crate::cell::{SECOND, Scene, Setting, bound};
use crate::process::Process;
use crate::report::{Figure, Line, Section};
use crate::tenant::{Host, Tenant};
use crate::workload::{self, Workload};
use crate::world::Pid;

/// The share of everybody here, in percent.
const LIMIT: f64 = 30.0;

/// When it happens, and when it is over.
const BEGIN: Nanos = Nanos(3 * SECOND.0);
const END: Nanos = Nanos(13 * SECOND.0);

/// Points by which the share may be off on average.
const ERROR_MAX: f64 = 1.0;

/// One thing that happens to a tenant.
struct Event {
    name: &'static str,
    workload: Workload,
    processes: u32,
    happen: fn(&Scene, &Rc<Tenant>, &[Rc<Process>]),
    /// Whether the tenant goes on under its limit meanwhile.
    goes_on: bool,
    /// Whether it has queued no more than its limit allows when it is over.
    leaves_nothing: bool,
}

const EVENTS: [Event; 6] = [
    Event {
        name: "nothing",
        workload: workload::MEDIUM,
        processes: 2,
        happen: |_, _, _| {},
        goes_on: true,
        leaves_nothing: true,
    },
    Event {
        name: "all stopped for 10 s (SIGSTOP)",
        workload: workload::MEDIUM,
        processes: 1,
        happen: |scene, _, processes| stop(scene, processes[0].pid),
        goes_on: false,
        leaves_nothing: true,
    },
    Event {
        name: "one of two processes stopped for 10 s",
        workload: workload::MEDIUM,
        processes: 2,
        happen: |scene, _, processes| stop(scene, processes[0].pid),
        goes_on: true,
        leaves_nothing: true,
    },
    Event {
        name: "one of two processes killed while it waits",
        workload: workload::MEDIUM,
        processes: 2,
        happen: |scene, _, processes| kill_in_wait(scene, &processes[0]),
        goes_on: true,
        leaves_nothing: true,
    },
    Event {
        name: "limit lifted for 10 s",
        workload: workload::MEDIUM,
        processes: 1,
        happen: lift,
        goes_on: false,
        leaves_nothing: false,
    },
    Event {
        name: "works for 3 s, idle for 10 s",
        workload: workload::ON_AND_OFF,
        processes: 1,
        happen: |_, _, _| {},
        goes_on: false,
        leaves_nothing: true,
    },
];

pub(crate) fn sections() -> Vec<Section> {
    vec![events(), never_seen(), blind()]
}

fn events() -> Section {
    let line = |event: Event| Line::new(event.name, true, move || figures(&event));
    Section {
        title: "What may happen to a tenant of 30 %",
        explanation: "What it had of the card, in percent, in the two seconds before it, in the last five meanwhile, in the first second\n\
            afterwards, and in the two that follow. What was queued without a limit runs to its end. Goal:\n\
            within a point, in the first second within five.",
        columns: ["before", "meanwhile", "first second", "next two"].map(String::from).into(),
        lines: EVENTS.map(line).into(),
    }
}

fn figures(event: &Event) -> Vec<Figure> {
    let scene = Scene::new(Setting::usual(LIMITER));
    let tenant = scene.tenant(Permille(300));
    let processes: Vec<_> = (0..event.processes).map(|_| scene.start(&tenant, &event.workload)).collect();
    let pids: Vec<Pid> = processes.iter().map(|process| process.pid).collect();
    (event.happen)(&scene, &tenant, &processes);
    let end = END + Nanos(3 * SECOND.0);
    scene.play(end);
    let had = |from: Nanos, to| scene.record.percent(&pids, from, to);
    let is_right = |had: f64| (had - LIMIT).abs() <= ERROR_MAX;
    let before = had(Nanos(BEGIN.0 - 2 * SECOND.0), BEGIN);
    let meanwhile = had(Nanos(END.0 - 5 * SECOND.0), END);
    let first = had(END, END + SECOND);
    let after = had(END + SECOND, end);
    let figure = |had: f64, is_right| Figure::judged(format!("{had:.1}"), is_right);
    vec![
        figure(before, is_right(before)),
        figure(meanwhile, !event.goes_on || is_right(meanwhile)),
        figure(first, !event.leaves_nothing || (first - LIMIT).abs() <= bound(&event.workload, LIMIT)),
        figure(after, is_right(after)),
    ]
}

fn stop(scene: &Scene, pid: Pid) {
    let (world, thaw) = (Rc::clone(&scene.world), scene.instant(END));
    scene.after(BEGIN, move || world.freeze(pid, thaw));
}

/// Kills a process at a time at which it waits for its turn: it works for a small part of the time.
fn kill_in_wait(scene: &Scene, process: &Rc<Process>) {
    let process = Rc::clone(process);
    scene.after(BEGIN + Nanos::from_micros(3_700), move || process.end());
}

fn lift(scene: &Scene, tenant: &Rc<Tenant>, _: &[Rc<Process>]) {
    let (lifted, limited) = (Rc::clone(tenant), Rc::clone(tenant));
    scene.after(BEGIN, move || lifted.share.set(Permille::WHOLE));
    scene.after(END, move || limited.share.set(Permille(300)));
}

fn never_seen() -> Section {
    let run = || {
        [100, 300, 500, 900]
            .map(|share| {
                let scene = Scene::new(Setting::usual(LIMITER));
                let pids = [scene.start(&scene.tenant(Permille(share)), &workload::NEVER_SEEN).pid];
                let (end, limit) = (Nanos(30 * SECOND.0), f64::from(share) / 10.0);
                scene.play(end);
                let had = [
                    scene.record.percent(&pids, Nanos::ZERO, SECOND),
                    scene.record.percent(&pids, Nanos::ZERO, Nanos(10 * SECOND.0)),
                    scene.record.percent(&pids, Nanos(10 * SECOND.0), end),
                ];
                let is_right = (had[1] - limit).abs() <= bound(&workload::NEVER_SEEN, limit)
                    && (had[2] - limit).abs() <= ERROR_MAX;
                Figure::judged(had.map(|had| format!("{had:.1}")).join(" / "), is_right)
            })
            .into()
    };
    Section {
        title: "1,024 launches in a row of a kernel of 100 ms that nobody has seen before",
        explanation: "What it had of the card, in percent, in the first second / in the first ten / in the twenty that follow.",
        columns: ["10 %", "30 %", "50 %", "90 %"].map(String::from).into(),
        lines: vec![Line::new(workload::NEVER_SEEN.name, true, run)],
    }
}

fn blind() -> Section {
    let usual = Setting::usual(LIMITER);
    let setting = Setting { host: Host { nvml: false, ..usual.host }, ..usual };
    let run = move |workload: Workload| {
        move || {
            let beside = |neighbour: &[u32]| {
                let scene = Scene::new(setting);
                let pids = [scene.start(&scene.tenant(Permille(300)), &workload).pid];
                neighbour.iter().for_each(|share| {
                    scene.start(&scene.tenant(Permille(*share)), &workload::MEDIUM);
                });
                let end = Nanos(11 * SECOND.0);
                scene.play(end);
                let had = scene.record.percent(&pids, SECOND, end);
                Figure::judged(format!("{had:.1}"), had <= LIMIT + ERROR_MAX)
            };
            vec![beside(&[]), beside(&[300]), beside(&[700]), beside(&[300, 300])]
        }
    };
    Section {
        title: "Without NVML, beside others",
        explanation: "What a tenant of 30 % had of the card, in percent, where nothing tells its work from that of its neighbours (2 ms async).\n\
            It errs low.",
        columns: ["alone", "beside 30 %", "beside 70 %", "beside 30 % and 30 %"].map(String::from).into(),
        lines: [workload::SHORT, workload::MEDIUM, workload::GRAPHS, workload::LONG]
            .map(|workload| Line::new(workload.name, false, run(workload)))
            .into(),
    }
}
