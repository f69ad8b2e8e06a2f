//! The protocols of kubelet and of container runtimes, as generated from `proto/`.

// What is generated is as the generator writes it.
#![allow(missing_docs, clippy::all, clippy::too_many_lines, unreachable_pub, unused_qualifications)]

/// The part of a container runtime's protocol that tells how it is configured.
pub mod cri {
    tonic::include_proto!("runtime.v1");
}

/// The device plugin protocol.
pub mod deviceplugin {
    tonic::include_proto!("v1beta1");
}

/// The pod resources protocol.
pub mod podresources {
    tonic::include_proto!("v1");
}
