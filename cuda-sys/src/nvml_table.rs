//! NVML, one row an entry point.

/// Calls `$callback!` with every NVML row.
///
/// A row reads `class since symbol (signature);` where `since` is the first driver branch that exports the symbol (0:
/// every branch this project knows). Classes as in [`driver_api!`](crate::driver_api). Every row returns
/// [`nvmlReturn_t`](crate::nvmlReturn_t).
#[macro_export]
macro_rules! nvml_api {
    ($callback:path) => { $callback! {
        nvml   0  nvmlInit();
        nvml   0  nvmlInit_v2();
        nvml   0  nvmlInitWithFlags(flags: c_uint);
        plain  0  nvmlShutdown();
        plain  0  nvmlDeviceGetCount_v2(deviceCount: *mut c_uint);
        plain  0  nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: *mut nvmlDevice_t);
        plain  0  nvmlDeviceGetUUID(device: nvmlDevice_t, uuid: *mut c_char, length: c_uint);
        nvml   0  nvmlDeviceGetMemoryInfo(device: nvmlDevice_t, memory: *mut nvmlMemory_t);
        nvml   0  nvmlDeviceGetMemoryInfo_v2(device: nvmlDevice_t, memory: *mut nvmlMemory_v2_t);
        plain  0  nvmlDeviceGetComputeRunningProcesses_v3(device: nvmlDevice_t, infoCount: *mut c_uint, infos: *mut nvmlProcessInfo_t);
    } };
}
