//! The largest arrays of a device, by their kind: what the manual lists for `cuArray3DCreate` and
//! `cuMipmappedArrayCreate`.

use cuda_sys::{CUDA_ARRAY3D_FLAGS as Flags, CUdevice_attribute as Attribute};

use super::Shape;
use super::shape::Kind;
use crate::device::Device;

/// Attributes with the most elements of a row, rows, and slices or layers.
type Most = &'static [Attribute];

/// Whether an array is within the device's limits.
pub(super) fn fits(shape: &Shape, kind: Kind, device: &Device, has_levels: bool) -> bool {
    let extents = match kind {
        Kind::Line => [shape.width, 0, 0],
        Kind::Lines => [shape.width, shape.depth, 0],
        Kind::Plane => [shape.width, shape.height, 0],
        Kind::Box | Kind::Planes => [shape.width, shape.height, shape.depth],
        Kind::Cube => [shape.width, 0, 0],
        Kind::Cubes => [shape.width, shape.depth, 0],
    };
    let within = |most: Most| {
        most.iter().zip(extents).all(|(attribute, extent)| {
            device
                .attribute(*attribute)
                .is_some_and(|most| u64::try_from(most).is_ok_and(|most| extent <= most))
        })
    };
    let textures = if shape.has(Flags::TEXTURE_GATHER) { &[GATHER][..] } else { textures(kind, has_levels) };
    textures.iter().any(|most| within(most)) && (!shape.has(Flags::SURFACE_LDST) || within(surfaces(kind)))
}

const GATHER: Most = &[Attribute::MAXIMUM_TEXTURE2D_GATHER_WIDTH, Attribute::MAXIMUM_TEXTURE2D_GATHER_HEIGHT];

/// Any of these.
fn textures(kind: Kind, has_levels: bool) -> &'static [Most] {
    match (kind, has_levels) {
        (Kind::Line, false) => &[&[Attribute::MAXIMUM_TEXTURE1D_WIDTH]],
        (Kind::Line, true) => &[&[Attribute::MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH]],
        (Kind::Plane, false) => &[&[Attribute::MAXIMUM_TEXTURE2D_WIDTH, Attribute::MAXIMUM_TEXTURE2D_HEIGHT]],
        (Kind::Plane, true) => {
            &[&[Attribute::MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, Attribute::MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT]]
        }
        (Kind::Box, _) => &[
            &[
                Attribute::MAXIMUM_TEXTURE3D_WIDTH,
                Attribute::MAXIMUM_TEXTURE3D_HEIGHT,
                Attribute::MAXIMUM_TEXTURE3D_DEPTH,
            ],
            &[
                Attribute::MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE,
                Attribute::MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE,
                Attribute::MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE,
            ],
        ],
        (Kind::Lines, _) => {
            &[&[Attribute::MAXIMUM_TEXTURE1D_LAYERED_WIDTH, Attribute::MAXIMUM_TEXTURE1D_LAYERED_LAYERS]]
        }
        (Kind::Planes, _) => &[&[
            Attribute::MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
            Attribute::MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
            Attribute::MAXIMUM_TEXTURE2D_LAYERED_LAYERS,
        ]],
        (Kind::Cube, _) => &[&[Attribute::MAXIMUM_TEXTURECUBEMAP_WIDTH]],
        (Kind::Cubes, _) => &[&[
            Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH,
            Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS,
        ]],
    }
}

fn surfaces(kind: Kind) -> Most {
    match kind {
        Kind::Line => &[Attribute::MAXIMUM_SURFACE1D_WIDTH],
        Kind::Plane => &[Attribute::MAXIMUM_SURFACE2D_WIDTH, Attribute::MAXIMUM_SURFACE2D_HEIGHT],
        Kind::Box => &[
            Attribute::MAXIMUM_SURFACE3D_WIDTH,
            Attribute::MAXIMUM_SURFACE3D_HEIGHT,
            Attribute::MAXIMUM_SURFACE3D_DEPTH,
        ],
        Kind::Lines => {
            &[Attribute::MAXIMUM_SURFACE1D_LAYERED_WIDTH, Attribute::MAXIMUM_SURFACE1D_LAYERED_LAYERS]
        }
        Kind::Planes => &[
            Attribute::MAXIMUM_SURFACE2D_LAYERED_WIDTH,
            Attribute::MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
            Attribute::MAXIMUM_SURFACE2D_LAYERED_LAYERS,
        ],
        Kind::Cube => &[Attribute::MAXIMUM_SURFACECUBEMAP_WIDTH],
        Kind::Cubes => &[
            Attribute::MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH,
            Attribute::MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS,
        ],
    }
}
