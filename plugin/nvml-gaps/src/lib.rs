//! What the wrapper of NVML does not ask.
//!
//! It asks for memory by a function that came with driver 510, does not ask for rows of memory that could not be replaced, and
//! drops the answer to what an NVLink ends at. Here are these questions and nothing else, so that the node agent itself can do
//! without `unsafe`.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::path::Path;

use libloading::Library;

/// NVML's library, which somebody keeps initialised while it is asked here.
#[derive(Debug)]
pub struct Nvml(Library);

/// NVML does not answer a question.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The library or a function of it is not there.
    #[error("{what}: {error}")]
    Missing {
        /// Which.
        what: String,
        /// What the loader says.
        error: libloading::Error,
    },
    /// It says no, with a number of `nvmlReturn_t`.
    #[error("{function} answers {code}")]
    Refused {
        /// What was called.
        function: &'static str,
        /// The answer.
        code: c_int,
    },
}

/// Memory of a device in bytes, as every driver tells it: `nvmlMemory_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// All of it.
    pub total: c_ulonglong,
    /// What nobody has.
    pub free: c_ulonglong,
    /// What programs and the driver itself have.
    pub used: c_ulonglong,
}

/// `NVML_NVLINK_DEVICE_TYPE_SWITCH`.
const SWITCH: c_uint = 2;

/// `nvmlDevice_t`.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Handle(*mut c_void);

type ByIndex = unsafe extern "C" fn(c_uint, *mut Handle) -> c_int;
type MemoryOf = unsafe extern "C" fn(Handle, *mut Memory) -> c_int;
type EndOf = unsafe extern "C" fn(Handle, c_uint, *mut c_uint) -> c_int;
type RowsOf = unsafe extern "C" fn(Handle, *mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint) -> c_int;

impl Nvml {
    /// Opens the library in this file, which is NVML's.
    ///
    /// # Errors
    /// It cannot be loaded.
    pub fn open(file: &Path) -> Result<Self, Fault> {
        // SAFETY: the file is the one that the wrapper loads as NVML; loading it once more runs nothing but NVML's constructors.
        let opened = unsafe { Library::new(file) };
        Ok(Self(opened.map_err(|error| missing(&file.display(), error))?))
    }

    /// Memory of the device at this place in NVML's order.
    ///
    /// # Errors
    /// What NVML says.
    pub fn memory(&self, index: u32) -> Result<Memory, Fault> {
        const NAME: &str = "nvmlDeviceGetMemoryInfo";
        // SAFETY: the type is that of NVML's documentation.
        let ask = unsafe { self.0.get::<MemoryOf>(NAME) }.map_err(|error| missing(&NAME, error))?;
        let device = self.device(index)?;
        let mut memory = Memory::default();
        // SAFETY: a handle that NVML has just given out, and a place for the structure that it fills.
        said(NAME, unsafe { ask(device, &raw mut memory) })?;
        Ok(memory)
    }

    /// Whether a faulty row of the device's memory could not be replaced.
    ///
    /// # Errors
    /// What NVML says; devices before Ampere replace none.
    pub fn remap_failed(&self, index: u32) -> Result<bool, Fault> {
        const NAME: &str = "nvmlDeviceGetRemappedRows";
        // SAFETY: the type is that of NVML's documentation.
        let ask = unsafe { self.0.get::<RowsOf>(NAME) }.map_err(|error| missing(&NAME, error))?;
        let device = self.device(index)?;
        let (mut corrected, mut uncorrected, mut pending, mut failed) = (0, 0, 0, 0);
        // SAFETY: a handle that NVML has just given out, and places for the four numbers.
        said(NAME, unsafe {
            ask(device, &raw mut corrected, &raw mut uncorrected, &raw mut pending, &raw mut failed)
        })?;
        Ok(failed != 0)
    }

    /// Whether an NVLink of the device ends at a switch.
    ///
    /// # Errors
    /// What NVML says; a link that is not connected has no end.
    pub fn ends_at_switch(&self, index: u32, link: u32) -> Result<bool, Fault> {
        const NAME: &str = "nvmlDeviceGetNvLinkRemoteDeviceType";
        // SAFETY: the type is that of NVML's documentation.
        let ask = unsafe { self.0.get::<EndOf>(NAME) }.map_err(|error| missing(&NAME, error))?;
        let device = self.device(index)?;
        let mut kind = 0;
        // SAFETY: a handle that NVML has just given out, and a place for the number.
        said(NAME, unsafe { ask(device, link, &raw mut kind) })?;
        Ok(kind == SWITCH)
    }

    fn device(&self, index: u32) -> Result<Handle, Fault> {
        const NAME: &str = "nvmlDeviceGetHandleByIndex_v2";
        // SAFETY: the type is that of NVML's documentation.
        let ask = unsafe { self.0.get::<ByIndex>(NAME) }.map_err(|error| missing(&NAME, error))?;
        let mut handle = Handle(std::ptr::null_mut());
        // SAFETY: a place for the handle.
        said(NAME, unsafe { ask(index, &raw mut handle) })?;
        Ok(handle)
    }
}

fn missing(what: &dyn std::fmt::Display, error: libloading::Error) -> Fault {
    Fault::Missing { what: what.to_string(), error }
}

fn said(function: &'static str, code: c_int) -> Result<(), Fault> {
    if code == 0 { Ok(()) } else { Err(Fault::Refused { function, code }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_or_a_function_that_is_not_there_is_named() {
        let error = Nvml::open(Path::new("/nowhere/nvml.so")).unwrap_err().to_string();
        assert!(error.contains("/nowhere/nvml.so"), "{error}");
        // A library that is there and is none.
        let other = Nvml(libloading::os::unix::Library::this().into());
        let error = other.memory(0).unwrap_err().to_string();
        assert!(error.contains("nvmlDeviceGetMemoryInfo"), "{error}");
    }

    #[test]
    fn a_refusal_has_its_number() {
        assert_eq!(said("nvmlInit", 9).unwrap_err().to_string(), "nvmlInit answers 9");
    }
}
