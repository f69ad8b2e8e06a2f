//! What an element of an array takes.

use cuda_sys::CUarray_format as Format;

/// A plane of an array: most formats have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plane {
    /// Bytes of a block of elements.
    pub(super) bytes: u64,
    /// Elements of a block, in each of two directions.
    pub(super) block: u64,
    /// By how much it has fewer elements than the array: in a row, in rows.
    pub(super) shrink: (u64, u64),
    /// What it is as an array of its own.
    pub(super) format: Format,
    /// Channels of that array.
    pub(super) channels: u32,
}

/// The planes of an array of this format with so many channels; `None` where no array can be so.
pub(super) fn planes(format: Format, channels: u32) -> Option<Vec<Plane>> {
    if let Some(bytes) = bytes_of_channel(format) {
        return matches!(channels, 1 | 2 | 4)
            .then(|| vec![plain(format, channels, bytes * u64::from(channels))]);
    }
    if let Some((wanted, bytes)) = packed(format) {
        return (channels == wanted).then(|| vec![plain(format, channels, bytes)]);
    }
    if let Some((wanted, bytes)) = compressed(format) {
        let plane = Plane { block: 4, ..plain(format, channels, bytes) };
        return (channels == wanted).then(|| vec![plane]);
    }
    let (chroma, shrink, depth) = planar(format)?;
    let format = if depth == 1 { Format::UNSIGNED_INT8 } else { Format::UNSIGNED_INT16 };
    let second = |channels: u32| Plane { shrink, ..plain(format, channels, depth * u64::from(channels)) };
    let mut planes = vec![plain(format, 1, depth)];
    match chroma {
        Chroma::Together => planes.push(second(2)),
        Chroma::Apart => planes.extend([second(1), second(1)]),
    }
    (channels == 3).then_some(planes)
}

const fn plain(format: Format, channels: u32, bytes: u64) -> Plane {
    Plane { bytes, block: 1, shrink: (1, 1), format, channels }
}

/// Formats of any number of channels: bytes of one.
fn bytes_of_channel(format: Format) -> Option<u64> {
    Some(match format {
        Format::UNSIGNED_INT8 | Format::SIGNED_INT8 => 1,
        Format::UNSIGNED_INT16 | Format::SIGNED_INT16 | Format::HALF => 2,
        Format::UNSIGNED_INT32 | Format::SIGNED_INT32 | Format::FLOAT => 4,
        _ => return None,
    })
}

/// Formats whose channels lie together: how many there are, and bytes of an element.
fn packed(format: Format) -> Option<(u32, u64)> {
    Some(match format {
        Format::UNORM_INT8X1 | Format::SNORM_INT8X1 => (1, 1),
        Format::UNORM_INT8X2 | Format::SNORM_INT8X2 | Format::YUY2 => (2, 2),
        Format::UNORM_INT16X1 | Format::SNORM_INT16X1 => (1, 2),
        Format::UNORM_INT16X2 | Format::SNORM_INT16X2 | Format::Y210 | Format::Y216 => (2, 4),
        Format::UINT8_PACKED_422 => (4, 2),
        Format::UNORM_INT8X4
        | Format::SNORM_INT8X4
        | Format::AYUV
        | Format::Y410
        | Format::UNORM_INT_101010_2
        | Format::UINT8_PACKED_444 => (4, 4),
        Format::UNORM_INT16X4 | Format::SNORM_INT16X4 | Format::Y416 => (4, 8),
        _ => return None,
    })
}

/// Formats of compressed blocks of 4 by 4 elements: channels, and bytes of a block.
fn compressed(format: Format) -> Option<(u32, u64)> {
    Some(match format {
        Format::BC1_UNORM | Format::BC1_UNORM_SRGB => (4, 8),
        Format::BC4_UNORM | Format::BC4_SNORM => (1, 8),
        Format::BC5_UNORM | Format::BC5_SNORM => (2, 16),
        Format::BC6H_UF16 | Format::BC6H_SF16 => (3, 16),
        Format::BC2_UNORM
        | Format::BC2_UNORM_SRGB
        | Format::BC3_UNORM
        | Format::BC3_UNORM_SRGB
        | Format::BC7_UNORM
        | Format::BC7_UNORM_SRGB => (4, 16),
        _ => return None,
    })
}

/// Where the two colour channels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chroma {
    /// In one plane.
    Together,
    /// In a plane each.
    Apart,
}

/// `CU_AD_FORMAT_YUV444_8bit_SemiPlanar`
const SEMIPLANAR8: Format = Format(0xb4);
/// `CU_AD_FORMAT_YUV444_16bit_SemiPlanar`
const SEMIPLANAR16: Format = Format(0xb5);

/// Formats of several planes: where colour is, how much coarser it is, and bytes of a channel.
fn planar(format: Format) -> Option<(Chroma, (u64, u64), u64)> {
    const FULL: (u64, u64) = (1, 1);
    const HALF: (u64, u64) = (2, 1);
    const QUARTER: (u64, u64) = (2, 2);
    Some(match format {
        Format::NV12 | Format::UINT8_SEMIPLANAR_420 => (Chroma::Together, QUARTER, 1),
        Format::P010 | Format::P016 | Format::UINT16_SEMIPLANAR_420 => (Chroma::Together, QUARTER, 2),
        Format::NV16 | Format::UINT8_SEMIPLANAR_422 => (Chroma::Together, HALF, 1),
        Format::P210 | Format::P216 | Format::UINT16_SEMIPLANAR_422 => (Chroma::Together, HALF, 2),
        SEMIPLANAR8 | Format::UINT8_SEMIPLANAR_444 => (Chroma::Together, FULL, 1),
        SEMIPLANAR16 | Format::UINT16_SEMIPLANAR_444 => (Chroma::Together, FULL, 2),
        Format::UINT8_PLANAR_420 => (Chroma::Apart, QUARTER, 1),
        Format::UINT16_PLANAR_420 => (Chroma::Apart, QUARTER, 2),
        Format::UINT8_PLANAR_422 => (Chroma::Apart, HALF, 1),
        Format::UINT16_PLANAR_422 => (Chroma::Apart, HALF, 2),
        Format::UINT8_PLANAR_444 | Format::Y444_PLANAR8 => (Chroma::Apart, FULL, 1),
        Format::UINT16_PLANAR_444 | Format::Y444_PLANAR10 => (Chroma::Apart, FULL, 2),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_planes_for_one_number_of_channels_at_least() {
        let known = Format::NAMED.iter().map(|(_, value)| Format(*value)).chain([SEMIPLANAR8, SEMIPLANAR16]);
        for format in known {
            let possible = (1..=4).filter(|channels| planes(format, *channels).is_some()).count();
            assert!(possible == 1 || bytes_of_channel(format).is_some() && possible == 3, "{format:?}");
        }
        assert_eq!(planes(Format(0), 1), None);
        assert_eq!(planes(Format::FLOAT, 3), None);
    }

    #[test]
    fn colour_of_nv12_is_one_plane_of_a_quarter_of_the_elements() {
        let found = planes(Format::NV12, 3).expect("a format");
        let elements: Vec<_> =
            found.iter().map(|plane| (plane.bytes, plane.shrink, plane.channels)).collect();
        assert_eq!(elements, [(1, (1, 1), 1), (2, (2, 2), 2)]);
    }
}
