//! What is charged for memory that the driver takes from a device in steps of its own, and of which it says how much it has.

use super::device::Device;
use contract::Bytes;
use cuda_sys::CUresult;
use shared_region::{BriefLock, Member as Account};
use tracker::{Begun, Change, PoolAccount, Settled};

/// The charge for what the driver has reserved for something on a device.
pub(super) struct Reserve {
    pub(super) device: &'static Device,
    account: BriefLock<PoolAccount>,
}

impl Reserve {
    /// Nothing is charged yet.
    pub(super) fn of(device: &'static Device) -> Self {
        Self { device, account: BriefLock::default() }
    }

    /// This thread is going to have the driver take more.
    pub(super) fn begin(&self) -> Begun {
        self.account.lock().begin()
    }

    /// This thread has had the driver take more, with `bound`, or it failed. `reserved` asks what there is.
    pub(super) fn settle(
        &self,
        begun: Begun,
        bound: Bytes,
        reserved: impl Fn() -> Result<Bytes, CUresult>,
    ) -> Settled {
        loop {
            let moment = self.account.lock().moment();
            let reserved = reserved();
            let mut account = self.account.lock();
            // Where the driver cannot tell, it may be all of the bound.
            let reserved = reserved.unwrap_or_else(|_| Bytes(account.charged().0.saturating_add(bound.0)));
            if let Some(settled) = account.settle(begun, bound, moment, reserved) {
                return settled;
            }
        }
    }

    /// `bytes` more were charged.
    pub(super) fn add(&self, bytes: Bytes) {
        self.account.lock().add(bytes);
    }

    /// Makes the charge what `reserved` says that there is.
    pub(super) fn reconcile(&self, account: &Account, reserved: impl FnOnce() -> Result<Bytes, CUresult>) {
        let moment = self.account.lock().moment();
        let change = match reserved() {
            Ok(reserved) => self.account.lock().reconcile(moment, reserved),
            // It went with something else, such as its device's primary context.
            Err(CUresult::INVALID_VALUE) => Change::Refund(self.account.lock().close()),
            Err(_) => Change::None,
        };
        match change {
            Change::None => {}
            Change::Refund(bytes) => account.refund(self.device.index, bytes),
            Change::Charge(bytes) => account.charge(self.device.index, bytes),
        }
    }

    /// There is nothing any more.
    pub(super) fn close(&self, account: &Account) {
        let bytes = self.account.lock().close();
        account.refund(self.device.index, bytes);
    }
}
