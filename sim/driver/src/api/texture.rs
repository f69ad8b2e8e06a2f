//! Texture and surface objects.

use cuda_sys::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC, CUresult, CUsurfObject, CUtexObject,
};

use crate::abi::{Current, Given, MaybeGiven, Out};
use crate::array::{Surface, Texture};
use crate::handles::Handles;
use crate::outcome::Outcome;
use crate::width::to_usize;

pub(crate) fn cuTexObjectCreate(
    call: Current,
    made: Out<CUtexObject>,
    resource: Given<CUDA_RESOURCE_DESC>,
    texture: Given<CUDA_TEXTURE_DESC>,
    view: MaybeGiven<CUDA_RESOURCE_VIEW_DESC>,
) -> Outcome {
    let context = call.context.life()?.id;
    let object = Texture { context, resource: resource.0, texture: texture.0, view: view.0 };
    object.check(call.driver)?;
    made.set(call.driver.array_parts.textures.insert(object) as u64);
    Ok(())
}

pub(crate) fn cuTexObjectDestroy(call: Current, object: CUtexObject) -> Outcome {
    destroy(&call.driver.array_parts.textures, object)
}

pub(crate) fn cuTexObjectGetResourceDesc(
    call: Current,
    told: Out<CUDA_RESOURCE_DESC>,
    object: CUtexObject,
) -> Outcome {
    tell(&call.driver.array_parts.textures, object, |texture| told.set(texture.resource))
}

pub(crate) fn cuTexObjectGetTextureDesc(
    call: Current,
    told: Out<CUDA_TEXTURE_DESC>,
    object: CUtexObject,
) -> Outcome {
    tell(&call.driver.array_parts.textures, object, |texture| told.set(texture.texture))
}

/// An error for an object that was created without a view.
pub(crate) fn cuTexObjectGetResourceViewDesc(
    call: Current,
    told: Out<CUDA_RESOURCE_VIEW_DESC>,
    object: CUtexObject,
) -> Outcome {
    let mut view = None;
    tell(&call.driver.array_parts.textures, object, |texture| view = texture.view)?;
    told.set(view.ok_or(CUresult::INVALID_VALUE)?);
    Ok(())
}

pub(crate) fn cuSurfObjectCreate(
    call: Current,
    made: Out<CUsurfObject>,
    resource: Given<CUDA_RESOURCE_DESC>,
) -> Outcome {
    let object = Surface { context: call.context.life()?.id, resource: resource.0 };
    object.check(call.driver)?;
    made.set(call.driver.array_parts.surfaces.insert(object) as u64);
    Ok(())
}

pub(crate) fn cuSurfObjectDestroy(call: Current, object: CUsurfObject) -> Outcome {
    destroy(&call.driver.array_parts.surfaces, object)
}

pub(crate) fn cuSurfObjectGetResourceDesc(
    call: Current,
    told: Out<CUDA_RESOURCE_DESC>,
    object: CUsurfObject,
) -> Outcome {
    tell(&call.driver.array_parts.surfaces, object, |surface| told.set(surface.resource))
}

fn destroy<T>(objects: &Handles<T>, object: u64) -> Outcome {
    objects.remove(to_usize(object)).map(drop).ok_or(CUresult::INVALID_VALUE)
}

fn tell<T>(objects: &Handles<T>, object: u64, tell: impl FnOnce(&T)) -> Outcome {
    objects.get(to_usize(object)).map(|object| tell(&object)).ok_or(CUresult::INVALID_VALUE)
}
