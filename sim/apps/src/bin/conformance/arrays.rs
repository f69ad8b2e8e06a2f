//! Arrays and mipmapped arrays.

use crate::calls::{call, context, empty, first_device, get, must};
use crate::report::Report;
use cuda_sys::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY3D_DESCRIPTOR as Shape,
    CUDA_ARRAY3D_FLAGS as Flags, CUDA_RESOURCE_DESC, CUarray, CUarray_format as Format,
    CUdevice_attribute as Attribute, CUmipmappedArray, CUresourcetype, CUresult,
};
use sim_apps::Failure;
use std::ptr::{from_ref, null, null_mut, without_provenance_mut};

const NO_ARRAY: CUarray = CUarray(null_mut());
const FLAT: Shape =
    Shape { Width: 64, Height: 32, Depth: 0, Format: Format::FLOAT, NumChannels: 1, Flags: 0 };

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    let context = context()?;
    kinds(report)?;
    formats(report)?;
    refused(report);
    handles(report)?;
    levels(report)?;
    copies(report)?;
    deferred(report)?;
    objects(report)?;
    must!(cuCtxDestroy_v2(context))
}

fn create(shape: &Shape) -> Result<CUarray, Failure> {
    get!(cuArray3DCreate_v2(_, from_ref(shape)))
}

fn told(array: CUarray) -> Result<Shape, Failure> {
    let mut told = Shape::default();
    must!(cuArray3DGetDescriptor_v2(&raw mut told, array))?;
    Ok(told)
}

/// Every kind, with one element more than whole tiles.
fn kinds(report: &mut Report) -> Result<(), Failure> {
    let (layered, cube) = (Flags::LAYERED.0, Flags::CUBEMAP.0);
    for (name, [width, height, depth], flags) in [
        ("a line", [1025, 0, 0], 0),
        ("a plane", [129, 65, 0], 0),
        ("a box", [33, 17, 9], 0),
        ("layered lines", [257, 0, 5], layered),
        ("layered planes", [65, 33, 5], layered),
        ("a cube", [65, 65, 6], cube),
        ("layered cubes", [33, 33, 12], cube | layered),
        ("a plane to be written to", [129, 65, 0], Flags::SURFACE_LDST.0),
        ("a plane to be gathered from", [129, 65, 0], Flags::TEXTURE_GATHER.0),
    ] {
        let shape = Shape { Width: width, Height: height, Depth: depth, Flags: flags, ..FLAT };
        let array = create(&shape)?;
        let told = told(array)?;
        report.check(format_args!("descriptor of {name}"), told == shape, format_args!("{told:?}"));
        report.expect(format_args!("destroying {name}"), call!(cuArrayDestroy(array)), CUresult::SUCCESS);
    }
    let flat = CUDA_ARRAY_DESCRIPTOR { Width: 64, Height: 32, Format: Format::FLOAT, NumChannels: 1 };
    let array: CUarray = get!(cuArrayCreate_v2(_, &raw const flat))?;
    let mut told = CUDA_ARRAY_DESCRIPTOR::default();
    must!(cuArrayGetDescriptor_v2(&raw mut told, array))?;
    report.check("descriptor of the older call", told == flat, format_args!("{told:?}"));
    must!(cuArrayDestroy(array))
}

fn formats(report: &mut Report) -> Result<(), Failure> {
    for format in [
        Format::UNSIGNED_INT8,
        Format::SIGNED_INT8,
        Format::UNSIGNED_INT16,
        Format::SIGNED_INT16,
        Format::HALF,
        Format::UNSIGNED_INT32,
        Format::SIGNED_INT32,
        Format::FLOAT,
    ] {
        for channels in [1, 2, 4] {
            let code = attempt(&Shape { Format: format, NumChannels: channels, ..FLAT })?;
            report.expect(format_args!("format {} by {channels}", format.0), code, CUresult::SUCCESS);
        }
    }
    for (format, channels) in [(Format::NV12, 3), (Format::BC1_UNORM, 4), (Format::UNORM_INT8X4, 4)] {
        let code = attempt(&Shape { Format: format, NumChannels: channels, ..FLAT })?;
        report.fact(format_args!("code of format {:#x}", format.0), code.0);
    }
    Ok(())
}

/// Creates an array and destroys it.
fn attempt(shape: &Shape) -> Result<CUresult, Failure> {
    let mut array = NO_ARRAY;
    let code = call!(cuArray3DCreate_v2(&raw mut array, from_ref(shape)));
    if code.is_success() {
        must!(cuArrayDestroy(array))?;
    }
    Ok(code)
}

fn refused(report: &mut Report) {
    let mut array = NO_ARRAY;
    for (name, shape) in [
        ("no elements", Shape { Width: 0, ..FLAT }),
        ("slices without rows", Shape { Height: 0, Depth: 2, ..FLAT }),
        ("no channels", Shape { NumChannels: 0, ..FLAT }),
        ("three channels", Shape { NumChannels: 3, ..FLAT }),
        ("an unknown format", Shape { Format: Format(0x7f), ..FLAT }),
        ("a cube with four sides", Shape { Height: 64, Depth: 4, Flags: Flags::CUBEMAP.0, ..FLAT }),
        ("a cube that is none", Shape { Depth: 6, Flags: Flags::CUBEMAP.0, ..FLAT }),
        ("a line longer than the device's", Shape { Width: 1 << 30, Height: 0, ..FLAT }),
    ] {
        let code = call!(cuArray3DCreate_v2(&raw mut array, &raw const shape));
        report.expect(name, code, CUresult::INVALID_VALUE);
    }
    report.expect_refusal("an array for nobody", call!(cuArray3DCreate_v2(null_mut(), &FLAT)));
    report.expect_refusal("an array of nothing", call!(cuArray3DCreate_v2(&raw mut array, null())));
    // 32 TiB.
    let huge = Shape {
        Width: 1 << 15,
        Height: 1 << 15,
        Depth: 2048,
        NumChannels: 4,
        Flags: Flags::LAYERED.0,
        ..FLAT
    };
    let code = call!(cuArray3DCreate_v2(&raw mut array, &raw const huge));
    report.expect_refusal("more than there is", code);
    report.check("nothing is written by a refusal", array == NO_ARRAY, format_args!("{array:?}"));
}

fn handles(report: &mut Report) -> Result<(), Failure> {
    let unknown = CUarray(without_provenance_mut(0));
    report.expect_refusal("destroying nothing", call!(cuArrayDestroy(unknown)));
    let array = create(&FLAT)?;
    let (mut plane, mut requirements) = (NO_ARRAY, CUDA_ARRAY_MEMORY_REQUIREMENTS::default());
    report.expect_refusal("a plane of an array of one", call!(cuArrayGetPlane(&raw mut plane, array, 0)));
    let asked = call!(cuArrayGetMemoryRequirements(&raw mut requirements, array, first_device()));
    report.expect_refusal("requirements of an array that has its memory", asked);
    report.expect("destroying once", call!(cuArrayDestroy(array)), CUresult::SUCCESS);
    Ok(())
}

fn levels(report: &mut Report) -> Result<(), Failure> {
    let mut mipmap = CUmipmappedArray(null_mut());
    must!(cuMipmappedArrayCreate(&raw mut mipmap, &FLAT, 100))?;
    for (level, width, height) in [(0, 64, 32), (1, 32, 16), (5, 2, 1), (6, 1, 1)] {
        let array: CUarray = get!(cuMipmappedArrayGetLevel(_, mipmap, level))?;
        let told = told(array)?;
        let is_right = (told.Width, told.Height) == (width, height);
        report.check(format_args!("level {level}"), is_right, format_args!("{told:?}"));
    }
    let mut array = NO_ARRAY;
    let code = call!(cuMipmappedArrayGetLevel(&raw mut array, mipmap, 7));
    report.expect_refusal("a level beyond the last", code);
    report.expect("destroying levels", call!(cuMipmappedArrayDestroy(mipmap)), CUresult::SUCCESS);
    let flat = Shape { Width: 0, ..FLAT };
    let code = call!(cuMipmappedArrayCreate(&raw mut mipmap, &raw const flat, 1));
    report.expect("levels of no elements", code, CUresult::INVALID_VALUE);
    Ok(())
}

fn copies(report: &mut Report) -> Result<(), Failure> {
    let line = create(&Shape { Width: 1000, Height: 0, Format: Format::UNSIGNED_INT8, ..FLAT })?;
    let source: Vec<u8> = (0_u8..250).cycle().take(1000).collect();
    let mut back = vec![0_u8; 1000];
    must!(cuMemcpyHtoA_v2(line, 0, source.as_ptr().cast(), 1000))?;
    must!(cuMemcpyAtoH_v2(back.as_mut_ptr().cast(), line, 0, 1000))?;
    report.check("to an array and back", back == source, "other bytes");
    let address = crate::calls::allocate(1000)?;
    must!(cuMemcpyAtoD_v2(address, line, 0, 1000))?;
    let other = create(&Shape { Width: 1000, Height: 0, Format: Format::UNSIGNED_INT8, ..FLAT })?;
    must!(cuMemcpyDtoA_v2(other, 0, address, 1000))?;
    back.fill(0);
    must!(cuMemcpyAtoH_v2(back.as_mut_ptr().cast(), other, 0, 1000))?;
    report.check("through the device", back == source, "other bytes");
    let code = call!(cuMemcpyHtoA_v2(line, 1, source.as_ptr().cast(), 1000));
    report.expect_refusal("beyond the end of an array", code);
    crate::calls::free(address)?;
    must!(cuArrayDestroy(other))?;
    must!(cuArrayDestroy(line))
}

/// An array without memory tells what it would take.
fn deferred(report: &mut Report) -> Result<(), Failure> {
    let mut can_defer = 0;
    let attribute = Attribute::DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED;
    let asked = call!(cuDeviceGetAttribute(&raw mut can_defer, attribute, first_device()));
    let shape = Shape { Flags: Flags::DEFERRED_MAPPING.0, ..FLAT };
    if !asked.is_success() || can_defer == 0 {
        report.fact("code of an array without memory", attempt(&shape)?.0);
        return Ok(());
    }
    for (name, shape) in [("plane", shape), ("line", Shape { Height: 0, ..shape })] {
        let code = attempt(&shape)?;
        report.fact(format_args!("code of a {name} without memory"), code.0);
    }
    let before = crate::calls::memory()?.0;
    let array = create(&Shape { Width: 2048, Height: 2048, ..shape })?;
    report.fact("bytes that 16 MiB without memory take", before.saturating_sub(crate::calls::memory()?.0));
    let mut told = CUDA_ARRAY_MEMORY_REQUIREMENTS::default();
    must!(cuArrayGetMemoryRequirements(&raw mut told, array, first_device()))?;
    report.check("requirements of 16 MiB", told.size >= 16 << 20, told.size);
    // Odd extents, of which a driver makes more.
    for shape in [Shape { Width: 2048, Height: 2048, ..FLAT }, Shape { Width: 2001, Height: 1999, ..FLAT }] {
        let twin = create(&Shape { Flags: Flags::DEFERRED_MAPPING.0, ..shape })?;
        must!(cuArrayGetMemoryRequirements(&raw mut told, twin, first_device()))?;
        must!(cuArrayDestroy(twin))?;
        let before = crate::calls::memory()?.0;
        let real = create(&shape)?;
        let taken = before.saturating_sub(crate::calls::memory()?.0);
        let name = format!("told and taken bytes of {} by {} floats", shape.Width, shape.Height);
        report.fact(name, format_args!("{} {taken}", told.size));
        must!(cuArrayDestroy(real))?;
    }
    report.fact("alignment of an array", told.alignment);
    report.expect("destroying what has no memory", call!(cuArrayDestroy(array)), CUresult::SUCCESS);
    Ok(())
}

fn objects(report: &mut Report) -> Result<(), Failure> {
    let array = create(&Shape { Flags: Flags::SURFACE_LDST.0, ..FLAT })?;
    let mut res = [0; 16];
    res[0] = array.0.expose_provenance() as u64;
    let resource = CUDA_RESOURCE_DESC { resType: CUresourcetype::ARRAY, res, flags: 0 };
    let surface: u64 = get!(cuSurfObjectCreate(_, &raw const resource))?;
    report.expect("destroying a surface object", call!(cuSurfObjectDestroy(surface)), CUresult::SUCCESS);
    let nothing = CUDA_RESOURCE_DESC { resType: CUresourcetype(9), ..resource };
    let mut object = empty();
    report.expect_refusal(
        "a surface of nothing",
        call!(cuSurfObjectCreate(&raw mut object, &raw const nothing)),
    );
    must!(cuArrayDestroy(array))
}
