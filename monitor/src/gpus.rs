//! The GPUs of this machine.

use std::path::PathBuf;

use contract::{Bytes, Uuid};
use nvml_wrapper::Nvml as Library;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{cuda_driver_version_major, cuda_driver_version_minor};

/// One GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Its place in NVML's order.
    pub index: u32,
    /// Its identity.
    pub uuid: Uuid,
    /// Its product name, such as `NVIDIA H100 80GB HBM3`.
    pub name: String,
    /// Its whole memory; `None` where the driver does not say (memory shared with the CPU, drivers before 510).
    pub memory: Option<Bytes>,
}

/// A GPU that is there but does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenGpu {
    /// Its place in NVML's order.
    pub index: u32,
    /// What the driver says.
    pub reason: String,
}

/// What a machine has. One broken GPU does not hide the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// The GPUs that answer, in NVML's order.
    pub gpus: Vec<Gpu>,
    /// The GPUs that do not.
    pub broken: Vec<BrokenGpu>,
}

/// What the driver says about itself, and the GPUs it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Driver {
    /// Its version, such as `550.163.01`.
    pub version: String,
    /// The newest CUDA that it runs, such as `12.4`; `None` where it does not say.
    pub cuda: Option<String>,
    /// Indices of the GPUs that are divided into MIG instances.
    pub mig: Vec<u32>,
    /// Its GPUs.
    pub inventory: Inventory,
}

/// Somebody who knows the GPUs.
pub trait GpuSource {
    /// Every GPU of the machine.
    ///
    /// # Errors
    /// [`GpuError`] when there is nobody to ask.
    fn inventory(&self) -> Result<Inventory, GpuError>;
}

/// NVML, the management library that comes with the driver.
#[derive(Clone, Debug)]
pub struct Nvml {
    library: PathBuf,
}

/// The name under which every driver installs NVML.
pub const NVML_LIBRARY: &str = "libnvidia-ml.so.1";

impl Nvml {
    /// The NVML of the installed driver.
    #[must_use]
    pub fn system() -> Self {
        Self { library: PathBuf::from(NVML_LIBRARY) }
    }

    /// The NVML in this file, such as the simulator's.
    #[must_use]
    pub fn at(library: PathBuf) -> Self {
        Self { library }
    }
}

impl GpuSource for Nvml {
    fn inventory(&self) -> Result<Inventory, GpuError> {
        let library = self.load()?;
        gpus(&library).map_err(|error| self.error(error))
    }
}

impl Nvml {
    /// What the driver says about itself.
    ///
    /// # Errors
    /// [`GpuError`] when there is none, or it does not know its own version.
    pub fn driver(&self) -> Result<Driver, GpuError> {
        let library = self.load()?;
        let inventory = gpus(&library).map_err(|error| self.error(error))?;
        let divided = |index: &u32| {
            let mode = library.device_by_index(*index).and_then(|device| device.mig_mode());
            mode.is_ok_and(|mode| mode.current != 0)
        };
        let indices = inventory.gpus.iter().map(|gpu| gpu.index);
        Ok(Driver {
            version: library.sys_driver_version().map_err(|error| self.error(error))?,
            cuda: library.sys_cuda_driver_version().ok().map(|cuda| {
                format!("{}.{}", cuda_driver_version_major(cuda), cuda_driver_version_minor(cuda))
            }),
            mig: indices.filter(divided).collect(),
            inventory,
        })
    }

    fn load(&self) -> Result<Library, GpuError> {
        let library = Library::builder().lib_path(self.library.as_os_str()).init();
        library.map_err(|error| self.error(error))
    }

    fn error(&self, error: NvmlError) -> GpuError {
        GpuError::new(self.library.clone(), error)
    }
}

fn gpus(library: &Library) -> Result<Inventory, NvmlError> {
    let mut inventory = Inventory::default();
    for index in 0..library.device_count()? {
        match gpu(library, index) {
            Ok(gpu) => inventory.gpus.push(gpu),
            Err(reason) => inventory.broken.push(BrokenGpu { index, reason }),
        }
    }
    Ok(inventory)
}

fn gpu(library: &Library, index: u32) -> Result<Gpu, String> {
    let device = library.device_by_index(index).map_err(|error| error.to_string())?;
    let uuid = device.uuid().map_err(|error| error.to_string())?;
    Ok(Gpu {
        index,
        uuid: uuid.parse().map_err(|error| format!("its UUID is {uuid}, {error}"))?,
        name: device.name().map_err(|error| error.to_string())?,
        memory: device.memory_info().ok().map(|memory| Bytes(memory.total)),
    })
}

/// NVML cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// There is no driver, or not all of it.
    #[error("no GPU driver: {} cannot be loaded ({reason})", .library.display())]
    NoDriver {
        /// The library that was tried.
        library: PathBuf,
        /// What the dynamic loader says.
        reason: String,
    },
    /// NVML was loaded and refuses.
    #[error("the GPU driver refuses: {} says {reason:?}", .library.display())]
    Refused {
        /// The library that was asked.
        library: PathBuf,
        /// What it says.
        reason: String,
    },
}

impl GpuError {
    fn new(library: PathBuf, error: NvmlError) -> Self {
        match error {
            NvmlError::LibloadingError(error) => Self::NoDriver { library, reason: error.to_string() },
            NvmlError::FailedToLoadSymbol(reason) => Self::NoDriver { library, reason },
            other => Self::Refused { library, reason: other.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_driver_is_said_with_the_library_that_was_tried() {
        let nvml = Nvml::at(PathBuf::from("/nowhere/libnvidia-ml.so.1"));
        let error = nvml.inventory().expect_err("there is no such library").to_string();
        assert!(error.starts_with("no GPU driver: /nowhere/libnvidia-ml.so.1 cannot be loaded ("), "{error}");
    }
}
