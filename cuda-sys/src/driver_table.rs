//! The driver API, one row an entry point.

/// Calls `$callback!` with every driver row.
///
/// A row reads `class stream since "query" symbol (signature);`
///
/// - `class`: which module of `libvgpu/src/hooks` holds the hook, or one of the two classes that have none:
///   `plain` (takes no device memory and no time of a device's multiprocessors that counts) and `uncounted` (takes
///   device memory, not yet enforced). Opening, importing or mapping memory that somebody has created takes nothing new.
/// - `stream`: which default stream the symbol means: `any` (there is only this symbol), `legacy`, or `ptds` (per
///   thread).
/// - `since`: the lowest `cudaVersion` for which `cuGetProcAddress(query, ...)` answers with this symbol; the number
///   in the name of the header's `PFN_<query>_v<since>` type.
/// - `query`: the name to ask `cuGetProcAddress` for.
/// - `symbol`: the name the library exports. Every row returns [`CUresult`](crate::CUresult).
///
/// `cargo xtask table` compares all of it with the vendor's headers and with recorded answers of real drivers.
#[macro_export]
macro_rules! driver_api {
    ($callback:path) => { $callback! {
        // Start, version, lookup.
        init      any     2000  "cuInit"                                               cuInit(Flags: c_uint);
        plain     any     2020  "cuDriverGetVersion"                                   cuDriverGetVersion(driverVersion: *mut c_int);
        lookup    any    11030  "cuGetProcAddress"                                     cuGetProcAddress(symbol: *const c_char, pfn: *mut *mut c_void, cudaVersion: c_int, flags: cuuint64_t);
        lookup    any    12000  "cuGetProcAddress"                                     cuGetProcAddress_v2(symbol: *const c_char, pfn: *mut *mut c_void, cudaVersion: c_int, flags: cuuint64_t, symbolStatus: *mut CUdriverProcAddressQueryResult);
        plain     any     3000  "cuGetExportTable"                                     cuGetExportTable(ppExportTable: *mut *const c_void, pExportTableId: *const CUuuid);
        plain     any     6000  "cuGetErrorString"                                     cuGetErrorString(error: CUresult, pStr: *mut *const c_char);
        plain     any     6000  "cuGetErrorName"                                       cuGetErrorName(error: CUresult, pStr: *mut *const c_char);
        plain     any    11070  "cuModuleGetLoadingMode"                               cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode);

        // Devices.
        plain     any     2000  "cuDeviceGet"                                          cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
        plain     any     2000  "cuDeviceGetCount"                                     cuDeviceGetCount(count: *mut c_int);
        plain     any     2000  "cuDeviceGetName"                                      cuDeviceGetName(name: *mut c_char, len: c_int, dev: CUdevice);
        plain     any     9020  "cuDeviceGetUuid"                                      cuDeviceGetUuid(uuid: *mut CUuuid, dev: CUdevice);
        plain     any    11040  "cuDeviceGetUuid"                                      cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice);
        plain     any    10000  "cuDeviceGetLuid"                                      cuDeviceGetLuid(luid: *mut c_char, deviceNodeMask: *mut c_uint, dev: CUdevice);
        plain     any     2000  "cuDeviceGetAttribute"                                 cuDeviceGetAttribute(pi: *mut c_int, attrib: CUdevice_attribute, dev: CUdevice);
        plain     any     2000  "cuDeviceGetProperties"                                cuDeviceGetProperties(prop: *mut CUdevprop, dev: CUdevice);
        plain     any     2000  "cuDeviceComputeCapability"                            cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, dev: CUdevice);
        plain     any     4010  "cuDeviceGetPCIBusId"                                  cuDeviceGetPCIBusId(pciBusId: *mut c_char, len: c_int, dev: CUdevice);
        plain     any     4010  "cuDeviceGetByPCIBusId"                                cuDeviceGetByPCIBusId(dev: *mut CUdevice, pciBusId: *const c_char);
        plain     any     4000  "cuDeviceCanAccessPeer"                                cuDeviceCanAccessPeer(canAccessPeer: *mut c_int, dev: CUdevice, peerDev: CUdevice);
        plain     any     8000  "cuDeviceGetP2PAttribute"                              cuDeviceGetP2PAttribute(value: *mut c_int, attrib: CUdevice_P2PAttribute, srcDevice: CUdevice, dstDevice: CUdevice);
        plain     any    11040  "cuDeviceGetExecAffinitySupport"                       cuDeviceGetExecAffinitySupport(pi: *mut c_int, kind: CUexecAffinityType, dev: CUdevice);
        plain     any    11010  "cuDeviceGetTexture1DLinearMaxWidth"                   cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements: *mut usize, format: CUarray_format, numChannels: c_uint, dev: CUdevice);
        report    any     2000  "cuDeviceTotalMem"                                     cuDeviceTotalMem(bytes: *mut c_uint, dev: CUdevice);
        report    any     3020  "cuDeviceTotalMem"                                     cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice);

        // Primary contexts.
        context   any     7000  "cuDevicePrimaryCtxRetain"                             cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice);
        context   any     7000  "cuDevicePrimaryCtxRelease"                            cuDevicePrimaryCtxRelease(dev: CUdevice);
        context   any    11000  "cuDevicePrimaryCtxRelease"                            cuDevicePrimaryCtxRelease_v2(dev: CUdevice);
        context   any     7000  "cuDevicePrimaryCtxReset"                              cuDevicePrimaryCtxReset(dev: CUdevice);
        context   any    11000  "cuDevicePrimaryCtxReset"                              cuDevicePrimaryCtxReset_v2(dev: CUdevice);
        plain     any     7000  "cuDevicePrimaryCtxGetState"                           cuDevicePrimaryCtxGetState(dev: CUdevice, flags: *mut c_uint, active: *mut c_int);
        plain     any     7000  "cuDevicePrimaryCtxSetFlags"                           cuDevicePrimaryCtxSetFlags(dev: CUdevice, flags: c_uint);
        plain     any    11000  "cuDevicePrimaryCtxSetFlags"                           cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: c_uint);

        // Contexts.
        context   any     2000  "cuCtxCreate"                                          cuCtxCreate(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice);
        context   any     3020  "cuCtxCreate"                                          cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice);
        context   any    11040  "cuCtxCreate"                                          cuCtxCreate_v3(pctx: *mut CUcontext, paramsArray: *mut CUexecAffinityParam, numParams: c_int, flags: c_uint, dev: CUdevice);
        context   any    12050  "cuCtxCreate"                                          cuCtxCreate_v4(pctx: *mut CUcontext, ctxCreateParams: *mut CUctxCreateParams, flags: c_uint, dev: CUdevice);
        context   any     2000  "cuCtxDestroy"                                         cuCtxDestroy(ctx: CUcontext);
        context   any     4000  "cuCtxDestroy"                                         cuCtxDestroy_v2(ctx: CUcontext);
        plain     any     2000  "cuCtxAttach"                                          cuCtxAttach(pctx: *mut CUcontext, flags: c_uint);
        context   any     2000  "cuCtxDetach"                                          cuCtxDetach(ctx: CUcontext);
        plain     any     2000  "cuCtxPushCurrent"                                     cuCtxPushCurrent(ctx: CUcontext);
        plain     any     4000  "cuCtxPushCurrent"                                     cuCtxPushCurrent_v2(ctx: CUcontext);
        plain     any     2000  "cuCtxPopCurrent"                                      cuCtxPopCurrent(pctx: *mut CUcontext);
        plain     any     4000  "cuCtxPopCurrent"                                      cuCtxPopCurrent_v2(pctx: *mut CUcontext);
        plain     any     4000  "cuCtxSetCurrent"                                      cuCtxSetCurrent(ctx: CUcontext);
        plain     any     4000  "cuCtxGetCurrent"                                      cuCtxGetCurrent(pctx: *mut CUcontext);
        plain     any     2000  "cuCtxGetDevice"                                       cuCtxGetDevice(device: *mut CUdevice);
        plain     any    13000  "cuCtxGetDevice"                                       cuCtxGetDevice_v2(device: *mut CUdevice, ctx: CUcontext);
        plain     any    12000  "cuCtxGetId"                                           cuCtxGetId(ctx: CUcontext, ctxId: *mut c_ulonglong);
        plain     any     7000  "cuCtxGetFlags"                                        cuCtxGetFlags(flags: *mut c_uint);
        plain     any    12010  "cuCtxSetFlags"                                        cuCtxSetFlags(flags: c_uint);
        plain     any     3020  "cuCtxGetApiVersion"                                   cuCtxGetApiVersion(ctx: CUcontext, version: *mut c_uint);
        waiting   any     2000  "cuCtxSynchronize"                                     cuCtxSynchronize();
        waiting   any    13000  "cuCtxSynchronize"                                     cuCtxSynchronize_v2(ctx: CUcontext);
        plain     any     3010  "cuCtxGetLimit"                                        cuCtxGetLimit(pvalue: *mut usize, limit: CUlimit);
        context_limits any     3010  "cuCtxSetLimit"                                        cuCtxSetLimit(limit: CUlimit, value: usize);
        plain     any     3020  "cuCtxGetCacheConfig"                                  cuCtxGetCacheConfig(pconfig: *mut CUfunc_cache);
        plain     any     3020  "cuCtxSetCacheConfig"                                  cuCtxSetCacheConfig(config: CUfunc_cache);
        plain     any     4020  "cuCtxGetSharedMemConfig"                              cuCtxGetSharedMemConfig(pConfig: *mut CUsharedconfig);
        plain     any     4020  "cuCtxSetSharedMemConfig"                              cuCtxSetSharedMemConfig(config: CUsharedconfig);
        plain     any     5050  "cuCtxGetStreamPriorityRange"                          cuCtxGetStreamPriorityRange(leastPriority: *mut c_int, greatestPriority: *mut c_int);
        plain     any    11000  "cuCtxResetPersistingL2Cache"                          cuCtxResetPersistingL2Cache();
        plain     any    11040  "cuCtxGetExecAffinity"                                 cuCtxGetExecAffinity(pExecAffinity: *mut CUexecAffinityParam, kind: CUexecAffinityType);
        plain     any     4000  "cuCtxEnablePeerAccess"                                cuCtxEnablePeerAccess(peerContext: CUcontext, Flags: c_uint);
        plain     any     4000  "cuCtxDisablePeerAccess"                               cuCtxDisablePeerAccess(peerContext: CUcontext);

        // Contexts made for a graphics API, and green contexts.
        context   any     2000  "cuGLCtxCreate"                                        cuGLCtxCreate(pCtx: *mut CUcontext, Flags: c_uint, device: CUdevice);
        context   any     3020  "cuGLCtxCreate"                                        cuGLCtxCreate_v2(pCtx: *mut CUcontext, Flags: c_uint, device: CUdevice);
        context   any     3010  "cuVDPAUCtxCreate"                                     cuVDPAUCtxCreate(pCtx: *mut CUcontext, flags: c_uint, device: CUdevice, vdpDevice: VdpDevice, vdpGetProcAddress: *mut VdpGetProcAddress);
        context   any     3020  "cuVDPAUCtxCreate"                                     cuVDPAUCtxCreate_v2(pCtx: *mut CUcontext, flags: c_uint, device: CUdevice, vdpDevice: VdpDevice, vdpGetProcAddress: *mut VdpGetProcAddress);
        green     any    12040  "cuGreenCtxCreate"                                     cuGreenCtxCreate(phCtx: *mut CUgreenCtx, desc: CUdevResourceDesc, dev: CUdevice, flags: c_uint);
        green     any    12040  "cuGreenCtxDestroy"                                    cuGreenCtxDestroy(hCtx: CUgreenCtx);
        green     any    12040  "cuCtxFromGreenCtx"                                    cuCtxFromGreenCtx(pContext: *mut CUcontext, hCtx: CUgreenCtx);
        plain     any    12050  "cuGreenCtxStreamCreate"                               cuGreenCtxStreamCreate(phStream: *mut CUstream, greenCtx: CUgreenCtx, flags: c_uint, priority: c_int);
        plain     any    12040  "cuStreamGetGreenCtx"                                  cuStreamGetGreenCtx(hStream: CUstream, phCtx: *mut CUgreenCtx);
        plain     any    12040  "cuDeviceGetDevResource"                               cuDeviceGetDevResource(device: CUdevice, resource: *mut CUdevResource, kind: CUdevResourceType);
        plain     any    12040  "cuCtxGetDevResource"                                  cuCtxGetDevResource(hCtx: CUcontext, resource: *mut CUdevResource, kind: CUdevResourceType);
        plain     any    12040  "cuDevSmResourceSplitByCount"                          cuDevSmResourceSplitByCount(result: *mut CUdevResource, nbGroups: *mut c_uint, input: *const CUdevResource, remainder: *mut CUdevResource, flags: c_uint, minCount: c_uint);
        plain     any    12040  "cuDevResourceGenerateDesc"                            cuDevResourceGenerateDesc(phDesc: *mut CUdevResourceDesc, resources: *mut CUdevResource, nbResources: c_uint);

        // Linear and managed memory.
        linear    any     2000  "cuMemAlloc"                                           cuMemAlloc(dptr: *mut CUdeviceptr_v1, bytesize: c_uint);
        linear    any     3020  "cuMemAlloc"                                           cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize);
        pitched   any     2000  "cuMemAllocPitch"                                      cuMemAllocPitch(dptr: *mut CUdeviceptr_v1, pPitch: *mut c_uint, WidthInBytes: c_uint, Height: c_uint, ElementSizeBytes: c_uint);
        pitched   any     3020  "cuMemAllocPitch"                                      cuMemAllocPitch_v2(dptr: *mut CUdeviceptr, pPitch: *mut usize, WidthInBytes: usize, Height: usize, ElementSizeBytes: c_uint);
        linear    any     6000  "cuMemAllocManaged"                                    cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: c_uint);
        linear    any     2000  "cuMemFree"                                            cuMemFree(dptr: CUdeviceptr_v1);
        linear    any     3020  "cuMemFree"                                            cuMemFree_v2(dptr: CUdeviceptr);
        report    any     2000  "cuMemGetInfo"                                         cuMemGetInfo(free: *mut c_uint, total: *mut c_uint);
        report    any     3020  "cuMemGetInfo"                                         cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        plain     any     2000  "cuMemGetAddressRange"                                 cuMemGetAddressRange(pbase: *mut CUdeviceptr_v1, psize: *mut c_uint, dptr: CUdeviceptr_v1);
        plain     any     3020  "cuMemGetAddressRange"                                 cuMemGetAddressRange_v2(pbase: *mut CUdeviceptr, psize: *mut usize, dptr: CUdeviceptr);
        plain     any     4000  "cuPointerGetAttribute"                                cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr);
        plain     any     7000  "cuPointerGetAttributes"                               cuPointerGetAttributes(numAttributes: c_uint, attributes: *mut CUpointer_attribute, data: *mut *mut c_void, ptr: CUdeviceptr);
        plain     any     6000  "cuPointerSetAttribute"                                cuPointerSetAttribute(value: *const c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr);
        plain     legacy  8000  "cuMemPrefetchAsync"                                   cuMemPrefetchAsync(devPtr: CUdeviceptr, count: usize, dstDevice: CUdevice, hStream: CUstream);
        plain     ptds    8000  "cuMemPrefetchAsync"                                   cuMemPrefetchAsync_ptsz(devPtr: CUdeviceptr, count: usize, dstDevice: CUdevice, hStream: CUstream);
        plain     legacy 12020  "cuMemPrefetchAsync"                                   cuMemPrefetchAsync_v2(devPtr: CUdeviceptr, count: usize, location: CUmemLocation, flags: c_uint, hStream: CUstream);
        plain     ptds   12020  "cuMemPrefetchAsync"                                   cuMemPrefetchAsync_v2_ptsz(devPtr: CUdeviceptr, count: usize, location: CUmemLocation, flags: c_uint, hStream: CUstream);
        plain     any     8000  "cuMemAdvise"                                          cuMemAdvise(devPtr: CUdeviceptr, count: usize, advice: CUmem_advise, device: CUdevice);
        plain     any    12020  "cuMemAdvise"                                          cuMemAdvise_v2(devPtr: CUdeviceptr, count: usize, advice: CUmem_advise, location: CUmemLocation);
        plain     any     8000  "cuMemRangeGetAttribute"                               cuMemRangeGetAttribute(data: *mut c_void, dataSize: usize, attribute: CUmem_range_attribute, devPtr: CUdeviceptr, count: usize);
        plain     any     8000  "cuMemRangeGetAttributes"                              cuMemRangeGetAttributes(data: *mut *mut c_void, dataSizes: *mut usize, attributes: *mut CUmem_range_attribute, numAttributes: usize, devPtr: CUdeviceptr, count: usize);
        plain     legacy 13000  "cuMemPrefetchBatchAsync"                              cuMemPrefetchBatchAsync(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetchLocs: *mut CUmemLocation, prefetchLocIdxs: *mut usize, numPrefetchLocs: usize, flags: c_ulonglong, hStream: CUstream);
        plain     ptds   13000  "cuMemPrefetchBatchAsync"                              cuMemPrefetchBatchAsync_ptsz(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetchLocs: *mut CUmemLocation, prefetchLocIdxs: *mut usize, numPrefetchLocs: usize, flags: c_ulonglong, hStream: CUstream);
        plain     legacy 13000  "cuMemDiscardBatchAsync"                               cuMemDiscardBatchAsync(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, flags: c_ulonglong, hStream: CUstream);
        plain     ptds   13000  "cuMemDiscardBatchAsync"                               cuMemDiscardBatchAsync_ptsz(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, flags: c_ulonglong, hStream: CUstream);
        plain     legacy 13000  "cuMemDiscardAndPrefetchBatchAsync"                    cuMemDiscardAndPrefetchBatchAsync(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetchLocs: *mut CUmemLocation, prefetchLocIdxs: *mut usize, numPrefetchLocs: usize, flags: c_ulonglong, hStream: CUstream);
        plain     ptds   13000  "cuMemDiscardAndPrefetchBatchAsync"                    cuMemDiscardAndPrefetchBatchAsync_ptsz(dptrs: *mut CUdeviceptr, sizes: *mut usize, count: usize, prefetchLocs: *mut CUmemLocation, prefetchLocIdxs: *mut usize, numPrefetchLocs: usize, flags: c_ulonglong, hStream: CUstream);
        plain     legacy  6000  "cuStreamAttachMemAsync"                               cuStreamAttachMemAsync(hStream: CUstream, dptr: CUdeviceptr, length: usize, flags: c_uint);
        plain     ptds    7000  "cuStreamAttachMemAsync"                               cuStreamAttachMemAsync_ptsz(hStream: CUstream, dptr: CUdeviceptr, length: usize, flags: c_uint);

        // Page-locked host memory.
        plain     any     2000  "cuMemAllocHost"                                       cuMemAllocHost(pp: *mut *mut c_void, bytesize: c_uint);
        plain     any     3020  "cuMemAllocHost"                                       cuMemAllocHost_v2(pp: *mut *mut c_void, bytesize: usize);
        plain     any     2000  "cuMemFreeHost"                                        cuMemFreeHost(p: *mut c_void);
        plain     any     2020  "cuMemHostAlloc"                                       cuMemHostAlloc(pp: *mut *mut c_void, bytesize: usize, Flags: c_uint);
        plain     any     2020  "cuMemHostGetDevicePointer"                            cuMemHostGetDevicePointer(pdptr: *mut CUdeviceptr_v1, p: *mut c_void, Flags: c_uint);
        plain     any     3020  "cuMemHostGetDevicePointer"                            cuMemHostGetDevicePointer_v2(pdptr: *mut CUdeviceptr, p: *mut c_void, Flags: c_uint);
        plain     any     2030  "cuMemHostGetFlags"                                    cuMemHostGetFlags(pFlags: *mut c_uint, p: *mut c_void);
        plain     any     4000  "cuMemHostRegister"                                    cuMemHostRegister(p: *mut c_void, bytesize: usize, Flags: c_uint);
        plain     any     6050  "cuMemHostRegister"                                    cuMemHostRegister_v2(p: *mut c_void, bytesize: usize, Flags: c_uint);
        plain     any     4000  "cuMemHostUnregister"                                  cuMemHostUnregister(p: *mut c_void);

        // Stream-ordered memory and its pools.
        pools     legacy 11020  "cuMemAllocAsync"                                      cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, hStream: CUstream);
        pools     ptds   11020  "cuMemAllocAsync"                                      cuMemAllocAsync_ptsz(dptr: *mut CUdeviceptr, bytesize: usize, hStream: CUstream);
        pools     legacy 11020  "cuMemAllocFromPoolAsync"                              cuMemAllocFromPoolAsync(dptr: *mut CUdeviceptr, bytesize: usize, pool: CUmemoryPool, hStream: CUstream);
        pools     ptds   11020  "cuMemAllocFromPoolAsync"                              cuMemAllocFromPoolAsync_ptsz(dptr: *mut CUdeviceptr, bytesize: usize, pool: CUmemoryPool, hStream: CUstream);
        pools     legacy 11020  "cuMemFreeAsync"                                       cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream);
        pools     ptds   11020  "cuMemFreeAsync"                                       cuMemFreeAsync_ptsz(dptr: CUdeviceptr, hStream: CUstream);
        pools     any    11020  "cuMemPoolCreate"                                      cuMemPoolCreate(pool: *mut CUmemoryPool, poolProps: *const CUmemPoolProps);
        pools     any    11020  "cuMemPoolDestroy"                                     cuMemPoolDestroy(pool: CUmemoryPool);
        pools     any    11020  "cuMemPoolTrimTo"                                      cuMemPoolTrimTo(pool: CUmemoryPool, minBytesToKeep: usize);
        plain     any    11020  "cuMemPoolSetAttribute"                                cuMemPoolSetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void);
        plain     any    11020  "cuMemPoolGetAttribute"                                cuMemPoolGetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void);
        plain     any    11020  "cuMemPoolSetAccess"                                   cuMemPoolSetAccess(pool: CUmemoryPool, map: *const CUmemAccessDesc, count: usize);
        plain     any    11020  "cuMemPoolGetAccess"                                   cuMemPoolGetAccess(flags: *mut CUmemAccess_flags, memPool: CUmemoryPool, location: *mut CUmemLocation);
        plain     any    11020  "cuMemPoolExportToShareableHandle"                     cuMemPoolExportToShareableHandle(handle_out: *mut c_void, pool: CUmemoryPool, handleType: CUmemAllocationHandleType, flags: c_ulonglong);
        plain     any    11020  "cuMemPoolImportFromShareableHandle"                   cuMemPoolImportFromShareableHandle(pool_out: *mut CUmemoryPool, handle: *mut c_void, handleType: CUmemAllocationHandleType, flags: c_ulonglong);
        plain     any    11020  "cuMemPoolExportPointer"                               cuMemPoolExportPointer(shareData_out: *mut CUmemPoolPtrExportData, ptr: CUdeviceptr);
        plain     any    11020  "cuMemPoolImportPointer"                               cuMemPoolImportPointer(ptr_out: *mut CUdeviceptr, pool: CUmemoryPool, shareData: *mut CUmemPoolPtrExportData);
        plain     any    11020  "cuDeviceGetDefaultMemPool"                            cuDeviceGetDefaultMemPool(pool_out: *mut CUmemoryPool, dev: CUdevice);
        plain     any    11020  "cuDeviceGetMemPool"                                   cuDeviceGetMemPool(pool: *mut CUmemoryPool, dev: CUdevice);
        plain     any    11020  "cuDeviceSetMemPool"                                   cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool);
        plain     any    13000  "cuMemGetDefaultMemPool"                               cuMemGetDefaultMemPool(pool_out: *mut CUmemoryPool, location: *mut CUmemLocation, kind: CUmemAllocationType);
        plain     any    13000  "cuMemGetMemPool"                                      cuMemGetMemPool(pool: *mut CUmemoryPool, location: *mut CUmemLocation, kind: CUmemAllocationType);
        plain     any    13000  "cuMemSetMemPool"                                      cuMemSetMemPool(location: *mut CUmemLocation, kind: CUmemAllocationType, pool: CUmemoryPool);

        // Virtual memory: address ranges and the physical memory behind them.
        plain     any    10020  "cuMemAddressReserve"                                  cuMemAddressReserve(ptr: *mut CUdeviceptr, size: usize, alignment: usize, addr: CUdeviceptr, flags: c_ulonglong);
        plain     any    10020  "cuMemAddressFree"                                     cuMemAddressFree(ptr: CUdeviceptr, size: usize);
        physical  any    10020  "cuMemCreate"                                          cuMemCreate(handle: *mut CUmemGenericAllocationHandle, size: usize, prop: *const CUmemAllocationProp, flags: c_ulonglong);
        physical  any    10020  "cuMemRelease"                                         cuMemRelease(handle: CUmemGenericAllocationHandle);
        physical  any    11000  "cuMemRetainAllocationHandle"                          cuMemRetainAllocationHandle(handle: *mut CUmemGenericAllocationHandle, addr: *mut c_void);
        physical  any    10020  "cuMemMap"                                             cuMemMap(ptr: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: c_ulonglong);
        physical  any    10020  "cuMemUnmap"                                           cuMemUnmap(ptr: CUdeviceptr, size: usize);
        arrays    legacy 11010  "cuMemMapArrayAsync"                                   cuMemMapArrayAsync(mapInfoList: *mut CUarrayMapInfo, count: c_uint, hStream: CUstream);
        arrays    ptds   11010  "cuMemMapArrayAsync"                                   cuMemMapArrayAsync_ptsz(mapInfoList: *mut CUarrayMapInfo, count: c_uint, hStream: CUstream);
        plain     any    10020  "cuMemSetAccess"                                       cuMemSetAccess(ptr: CUdeviceptr, size: usize, desc: *const CUmemAccessDesc, count: usize);
        plain     any    10020  "cuMemGetAccess"                                       cuMemGetAccess(flags: *mut c_ulonglong, location: *const CUmemLocation, ptr: CUdeviceptr);
        physical  any    10020  "cuMemExportToShareableHandle"                         cuMemExportToShareableHandle(shareableHandle: *mut c_void, handle: CUmemGenericAllocationHandle, handleType: CUmemAllocationHandleType, flags: c_ulonglong);
        physical  any    10020  "cuMemImportFromShareableHandle"                       cuMemImportFromShareableHandle(handle: *mut CUmemGenericAllocationHandle, osHandle: *mut c_void, shHandleType: CUmemAllocationHandleType);
        plain     any    10020  "cuMemGetAllocationGranularity"                        cuMemGetAllocationGranularity(granularity: *mut usize, prop: *const CUmemAllocationProp, option: CUmemAllocationGranularity_flags);
        plain     any    10020  "cuMemGetAllocationPropertiesFromHandle"               cuMemGetAllocationPropertiesFromHandle(prop: *mut CUmemAllocationProp, handle: CUmemGenericAllocationHandle);
        plain     any    11070  "cuMemGetHandleForAddressRange"                        cuMemGetHandleForAddressRange(handle: *mut c_void, dptr: CUdeviceptr, size: usize, handleType: CUmemRangeHandleType, flags: c_ulonglong);

        // Multicast objects.
        multicast any    12010  "cuMulticastCreate"                                    cuMulticastCreate(mcHandle: *mut CUmemGenericAllocationHandle, prop: *const CUmulticastObjectProp);
        plain     any    12010  "cuMulticastAddDevice"                                 cuMulticastAddDevice(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice);
        multicast any    12010  "cuMulticastBindMem"                                   cuMulticastBindMem(mcHandle: CUmemGenericAllocationHandle, mcOffset: usize, memHandle: CUmemGenericAllocationHandle, memOffset: usize, size: usize, flags: c_ulonglong);
        multicast any    13010  "cuMulticastBindMem"                                   cuMulticastBindMem_v2(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice, mcOffset: usize, memHandle: CUmemGenericAllocationHandle, memOffset: usize, size: usize, flags: c_ulonglong);
        multicast any    12010  "cuMulticastBindAddr"                                  cuMulticastBindAddr(mcHandle: CUmemGenericAllocationHandle, mcOffset: usize, memptr: CUdeviceptr, size: usize, flags: c_ulonglong);
        multicast any    13010  "cuMulticastBindAddr"                                  cuMulticastBindAddr_v2(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice, mcOffset: usize, memptr: CUdeviceptr, size: usize, flags: c_ulonglong);
        multicast any    12010  "cuMulticastUnbind"                                    cuMulticastUnbind(mcHandle: CUmemGenericAllocationHandle, dev: CUdevice, mcOffset: usize, size: usize);
        plain     any    12010  "cuMulticastGetGranularity"                            cuMulticastGetGranularity(granularity: *mut usize, prop: *const CUmulticastObjectProp, option: CUmulticastGranularity_flags);

        // Logical endpoints: names under which memory that was created elsewhere is reached; they take none.
        plain     any    13030  "cuLogicalEndpointIdReserve"                           cuLogicalEndpointIdReserve(baseLeId: *mut CUlogicalEndpointId, count: cuuint32_t);
        plain     any    13030  "cuLogicalEndpointIdRelease"                           cuLogicalEndpointIdRelease(baseLeId: CUlogicalEndpointId, count: cuuint32_t);
        plain     any    13030  "cuLogicalEndpointCreate"                              cuLogicalEndpointCreate(leId: CUlogicalEndpointId, prop: *const CUlogicalEndpointProp);
        plain     any    13030  "cuLogicalEndpointAddDevice"                           cuLogicalEndpointAddDevice(leId: CUlogicalEndpointId, dev: CUdevice);
        plain     any    13030  "cuLogicalEndpointDestroy"                             cuLogicalEndpointDestroy(leId: CUlogicalEndpointId);
        plain     any    13030  "cuLogicalEndpointBindAddr"                            cuLogicalEndpointBindAddr(leId: CUlogicalEndpointId, dev: CUdevice, offset: cuuint64_t, ptr: *mut c_void, size: cuuint64_t, flags: c_ulonglong);
        plain     any    13030  "cuLogicalEndpointBindMem"                             cuLogicalEndpointBindMem(leId: CUlogicalEndpointId, dev: CUdevice, offset: cuuint64_t, memHandle: CUmemGenericAllocationHandle, memOffset: cuuint64_t, size: cuuint64_t, flags: c_ulonglong);
        plain     any    13030  "cuLogicalEndpointUnbind"                              cuLogicalEndpointUnbind(leId: CUlogicalEndpointId, dev: CUdevice, offset: cuuint64_t, size: cuuint64_t);
        plain     any    13030  "cuLogicalEndpointExport"                              cuLogicalEndpointExport(handle: *mut c_void, leId: CUlogicalEndpointId, handleType: CUlogicalEndpointIpcHandleType);
        plain     any    13030  "cuLogicalEndpointImport"                              cuLogicalEndpointImport(leId: CUlogicalEndpointId, handle: *const c_void, handleType: CUlogicalEndpointIpcHandleType);
        plain     any    13030  "cuLogicalEndpointGetLimits"                           cuLogicalEndpointGetLimits(bindAlignment: *mut cuuint64_t, maxSize: *mut cuuint64_t, prop: *const CUlogicalEndpointProp);
        plain     any    13030  "cuLogicalEndpointQuery"                               cuLogicalEndpointQuery(leId: CUlogicalEndpointId, count: cuuint32_t, queryStatus: *mut c_int);

        // Arrays.
        arrays    any     2000  "cuArrayCreate"                                        cuArrayCreate(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR_v1);
        arrays    any     3020  "cuArrayCreate"                                        cuArrayCreate_v2(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR);
        arrays    any     2000  "cuArray3DCreate"                                      cuArray3DCreate(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR_v1);
        arrays    any     3020  "cuArray3DCreate"                                      cuArray3DCreate_v2(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR);
        arrays    any     2000  "cuArrayDestroy"                                       cuArrayDestroy(hArray: CUarray);
        plain     any     2000  "cuArrayGetDescriptor"                                 cuArrayGetDescriptor(pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR_v1, hArray: CUarray);
        plain     any     3020  "cuArrayGetDescriptor"                                 cuArrayGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR, hArray: CUarray);
        plain     any     2000  "cuArray3DGetDescriptor"                               cuArray3DGetDescriptor(pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR_v1, hArray: CUarray);
        plain     any     3020  "cuArray3DGetDescriptor"                               cuArray3DGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR, hArray: CUarray);
        plain     any    11020  "cuArrayGetPlane"                                      cuArrayGetPlane(pPlaneArray: *mut CUarray, hArray: CUarray, planeIdx: c_uint);
        plain     any    11060  "cuArrayGetMemoryRequirements"                         cuArrayGetMemoryRequirements(memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS, array: CUarray, device: CUdevice);
        plain     any    11010  "cuArrayGetSparseProperties"                           cuArrayGetSparseProperties(sparseProperties: *mut CUDA_ARRAY_SPARSE_PROPERTIES, array: CUarray);
        arrays    any     5000  "cuMipmappedArrayCreate"                               cuMipmappedArrayCreate(pHandle: *mut CUmipmappedArray, pMipmappedArrayDesc: *const CUDA_ARRAY3D_DESCRIPTOR, numMipmapLevels: c_uint);
        arrays    any     5000  "cuMipmappedArrayDestroy"                              cuMipmappedArrayDestroy(hMipmappedArray: CUmipmappedArray);
        plain     any     5000  "cuMipmappedArrayGetLevel"                             cuMipmappedArrayGetLevel(pLevelArray: *mut CUarray, hMipmappedArray: CUmipmappedArray, level: c_uint);
        plain     any    11060  "cuMipmappedArrayGetMemoryRequirements"                cuMipmappedArrayGetMemoryRequirements(memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS, mipmap: CUmipmappedArray, device: CUdevice);
        plain     any    11010  "cuMipmappedArrayGetSparseProperties"                  cuMipmappedArrayGetSparseProperties(sparseProperties: *mut CUDA_ARRAY_SPARSE_PROPERTIES, mipmap: CUmipmappedArray);

        // Texture and surface objects: ways to read arrays and memory that are there.
        plain     any     5000  "cuTexObjectCreate"                                    cuTexObjectCreate(pTexObject: *mut CUtexObject, pResDesc: *const CUDA_RESOURCE_DESC, pTexDesc: *const CUDA_TEXTURE_DESC, pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC);
        plain     any     5000  "cuTexObjectDestroy"                                   cuTexObjectDestroy(texObject: CUtexObject);
        plain     any     5000  "cuTexObjectGetResourceDesc"                           cuTexObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, texObject: CUtexObject);
        plain     any     5000  "cuTexObjectGetTextureDesc"                            cuTexObjectGetTextureDesc(pTexDesc: *mut CUDA_TEXTURE_DESC, texObject: CUtexObject);
        plain     any     5000  "cuTexObjectGetResourceViewDesc"                       cuTexObjectGetResourceViewDesc(pResViewDesc: *mut CUDA_RESOURCE_VIEW_DESC, texObject: CUtexObject);
        plain     any     5000  "cuSurfObjectCreate"                                   cuSurfObjectCreate(pSurfObject: *mut CUsurfObject, pResDesc: *const CUDA_RESOURCE_DESC);
        plain     any     5000  "cuSurfObjectDestroy"                                  cuSurfObjectDestroy(surfObject: CUsurfObject);
        plain     any     5000  "cuSurfObjectGetResourceDesc"                          cuSurfObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, surfObject: CUsurfObject);

        // Memory shared between processes and with other APIs.
        plain     any     4010  "cuIpcGetMemHandle"                                    cuIpcGetMemHandle(pHandle: *mut CUipcMemHandle, dptr: CUdeviceptr);
        plain     any     4010  "cuIpcOpenMemHandle"                                   cuIpcOpenMemHandle(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, Flags: c_uint);
        plain     any    11000  "cuIpcOpenMemHandle"                                   cuIpcOpenMemHandle_v2(pdptr: *mut CUdeviceptr, handle: CUipcMemHandle, Flags: c_uint);
        plain     any     4010  "cuIpcCloseMemHandle"                                  cuIpcCloseMemHandle(dptr: CUdeviceptr);
        plain     any     4010  "cuIpcGetEventHandle"                                  cuIpcGetEventHandle(pHandle: *mut CUipcEventHandle, event: CUevent);
        plain     any     4010  "cuIpcOpenEventHandle"                                 cuIpcOpenEventHandle(phEvent: *mut CUevent, handle: CUipcEventHandle);
        plain     any    10000  "cuImportExternalMemory"                               cuImportExternalMemory(extMem_out: *mut CUexternalMemory, memHandleDesc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
        plain     any    10000  "cuExternalMemoryGetMappedBuffer"                      cuExternalMemoryGetMappedBuffer(devPtr: *mut CUdeviceptr, extMem: CUexternalMemory, bufferDesc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC);
        plain     any    10000  "cuExternalMemoryGetMappedMipmappedArray"              cuExternalMemoryGetMappedMipmappedArray(mipmap: *mut CUmipmappedArray, extMem: CUexternalMemory, mipmapDesc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC);
        plain     any    10000  "cuDestroyExternalMemory"                              cuDestroyExternalMemory(extMem: CUexternalMemory);

        // Copies.
        copies    legacy  4000  "cuMemcpy"                                             cuMemcpy(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize);
        copies    ptds    7000  "cuMemcpy"                                             cuMemcpy_ptds(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize);
        plain     legacy  4000  "cuMemcpyAsync"                                        cuMemcpyAsync(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize, hStream: CUstream);
        plain     ptds    7000  "cuMemcpyAsync"                                        cuMemcpyAsync_ptsz(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize, hStream: CUstream);
        copies    legacy  2000  "cuMemcpyHtoD"                                         cuMemcpyHtoD(dstDevice: CUdeviceptr_v1, srcHost: *const c_void, ByteCount: c_uint);
        copies    legacy  3020  "cuMemcpyHtoD"                                         cuMemcpyHtoD_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize);
        copies    ptds    7000  "cuMemcpyHtoD"                                         cuMemcpyHtoD_v2_ptds(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize);
        plain     legacy  2000  "cuMemcpyHtoDAsync"                                    cuMemcpyHtoDAsync(dstDevice: CUdeviceptr_v1, srcHost: *const c_void, ByteCount: c_uint, hStream: CUstream);
        plain     legacy  3020  "cuMemcpyHtoDAsync"                                    cuMemcpyHtoDAsync_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize, hStream: CUstream);
        plain     ptds    7000  "cuMemcpyHtoDAsync"                                    cuMemcpyHtoDAsync_v2_ptsz(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize, hStream: CUstream);
        copies    legacy  2000  "cuMemcpyDtoH"                                         cuMemcpyDtoH(dstHost: *mut c_void, srcDevice: CUdeviceptr_v1, ByteCount: c_uint);
        copies    legacy  3020  "cuMemcpyDtoH"                                         cuMemcpyDtoH_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize);
        copies    ptds    7000  "cuMemcpyDtoH"                                         cuMemcpyDtoH_v2_ptds(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize);
        plain     legacy  2000  "cuMemcpyDtoHAsync"                                    cuMemcpyDtoHAsync(dstHost: *mut c_void, srcDevice: CUdeviceptr_v1, ByteCount: c_uint, hStream: CUstream);
        plain     legacy  3020  "cuMemcpyDtoHAsync"                                    cuMemcpyDtoHAsync_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream);
        plain     ptds    7000  "cuMemcpyDtoHAsync"                                    cuMemcpyDtoHAsync_v2_ptsz(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream);
        copies    legacy  2000  "cuMemcpyDtoD"                                         cuMemcpyDtoD(dstDevice: CUdeviceptr_v1, srcDevice: CUdeviceptr_v1, ByteCount: c_uint);
        copies    legacy  3020  "cuMemcpyDtoD"                                         cuMemcpyDtoD_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize);
        copies    ptds    7000  "cuMemcpyDtoD"                                         cuMemcpyDtoD_v2_ptds(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize);
        plain     legacy  3000  "cuMemcpyDtoDAsync"                                    cuMemcpyDtoDAsync(dstDevice: CUdeviceptr_v1, srcDevice: CUdeviceptr_v1, ByteCount: c_uint, hStream: CUstream);
        plain     legacy  3020  "cuMemcpyDtoDAsync"                                    cuMemcpyDtoDAsync_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream);
        plain     ptds    7000  "cuMemcpyDtoDAsync"                                    cuMemcpyDtoDAsync_v2_ptsz(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize, hStream: CUstream);
        copies    legacy  4000  "cuMemcpyPeer"                                         cuMemcpyPeer(dstDevice: CUdeviceptr, dstContext: CUcontext, srcDevice: CUdeviceptr, srcContext: CUcontext, ByteCount: usize);
        copies    ptds    7000  "cuMemcpyPeer"                                         cuMemcpyPeer_ptds(dstDevice: CUdeviceptr, dstContext: CUcontext, srcDevice: CUdeviceptr, srcContext: CUcontext, ByteCount: usize);
        plain     legacy  4000  "cuMemcpyPeerAsync"                                    cuMemcpyPeerAsync(dstDevice: CUdeviceptr, dstContext: CUcontext, srcDevice: CUdeviceptr, srcContext: CUcontext, ByteCount: usize, hStream: CUstream);
        plain     ptds    7000  "cuMemcpyPeerAsync"                                    cuMemcpyPeerAsync_ptsz(dstDevice: CUdeviceptr, dstContext: CUcontext, srcDevice: CUdeviceptr, srcContext: CUcontext, ByteCount: usize, hStream: CUstream);
        copies    legacy  2000  "cuMemcpy2D"                                           cuMemcpy2D(pCopy: *const CUDA_MEMCPY2D_v1);
        copies    legacy  3020  "cuMemcpy2D"                                           cuMemcpy2D_v2(pCopy: *const CUDA_MEMCPY2D);
        copies    ptds    7000  "cuMemcpy2D"                                           cuMemcpy2D_v2_ptds(pCopy: *const CUDA_MEMCPY2D);
        copies    legacy  2000  "cuMemcpy2DUnaligned"                                  cuMemcpy2DUnaligned(pCopy: *const CUDA_MEMCPY2D_v1);
        copies    legacy  3020  "cuMemcpy2DUnaligned"                                  cuMemcpy2DUnaligned_v2(pCopy: *const CUDA_MEMCPY2D);
        copies    ptds    7000  "cuMemcpy2DUnaligned"                                  cuMemcpy2DUnaligned_v2_ptds(pCopy: *const CUDA_MEMCPY2D);
        plain     legacy  2000  "cuMemcpy2DAsync"                                      cuMemcpy2DAsync(pCopy: *const CUDA_MEMCPY2D_v1, hStream: CUstream);
        plain     legacy  3020  "cuMemcpy2DAsync"                                      cuMemcpy2DAsync_v2(pCopy: *const CUDA_MEMCPY2D, hStream: CUstream);
        plain     ptds    7000  "cuMemcpy2DAsync"                                      cuMemcpy2DAsync_v2_ptsz(pCopy: *const CUDA_MEMCPY2D, hStream: CUstream);
        copies    legacy  2000  "cuMemcpy3D"                                           cuMemcpy3D(pCopy: *const CUDA_MEMCPY3D_v1);
        copies    legacy  3020  "cuMemcpy3D"                                           cuMemcpy3D_v2(pCopy: *const CUDA_MEMCPY3D);
        copies    ptds    7000  "cuMemcpy3D"                                           cuMemcpy3D_v2_ptds(pCopy: *const CUDA_MEMCPY3D);
        plain     legacy  2000  "cuMemcpy3DAsync"                                      cuMemcpy3DAsync(pCopy: *const CUDA_MEMCPY3D_v1, hStream: CUstream);
        plain     legacy  3020  "cuMemcpy3DAsync"                                      cuMemcpy3DAsync_v2(pCopy: *const CUDA_MEMCPY3D, hStream: CUstream);
        plain     ptds    7000  "cuMemcpy3DAsync"                                      cuMemcpy3DAsync_v2_ptsz(pCopy: *const CUDA_MEMCPY3D, hStream: CUstream);
        copies    legacy  2000  "cuMemcpyHtoA"                                         cuMemcpyHtoA(dstArray: CUarray, dstOffset: c_uint, srcHost: *const c_void, ByteCount: c_uint);
        copies    legacy  3020  "cuMemcpyHtoA"                                         cuMemcpyHtoA_v2(dstArray: CUarray, dstOffset: usize, srcHost: *const c_void, ByteCount: usize);
        copies    ptds    7000  "cuMemcpyHtoA"                                         cuMemcpyHtoA_v2_ptds(dstArray: CUarray, dstOffset: usize, srcHost: *const c_void, ByteCount: usize);
        plain     legacy  2000  "cuMemcpyHtoAAsync"                                    cuMemcpyHtoAAsync(dstArray: CUarray, dstOffset: c_uint, srcHost: *const c_void, ByteCount: c_uint, hStream: CUstream);
        plain     legacy  3020  "cuMemcpyHtoAAsync"                                    cuMemcpyHtoAAsync_v2(dstArray: CUarray, dstOffset: usize, srcHost: *const c_void, ByteCount: usize, hStream: CUstream);
        plain     ptds    7000  "cuMemcpyHtoAAsync"                                    cuMemcpyHtoAAsync_v2_ptsz(dstArray: CUarray, dstOffset: usize, srcHost: *const c_void, ByteCount: usize, hStream: CUstream);
        copies    legacy  2000  "cuMemcpyAtoH"                                         cuMemcpyAtoH(dstHost: *mut c_void, srcArray: CUarray, srcOffset: c_uint, ByteCount: c_uint);
        copies    legacy  3020  "cuMemcpyAtoH"                                         cuMemcpyAtoH_v2(dstHost: *mut c_void, srcArray: CUarray, srcOffset: usize, ByteCount: usize);
        copies    ptds    7000  "cuMemcpyAtoH"                                         cuMemcpyAtoH_v2_ptds(dstHost: *mut c_void, srcArray: CUarray, srcOffset: usize, ByteCount: usize);
        plain     legacy  2000  "cuMemcpyAtoHAsync"                                    cuMemcpyAtoHAsync(dstHost: *mut c_void, srcArray: CUarray, srcOffset: c_uint, ByteCount: c_uint, hStream: CUstream);
        plain     legacy  3020  "cuMemcpyAtoHAsync"                                    cuMemcpyAtoHAsync_v2(dstHost: *mut c_void, srcArray: CUarray, srcOffset: usize, ByteCount: usize, hStream: CUstream);
        plain     ptds    7000  "cuMemcpyAtoHAsync"                                    cuMemcpyAtoHAsync_v2_ptsz(dstHost: *mut c_void, srcArray: CUarray, srcOffset: usize, ByteCount: usize, hStream: CUstream);
        plain     legacy  2000  "cuMemcpyDtoA"                                         cuMemcpyDtoA(dstArray: CUarray, dstOffset: c_uint, srcDevice: CUdeviceptr_v1, ByteCount: c_uint);
        plain     legacy  3020  "cuMemcpyDtoA"                                         cuMemcpyDtoA_v2(dstArray: CUarray, dstOffset: usize, srcDevice: CUdeviceptr, ByteCount: usize);
        plain     ptds    7000  "cuMemcpyDtoA"                                         cuMemcpyDtoA_v2_ptds(dstArray: CUarray, dstOffset: usize, srcDevice: CUdeviceptr, ByteCount: usize);
        plain     legacy  2000  "cuMemcpyAtoD"                                         cuMemcpyAtoD(dstDevice: CUdeviceptr_v1, srcArray: CUarray, srcOffset: c_uint, ByteCount: c_uint);
        plain     legacy  3020  "cuMemcpyAtoD"                                         cuMemcpyAtoD_v2(dstDevice: CUdeviceptr, srcArray: CUarray, srcOffset: usize, ByteCount: usize);
        plain     ptds    7000  "cuMemcpyAtoD"                                         cuMemcpyAtoD_v2_ptds(dstDevice: CUdeviceptr, srcArray: CUarray, srcOffset: usize, ByteCount: usize);
        plain     legacy  2000  "cuMemcpyAtoA"                                         cuMemcpyAtoA(dstArray: CUarray, dstOffset: c_uint, srcArray: CUarray, srcOffset: c_uint, ByteCount: c_uint);
        plain     legacy  3020  "cuMemcpyAtoA"                                         cuMemcpyAtoA_v2(dstArray: CUarray, dstOffset: usize, srcArray: CUarray, srcOffset: usize, ByteCount: usize);
        plain     ptds    7000  "cuMemcpyAtoA"                                         cuMemcpyAtoA_v2_ptds(dstArray: CUarray, dstOffset: usize, srcArray: CUarray, srcOffset: usize, ByteCount: usize);

        // Fills.
        fills     legacy  2000  "cuMemsetD8"                                           cuMemsetD8(dstDevice: CUdeviceptr_v1, uc: c_uchar, N: c_uint);
        fills     legacy  3020  "cuMemsetD8"                                           cuMemsetD8_v2(dstDevice: CUdeviceptr, uc: c_uchar, N: usize);
        fills     ptds    7000  "cuMemsetD8"                                           cuMemsetD8_v2_ptds(dstDevice: CUdeviceptr, uc: c_uchar, N: usize);
        fills     legacy  3020  "cuMemsetD8Async"                                      cuMemsetD8Async(dstDevice: CUdeviceptr, uc: c_uchar, N: usize, hStream: CUstream);
        fills     ptds    7000  "cuMemsetD8Async"                                      cuMemsetD8Async_ptsz(dstDevice: CUdeviceptr, uc: c_uchar, N: usize, hStream: CUstream);
        fills     legacy  2000  "cuMemsetD16"                                          cuMemsetD16(dstDevice: CUdeviceptr_v1, us: c_ushort, N: c_uint);
        fills     legacy  3020  "cuMemsetD16"                                          cuMemsetD16_v2(dstDevice: CUdeviceptr, us: c_ushort, N: usize);
        fills     ptds    7000  "cuMemsetD16"                                          cuMemsetD16_v2_ptds(dstDevice: CUdeviceptr, us: c_ushort, N: usize);
        fills     legacy  3020  "cuMemsetD16Async"                                     cuMemsetD16Async(dstDevice: CUdeviceptr, us: c_ushort, N: usize, hStream: CUstream);
        fills     ptds    7000  "cuMemsetD16Async"                                     cuMemsetD16Async_ptsz(dstDevice: CUdeviceptr, us: c_ushort, N: usize, hStream: CUstream);
        fills     legacy  2000  "cuMemsetD32"                                          cuMemsetD32(dstDevice: CUdeviceptr_v1, ui: c_uint, N: c_uint);
        fills     legacy  3020  "cuMemsetD32"                                          cuMemsetD32_v2(dstDevice: CUdeviceptr, ui: c_uint, N: usize);
        fills     ptds    7000  "cuMemsetD32"                                          cuMemsetD32_v2_ptds(dstDevice: CUdeviceptr, ui: c_uint, N: usize);
        fills     legacy  3020  "cuMemsetD32Async"                                     cuMemsetD32Async(dstDevice: CUdeviceptr, ui: c_uint, N: usize, hStream: CUstream);
        fills     ptds    7000  "cuMemsetD32Async"                                     cuMemsetD32Async_ptsz(dstDevice: CUdeviceptr, ui: c_uint, N: usize, hStream: CUstream);
        fills     legacy  2000  "cuMemsetD2D8"                                         cuMemsetD2D8(dstDevice: CUdeviceptr_v1, dstPitch: c_uint, uc: c_uchar, Width: c_uint, Height: c_uint);
        fills     legacy  3020  "cuMemsetD2D8"                                         cuMemsetD2D8_v2(dstDevice: CUdeviceptr, dstPitch: usize, uc: c_uchar, Width: usize, Height: usize);
        fills     ptds    7000  "cuMemsetD2D8"                                         cuMemsetD2D8_v2_ptds(dstDevice: CUdeviceptr, dstPitch: usize, uc: c_uchar, Width: usize, Height: usize);
        fills     legacy  3020  "cuMemsetD2D8Async"                                    cuMemsetD2D8Async(dstDevice: CUdeviceptr, dstPitch: usize, uc: c_uchar, Width: usize, Height: usize, hStream: CUstream);
        fills     ptds    7000  "cuMemsetD2D8Async"                                    cuMemsetD2D8Async_ptsz(dstDevice: CUdeviceptr, dstPitch: usize, uc: c_uchar, Width: usize, Height: usize, hStream: CUstream);
        fills     legacy  2000  "cuMemsetD2D16"                                        cuMemsetD2D16(dstDevice: CUdeviceptr_v1, dstPitch: c_uint, us: c_ushort, Width: c_uint, Height: c_uint);
        fills     legacy  3020  "cuMemsetD2D16"                                        cuMemsetD2D16_v2(dstDevice: CUdeviceptr, dstPitch: usize, us: c_ushort, Width: usize, Height: usize);
        fills     ptds    7000  "cuMemsetD2D16"                                        cuMemsetD2D16_v2_ptds(dstDevice: CUdeviceptr, dstPitch: usize, us: c_ushort, Width: usize, Height: usize);
        fills     legacy  3020  "cuMemsetD2D16Async"                                   cuMemsetD2D16Async(dstDevice: CUdeviceptr, dstPitch: usize, us: c_ushort, Width: usize, Height: usize, hStream: CUstream);
        fills     ptds    7000  "cuMemsetD2D16Async"                                   cuMemsetD2D16Async_ptsz(dstDevice: CUdeviceptr, dstPitch: usize, us: c_ushort, Width: usize, Height: usize, hStream: CUstream);
        fills     legacy  2000  "cuMemsetD2D32"                                        cuMemsetD2D32(dstDevice: CUdeviceptr_v1, dstPitch: c_uint, ui: c_uint, Width: c_uint, Height: c_uint);
        fills     legacy  3020  "cuMemsetD2D32"                                        cuMemsetD2D32_v2(dstDevice: CUdeviceptr, dstPitch: usize, ui: c_uint, Width: usize, Height: usize);
        fills     ptds    7000  "cuMemsetD2D32"                                        cuMemsetD2D32_v2_ptds(dstDevice: CUdeviceptr, dstPitch: usize, ui: c_uint, Width: usize, Height: usize);
        fills     legacy  3020  "cuMemsetD2D32Async"                                   cuMemsetD2D32Async(dstDevice: CUdeviceptr, dstPitch: usize, ui: c_uint, Width: usize, Height: usize, hStream: CUstream);
        fills     ptds    7000  "cuMemsetD2D32Async"                                   cuMemsetD2D32Async_ptsz(dstDevice: CUdeviceptr, dstPitch: usize, ui: c_uint, Width: usize, Height: usize, hStream: CUstream);

        // Streams.
        plain     any     2000  "cuStreamCreate"                                       cuStreamCreate(phStream: *mut CUstream, Flags: c_uint);
        plain     any     5050  "cuStreamCreateWithPriority"                           cuStreamCreateWithPriority(phStream: *mut CUstream, flags: c_uint, priority: c_int);
        streams   any     2000  "cuStreamDestroy"                                      cuStreamDestroy(hStream: CUstream);
        streams   any     4000  "cuStreamDestroy"                                      cuStreamDestroy_v2(hStream: CUstream);
        waiting   legacy  2000  "cuStreamQuery"                                        cuStreamQuery(hStream: CUstream);
        waiting   ptds    7000  "cuStreamQuery"                                        cuStreamQuery_ptsz(hStream: CUstream);
        waiting   legacy  2000  "cuStreamSynchronize"                                  cuStreamSynchronize(hStream: CUstream);
        waiting   ptds    7000  "cuStreamSynchronize"                                  cuStreamSynchronize_ptsz(hStream: CUstream);
        plain     legacy  3020  "cuStreamWaitEvent"                                    cuStreamWaitEvent(hStream: CUstream, hEvent: CUevent, Flags: c_uint);
        plain     ptds    7000  "cuStreamWaitEvent"                                    cuStreamWaitEvent_ptsz(hStream: CUstream, hEvent: CUevent, Flags: c_uint);
        plain     legacy  5000  "cuStreamAddCallback"                                  cuStreamAddCallback(hStream: CUstream, callback: CUstreamCallback, userData: *mut c_void, flags: c_uint);
        plain     ptds    7000  "cuStreamAddCallback"                                  cuStreamAddCallback_ptsz(hStream: CUstream, callback: CUstreamCallback, userData: *mut c_void, flags: c_uint);
        plain     legacy 10000  "cuLaunchHostFunc"                                     cuLaunchHostFunc(hStream: CUstream, function: CUhostFn, userData: *mut c_void);
        plain     ptds   10000  "cuLaunchHostFunc"                                     cuLaunchHostFunc_ptsz(hStream: CUstream, function: CUhostFn, userData: *mut c_void);
        plain     legacy 13010  "cuLaunchHostFunc"                                     cuLaunchHostFunc_v2(hStream: CUstream, function: CUhostFn, userData: *mut c_void, syncMode: c_uint);
        plain     ptds   13010  "cuLaunchHostFunc"                                     cuLaunchHostFunc_v2_ptsz(hStream: CUstream, function: CUhostFn, userData: *mut c_void, syncMode: c_uint);
        plain     legacy  9020  "cuStreamGetCtx"                                       cuStreamGetCtx(hStream: CUstream, pctx: *mut CUcontext);
        plain     ptds    9020  "cuStreamGetCtx"                                       cuStreamGetCtx_ptsz(hStream: CUstream, pctx: *mut CUcontext);
        plain     legacy 12050  "cuStreamGetCtx"                                       cuStreamGetCtx_v2(hStream: CUstream, pCtx: *mut CUcontext, pGreenCtx: *mut CUgreenCtx);
        plain     ptds   12050  "cuStreamGetCtx"                                       cuStreamGetCtx_v2_ptsz(hStream: CUstream, pCtx: *mut CUcontext, pGreenCtx: *mut CUgreenCtx);
        plain     legacy 12080  "cuStreamGetDevice"                                    cuStreamGetDevice(hStream: CUstream, device: *mut CUdevice);
        plain     ptds   12080  "cuStreamGetDevice"                                    cuStreamGetDevice_ptsz(hStream: CUstream, device: *mut CUdevice);
        plain     legacy 12000  "cuStreamGetId"                                        cuStreamGetId(hStream: CUstream, streamId: *mut c_ulonglong);
        plain     ptds   12000  "cuStreamGetId"                                        cuStreamGetId_ptsz(hStream: CUstream, streamId: *mut c_ulonglong);
        plain     legacy  5050  "cuStreamGetFlags"                                     cuStreamGetFlags(hStream: CUstream, flags: *mut c_uint);
        plain     ptds    7000  "cuStreamGetFlags"                                     cuStreamGetFlags_ptsz(hStream: CUstream, flags: *mut c_uint);
        plain     legacy  5050  "cuStreamGetPriority"                                  cuStreamGetPriority(hStream: CUstream, priority: *mut c_int);
        plain     ptds    7000  "cuStreamGetPriority"                                  cuStreamGetPriority_ptsz(hStream: CUstream, priority: *mut c_int);
        plain     legacy 11000  "cuStreamCopyAttributes"                               cuStreamCopyAttributes(dst: CUstream, src: CUstream);
        plain     ptds   11000  "cuStreamCopyAttributes"                               cuStreamCopyAttributes_ptsz(dst: CUstream, src: CUstream);
        plain     legacy 11000  "cuStreamGetAttribute"                                 cuStreamGetAttribute(hStream: CUstream, attr: CUstreamAttrID, value_out: *mut CUstreamAttrValue);
        plain     ptds   11000  "cuStreamGetAttribute"                                 cuStreamGetAttribute_ptsz(hStream: CUstream, attr: CUstreamAttrID, value_out: *mut CUstreamAttrValue);
        plain     legacy 11000  "cuStreamSetAttribute"                                 cuStreamSetAttribute(hStream: CUstream, attr: CUstreamAttrID, value: *const CUstreamAttrValue);
        plain     ptds   11000  "cuStreamSetAttribute"                                 cuStreamSetAttribute_ptsz(hStream: CUstream, attr: CUstreamAttrID, value: *const CUstreamAttrValue);

        // Waiting on and writing of memory by a stream.
        plain     legacy  8000  "cuStreamWaitValue32"                                  cuStreamWaitValue32(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
        plain     ptds    8000  "cuStreamWaitValue32"                                  cuStreamWaitValue32_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
        plain     legacy 11070  "cuStreamWaitValue32"                                  cuStreamWaitValue32_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
        plain     ptds   11070  "cuStreamWaitValue32"                                  cuStreamWaitValue32_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
        plain     legacy  9000  "cuStreamWaitValue64"                                  cuStreamWaitValue64(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
        plain     ptds    9000  "cuStreamWaitValue64"                                  cuStreamWaitValue64_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
        plain     legacy 11070  "cuStreamWaitValue64"                                  cuStreamWaitValue64_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
        plain     ptds   11070  "cuStreamWaitValue64"                                  cuStreamWaitValue64_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
        plain     legacy  8000  "cuStreamWriteValue32"                                 cuStreamWriteValue32(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
        plain     ptds    8000  "cuStreamWriteValue32"                                 cuStreamWriteValue32_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
        plain     legacy 11070  "cuStreamWriteValue32"                                 cuStreamWriteValue32_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
        plain     ptds   11070  "cuStreamWriteValue32"                                 cuStreamWriteValue32_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint);
        plain     legacy  9000  "cuStreamWriteValue64"                                 cuStreamWriteValue64(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
        plain     ptds    9000  "cuStreamWriteValue64"                                 cuStreamWriteValue64_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
        plain     legacy 11070  "cuStreamWriteValue64"                                 cuStreamWriteValue64_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
        plain     ptds   11070  "cuStreamWriteValue64"                                 cuStreamWriteValue64_v2_ptsz(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint);
        plain     legacy  8000  "cuStreamBatchMemOp"                                   cuStreamBatchMemOp(stream: CUstream, count: c_uint, paramArray: *mut CUstreamBatchMemOpParams, flags: c_uint);
        plain     ptds    8000  "cuStreamBatchMemOp"                                   cuStreamBatchMemOp_ptsz(stream: CUstream, count: c_uint, paramArray: *mut CUstreamBatchMemOpParams, flags: c_uint);
        plain     legacy 11070  "cuStreamBatchMemOp"                                   cuStreamBatchMemOp_v2(stream: CUstream, count: c_uint, paramArray: *mut CUstreamBatchMemOpParams, flags: c_uint);
        plain     ptds   11070  "cuStreamBatchMemOp"                                   cuStreamBatchMemOp_v2_ptsz(stream: CUstream, count: c_uint, paramArray: *mut CUstreamBatchMemOpParams, flags: c_uint);

        // Stream capture.
        capture   legacy 10000  "cuStreamBeginCapture"                                 cuStreamBeginCapture(hStream: CUstream);
        capture   ptds   10000  "cuStreamBeginCapture"                                 cuStreamBeginCapture_ptsz(hStream: CUstream);
        capture   legacy 10010  "cuStreamBeginCapture"                                 cuStreamBeginCapture_v2(hStream: CUstream, mode: CUstreamCaptureMode);
        capture   ptds   10010  "cuStreamBeginCapture"                                 cuStreamBeginCapture_v2_ptsz(hStream: CUstream, mode: CUstreamCaptureMode);
        capture   legacy 12030  "cuStreamBeginCaptureToGraph"                          cuStreamBeginCaptureToGraph(hStream: CUstream, hGraph: CUgraph, dependencies: *const CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, mode: CUstreamCaptureMode);
        capture   ptds   12030  "cuStreamBeginCaptureToGraph"                          cuStreamBeginCaptureToGraph_ptsz(hStream: CUstream, hGraph: CUgraph, dependencies: *const CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, mode: CUstreamCaptureMode);
        capture   legacy 13030  "cuStreamBeginRecaptureToGraph"                        cuStreamBeginRecaptureToGraph(hStream: CUstream, mode: CUstreamCaptureMode, hGraph: CUgraph, callbackFunc: CUgraphRecaptureCallback, userData: *mut c_void);
        capture   ptds   13030  "cuStreamBeginRecaptureToGraph"                        cuStreamBeginRecaptureToGraph_ptsz(hStream: CUstream, mode: CUstreamCaptureMode, hGraph: CUgraph, callbackFunc: CUgraphRecaptureCallback, userData: *mut c_void);
        capture   legacy 13010  "cuStreamBeginCaptureToCig"                            cuStreamBeginCaptureToCig(hStream: CUstream, streamCigCaptureParams: *mut CUstreamCigCaptureParams);
        capture   ptds   13010  "cuStreamBeginCaptureToCig"                            cuStreamBeginCaptureToCig_ptsz(hStream: CUstream, streamCigCaptureParams: *mut CUstreamCigCaptureParams);
        capture   legacy 10000  "cuStreamEndCapture"                                   cuStreamEndCapture(hStream: CUstream, phGraph: *mut CUgraph);
        capture   ptds   10000  "cuStreamEndCapture"                                   cuStreamEndCapture_ptsz(hStream: CUstream, phGraph: *mut CUgraph);
        capture   legacy 13010  "cuStreamEndCaptureToCig"                              cuStreamEndCaptureToCig(hStream: CUstream);
        capture   ptds   13010  "cuStreamEndCaptureToCig"                              cuStreamEndCaptureToCig_ptsz(hStream: CUstream);
        plain     legacy 10000  "cuStreamIsCapturing"                                  cuStreamIsCapturing(hStream: CUstream, captureStatus: *mut CUstreamCaptureStatus);
        plain     ptds   10000  "cuStreamIsCapturing"                                  cuStreamIsCapturing_ptsz(hStream: CUstream, captureStatus: *mut CUstreamCaptureStatus);
        plain     legacy 10010  "cuStreamGetCaptureInfo"                               cuStreamGetCaptureInfo(hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut cuuint64_t);
        plain     ptds   10010  "cuStreamGetCaptureInfo"                               cuStreamGetCaptureInfo_ptsz(hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut cuuint64_t);
        plain     legacy 11030  "cuStreamGetCaptureInfo"                               cuStreamGetCaptureInfo_v2(hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut cuuint64_t, graph_out: *mut CUgraph, dependencies_out: *mut *const CUgraphNode, numDependencies_out: *mut usize);
        plain     ptds   11030  "cuStreamGetCaptureInfo"                               cuStreamGetCaptureInfo_v2_ptsz(hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut cuuint64_t, graph_out: *mut CUgraph, dependencies_out: *mut *const CUgraphNode, numDependencies_out: *mut usize);
        plain     legacy 12030  "cuStreamGetCaptureInfo"                               cuStreamGetCaptureInfo_v3(hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut cuuint64_t, graph_out: *mut CUgraph, dependencies_out: *mut *const CUgraphNode, edgeData_out: *mut *const CUgraphEdgeData, numDependencies_out: *mut usize);
        plain     ptds   12030  "cuStreamGetCaptureInfo"                               cuStreamGetCaptureInfo_v3_ptsz(hStream: CUstream, captureStatus_out: *mut CUstreamCaptureStatus, id_out: *mut cuuint64_t, graph_out: *mut CUgraph, dependencies_out: *mut *const CUgraphNode, edgeData_out: *mut *const CUgraphEdgeData, numDependencies_out: *mut usize);
        plain     legacy 11030  "cuStreamUpdateCaptureDependencies"                    cuStreamUpdateCaptureDependencies(hStream: CUstream, dependencies: *mut CUgraphNode, numDependencies: usize, flags: c_uint);
        plain     ptds   11030  "cuStreamUpdateCaptureDependencies"                    cuStreamUpdateCaptureDependencies_ptsz(hStream: CUstream, dependencies: *mut CUgraphNode, numDependencies: usize, flags: c_uint);
        plain     legacy 12030  "cuStreamUpdateCaptureDependencies"                    cuStreamUpdateCaptureDependencies_v2(hStream: CUstream, dependencies: *mut CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, flags: c_uint);
        plain     ptds   12030  "cuStreamUpdateCaptureDependencies"                    cuStreamUpdateCaptureDependencies_v2_ptsz(hStream: CUstream, dependencies: *mut CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, flags: c_uint);
        plain     any    10010  "cuThreadExchangeStreamCaptureMode"                    cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode);

        // Events.
        plain     any     2000  "cuEventCreate"                                        cuEventCreate(phEvent: *mut CUevent, Flags: c_uint);
        plain     legacy  2000  "cuEventRecord"                                        cuEventRecord(hEvent: CUevent, hStream: CUstream);
        plain     ptds    7000  "cuEventRecord"                                        cuEventRecord_ptsz(hEvent: CUevent, hStream: CUstream);
        plain     legacy 11010  "cuEventRecordWithFlags"                               cuEventRecordWithFlags(hEvent: CUevent, hStream: CUstream, flags: c_uint);
        plain     ptds   11010  "cuEventRecordWithFlags"                               cuEventRecordWithFlags_ptsz(hEvent: CUevent, hStream: CUstream, flags: c_uint);
        waiting   any     2000  "cuEventQuery"                                         cuEventQuery(hEvent: CUevent);
        waiting   any     2000  "cuEventSynchronize"                                   cuEventSynchronize(hEvent: CUevent);
        plain     any     2000  "cuEventDestroy"                                       cuEventDestroy(hEvent: CUevent);
        plain     any     4000  "cuEventDestroy"                                       cuEventDestroy_v2(hEvent: CUevent);
        plain     any     2000  "cuEventElapsedTime"                                   cuEventElapsedTime(pMilliseconds: *mut f32, hStart: CUevent, hEnd: CUevent);
        plain     any    12080  "cuEventElapsedTime"                                   cuEventElapsedTime_v2(pMilliseconds: *mut f32, hStart: CUevent, hEnd: CUevent);

        // Modules.
        modules   any     2000  "cuModuleLoad"                                         cuModuleLoad(module: *mut CUmodule, fname: *const c_char);
        modules   any     2000  "cuModuleLoadData"                                     cuModuleLoadData(module: *mut CUmodule, image: *const c_void);
        modules   any     2010  "cuModuleLoadDataEx"                                   cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_void, numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void);
        modules   any     2000  "cuModuleLoadFatBinary"                                cuModuleLoadFatBinary(module: *mut CUmodule, fatCubin: *const c_void);
        modules   any     2000  "cuModuleUnload"                                       cuModuleUnload(hmod: CUmodule);
        modules   any     2000  "cuModuleGetFunction"                                  cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char);
        modules   any     2000  "cuModuleGetGlobal"                                    cuModuleGetGlobal(dptr: *mut CUdeviceptr_v1, bytes: *mut c_uint, hmod: CUmodule, name: *const c_char);
        modules   any     3020  "cuModuleGetGlobal"                                    cuModuleGetGlobal_v2(dptr: *mut CUdeviceptr, bytes: *mut usize, hmod: CUmodule, name: *const c_char);
        plain     any    12040  "cuModuleGetFunctionCount"                             cuModuleGetFunctionCount(count: *mut c_uint, module: CUmodule);
        plain     any    12040  "cuModuleEnumerateFunctions"                           cuModuleEnumerateFunctions(functions: *mut CUfunction, numFunctions: c_uint, module: CUmodule);
        plain     any     2000  "cuModuleGetTexRef"                                    cuModuleGetTexRef(pTexRef: *mut CUtexref, hmod: CUmodule, name: *const c_char);
        plain     any     3000  "cuModuleGetSurfRef"                                   cuModuleGetSurfRef(pSurfRef: *mut CUsurfref, hmod: CUmodule, name: *const c_char);
        plain     any     5050  "cuLinkCreate"                                         cuLinkCreate(numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void, stateOut: *mut CUlinkState);
        plain     any     6050  "cuLinkCreate"                                         cuLinkCreate_v2(numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void, stateOut: *mut CUlinkState);
        plain     any     5050  "cuLinkAddData"                                        cuLinkAddData(state: CUlinkState, kind: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char, numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void);
        plain     any     6050  "cuLinkAddData"                                        cuLinkAddData_v2(state: CUlinkState, kind: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char, numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void);
        plain     any     5050  "cuLinkAddFile"                                        cuLinkAddFile(state: CUlinkState, kind: CUjitInputType, path: *const c_char, numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void);
        plain     any     6050  "cuLinkAddFile"                                        cuLinkAddFile_v2(state: CUlinkState, kind: CUjitInputType, path: *const c_char, numOptions: c_uint, options: *mut CUjit_option, optionValues: *mut *mut c_void);
        plain     any     5050  "cuLinkComplete"                                       cuLinkComplete(state: CUlinkState, cubinOut: *mut *mut c_void, sizeOut: *mut usize);
        plain     any     5050  "cuLinkDestroy"                                        cuLinkDestroy(state: CUlinkState);

        // Libraries and kernels.
        modules   any    12000  "cuLibraryLoadData"                                    cuLibraryLoadData(library: *mut CUlibrary, code: *const c_void, jitOptions: *mut CUjit_option, jitOptionsValues: *mut *mut c_void, numJitOptions: c_uint, libraryOptions: *mut CUlibraryOption, libraryOptionValues: *mut *mut c_void, numLibraryOptions: c_uint);
        modules   any    12000  "cuLibraryLoadFromFile"                                cuLibraryLoadFromFile(library: *mut CUlibrary, fileName: *const c_char, jitOptions: *mut CUjit_option, jitOptionsValues: *mut *mut c_void, numJitOptions: c_uint, libraryOptions: *mut CUlibraryOption, libraryOptionValues: *mut *mut c_void, numLibraryOptions: c_uint);
        modules   any    12000  "cuLibraryUnload"                                      cuLibraryUnload(library: CUlibrary);
        plain     any    12000  "cuLibraryGetKernel"                                   cuLibraryGetKernel(pKernel: *mut CUkernel, library: CUlibrary, name: *const c_char);
        modules   any    12000  "cuLibraryGetModule"                                   cuLibraryGetModule(pMod: *mut CUmodule, library: CUlibrary);
        modules   any    12000  "cuLibraryGetGlobal"                                   cuLibraryGetGlobal(dptr: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char);
        plain     any    12000  "cuLibraryGetManaged"                                  cuLibraryGetManaged(dptr: *mut CUdeviceptr, bytes: *mut usize, library: CUlibrary, name: *const c_char);
        plain     any    12000  "cuLibraryGetUnifiedFunction"                          cuLibraryGetUnifiedFunction(fptr: *mut *mut c_void, library: CUlibrary, symbol: *const c_char);
        plain     any    12040  "cuLibraryGetKernelCount"                              cuLibraryGetKernelCount(count: *mut c_uint, lib: CUlibrary);
        plain     any    12040  "cuLibraryEnumerateKernels"                            cuLibraryEnumerateKernels(kernels: *mut CUkernel, numKernels: c_uint, lib: CUlibrary);
        modules   any    12000  "cuKernelGetFunction"                                  cuKernelGetFunction(pFunc: *mut CUfunction, kernel: CUkernel);
        plain     any    12050  "cuKernelGetLibrary"                                   cuKernelGetLibrary(pLib: *mut CUlibrary, kernel: CUkernel);
        plain     any    12030  "cuKernelGetName"                                      cuKernelGetName(name: *mut *const c_char, hfunc: CUkernel);
        plain     any    12040  "cuKernelGetParamInfo"                                 cuKernelGetParamInfo(kernel: CUkernel, paramIndex: usize, paramOffset: *mut usize, paramSize: *mut usize);
        plain     any    12000  "cuKernelGetAttribute"                                 cuKernelGetAttribute(pi: *mut c_int, attrib: CUfunction_attribute, kernel: CUkernel, dev: CUdevice);
        plain     any    12000  "cuKernelSetAttribute"                                 cuKernelSetAttribute(attrib: CUfunction_attribute, val: c_int, kernel: CUkernel, dev: CUdevice);
        plain     any    12000  "cuKernelSetCacheConfig"                               cuKernelSetCacheConfig(kernel: CUkernel, config: CUfunc_cache, dev: CUdevice);

        // Functions and occupancy.
        plain     any     2020  "cuFuncGetAttribute"                                   cuFuncGetAttribute(pi: *mut c_int, attrib: CUfunction_attribute, hfunc: CUfunction);
        plain     any     9000  "cuFuncSetAttribute"                                   cuFuncSetAttribute(hfunc: CUfunction, attrib: CUfunction_attribute, value: c_int);
        plain     any     3000  "cuFuncSetCacheConfig"                                 cuFuncSetCacheConfig(hfunc: CUfunction, config: CUfunc_cache);
        plain     any     4020  "cuFuncSetSharedMemConfig"                             cuFuncSetSharedMemConfig(hfunc: CUfunction, config: CUsharedconfig);
        plain     any    11000  "cuFuncGetModule"                                      cuFuncGetModule(hmod: *mut CUmodule, hfunc: CUfunction);
        plain     any    12030  "cuFuncGetName"                                        cuFuncGetName(name: *mut *const c_char, hfunc: CUfunction);
        plain     any    12040  "cuFuncGetParamInfo"                                   cuFuncGetParamInfo(func: CUfunction, paramIndex: usize, paramOffset: *mut usize, paramSize: *mut usize);
        plain     any    12040  "cuFuncIsLoaded"                                       cuFuncIsLoaded(state: *mut CUfunctionLoadingState, function: CUfunction);
        modules   any    12040  "cuFuncLoad"                                           cuFuncLoad(function: CUfunction);
        plain     any     6050  "cuOccupancyMaxActiveBlocksPerMultiprocessor"          cuOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks: *mut c_int, func: CUfunction, blockSize: c_int, dynamicSMemSize: usize);
        plain     any     7000  "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags" cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks: *mut c_int, func: CUfunction, blockSize: c_int, dynamicSMemSize: usize, flags: c_uint);
        plain     any     6050  "cuOccupancyMaxPotentialBlockSize"                     cuOccupancyMaxPotentialBlockSize(minGridSize: *mut c_int, blockSize: *mut c_int, func: CUfunction, blockSizeToDynamicSMemSize: CUoccupancyB2DSize, dynamicSMemSize: usize, blockSizeLimit: c_int);
        plain     any     7000  "cuOccupancyMaxPotentialBlockSizeWithFlags"            cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize: *mut c_int, blockSize: *mut c_int, func: CUfunction, blockSizeToDynamicSMemSize: CUoccupancyB2DSize, dynamicSMemSize: usize, blockSizeLimit: c_int, flags: c_uint);
        plain     any    10020  "cuOccupancyAvailableDynamicSMemPerBlock"              cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize: *mut usize, func: CUfunction, numBlocks: c_int, blockSize: c_int);
        plain     any    11070  "cuOccupancyMaxPotentialClusterSize"                   cuOccupancyMaxPotentialClusterSize(clusterSize: *mut c_int, func: CUfunction, config: *const CUlaunchConfig);
        plain     any    11070  "cuOccupancyMaxActiveClusters"                         cuOccupancyMaxActiveClusters(numClusters: *mut c_int, func: CUfunction, config: *const CUlaunchConfig);

        // Launches.
        launch    legacy  4000  "cuLaunchKernel"                                       cuLaunchKernel(f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream, kernelParams: *mut *mut c_void, extra: *mut *mut c_void);
        launch    ptds    7000  "cuLaunchKernel"                                       cuLaunchKernel_ptsz(f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream, kernelParams: *mut *mut c_void, extra: *mut *mut c_void);
        launch    legacy 11060  "cuLaunchKernelEx"                                     cuLaunchKernelEx(config: *const CUlaunchConfig, f: CUfunction, kernelParams: *mut *mut c_void, extra: *mut *mut c_void);
        launch    ptds   11060  "cuLaunchKernelEx"                                     cuLaunchKernelEx_ptsz(config: *const CUlaunchConfig, f: CUfunction, kernelParams: *mut *mut c_void, extra: *mut *mut c_void);
        launch    legacy  9000  "cuLaunchCooperativeKernel"                            cuLaunchCooperativeKernel(f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream, kernelParams: *mut *mut c_void);
        launch    ptds    9000  "cuLaunchCooperativeKernel"                            cuLaunchCooperativeKernel_ptsz(f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream, kernelParams: *mut *mut c_void);
        launch    any     9000  "cuLaunchCooperativeKernelMultiDevice"                 cuLaunchCooperativeKernelMultiDevice(launchParamsList: *mut CUDA_LAUNCH_PARAMS, numDevices: c_uint, flags: c_uint);
        launch    any     2000  "cuLaunch"                                             cuLaunch(f: CUfunction);
        launch    any     2000  "cuLaunchGrid"                                         cuLaunchGrid(f: CUfunction, grid_width: c_int, grid_height: c_int);
        launch    any     2000  "cuLaunchGridAsync"                                    cuLaunchGridAsync(f: CUfunction, grid_width: c_int, grid_height: c_int, hStream: CUstream);
        plain     any     2000  "cuFuncSetBlockShape"                                  cuFuncSetBlockShape(hfunc: CUfunction, x: c_int, y: c_int, z: c_int);
        plain     any     2000  "cuFuncSetSharedSize"                                  cuFuncSetSharedSize(hfunc: CUfunction, bytes: c_uint);
        plain     any     2000  "cuParamSetSize"                                       cuParamSetSize(hfunc: CUfunction, numbytes: c_uint);
        plain     any     2000  "cuParamSeti"                                          cuParamSeti(hfunc: CUfunction, offset: c_int, value: c_uint);
        plain     any     2000  "cuParamSetf"                                          cuParamSetf(hfunc: CUfunction, offset: c_int, value: f32);
        plain     any     2000  "cuParamSetv"                                          cuParamSetv(hfunc: CUfunction, offset: c_int, ptr: *mut c_void, numbytes: c_uint);

        // Graphs: building.
        plain     any    10000  "cuGraphCreate"                                        cuGraphCreate(phGraph: *mut CUgraph, flags: c_uint);
        plain     any    10000  "cuGraphDestroy"                                       cuGraphDestroy(hGraph: CUgraph);
        plain     any    10000  "cuGraphClone"                                         cuGraphClone(phGraphClone: *mut CUgraph, originalGraph: CUgraph);
        plain     any    10000  "cuGraphAddEmptyNode"                                  cuGraphAddEmptyNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize);
        plain     any    10000  "cuGraphAddKernelNode"                                 cuGraphAddKernelNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1);
        plain     any    12000  "cuGraphAddKernelNode"                                 cuGraphAddKernelNode_v2(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_KERNEL_NODE_PARAMS);
        plain     any    10000  "cuGraphAddMemcpyNode"                                 cuGraphAddMemcpyNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, copyParams: *const CUDA_MEMCPY3D, ctx: CUcontext);
        plain     any    10000  "cuGraphAddMemsetNode"                                 cuGraphAddMemsetNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, memsetParams: *const CUDA_MEMSET_NODE_PARAMS, ctx: CUcontext);
        plain     any    10000  "cuGraphAddHostNode"                                   cuGraphAddHostNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *const CUDA_HOST_NODE_PARAMS);
        plain     any    10000  "cuGraphAddChildGraphNode"                             cuGraphAddChildGraphNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, childGraph: CUgraph);
        plain     any    10000  "cuGraphChildGraphNodeGetGraph"                        cuGraphChildGraphNodeGetGraph(hNode: CUgraphNode, phGraph: *mut CUgraph);
        plain     any    11010  "cuGraphAddEventRecordNode"                            cuGraphAddEventRecordNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, event: CUevent);
        plain     any    11010  "cuGraphAddEventWaitNode"                              cuGraphAddEventWaitNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, event: CUevent);
        plain     any    11040  "cuGraphAddMemAllocNode"                               cuGraphAddMemAllocNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS);
        plain     any    11040  "cuGraphMemAllocNodeGetParams"                         cuGraphMemAllocNodeGetParams(hNode: CUgraphNode, params_out: *mut CUDA_MEM_ALLOC_NODE_PARAMS);
        plain     any    11040  "cuGraphAddMemFreeNode"                                cuGraphAddMemFreeNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, dptr: CUdeviceptr);
        plain     any    11040  "cuGraphMemFreeNodeGetParams"                          cuGraphMemFreeNodeGetParams(hNode: CUgraphNode, dptr_out: *mut CUdeviceptr);
        plain     any    12020  "cuGraphAddNode"                                       cuGraphAddNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, nodeParams: *mut CUgraphNodeParams);
        plain     any    12030  "cuGraphAddNode"                                       cuGraphAddNode_v2(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, nodeParams: *mut CUgraphNodeParams);
        plain     any    13040  "cuGraphAddNode"                                       cuGraphAddNode_v3(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, dependencyData: *const CUgraphEdgeData, numDependencies: usize, nodeParams: *mut CUgraphNodeParams);
        plain     any    10000  "cuGraphGetNodes"                                      cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize);
        plain     any    10000  "cuGraphGetRootNodes"                                  cuGraphGetRootNodes(hGraph: CUgraph, rootNodes: *mut CUgraphNode, numRootNodes: *mut usize);
        plain     any    10000  "cuGraphGetEdges"                                      cuGraphGetEdges(hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, numEdges: *mut usize);
        plain     any    12030  "cuGraphGetEdges"                                      cuGraphGetEdges_v2(hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData, numEdges: *mut usize);
        plain     any    10000  "cuGraphNodeGetType"                                   cuGraphNodeGetType(hNode: CUgraphNode, kind: *mut CUgraphNodeType);
        plain     any    10000  "cuGraphNodeGetDependencies"                           cuGraphNodeGetDependencies(hNode: CUgraphNode, dependencies: *mut CUgraphNode, numDependencies: *mut usize);
        plain     any    12030  "cuGraphNodeGetDependencies"                           cuGraphNodeGetDependencies_v2(hNode: CUgraphNode, dependencies: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData, numDependencies: *mut usize);
        plain     any    10000  "cuGraphNodeGetDependentNodes"                         cuGraphNodeGetDependentNodes(hNode: CUgraphNode, dependentNodes: *mut CUgraphNode, numDependentNodes: *mut usize);
        plain     any    12030  "cuGraphNodeGetDependentNodes"                         cuGraphNodeGetDependentNodes_v2(hNode: CUgraphNode, dependentNodes: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData, numDependentNodes: *mut usize);
        plain     any    10000  "cuGraphAddDependencies"                               cuGraphAddDependencies(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, numDependencies: usize);
        plain     any    12030  "cuGraphAddDependencies"                               cuGraphAddDependencies_v2(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, edgeData: *const CUgraphEdgeData, numDependencies: usize);
        plain     any    10000  "cuGraphRemoveDependencies"                            cuGraphRemoveDependencies(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, numDependencies: usize);
        plain     any    12030  "cuGraphRemoveDependencies"                            cuGraphRemoveDependencies_v2(hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, edgeData: *const CUgraphEdgeData, numDependencies: usize);
        plain     any    10000  "cuGraphDestroyNode"                                   cuGraphDestroyNode(hNode: CUgraphNode);
        plain     any    10000  "cuGraphKernelNodeGetParams"                           cuGraphKernelNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS_v1);
        plain     any    12000  "cuGraphKernelNodeGetParams"                           cuGraphKernelNodeGetParams_v2(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS);
        plain     any    10000  "cuGraphKernelNodeSetParams"                           cuGraphKernelNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1);
        plain     any    12000  "cuGraphKernelNodeSetParams"                           cuGraphKernelNodeSetParams_v2(hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS);

        // Graphs: executing.
        graphs    any    10000  "cuGraphInstantiate"                                   cuGraphInstantiate(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode, logBuffer: *mut c_char, bufferSize: usize);
        graphs    any    11000  "cuGraphInstantiate"                                   cuGraphInstantiate_v2(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode, logBuffer: *mut c_char, bufferSize: usize);
        graphs    any    11040  "cuGraphInstantiateWithFlags"                          cuGraphInstantiateWithFlags(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, flags: c_ulonglong);
        graphs    legacy 12000  "cuGraphInstantiateWithParams"                         cuGraphInstantiateWithParams(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS);
        graphs    ptds   12000  "cuGraphInstantiateWithParams"                         cuGraphInstantiateWithParams_ptsz(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS);
        graphs    legacy 11010  "cuGraphUpload"                                        cuGraphUpload(hGraphExec: CUgraphExec, hStream: CUstream);
        graphs    ptds   11010  "cuGraphUpload"                                        cuGraphUpload_ptsz(hGraphExec: CUgraphExec, hStream: CUstream);
        graphs    legacy 10000  "cuGraphLaunch"                                        cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream);
        graphs    ptds   10000  "cuGraphLaunch"                                        cuGraphLaunch_ptsz(hGraphExec: CUgraphExec, hStream: CUstream);
        graphs    any    10000  "cuGraphExecDestroy"                                   cuGraphExecDestroy(hGraphExec: CUgraphExec);
        plain     any    12000  "cuGraphExecGetFlags"                                  cuGraphExecGetFlags(hGraphExec: CUgraphExec, flags: *mut cuuint64_t);
        graphs    any    10010  "cuGraphExecKernelNodeSetParams"                       cuGraphExecKernelNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1);
        graphs    any    12000  "cuGraphExecKernelNodeSetParams"                       cuGraphExecKernelNodeSetParams_v2(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS);
        graphs    any    10020  "cuGraphExecMemcpyNodeSetParams"                       cuGraphExecMemcpyNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, copyParams: *const CUDA_MEMCPY3D, ctx: CUcontext);
        graphs    any    10020  "cuGraphExecMemsetNodeSetParams"                       cuGraphExecMemsetNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, memsetParams: *const CUDA_MEMSET_NODE_PARAMS, ctx: CUcontext);
        graphs    any    10020  "cuGraphExecHostNodeSetParams"                         cuGraphExecHostNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_HOST_NODE_PARAMS);
        graphs    any    11010  "cuGraphExecChildGraphNodeSetParams"                   cuGraphExecChildGraphNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, childGraph: CUgraph);
        graphs    any    12020  "cuGraphExecNodeSetParams"                             cuGraphExecNodeSetParams(hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams);
        graphs    any    11060  "cuGraphNodeSetEnabled"                                cuGraphNodeSetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: c_uint);
        graphs    any    10020  "cuGraphExecUpdate"                                    cuGraphExecUpdate(hGraphExec: CUgraphExec, hGraph: CUgraph, hErrorNode_out: *mut CUgraphNode, updateResult_out: *mut CUgraphExecUpdateResult);
        graphs    any    12000  "cuGraphExecUpdate"                                    cuGraphExecUpdate_v2(hGraphExec: CUgraphExec, hGraph: CUgraph, resultInfo: *mut CUgraphExecUpdateResultInfo);
        graphs    any    11040  "cuDeviceGraphMemTrim"                                 cuDeviceGraphMemTrim(device: CUdevice);
        plain     any    11040  "cuDeviceGetGraphMemAttribute"                         cuDeviceGetGraphMemAttribute(device: CUdevice, attr: CUgraphMem_attribute, value: *mut c_void);
        plain     any    11040  "cuDeviceSetGraphMemAttribute"                         cuDeviceSetGraphMemAttribute(device: CUdevice, attr: CUgraphMem_attribute, value: *mut c_void);

        // Checkpoints of a whole process.
        plain     any    12080  "cuCheckpointProcessGetRestoreThreadId"                cuCheckpointProcessGetRestoreThreadId(pid: c_int, tid: *mut c_int);
        plain     any    12080  "cuCheckpointProcessGetState"                          cuCheckpointProcessGetState(pid: c_int, state: *mut CUprocessState);
        plain     any    12080  "cuCheckpointProcessLock"                              cuCheckpointProcessLock(pid: c_int, args: *mut CUcheckpointLockArgs);
        plain     any    12080  "cuCheckpointProcessCheckpoint"                        cuCheckpointProcessCheckpoint(pid: c_int, args: *mut CUcheckpointCheckpointArgs);
        uncounted any    12080  "cuCheckpointProcessRestore"                           cuCheckpointProcessRestore(pid: c_int, args: *mut CUcheckpointRestoreArgs);
        plain     any    12080  "cuCheckpointProcessUnlock"                            cuCheckpointProcessUnlock(pid: c_int, args: *mut CUcheckpointUnlockArgs);
    } };
}
