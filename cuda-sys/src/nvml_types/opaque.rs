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
    /// Sizes of protected and unprotected memory.
    nvmlConfComputeMemSizeInfo_t
    /// Limits of a control group that the driver itself enforces.
    nvmlGetMemoryLimits_v1_t
    /// Identity of a device, as text or bytes.
    nvmlUUID_t
    /// Bridge chips on the way to a device.
    nvmlBridgeChipHierarchy_t
    /// The link between chips.
    nvmlC2cModeInfo_v1_t
    /// A device's place in a fabric.
    nvmlGpuFabricInfo_t
    /// A device's place in a fabric, versioned.
    nvmlGpuFabricInfoV_t
    /// How many banks have how many rows left to remap to.
    nvmlRowRemapperHistogramValues_t
    /// Errors of the memory on the chip.
    nvmlEccSramErrorStatus_t
    /// What a MIG device has.
    nvmlDeviceAttributes_t
    /// What a finished or running process used.
    nvmlAccountingStats_t
    /// Frame capture statistics.
    nvmlFBCStats_t
}
