//! What NVML tells of a board that the simulated machine has no notion of: the figures of an H100 SXM5.
//!
//! Load moves them in a straight line from idle to full, so the same load always reads the same.

use sim_kernel::DeviceDescription;

/// Device id and vendor id.
pub(crate) const PCI_DEVICE_ID: u32 = 0x2330_10de;
/// Subsystem id.
pub(crate) const PCI_SUBSYSTEM_ID: u32 = 0x16c1_10de;
/// Class and subclass: a display controller, of the kind without a display (PCI code and ID assignment specification).
pub(crate) const PCI_CLASS: (u32, u32) = (0x03, 0x02);
/// Version of the board's firmware.
pub(crate) const VBIOS: &str = "96.00.89.00.01";
/// Part number of the board.
pub(crate) const PART_NUMBER: &str = "699-2G520-0200-000";

/// Size of the window through which the CPU reaches device memory, in bytes: as large as the memory, and a power of 2.
pub(crate) fn bar1_total(device: &DeviceDescription) -> u64 {
    device.card.total.0.next_power_of_two()
}

/// Part of that window which the driver maps for itself, in bytes.
pub(crate) const BAR1_USED: u64 = 2 << 20;

/// Width of the memory bus in bits.
pub(crate) const MEMORY_BUS_BITS: u32 = 5_120;

/// Most that the board may draw, and may be told to, in milliwatts.
pub(crate) const POWER_LIMIT: u32 = 700_000;
/// Least that it may be told to, in milliwatts.
pub(crate) const POWER_LIMIT_LEAST: u32 = 200_000;

/// Generation of the PCIe link.
pub(crate) const PCIE_GENERATION: u32 = 5;
/// Lanes of the PCIe link.
pub(crate) const PCIE_WIDTH: u32 = 16;

/// Clocks in MHz.
pub(crate) mod clock {
    /// Highest clock of the SMs, and of graphics.
    pub(crate) const SM_MOST: u32 = 1_980;
    /// Their clock when idle.
    pub(crate) const SM_IDLE: u32 = 345;
    /// Clock of the memory, always.
    pub(crate) const MEMORY: u32 = 2_619;
    /// Highest clock of the video engines.
    pub(crate) const VIDEO_MOST: u32 = 1_545;
    /// Their clock when idle.
    pub(crate) const VIDEO_IDLE: u32 = 765;
}

/// Temperatures in °C.
pub(crate) mod temperature {
    /// At which the board shuts itself down.
    pub(crate) const SHUTDOWN: u32 = 92;
    /// At which it slows down.
    pub(crate) const SLOWDOWN: u32 = 89;
    /// Highest at which its memory is specified.
    pub(crate) const MEMORY_MOST: u32 = 95;
    /// Highest at which the chip is specified.
    pub(crate) const GPU_MOST: u32 = 87;
}

/// Power drawn at this load (percent), in milliwatts.
pub(crate) fn power(load: u32) -> u32 {
    between(70_000, 650_000, load)
}

/// Temperature of the chip at this load (percent), in °C.
pub(crate) fn gpu_temperature(load: u32) -> u32 {
    between(31, 66, load)
}

/// Temperature of the memory at this load (percent), in °C.
pub(crate) fn memory_temperature(load: u32) -> u32 {
    between(40, 75, load)
}

/// Cores of one SM, by compute capability (CUDA programming guide, "compute capabilities").
pub(crate) fn cores_per_multiprocessor(capability: (u32, u32)) -> u32 {
    match capability {
        (7, _) | (8, 0) => 64,
        _ => 128,
    }
}

/// Generation of the chip, as `nvmlDeviceArchitecture_t`, by compute capability.
pub(crate) fn architecture(capability: (u32, u32)) -> u32 {
    const UNKNOWN: u32 = u32::MAX;
    match capability {
        (3, _) => 2,
        (5, _) => 3,
        (6, _) => 4,
        (7, 0..=2) => 5,
        (7, _) => 6,
        (8, 9) => 8,
        (8, _) => 7,
        (9, _) => 9,
        (10..=12, _) => 10,
        _ => UNKNOWN,
    }
}

fn between(idle: u32, full: u32, load: u32) -> u32 {
    idle + (full - idle) / 100 * load.min(100) + (full - idle) % 100 * load.min(100) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_moves_figures_from_idle_to_full() {
        assert_eq!((power(0), power(50), power(100)), (70_000, 360_000, 650_000));
        assert_eq!((gpu_temperature(0), gpu_temperature(100)), (31, 66));
        assert_eq!(power(1_000), power(100));
    }

    #[test]
    fn an_h100_is_a_hopper_with_16896_cores() {
        assert_eq!(architecture((9, 0)), 9);
        assert_eq!(132 * cores_per_multiprocessor((9, 0)), 16_896);
    }
}
