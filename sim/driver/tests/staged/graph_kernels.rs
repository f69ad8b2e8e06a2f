//! Graphs that are built by hand of nodes that do work.

use std::ffi::c_void;
use std::ptr::{from_mut, null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

use cuda_sys::{
    CUDA_HOST_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS as Parameters, CUDA_MEMSET_NODE_PARAMS, CUcontext,
    CUevent, CUgraph, CUgraphExec, CUgraphNode, CUgraphNodeParams, CUgraphNodeType as Kind, CUmodule,
    CUresult, CUstream, CUstreamCaptureMode as Mode,
};

use crate::cuda::{call, get, one_thread};
use crate::scene::{Play, Scene};

const IMAGE: &std::ffi::CStr = c"SIMKERN v1\nname=short dur_us=100\nname=long dur_us=30000";

/// One block of one thread of the kernel `name`.
fn kernel(scene: &Scene, name: &std::ffi::CStr) -> Parameters {
    let module: CUmodule = get!(scene.cuda, cuModuleLoadData(_, IMAGE.as_ptr().cast()));
    one_thread(get!(scene.cuda, cuModuleGetFunction(_, module, name.as_ptr())))
}

fn ready(scene: &Scene, graph: CUgraph) -> CUgraphExec {
    get!(scene.cuda, cuGraphInstantiateWithFlags(_, graph, 0))
}

fn kind(scene: &Scene, node: CUgraphNode) -> Kind {
    let mut kind = Kind(99);
    assert_eq!(call!(scene.cuda, cuGraphNodeGetType(node, &raw mut kind)), CUresult::SUCCESS);
    kind
}

/// Launches it once, and says how long the device was busy with it, in microseconds, and with how many kernels.
fn launched(scene: &Scene, exec: CUgraphExec) -> (u64, u64) {
    let stream: CUstream = get!(scene.cuda, cuStreamCreate(_, 1));
    let before = scene.truth();
    assert_eq!(call!(scene.cuda, cuGraphLaunch(exec, stream)), CUresult::SUCCESS);
    assert_eq!(call!(scene.cuda, cuStreamSynchronize(stream)), CUresult::SUCCESS);
    let after = scene.truth();
    ((after.busy.0 - before.busy.0) / 1000, after.kernels - before.kernels)
}

#[test]
fn a_kernel_node_can_be_another_kernel_in_the_graph_or_where_it_is_launched() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (short, long) = (kernel(&scene, c"short"), kernel(&scene, c"long"));
        let graph: CUgraph = get!(scene.cuda, cuGraphCreate(_, 0));
        let node: CUgraphNode =
            get!(scene.cuda, cuGraphAddKernelNode_v2(_, graph, null(), 0, &raw const short));
        let exec = ready(&scene, graph);
        assert_eq!(launched(&scene, exec), (100, 1));
        let code = call!(scene.cuda, cuGraphExecKernelNodeSetParams_v2(exec, node, &raw const long));
        assert_eq!((code, launched(&scene, exec)), (CUresult::SUCCESS, (30_000, 1)));
        assert_eq!(launched(&scene, ready(&scene, graph)), (100, 1), "the graph is as it was");
        let code = call!(scene.cuda, cuGraphKernelNodeSetParams_v2(node, &raw const long));
        assert_eq!((code, launched(&scene, ready(&scene, graph))), (CUresult::SUCCESS, (30_000, 1)));
        let mut told = short;
        let code = call!(scene.cuda, cuGraphKernelNodeGetParams_v2(node, &raw mut told));
        assert_eq!((code, told.func, told.gridDimX), (CUresult::SUCCESS, long.func, 1));
        let mut bad = long;
        bad.gridDimY = 0;
        let code = call!(scene.cuda, cuGraphKernelNodeSetParams_v2(node, &raw const bad));
        assert_eq!(code, CUresult::INVALID_VALUE);
        let empty: CUgraphNode = get!(scene.cuda, cuGraphAddEmptyNode(_, graph, null(), 0));
        let code = call!(scene.cuda, cuGraphKernelNodeSetParams_v2(empty, &raw const long));
        assert_eq!(code, CUresult::INVALID_VALUE);
    });
}

#[test]
fn an_update_takes_the_kernels_of_another_graph_over() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let [first, second] = [c"short", c"long"].map(|name| {
            let graph: CUgraph = get!(scene.cuda, cuGraphCreate(_, 0));
            let wanted = kernel(&scene, name);
            let _: CUgraphNode =
                get!(scene.cuda, cuGraphAddKernelNode_v2(_, graph, null(), 0, &raw const wanted));
            graph
        });
        let exec = ready(&scene, first);
        let mut information = [9_u32; 8];
        let code = call!(scene.cuda, cuGraphExecUpdate_v2(exec, second, from_mut(&mut information).cast()));
        assert_eq!((code, information[0]), (CUresult::SUCCESS, 0));
        assert_eq!(launched(&scene, exec), (30_000, 1));
        let _: CUgraphNode = get!(scene.cuda, cuGraphAddEmptyNode(_, second, null(), 0));
        let code = call!(scene.cuda, cuGraphExecUpdate_v2(exec, second, from_mut(&mut information).cast()));
        assert_eq!((code, information[0]), (CUresult::GRAPH_EXEC_UPDATE_FAILURE, 2));
    });
}

unsafe extern "C" fn count(calls: *mut c_void) {
    // SAFETY: every node of the test is given such a number, which outlives its graph.
    unsafe { &*calls.cast::<AtomicU32>() }.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn fills_functions_of_the_host_and_events_are_nodes_too() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let graph: CUgraph = get!(scene.cuda, cuGraphCreate(_, 0));
        let address: u64 = get!(scene.cuda, cuMemAlloc_v2(_, 16));
        let fill = CUDA_MEMSET_NODE_PARAMS {
            dst: address,
            pitch: 0,
            value: 0x0102_0304,
            elementSize: 4,
            width: 4,
            height: 1,
        };
        let none = CUcontext(null_mut());
        let node: CUgraphNode =
            get!(scene.cuda, cuGraphAddMemsetNode(_, graph, null(), 0, &raw const fill, none));
        let calls = AtomicU32::new(0);
        let host =
            CUDA_HOST_NODE_PARAMS { function: Some(count), userData: (&raw const calls).cast_mut().cast() };
        let _: CUgraphNode =
            get!(scene.cuda, cuGraphAddHostNode(_, graph, &raw const node, 1, &raw const host));
        let event: CUevent = get!(scene.cuda, cuEventCreate(_, 2));
        let record: CUgraphNode = get!(scene.cuda, cuGraphAddEventRecordNode(_, graph, null(), 0, event));
        assert_eq!(kind(&scene, record), Kind::EVENT_RECORD);
        assert_eq!(launched(&scene, ready(&scene, graph)).1, 0);
        assert_eq!(call!(scene.cuda, cuEventQuery(event)), CUresult::SUCCESS);
        let mut back = [0_u32; 4];
        let code = call!(scene.cuda, cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), address, 16));
        assert_eq!((code, back), (CUresult::SUCCESS, [0x0102_0304; 4]));
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn a_node_of_any_kind_is_added_by_one_structure() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let graph: CUgraph = get!(scene.cuda, cuGraphCreate(_, 0));
        let mut wanted =
            CUgraphNodeParams { kind: Kind::KERNEL, reserved0: [0; 3], reserved1: [0; 29], reserved2: 0 };
        let kernel = kernel(&scene, c"short");
        // SAFETY: the parameters of a kind begin there, and those of every kind fit.
        unsafe { wanted.reserved1.as_mut_ptr().cast::<Parameters>().write(kernel) };
        let node: CUgraphNode = get!(scene.cuda, cuGraphAddNode(_, graph, null(), 0, &raw mut wanted));
        assert_eq!(kind(&scene, node), Kind::KERNEL);
        assert_eq!(launched(&scene, ready(&scene, graph)), (100, 1));
        wanted.kind = Kind(13);
        let mut none = CUgraphNode(null_mut());
        let code = call!(scene.cuda, cuGraphAddNode(&raw mut none, graph, null(), 0, &raw mut wanted));
        assert_eq!(code, CUresult::NOT_SUPPORTED);
    });
}

#[test]
fn a_graph_that_is_launched_in_a_capture_becomes_a_part_of_it() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (inner, short): (CUgraph, _) = (get!(scene.cuda, cuGraphCreate(_, 0)), kernel(&scene, c"short"));
        let _: CUgraphNode = get!(scene.cuda, cuGraphAddKernelNode_v2(_, inner, null(), 0, &raw const short));
        let (exec, stream): (_, CUstream) = (ready(&scene, inner), get!(scene.cuda, cuStreamCreate(_, 1)));
        let event: CUevent = get!(scene.cuda, cuEventCreate(_, 2));
        let calls = AtomicU32::new(0);
        assert_eq!(call!(scene.cuda, cuStreamBeginCapture_v2(stream, Mode::RELAXED)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuGraphLaunch(exec, stream)), CUresult::SUCCESS);
        let data = (&raw const calls).cast_mut().cast();
        assert_eq!(call!(scene.cuda, cuLaunchHostFunc(stream, Some(count), data)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuEventRecordWithFlags(event, stream, 1)), CUresult::SUCCESS);
        let mut outer = CUgraph(null_mut());
        assert_eq!(call!(scene.cuda, cuStreamEndCapture(stream, &raw mut outer)), CUresult::SUCCESS);
        assert_eq!((scene.truth().kernels, calls.load(Ordering::Relaxed)), (0, 0));
        assert_eq!(launched(&scene, ready(&scene, outer)), (100, 1));
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    });
}
