//! What runs next.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::task::{Context, Poll, Waker};

use sim_model::Nanos;

use super::{Task, TaskId, World};

/// A task, and how often it ran.
struct Running {
    task: Task,
    runs: u64,
}

impl World {
    /// Lets everything happen that happens until `end`. What is unfinished then is dropped: a world runs once.
    pub(crate) fn run_until(&self, end: Nanos) {
        let mut tasks = BTreeMap::<TaskId, Running>::new();
        loop {
            let newcomers = std::mem::take(&mut *self.newcomers.borrow_mut());
            tasks.extend(newcomers.into_iter().map(|task| (task.id, Running { task, runs: 0 })));
            let next = self.due.borrow_mut().pop();
            let Some(Reverse((at, _, id, run))) = next.filter(|Reverse((at, ..))| *at <= end) else { break };
            self.pass_to(at);
            self.run(&mut tasks, id, run);
        }
        self.pass_to(end);
        for (_, running) in tasks {
            self.drop_task(running.task);
        }
    }

    fn pass_to(&self, instant: Nanos) {
        if instant > self.now() {
            self.now.set(instant);
            self.machine(|machine| machine.advance(instant));
        }
    }

    /// Runs a task, unless this wake-up is void or its process is stopped or dead.
    fn run(&self, tasks: &mut BTreeMap<TaskId, Running>, id: TaskId, run: u64) {
        let Some(running) = tasks.get_mut(&id).filter(|running| running.runs == run) else { return };
        let of = running.task.of;
        if self.dead.borrow().contains(&of) {
            tasks.remove(&id).into_iter().for_each(|gone| self.drop_task(gone.task));
            return;
        }
        if let Some(thaw) = self.frozen.borrow().get(&of).copied().filter(|thaw| *thaw > self.now()) {
            return self.push(thaw, id, run);
        }
        running.runs += 1;
        self.current.set((id, running.runs));
        let poll = running.task.future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        if poll == Poll::Ready(()) {
            tasks.remove(&id);
        }
    }

    /// A killed process runs no destructor: what its threads held stays as it was.
    fn drop_task(&self, task: Task) {
        if self.dead.borrow().contains(&task.of) {
            std::mem::forget(task);
        }
    }
}
