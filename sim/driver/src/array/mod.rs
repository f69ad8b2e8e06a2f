//! Arrays: what they are made of, how they lie in memory, and the objects that are made of them.

mod format;
mod layout;
mod limits;
mod mipmap;
mod object;
mod shape;
mod texture;
mod tiles;

pub(crate) use mipmap::Mipmap;
pub(crate) use object::{Array, forget_context};
pub(crate) use shape::{Shape, can_defer};
pub(crate) use texture::{Surface, Texture};
