//! The library under test.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::ptr::null_mut;

use cuda_sys::{CUDA_KERNEL_NODE_PARAMS, CUcontext, CUfunction, CUkernel, CUresult, CUstream};
use libloading::os::unix::Library;

/// A loaded libcuda.
pub(crate) struct Cuda(Library);

impl Cuda {
    /// Loads the library of this path.
    pub(crate) fn load(path: &Path) -> Self {
        // SAFETY: the constructor of the simulated library stores a reference and nothing else.
        let library = unsafe { Library::new(path) };
        Self(library.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    /// The function of this name. `_like` gives its type: the entry point of the same name in the library crate,
    /// whose signature is the table's.
    pub(crate) fn function<F: Copy>(&self, name: &str, _like: F) -> F {
        // SAFETY: the type is the table's, which is checked against the vendor's headers.
        let symbol = unsafe { self.0.get::<F>(name) };
        *symbol.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The function of this name, which looks at no argument.
    pub(crate) fn unknown(&self, name: &str) -> extern "C" fn([usize; 0]) -> CUresult {
        // SAFETY: only called for functions that answer without looking at arguments.
        *unsafe { self.0.get(name) }.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Launches a kernel without parameters: one block of one thread.
    pub(crate) fn launch(&self, kernel: CUfunction, stream: CUstream) -> CUresult {
        call!(self, cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, null_mut(), null_mut()))
    }

    /// Where an exported name is; null when it is not.
    pub(crate) fn address(&self, name: &str) -> *mut c_void {
        let name = CString::new(name).expect("a name");
        // SAFETY: only the address is looked at.
        let found = unsafe { self.0.get::<*mut c_void>(name.as_bytes_with_nul()) };
        found.map_or(null_mut(), libloading::os::unix::Symbol::as_raw_ptr)
    }
}

/// One block of one thread of a kernel without parameters, as a node of a graph.
pub(crate) fn one_thread(func: CUfunction) -> CUDA_KERNEL_NODE_PARAMS {
    CUDA_KERNEL_NODE_PARAMS {
        func,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        kernelParams: null_mut(),
        extra: null_mut(),
        kern: CUkernel(null_mut()),
        ctx: CUcontext(null_mut()),
    }
}

/// `call!(cuda, cuFunction(arguments))`: calls the function of the library under test with the table's types.
macro_rules! call {
    (@type $argument:expr) => { _ };
    ($cuda:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let like: unsafe extern "C" fn($($crate::cuda::call!(@type $argument)),*) -> _ = sim_driver::entry::$name;
        let function = $cuda.function(stringify!($name), like);
        // SAFETY: tests pass null or places that live as long as the call.
        unsafe { function($($argument),*) }
    }};
}
pub(crate) use call;

/// `get!(cuda, cuFunction(_, arguments))` calls a function that stores its result through its first parameter, demands
/// success and gives the result.
macro_rules! get {
    ($cuda:expr, $name:ident(_ $(, $argument:expr)* $(,)?)) => {{
        let mut result = std::mem::MaybeUninit::zeroed();
        let code = $crate::cuda::call!($cuda, $name(result.as_mut_ptr() $(, $argument)*));
        assert_eq!(code, cuda_sys::CUresult::SUCCESS, stringify!($name));
        // SAFETY: the call succeeded; results are numbers and handles, valid whatever their bits.
        unsafe { result.assume_init() }
    }};
}
pub(crate) use get;
