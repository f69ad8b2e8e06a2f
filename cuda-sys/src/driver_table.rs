//! The driver API, one row an entry point.

/// Calls `$callback!` with every driver row.
///
/// A row reads `class stream since "query" symbol (signature);`
///
/// - `class`: which module of `libvgpu/src/hooks` holds the hook, or one of the three classes that have none:
///   `plain` (takes no device memory and no GPU time), `uncounted` (takes device memory, not yet enforced),
///   `unmetered` (takes GPU time, not yet enforced).
/// - `stream`: which default stream the symbol means: `any` (takes none), `legacy`, or `ptds` (per thread).
/// - `since`: the lowest `cudaVersion` for which `cuGetProcAddress(query, ...)` answers with this symbol; the number
///   in the name of the header's `PFN_<query>_v<since>` type.
/// - `query`: the name to ask `cuGetProcAddress` for.
/// - `symbol`: the name the library exports. Every row returns [`CUresult`](crate::CUresult).
#[macro_export]
macro_rules! driver_api {
    ($callback:path) => { $callback! {
        init     any     2000  "cuInit"                        cuInit(flags: c_uint);
        plain    any     2020  "cuDriverGetVersion"            cuDriverGetVersion(version: *mut c_int);
        lookup   any    11030  "cuGetProcAddress"              cuGetProcAddress(symbol: *const c_char, pfn: *mut *mut c_void, cudaVersion: c_int, flags: cuuint64_t);
        lookup   any    12000  "cuGetProcAddress"              cuGetProcAddress_v2(symbol: *const c_char, pfn: *mut *mut c_void, cudaVersion: c_int, flags: cuuint64_t, symbolStatus: *mut CUdriverProcAddressQueryResult);
        plain    any     3000  "cuGetExportTable"              cuGetExportTable(ppExportTable: *mut *const c_void, pExportTableId: *const CUuuid);

        plain    any     2000  "cuDeviceGet"                   cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
        plain    any     2000  "cuDeviceGetCount"              cuDeviceGetCount(count: *mut c_int);
        plain    any     9020  "cuDeviceGetUuid"               cuDeviceGetUuid(uuid: *mut CUuuid, dev: CUdevice);
        plain    any    11040  "cuDeviceGetUuid"               cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice);
        report   any     2000  "cuDeviceTotalMem"              cuDeviceTotalMem(bytes: *mut c_uint, dev: CUdevice);
        report   any     3020  "cuDeviceTotalMem"              cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice);

        context  any     7000  "cuDevicePrimaryCtxRetain"      cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice);
        context  any     7000  "cuDevicePrimaryCtxRelease"     cuDevicePrimaryCtxRelease(dev: CUdevice);
        context  any    11000  "cuDevicePrimaryCtxRelease"     cuDevicePrimaryCtxRelease_v2(dev: CUdevice);
        plain    any     7000  "cuDevicePrimaryCtxGetState"    cuDevicePrimaryCtxGetState(dev: CUdevice, flags: *mut c_uint, active: *mut c_int);
        context  any     3020  "cuCtxCreate"                   cuCtxCreate_v2(pctx: *mut CUcontext, flags: c_uint, dev: CUdevice);
        context  any     4000  "cuCtxDestroy"                  cuCtxDestroy_v2(ctx: CUcontext);
        plain    any     4000  "cuCtxGetCurrent"               cuCtxGetCurrent(pctx: *mut CUcontext);
        plain    any     2000  "cuCtxGetDevice"                cuCtxGetDevice(device: *mut CUdevice);

        linear   any     2000  "cuMemAlloc"                    cuMemAlloc(dptr: *mut CUdeviceptr_v1, bytesize: c_uint);
        linear   any     3020  "cuMemAlloc"                    cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize);
        linear   any     3020  "cuMemAllocPitch"               cuMemAllocPitch_v2(dptr: *mut CUdeviceptr, pPitch: *mut usize, WidthInBytes: usize, Height: usize, ElementSizeBytes: c_uint);
        linear   any     6000  "cuMemAllocManaged"             cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: c_uint);
        linear   any     2000  "cuMemFree"                     cuMemFree(dptr: CUdeviceptr_v1);
        linear   any     3020  "cuMemFree"                     cuMemFree_v2(dptr: CUdeviceptr);
        report   any     3020  "cuMemGetInfo"                  cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        uncounted any   10020  "cuMemCreate"                   cuMemCreate(handle: *mut CUmemGenericAllocationHandle, size: usize, prop: *const CUmemAllocationProp, flags: c_ulonglong);

        unmetered legacy 4000  "cuLaunchKernel"                cuLaunchKernel(f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream, kernelParams: *mut *mut c_void, extra: *mut *mut c_void);
        unmetered ptds   7000  "cuLaunchKernel"                cuLaunchKernel_ptsz(f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream, kernelParams: *mut *mut c_void, extra: *mut *mut c_void);
    } };
}
