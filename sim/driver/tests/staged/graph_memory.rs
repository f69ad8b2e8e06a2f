//! Memory of graphs.

use std::ptr::{from_mut, null, null_mut};

use cuda_sys::{
    CUDA_GRAPH_INSTANTIATE_PARAMS, CUDA_MEM_ALLOC_NODE_PARAMS, CUgraph, CUgraphExec,
    CUgraphMem_attribute as Attribute, CUgraphNode, CUgraphNodeParams, CUgraphNodeType,
    CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemPoolProps,
    CUresult, CUstream, CUstreamCaptureMode as Mode,
};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const MIB: usize = 1 << 20;
const AUTO_FREE: u64 = 1;
const UPLOAD: u64 = 2;

/// So many bytes of the first device.
fn parameters(bytes: usize) -> CUDA_MEM_ALLOC_NODE_PARAMS {
    CUDA_MEM_ALLOC_NODE_PARAMS {
        poolProps: CUmemPoolProps {
            allocType: CUmemAllocationType::PINNED,
            handleTypes: CUmemAllocationHandleType::NONE,
            location: CUmemLocation { kind: CUmemLocationType::DEVICE, id: 0 },
            win32SecurityAttributes: null_mut(),
            maxSize: 0,
            usage: 0,
            gpuDirectRDMACapable: 0,
            reserved: [0; 53],
        },
        accessDescs: null(),
        accessDescCount: 0,
        bytesize: bytes,
        dptr: 0,
    }
}

fn allocation(scene: &Scene, graph: CUgraph, after: &[CUgraphNode], bytes: usize) -> (CUgraphNode, u64) {
    let mut wanted = parameters(bytes);
    let node = get!(
        scene.cuda,
        cuGraphAddMemAllocNode(_, graph, after.as_ptr(), after.len(), from_mut(&mut wanted))
    );
    (node, wanted.dptr)
}

fn free_node(scene: &Scene, graph: CUgraph, address: u64) -> CUresult {
    let mut node = CUgraphNode(null_mut());
    call!(scene.cuda, cuGraphAddMemFreeNode(&raw mut node, graph, null(), 0, address))
}

fn graph(scene: &Scene) -> CUgraph {
    get!(scene.cuda, cuGraphCreate(_, 0))
}

fn ready(scene: &Scene, graph: CUgraph, flags: u64) -> CUgraphExec {
    get!(scene.cuda, cuGraphInstantiateWithFlags(_, graph, flags))
}

fn launch(scene: &Scene, exec: CUgraphExec, stream: CUstream) -> CUresult {
    call!(scene.cuda, cuGraphLaunch(exec, stream))
}

fn stream(scene: &Scene) -> CUstream {
    get!(scene.cuda, cuStreamCreate(_, 1))
}

fn trim(scene: &Scene) {
    assert_eq!(call!(scene.cuda, cuDeviceGraphMemTrim(0)), CUresult::SUCCESS);
}

/// Reserved and used, in MiB.
fn held(scene: &Scene) -> (u64, u64) {
    let ask = |attribute| {
        let mut value = 0_u64;
        let code = call!(scene.cuda, cuDeviceGetGraphMemAttribute(0, attribute, from_mut(&mut value).cast()));
        assert_eq!(code, CUresult::SUCCESS);
        value
    };
    let reserved = ask(Attribute::RESERVED_MEM_CURRENT);
    assert_eq!(scene.truth().graphs.0, reserved);
    (reserved >> 20, ask(Attribute::USED_MEM_CURRENT) >> 20)
}

#[test]
fn captured_memory_is_taken_at_the_launch_and_stays_until_a_trim() {
    Play::everywhere().run(|scene| {
        let (scene, _) = scene.with_context();
        let stream = stream(&scene);
        assert_eq!(call!(scene.cuda, cuStreamBeginCapture_v2(stream, Mode::GLOBAL)), CUresult::SUCCESS);
        let address: u64 = get!(scene.cuda, cuMemAllocAsync(_, 10 * MIB, stream));
        assert_eq!(call!(scene.cuda, cuMemsetD8Async(address, 7, MIB, stream)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemFreeAsync(address, stream)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuMemFreeAsync(address, stream)), CUresult::INVALID_VALUE);
        // The same addresses serve again.
        let again: u64 = get!(scene.cuda, cuMemAllocAsync(_, 4 * MIB, stream));
        assert_eq!(again, address);
        assert_eq!(call!(scene.cuda, cuMemFreeAsync(again, stream)), CUresult::SUCCESS);
        let mut graph = CUgraph(null_mut());
        assert_eq!(call!(scene.cuda, cuStreamEndCapture(stream, &raw mut graph)), CUresult::SUCCESS);
        let exec = ready(&scene, graph, 0);
        assert_eq!((held(&scene), scene.truth().pooled.0), ((0, 0), 0));
        assert_eq!(call!(scene.cuda, cuGraphDestroy(graph)), CUresult::SUCCESS);
        for _ in 0..3 {
            assert_eq!(launch(&scene, exec, stream), CUresult::SUCCESS);
            assert_eq!(held(&scene), (10, 10));
        }
        assert_eq!(call!(scene.cuda, cuStreamSynchronize(stream)), CUresult::SUCCESS);
        assert_eq!(held(&scene), (10, 10));
        trim(&scene);
        assert_eq!(held(&scene), (0, 0));
        assert_eq!(launch(&scene, exec, stream), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuStreamSynchronize(stream)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuGraphExecDestroy(exec)), CUresult::SUCCESS);
        assert_eq!(held(&scene), (10, 0));
        trim(&scene);
        assert_eq!(held(&scene), (0, 0));
        let truth = scene.truth();
        assert_eq!((truth.resident, truth.code.0), (truth.overhead, 0));
    });
}

#[test]
fn memory_that_outlives_a_launch_is_freed_by_whoever_wants_to() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (stream, graph) = (stream(&scene), graph(&scene));
        let (_, address) = allocation(&scene, graph, &[], 3 * MIB);
        let exec = ready(&scene, graph, 0);
        let other = {
            let other = self::graph(&scene);
            assert_eq!(free_node(&scene, other, address), CUresult::SUCCESS);
            assert_eq!(free_node(&scene, graph, address), CUresult::INVALID_VALUE, "another graph does");
            ready(&scene, other, 0)
        };
        assert_eq!(launch(&scene, other, stream), CUresult::INVALID_VALUE, "there is nothing to free");
        let frees: [&dyn Fn() -> CUresult; 3] = [
            &|| call!(scene.cuda, cuMemFreeAsync(address, stream)),
            &|| call!(scene.cuda, cuMemFree_v2(address)),
            &|| launch(&scene, other, stream),
        ];
        for free in frees {
            assert_eq!(launch(&scene, exec, stream), CUresult::SUCCESS);
            assert_eq!(launch(&scene, exec, stream), CUresult::INVALID_VALUE, "what it left is not freed");
            trim(&scene);
            assert_eq!(held(&scene), (4, 4));
            assert_eq!(free(), CUresult::SUCCESS);
            assert_eq!(free(), CUresult::INVALID_VALUE);
            assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::SUCCESS);
            trim(&scene);
            assert_eq!(held(&scene), (0, 0));
        }
    });
}

#[test]
fn a_launch_can_free_what_the_last_one_left() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (stream, graph) = (stream(&scene), graph(&scene));
        let (_, address) = allocation(&scene, graph, &[], 2 * MIB);
        let exec = ready(&scene, graph, AUTO_FREE);
        let mut flags = 0;
        assert_eq!(call!(scene.cuda, cuGraphExecGetFlags(exec, from_mut(&mut flags))), CUresult::SUCCESS);
        assert_eq!(flags, AUTO_FREE);
        for _ in 0..3 {
            assert_eq!(launch(&scene, exec, stream), CUresult::SUCCESS);
            assert_eq!(held(&scene), (2, 2));
        }
        // Neither the graph's end nor that of what was made of it frees its memory.
        assert_eq!(call!(scene.cuda, cuGraphExecDestroy(exec)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuGraphDestroy(graph)), CUresult::SUCCESS);
        assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::SUCCESS);
        trim(&scene);
        assert_eq!(held(&scene), (2, 2));
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::SUCCESS);
        trim(&scene);
        assert_eq!(held(&scene), (0, 0));
    });
}

#[test]
fn a_graph_with_memory_is_ready_once_and_is_not_copied() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let graph = graph(&scene);
        let (node, address) = allocation(&scene, graph, &[], MIB);
        assert_eq!(free_node(&scene, graph, address), CUresult::SUCCESS);
        assert_eq!(free_node(&scene, graph, address), CUresult::INVALID_VALUE, "twice");
        assert_eq!(free_node(&scene, graph, address + 512), CUresult::INVALID_VALUE, "nobody's");
        let mut told = parameters(0);
        let code = call!(scene.cuda, cuGraphMemAllocNodeGetParams(node, from_mut(&mut told)));
        assert_eq!(code, CUresult::SUCCESS);
        assert_eq!((told.dptr, told.bytesize, told.poolProps.location.id), (address, MIB, 0));
        let mut kind = CUgraphNodeType::EMPTY;
        assert_eq!(call!(scene.cuda, cuGraphNodeGetType(node, from_mut(&mut kind))), CUresult::SUCCESS);
        assert_eq!(kind, CUgraphNodeType::MEM_ALLOC);
        let mut other = CUgraph(null_mut());
        assert_eq!(call!(scene.cuda, cuGraphClone(&raw mut other, graph)), CUresult::NOT_SUPPORTED);
        let exec = ready(&scene, graph, 0);
        let mut second = CUgraphExec(null_mut());
        let code = call!(scene.cuda, cuGraphInstantiateWithFlags(&raw mut second, graph, 0));
        assert_eq!(code, CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuGraphExecDestroy(exec)), CUresult::SUCCESS);
        ready(&scene, graph, 0);
    });
}

#[test]
fn a_graph_of_another_one_brings_its_memory_when_it_is_moved_there() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let [parent, child] = [0; 2].map(|_| graph(&scene));
        let (_, address) = allocation(&scene, child, &[], 5 * MIB);
        assert_eq!(free_node(&scene, child, address), CUresult::SUCCESS);
        let mut node = CUgraphNode(null_mut());
        let code = call!(scene.cuda, cuGraphAddChildGraphNode(&raw mut node, parent, null(), 0, child));
        assert_eq!(code, CUresult::NOT_SUPPORTED, "it would be copied");
        let mut wanted = CUgraphNodeParams {
            kind: CUgraphNodeType::GRAPH,
            reserved0: [0; 3],
            reserved1: [0; 29],
            reserved2: 0,
        };
        wanted.reserved1[0] = i64::try_from(child.0.addr()).expect("a handle");
        wanted.reserved1[1] = 1;
        let code = call!(scene.cuda, cuGraphAddNode(&raw mut node, parent, null(), 0, from_mut(&mut wanted)));
        assert_eq!(code, CUresult::SUCCESS);
        let mut told = CUgraph(null_mut());
        let code = call!(scene.cuda, cuGraphChildGraphNodeGetGraph(node, from_mut(&mut told)));
        assert_eq!((code, told), (CUresult::SUCCESS, child));
        assert_eq!(call!(scene.cuda, cuGraphDestroy(child)), CUresult::INVALID_VALUE);
        let mut alone = CUgraphExec(null_mut());
        let code = call!(scene.cuda, cuGraphInstantiateWithFlags(&raw mut alone, child, 0));
        assert_eq!(code, CUresult::INVALID_VALUE);
        let (exec, stream) = (ready(&scene, parent, 0), stream(&scene));
        assert_eq!(launch(&scene, exec, stream), CUresult::SUCCESS);
        assert_eq!(held(&scene), (6, 6));
    });
}

#[test]
fn an_upload_takes_the_memory_before_the_launch() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (stream, graph) = (stream(&scene), graph(&scene));
        let (node, address) = allocation(&scene, graph, &[], 8 * MIB);
        let (_, next) = allocation(&scene, graph, &[node], 2 * MIB);
        assert_eq!(next, address + 8 * MIB as u64);
        let exec = ready(&scene, graph, 0);
        assert_eq!(call!(scene.cuda, cuGraphUpload(exec, stream)), CUresult::SUCCESS);
        assert_eq!(held(&scene), (10, 10));
        trim(&scene);
        assert_eq!(call!(scene.cuda, cuGraphExecDestroy(exec)), CUresult::SUCCESS);
        let mut wanted = CUDA_GRAPH_INSTANTIATE_PARAMS {
            flags: UPLOAD,
            hUploadStream: stream,
            hErrNode_out: CUgraphNode(null_mut()),
            result_out: 9,
        };
        let exec: CUgraphExec =
            get!(scene.cuda, cuGraphInstantiateWithParams(_, graph, from_mut(&mut wanted)));
        assert_eq!((held(&scene), wanted.result_out), ((10, 10), 0));
        assert_eq!(launch(&scene, exec, stream), CUresult::SUCCESS);
        assert_eq!(held(&scene), (10, 10));
    });
}

#[test]
fn a_graph_that_the_card_cannot_hold_is_not_launched() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let (stream, graph) = (stream(&scene), graph(&scene));
        let (_, address) = allocation(&scene, graph, &[], 81_000 * MIB);
        assert_eq!(free_node(&scene, graph, address), CUresult::SUCCESS);
        let exec = ready(&scene, graph, 0);
        for _ in 0..2 {
            assert_eq!(launch(&scene, exec, stream), CUresult::OUT_OF_MEMORY);
        }
        assert_eq!(call!(scene.cuda, cuGraphUpload(exec, stream)), CUresult::OUT_OF_MEMORY);
        assert_eq!(held(&scene), (0, 0));
    });
}

#[test]
fn peaks_begin_anew_when_they_are_set_to_nothing() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let set = |attribute, mut value: u64| {
            call!(scene.cuda, cuDeviceSetGraphMemAttribute(0, attribute, from_mut(&mut value).cast()))
        };
        assert_eq!(set(Attribute::RESERVED_MEM_HIGH, 0), CUresult::SUCCESS);
        assert_eq!(set(Attribute::USED_MEM_HIGH, 0), CUresult::SUCCESS);
        assert_eq!(set(Attribute::USED_MEM_HIGH, 1), CUresult::INVALID_VALUE);
        assert_eq!(set(Attribute::RESERVED_MEM_CURRENT, 0), CUresult::INVALID_VALUE);
        assert_eq!(call!(scene.cuda, cuDeviceGraphMemTrim(7)), CUresult::INVALID_DEVICE);
    });
}
