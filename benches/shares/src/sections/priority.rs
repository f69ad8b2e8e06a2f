//! Do priorities protect who has one, and does balance give away what is left over?

use std::rc::Rc;

use policy::compute::balance::Rule;
use sim_model::{Nanos, Permille};

use super::{LIMITER, settle};
use crate::cell::{SECOND, Scene, Setting};
use crate::judge::{percentile_99, ratio};
use crate::limiter::Kind;
use crate::owner::{self, Wish};
use crate::report::{Figure, Line, Section};
use crate::workload::{self, Workload};

/// How much longer the slowest of a hundred requests may take beside a greedy neighbour of a lower priority than alone.
const SLOWER_MAX: f64 = 1.3;

/// Requests in this time are judged.
const SPAN: Nanos = Nanos(30 * SECOND.0);

pub(crate) fn sections() -> Vec<Section> {
    vec![priorities(), balance()]
}

fn priorities() -> Section {
    let run = |server: Workload, neighbour: Workload, is_judged: bool| {
        move || {
            let alone = slowest(Setting::usual(Kind::Unlimited), &server, None);
            let beside = slowest(Setting::usual(Kind::Unlimited), &server, Some(&neighbour));
            let protected = slowest(Setting::usual(LIMITER), &server, Some(&neighbour));
            let times = |time: Nanos| ratio(time, alone);
            let text =
                |time: Nanos| format!("{:.1} ({:.2})", ratio(time, Nanos::from_millis(1)), times(time));
            vec![
                Figure::told(format!("{:.1}", ratio(alone, Nanos::from_millis(1)))),
                Figure::told(text(beside)),
                Figure::judged(text(protected), !is_judged || times(protected) <= SLOWER_MAX),
            ]
        }
    };
    let often = workload::REQUESTS;
    let lines = [
        (often, workload::SHORT, true),
        (often, workload::EIGHT_STREAMS, true),
        (often, workload::ONE_MILLI, true),
        (often, workload::MEDIUM, false),
        (often, workload::GRAPHS, false),
        (workload::SELDOM, workload::SHORT, false),
        (workload::SELDOM, workload::MEDIUM, false),
    ];
    Section {
        title: "A server of high priority beside a greedy neighbour",
        explanation: "Requests of 10 ms of GPU time: the slowest of a hundred, in ms (as a multiple of alone). The goal, 1.3, is one for\n\
            kernels of at most 1 ms beside a server that is seldom idle for long; the other lines are told.",
        columns: ["alone", "without limiter", "with priorities"].map(String::from).into(),
        lines: lines
            .map(|(server, neighbour, is_judged)| {
                Line::new(
                    format!("{}, beside {}", server.name, neighbour.name),
                    is_judged,
                    run(server, neighbour, is_judged),
                )
            })
            .into(),
    }
}

/// The time below which 99 of a hundred requests of a server stay.
fn slowest(setting: Setting, server: &Workload, neighbour: Option<&Workload>) -> Nanos {
    let scene = Scene::new(setting);
    let high = (scene.tenant(Permille::WHOLE), Wish { rule: Rule::Unlimited, priority: 0 });
    let low = (scene.tenant(Permille(500)), Wish { rule: Rule::Balance, priority: 1 });
    let served = scene.start(&high.0, server);
    neighbour.iter().for_each(|neighbour| {
        scene.start(&low.0, neighbour);
    });
    owner::divide_among(&[high, low]);
    scene.play(SPAN);
    let times = served.served.borrow();
    // The first ones come before anybody knows of them.
    percentile_99(times[times.len() / 20..].to_vec())
}

fn balance() -> Section {
    let run = |workload: Workload| {
        move || {
            let scene = Rc::new(Scene::new(Setting::usual(LIMITER)));
            let wish = Wish { rule: Rule::Balance, priority: 0 };
            let tenants = [300, 700].map(|share| (scene.tenant(Permille(share)), wish));
            let pids = [scene.start(&tenants[0].0, &workload).pid];
            let (start, stop, end) = (Nanos(5 * SECOND.0), Nanos(15 * SECOND.0), Nanos(25 * SECOND.0));
            owner::divide_among(&tenants);
            settle::come_and_go(&scene, &tenants[1].0, workload::SHORT, (start, stop));
            scene.play(end);
            let figure = |from, to, target: f64| {
                let had = scene.record.percent(&pids, from, to);
                Figure::judged(format!("{had:.1}"), (had - target).abs() <= 2.0)
            };
            let settled = |target, from, to| settle::five_and_two(&scene, &pids, target, (from, to));
            vec![
                figure(Nanos(2 * SECOND.0), start, 99.9),
                settled(30.0, start, stop),
                figure(stop - Nanos(5 * SECOND.0), stop, 30.0),
                settled(99.9, stop, end),
            ]
        }
    };
    Section {
        title: "Balance: 30 %, beside 70 % that come and go",
        explanation: "What the slice of 30 % had, in percent, alone and beside the other; milliseconds until every window of a second is\n\
            within five points / within two of that. Goals: within 2 points; 1000 / 5000.",
        columns: ["alone", "starts", "beside", "stops"].map(String::from).into(),
        lines: [(workload::SHORT, true), (workload::MEDIUM, false), (workload::GRAPHS, false)]
            .map(|(workload, quick)| Line::new(workload.name, quick, run(workload)))
            .into(),
    }
}
