//! Launches.

use std::ffi::c_void;
use std::sync::Arc;

use cuda_sys::CUresult;
use sim_kernel::{Kernel, Nanos, Operation, Permille};

use super::image::SimArgs;
use super::{Function, Grid, KernelSpec, Lane, Node};
use crate::context::Context;
use crate::device::Device;
use crate::outcome::Outcome;
use crate::process::Driver;

/// A launch, as any of the calls states it.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The kernel.
    pub(crate) function: Arc<Function>,
    /// Its shape.
    pub(crate) grid: Grid,
    /// Dynamic shared memory of a block, in bytes.
    pub(crate) shared: u32,
    /// Whether all blocks must be resident together.
    pub(crate) cooperative: bool,
    /// Override of what the kernel does, if the kernel takes one.
    pub(crate) args: Option<SimArgs>,
}

impl Launch {
    /// The override among the parameters of a launch, if the kernel takes one.
    ///
    /// # Safety
    ///
    /// `parameters` must be null or point to as many pointers as the kernel has parameters.
    pub(crate) unsafe fn args(
        function: &Function,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> Outcome<Option<SimArgs>> {
        if !parameters.is_null() && !extra.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        if !function.traits.kernel.takes_args {
            return Ok(None);
        }
        if parameters.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: the kernel has a first parameter.
        let first = unsafe { parameters.read() }.cast::<SimArgs>();
        if first.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: the kernel was declared with a first parameter of this type.
        let args = unsafe { first.read_unaligned() };
        if args.magic == SimArgs::MAGIC { Ok(Some(args)) } else { Err(CUresult::INVALID_VALUE) }
    }
}

impl Launch {
    /// What it asks of a device.
    ///
    /// # Errors
    /// 1 for more shared memory than the kernel may have, 720 for a cooperative one that does not fit at once.
    fn work(&self, driver: &Driver, device: &Device) -> Outcome<Kernel> {
        if self.shared > self.function.traits.most_shared() {
            return Err(CUresult::INVALID_VALUE);
        }
        let waves = self.grid.waves(resident_threads(device));
        if self.cooperative && waves > 1 {
            return Err(CUresult::COOPERATIVE_LAUNCH_TOO_LARGE);
        }
        kernel(&self.function.traits.kernel, self.args, waves, driver.default_duration)
    }

    /// A node that does it.
    pub(crate) fn node(self, driver: &Driver) -> Outcome<Node> {
        let contexts = driver.contexts.all();
        let is_its =
            |context: &&Arc<Context>| context.life().is_ok_and(|life| life.id == self.function.context);
        let context = contexts.iter().find(is_its).ok_or(CUresult::INVALID_VALUE)?;
        let work = self.work(driver, driver.device(context.device)?)?;
        context.make_stacks(driver, self.function.traits.kernel.local)?;
        Ok(Node::Kernel(Arc::new(self), work))
    }
}

/// Queues a launch.
pub(crate) fn launch(driver: &Driver, lane: &Lane, launch: Launch) -> Outcome {
    if launch.function.context != lane.context.life()?.id {
        return Err(CUresult::INVALID_HANDLE);
    }
    let work = launch.work(driver, driver.device(lane.context.device)?)?;
    // Of a captured launch here as well: a graph does not know its contexts.
    lane.context.make_stacks(driver, launch.function.traits.kernel.local)?;
    if lane.capture(driver, || Node::Kernel(Arc::new(launch), work))? {
        return Ok(());
    }
    lane.enqueue(driver, Operation::Kernel(work))
}

/// Threads that the device holds at once.
fn resident_threads(device: &Device) -> u64 {
    let card = &device.description.card;
    u64::from(card.multiprocessors) * u64::from(card.threads_per_multiprocessor)
}

fn kernel(spec: &KernelSpec, args: Option<SimArgs>, waves: u64, default: Nanos) -> Outcome<Kernel> {
    let wave = spec.duration.unwrap_or(default);
    let (wave, sm, memory) = match args {
        None => (wave, spec.sm, spec.memory),
        Some(args) => (Nanos(args.dur_ns), Permille(args.sm_permille), Permille(args.mem_permille)),
    };
    if sm == Permille(0) || sm > Permille::WHOLE || memory > Permille::WHOLE {
        return Err(CUresult::INVALID_VALUE);
    }
    let duration = wave.0.checked_mul(waves).ok_or(CUresult::INVALID_VALUE)?;
    Ok(Kernel { duration: Nanos(duration), sm, memory })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: Nanos = Nanos(10_000);

    fn args(sm_permille: u32, mem_permille: u32) -> SimArgs {
        SimArgs { magic: SimArgs::MAGIC, dur_ns: 5, sm_permille, mem_permille }
    }

    #[test]
    fn a_kernel_takes_its_time_once_a_wave() {
        let spec = KernelSpec { duration: Some(Nanos(700)), ..KernelSpec::named("k") };
        assert_eq!(kernel(&spec, None, 3, DEFAULT).unwrap().duration, Nanos(2100));
        assert_eq!(kernel(&KernelSpec::named("k"), None, 2, DEFAULT).unwrap().duration, Nanos(20_000));
        assert!(kernel(&spec, None, u64::MAX, DEFAULT).is_err());
    }

    #[test]
    fn one_launch_may_say_otherwise() {
        let made = kernel(&KernelSpec::named("k"), Some(args(250, 100)), 2, DEFAULT).unwrap();
        assert_eq!(made, Kernel { duration: Nanos(10), sm: Permille(250), memory: Permille(100) });
        for (sm, memory) in [(0, 0), (1001, 0), (1, 1001)] {
            assert!(kernel(&KernelSpec::named("k"), Some(args(sm, memory)), 1, DEFAULT).is_err());
        }
    }
}
