//! Environment variables: their names, and the limits they carry.

mod error;
mod limits;
mod per_gpu;
mod value;
mod variables;

pub use error::EnvError;
pub use limits::{CorePolicy, EnvLimits, LogLevel, Priority};
pub use variables::{Variables, index_of};

/// The most memory of a GPU in bytes or as a size; `NAME_<i>` for the GPU with index *i* alone.
pub const MEMORY_LIMIT: &str = "CUDA_DEVICE_MEMORY_LIMIT";
/// The most compute time of a GPU in percent; `NAME_<i>` for the GPU with index *i* alone.
pub const SM_LIMIT: &str = "CUDA_DEVICE_SM_LIMIT";
/// Path of the accounting region that the processes of one container share.
pub const REGION: &str = "CUDA_DEVICE_MEMORY_SHARED_CACHE";
/// Priority of the container: 0 is high, larger numbers are lower.
pub const PRIORITY: &str = "CUDA_TASK_PRIORITY";
/// When compute limits apply: `default`, `force` or `disable`.
pub const CORE_POLICY: &str = "GPU_CORE_UTILIZATION_POLICY";
/// Whether memory may be oversubscribed. Known by name only: nothing acts on it.
pub const OVERSUBSCRIBE: &str = "CUDA_OVERSUBSCRIBE";
/// How much the library says on standard error: 0 (errors) to 4 (everything).
pub const LOG_LEVEL: &str = "LIBCUDA_LOG_LEVEL";

/// Directory of the limits page where [`LIMITS_DIR`](crate::paths::LIMITS_DIR) does not exist.
pub const LIMITS_DIR: &str = "VGPU_LIMITS_DIR";
/// Path of `libvgpu.so`, for `vgpu run`.
pub const LIBRARY: &str = "VGPU_LIBRARY";

/// Every variable's name, or what the names for single GPUs start with.
pub const NAMES: [&str; 9] =
    [MEMORY_LIMIT, SM_LIMIT, REGION, PRIORITY, CORE_POLICY, OVERSUBSCRIBE, LOG_LEVEL, LIMITS_DIR, LIBRARY];

/// GPUs that can have a variable of their own: indices 0 to 63.
pub const INDICES: usize = 64;
