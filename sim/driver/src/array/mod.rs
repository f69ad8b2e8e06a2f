//! Arrays: what they are made of, how they lie in memory, and the objects that are made of them.

mod bindings;
mod format;
mod layout;
mod limits;
mod mapping;
mod mipmap;
mod object;
mod shape;
mod texture;
mod tiles;

use crate::handles::Handles;

pub(crate) use bindings::{Bindings, Tile};
pub(crate) use mapping::Checked;
pub(crate) use mipmap::Mipmap;
pub(crate) use object::{Array, forget_context};
pub(crate) use shape::{Shape, can_defer};
pub(crate) use texture::{Surface, Texture};

/// Arrays, and what is made of them.
#[derive(Debug, Default)]
pub(crate) struct ArrayParts {
    /// Arrays, and views of arrays.
    pub(crate) arrays: Handles<Array>,
    /// Mipmapped arrays.
    pub(crate) mipmaps: Handles<Mipmap>,
    /// Texture objects.
    pub(crate) textures: Handles<Texture>,
    /// Surface objects.
    pub(crate) surfaces: Handles<Surface>,
    /// What is mapped to arrays without memory.
    pub(crate) bindings: Bindings,
}
