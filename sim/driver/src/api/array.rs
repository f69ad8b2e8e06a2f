//! Arrays and mipmapped arrays.

use std::ffi::c_uint;

use cuda_sys::{
    CUDA_ARRAY_MEMORY_REQUIREMENTS as Requirements, CUDA_ARRAY_SPARSE_PROPERTIES as SparseProperties,
    CUdevice,
};

use crate::abi::{Current, Handle, HandleOut, Out, ShapeOut};
use crate::array::{Array, Mipmap, Shape};
use crate::outcome::Outcome;
use crate::work::forbid_unsafe;

/// Of a descriptor of any dimensions and any width.
pub(crate) fn cuArray3DCreate_v2(call: Current, made: HandleOut, shape: Shape) -> Outcome {
    forbid_unsafe(call.driver)?;
    made.set(Array::create(call.driver, &call.context, shape)?.handle);
    Ok(())
}

pub(crate) fn cuArrayDestroy(call: Current, array: Handle) -> Outcome {
    forbid_unsafe(call.driver)?;
    Array::destroy(call.driver, &call.context, array.0)
}

/// To a descriptor of any dimensions and any width.
pub(crate) fn cuArray3DGetDescriptor_v2(call: Current, told: ShapeOut, array: Handle) -> Outcome {
    told.set(&Array::of(call.driver, array.0)?.shape);
    Ok(())
}

pub(crate) fn cuArrayGetPlane(call: Current, plane: HandleOut, array: Handle, index: c_uint) -> Outcome {
    plane.set(Array::of(call.driver, array.0)?.plane(call.driver, index)?.handle);
    Ok(())
}

pub(crate) fn cuArrayGetMemoryRequirements(
    call: Current,
    told: Out<Requirements>,
    array: Handle,
    device: CUdevice,
) -> Outcome {
    call.driver.device(device)?;
    told.set(Array::of(call.driver, array.0)?.requirements()?);
    Ok(())
}

pub(crate) fn cuArrayGetSparseProperties(
    call: Current,
    told: Out<SparseProperties>,
    array: Handle,
) -> Outcome {
    told.set(Array::of(call.driver, array.0)?.sparse_properties()?);
    Ok(())
}

pub(crate) fn cuMipmappedArrayCreate(
    call: Current,
    made: HandleOut,
    shape: Shape,
    levels: c_uint,
) -> Outcome {
    forbid_unsafe(call.driver)?;
    made.set(Mipmap::create(call.driver, &call.context, shape, levels)?.handle);
    Ok(())
}

pub(crate) fn cuMipmappedArrayDestroy(call: Current, mipmap: Handle) -> Outcome {
    forbid_unsafe(call.driver)?;
    Mipmap::destroy(call.driver, &call.context, mipmap.0)
}

pub(crate) fn cuMipmappedArrayGetLevel(
    call: Current,
    array: HandleOut,
    mipmap: Handle,
    level: c_uint,
) -> Outcome {
    array.set(Mipmap::of(call.driver, mipmap.0)?.level(call.driver, level)?.handle);
    Ok(())
}

pub(crate) fn cuMipmappedArrayGetMemoryRequirements(
    call: Current,
    told: Out<Requirements>,
    mipmap: Handle,
    device: CUdevice,
) -> Outcome {
    call.driver.device(device)?;
    told.set(Mipmap::of(call.driver, mipmap.0)?.requirements()?);
    Ok(())
}

pub(crate) fn cuMipmappedArrayGetSparseProperties(
    call: Current,
    told: Out<SparseProperties>,
    mipmap: Handle,
) -> Outcome {
    told.set(Mipmap::of(call.driver, mipmap.0)?.sparse_properties()?);
    Ok(())
}

same! {
    cuArray3DCreate_v2: cuArray3DCreate cuArrayCreate cuArrayCreate_v2;
    cuArray3DGetDescriptor_v2: cuArray3DGetDescriptor cuArrayGetDescriptor cuArrayGetDescriptor_v2;
}
