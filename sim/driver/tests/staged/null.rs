//! The driver that does nothing.

use cuda_sys::{CUcontext, CUevent, CUgraph, CUgraphExec, CUresult, CUstream, CUstreamCaptureStatus, CUuuid};
use sim_kernel::{DeviceIndex, Uuid};

use crate::cuda::{Cuda, call, get};
use crate::scene::library;

const DEFAULT: CUstream = CUstream(std::ptr::null_mut());

#[test]
fn everything_succeeds_and_addresses_are_unique() {
    let cuda = Cuda::load(&library("null"));
    assert_eq!(call!(cuda, cuInit(0)), CUresult::SUCCESS);
    let context: CUcontext = get!(cuda, cuCtxCreate_v2(_, 0, 0));
    assert_eq!(get!(cuda, cuCtxGetCurrent(_)), context);
    let (mut free, mut total) = (0, 0);
    assert_eq!(call!(cuda, cuMemGetInfo_v2(&raw mut free, &raw mut total)), CUresult::SUCCESS);
    assert_eq!((free, total), (81_000 << 20, 81_000 << 20));
    let mut ends = 0;
    for bytes in [1, 512, 513, 1 << 30, 1 << 45, 1] {
        let address: u64 = get!(cuda, cuMemAlloc_v2(_, bytes));
        assert!(address >= ends || bytes == 1, "{bytes}");
        ends = address + bytes as u64;
        assert_eq!(call!(cuda, cuMemFree_v2(address)), CUresult::SUCCESS);
    }
    let module = get!(cuda, cuModuleLoadData(_, c"".as_ptr().cast()));
    let kernel = get!(cuda, cuModuleGetFunction(_, module, c"k".as_ptr()));
    assert_eq!(cuda.launch(kernel, DEFAULT), CUresult::SUCCESS);
    assert_eq!(call!(cuda, cuStreamSynchronize(DEFAULT)), CUresult::SUCCESS);
}

#[test]
fn launches_take_no_time_and_no_stream_captures() {
    let cuda = Cuda::load(&library("null"));
    let [start, end]: [CUevent; 2] = [0; 2].map(|_| get!(cuda, cuEventCreate(_, 0)));
    let graph: CUgraph = get!(cuda, cuGraphCreate(_, 0));
    let exec: CUgraphExec = get!(cuda, cuGraphInstantiateWithFlags(_, graph, 0));
    assert_eq!(call!(cuda, cuEventRecord(start, DEFAULT)), CUresult::SUCCESS);
    assert_eq!(call!(cuda, cuGraphLaunch(exec, DEFAULT)), CUresult::SUCCESS);
    assert_eq!(call!(cuda, cuEventRecord(end, DEFAULT)), CUresult::SUCCESS);
    assert_eq!(call!(cuda, cuEventQuery(end)), CUresult::SUCCESS);
    let mut milliseconds = 1.0;
    let code = call!(cuda, cuEventElapsedTime(&raw mut milliseconds, start, end));
    assert_eq!((code, milliseconds), (CUresult::SUCCESS, 0.0));
    let (mut status, id) = (CUstreamCaptureStatus::ACTIVE, std::ptr::null_mut());
    let code = call!(cuda, cuStreamGetCaptureInfo(DEFAULT, &raw mut status, id));
    assert_eq!((code, status), (CUresult::SUCCESS, CUstreamCaptureStatus::NONE));
}

#[test]
fn its_device_is_the_first_default_one() {
    let cuda = Cuda::load(&library("null"));
    let CUuuid { bytes } = get!(cuda, cuDeviceGetUuid_v2(_, 0));
    assert_eq!(bytes, Uuid::of_default(DeviceIndex(0)).0);
}

#[test]
fn a_copy_is_not_claimed_to_be_done() {
    let cuda = Cuda::load(&library("null"));
    assert_eq!(cuda.unknown("cuMemcpyHtoD_v2")([]), CUresult::NOT_SUPPORTED);
}

#[test]
fn lookups_give_its_own_functions() {
    let cuda = Cuda::load(&library("null"));
    let mut found = std::ptr::null_mut();
    let status = std::ptr::null_mut();
    let code = call!(cuda, cuGetProcAddress_v2(c"cuMemAlloc".as_ptr(), &raw mut found, 12_000, 0, status));
    assert_eq!((code, found), (CUresult::SUCCESS, cuda.address("cuMemAlloc_v2")));
}
