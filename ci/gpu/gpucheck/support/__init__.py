"""What steps and workers are written with: the driver, NVML, slices, and how results are told."""
