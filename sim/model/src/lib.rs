//! A GPU as a pure function of time: memory, contexts, streams, kernels.
