//! Result codes of NVML.

use super::codes;

codes! {
    /// What an NVML call returns.
    nvmlReturn_t "NVML_SUCCESS" "NVML_ERROR_":
    /// `nvmlInit` has not succeeded in this process.
    UNINITIALIZED = 1,
    /// An argument is out of range or null.
    INVALID_ARGUMENT = 2,
    /// This driver or device does not support the call.
    NOT_SUPPORTED = 3,
    /// The caller may not do this.
    NO_PERMISSION = 4,
    /// Deprecated.
    ALREADY_INITIALIZED = 5,
    /// A named thing was not found.
    NOT_FOUND = 6,
    /// The caller's array is too small.
    INSUFFICIENT_SIZE = 7,
    /// A power cable is missing.
    INSUFFICIENT_POWER = 8,
    /// The kernel driver is not loaded.
    DRIVER_NOT_LOADED = 9,
    /// The wait took too long.
    TIMEOUT = 10,
    /// The kernel sees a problem with the interrupt.
    IRQ_ISSUE = 11,
    /// A library that NVML needs was not found.
    LIBRARY_NOT_FOUND = 12,
    /// The library lacks the function.
    FUNCTION_NOT_FOUND = 13,
    /// The board's persistent store is damaged.
    CORRUPTED_INFOROM = 14,
    /// The device does not answer.
    GPU_IS_LOST = 15,
    /// The device needs a reset.
    RESET_REQUIRED = 16,
    /// The operating system denies the device.
    OPERATING_SYSTEM = 17,
    /// Kernel driver and library differ in version.
    LIB_RM_VERSION_MISMATCH = 18,
    /// Somebody uses the device.
    IN_USE = 19,
    /// Not enough memory.
    MEMORY = 20,
    /// Nothing has been sampled.
    NO_DATA = 21,
    /// Virtual devices exclude memory error correction here.
    VGPU_ECC_NOT_SUPPORTED = 22,
    /// Not enough of something other than memory.
    INSUFFICIENT_RESOURCES = 23,
    /// Not a clock of this device.
    FREQ_NOT_SUPPORTED = 24,
    /// A versioned structure carries a version the library does not know.
    ARGUMENT_VERSION_MISMATCH = 25,
    /// The call does nothing any more.
    DEPRECATED = 26,
    /// The device is not ready.
    NOT_READY = 27,
    /// No such device.
    GPU_NOT_FOUND = 28,
    /// Not in this state.
    INVALID_STATE = 29,
    /// Not a kind of reset for this device.
    RESET_TYPE_NOT_SUPPORTED = 30,
    /// Anything else.
    UNKNOWN = 999,
}
