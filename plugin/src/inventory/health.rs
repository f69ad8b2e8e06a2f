//! Which devices can be given out, from what looks at them have shown. Pure: time is an argument.
//!
//! Health recovers as well as fails, and no device takes another along.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use contract::Uuid;

use super::{Gpu, Look, NoAnswer};

/// XIDs that a program causes or that end with it: the device is as good as before. Others may say that it is not.
///
/// 13: exception in a program's kernel. 31: a program's access to memory that it does not have. 43: a program was stopped after
/// a fault. 45: work removed because its program ended. 68: video decoder. 94: an uncorrected memory error that was contained
/// to its program.
pub const APPLICATION_XIDS: [u64; 6] = [13, 31, 43, 45, 68, 94];

/// What makes a device bad, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// XIDs that say nothing about the device.
    pub ignored_xids: BTreeSet<u64>,
    /// After an XID, how long without another one until the device counts as good again.
    pub recover_after: Duration,
    /// How long the driver may give no answer before its devices count as bad.
    pub silence: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            ignored_xids: APPLICATION_XIDS.into(),
            recover_after: Duration::from_secs(300),
            silence: Duration::from_secs(20),
        }
    }
}

/// A device and whether it can be given out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The device, as it was last seen.
    pub gpu: Gpu,
    /// Why it cannot be given out now.
    pub fault: Option<String>,
}

/// Every device that has been seen since the program started.
#[derive(Clone, Debug, Default)]
pub struct Health {
    records: BTreeMap<Uuid, Record>,
    answered: Option<Duration>,
    /// What was said first since it has not answered any more.
    silence: Option<String>,
}

#[derive(Clone, Debug)]
struct Record {
    gpu: Gpu,
    /// What the last look that was answered said against it.
    seen: Option<String>,
    /// The last XID that counts, and when.
    xid: Option<(u64, Duration)>,
}

impl Health {
    /// Takes in a look at the time `now`. Returns all devices in the driver's order.
    pub fn observe(&mut self, now: Duration, look: Result<&Look, &NoAnswer>, policy: &Policy) -> Vec<Member> {
        let silence = match look {
            Ok(look) => {
                self.answered = Some(now);
                self.silence = None;
                self.take(now, look, policy);
                None
            }
            Err(error) => {
                let since = *self.answered.get_or_insert(now);
                let said = self.silence.get_or_insert_with(|| error.to_string()).clone();
                (now.saturating_sub(since) >= policy.silence).then_some(said)
            }
        };
        let mut members: Vec<Member> = self
            .records
            .values()
            .map(|record| {
                let fault = silence.clone().or_else(|| record.fault(now, policy));
                Member { gpu: record.gpu.clone(), fault }
            })
            .collect();
        members.sort_by_key(|member| (member.gpu.index, member.gpu.uuid));
        members
    }

    fn take(&mut self, now: Duration, look: &Look, policy: &Policy) {
        for (uuid, record) in &mut self.records {
            let reason = look.broken.get(&record.gpu.index).cloned();
            let is_there = look.gpus.iter().any(|gpu| gpu.uuid == *uuid);
            let gone = || reason.unwrap_or_else(|| "it is not there any more".to_owned());
            record.seen = if is_there { look.unfit.get(uuid).cloned() } else { Some(gone()) };
        }
        for gpu in &look.gpus {
            let seen = look.unfit.get(&gpu.uuid).cloned();
            let new = Record { gpu: gpu.clone(), seen, xid: None };
            self.records.entry(gpu.uuid).or_insert(new).gpu = gpu.clone();
        }
        let serious = look.incidents.iter().filter(|incident| !policy.ignored_xids.contains(&incident.code));
        for incident in serious {
            // Nobody can tell which device it was: each may be the one.
            let is_meant = |uuid: &Uuid| incident.gpu.is_none_or(|gpu| gpu == *uuid);
            let meant = self.records.iter_mut().filter(|(uuid, _)| is_meant(uuid));
            meant.for_each(|(_, record)| record.xid = Some((incident.code, now)));
        }
    }
}

impl Record {
    fn fault(&self, now: Duration, policy: &Policy) -> Option<String> {
        let counts = |(code, at): &(u64, Duration)| {
            !policy.ignored_xids.contains(code) && now.saturating_sub(*at) < policy.recover_after
        };
        let xid = self.xid.filter(counts).map(|(code, _)| format!("it has reported XID {code}"));
        self.seen.clone().or(xid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::Incident;
    use contract::Bytes;

    fn gpu(index: u32) -> Gpu {
        Gpu {
            index,
            uuid: Uuid([u8::try_from(index).unwrap(); 16]),
            model: "NVIDIA H100 80GB HBM3".to_owned(),
            memory: Bytes(1 << 36),
            pci: format!("00000000:0{index}:00.0"),
            numa: None,
            capability: (9, 0),
            mig: false,
        }
    }

    fn look(gpus: &[u32]) -> Look {
        Look { gpus: gpus.iter().map(|index| gpu(*index)).collect(), ..Look::default() }
    }

    fn xid(gpu: u32, code: u64) -> Incident {
        Incident { gpu: Some(self::gpu(gpu).uuid), code }
    }

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    /// The faults of all devices, in order.
    fn faults(health: &mut Health, at: u64, look: Result<&Look, &NoAnswer>) -> Vec<Option<String>> {
        let members = health.observe(seconds(at), look, &Policy::default());
        members.into_iter().map(|member| member.fault).collect()
    }

    #[test]
    fn a_device_with_a_serious_xid_was_bad_for_ever() {
        let mut health = Health::default();
        let bad = Look { incidents: vec![xid(1, 79)], ..look(&[0, 1]) };
        assert_eq!(faults(&mut health, 0, Ok(&bad)), [None, Some("it has reported XID 79".to_owned())]);
        assert_eq!(
            faults(&mut health, 299, Ok(&look(&[0, 1])))[1].as_deref(),
            Some("it has reported XID 79")
        );
        assert_eq!(faults(&mut health, 300, Ok(&look(&[0, 1]))), [None, None]);
    }

    #[test]
    fn what_programs_do_is_not_the_devices_fault() {
        for code in APPLICATION_XIDS {
            let noise = Look { incidents: vec![xid(0, code)], ..look(&[0]) };
            assert_eq!(faults(&mut Health::default(), 0, Ok(&noise)), [None], "XID {code}");
        }
        for code in [48, 63, 64, 74, 79, 95, 109, 119, 120] {
            let bad = Look { incidents: vec![xid(0, code)], ..look(&[0]) };
            assert!(faults(&mut Health::default(), 0, Ok(&bad))[0].is_some(), "XID {code}");
        }
    }

    #[test]
    fn a_device_that_vanishes_or_breaks_is_bad_alone_until_it_answers_again() {
        let mut health = Health::default();
        faults(&mut health, 0, Ok(&look(&[0, 1, 2])));
        let mut less = look(&[0]);
        less.broken.insert(1, "the GPU is lost".to_owned());
        assert_eq!(
            faults(&mut health, 1, Ok(&less)),
            [None, Some("the GPU is lost".to_owned()), Some("it is not there any more".to_owned())]
        );
        assert_eq!(faults(&mut health, 2, Ok(&look(&[0, 1, 2]))), [None, None, None]);
    }

    #[test]
    fn a_device_that_answers_may_be_unfit_all_the_same() {
        let mut health = Health::default();
        let mut worn = look(&[0, 1]);
        worn.unfit.insert(gpu(1).uuid, "worn".to_owned());
        assert_eq!(faults(&mut health, 0, Ok(&worn)), [None, Some("worn".to_owned())]);
        assert_eq!(faults(&mut health, 1, Ok(&worn)), [None, Some("worn".to_owned())]);
        assert_eq!(faults(&mut health, 2, Ok(&look(&[0, 1]))), [None, None]);
    }

    #[test]
    fn a_device_that_comes_later_is_noticed() {
        let mut health = Health::default();
        assert_eq!(faults(&mut health, 0, Ok(&look(&[0]))).len(), 1);
        assert_eq!(faults(&mut health, 1, Ok(&look(&[0, 1]))), [None, None]);
    }

    #[test]
    fn a_short_silence_changes_nothing_and_a_long_one_ends_with_the_first_answer() {
        let mut health = Health::default();
        let silent = NoAnswer("hangs".to_owned());
        faults(&mut health, 0, Ok(&look(&[0])));
        assert_eq!(faults(&mut health, 19, Err(&silent)), [None]);
        assert_eq!(faults(&mut health, 20, Err(&silent)), [Some("hangs".to_owned())]);
        let also = NoAnswer("still hangs".to_owned());
        assert_eq!(faults(&mut health, 21, Err(&also)), [Some("hangs".to_owned())], "that is no change");
        assert_eq!(faults(&mut health, 22, Ok(&look(&[0]))), [None]);
    }

    #[test]
    fn an_incident_of_nobody_counts_for_all() {
        let nobodys = Look { incidents: vec![Incident { gpu: None, code: 79 }], ..look(&[0, 1]) };
        assert!(faults(&mut Health::default(), 0, Ok(&nobodys)).iter().all(Option::is_some));
    }
}
