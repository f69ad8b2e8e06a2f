//! Result codes of the driver.

use super::codes;

codes! {
    /// What a CUDA driver call returns.
    CUresult "CUDA_SUCCESS" "CUDA_ERROR_":
    /// An argument is out of range or null.
    INVALID_VALUE = 1,
    /// Not enough memory: what a request over the limit is told.
    OUT_OF_MEMORY = 2,
    /// `cuInit` has not succeeded in this process.
    NOT_INITIALIZED = 3,
    /// The driver is shutting down with the process.
    DEINITIALIZED = 4,
    /// Profiling is off in this run.
    PROFILER_DISABLED = 5,
    /// Deprecated.
    PROFILER_NOT_INITIALIZED = 6,
    /// Deprecated.
    PROFILER_ALREADY_STARTED = 7,
    /// Deprecated.
    PROFILER_ALREADY_STOPPED = 8,
    /// The loaded libcuda is a stub.
    STUB_LIBRARY = 34,
    /// The call needs a newer driver than the one installed.
    CALL_REQUIRES_NEWER_DRIVER = 36,
    /// The device is busy, prohibited, or taken by an exclusive process.
    DEVICE_UNAVAILABLE = 46,
    /// No room for another multicast object.
    MULTICAST_RESOURCE_FULL = 47,
    /// No CUDA device.
    NO_DEVICE = 100,
    /// No device of that ordinal.
    INVALID_DEVICE = 101,
    /// The device lacks a licence.
    DEVICE_NOT_LICENSED = 102,
    /// Not a kernel image.
    INVALID_IMAGE = 200,
    /// No context, or a dead one, is current.
    INVALID_CONTEXT = 201,
    /// Deprecated.
    CONTEXT_ALREADY_CURRENT = 202,
    /// Mapping failed.
    MAP_FAILED = 205,
    /// Unmapping failed.
    UNMAP_FAILED = 206,
    /// The array is mapped and cannot be destroyed.
    ARRAY_IS_MAPPED = 207,
    /// The resource is mapped already.
    ALREADY_MAPPED = 208,
    /// The image has no code for this device.
    NO_BINARY_FOR_GPU = 209,
    /// The resource is acquired already.
    ALREADY_ACQUIRED = 210,
    /// The resource is not mapped.
    NOT_MAPPED = 211,
    /// The resource is not mapped as an array.
    NOT_MAPPED_AS_ARRAY = 212,
    /// The resource is not mapped as a pointer.
    NOT_MAPPED_AS_POINTER = 213,
    /// An uncorrectable memory error.
    ECC_UNCORRECTABLE = 214,
    /// This device does not have that limit.
    UNSUPPORTED_LIMIT = 215,
    /// Another thread has the context.
    CONTEXT_ALREADY_IN_USE = 216,
    /// The devices cannot reach each other.
    PEER_ACCESS_UNSUPPORTED = 217,
    /// The PTX does not compile.
    INVALID_PTX = 218,
    /// No usable graphics context.
    INVALID_GRAPHICS_CONTEXT = 219,
    /// An uncorrectable link error.
    NVLINK_UNCORRECTABLE = 220,
    /// The PTX compiler library is missing.
    JIT_COMPILER_NOT_FOUND = 221,
    /// The PTX is newer than its compiler.
    UNSUPPORTED_PTX_VERSION = 222,
    /// Compiling PTX is switched off.
    JIT_COMPILATION_DISABLED = 223,
    /// This device does not have that execution affinity.
    UNSUPPORTED_EXEC_AFFINITY = 224,
    /// The code synchronises on the device, which is no longer supported.
    UNSUPPORTED_DEVSIDE_SYNC = 225,
    /// A memory error that hit only this context.
    CONTAINED = 226,
    /// The image needs a newer loader.
    INSUFFICIENT_LOADER_VERSION = 227,
    /// The source is no kernel.
    INVALID_SOURCE = 300,
    /// No such file.
    FILE_NOT_FOUND = 301,
    /// A shared object does not resolve.
    SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
    /// A shared object, or the device heap, did not start.
    SHARED_OBJECT_INIT_FAILED = 303,
    /// A call to the operating system failed.
    OPERATING_SYSTEM = 304,
    /// An unknown handle.
    INVALID_HANDLE = 400,
    /// The resource is not in a state for this.
    ILLEGAL_STATE = 401,
    /// The answer would lose information.
    LOSSY_QUERY = 402,
    /// A named thing was not found.
    NOT_FOUND = 500,
    /// The work has not finished.
    NOT_READY = 600,
    /// A kernel touched memory it may not; the context is lost.
    ILLEGAL_ADDRESS = 700,
    /// The launch needs more of a block's resources than there are.
    LAUNCH_OUT_OF_RESOURCES = 701,
    /// A kernel ran too long; the context is lost.
    LAUNCH_TIMEOUT = 702,
    /// The kernel textures in another mode.
    LAUNCH_INCOMPATIBLE_TEXTURING = 703,
    /// Peer access is on already.
    PEER_ACCESS_ALREADY_ENABLED = 704,
    /// Peer access is not on.
    PEER_ACCESS_NOT_ENABLED = 705,
    /// The primary context is in use, so its flags are settled.
    PRIMARY_CONTEXT_ACTIVE = 708,
    /// A context was destroyed under its user.
    CONTEXT_IS_DESTROYED = 709,
    /// A kernel's assertion failed; the context is lost.
    ASSERT = 710,
    /// No room for another peer.
    TOO_MANY_PEERS = 711,
    /// The range is registered already.
    HOST_MEMORY_ALREADY_REGISTERED = 712,
    /// The range is not registered.
    HOST_MEMORY_NOT_REGISTERED = 713,
    /// A kernel broke its stack; the context is lost.
    HARDWARE_STACK_ERROR = 714,
    /// A kernel met an illegal instruction; the context is lost.
    ILLEGAL_INSTRUCTION = 715,
    /// A kernel used a misaligned address; the context is lost.
    MISALIGNED_ADDRESS = 716,
    /// A kernel used an address of the wrong space; the context is lost.
    INVALID_ADDRESS_SPACE = 717,
    /// A kernel's program counter left the code; the context is lost.
    INVALID_PC = 718,
    /// A kernel failed for another reason; the context is lost.
    LAUNCH_FAILED = 719,
    /// The grid does not fit the device at once.
    COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    /// A block ended without giving tensor memory back.
    TENSOR_MEMORY_LEAK = 721,
    /// The caller may not do this.
    NOT_PERMITTED = 800,
    /// This driver or device does not support the call.
    NOT_SUPPORTED = 801,
    /// The system is not ready to use CUDA.
    SYSTEM_NOT_READY = 802,
    /// Kernel driver and library differ in version.
    SYSTEM_DRIVER_MISMATCH = 803,
    /// The compatibility library does not support this device.
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
    /// No connection to the MPS server.
    MPS_CONNECTION_FAILED = 805,
    /// A call to the MPS server failed.
    MPS_RPC_FAILURE = 806,
    /// The MPS server takes no clients now.
    MPS_SERVER_NOT_READY = 807,
    /// The MPS server has no room for another client.
    MPS_MAX_CLIENTS_REACHED = 808,
    /// The MPS server has no room for another connection.
    MPS_MAX_CONNECTIONS_REACHED = 809,
    /// The MPS server ended this client.
    MPS_CLIENT_TERMINATED = 810,
    /// Launching from kernels is not supported.
    CDP_NOT_SUPPORTED = 811,
    /// The code launches from kernels in another version's way.
    CDP_VERSION_MISMATCH = 812,
    /// The call cannot be captured.
    STREAM_CAPTURE_UNSUPPORTED = 900,
    /// An error before this has spoilt the capture.
    STREAM_CAPTURE_INVALIDATED = 901,
    /// The call would join two captures.
    STREAM_CAPTURE_MERGE = 902,
    /// The capture did not begin in this stream.
    STREAM_CAPTURE_UNMATCHED = 903,
    /// A forked stream has not come back.
    STREAM_CAPTURE_UNJOINED = 904,
    /// The call would depend on work outside the capture.
    STREAM_CAPTURE_ISOLATION = 905,
    /// The call would make the capture depend on the legacy stream.
    STREAM_CAPTURE_IMPLICIT = 906,
    /// The event was last recorded in a capture.
    CAPTURED_EVENT = 907,
    /// The capture began in another thread.
    STREAM_CAPTURE_WRONG_THREAD = 908,
    /// The wait took too long.
    TIMEOUT = 909,
    /// The graph differs too much for an update.
    GRAPH_EXEC_UPDATE_FAILURE = 910,
    /// Another device of the operation failed.
    EXTERNAL_DEVICE = 911,
    /// The launch's cluster is misconfigured.
    INVALID_CLUSTER_SIZE = 912,
    /// The kernel's code is not on the device yet.
    FUNCTION_NOT_LOADED = 913,
    /// Not a kind of resource for this.
    INVALID_RESOURCE_TYPE = 914,
    /// The resources do not add up.
    INVALID_RESOURCE_CONFIGURATION = 915,
    /// The session's key has to be replaced first.
    KEY_ROTATION = 916,
    /// The stream has lost its context.
    STREAM_DETACHED = 917,
    /// The stream did not repeat what the graph holds.
    GRAPH_RECAPTURE_FAILURE = 918,
    /// The fabric between devices is not up.
    FABRIC_NOT_READY = 919,
    /// Anything else.
    UNKNOWN = 999,
}
