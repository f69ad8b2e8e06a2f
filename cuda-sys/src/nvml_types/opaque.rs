//! Handles, and structures whose fields nobody here looks at.

use crate::types::{handles, opaque};

handles! {
    /// A device handle.
    nvmlDevice_t
    /// A set of events.
    nvmlEventSet_t
}

opaque! {
    /// A host interface board.
    nvmlHwbcEntry_t
    /// State of confidential computing.
    nvmlConfComputeSystemState_t
    /// What a MIG device has.
    nvmlDeviceAttributes_t
    /// What a finished or running process used.
    nvmlAccountingStats_t
    /// Frame capture statistics.
    nvmlFBCStats_t
    /// An event.
    nvmlEventData_t
}
