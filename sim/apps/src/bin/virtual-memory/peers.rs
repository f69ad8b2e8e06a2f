//! Buffers between peers, as in NCCL: one process creates and exports, the other imports; both let go of the handle as soon
//! as they have mapped it, and of the descriptor as soon as it has been used.

use crate::memory::{Trouble, create, expect, fill, map, release, reserve, unmap, unreserve};
use cuda_sys::CUmemAllocationHandleType;
use sim_apps::{Failure, check, cuda, descriptor};
use std::ffi::c_int;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::Command;

/// The habit of the other process, which finds its end of the connection on its standard input.
pub(crate) const OTHER: &str = "other-peer";

const BUFFERS: usize = 4;

fn size(bytes: usize) -> usize {
    (bytes / BUFFERS).next_multiple_of(2 << 20)
}

pub(crate) fn run(bytes: usize) -> Result<(), Trouble> {
    let (mut here, there) = UnixStream::pair()?;
    let mebibytes = (bytes >> 20).to_string();
    let mut other = Command::new(std::env::current_exe()?);
    let mut other = other.args([OTHER, &mebibytes]).stdin(OwnedFd::from(there)).spawn()?;
    let size = size(bytes);
    let mut buffers = Vec::new();
    for byte in 1..=BUFFERS {
        let handle = create(size, CUmemAllocationHandleType::POSIX_FILE_DESCRIPTOR)?;
        let exported = export(handle)?;
        descriptor::send(&here, exported)?;
        descriptor::close(exported)?;
        let address = reserve(size)?;
        map(address, size, handle)?;
        release(handle)?;
        fill(address, u8::try_from(byte).unwrap_or(0), size)?;
        buffers.push(address);
    }
    // The other one has read everything, then we let go of it, then it does.
    here.write_all(b"w")?;
    here.read_exact(&mut [0])?;
    for address in buffers {
        unmap(address, size)?;
        unreserve(address, size)?;
    }
    here.write_all(b"f")?;
    let status = other.wait()?;
    println!("{BUFFERS} buffers");
    if status.success() { Ok(()) } else { Err(std::io::Error::other(status.to_string()).into()) }
}

pub(crate) fn run_other(bytes: usize) -> Result<(), Trouble> {
    let mut there = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let size = size(bytes);
    let mut buffers = Vec::new();
    for _ in 0..BUFFERS {
        let received = descriptor::receive(&there)?;
        let handle = import(received)?;
        descriptor::close(received)?;
        let address = reserve(size)?;
        map(address, size, handle)?;
        release(handle)?;
        buffers.push(address);
    }
    there.read_exact(&mut [0])?;
    for (byte, address) in (1..).zip(&buffers) {
        expect(*address, byte, size)?;
    }
    there.write_all(b"r")?;
    there.read_exact(&mut [0])?;
    for address in buffers {
        unmap(address, size)?;
        unreserve(address, size)?;
    }
    Ok(())
}

fn export(handle: u64) -> Result<RawFd, Failure> {
    let mut descriptor: c_int = -1;
    let kind = CUmemAllocationHandleType::POSIX_FILE_DESCRIPTOR;
    let place = (&raw mut descriptor).cast();
    // SAFETY: a descriptor is an int, for which there is room.
    let code = unsafe { cuda::cuMemExportToShareableHandle(place, handle, kind, 0) };
    check("cuMemExportToShareableHandle", code).map(|()| descriptor)
}

fn import(descriptor: RawFd) -> Result<u64, Failure> {
    let mut handle = 0;
    let kind = CUmemAllocationHandleType::POSIX_FILE_DESCRIPTOR;
    let shareable = std::ptr::without_provenance_mut(usize::try_from(descriptor).unwrap_or(usize::MAX));
    // SAFETY: `handle` is valid for writing; the descriptor is passed instead of an address.
    let code = unsafe { cuda::cuMemImportFromShareableHandle(&raw mut handle, shareable, kind) };
    check("cuMemImportFromShareableHandle", code).map(|()| handle)
}
