//! Which parts of the agent are off unless they are asked for.

use daemon::flags;

/// A part of the agent that is off unless it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// Shares of compute time as a resource of the node.
    CorePlugin,
    /// What the scheduler needs to know of links between GPUs.
    GpuTopology,
    /// Memory as a resource of the node.
    MemoryPlugin,
    /// Pods that cannot start here are evicted, to be placed anew.
    Reschedule,
}

impl flags::Gate for Gate {
    const ALL: &'static [Self] = &[Self::CorePlugin, Self::GpuTopology, Self::MemoryPlugin, Self::Reschedule];

    fn name(self) -> &'static str {
        match self {
            Self::CorePlugin => "CorePlugin",
            Self::GpuTopology => "GPUTopology",
            Self::MemoryPlugin => "MemoryPlugin",
            Self::Reschedule => "Reschedule",
        }
    }
}

/// The gates that are open.
pub type Gates = flags::Gates<Gate>;
