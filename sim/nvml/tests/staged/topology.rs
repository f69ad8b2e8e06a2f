//! How devices are connected.

use std::mem::MaybeUninit;

use cuda_sys::{nvmlEnableState_t, nvmlReturn_t};

use crate::nvml::call;
use crate::scene::play;

/// The default devices of a machine have no NVLink, and are of one NUMA node.
#[test]
fn devices_without_links_are_of_one_node() {
    play(2, |scene| {
        let scene = scene.initialised();
        let (first, second) = (scene.nvml.device(0), scene.nvml.device(1));
        let mut level = 0;
        let ancestor =
            |one, other, level| call!(scene.nvml, nvmlDeviceGetTopologyCommonAncestor(one, other, level));
        assert_eq!((ancestor(first, second, &raw mut level), level), (nvmlReturn_t::SUCCESS, 40));
        assert_eq!(ancestor(first, first, &raw mut level), nvmlReturn_t::INVALID_ARGUMENT);
        let mut state = MaybeUninit::<nvmlEnableState_t>::uninit();
        let answer = call!(scene.nvml, nvmlDeviceGetNvLinkState(first, 0, state.as_mut_ptr()));
        assert_eq!(answer, nvmlReturn_t::NOT_SUPPORTED);
    });
}
