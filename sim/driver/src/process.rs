//! The driver's state in this process: what `cuInit` made, and when it may no longer be used.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use cuda_sys::CUresult;
use sim_kernel::{Client, ConnectOptions, Fault, Kind, MachineDescription, Nanos, Refusal};

use crate::address::Space;
use crate::array::ArrayParts;
use crate::context::{Context, Green, Share};
use crate::device::Device;
use crate::handles::Handles;
use crate::memory::{HostMemory, PhysicalMemory, Pool};
use crate::outcome::Outcome;
use crate::profile::Profile;
use crate::work::{
    Event, Function, Graph, GraphParts, HostCalls, Kernel, Library, Link, Module, Stream, micros,
};
use crate::{faults, visible};

/// What `cuInit` makes. It is never dropped: other threads may be in a call while the process ends.
#[derive(Debug)]
pub(crate) struct Driver {
    /// The way to the machine.
    pub(crate) client: Client,
    /// Visible devices by ordinal.
    pub(crate) devices: Vec<Device>,
    /// Device addresses.
    pub(crate) space: Mutex<Space>,
    /// Host memory that the driver allocated or knows.
    pub(crate) host_memory: HostMemory,
    /// Live contexts.
    pub(crate) contexts: Handles<Context>,
    /// Live green contexts.
    pub(crate) greens: Handles<Green>,
    /// What green contexts can be made of.
    pub(crate) shares: Handles<Share>,
    /// Live streams, without the default ones.
    pub(crate) streams: Handles<Stream>,
    /// Live events.
    pub(crate) events: Handles<Event>,
    /// Pools of stream-ordered memory.
    pub(crate) pools: Handles<Pool>,
    /// Physical memory.
    pub(crate) physical: PhysicalMemory,
    /// Arrays, and what is made of them.
    pub(crate) array_parts: ArrayParts,
    /// Loaded modules.
    pub(crate) modules: Handles<Module>,
    /// Kernels of loaded modules.
    pub(crate) functions: Handles<Function>,
    /// Loaded libraries.
    pub(crate) libraries: Handles<Library>,
    /// Kernels of loaded libraries.
    pub(crate) kernels: Handles<Kernel>,
    /// Graphs.
    pub(crate) graphs: Handles<Graph>,
    /// What graphs are made of, and what makes them.
    pub(crate) graph_parts: GraphParts,
    /// Linker invocations.
    pub(crate) links: Handles<Link>,
    /// Host functions that streams will call.
    pub(crate) host_calls: HostCalls,
    /// How long a kernel takes that does not say.
    pub(crate) default_duration: Nanos,
    /// Whether code is loaded with its first use.
    pub(crate) loads_lazily: bool,
}

static DRIVER: AtomicPtr<Driver> = AtomicPtr::new(std::ptr::null_mut());
/// The process that initialised the driver; a forked child has another id. 0: none yet.
static OWNER: AtomicU32 = AtomicU32::new(0);
static EXITING: AtomicBool = AtomicBool::new(false);

impl Driver {
    /// The driver, if it can be used: not before `cuInit` nor in a child forked after it (3), nor after the process
    /// began to exit (4).
    pub(crate) fn get() -> Outcome<&'static Self> {
        let owner = OWNER.load(Ordering::Acquire);
        if owner != 0 && owner != std::process::id() {
            return Err(CUresult::NOT_INITIALIZED);
        }
        if EXITING.load(Ordering::Acquire) {
            return Err(CUresult::DEINITIALIZED);
        }
        // SAFETY: null, or leaked by `initialize`.
        unsafe { DRIVER.load(Ordering::Acquire).as_ref() }.ok_or(CUresult::NOT_INITIALIZED)
    }

    /// A visible device.
    pub(crate) fn device(&self, ordinal: i32) -> Outcome<&Device> {
        let device = usize::try_from(ordinal).ok().and_then(|index| self.devices.get(index));
        device.ok_or(CUresult::INVALID_DEVICE)
    }
}

/// `cuInit`.
pub(crate) fn initialize(flags: u32) -> Outcome {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    static ONCE: Mutex<()> = Mutex::new(());
    let owner = OWNER.load(Ordering::Acquire);
    if owner != 0 || EXITING.load(Ordering::Acquire) {
        // Before the lock, which a forked child may have inherited in the hands of a thread that it has not.
        return Driver::get().map(|_| ());
    }
    let _guard = ONCE.lock().unwrap_or_else(PoisonError::into_inner);
    if OWNER.load(Ordering::Acquire) == 0 {
        let driver = Box::leak(Box::new(start()?));
        DRIVER.store(driver, Ordering::Release);
        // SAFETY: registers a function that only stores a flag.
        unsafe { libc::atexit(exiting) };
        OWNER.store(std::process::id(), Ordering::Release);
    }
    Driver::get().map(|_| ())
}

extern "C" fn exiting() {
    EXITING.store(true, Ordering::Release);
}

fn start() -> Outcome<Driver> {
    faults::check()?;
    let default_duration = default_duration()?;
    let client = connect()?;
    let machine = client.machine().map_err(code)?;
    let contexts = Handles::default();
    let devices = visible_devices(&machine, &contexts);
    let chunk = machine.devices.iter().map(|device| device.card.chunk).max();
    let (false, Some(chunk)) = (devices.is_empty(), chunk) else {
        return Err(CUresult::NO_DEVICE);
    };
    Ok(Driver {
        client,
        devices,
        space: Mutex::new(Space::reserve(chunk).ok_or(CUresult::OUT_OF_MEMORY)?),
        host_memory: HostMemory::default(),
        contexts,
        greens: Handles::default(),
        shares: Handles::default(),
        streams: Handles::default(),
        events: Handles::default(),
        pools: Handles::default(),
        physical: PhysicalMemory::default(),
        array_parts: ArrayParts::default(),
        modules: Handles::default(),
        functions: Handles::default(),
        libraries: Handles::default(),
        kernels: Handles::default(),
        graphs: Handles::default(),
        graph_parts: GraphParts::default(),
        links: Handles::default(),
        host_calls: HostCalls::default(),
        default_duration,
        loads_lazily: loads_lazily(Profile::installed().api_version),
    })
}

/// The devices that the environment lets this process see, in its order.
fn visible_devices(machine: &MachineDescription, contexts: &Handles<Context>) -> Vec<Device> {
    let uuids: Vec<_> = machine.devices.iter().map(|device| device.uuid.to_string()).collect();
    let value = std::env::var_os("CUDA_VISIBLE_DEVICES").map(|value| value.to_string_lossy().into_owned());
    let selected = visible::select(value.as_deref(), &uuids);
    let device =
        |(ordinal, index): (_, usize)| Device::new(ordinal, machine.devices[index].clone(), contexts);
    (0..).zip(selected).map(device).collect()
}

fn connect() -> Outcome<Client> {
    let options = ConnectOptions::from_environment(Kind::Cuda, Profile::installed().branch, program());
    Client::connect(&options).map_err(|problem| {
        eprintln!("vgpu-sim: {problem}");
        CUresult::SYSTEM_NOT_READY
    })
}

/// What `CUDA_MODULE_LOADING` says, which drivers know since API 11.7; without it code is loaded lazily since 12.2.
fn loads_lazily(api_version: u32) -> bool {
    match std::env::var_os("CUDA_MODULE_LOADING").as_deref().and_then(|value| value.to_str()) {
        Some("LAZY") if api_version >= 11_070 => true,
        Some("EAGER") => false,
        _ => api_version >= 12_020,
    }
}

/// `VGPU_SIM_KERNEL_DEFAULT_US`, or 10 µs.
pub(crate) fn default_duration() -> Outcome<Nanos> {
    const VARIABLE: &str = "VGPU_SIM_KERNEL_DEFAULT_US";
    let Some(text) = std::env::var_os(VARIABLE) else {
        return Ok(Nanos::from_micros(10));
    };
    text.to_str().and_then(micros).ok_or_else(|| {
        eprintln!("vgpu-sim: {VARIABLE}: \"{}\" is no number of microseconds, such as 12.5", text.display());
        CUresult::SYSTEM_NOT_READY
    })
}

/// `vgpu-sim-kernel` in the stage directory that this library lies in: `<stage>/sim/<profile>/libcuda.so.1`.
fn program() -> Option<PathBuf> {
    let program = library()?.parent()?.parent()?.parent()?.join("bin/vgpu-sim-kernel");
    program.exists().then_some(program)
}

/// The file that this code was loaded from.
fn library() -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;

    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
    let here: fn() -> Option<PathBuf> = library;
    // SAFETY: asks about an address of this code and gives a place for the answer.
    if unsafe { libc::dladdr(here as *const libc::c_void, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: dladdr succeeded, so it filled the answer.
    let info = unsafe { info.assume_init() };
    // SAFETY: `dli_fname` of a successful answer is a string that lives as long as the library is loaded.
    let name = unsafe { std::ffi::CStr::from_ptr(info.dli_fname) };
    std::fs::canonicalize(std::ffi::OsStr::from_bytes(name.to_bytes())).ok()
}

/// The machine's refusal as the driver words it.
pub(crate) fn code(fault: Fault) -> CUresult {
    match fault {
        Fault::Refused(refusal) => match refusal {
            Refusal::InvalidValue => CUresult::INVALID_VALUE,
            Refusal::OutOfMemory => CUresult::OUT_OF_MEMORY,
            Refusal::InvalidDevice => CUresult::INVALID_DEVICE,
            Refusal::InvalidContext => CUresult::INVALID_CONTEXT,
            Refusal::EccUncorrectable => CUresult::ECC_UNCORRECTABLE,
            Refusal::InvalidHandle => CUresult::INVALID_HANDLE,
            Refusal::NotReady => CUresult::NOT_READY,
            Refusal::LaunchFailed => CUresult::LAUNCH_FAILED,
            Refusal::NotPermitted => CUresult::NOT_PERMITTED,
            Refusal::SystemNotReady => CUresult::SYSTEM_NOT_READY,
        },
        // What a real driver says when the device is gone for good: nothing that a program could mend.
        Fault::Disconnected => CUresult::UNKNOWN,
    }
}
