//! Which parts of the extender are off unless they are asked for.

use daemon::flags;

/// A part of the extender that is off unless it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// Links between GPUs, as node agents publish them, count where pods ask for a topology.
    GpuTopology,
    /// Pods whose devices could not be had on a node are placed on another one.
    Reschedule,
    /// One pod after the other is bound to a node.
    SerialBindNode,
}

impl flags::Gate for Gate {
    const ALL: &'static [Self] = &[Self::GpuTopology, Self::Reschedule, Self::SerialBindNode];

    fn name(self) -> &'static str {
        match self {
            Self::GpuTopology => "GPUTopology",
            Self::Reschedule => "Reschedule",
            Self::SerialBindNode => "SerialBindNode",
        }
    }
}

/// The gates that are open.
pub type Gates = flags::Gates<Gate>;
