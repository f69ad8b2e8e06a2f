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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use sim_model::Nanos;

    use crate::world::{Bell, Pid, World};

    /// Notes its name whenever it is dropped.
    struct Guard(Rc<RefCell<Vec<u64>>>, u64);

    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.borrow_mut().push(self.1);
        }
    }

    #[test]
    fn sleepers_wake_in_order_and_what_is_stopped_wakes_when_it_goes_on() {
        let (world, woken) = (World::new(132), Rc::new(RefCell::new(Vec::new())));
        let start = world.now();
        for (pid, span) in [(1, 30), (2, 20), (3, 20)] {
            let (own, woken) = (Rc::clone(&world), Rc::clone(&woken));
            world.spawn(Pid(pid), async move {
                own.sleep(Nanos(span)).await;
                woken.borrow_mut().push((pid, (own.now() - start).0));
            });
        }
        // Stopped before it began to sleep.
        world.freeze(Pid(2), start + Nanos(50));
        world.run_until(start + Nanos(100));
        assert_eq!(*woken.borrow(), [(3, 20), (1, 30), (2, 70)]);
    }

    #[test]
    fn who_is_killed_runs_no_destructor() {
        let (world, dropped) = (World::new(132), Rc::default());
        for pid in [1, 2] {
            let (own, guard) = (Rc::clone(&world), Guard(Rc::clone(&dropped), u64::from(pid)));
            world.spawn(Pid(pid), async move {
                let _guard = guard;
                own.sleep(Nanos(10)).await;
            });
        }
        world.kill(Pid(1));
        world.run_until(world.now() + Nanos(100));
        assert_eq!(*dropped.borrow(), [2]);
    }

    #[test]
    fn a_bell_wakes_before_the_time_and_once() {
        let (world, bell, woken) =
            (World::new(132), Rc::new(Bell::default()), Rc::new(RefCell::new(Vec::new())));
        let start = world.now();
        let (own, sleeper, noted) = (Rc::clone(&world), Rc::clone(&bell), Rc::clone(&woken));
        world.spawn(Pid(1), async move {
            for _ in 0..2 {
                own.sleep_until_bell(Some(start + Nanos(90)), &sleeper).await;
                noted.borrow_mut().push((own.now() - start).0);
            }
        });
        let own = Rc::clone(&world);
        world.spawn(Pid(2), async move {
            own.sleep(Nanos(10)).await;
            own.ring(&bell, own.now() + Nanos(5));
        });
        world.run_until(start + Nanos(100));
        assert_eq!(*woken.borrow(), [15, 90]);
    }
}
