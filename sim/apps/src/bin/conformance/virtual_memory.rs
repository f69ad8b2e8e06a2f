//! Address ranges, the physical memory behind them, and its descriptors. What the documentation does not say is a fact.

use crate::calls::{MIB, UNKNOWN, call, context, empty, first_device, get, must};
use crate::report::Report;
use cuda_sys::{
    CUdevice_attribute as Attribute, CUmemAccess_flags, CUmemAccessDesc,
    CUmemAllocationGranularity_flags as Granularity, CUmemAllocationHandleType as HandleType,
    CUmemAllocationProp, CUmemAllocationPropFlags, CUmemAllocationType, CUmemLocation, CUmemLocationType,
    CUresult,
};
use sim_apps::{Failure, descriptor};
use std::ffi::c_int;
use std::ptr::{null, null_mut, without_provenance_mut};

const INVALID: CUresult = CUresult::INVALID_VALUE;

/// What outputs hold before a call.
const UNTOUCHED: u64 = 0x5a5a_5a5a;

/// No handle that the driver has given.
const NO_HANDLE: u64 = 0x7777;

pub(crate) fn run(report: &mut Report) -> Result<(), Failure> {
    context()?;
    let supported = Attribute::VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED;
    if get!(cuDeviceGetAttribute(_, supported, first_device()))? == 0 {
        report.skip("everything", "this device has no virtual memory management");
        return Ok(());
    }
    let chunk = granularity(report)?;
    created(report, chunk)?;
    reserved(report, chunk)?;
    mapped(report, chunk)?;
    kept_by_a_mapping(report, chunk)?;
    let descriptors = Attribute::HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
    if get!(cuDeviceGetAttribute(_, descriptors, first_device()))? == 0 {
        report.skip("descriptors", "this device has none for its memory");
        return Ok(());
    }
    exported(report, chunk)
}

/// Pinned memory of the first device.
fn properties(types: HandleType) -> CUmemAllocationProp {
    CUmemAllocationProp {
        kind: CUmemAllocationType::PINNED,
        requestedHandleTypes: types,
        location: CUmemLocation { kind: CUmemLocationType::DEVICE, id: first_device() },
        win32HandleMetaData: null_mut(),
        allocFlags: CUmemAllocationPropFlags::default(),
    }
}

fn create(bytes: usize, types: HandleType) -> Result<u64, Failure> {
    let properties = properties(types);
    get!(cuMemCreate(_, bytes, &raw const properties, 0))
}

fn granularity(report: &mut Report) -> Result<usize, Failure> {
    let properties = properties(HandleType::NONE);
    let least = get!(cuMemGetAllocationGranularity(_, &raw const properties, Granularity::MINIMUM))?;
    let best = get!(cuMemGetAllocationGranularity(_, &raw const properties, Granularity::RECOMMENDED))?;
    report.check("least granularity", least.is_power_of_two(), least);
    report.check("best granularity", best >= least && best % least == 0, best);
    report.fact("least granularity", least);
    let code = call!(cuMemGetAllocationGranularity(&mut empty(), null(), Granularity::MINIMUM));
    report.expect("granularity of nothing", code, INVALID);
    Ok(least)
}

fn created(report: &mut Report, chunk: usize) -> Result<(), Failure> {
    let properties = properties(HandleType::NONE);
    let mut handle = UNTOUCHED;
    for (name, bytes) in [("no bytes", 0), ("a byte", 1), ("half a chunk", chunk / 2)] {
        let code = call!(cuMemCreate(&raw mut handle, bytes, &raw const properties, 0));
        report.expect(name, code, INVALID);
    }
    let code = call!(cuMemCreate(&raw mut handle, chunk, &raw const properties, 1));
    report.expect("unknown flags", code, INVALID);
    let all = chunk << 26;
    let code = call!(cuMemCreate(&raw mut handle, all, &raw const properties, 0));
    report.expect("more than there is", code, CUresult::OUT_OF_MEMORY);
    report.check("nothing is written by a refusal", handle == UNTOUCHED, format_args!("{handle:#x}"));
    let handle = create(chunk, HandleType::NONE)?;
    let mut found = properties;
    must!(cuMemGetAllocationPropertiesFromHandle(&raw mut found, handle))?;
    let is_right = found.location == properties.location && found.kind == properties.kind;
    report.check("properties of a handle", is_right, format_args!("{found:?}"));
    report.expect("released", call!(cuMemRelease(handle)), CUresult::SUCCESS);
    report.expect_refusal("released twice", call!(cuMemRelease(handle)));
    report.expect_refusal("no handle released", call!(cuMemRelease(NO_HANDLE)));
    Ok(())
}

fn reserved(report: &mut Report, chunk: usize) -> Result<(), Failure> {
    report.expect("no addresses", call!(cuMemAddressReserve(&mut empty(), 0, 0, 0, 0)), INVALID);
    let odd = call!(cuMemAddressReserve(&mut empty(), chunk, 3, 0, 0));
    report.expect("an odd alignment", odd, INVALID);
    let flags = call!(cuMemAddressReserve(&mut empty(), chunk, 0, 0, 1));
    report.expect("unknown flags of addresses", flags, INVALID);
    let address = get!(cuMemAddressReserve(_, 8 * chunk, 0, 0, 0))?;
    report.expect_refusal("a part given back", call!(cuMemAddressFree(address, chunk)));
    report.expect("given back", call!(cuMemAddressFree(address, 8 * chunk)), CUresult::SUCCESS);
    report.expect_refusal("given back twice", call!(cuMemAddressFree(address, 8 * chunk)));
    Ok(())
}

/// Lets the first device read and write.
fn open(address: u64, bytes: usize) -> CUresult {
    let access = CUmemAccessDesc {
        location: properties(HandleType::NONE).location,
        flags: CUmemAccess_flags::PROT_READWRITE,
    };
    call!(cuMemSetAccess(address, bytes, &raw const access, 1))
}

fn mapped(report: &mut Report, chunk: usize) -> Result<(), Failure> {
    let handles = [create(chunk, HandleType::NONE)?, create(chunk, HandleType::NONE)?];
    let start = get!(cuMemAddressReserve(_, 8 * chunk, 0, 0, 0))?;
    let next = start + chunk as u64;
    report.expect_refusal("no handle mapped", call!(cuMemMap(start, chunk, 0, NO_HANDLE, 0)));
    report.expect_refusal(
        "mapped where nothing is reserved",
        call!(cuMemMap(UNKNOWN, chunk, 0, handles[0], 0)),
    );
    report.expect_refusal("mapped beyond the memory", call!(cuMemMap(start, 2 * chunk, 0, handles[0], 0)));
    report.expect("access to nothing", open(start, chunk), INVALID);
    must!(cuMemMap(start, chunk, 0, handles[0], 0))?;
    must!(cuMemMap(next, chunk, 0, handles[1], 0))?;
    report.expect_refusal("mapped twice", call!(cuMemMap(start, chunk, 0, handles[1], 0)));
    report.expect("access to both", open(start, 2 * chunk), CUresult::SUCCESS);
    let location = properties(HandleType::NONE).location;
    let flags = get!(cuMemGetAccess(_, &raw const location, next))?;
    report.check("access as it was set", flags == 3, flags);
    must!(cuMemsetD8_v2(start, 0x5a, 2 * chunk))?;
    let mut back = vec![0_u8; chunk];
    must!(cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), start + chunk as u64 / 2, chunk))?;
    report.check("read across a seam", back.iter().all(|byte| *byte == 0x5a), "other bytes");
    let alias = start + 4 * chunk as u64;
    must!(cuMemMap(alias, chunk, 0, handles[0], 0))?;
    report.expect("access to an alias", open(alias, chunk), CUresult::SUCCESS);
    must!(cuMemcpyDtoH_v2(back.as_mut_ptr().cast(), alias, chunk))?;
    report.check("the same memory at another address", back.iter().all(|byte| *byte == 0x5a), "other bytes");
    report.expect_refusal("freed like an allocation", call!(cuMemFree_v2(start)));
    report.expect_refusal("given back while it is mapped", call!(cuMemAddressFree(start, 8 * chunk)));
    report.expect_refusal("a hole unmapped", call!(cuMemUnmap(start, 4 * chunk)));
    report.expect("both unmapped", call!(cuMemUnmap(start, 2 * chunk)), CUresult::SUCCESS);
    must!(cuMemUnmap(alias, chunk))?;
    must!(cuMemAddressFree(start, 8 * chunk))?;
    handles.into_iter().try_for_each(|handle| must!(cuMemRelease(handle)))
}

/// Other processes of the card may change what is left at any time, so that is a fact.
fn kept_by_a_mapping(report: &mut Report, chunk: usize) -> Result<(), Failure> {
    let bytes = (8 * MIB).next_multiple_of(chunk);
    let handle = create(bytes, HandleType::NONE)?;
    let start = get!(cuMemAddressReserve(_, bytes, 0, 0, 0))?;
    must!(cuMemMap(start, bytes, 0, handle, 0))?;
    must!(cuMemRelease(handle))?;
    report.expect_refusal("a released handle mapped", call!(cuMemMap(start, bytes, 0, handle, 0)));
    report.expect("access to what was released", open(start, bytes), CUresult::SUCCESS);
    must!(cuMemsetD8_v2(start, 1, bytes))?;
    let inside = without_provenance_mut(usize::try_from(start).unwrap_or_default() + chunk / 2);
    let same = get!(cuMemRetainAllocationHandle(_, inside))?;
    report.fact("a retained handle is the old one", same == handle);
    must!(cuMemRelease(same))?;
    must!(cuMemUnmap(start, bytes))?;
    let code = call!(cuMemRetainAllocationHandle(&mut empty(), inside));
    report.expect_refusal("retained where nothing is mapped", code);
    must!(cuMemAddressFree(start, bytes))
}

fn exported(report: &mut Report, chunk: usize) -> Result<(), Failure> {
    let kind = HandleType::POSIX_FILE_DESCRIPTOR;
    let (private, shared) = (create(chunk, HandleType::NONE)?, create(chunk, kind)?);
    let mut number: c_int = -1;
    let place = (&raw mut number).cast();
    report.expect_refusal(
        "export of private memory",
        call!(cuMemExportToShareableHandle(place, private, kind, 0)),
    );
    must!(cuMemExportToShareableHandle(place, shared, kind, 0))?;
    report.check("a descriptor", number >= 0, number);
    let import = |handle: &mut u64| {
        let shareable = without_provenance_mut(usize::try_from(number).unwrap_or(usize::MAX));
        call!(cuMemImportFromShareableHandle(handle, shareable, kind))
    };
    let mut imported = 0;
    report.expect("imported", import(&mut imported), CUresult::SUCCESS);
    must!(cuMemRelease(shared))?;
    let start = get!(cuMemAddressReserve(_, chunk, 0, 0, 0))?;
    must!(cuMemMap(start, chunk, 0, imported, 0))?;
    report.expect("access to imported memory", open(start, chunk), CUresult::SUCCESS);
    must!(cuMemsetD8_v2(start, 1, chunk))?;
    must!(cuMemUnmap(start, chunk))?;
    must!(cuMemAddressFree(start, chunk))?;
    must!(cuMemRelease(imported))?;
    report.check("the descriptor is the program's to close", descriptor::close(number).is_ok(), "an error");
    report.expect_refusal("imported from a closed descriptor", import(&mut imported));
    must!(cuMemRelease(private))
}
