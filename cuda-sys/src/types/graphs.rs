//! Graphs: their nodes' parameters, and how they are made ready for launching.

use super::{
    CUdeviceptr, CUgraph, CUgraphNode, CUmemAccessDesc, CUmemPoolProps, CUstream, c_int, c_longlong, c_uint,
    integers, layouts,
};

integers! {
    /// Kind of a graph node.
    CUgraphNodeType "CU_GRAPH_NODE_TYPE_":
    KERNEL = 0,
    MEMCPY = 1,
    MEMSET = 2,
    HOST = 3,
    GRAPH = 4,
    EMPTY = 5,
    WAIT_EVENT = 6,
    EVENT_RECORD = 7,
    MEM_ALLOC = 10,
    MEM_FREE = 11,
}

integers! {
    /// Flags of an instantiation.
    CUgraphInstantiate_flags "CUDA_GRAPH_INSTANTIATE_FLAG_":
    AUTO_FREE_ON_LAUNCH = 1,
    UPLOAD = 2,
    DEVICE_LAUNCH = 4,
    USE_NODE_PRIORITY = 8,
}

/// Parameters of a graph node that allocates; the driver writes `dptr` when the node is added.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_MEM_ALLOC_NODE_PARAMS {
    /// What memory to take.
    pub poolProps: CUmemPoolProps,
    /// `accessDescCount` peers with access, or null.
    pub accessDescs: *const CUmemAccessDesc,
    /// How many peers.
    pub accessDescCount: usize,
    /// Size in bytes.
    pub bytesize: usize,
    /// The address.
    pub dptr: CUdeviceptr,
}

/// Parameters of a graph node that is another graph.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_CHILD_GRAPH_NODE_PARAMS {
    /// The other graph.
    pub graph: CUgraph,
    /// 0: the node gets a copy. 1: the graph becomes the node's (API 12.9).
    pub ownership: c_uint,
}

/// Parameters of a graph node of any kind.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUgraphNodeParams {
    /// Its kind.
    pub kind: CUgraphNodeType,
    /// Zero.
    pub reserved0: [c_int; 3],
    /// The parameters of that kind, from the beginning.
    pub reserved1: [c_longlong; 29],
    /// Zero.
    pub reserved2: c_longlong,
}

/// Parameters of an instantiation.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_GRAPH_INSTANTIATE_PARAMS {
    /// [`CUgraphInstantiate_flags`].
    pub flags: u64,
    /// Where to upload the graph, if a flag says so.
    pub hUploadStream: CUstream,
    /// The driver writes here which node it rejects.
    pub hErrNode_out: CUgraphNode,
    /// The driver writes here why, or 0.
    pub result_out: c_uint,
}

layouts! {
    CUDA_MEM_ALLOC_NODE_PARAMS 120 { poolProps, accessDescs, accessDescCount, bytesize, dptr }
    CUgraphNodeParams 256 { kind, reserved0, reserved1, reserved2 }
    CUDA_GRAPH_INSTANTIATE_PARAMS 32 { flags, hUploadStream, hErrNode_out, result_out }
}
