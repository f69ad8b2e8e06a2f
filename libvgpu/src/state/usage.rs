//! How much of a device's time the slice's processes use, as NVML says.

use super::device::Device;
use super::gpus;
use super::member::Member;
use super::slice::Slice;
use contract::Uuid;
use cuda_sys::nvmlProcessUtilizationSample_t;
use policy::compute::Nanos;
use policy::compute::trim::Window;

/// The slice's processes on a device, under the ids that NVML lists them by.
pub(crate) struct Users {
    gpu: Uuid,
    ids: Vec<u32>,
}

impl Slice {
    /// Tells whether other processes belong to the slice than when that was asked last: then it is another number.
    pub(crate) fn members(&'static self, member: &Member) -> u64 {
        // Not to look for the dead in NVML's list. What cannot be cleared up is looked for in vain.
        let _ = member.account.reap();
        self.changes()
    }

    /// The slice's processes on `device`. `None` where NVML does not tell them from others: in a container it usually speaks of
    /// the host's ids, of which this process knows its own at most.
    pub(crate) fn users(&'static self, member: &Member, device: &'static Device) -> Option<Users> {
        let listed = gpus::processes_on(device.uuid)?;
        let is_listed = |id: u32| listed.iter().any(|(other, _)| *other == id);
        let own: Vec<u32> = self.processes_now(device).iter().map(|process| process.pid).collect();
        let known = if own.iter().all(|id| is_listed(*id)) {
            Some(own)
        } else {
            let own_id = member.identity.id();
            (own.len() == 1 && is_listed(own_id)).then(|| vec![own_id])
        };
        known.map(|ids| Users { gpu: device.uuid, ids })
    }
}

/// What they used in a sample window.
pub(crate) struct Usage {
    /// When it ended, in nanoseconds since 1970.
    pub(crate) end: u64,
    pub(crate) window: Window,
}

impl Users {
    /// How much they used in NVML's latest sample window; `None` if none has ended since `last`, which becomes the end of that
    /// window, in NVML's microseconds.
    ///
    /// Of several windows NVML tells the mean of those in which a process did something, so one window is asked about.
    ///
    /// # Errors
    /// NVML's code where it does not tell.
    pub(crate) fn latest_use(&self, last: &mut u64) -> Result<Option<Usage>, u32> {
        let Some((begin, end)) = gpus::latest_window(self.gpu, *last)? else { return Ok(None) };
        *last = end;
        let samples = gpus::use_since(self.gpu, end.saturating_sub(1))?;
        let is_own = |sample: &&nvmlProcessUtilizationSample_t| self.ids.contains(&sample.pid);
        let own = samples.iter().filter(is_own).map(|sample| sample.smUtil);
        let others = samples.iter().filter(|sample| !is_own(sample)).map(|sample| sample.smUtil);
        let window = Window::of(Nanos::from_micros(end - begin), own, others, None);
        Ok(Some(Usage { end: end.saturating_mul(1000), window }))
    }
}
