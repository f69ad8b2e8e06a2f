//! Judging the machine and interfering with it.

use super::super::answer::now;
use super::Desk;
use crate::protocol::frame::Malformed;
use crate::protocol::{Disturb, Freeze, Inject, ObserverRequest, ReadTruth};

impl Desk {
    pub(super) fn observe(&mut self, request: ObserverRequest) -> Result<Vec<u8>, Malformed> {
        match request {
            ObserverRequest::ReadTruth(_) => now::<ReadTruth>(Ok(self.machine.truth())),
            ObserverRequest::Inject(call) => {
                self.injections.push(call.injection);
                now::<Inject>(Ok(()))
            }
            ObserverRequest::Freeze(call) => {
                self.frozen = call.utilization;
                now::<Freeze>(Ok(()))
            }
            ObserverRequest::Disturb(call) => now::<Disturb>(self.disturb(call.disturbance)),
        }
    }
}
