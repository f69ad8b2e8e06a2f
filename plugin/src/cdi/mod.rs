//! The Container Device Interface: how the runtime is told what a container gets.
//!
//! `Allocate` answers with the name of a device that does not exist yet; before the container is created, a spec is written that
//! says what the device is. A container whose spec is missing is not created.

pub mod compose;
pub mod driver;
pub mod probe;
pub mod runtime;
pub mod spec;
mod store;

pub use store::Specs;

use std::collections::HashMap;

use crate::identity::token::Token;
use crate::proto::deviceplugin::{CdiDevice, ContainerAllocateResponse};

/// The kind of our devices.
pub const KIND: &str = "vgpu.io/slice";

/// The device that `token` names, as an answer to `Allocate` has it.
#[must_use]
pub fn device(token: Token) -> String {
    format!("{KIND}={token}")
}

/// The answer to `Allocate`: a name for what the container gets, which is made before it is created. NVIDIA's container runtime is
/// told to keep out, whatever the image asks for: the slice has all that the container gets.
#[must_use]
pub fn answer(token: Token) -> ContainerAllocateResponse {
    ContainerAllocateResponse {
        envs: HashMap::from([("NVIDIA_VISIBLE_DEVICES".to_owned(), "void".to_owned())]),
        cdi_devices: vec![CdiDevice { name: device(token) }],
        ..ContainerAllocateResponse::default()
    }
}

/// The token in a device's name, if it is one of ours.
#[must_use]
pub fn token_in(device: &str) -> Option<Token> {
    device.strip_prefix(KIND)?.strip_prefix('=')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_devices_name_is_read_back() {
        let token = Token::draw().unwrap();
        assert_eq!(token_in(&device(token)), Some(token));
        for other in
            ["", "vgpu.io/slice", "vgpu.io/slice=", "nvidia.com/gpu=0", &format!("vgpu.io/slice={token}0")]
        {
            assert_eq!(token_in(other), None, "{other}");
        }
    }
}
