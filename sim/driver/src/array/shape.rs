//! What an array is, as its descriptor says.

use cuda_sys::{CUDA_ARRAY3D_FLAGS as Flags, CUarray_format, CUresult};

use super::format::{Plane, planes};
use super::limits;
use crate::device::Device;
use crate::outcome::Outcome;
use crate::profile::Profile;

/// A descriptor of any width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Elements of a row.
    pub(crate) width: u64,
    /// Rows; 0 in a one-dimensional array.
    pub(crate) height: u64,
    /// Slices or layers; 0 in an array of fewer dimensions.
    pub(crate) depth: u64,
    /// Format of a channel.
    pub(crate) format: CUarray_format,
    /// Channels of an element.
    pub(crate) channels: u32,
    /// Kind of array, as bits.
    pub(crate) flags: u32,
}

/// What dimensions an array has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Line,
    Plane,
    Box,
    Lines,
    Planes,
    Cube,
    Cubes,
}

/// Flags, and the version of the API that brought them.
const FLAGS: [(Flags, u32); 9] = [
    (Flags::LAYERED, 4000),
    (Flags::SURFACE_LDST, 3010),
    (Flags::CUBEMAP, 4020),
    (Flags::TEXTURE_GATHER, 4010),
    (Flags::DEPTH_TEXTURE, 5000),
    (Flags::COLOR_ATTACHMENT, 8000),
    (Flags::SPARSE, 11_010),
    (Flags::DEFERRED_MAPPING, 11_060),
    (Flags::VIDEO_ENCODE_DECODE, 13_000),
];

/// Whether a driver of this version has deferred arrays.
pub(crate) fn can_defer(api_version: u32) -> bool {
    FLAGS.iter().any(|(flag, since)| *flag == Flags::DEFERRED_MAPPING && *since <= api_version)
}

impl Shape {
    /// Whether a flag is set.
    pub(crate) const fn has(&self, flag: Flags) -> bool {
        self.flags & flag.0 != 0
    }

    /// Whether it is created without memory, which is mapped to it.
    pub(crate) const fn is_mapped(&self) -> bool {
        self.has(Flags::SPARSE) || self.has(Flags::DEFERRED_MAPPING)
    }

    /// Its planes, after [`check`](Self::check).
    pub(super) fn planes(&self) -> Vec<Plane> {
        planes(self.format, self.channels).unwrap_or_default()
    }

    /// Whether the device can have such an array, of several levels or one.
    pub(super) fn check(&self, device: &Device, has_levels: bool) -> Outcome {
        self.accept(device, has_levels, Profile::installed().api_version).ok_or(CUresult::INVALID_VALUE)
    }

    fn accept(&self, device: &Device, has_levels: bool, api_version: u32) -> Option<()> {
        let known = FLAGS.iter().filter(|(_, since)| *since <= api_version);
        let known = known.fold(0, |flags, (flag, _)| flags | flag.0);
        let planes = planes(self.format, self.channels)?;
        let kind = self.kind()?;
        let is_plane = kind == Kind::Plane;
        let is_tiled = !matches!(kind, Kind::Line | Kind::Lines);
        let fine = self.flags & !known == 0
            && (is_plane || !self.has(Flags::TEXTURE_GATHER))
            && (planes.len() == 1 || is_plane && !has_levels)
            && (is_tiled && planes.len() == 1 || !self.has(Flags::SPARSE))
            && !(self.has(Flags::SPARSE) && self.has(Flags::DEFERRED_MAPPING))
            && limits::fits(self, kind, device, has_levels);
        fine.then_some(())
    }

    /// `None` for extents and flags that contradict each other.
    pub(super) fn kind(&self) -> Option<Kind> {
        let cubes = self.width == self.height && self.depth.is_multiple_of(6);
        match (self.has(Flags::CUBEMAP), self.has(Flags::LAYERED), self.width, self.height, self.depth) {
            (_, _, 0, ..) => None,
            (false, false, _, 0, 0) => Some(Kind::Line),
            (false, false, _, 1.., 0) => Some(Kind::Plane),
            (false, false, _, 1.., 1..) => Some(Kind::Box),
            (false, true, _, 0, 1..) => Some(Kind::Lines),
            (false, true, _, 1.., 1..) => Some(Kind::Planes),
            (true, false, _, 1.., 6) if cubes => Some(Kind::Cube),
            (true, true, _, 1.., 1..) if cubes => Some(Kind::Cubes),
            _ => None,
        }
    }

    /// Whether `depth` counts layers, which all levels have.
    pub(super) fn is_layered(&self) -> bool {
        self.has(Flags::LAYERED) || self.has(Flags::CUBEMAP)
    }

    /// The most levels such an array can have.
    pub(super) fn most_levels(&self) -> u32 {
        let depth = if self.is_layered() { 1 } else { self.depth };
        1 + self.width.max(self.height).max(depth).max(1).ilog2()
    }

    /// A level of it.
    pub(super) fn level(&self, level: u32) -> Self {
        let halved =
            |extent: u64| if extent == 0 { 0 } else { extent.checked_shr(level).unwrap_or(0).max(1) };
        let depth = if self.is_layered() { self.depth } else { halved(self.depth) };
        Self { width: halved(self.width), height: halved(self.height), depth, ..*self }
    }

    /// A plane of it as an array of its own.
    pub(super) fn plane(&self, plane: &Plane) -> Self {
        Self {
            width: self.width.div_ceil(plane.shrink.0),
            height: self.height.div_ceil(plane.shrink.1),
            format: plane.format,
            channels: plane.channels,
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(width: u64, height: u64, depth: u64, flags: u32) -> Shape {
        Shape { width, height, depth, format: CUarray_format::FLOAT, channels: 1, flags }
    }

    #[test]
    fn extents_and_flags_say_what_kind_it_is() {
        let (layered, cube) = (Flags::LAYERED.0, Flags::CUBEMAP.0);
        for (extents, flags, kind) in [
            ((8, 0, 0), 0, Some(Kind::Line)),
            ((8, 8, 0), 0, Some(Kind::Plane)),
            ((8, 8, 8), 0, Some(Kind::Box)),
            ((8, 0, 5), layered, Some(Kind::Lines)),
            ((8, 8, 5), layered, Some(Kind::Planes)),
            ((8, 8, 6), cube, Some(Kind::Cube)),
            ((8, 8, 18), cube | layered, Some(Kind::Cubes)),
            ((0, 8, 8), 0, None),
            ((8, 0, 8), 0, None),
            ((8, 8, 0), layered, None),
            ((8, 9, 6), cube, None),
            ((8, 8, 12), cube, None),
            ((8, 8, 7), cube | layered, None),
        ] {
            assert_eq!(shape(extents.0, extents.1, extents.2, flags).kind(), kind, "{extents:?} {flags}");
        }
    }

    #[test]
    fn levels_are_halved_down_to_one_element_and_layers_stay() {
        let solid = shape(20, 6, 3, 0);
        assert_eq!((solid.most_levels(), solid.level(2)), (5, shape(5, 1, 1, 0)));
        let layers = shape(4, 0, 100, Flags::LAYERED.0);
        assert_eq!((layers.most_levels(), layers.level(9)), (3, shape(1, 0, 100, Flags::LAYERED.0)));
    }
}
