//! Kernels of loaded modules.

use std::ffi::{CStr, CString};
use std::sync::{Arc, Mutex};

use cuda_sys::{CUfunction_attribute as Attribute, CUresult};
use sim_kernel::ContextId;

use super::KernelSpec;
use crate::handles::lock;
use crate::outcome::Outcome;

/// Dynamic shared memory of a block that needs no asking, in bytes.
pub(crate) const SHARED_MEMORY: u32 = 48 << 10;
/// Dynamic shared memory of a block that a kernel can ask for, in bytes (compute capability 9.0).
pub(crate) const SHARED_MEMORY_OPT_IN: u32 = 227 << 10;

/// What the launch calls of API 2.0 take from the function instead of from the call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchState {
    /// Threads of a block.
    pub(crate) block: (u32, u32, u32),
    /// Dynamic shared memory of a block, in bytes.
    pub(crate) shared: u32,
}

/// A kernel in a context.
#[derive(Debug)]
pub(crate) struct Function {
    /// What the caller calls it.
    pub(crate) handle: usize,
    /// The handle of its module.
    pub(crate) module: usize,
    /// The life of its context that it belongs to.
    pub(crate) context: ContextId,
    /// What it is, which it shares with the library's kernel that it came from.
    pub(crate) traits: Arc<Traits>,
    /// State of the launch calls of API 2.0.
    pub(crate) state: Mutex<LaunchState>,
}

/// What a kernel is on one device: what it does, and the attributes that can be set.
#[derive(Debug)]
pub(crate) struct Traits {
    /// What it does.
    pub(crate) kernel: KernelSpec,
    name: CString,
    /// Dynamic shared memory and the preference between it and the cache.
    settings: Mutex<(i32, i32)>,
}

impl Function {
    /// A kernel as it is loaded.
    pub(crate) fn new(handle: usize, module: usize, context: ContextId, traits: Arc<Traits>) -> Self {
        let state = Mutex::new(LaunchState { block: (1, 1, 1), shared: 0 });
        Self { handle, module, context, traits, state }
    }
}

impl Traits {
    /// Those of a kernel that nobody has set anything of.
    pub(crate) fn new(kernel: KernelSpec) -> Arc<Self> {
        // A name comes from a string of the caller's or from an image's table of strings: no zero is in it.
        let name = CString::new(kernel.name.as_str()).unwrap_or_default();
        Arc::new(Self { kernel, name, settings: Mutex::new((SHARED_MEMORY.cast_signed(), -1)) })
    }

    /// Its name, for as long as it lives.
    pub(crate) fn name(&self) -> &CStr {
        &self.name
    }

    /// An attribute; the figures of a small kernel for compute capability 9.0.
    pub(crate) fn attribute(&self, attribute: Attribute) -> Outcome<i32> {
        let settings = *lock(&self.settings);
        Ok(match attribute {
            Attribute::MAX_THREADS_PER_BLOCK => 1024,
            Attribute::SHARED_SIZE_BYTES | Attribute::CONST_SIZE_BYTES => 0,
            Attribute::LOCAL_SIZE_BYTES => i32::try_from(self.kernel.local).unwrap_or(i32::MAX),
            Attribute::NUM_REGS => 32,
            Attribute::PTX_VERSION | Attribute::BINARY_VERSION => 90,
            Attribute::CACHE_MODE_CA => 0,
            Attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES => settings.0,
            Attribute::PREFERRED_SHARED_MEMORY_CARVEOUT => settings.1,
            Attribute::CLUSTER_SIZE_MUST_BE_SET
            | Attribute::REQUIRED_CLUSTER_WIDTH
            | Attribute::REQUIRED_CLUSTER_HEIGHT
            | Attribute::REQUIRED_CLUSTER_DEPTH
            | Attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            | Attribute::CLUSTER_SCHEDULING_POLICY_PREFERENCE => 0,
            _ => return Err(CUresult::INVALID_VALUE),
        })
    }

    /// Sets an attribute that can be set.
    pub(crate) fn set_attribute(&self, attribute: Attribute, value: i32) -> Outcome {
        let mut settings = lock(&self.settings);
        match attribute {
            Attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES
                if (0..=SHARED_MEMORY_OPT_IN.cast_signed()).contains(&value) =>
            {
                settings.0 = value;
            }
            Attribute::PREFERRED_SHARED_MEMORY_CARVEOUT if (-1..=100).contains(&value) => settings.1 = value,
            _ => return Err(CUresult::INVALID_VALUE),
        }
        Ok(())
    }

    /// Dynamic shared memory that a launch may ask for, in bytes.
    pub(crate) fn most_shared(&self) -> u32 {
        u32::try_from(lock(&self.settings).0).unwrap_or(0)
    }

    /// Place and size of a parameter; 1 beyond the last one, 801 when the image does not tell.
    pub(crate) fn parameter(&self, index: usize) -> Outcome<(usize, usize)> {
        let known = self.kernel.parameters.as_ref().ok_or(CUresult::NOT_SUPPORTED)?;
        let parameter = known.get(index).ok_or(CUresult::INVALID_VALUE)?;
        Ok((parameter.offset, parameter.size))
    }
}
