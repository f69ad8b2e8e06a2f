//! A server: requests of fifty kernels, one after another.

use sim_model::Nanos;

use super::{FULL, Workload, kernel};

/// Kernels of one request.
const KERNELS: u32 = 50;

/// A server that is busy a third of the time.
pub(crate) const OFTEN: Workload = Workload {
    name: "a request every 30 ms",
    longest: Nanos::from_micros(200),
    concurrent: false,
    idles: true,
    start: |process| serve(process, Nanos::from_millis(20)),
};

/// A server that its neighbours forget between two requests.
pub(crate) const SELDOM: Workload = Workload {
    name: "a request every second",
    longest: Nanos::from_micros(200),
    concurrent: false,
    idles: true,
    start: |process| serve(process, Nanos::from_millis(990)),
};

/// Serves a request of 10 ms of GPU time, then waits for the next one.
fn serve(process: &std::rc::Rc<crate::process::Process>, pause: Nanos) {
    process.spawn(move |mut thread| async move {
        let (stream, world) = (thread.process.default_stream(), std::rc::Rc::clone(&thread.process.world));
        let one = kernel(&thread.process, Nanos::from_micros(200), FULL);
        loop {
            let begin = world.now();
            for _ in 0..KERNELS {
                thread.launch(stream, 1, &[one]).await;
            }
            thread.synchronize(stream).await;
            thread.process.served.borrow_mut().push(world.now() - begin);
            thread.think(pause).await;
        }
    });
}
