//! Threads at the same time, on a device on which nothing takes time but what is launched.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use policy::compute::Nanos;
use shared_region::compute::FinishWord;

use super::process::{MICRO, STREAM, terms, work};
use crate::launches::{Admission, Events, Lease, Recorder, StreamId, Throttle};

/// One device time for all: events are instants of it, and it moves with every launch.
#[derive(Default)]
struct Device {
    time: AtomicU64,
    recorded: AtomicU64,
    given_back: AtomicU64,
}

impl Device {
    fn launch(&self, duration: u64) {
        self.time.fetch_add(duration, Ordering::SeqCst);
    }
}

impl Recorder<u64> for &Device {
    fn now(&self) -> Nanos {
        Nanos(1_000_000_000 + self.time.load(Ordering::SeqCst))
    }

    fn record(&mut self) -> Option<u64> {
        self.recorded.fetch_add(1, Ordering::SeqCst);
        Some(self.time.load(Ordering::SeqCst))
    }
}

impl Events<u64> for Device {
    fn now(&self) -> Nanos {
        Recorder::now(&self)
    }

    fn is_done(&self, _: u64) -> bool {
        true
    }

    fn between(&self, from: u64, to: u64) -> Option<Nanos> {
        to.checked_sub(from).map(Nanos)
    }

    fn give_back(&self, _: u64) {
        self.given_back.fetch_add(1, Ordering::SeqCst);
    }
}

const LAUNCHES: u64 = 3000;
const THREADS: usize = 4;

#[test]
fn what_threads_launch_at_the_same_time_is_counted_and_given_back_to_the_last() {
    let (device, throttle, finish) = (Device::default(), Throttle::default(), FinishWord::default());
    let is_over = AtomicBool::new(false);
    let poll = || throttle.poll(Events::now(&device), &device, &finish, terms(50));
    std::thread::scope(|scope| {
        let meter = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                poll();
                std::thread::yield_now();
            }
        });
        let threads = [(); THREADS].map(|()| scope.spawn(|| launch(&throttle, &device, &finish)));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        is_over.store(true, Ordering::Relaxed);
        meter.join().unwrap();
    });
    while poll().is_some() {}
    poll();
    let counts = throttle.take_counts();
    assert_eq!(counts.launches, THREADS as u64 * LAUNCHES);
    // No more than time has passed, though each thread's epochs hold what the others have launched.
    assert!(counts.busy <= Nanos(device.time.load(Ordering::SeqCst)), "{:?}", counts.busy);
    let kept = device.recorded.load(Ordering::SeqCst) - device.given_back.load(Ordering::SeqCst);
    assert!(kept <= 1, "{kept} events");
}

/// A thread of a program that changes its stream now and then.
fn launch(throttle: &Throttle<u64>, device: &Device, finish: &FinishWord) {
    let mut lease = Lease::default();
    for round in 0..LAUNCHES {
        let stream = StreamId { stream: round / 100 % 3, ..STREAM };
        let mut at = device;
        loop {
            match throttle.admit(&mut lease, work(round % 5, stream), || terms(50), finish, &mut at) {
                Admission::Granted(mut turn) => {
                    turn.before(&mut at);
                    device.launch(10 * MICRO);
                    turn.after(true, &mut at);
                    break;
                }
                // Time passes only by launches; somebody has to.
                Admission::Measuring(_) => device.launch(100 * MICRO),
            }
        }
        if round % 1000 == 999 {
            throttle.forget_stream(stream);
        }
    }
    throttle.retire(&mut lease);
}
