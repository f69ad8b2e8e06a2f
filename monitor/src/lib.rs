//! Reads accounting regions and asks NVML, for the tools that show them.
