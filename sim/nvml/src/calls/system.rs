//! Versions, and processes as the system knows them.

use std::ffi::{c_int, c_uint};
use std::{fs, io};

use cuda_sys::nvmlReturn_t;

use crate::abi::{Out, Outcome, TextOut};
use crate::branch::selected;
use crate::library;

pub(crate) fn nvmlSystemGetDriverVersion(version: TextOut, length: c_uint) -> Outcome {
    version.set(length, library::session()?.driver_version())
}

/// The major version of the CUDA interface, then the driver's.
pub(crate) fn nvmlSystemGetNVMLVersion(version: TextOut, length: c_uint) -> Outcome {
    let branch = selected();
    version.set(length, &format!("{}.{}", branch.cuda / 1_000, branch.driver))
}

pub(crate) fn nvmlSystemGetCudaDriverVersion(version: Out<c_int>) -> Outcome {
    nvmlSystemGetCudaDriverVersion_v2(version)
}

pub(crate) fn nvmlSystemGetCudaDriverVersion_v2(version: Out<c_int>) -> Outcome {
    version.set(selected().cuda);
    Ok(())
}

pub(crate) fn nvmlSystemGetProcessName(pid: c_uint, name: TextOut, length: c_uint) -> Outcome {
    name.set_cropped(length, &process_name(pid)?)
}

/// How the process was called, the first of its arguments: unlike its executable, anybody may read that.
pub(crate) fn process_name(pid: c_uint) -> Outcome<Vec<u8>> {
    let mut arguments = fs::read(format!("/proc/{pid}/cmdline")).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => nvmlReturn_t::NO_PERMISSION,
        _ => nvmlReturn_t::NOT_FOUND,
    })?;
    let end = arguments.iter().position(|byte| *byte == 0).unwrap_or(arguments.len());
    arguments.truncate(end);
    Ok(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_the_name_it_was_called_by() {
        let name = process_name(std::process::id()).unwrap();
        assert_eq!(String::from_utf8(name).ok(), std::env::args().next());
    }

    #[test]
    fn a_process_that_is_not_there_has_no_name() {
        assert_eq!(process_name(c_uint::MAX), Err(nvmlReturn_t::NOT_FOUND));
    }
}
