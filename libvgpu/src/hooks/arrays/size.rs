//! How much an array takes. The driver tells it of an array whose memory is mapped later, and such an array takes none. So
//! one is created that is like the application's in everything else, asked, and destroyed.

use crate::abi::driver::real;
use crate::state::{Site, undisturbed};
use contract::Bytes;
use core::ptr::null_mut;
use cuda_sys::{
    CUDA_ARRAY_MEMORY_REQUIREMENTS as Requirements, CUDA_ARRAY3D_DESCRIPTOR as Shape,
    CUDA_ARRAY3D_FLAGS as Flags, CUarray, CUarray_format as Format, CUdevice,
    CUdevice_attribute as Attribute, CUmipmappedArray, c_uint,
};
use tracker::ArrayShape;

/// What the driver says that an array takes; `None` where it cannot say.
pub(super) fn told(site: &Site, shape: &Shape, levels: Option<c_uint>) -> Option<Bytes> {
    undisturbed(|| {
        let mut ordinal = 0;
        // SAFETY: `ordinal` is valid for writing.
        if !unsafe { real::cuCtxGetDevice(&raw mut ordinal) }.is_success() {
            return None;
        }
        if !*site.device.tells_arrays.get_or_init(|| is_told(ordinal)) {
            return None;
        }
        let twin = Shape { Flags: shape.Flags | Flags::DEFERRED_MAPPING.0, ..*shape };
        let bytes = match levels {
            None => of_array(&twin, ordinal),
            Some(levels) => of_mipmap(&twin, levels, ordinal),
        };
        // No array takes nothing.
        bytes.map(|bytes| Bytes(bytes as u64)).filter(|bytes| *bytes > Bytes::ZERO)
    })
}

/// Whether the driver knows arrays without memory. One that does not might take the flag for none and allocate.
fn is_told(ordinal: CUdevice) -> bool {
    let mut answer = 0;
    let attribute = Attribute::DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED;
    // SAFETY: `answer` is valid for writing.
    let asked = unsafe { real::cuDeviceGetAttribute(&raw mut answer, attribute, ordinal) };
    asked.is_success() && answer != 0
}

fn of_array(twin: &Shape, ordinal: CUdevice) -> Option<usize> {
    let (mut array, mut told) = (CUarray(null_mut()), Requirements::default());
    // SAFETY: both are valid for what is done with them.
    if !unsafe { real::cuArray3DCreate_v2(&raw mut array, twin) }.is_success() {
        return None;
    }
    // SAFETY: `told` is valid for writing, and the array has just been created.
    let asked = unsafe { real::cuArrayGetMemoryRequirements(&raw mut told, array, ordinal) };
    // SAFETY: known to nobody else.
    let _ = unsafe { real::cuArrayDestroy(array) };
    asked.is_success().then_some(told.size)
}

fn of_mipmap(twin: &Shape, levels: c_uint, ordinal: CUdevice) -> Option<usize> {
    let (mut mipmap, mut told) = (CUmipmappedArray(null_mut()), Requirements::default());
    // SAFETY: both are valid for what is done with them.
    if !unsafe { real::cuMipmappedArrayCreate(&raw mut mipmap, twin, levels) }.is_success() {
        return None;
    }
    // SAFETY: `told` is valid for writing, and the mipmapped array has just been created.
    let asked = unsafe { real::cuMipmappedArrayGetMemoryRequirements(&raw mut told, mipmap, ordinal) };
    // SAFETY: known to nobody else.
    let _ = unsafe { real::cuMipmappedArrayDestroy(mipmap) };
    asked.is_success().then_some(told.size)
}

/// The most that an array takes.
pub(super) fn bound(shape: &Shape, levels: Option<c_uint>) -> Bytes {
    let (block, block_bytes, planes) = elements(shape.Format, shape.NumChannels);
    let flags = Flags::LAYERED.0 | Flags::CUBEMAP.0;
    let extents = [shape.Width, shape.Height, shape.Depth].map(|extent| extent as u64);
    let is_layered = shape.Flags & flags != 0;
    let levels = levels.unwrap_or(1);
    ArrayShape { extents, is_layered, block, block_bytes, planes, levels }.bound()
}

/// Elements that are stored together in each direction, the most bytes of those in one plane, and the most planes.
fn elements(format: Format, channels: c_uint) -> (u64, u64, u64) {
    let channel = match format {
        Format::UNSIGNED_INT8 | Format::SIGNED_INT8 => 1,
        Format::UNSIGNED_INT16 | Format::SIGNED_INT16 | Format::HALF => 2,
        Format::UNSIGNED_INT32 | Format::SIGNED_INT32 | Format::FLOAT => 4,
        Format(value) if (Format::BC1_UNORM.0..=Format::BC7_UNORM_SRGB.0).contains(&value) => {
            return (4, 16, 1);
        }
        // No format has more than 16 bytes an element, nor more planes than there are primary colours.
        _ => return (1, 16, 3),
    };
    (1, channel * u64::from(channels), 1)
}

/// Whether no driver creates such an array. What looks like this is the driver's to reject.
pub(super) const fn is_impossible(shape: &Shape) -> bool {
    /// Far above what any GPU can address in one direction.
    const LONGEST: usize = 1 << 24;
    let is_layered = shape.Flags & Flags::LAYERED.0 != 0;
    let has_no_channels = shape.NumChannels == 0 || shape.NumChannels > 4;
    let is_too_long = shape.Width > LONGEST || shape.Height > LONGEST || shape.Depth > LONGEST;
    shape.Width == 0 || has_no_channels || is_too_long || shape.Height == 0 && shape.Depth > 0 && !is_layered
}
