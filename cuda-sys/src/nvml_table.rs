//! NVML, one row an entry point.

/// Calls `$callback!` with every NVML row.
///
/// A row reads `class since symbol (signature);` where `since` is the first driver branch that exports the symbol,
/// as far as they are recorded (0: already 470), else that of the CUDA release whose header is the first with it. Classes as in [`driver_api!`](crate::driver_api). Every row returns
/// [`nvmlReturn_t`](crate::nvmlReturn_t); `nvmlErrorString`, which returns a string, has no row.
#[macro_export]
macro_rules! nvml_api {
    ($callback:path) => { $callback! {
        // Start and end.
        nvml    0  nvmlInit();
        nvml    0  nvmlInit_v2();
        nvml    0  nvmlInitWithFlags(flags: c_uint);
        plain   0  nvmlShutdown();
        nvml    0  nvmlInternalGetExportTable(exportTable: *mut *const c_void, exportTableId: *const CUuuid);

        // The system.
        plain   0  nvmlSystemGetDriverVersion(version: *mut c_char, length: c_uint);
        plain   0  nvmlSystemGetNVMLVersion(version: *mut c_char, length: c_uint);
        plain   0  nvmlSystemGetCudaDriverVersion(cudaDriverVersion: *mut c_int);
        plain   0  nvmlSystemGetCudaDriverVersion_v2(cudaDriverVersion: *mut c_int);
        plain   0  nvmlSystemGetProcessName(pid: c_uint, name: *mut c_char, length: c_uint);
        plain   0  nvmlSystemGetHicVersion(hwbcCount: *mut c_uint, hwbcEntries: *mut nvmlHwbcEntry_t);
        plain 535  nvmlSystemGetConfComputeState(state: *mut nvmlConfComputeSystemState_t);
        plain   0  nvmlUnitGetCount(unitCount: *mut c_uint);

        // Finding devices.
        plain   0  nvmlDeviceGetCount(deviceCount: *mut c_uint);
        plain   0  nvmlDeviceGetCount_v2(deviceCount: *mut c_uint);
        plain   0  nvmlDeviceGetHandleByIndex(index: c_uint, device: *mut nvmlDevice_t);
        plain   0  nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: *mut nvmlDevice_t);
        plain   0  nvmlDeviceGetHandleBySerial(serial: *const c_char, device: *mut nvmlDevice_t);
        plain   0  nvmlDeviceGetHandleByUUID(uuid: *const c_char, device: *mut nvmlDevice_t);
        plain 575  nvmlDeviceGetHandleByUUIDV(uuid: *const nvmlUUID_t, device: *mut nvmlDevice_t);
        plain   0  nvmlDeviceGetHandleByPciBusId(pciBusId: *const c_char, device: *mut nvmlDevice_t);
        plain   0  nvmlDeviceGetHandleByPciBusId_v2(pciBusId: *const c_char, device: *mut nvmlDevice_t);

        // Identity of a device.
        plain   0  nvmlDeviceGetName(device: nvmlDevice_t, name: *mut c_char, length: c_uint);
        plain   0  nvmlDeviceGetBrand(device: nvmlDevice_t, kind: *mut nvmlBrandType_t);
        plain   0  nvmlDeviceGetIndex(device: nvmlDevice_t, index: *mut c_uint);
        plain   0  nvmlDeviceGetMinorNumber(device: nvmlDevice_t, minorNumber: *mut c_uint);
        plain 535  nvmlDeviceGetModuleId(device: nvmlDevice_t, moduleId: *mut c_uint);
        plain   0  nvmlDeviceGetSerial(device: nvmlDevice_t, serial: *mut c_char, length: c_uint);
        plain   0  nvmlDeviceGetUUID(device: nvmlDevice_t, uuid: *mut c_char, length: c_uint);
        plain   0  nvmlDeviceGetBoardId(device: nvmlDevice_t, boardId: *mut c_uint);
        plain   0  nvmlDeviceGetBoardPartNumber(device: nvmlDevice_t, partNumber: *mut c_char, length: c_uint);
        plain   0  nvmlDeviceGetMultiGpuBoard(device: nvmlDevice_t, multiGpuBool: *mut c_uint);
        plain   0  nvmlDeviceGetArchitecture(device: nvmlDevice_t, arch: *mut nvmlDeviceArchitecture_t);
        plain   0  nvmlDeviceGetVbiosVersion(device: nvmlDevice_t, version: *mut c_char, length: c_uint);
        plain   0  nvmlDeviceGetPciInfo(device: nvmlDevice_t, pci: *mut nvmlPciInfo_t);
        plain   0  nvmlDeviceGetPciInfo_v2(device: nvmlDevice_t, pci: *mut nvmlPciInfo_t);
        plain   0  nvmlDeviceGetPciInfo_v3(device: nvmlDevice_t, pci: *mut nvmlPciInfo_t);
        plain 550  nvmlDeviceGetPciInfoExt(device: nvmlDevice_t, pci: *mut nvmlPciInfoExt_t);
        plain   0  nvmlDeviceGetCudaComputeCapability(device: nvmlDevice_t, major: *mut c_int, minor: *mut c_int);
        plain 535  nvmlDeviceGetNumGpuCores(device: nvmlDevice_t, numCores: *mut c_uint);
        plain   0  nvmlDeviceGetAttributes_v2(device: nvmlDevice_t, attributes: *mut nvmlDeviceAttributes_t);
        plain   0  nvmlDeviceGetInforomVersion(device: nvmlDevice_t, object: nvmlInforomObject_t, version: *mut c_char, length: c_uint);
        plain   0  nvmlDeviceGetInforomImageVersion(device: nvmlDevice_t, version: *mut c_char, length: c_uint);
        plain   0  nvmlDeviceValidateInforom(device: nvmlDevice_t);

        // Memory.
        nvml    0  nvmlDeviceGetMemoryInfo(device: nvmlDevice_t, memory: *mut nvmlMemory_t);
        nvml  535  nvmlDeviceGetMemoryInfo_v2(device: nvmlDevice_t, memory: *mut nvmlMemory_v2_t);
        nvml  535  nvmlDeviceGetConfComputeProtectedMemoryUsage(device: nvmlDevice_t, memory: *mut nvmlMemory_t);
        plain 535  nvmlDeviceGetConfComputeMemSizeInfo(device: nvmlDevice_t, memInfo: *mut nvmlConfComputeMemSizeInfo_t);
        plain 615  nvmlDeviceGetMemoryLimits_v1(device: nvmlDevice_t, limits: *mut nvmlGetMemoryLimits_v1_t);
        plain   0  nvmlDeviceGetBAR1MemoryInfo(device: nvmlDevice_t, bar1Memory: *mut nvmlBAR1Memory_t);
        plain 535  nvmlDeviceGetMemoryBusWidth(device: nvmlDevice_t, busWidth: *mut c_uint);

        // Processes.
        nvml    0  nvmlDeviceGetComputeRunningProcesses(device: nvmlDevice_t, infoCount: *mut c_uint, infos: *mut nvmlProcessInfo_v1_t);
        nvml    0  nvmlDeviceGetComputeRunningProcesses_v2(device: nvmlDevice_t, infoCount: *mut c_uint, infos: *mut nvmlProcessInfo_v2_t);
        nvml  535  nvmlDeviceGetComputeRunningProcesses_v3(device: nvmlDevice_t, infoCount: *mut c_uint, infos: *mut nvmlProcessInfo_t);
        nvml    0  nvmlDeviceGetGraphicsRunningProcesses(device: nvmlDevice_t, infoCount: *mut c_uint, infos: *mut nvmlProcessInfo_v1_t);
        nvml    0  nvmlDeviceGetGraphicsRunningProcesses_v2(device: nvmlDevice_t, infoCount: *mut c_uint, infos: *mut nvmlProcessInfo_v2_t);
        nvml  535  nvmlDeviceGetGraphicsRunningProcesses_v3(device: nvmlDevice_t, infoCount: *mut c_uint, infos: *mut nvmlProcessInfo_t);
        nvml    0  nvmlDeviceGetMPSComputeRunningProcesses(device: nvmlDevice_t, infoCount: *mut c_uint, infos: *mut nvmlProcessInfo_v1_t);
        nvml    0  nvmlDeviceGetMPSComputeRunningProcesses_v2(device: nvmlDevice_t, infoCount: *mut c_uint, infos: *mut nvmlProcessInfo_v2_t);
        nvml  535  nvmlDeviceGetMPSComputeRunningProcesses_v3(device: nvmlDevice_t, infoCount: *mut c_uint, infos: *mut nvmlProcessInfo_t);
        nvml  535  nvmlDeviceGetRunningProcessDetailList(device: nvmlDevice_t, plist: *mut nvmlProcessDetailList_t);
        nvml    0  nvmlDeviceGetProcessUtilization(device: nvmlDevice_t, utilization: *mut nvmlProcessUtilizationSample_t, processSamplesCount: *mut c_uint, lastSeenTimeStamp: c_ulonglong);
        nvml  550  nvmlDeviceGetProcessesUtilizationInfo(device: nvmlDevice_t, procesesUtilInfo: *mut nvmlProcessesUtilizationInfo_t);
        plain   0  nvmlDeviceGetAccountingMode(device: nvmlDevice_t, mode: *mut nvmlEnableState_t);
        nvml    0  nvmlDeviceGetAccountingPids(device: nvmlDevice_t, count: *mut c_uint, pids: *mut c_uint);
        nvml    0  nvmlDeviceGetAccountingStats(device: nvmlDevice_t, pid: c_uint, stats: *mut nvmlAccountingStats_t);
        nvml  610  nvmlDeviceGetAccountingStats_v2(device: nvmlDevice_t, stats: *mut nvmlAccountingStats_v2_t);
        plain   0  nvmlDeviceGetAccountingBufferSize(device: nvmlDevice_t, bufferSize: *mut c_uint);

        // Load, clocks, power, temperature.
        nvml    0  nvmlDeviceGetUtilizationRates(device: nvmlDevice_t, utilization: *mut nvmlUtilization_t);
        plain   0  nvmlDeviceGetSamples(device: nvmlDevice_t, kind: nvmlSamplingType_t, lastSeenTimeStamp: c_ulonglong, sampleValType: *mut nvmlValueType_t, sampleCount: *mut c_uint, samples: *mut nvmlSample_t);
        plain   0  nvmlDeviceGetFieldValues(device: nvmlDevice_t, valuesCount: c_int, values: *mut nvmlFieldValue_t);
        plain   0  nvmlDeviceGetEncoderUtilization(device: nvmlDevice_t, utilization: *mut c_uint, samplingPeriodUs: *mut c_uint);
        plain   0  nvmlDeviceGetDecoderUtilization(device: nvmlDevice_t, utilization: *mut c_uint, samplingPeriodUs: *mut c_uint);
        plain 535  nvmlDeviceGetJpgUtilization(device: nvmlDevice_t, utilization: *mut c_uint, samplingPeriodUs: *mut c_uint);
        plain 535  nvmlDeviceGetOfaUtilization(device: nvmlDevice_t, utilization: *mut c_uint, samplingPeriodUs: *mut c_uint);
        plain   0  nvmlDeviceGetEncoderStats(device: nvmlDevice_t, sessionCount: *mut c_uint, averageFps: *mut c_uint, averageLatency: *mut c_uint);
        nvml    0  nvmlDeviceGetEncoderSessions(device: nvmlDevice_t, sessionCount: *mut c_uint, sessionInfos: *mut nvmlEncoderSessionInfo_t);
        plain   0  nvmlDeviceGetFBCStats(device: nvmlDevice_t, fbcStats: *mut nvmlFBCStats_t);
        nvml    0  nvmlDeviceGetFBCSessions(device: nvmlDevice_t, sessionCount: *mut c_uint, sessionInfo: *mut nvmlFBCSessionInfo_t);
        plain   0  nvmlDeviceGetClockInfo(device: nvmlDevice_t, kind: nvmlClockType_t, clock: *mut c_uint);
        plain   0  nvmlDeviceGetClock(device: nvmlDevice_t, clockType: nvmlClockType_t, clockId: nvmlClockId_t, clockMHz: *mut c_uint);
        plain   0  nvmlDeviceGetMaxClockInfo(device: nvmlDevice_t, kind: nvmlClockType_t, clock: *mut c_uint);
        plain   0  nvmlDeviceGetApplicationsClock(device: nvmlDevice_t, clockType: nvmlClockType_t, clockMHz: *mut c_uint);
        plain   0  nvmlDeviceGetDefaultApplicationsClock(device: nvmlDevice_t, clockType: nvmlClockType_t, clockMHz: *mut c_uint);
        plain   0  nvmlDeviceGetAutoBoostedClocksEnabled(device: nvmlDevice_t, isEnabled: *mut nvmlEnableState_t, defaultIsEnabled: *mut nvmlEnableState_t);
        plain   0  nvmlDeviceGetCurrentClocksThrottleReasons(device: nvmlDevice_t, clocksThrottleReasons: *mut c_ulonglong);
        plain 535  nvmlDeviceGetCurrentClocksEventReasons(device: nvmlDevice_t, clocksEventReasons: *mut c_ulonglong);
        plain   0  nvmlDeviceGetSupportedClocksThrottleReasons(device: nvmlDevice_t, supportedClocksThrottleReasons: *mut c_ulonglong);
        plain 535  nvmlDeviceGetSupportedClocksEventReasons(device: nvmlDevice_t, supportedClocksEventReasons: *mut c_ulonglong);
        plain   0  nvmlDeviceGetPerformanceState(device: nvmlDevice_t, pState: *mut nvmlPstates_t);
        plain   0  nvmlDeviceGetPowerState(device: nvmlDevice_t, pState: *mut nvmlPstates_t);
        plain   0  nvmlDeviceGetPowerUsage(device: nvmlDevice_t, power: *mut c_uint);
        plain   0  nvmlDeviceGetTotalEnergyConsumption(device: nvmlDevice_t, energy: *mut c_ulonglong);
        plain   0  nvmlDeviceGetPowerManagementMode(device: nvmlDevice_t, mode: *mut nvmlEnableState_t);
        plain   0  nvmlDeviceGetPowerManagementLimit(device: nvmlDevice_t, limit: *mut c_uint);
        plain   0  nvmlDeviceGetPowerManagementDefaultLimit(device: nvmlDevice_t, defaultLimit: *mut c_uint);
        plain   0  nvmlDeviceGetPowerManagementLimitConstraints(device: nvmlDevice_t, minLimit: *mut c_uint, maxLimit: *mut c_uint);
        plain   0  nvmlDeviceGetEnforcedPowerLimit(device: nvmlDevice_t, limit: *mut c_uint);
        plain   0  nvmlDeviceGetTemperature(device: nvmlDevice_t, sensorType: nvmlTemperatureSensors_t, temp: *mut c_uint);
        plain   0  nvmlDeviceGetTemperatureThreshold(device: nvmlDevice_t, thresholdType: nvmlTemperatureThresholds_t, temp: *mut c_uint);
        plain   0  nvmlDeviceGetFanSpeed(device: nvmlDevice_t, speed: *mut c_uint);
        plain   0  nvmlDeviceGetFanSpeed_v2(device: nvmlDevice_t, fan: c_uint, speed: *mut c_uint);
        plain 535  nvmlDeviceGetNumFans(device: nvmlDevice_t, numFans: *mut c_uint);

        // Bus and links.
        plain   0  nvmlDeviceGetCurrPcieLinkGeneration(device: nvmlDevice_t, currLinkGen: *mut c_uint);
        plain   0  nvmlDeviceGetCurrPcieLinkWidth(device: nvmlDevice_t, currLinkWidth: *mut c_uint);
        plain   0  nvmlDeviceGetMaxPcieLinkGeneration(device: nvmlDevice_t, maxLinkGen: *mut c_uint);
        plain   0  nvmlDeviceGetMaxPcieLinkWidth(device: nvmlDevice_t, maxLinkWidth: *mut c_uint);
        plain 535  nvmlDeviceGetGpuMaxPcieLinkGeneration(device: nvmlDevice_t, maxLinkGenDevice: *mut c_uint);
        plain   0  nvmlDeviceGetPcieThroughput(device: nvmlDevice_t, counter: nvmlPcieUtilCounter_t, value: *mut c_uint);
        plain   0  nvmlDeviceGetPcieReplayCounter(device: nvmlDevice_t, value: *mut c_uint);
        plain   0  nvmlDeviceGetBridgeChipInfo(device: nvmlDevice_t, bridgeHierarchy: *mut nvmlBridgeChipHierarchy_t);
        plain 550  nvmlDeviceGetC2cModeInfoV(device: nvmlDevice_t, c2cModeInfo: *mut nvmlC2cModeInfo_v1_t);
        plain 535  nvmlDeviceGetGpuFabricInfo(device: nvmlDevice_t, gpuFabricInfo: *mut nvmlGpuFabricInfo_t);
        plain 550  nvmlDeviceGetGpuFabricInfoV(device: nvmlDevice_t, gpuFabricInfo: *mut nvmlGpuFabricInfoV_t);
        plain   0  nvmlDeviceGetNvLinkState(device: nvmlDevice_t, link: c_uint, isActive: *mut nvmlEnableState_t);
        plain   0  nvmlDeviceGetNvLinkRemotePciInfo_v2(device: nvmlDevice_t, link: c_uint, pci: *mut nvmlPciInfo_t);
        plain   0  nvmlDeviceGetNvLinkRemoteDeviceType(device: nvmlDevice_t, link: c_uint, pNvLinkDeviceType: *mut nvmlIntNvLinkDeviceType_t);
        plain   0  nvmlDeviceGetTopologyCommonAncestor(device1: nvmlDevice_t, device2: nvmlDevice_t, pathInfo: *mut nvmlGpuTopologyLevel_t);
        plain   0  nvmlDeviceGetP2PStatus(device1: nvmlDevice_t, device2: nvmlDevice_t, p2pIndex: nvmlGpuP2PCapsIndex_t, p2pStatus: *mut nvmlGpuP2PStatus_t);

        // Modes and health.
        plain   0  nvmlDeviceGetComputeMode(device: nvmlDevice_t, mode: *mut nvmlComputeMode_t);
        plain   0  nvmlDeviceGetGpuOperationMode(device: nvmlDevice_t, current: *mut nvmlGpuOperationMode_t, pending: *mut nvmlGpuOperationMode_t);
        plain   0  nvmlDeviceGetPersistenceMode(device: nvmlDevice_t, mode: *mut nvmlEnableState_t);
        plain   0  nvmlDeviceGetDisplayMode(device: nvmlDevice_t, display: *mut nvmlEnableState_t);
        plain   0  nvmlDeviceGetDisplayActive(device: nvmlDevice_t, isActive: *mut nvmlEnableState_t);
        plain   0  nvmlDeviceGetDriverModel(device: nvmlDevice_t, current: *mut nvmlDriverModel_t, pending: *mut nvmlDriverModel_t);
        plain   0  nvmlDeviceGetEccMode(device: nvmlDevice_t, current: *mut nvmlEnableState_t, pending: *mut nvmlEnableState_t);
        plain   0  nvmlDeviceGetTotalEccErrors(device: nvmlDevice_t, errorType: nvmlMemoryErrorType_t, counterType: nvmlEccCounterType_t, eccCounts: *mut c_ulonglong);
        plain   0  nvmlDeviceGetMemoryErrorCounter(device: nvmlDevice_t, errorType: nvmlMemoryErrorType_t, counterType: nvmlEccCounterType_t, locationType: nvmlMemoryLocation_t, count: *mut c_ulonglong);
        plain   0  nvmlDeviceGetRetiredPages(device: nvmlDevice_t, cause: nvmlPageRetirementCause_t, pageCount: *mut c_uint, addresses: *mut c_ulonglong);
        plain   0  nvmlDeviceGetRetiredPagesPendingStatus(device: nvmlDevice_t, isPending: *mut nvmlEnableState_t);
        plain   0  nvmlDeviceGetRemappedRows(device: nvmlDevice_t, corrRows: *mut c_uint, uncRows: *mut c_uint, isPending: *mut c_uint, failureOccurred: *mut c_uint);
        plain   0  nvmlDeviceGetRowRemapperHistogram(device: nvmlDevice_t, values: *mut nvmlRowRemapperHistogramValues_t);
        plain 535  nvmlDeviceGetSramEccErrorStatus(device: nvmlDevice_t, status: *mut nvmlEccSramErrorStatus_t);
        plain 535  nvmlDeviceGetLastBBXFlushTime(device: nvmlDevice_t, timestamp: *mut c_ulonglong, durationUs: *mut c_ulong);
        plain   0  nvmlDeviceGetVirtualizationMode(device: nvmlDevice_t, pVirtualMode: *mut nvmlGpuVirtualizationMode_t);
        plain   0  nvmlDeviceGetHostVgpuMode(device: nvmlDevice_t, pHostVgpuMode: *mut nvmlHostVgpuMode_t);
        plain 535  nvmlDeviceGetGspFirmwareMode(device: nvmlDevice_t, isEnabled: *mut c_uint, defaultMode: *mut c_uint);
        plain 535  nvmlDeviceGetGspFirmwareVersion(device: nvmlDevice_t, version: *mut c_char);
        plain   0  nvmlDeviceGetCpuAffinity(device: nvmlDevice_t, cpuSetSize: c_uint, cpuSet: *mut c_ulong);
        plain   0  nvmlDeviceGetMemoryAffinity(device: nvmlDevice_t, nodeSetSize: c_uint, nodeSet: *mut c_ulong, scope: nvmlAffinityScope_t);

        // Multi-instance devices.
        plain   0  nvmlDeviceGetMigMode(device: nvmlDevice_t, currentMode: *mut c_uint, pendingMode: *mut c_uint);
        plain   0  nvmlDeviceGetMaxMigDeviceCount(device: nvmlDevice_t, count: *mut c_uint);
        plain   0  nvmlDeviceGetMigDeviceHandleByIndex(device: nvmlDevice_t, index: c_uint, migDevice: *mut nvmlDevice_t);
        plain   0  nvmlDeviceGetDeviceHandleFromMigDeviceHandle(migDevice: nvmlDevice_t, device: *mut nvmlDevice_t);
        plain   0  nvmlDeviceIsMigDeviceHandle(device: nvmlDevice_t, isMigDevice: *mut c_uint);
        plain   0  nvmlDeviceGetGpuInstanceId(device: nvmlDevice_t, id: *mut c_uint);
        plain   0  nvmlDeviceGetComputeInstanceId(device: nvmlDevice_t, id: *mut c_uint);

        // Events.
        plain   0  nvmlEventSetCreate(set: *mut nvmlEventSet_t);
        plain   0  nvmlDeviceRegisterEvents(device: nvmlDevice_t, eventTypes: c_ulonglong, set: nvmlEventSet_t);
        plain   0  nvmlDeviceGetSupportedEventTypes(device: nvmlDevice_t, eventTypes: *mut c_ulonglong);
        plain   0  nvmlEventSetWait(set: nvmlEventSet_t, data: *mut nvmlEventData_t, timeoutms: c_uint);
        plain   0  nvmlEventSetWait_v2(set: nvmlEventSet_t, data: *mut nvmlEventData_t, timeoutms: c_uint);
        plain   0  nvmlEventSetFree(set: nvmlEventSet_t);
    } };
}
