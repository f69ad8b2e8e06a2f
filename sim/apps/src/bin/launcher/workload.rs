//! What there is to play.

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// `cuLaunchKernel`.
    Kernel,
    /// `cuLaunchKernel_ptsz` in the default stream of the thread.
    OwnStream,
    /// `cuLaunchKernelEx`.
    Extended,
    /// `cuLaunchCooperativeKernel`.
    Cooperative,
    /// `cuLaunchGridAsync`.
    Grid,
    /// `cuGraphLaunch` of a graph that holds one of each kernel.
    Graph,
}

/// What every thread of a workload does again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) how: How,
    /// How long each of its kernels takes, in microseconds; they are launched in turn.
    pub(crate) durations_us: Vec<u64>,
    /// Whether every launch is of a kernel that was never launched before.
    pub(crate) unseen: bool,
    /// Threads.
    pub(crate) threads: usize,
    /// Streams of a thread, used in turn; 0: the default one.
    pub(crate) streams: usize,
    /// After how many launches it waits for the device; 0: never.
    pub(crate) wait_after: u64,
    /// How long it does nothing then, in microseconds.
    pub(crate) idle_us: u64,
}

/// A workload, and what it is.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    plan: fn() -> Plan,
}

/// All of them.
pub(crate) const ALL: &[Workload] = &[
    Workload { name: "short", about: "kernels of 20 us, back to back", plan: || queued(How::Kernel, &[20]) },
    Workload {
        name: "medium",
        about: "kernels of 2 ms, back to back",
        plan: || queued(How::Kernel, &[2_000]),
    },
    Workload {
        name: "long",
        about: "kernels of 100 ms, each waited for",
        plan: || Plan { wait_after: 1, ..queued(How::Kernel, &[100_000]) },
    },
    Workload {
        name: "mixed",
        about: "kernels of 20 us to 20 ms in turn, every 16 waited for",
        plan: || Plan { wait_after: 16, ..queued(How::Extended, &[20, 2_000, 200, 50, 20_000, 500]) },
    },
    Workload {
        name: "streams",
        about: "kernels of 200 us in 8 streams in turn",
        plan: || Plan { streams: 8, ..queued(How::Kernel, &[200]) },
    },
    Workload {
        name: "graphs",
        about: "a graph of 16 kernels of 100 us, back to back",
        plan: || Plan { streams: 1, ..queued(How::Graph, &[100; 16]) },
    },
    Workload {
        name: "cooperative",
        about: "cooperative kernels of 500 us, back to back",
        plan: || queued(How::Cooperative, &[500]),
    },
    Workload {
        name: "threads",
        about: "kernels of 200 us in the default streams of 4 threads",
        plan: || Plan { threads: 4, ..queued(How::OwnStream, &[200]) },
    },
    Workload {
        name: "unseen",
        about: "kernels of 100 ms, none of which was launched before",
        plan: || Plan { unseen: true, ..queued(How::Kernel, &[100_000]) },
    },
    Workload {
        name: "gaps",
        about: "kernels of 1 ms, each waited for, with 3 ms of nothing after it",
        plan: || Plan { wait_after: 1, idle_us: 3_000, ..queued(How::Kernel, &[1_000]) },
    },
    Workload {
        name: "grids",
        about: "kernels of 200 us by the launch calls of API 2.0, back to back",
        plan: || queued(How::Grid, &[200]),
    },
];

impl Workload {
    /// The workload of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|workload| workload.name == name)
    }

    /// What it does.
    pub(crate) fn plan(&self) -> Plan {
        (self.plan)()
    }
}

/// Launches without end, by one thread in its default stream.
fn queued(how: How, durations_us: &[u64]) -> Plan {
    Plan {
        how,
        durations_us: durations_us.to_vec(),
        unseen: false,
        threads: 1,
        streams: 0,
        wait_after: 0,
        idle_us: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_is_in_the_documentation_as_it_is_here() {
        let page = include_str!("../../../../../docs/testing.md");
        for Workload { name, about, .. } in ALL {
            let row = format!("| `{name}` | {about} |\n");
            assert!(page.contains(&row), "docs/testing.md lacks the row {row}");
        }
    }
}
