//! Linear memory and events that other processes open by their names.

use std::ffi::c_uint;
use std::process;

use cuda_sys::{CUipcEventHandle, CUipcMemHandle, CUresult};

use crate::abi::{Address, AddressOut, Current, Handle, HandleOut, Out, Ready};
use crate::address::{Allocation, Home};
use crate::memory::{self, EventName, Name};
use crate::outcome::Outcome;
use crate::work::Event;

/// `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`, which is demanded.
const LAZY_PEER_ACCESS: c_uint = 1;

/// Only linear memory of a context has a name; that of pools and physical memory is shared in other ways.
pub(crate) fn cuIpcGetMemHandle(call: Ready, handle: Out<CUipcMemHandle>, address: Address) -> Outcome {
    let is_linear = |found: &Allocation| matches!(found.home, Home::Context(_));
    handle.set(CUipcMemHandle(Name::give(call.driver, address.0, None, is_linear)?.encode()));
    Ok(())
}

/// Devices do not reach each other's memory, so it is opened in a context of its own device only. A process does not open
/// what it has allocated itself.
pub(crate) fn cuIpcOpenMemHandle_v2(
    call: Current,
    address: AddressOut,
    handle: CUipcMemHandle,
    flags: c_uint,
) -> Outcome {
    address.require()?;
    let name = Name::decode(&handle.0)?;
    if flags != LAZY_PEER_ACCESS || name.pool.is_some() {
        return Err(CUresult::INVALID_VALUE);
    }
    if name.process == process::id() {
        return Err(CUresult::INVALID_CONTEXT);
    }
    let own = call.driver.device(call.context.device)?.description.index;
    let home = Home::Context(call.context.life()?.id);
    let opened = name.open(call.driver, home, |device| {
        if device == Some(own) { Ok(()) } else { Err(CUresult::PEER_ACCESS_UNSUPPORTED) }
    });
    address.set(opened?);
    Ok(())
}

/// Waits for the context's work, which may use the memory.
pub(crate) fn cuIpcCloseMemHandle(call: Current, address: Address) -> Outcome {
    call.context.synchronize(call.driver)?;
    memory::close(call.driver, address.0)
}

/// Only events that were created for it have a name.
pub(crate) fn cuIpcGetEventHandle(call: Ready, handle: Out<CUipcEventHandle>, event: Handle) -> Outcome {
    let event = Event::of(call.driver, event.0)?;
    if !event.is_shareable {
        return Err(CUresult::INVALID_HANDLE);
    }
    let name = EventName { process: process::id(), event: event.id };
    handle.set(CUipcEventHandle(name.encode()));
    Ok(())
}

/// As with memory, a process does not open what is its own.
pub(crate) fn cuIpcOpenEventHandle(call: Current, made: HandleOut, handle: CUipcEventHandle) -> Outcome {
    let EventName { process, event } = EventName::decode(&handle.0)?;
    if process == process::id() {
        return Err(CUresult::INVALID_CONTEXT);
    }
    made.set(Event::open(call.driver, call.context, event)?);
    Ok(())
}

same! {
    cuIpcOpenMemHandle_v2: cuIpcOpenMemHandle;
}
