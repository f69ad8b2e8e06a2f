//! Balance: what a device's slices leave unused is divided among those that want more.
//!
//! One owner does this for all slices of a device, about once every [`PERIOD`]. A slice that wants it always has what it is
//! entitled to; only what is left over moves.

use super::demand::Demand;
use super::{Nanos, Share, gate};

/// How often to divide anew.
pub const PERIOD: Nanos = Nanos::from_millis(50);

/// A whole device, in thousandths.
const DEVICE: u32 = 1000;

/// What holds for a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// What it is entitled to and never more.
    Fixed,
    /// At least what it is entitled to, and a part of what is left over.
    Balance,
    /// No limit.
    Unlimited,
}

/// One slice of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// What it is entitled to.
    pub entitlement: Share,
    /// Which rule it follows.
    pub rule: Rule,
    /// Its priority; 0 is the highest.
    pub priority: u32,
    /// What it wants.
    pub demand: Demand,
}

/// What one slice gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The share it is to be held to until the next division.
    pub share: Share,
    /// Whether it must stand back for a higher priority: see [`gate`].
    pub is_gated: bool,
    /// Thousandths of the device that are set aside for it. What it is entitled to and does not want is not set aside.
    granted: u32,
}

impl Part {
    /// What a slice gets as long as nothing else is known.
    #[must_use]
    pub const fn of(share: Share) -> Self {
        Self { share, is_gated: false, granted: 0 }
    }
}

/// Divides a device among `slices`. The answer to each is written to its place in `parts`, which is as long.
///
/// First everybody who wants it is granted what he is entitled to, or less if he wants less. What remains goes to the slices under
/// [`Rule::Balance`] in proportion to what they are entitled to: first as much as they want, then what nobody wants, so that they
/// can grow. Slices whose gate is closed want nothing.
///
/// A share is never less than the entitlement, also that of a slice which wants less: it may begin to want more before the next
/// division. Shares above the entitlement are [paced](Share::PACED). If entitlements add up to more than the device, nothing
/// remains.
pub fn divide(slices: &[Slice], parts: &mut [Part]) {
    divide_part(Share::FULL, slices, parts);
}

/// As [`divide`], where only `whole` of the device is there for slices, and the rest of it is kept back.
pub fn divide_part(whole: Share, slices: &[Slice], parts: &mut [Part]) {
    let highest = slices.iter().filter(|slice| slice.demand.is_active()).map(|slice| slice.priority).min();
    let mut rest = u32::from(whole.permille());
    for (slice, part) in slices.iter().zip(&mut *parts) {
        part.is_gated = gate::is_closed(slice.priority, highest.into_iter());
        part.granted = match slice.rule {
            Rule::Unlimited => u32::from(slice.demand.used()),
            Rule::Fixed | Rule::Balance => slice.wanted(part).min(slice.entitled()),
        };
        rest = rest.saturating_sub(part.granted);
    }
    rest = fill(slices, parts, rest, Slice::wanted);
    fill(slices, parts, rest, |slice, part| if slice.wanted(part) > 0 { DEVICE } else { 0 });
    for (slice, part) in slices.iter().zip(parts) {
        part.share = slice.share(part.granted);
    }
}

impl Slice {
    fn entitled(&self) -> u32 {
        u32::from(self.entitlement.permille())
    }

    /// Thousandths of the device that the slice wants and may have now.
    fn wanted(&self, part: &Part) -> u32 {
        if part.is_gated { 0 } else { u32::from(self.demand.wanted(self.entitlement)) }
    }

    fn share(&self, granted: u32) -> Share {
        match self.rule {
            Rule::Fixed => self.entitlement,
            Rule::Unlimited => Share::FULL,
            Rule::Balance => {
                let granted = u16::try_from(granted).ok().and_then(Share::from_permille);
                granted.unwrap_or(self.entitlement).min(Share::PACED).max(self.entitlement)
            }
        }
    }
}

/// Divides `rest` among the slices under [`Rule::Balance`] that have less than `most`, in proportion to what they are entitled to.
/// Returns what nobody could take.
fn fill(slices: &[Slice], parts: &mut [Part], mut rest: u32, most: impl Fn(&Slice, &Part) -> u32) -> u32 {
    let room = |slice: &Slice, part: &Part| match slice.rule {
        Rule::Balance => most(slice, part).saturating_sub(part.granted),
        Rule::Fixed | Rule::Unlimited => 0,
    };
    loop {
        let takers = slices.iter().zip(&*parts).filter(|(slice, part)| room(slice, part) > 0);
        let weight: u32 = takers.map(|(slice, _)| slice.entitled()).sum();
        if rest == 0 || weight == 0 {
            return rest;
        }
        let before = rest;
        for (slice, part) in slices.iter().zip(&mut *parts) {
            // What is too little to be divided goes, a thousandth each, to those who come first.
            let given = (before * slice.entitled() / weight).max(1).min(room(slice, part)).min(rest);
            part.granted += given;
            rest -= given;
        }
    }
}
