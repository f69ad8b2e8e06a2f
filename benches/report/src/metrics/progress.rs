//! What a tenant has of the device, by when its work was done. How long a kernel takes is known, so that neither the interposer
//! nor the driver is asked.

use super::probes::scaled;
use anyhow::{Context, Result, bail, ensure};
use benches::start::side_by_side;
use benches::subject::{Managed, Setting, Subject, numbers};
use benches::work::Work;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// What is launched at a time takes so long at least.
const BATCH_US: u32 = 2000;

/// When each batch of a tenant's was done, in milliseconds from its start.
pub(super) struct Progress {
    done: Vec<f64>,
    batch: f64,
}

impl Progress {
    /// Lets tenants with these settings launch kernels of `us` microseconds without end, beside each other, for so many
    /// milliseconds.
    ///
    /// # Errors
    /// A process failed.
    pub(super) fn of(subject: &Subject, settings: &[Setting], us: u32, millis: u32) -> Result<Vec<Self>> {
        let processes: Vec<_> =
            settings.iter().map(|setting| (*setting, Work::Stream { us }, millis)).collect();
        side_by_side(subject, &processes)?.iter().map(|told| Self::read(told, us)).collect()
    }

    /// Lets a tenant launch kernels of 2 ms, whose limit is changed after a second, and says after how many milliseconds that
    /// was begun.
    ///
    /// # Errors
    /// A process failed, or the interposer's limits cannot be changed.
    pub(super) fn changed(subject: &Subject, from: u32, to: u32, millis: u32) -> Result<(Self, f64)> {
        let setting = Setting::Managed(Managed { cores: from, is_high: false });
        let mut tenant = subject.spawn(setting, Work::Stream { us: BATCH_US }, millis, Stdio::piped())?;
        tenant.until_ready()?;
        let begin = Instant::now();
        tenant.release();
        std::thread::sleep(Duration::from_secs(1));
        let change = begin.elapsed();
        subject.change(&tenant, to)?;
        Ok((Self::read(&tenant.finish()?, BATCH_US)?, change.as_secs_f64() * 1000.0))
    }

    fn read(told: &str, us: u32) -> Result<Self> {
        let done = numbers(told).context("times of kernels")?;
        let batch = f64::from((BATCH_US / us).max(1) * us) / 1000.0;
        Ok(Self { done: done.into_iter().map(|time| scaled(time, 1_000_000)).collect(), batch })
    }

    /// The same for one tenant.
    ///
    /// # Errors
    /// The process failed.
    pub(super) fn alone(subject: &Subject, setting: Setting, us: u32, millis: u32) -> Result<Self> {
        Self::of(subject, &[setting], us, millis)?.pop().context("one tenant")
    }

    /// What it had of the device in percent, between two moments.
    ///
    /// # Errors
    /// It did next to nothing then.
    pub(super) fn share(&self, from: f64, to: f64) -> Result<f64> {
        let within: Vec<f64> = self.done.iter().copied().filter(|done| (from..=to).contains(done)).collect();
        let (Some(first), Some(last)) = (within.first(), within.last()) else {
            bail!("no kernel was done between {from} and {to} ms")
        };
        ensure!(last > first, "one kernel was done between {from} and {to} ms, which tells no rate");
        Ok(100.0 * self.batch * count(within.len() - 1) / (last - first))
    }

    /// What it had in each window of so many milliseconds from a moment on, in percent.
    pub(super) fn windows(&self, from: f64, length: f64) -> Vec<f64> {
        let end = self.done.last().copied().unwrap_or_default();
        let starts =
            (0..).map(|window| from + length * count(window)).take_while(|start| start + length <= end);
        starts.map(|start| 100.0 * (self.work_at(start + length) - self.work_at(start)) / length).collect()
    }

    /// The first moment, not before `from`, from which on two windows of `length` in a row are `within` so many points of what is
    /// wanted; `None`: never.
    pub(super) fn settled(&self, from: f64, wanted: f64, within: f64, length: f64) -> Option<f64> {
        const STEP: f64 = 10.0;
        let end = self.done.last().copied().unwrap_or_default();
        let moments =
            (0..).map(|step| from + STEP * count(step)).take_while(|moment| moment + 2.0 * length <= end);
        let is_kept = |from: f64| {
            self.windows(from, length).iter().take(2).all(|share| (share - wanted).abs() <= within)
        };
        moments.into_iter().find(|moment| is_kept(*moment))
    }

    /// Milliseconds of work that were done at a moment; a batch is done bit by bit from the end of the one before.
    fn work_at(&self, moment: f64) -> f64 {
        let whole = self.done.partition_point(|done| *done <= moment);
        let before = whole.checked_sub(1).map_or(0.0, |last| self.done[last]);
        let part = self.done.get(whole).map_or(0.0, |next| (moment - before) / (next - before));
        self.batch * (count(whole) + part)
    }
}

/// Jain's index of some shares: 1 where all are equal, 1/n where one has all.
pub(super) fn jain(shares: &[f64]) -> f64 {
    let (sum, squares) = (shares.iter().sum::<f64>(), shares.iter().map(|share| share * share).sum::<f64>());
    sum * sum / (count(shares.len()) * squares)
}

/// The standard deviation in percent of the mean.
pub(super) fn variation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / count(values.len());
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count(values.len());
    100.0 * variance.sqrt() / mean
}

#[expect(clippy::cast_precision_loss, reason = "numbers of kernels and windows are small")]
const fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 ms of work each `period` milliseconds.
    fn steady(period: f64, batches: usize) -> Progress {
        Progress { done: (1..=batches).map(|batch| period * count(batch)).collect(), batch: 2.0 }
    }

    #[test]
    fn a_share_is_work_by_time() {
        let progress = steady(8.0, 250);
        assert!((progress.share(500.0, 2000.0).unwrap() - 25.0).abs() < 1e-9);
        assert!(progress.windows(500.0, 100.0).iter().all(|share| (share - 25.0).abs() < 1e-9));
        assert_eq!(progress.windows(500.0, 100.0).len(), 15);
        assert!(progress.share(3000.0, 4000.0).unwrap_err().to_string().contains("no kernel was done"));
    }

    #[test]
    fn it_has_settled_when_a_burst_is_over() {
        let mut progress = steady(2.0, 100);
        progress.done.extend((1..=200).map(|batch| 200.0 + 8.0 * count(batch)));
        let settled = progress.settled(0.0, 25.0, 2.0, 100.0).unwrap();
        assert!((190.0..=200.0).contains(&settled), "{settled}");
        assert_eq!(progress.settled(0.0, 60.0, 2.0, 100.0), None);
    }

    #[test]
    fn equal_shares_are_fair_and_do_not_vary() {
        assert!((jain(&[25.0; 4]) - 1.0).abs() < 1e-12);
        assert!((jain(&[100.0, 0.0]) - 0.5).abs() < 1e-12);
        assert!(variation(&[5.0; 3]).abs() < 1e-12);
        assert!((variation(&[1.0, 3.0]) - 50.0).abs() < 1e-12);
    }
}
