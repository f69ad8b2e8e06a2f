//! Names and descriptions of result codes, as `cuGetErrorName` and `cuGetErrorString` give them.

use std::ffi::CStr;

/// A code with its name and its description.
#[derive(Debug)]
pub(crate) struct Code {
    /// The number.
    pub(crate) code: u32,
    /// The first version of the driver that knows it; 0: every version here.
    pub(crate) since: u32,
    /// The header's name.
    pub(crate) name: &'static CStr,
    /// One phrase for people.
    pub(crate) text: &'static CStr,
}

/// The code, if a driver of API version `version` (such as 12040) knows it.
pub(crate) fn find(code: u32, version: u32) -> Option<&'static Code> {
    let index = CODES.binary_search_by_key(&code, |known| known.code).ok()?;
    Some(&CODES[index]).filter(|known| known.since <= version)
}

macro_rules! codes {
    ($($code:literal $since:literal $name:literal $text:literal)*) => {
        /// By ascending code.
        const CODES: &[Code] = &[$(Code { code: $code, since: $since, name: $name, text: $text }),*];
    };
}

codes! {
      0     0 c"CUDA_SUCCESS" c"no error"
      1     0 c"CUDA_ERROR_INVALID_VALUE" c"invalid argument"
      2     0 c"CUDA_ERROR_OUT_OF_MEMORY" c"out of memory"
      3     0 c"CUDA_ERROR_NOT_INITIALIZED" c"initialization error"
      4     0 c"CUDA_ERROR_DEINITIALIZED" c"driver shutting down"
      5     0 c"CUDA_ERROR_PROFILER_DISABLED" c"profiler disabled while using external profiling tool"
      6     0 c"CUDA_ERROR_PROFILER_NOT_INITIALIZED" c"profiler not initialized: call cudaProfilerInitialize()"
      7     0 c"CUDA_ERROR_PROFILER_ALREADY_STARTED" c"profiler already started"
      8     0 c"CUDA_ERROR_PROFILER_ALREADY_STOPPED" c"profiler already stopped"
     34     0 c"CUDA_ERROR_STUB_LIBRARY" c"CUDA driver is a stub library"
     46     0 c"CUDA_ERROR_DEVICE_UNAVAILABLE" c"CUDA-capable device(s) is/are busy or unavailable"
    100     0 c"CUDA_ERROR_NO_DEVICE" c"no CUDA-capable device is detected"
    101     0 c"CUDA_ERROR_INVALID_DEVICE" c"invalid device ordinal"
    102     0 c"CUDA_ERROR_DEVICE_NOT_LICENSED" c"device doesn't have valid Grid license"
    200     0 c"CUDA_ERROR_INVALID_IMAGE" c"device kernel image is invalid"
    201     0 c"CUDA_ERROR_INVALID_CONTEXT" c"invalid device context"
    202     0 c"CUDA_ERROR_CONTEXT_ALREADY_CURRENT" c"context already current"
    205     0 c"CUDA_ERROR_MAP_FAILED" c"mapping of buffer object failed"
    206     0 c"CUDA_ERROR_UNMAP_FAILED" c"unmapping of buffer object failed"
    207     0 c"CUDA_ERROR_ARRAY_IS_MAPPED" c"array is mapped"
    208     0 c"CUDA_ERROR_ALREADY_MAPPED" c"resource already mapped"
    209     0 c"CUDA_ERROR_NO_BINARY_FOR_GPU" c"no kernel image is available for execution on the device"
    210     0 c"CUDA_ERROR_ALREADY_ACQUIRED" c"resource already acquired"
    211     0 c"CUDA_ERROR_NOT_MAPPED" c"resource not mapped"
    212     0 c"CUDA_ERROR_NOT_MAPPED_AS_ARRAY" c"resource not mapped as array"
    213     0 c"CUDA_ERROR_NOT_MAPPED_AS_POINTER" c"resource not mapped as pointer"
    214     0 c"CUDA_ERROR_ECC_UNCORRECTABLE" c"uncorrectable ECC error encountered"
    215     0 c"CUDA_ERROR_UNSUPPORTED_LIMIT" c"limit is not supported on this architecture"
    216     0 c"CUDA_ERROR_CONTEXT_ALREADY_IN_USE" c"exclusive-thread device already in use by a different thread"
    217     0 c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED" c"peer access is not supported between these two devices"
    218     0 c"CUDA_ERROR_INVALID_PTX" c"a PTX JIT compilation failed"
    219     0 c"CUDA_ERROR_INVALID_GRAPHICS_CONTEXT" c"invalid OpenGL or DirectX context"
    220     0 c"CUDA_ERROR_NVLINK_UNCORRECTABLE" c"uncorrectable NVLink error detected during the execution"
    221     0 c"CUDA_ERROR_JIT_COMPILER_NOT_FOUND" c"PTX JIT compiler library not found"
    222     0 c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION" c"the provided PTX was compiled with an unsupported toolchain."
    223     0 c"CUDA_ERROR_JIT_COMPILATION_DISABLED" c"PTX JIT compilation was disabled"
    224     0 c"CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY" c"the provided execution affinity is not supported"
    225     0 c"CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC" c"the provided PTX contains unsupported call to cudaDeviceSynchronize"
    300     0 c"CUDA_ERROR_INVALID_SOURCE" c"device kernel image is invalid"
    301     0 c"CUDA_ERROR_FILE_NOT_FOUND" c"file not found"
    302     0 c"CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND" c"shared object symbol not found"
    303     0 c"CUDA_ERROR_SHARED_OBJECT_INIT_FAILED" c"shared object initialization failed"
    304     0 c"CUDA_ERROR_OPERATING_SYSTEM" c"OS call failed or operation not supported on this OS"
    400     0 c"CUDA_ERROR_INVALID_HANDLE" c"invalid resource handle"
    401     0 c"CUDA_ERROR_ILLEGAL_STATE" c"the operation cannot be performed in the present state"
    402 12040 c"CUDA_ERROR_LOSSY_QUERY" c"attempted introspection would be semantically lossy"
    500     0 c"CUDA_ERROR_NOT_FOUND" c"named symbol not found"
    600     0 c"CUDA_ERROR_NOT_READY" c"device not ready"
    700     0 c"CUDA_ERROR_ILLEGAL_ADDRESS" c"an illegal memory access was encountered"
    701     0 c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" c"too many resources requested for launch"
    702     0 c"CUDA_ERROR_LAUNCH_TIMEOUT" c"the launch timed out and was terminated"
    703     0 c"CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING" c"launch uses incompatible texturing mode"
    704     0 c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED" c"peer access is already enabled"
    705     0 c"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED" c"peer access has not been enabled"
    708     0 c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE" c"cannot set while device is active in this process"
    709     0 c"CUDA_ERROR_CONTEXT_IS_DESTROYED" c"context is destroyed"
    710     0 c"CUDA_ERROR_ASSERT" c"device-side assert triggered"
    711     0 c"CUDA_ERROR_TOO_MANY_PEERS" c"peer mapping resources exhausted"
    712     0 c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" c"part or all of the requested memory range is already mapped"
    713     0 c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED" c"pointer does not correspond to a registered memory region"
    714     0 c"CUDA_ERROR_HARDWARE_STACK_ERROR" c"hardware stack error"
    715     0 c"CUDA_ERROR_ILLEGAL_INSTRUCTION" c"an illegal instruction was encountered"
    716     0 c"CUDA_ERROR_MISALIGNED_ADDRESS" c"misaligned address"
    717     0 c"CUDA_ERROR_INVALID_ADDRESS_SPACE" c"operation not supported on global/shared address space"
    718     0 c"CUDA_ERROR_INVALID_PC" c"invalid program counter"
    719     0 c"CUDA_ERROR_LAUNCH_FAILED" c"unspecified launch failure"
    720     0 c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" c"too many blocks in cooperative launch"
    800     0 c"CUDA_ERROR_NOT_PERMITTED" c"operation not permitted"
    801     0 c"CUDA_ERROR_NOT_SUPPORTED" c"operation not supported"
    802     0 c"CUDA_ERROR_SYSTEM_NOT_READY" c"system not yet initialized"
    803     0 c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" c"system has unsupported display driver / cuda driver combination"
    804     0 c"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE" c"forward compatibility was attempted on non supported HW"
    805     0 c"CUDA_ERROR_MPS_CONNECTION_FAILED" c"MPS client failed to connect to the MPS control daemon or the MPS server"
    806     0 c"CUDA_ERROR_MPS_RPC_FAILURE" c"the remote procedural call between the MPS server and the MPS client failed"
    807     0 c"CUDA_ERROR_MPS_SERVER_NOT_READY" c"MPS server is not ready to accept new MPS client requests"
    808     0 c"CUDA_ERROR_MPS_MAX_CLIENTS_REACHED" c"the hardware resources required to create MPS client have been exhausted"
    809     0 c"CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED" c"the hardware resources required to support device connections have been exhausted"
    810     0 c"CUDA_ERROR_MPS_CLIENT_TERMINATED" c"the MPS client has been terminated by the server"
    811     0 c"CUDA_ERROR_CDP_NOT_SUPPORTED" c"is attempting to use CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it"
    812     0 c"CUDA_ERROR_CDP_VERSION_MISMATCH" c"unsupported interaction between different versions of CUDA Dynamic Parallelism"
    900     0 c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" c"operation not permitted when stream is capturing"
    901     0 c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" c"operation failed due to a previous error during capture"
    902     0 c"CUDA_ERROR_STREAM_CAPTURE_MERGE" c"operation would result in a merge of separate capture sequences"
    903     0 c"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED" c"capture was not ended in the same stream as it began"
    904     0 c"CUDA_ERROR_STREAM_CAPTURE_UNJOINED" c"capturing stream has unjoined work"
    905     0 c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION" c"dependency created on uncaptured work in another stream"
    906     0 c"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT" c"operation would make the legacy stream depend on a capturing blocking stream"
    907     0 c"CUDA_ERROR_CAPTURED_EVENT" c"operation not permitted on an event last recorded in a capturing stream"
    908     0 c"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD" c"attempt to terminate a thread-local capture sequence from another thread"
    909     0 c"CUDA_ERROR_TIMEOUT" c"wait operation timed out"
    910     0 c"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE" c"the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"
    911     0 c"CUDA_ERROR_EXTERNAL_DEVICE" c"an async error has occurred in external entity outside of CUDA"
    912     0 c"CUDA_ERROR_INVALID_CLUSTER_SIZE" c"a kernel launch error has occurred due to cluster misconfiguration"
    913 12040 c"CUDA_ERROR_FUNCTION_NOT_LOADED" c"attempted to load an unloaded function"
    914 12040 c"CUDA_ERROR_INVALID_RESOURCE_TYPE" c"invalid resource type"
    915 12040 c"CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION" c"the supplied resource configuration is insufficient or invalid"
    916 12040 c"CUDA_ERROR_KEY_ROTATION" c"the requested key rotation is not valid"
    999     0 c"CUDA_ERROR_UNKNOWN" c"unknown error"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_so_that_the_search_finds_each() {
        assert!(CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
    }

    #[test]
    fn version_12_4_names_98_codes_and_12_2_lacks_five() {
        let known = |version| (0..1000).filter(|code| find(*code, version).is_some()).count();
        assert_eq!(known(12_040), 98);
        assert_eq!(known(12_020), 93);
        assert!(find(402, 12_020).is_none() && find(402, 12_040).is_some());
    }

    #[test]
    fn a_code_has_the_name_of_the_header() {
        assert_eq!(find(2, 12_020).map(|code| code.name), Some(c"CUDA_ERROR_OUT_OF_MEMORY"));
        assert_eq!(find(2, 12_020).map(|code| code.text), Some(c"out of memory"));
    }
}
