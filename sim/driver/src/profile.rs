//! A driver branch as data: what the shared object exports and what `cuGetProcAddress` answers.

use std::sync::atomic::{AtomicPtr, Ordering};

/// One driver branch, made by the build of its shared object.
#[derive(Debug)]
pub struct Profile {
    /// The branch, such as `550`: names the default socket of its simulated machine.
    pub branch: &'static str,
    /// What `cuDriverGetVersion` gives, such as 12040.
    pub api_version: u32,
    /// Every name that `cuGetProcAddress` knows, in ascending order.
    pub bases: &'static [Base],
}

/// A name to ask `cuGetProcAddress` for.
#[derive(Debug)]
pub struct Base {
    /// The name, without a version or stream suffix.
    pub name: &'static str,
    /// Answers for the legacy default stream, by ascending version.
    pub legacy: &'static [Answer],
    /// Answers for per-thread default streams, by ascending version.
    pub per_thread: &'static [Answer],
}

/// An exported symbol as an answer.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The lowest version of the API that gets it.
    pub since: u32,
    /// Its name.
    pub symbol: &'static str,
    /// The exported function itself: a search by name at run time could find a library that is in front of this one.
    pub address: unsafe extern "C" fn(),
}

/// What `cuGetProcAddress` finds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup {
    /// This symbol.
    Found(&'static Answer),
    /// No such name.
    SymbolNotFound,
    /// The name is known, at higher versions only.
    VersionNotSufficient,
}

/// Bit 0 asks for the legacy default stream, bit 1 for per-thread ones, which wins over bit 0.
const PER_THREAD: u64 = 2;
const KNOWN_FLAGS: u64 = 3;

static INSTALLED: AtomicPtr<Profile> = AtomicPtr::new(std::ptr::null_mut());

/// Nothing: what the driver is before a shared object has installed its branch.
static NONE: Profile = Profile { branch: "none", api_version: 0, bases: &[] };

impl Profile {
    /// Makes this the branch of the process. The shared object's constructor calls it, before any entry point.
    pub fn install(&'static self) {
        INSTALLED.store(std::ptr::from_ref(self).cast_mut(), Ordering::Release);
    }

    /// The branch of this process.
    pub(crate) fn installed() -> &'static Self {
        // SAFETY: null or stored by `install` from a reference of static life.
        unsafe { INSTALLED.load(Ordering::Acquire).as_ref() }.unwrap_or(&NONE)
    }

    /// What `cuGetProcAddress` answers; `None` for flags that are no flags.
    ///
    /// The newest variant introduced at or below `version`, compared without sign and without regard to the version
    /// of the driver (measured on branches 535 and 550).
    pub(crate) fn look_up(&self, name: &str, version: u32, flags: u64) -> Option<Lookup> {
        if flags & !KNOWN_FLAGS != 0 {
            return None;
        }
        let Ok(index) = self.bases.binary_search_by_key(&name, |base| base.name) else {
            return Some(Lookup::SymbolNotFound);
        };
        let base = &self.bases[index];
        let answers = if flags & PER_THREAD == 0 { base.legacy } else { base.per_thread };
        let newest = answers.iter().rev().find(|answer| answer.since <= version);
        Some(newest.map_or(Lookup::VersionNotSufficient, Lookup::Found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn anything() {}

    const fn answer(since: u32, symbol: &'static str) -> Answer {
        Answer { since, symbol, address: anything }
    }

    static COPY: Profile = Profile {
        branch: "test",
        api_version: 12_000,
        bases: &[Base {
            name: "cuMemcpyHtoD",
            legacy: &[answer(2000, "cuMemcpyHtoD"), answer(3020, "cuMemcpyHtoD_v2")],
            per_thread: &[answer(7000, "cuMemcpyHtoD_v2_ptds")],
        }],
    };

    fn found(version: u32, flags: u64) -> Option<&'static str> {
        match COPY.look_up("cuMemcpyHtoD", version, flags)? {
            Lookup::Found(answer) => Some(answer.symbol),
            _ => None,
        }
    }

    #[test]
    fn the_newest_variant_at_or_below_the_version_is_found() {
        assert_eq!(found(2000, 0), Some("cuMemcpyHtoD"));
        assert_eq!(found(3019, 1), Some("cuMemcpyHtoD"));
        assert_eq!(found(3020, 0), Some("cuMemcpyHtoD_v2"));
        assert_eq!(found(u32::MAX, 0), Some("cuMemcpyHtoD_v2"));
    }

    #[test]
    fn flags_2_and_3_mean_per_thread_streams_and_do_not_fall_back() {
        assert_eq!(found(7000, 2), Some("cuMemcpyHtoD_v2_ptds"));
        assert_eq!(found(12_000, 3), Some("cuMemcpyHtoD_v2_ptds"));
        let early = COPY.look_up("cuMemcpyHtoD", 3020, 2);
        assert!(matches!(early, Some(Lookup::VersionNotSufficient)));
    }

    #[test]
    fn names_are_exact() {
        for name in ["", "cuMemcpyHtoD_v2", "cumemcpyhtod", "cuMemcpyHto"] {
            assert!(matches!(COPY.look_up(name, 12_000, 0), Some(Lookup::SymbolNotFound)), "{name}");
        }
    }

    #[test]
    fn unknown_flags_are_no_lookup() {
        assert!(COPY.look_up("cuMemcpyHtoD", 12_000, 4).is_none());
        assert!(COPY.look_up("", 0, 1 << 40).is_none());
    }
}
