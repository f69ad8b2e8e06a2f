//! Is a share kept while the slice's processes come and go?

use std::cell::RefCell;
use std::rc::Rc;

use sim_model::{Nanos, Permille};

use super::LIMITER;
use crate::cell::{SECOND, Scene, Setting};
use crate::report::{Figure, Line, Section};
use crate::tenant::Tenant;
use crate::workload::{self, Workload};
use crate::world::Pid;

/// The share of the slice, in percent.
const LIMIT: f64 = 30.0;

/// Points by which the slice may be above it.
const ABOVE_MAX: f64 = 1.0;

/// Nothing is judged before, and what follows for so long is.
const BEGIN: Nanos = Nanos(3 * SECOND.0);
const END: Nanos = Nanos(13 * SECOND.0);

/// Who is there.
#[derive(Clone, Copy)]
struct Shape {
    name: &'static str,
    /// Processes that stay.
    stay: u64,
    /// Processes at a time that are killed after `life`; whenever one is, the next begins.
    come: u64,
    life: Nanos,
    /// What a neighbour may have, in percent.
    beside: u32,
}

const SHAPES: [Shape; 4] = [
    Shape {
        name: "one stays, beside one of 250 ms",
        stay: 1,
        come: 1,
        life: Nanos::from_millis(250),
        beside: 0,
    },
    Shape { name: "four of 250 ms at a time", stay: 0, come: 4, life: Nanos::from_millis(250), beside: 0 },
    Shape {
        name: "four of 2 s at a time, and a neighbour",
        stay: 0,
        come: 4,
        life: Nanos(2 * SECOND.0),
        beside: 50,
    },
    Shape {
        name: "one stays, beside one of 250 ms and a neighbour",
        stay: 1,
        come: 1,
        life: Nanos::from_millis(250),
        beside: 50,
    },
];

const WORKLOADS: [Workload; 4] =
    [workload::SHORT, workload::MEDIUM, workload::GRAPHS, workload::EIGHT_STREAMS];

pub(crate) fn sections() -> Vec<Section> {
    let run = |shape: Shape| move || WORKLOADS.iter().map(|workload| figure(&shape, workload)).collect();
    vec![Section {
        title: "Processes that come and go, in a slice of 30 %",
        explanation: "What all had of the card together, in percent. All that end are killed, mostly while they wait; each new one has kernels\n\
            that nobody has seen before. Goal: no more than a point above. It errs low: each of the killed takes along what it had\n\
            reserved and had under way, and nothing is trimmed beside others while who belongs to the slice changes all the time.",
        columns: WORKLOADS.map(|workload| workload.name.to_owned()).into(),
        lines: SHAPES.map(|shape| Line::new(shape.name, shape.beside == 0, run(shape))).into(),
    }]
}

fn figure(shape: &Shape, workload: &Workload) -> Figure {
    let scene = Rc::new(Scene::new(Setting::usual(LIMITER)));
    let tenant = scene.tenant(Permille(300));
    let pids = Rc::new(RefCell::new(Vec::new()));
    for _ in 0..shape.stay {
        pids.borrow_mut().push(scene.start(&tenant, workload).pid);
    }
    for place in 0..shape.come {
        let first = Nanos(place * shape.life.0 / shape.come);
        follow(&scene, &tenant, (*workload, shape.life), first, &pids);
    }
    if shape.beside > 0 {
        scene.start(&scene.tenant(Permille(shape.beside * 10)), &workload::MEDIUM);
    }
    scene.play(END);
    let had = scene.record.percent(&pids.borrow(), BEGIN, END);
    Figure::judged(format!("{had:.1}"), had <= LIMIT + ABOVE_MAX)
}

/// One process after another from `start` on, each for `life`.
fn follow(
    scene: &Rc<Scene>,
    tenant: &Rc<Tenant>,
    (workload, life): (Workload, Nanos),
    start: Nanos,
    pids: &Rc<RefCell<Vec<Pid>>>,
) {
    let (stage, of, all) = (Rc::clone(scene), Rc::clone(tenant), Rc::clone(pids));
    scene.after(start, move || {
        let process = stage.start(&of, &workload);
        all.borrow_mut().push(process.pid);
        let next = start + life;
        stage.after(next, move || process.end());
        follow(&stage, &of, (workload, life), next, &all);
    });
}
