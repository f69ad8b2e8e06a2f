//! Enumerations as integers, with the header's names for the values somebody here uses.

use crate::types::{integers, plain_integers};
use core::ffi::c_uint;

integers! {
    /// Whether a feature is on.
    nvmlEnableState_t "NVML_FEATURE_":
    DISABLED = 0,
    ENABLED = 1,
}

integers! {
    /// How many processes may have a context.
    nvmlComputeMode_t "NVML_COMPUTEMODE_":
    DEFAULT = 0,
    EXCLUSIVE_THREAD = 1,
    PROHIBITED = 2,
    EXCLUSIVE_PROCESS = 3,
}

integers! {
    /// Which clock.
    nvmlClockType_t "NVML_CLOCK_":
    GRAPHICS = 0,
    SM = 1,
    MEM = 2,
    VIDEO = 3,
}

integers! {
    /// Which sensor.
    nvmlTemperatureSensors_t "NVML_TEMPERATURE_":
    GPU = 0,
    GPU_MAX = 1,
}

integers! {
    /// Kind of a value.
    nvmlValueType_t "NVML_VALUE_TYPE_":
    DOUBLE = 0,
    UNSIGNED_INT = 1,
    UNSIGNED_LONG = 2,
    UNSIGNED_LONG_LONG = 3,
    SIGNED_LONG_LONG = 4,
    SIGNED_INT = 5,
    UNSIGNED_SHORT = 6,
}

integers! {
    /// Product line.
    nvmlBrandType_t "NVML_BRAND_":
    UNKNOWN = 0,
    QUADRO = 1,
    TESLA = 2,
    NVS = 3,
    GRID = 4,
    GEFORCE = 5,
    TITAN = 6,
    NVIDIA_VAPPS = 7,
    NVIDIA_VPC = 8,
    NVIDIA_VCS = 9,
    NVIDIA_VWS = 10,
    NVIDIA_CLOUD_GAMING = 11,
    QUADRO_RTX = 12,
    NVIDIA_RTX = 13,
    NVIDIA = 14,
    GEFORCE_RTX = 15,
    TITAN_RTX = 16,
    NVIDIA_DLA = 17,
    NVIDIA_NPU = 19,
    NVIDIA_VGAMEDEV = 18,
}

integers! {
    /// How a hypervisor presents the device.
    nvmlGpuVirtualizationMode_t "NVML_GPU_VIRTUALIZATION_MODE_":
    NONE = 0,
    PASSTHROUGH = 1,
    VGPU = 2,
    HOST_VGPU = 3,
    HOST_VSGA = 4,
}

plain_integers! {
    /// Performance state: 0 is the fastest, 15 the slowest, 32 unknown.
    nvmlPstates_t
    /// Generation of the chip: 9 is Hopper.
    nvmlDeviceArchitecture_t
    /// Which processors affinity is asked for.
    nvmlAffinityScope_t
    /// Which of the values of a clock.
    nvmlClockId_t
    /// What a board is used for.
    nvmlGpuOperationMode_t
    /// Driver model; Windows only.
    nvmlDriverModel_t
    /// What an encoder encodes to.
    nvmlEncoderType_t
    /// How frames are captured.
    nvmlFBCSessionType_t
    /// A virtual device of this host.
    nvmlVgpuInstance_t
    /// Since when errors are counted.
    nvmlEccCounterType_t
    /// Kind of memory error.
    nvmlMemoryErrorType_t
    /// Which memory errors are asked for.
    nvmlMemoryLocation_t
    /// Why a page was retired.
    nvmlPageRetirementCause_t
    /// What can be asked of two devices together.
    nvmlGpuP2PCapsIndex_t
    /// Whether they can.
    nvmlGpuP2PStatus_t
    /// How far two devices are apart.
    nvmlGpuTopologyLevel_t
    /// What an NVLink ends at.
    nvmlIntNvLinkDeviceType_t
    /// Whether this host serves virtual devices.
    nvmlHostVgpuMode_t
    /// Part of the board's persistent store.
    nvmlInforomObject_t
    /// Direction of PCIe traffic.
    nvmlPcieUtilCounter_t
    /// What is sampled.
    nvmlSamplingType_t
    /// Which temperature threshold.
    nvmlTemperatureThresholds_t
}
