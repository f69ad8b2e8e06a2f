//! Process lists and what processes use.

use super::{nvml_struct_version, nvmlEncoderType_t, nvmlFBCSessionType_t, nvmlVgpuInstance_t};
use crate::types::layouts;
use core::ffi::{c_uint, c_ulonglong};

/// A process on a device, as the symbols without suffix report it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlProcessInfo_v1_t {
    /// Process id, in the namespace the kernel driver reports.
    pub pid: c_uint,
    /// Device memory in bytes.
    pub usedGpuMemory: c_ulonglong,
}

/// A process on a device (`_v2` and `_v3` of the process lists).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlProcessInfo_v2_t {
    /// Process id, in the namespace the kernel driver reports.
    pub pid: c_uint,
    /// Device memory in bytes.
    pub usedGpuMemory: c_ulonglong,
    /// MIG GPU instance, or 0xFFFFFFFF.
    pub gpuInstanceId: c_uint,
    /// MIG compute instance, or 0xFFFFFFFF.
    pub computeInstanceId: c_uint,
}

/// The newest form.
pub type nvmlProcessInfo_t = nvmlProcessInfo_v2_t;

/// A process in a [`nvmlProcessDetailList_v1_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlProcessDetail_v1_t {
    /// Process id, in the namespace the kernel driver reports.
    pub pid: c_uint,
    /// Device memory in bytes.
    pub usedGpuMemory: c_ulonglong,
    /// MIG GPU instance, or 0xFFFFFFFF.
    pub gpuInstanceId: c_uint,
    /// MIG compute instance, or 0xFFFFFFFF.
    pub computeInstanceId: c_uint,
    /// Protected device memory in bytes (confidential computing).
    pub usedGpuCcProtectedMemory: c_ulonglong,
}

/// In: how many processes fit and which kind. Out: how many there are, and they.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct nvmlProcessDetailList_v1_t {
    /// [`Self::VERSION`].
    pub version: c_uint,
    /// Which processes: 0 compute, 1 graphics, 2 MPS, 3 all.
    pub mode: c_uint,
    /// Entries of `procArray`.
    pub numProcArrayEntries: c_uint,
    /// The entries.
    pub procArray: *mut nvmlProcessDetail_v1_t,
}

impl nvmlProcessDetailList_v1_t {
    /// What the caller writes into `version`.
    pub const VERSION: c_uint = nvml_struct_version(24, 1);
}

/// The newest form.
pub type nvmlProcessDetailList_t = nvmlProcessDetailList_v1_t;

/// Use of a device by a process over a sampling period, in percent.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlProcessUtilizationSample_t {
    /// Process id, in the namespace the kernel driver reports.
    pub pid: c_uint,
    /// When, in microseconds of CPU time.
    pub timeStamp: c_ulonglong,
    /// Use of the SMs.
    pub smUtil: c_uint,
    /// Use of the memory interface.
    pub memUtil: c_uint,
    /// Use of the encoder.
    pub encUtil: c_uint,
    /// Use of the decoder.
    pub decUtil: c_uint,
}

/// [`nvmlProcessUtilizationSample_t`] with two more engines.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlProcessUtilizationInfo_v1_t {
    /// When, in microseconds of CPU time.
    pub timeStamp: c_ulonglong,
    /// Process id, in the namespace the kernel driver reports.
    pub pid: c_uint,
    /// Use of the SMs.
    pub smUtil: c_uint,
    /// Use of the memory interface.
    pub memUtil: c_uint,
    /// Use of the encoder.
    pub encUtil: c_uint,
    /// Use of the decoder.
    pub decUtil: c_uint,
    /// Use of the JPEG engine.
    pub jpgUtil: c_uint,
    /// Use of the optical flow engine.
    pub ofaUtil: c_uint,
}

/// In: how many samples fit, and since when. Out: how many there are, and they.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct nvmlProcessesUtilizationInfo_v1_t {
    /// [`Self::VERSION`].
    pub version: c_uint,
    /// Entries of `procUtilArray`.
    pub processSamplesCount: c_uint,
    /// Only newer samples, in microseconds of CPU time.
    pub lastSeenTimeStamp: c_ulonglong,
    /// The entries.
    pub procUtilArray: *mut nvmlProcessUtilizationInfo_v1_t,
}

impl nvmlProcessesUtilizationInfo_v1_t {
    /// What the caller writes into `version`.
    pub const VERSION: c_uint = nvml_struct_version(24, 1);
}

/// The newest form.
pub type nvmlProcessesUtilizationInfo_t = nvmlProcessesUtilizationInfo_v1_t;

/// In: whose account. Out: what the process used since it started.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlAccountingStats_v2_t {
    /// Process id, in the namespace the kernel driver reports.
    pub pid: c_uint,
    /// Whether it still runs.
    pub isRunning: c_uint,
    /// Percent of its life in which a kernel ran.
    pub gpuUtilization: c_uint,
    /// Percent of its life in which memory was read or written.
    pub memoryUtilization: c_uint,
    /// Most device memory in bytes.
    pub maxMemoryUsage: c_ulonglong,
    /// Samples since it started.
    pub sampleCount: c_uint,
    /// Sum of its use of the SMs, in hundredths of a percent.
    pub sumGpuUtil: c_ulonglong,
    /// Sum of its use of memory, in hundredths of a percent.
    pub sumFbUtil: c_ulonglong,
    /// How long it had a context, in milliseconds; 0 while it runs.
    pub time: c_ulonglong,
    /// When it started, in microseconds of CPU time.
    pub startTime: c_ulonglong,
}

/// A session of the video encoder.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlEncoderSessionInfo_t {
    /// Which session.
    pub sessionId: c_uint,
    /// Process id, in the namespace the kernel driver reports.
    pub pid: c_uint,
    /// Virtual device whose session it is, if it is one's.
    pub vgpuInstance: nvmlVgpuInstance_t,
    /// What it encodes to.
    pub codecType: nvmlEncoderType_t,
    /// Width of the picture.
    pub hResolution: c_uint,
    /// Height of the picture.
    pub vResolution: c_uint,
    /// Frames a second.
    pub averageFps: c_uint,
    /// Time for a frame, in microseconds.
    pub averageLatency: c_uint,
}

/// A session of frame capture.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct nvmlFBCSessionInfo_t {
    /// Which session.
    pub sessionId: c_uint,
    /// Process id, in the namespace the kernel driver reports.
    pub pid: c_uint,
    /// Virtual device whose session it is, if it is one's.
    pub vgpuInstance: nvmlVgpuInstance_t,
    /// Which display.
    pub displayOrdinal: c_uint,
    /// How it captures.
    pub sessionType: nvmlFBCSessionType_t,
    /// What it can do.
    pub sessionFlags: c_uint,
    /// Greatest width of the picture.
    pub hMaxResolution: c_uint,
    /// Greatest height of the picture.
    pub vMaxResolution: c_uint,
    /// Width of the picture.
    pub hResolution: c_uint,
    /// Height of the picture.
    pub vResolution: c_uint,
    /// Frames a second.
    pub averageFPS: c_uint,
    /// Time for a frame, in microseconds.
    pub averageLatency: c_uint,
}

layouts! {
    nvmlAccountingStats_v2_t 64 {
        pid, isRunning, gpuUtilization, memoryUtilization, maxMemoryUsage, sampleCount, sumGpuUtil, sumFbUtil, time,
        startTime,
    }
    nvmlEncoderSessionInfo_t 32 {
        sessionId, pid, vgpuInstance, codecType, hResolution, vResolution, averageFps, averageLatency,
    }
    nvmlFBCSessionInfo_t 48 {
        sessionId, pid, vgpuInstance, displayOrdinal, sessionType, sessionFlags, hMaxResolution, vMaxResolution,
        hResolution, vResolution, averageFPS, averageLatency,
    }
    nvmlProcessInfo_v1_t 16 { pid, usedGpuMemory }
    nvmlProcessInfo_v2_t 24 { pid, usedGpuMemory, gpuInstanceId, computeInstanceId }
    nvmlProcessDetail_v1_t 32 {
        pid, usedGpuMemory, gpuInstanceId, computeInstanceId, usedGpuCcProtectedMemory,
    }
    nvmlProcessDetailList_v1_t 24 { version, mode, numProcArrayEntries, procArray }
    nvmlProcessUtilizationSample_t 32 { pid, timeStamp, smUtil, memUtil, encUtil, decUtil }
    nvmlProcessUtilizationInfo_v1_t 40 { timeStamp, pid, smUtil, memUtil, encUtil, decUtil, jpgUtil, ofaUtil }
    nvmlProcessesUtilizationInfo_v1_t 24 { version, processSamplesCount, lastSeenTimeStamp, procUtilArray }
}
