//! Do several slices, and several processes of one slice, get what is theirs?

use sim_model::{Nanos, Permille};

use super::LIMITER;
use crate::cell::{SECOND, START, Scene, Setting};
use crate::judge::{jain, ratio};
use crate::report::{Figure, Line, Section};
use crate::workload::{self, Workload};
use crate::world::Pid;

/// Seconds that are judged, after as many in which the trim finds its place.
const SPAN: u64 = 10;

/// Points by which a tenant's share may be off.
const ERROR_MAX: f64 = 2.0;

/// Jain's index of tenants with equal shares.
const JAIN_MIN: f64 = 0.999;

pub(crate) fn sections() -> Vec<Section> {
    vec![pairs(), equals(), crowds()]
}

fn pairs() -> Section {
    let pairs = [
        (workload::MEDIUM, workload::MEDIUM, true),
        (workload::SHORT, workload::SHORT, true),
        (workload::SHORT, workload::MEDIUM, false),
        (workload::MEDIUM, workload::SHORT, false),
        (workload::LONG, workload::SHORT, false),
        (workload::SHORT, workload::LONG, false),
        (workload::MIXED, workload::GRAPHS, false),
        (workload::EIGHT_STREAMS, workload::MEDIUM, false),
    ];
    let run = |first: Workload, second: Workload| {
        move || {
            [[300, 700], [300, 300], [500, 500], [100, 900]]
                .map(|shares| {
                    let achieved = tenants(&[(first, shares[0]), (second, shares[1])]);
                    let right = achieved
                        .iter()
                        .zip(shares)
                        .all(|(achieved, share)| (achieved - f64::from(share) / 10.0).abs() <= ERROR_MAX);
                    Figure::judged(format!("{:.1} / {:.1}", achieved[0], achieved[1]), right)
                })
                .into()
        }
    };
    Section {
        title: "Two tenants",
        explanation: "What each had of the card, in percent. Goal: within two points.",
        columns: ["30 / 70", "30 / 30", "50 / 50", "10 / 90"].map(String::from).into(),
        lines: pairs
            .map(|(first, second, quick)| {
                Line::new(format!("{}, {}", first.name, second.name), quick, run(first, second))
            })
            .into(),
    }
}

fn equals() -> Section {
    let run = |workload: Workload| {
        move || {
            [2, 4, 8]
                .map(|count| {
                    let share = 1000 / count;
                    let achieved = tenants(&vec![(workload, share); usize::try_from(count).unwrap_or(0)]);
                    let (index, target) = (jain(&achieved), f64::from(share) / 10.0);
                    let most = achieved.iter().map(|one| (one - target).abs()).fold(0.0, f64::max);
                    let text = format!("{index:.4} / {most:.1}");
                    Figure::judged(text, index >= JAIN_MIN && most <= ERROR_MAX)
                })
                .into()
        }
    };
    Section {
        title: "Tenants with equal shares of all of the card",
        explanation: "Jain's index / error of the tenant that is farthest off, in points. Goals: 0.999 / 2.",
        columns: ["2", "4", "8"].map(String::from).into(),
        lines: [
            (workload::SHORT, true),
            (workload::MEDIUM, false),
            (workload::MIXED, false),
            (workload::LONG, false),
        ]
        .map(|(workload, quick)| Line::new(workload.name, quick, run(workload)))
        .into(),
    }
}

/// What tenants with one process each had of the card, in percent.
fn tenants(tenants: &[(Workload, u32)]) -> Vec<f64> {
    let scene = Scene::new(Setting::usual(LIMITER));
    let start =
        |(workload, share): &(Workload, u32)| scene.start(&scene.tenant(Permille(*share)), workload).pid;
    let pids: Vec<Pid> = tenants.iter().map(start).collect();
    let (from, to) = (START + Nanos(SPAN * SECOND.0), START + Nanos(2 * SPAN * SECOND.0));
    scene.play(to);
    pids.iter().map(|pid| scene.record.percent(&[*pid], from, to)).collect()
}

fn crowds() -> Section {
    let run = |workload: Workload| {
        move || {
            [4, 16, 64]
                .map(|count| {
                    let scene = Scene::new(Setting::usual(LIMITER));
                    let tenant = scene.tenant(Permille(300));
                    let pids: Vec<Pid> = (0..count).map(|_| scene.start(&tenant, &workload).pid).collect();
                    let end = START + Nanos(SPAN * SECOND.0);
                    scene.play(end);
                    let kept = scene.record.kept(&pids, 30.0, START, end);
                    let each: Vec<f64> =
                        pids.iter().map(|pid| scene.record.percent(&[*pid], START, end)).collect();
                    let index = jain(&each);
                    let text = format!("{:.1} / {:.1} / {index:.3}", kept.achieved, kept.error);
                    let apart =
                        each.iter().copied().fold(0.0, f64::max) - each.iter().copied().fold(100.0, f64::min);
                    let grain = 200.0 * ratio(workload.longest, Nanos(SPAN * SECOND.0));
                    Figure::judged(text, kept.error <= 1.0 && (index >= JAIN_MIN || apart <= grain))
                })
                .into()
        }
    };
    Section {
        title: "One tenant with many processes, at 30 %",
        explanation: "What all had of the card together, in percent / mean error in points / Jain's index of the processes.\n\
            Goals: 1 / 0.999, or two kernels between any two. All start at once, with kernels that nobody has seen before.",
        columns: ["4", "16", "64"].map(String::from).into(),
        lines: vec![
            Line::new(workload::SHORT.name, true, run(workload::SHORT)),
            Line::new(workload::MEDIUM.name, true, run(workload::MEDIUM)).excused(
                "the first kernels of 64 are let go at once, as nobody knows them, and take the first 200 ms, which are not judged; \
                that is paid back in the second that follows",
            ),
            Line::new(workload::LONG.name, false, run(workload::LONG))
                .excused("nobody waits for longer than two seconds: N kernels that last d in a row have N d of 2 s + N d at least, 44 % and 76 %; \
                four that begin at once are all let go, and pay that back in the next second"),
        ],
    }
}
