//! How long the kernels of an image take: all that a driver in the process knows of them.

use std::ffi::{CStr, c_void};
use std::sync::Arc;
use std::time::Duration;

use cuda_sys::CUresult;

use crate::process::default_duration;
use crate::work::{Image, accept_image};

/// The kernels of a module.
#[derive(Debug)]
pub struct Durations {
    image: Arc<Image>,
    default: Duration,
}

impl Durations {
    /// Reads what `cuModuleLoadData` was given.
    ///
    /// # Errors
    /// What that is to answer.
    ///
    /// # Safety
    ///
    /// `image` must point to an image of one of the known kinds, or to a string that ends in a zero byte.
    pub unsafe fn read(image: *const c_void) -> Result<Self, CUresult> {
        // SAFETY: passed on.
        let image = accept_image(unsafe { Image::read(image.cast()) })?;
        Ok(Self { image, default: Duration::from_nanos(default_duration()?.0) })
    }

    /// How long the kernel of this name takes: one wave of its blocks. `None`: there is no such kernel.
    #[must_use]
    pub fn of(&self, kernel: &CStr) -> Option<Duration> {
        let kernel = self.image.kernel(kernel.to_str().ok()?)?;
        Some(kernel.duration.map_or(self.default, |stated| Duration::from_nanos(stated.0)))
    }
}
