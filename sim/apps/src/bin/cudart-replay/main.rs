//! Asks the driver what the CUDA runtimes 11.8, 12.9 and 13.5 ask it when a program first uses them: the same questions in
//! the same order, through the same functions. So their lookups are tested where they themselves do not run.
//!
//! `cudart-replay [--hooked-by FILE]` fails on any answer that is not the driver's own function of the right version; with
//! `--hooked-by`, on any that is not the function of the library of that file name where the table says that there is a
//! hook, and the driver's everywhere else.

mod expected;
mod recording;

use expected::{Expected, expected, exported, is_hooked};
use recording::{Asker, Question, RECORDINGS, Recording};
use sim_apps::origin::Origin;
use std::ffi::{CString, c_char, c_int, c_void};
use std::process::ExitCode;
use std::ptr::null_mut;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let hooked_by = match arguments.as_slice() {
        [] => None,
        [flag, file] if flag == "--hooked-by" => Some(file.as_str()),
        _ => {
            eprintln!("cudart-replay: usage: cudart-replay [--hooked-by FILE]");
            return ExitCode::from(2);
        }
    };
    // Nobody stands in front of this one.
    let driver = exported("cuDriverGetVersion").and_then(|address| Origin::of(address.addr()));
    let Some(Origin { object: driver, .. }) = driver else {
        eprintln!("cudart-replay: there is no libcuda.so.1 here");
        return ExitCode::FAILURE;
    };
    let judge = Judge { driver: &driver, hooked_by };
    let wrong: usize = RECORDINGS.iter().map(|recording| replay(recording, &judge)).sum();
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Asks every question; says what there was, and answers with how many answers were wrong. A driver without the function
/// that the first question is put to is too old for that runtime, which stops there.
fn replay(recording: &Recording, judge: &Judge<'_>) -> usize {
    let begins_with_second =
        recording.questions().flatten().next().is_some_and(|question| question.asker == Asker::Second);
    if begins_with_second && exported("cuGetProcAddress_v2").is_none() {
        println!("{}: needs a newer driver: this one has no cuGetProcAddress_v2", recording.version);
        return 0;
    }
    let (mut count, mut answered, mut hooked, mut wrong) = (0, 0, 0, 0);
    // Like the runtimes, goes on with the lookup function that it is given.
    let mut given = [exported("cuGetProcAddress"), exported("cuGetProcAddress_v2")];
    for question in recording.questions().flatten() {
        count += 1;
        let function = match question.asker {
            Asker::First => given[0],
            Asker::Second => given[1],
        };
        let found = function.map_or(null_mut(), |function| ask(function, &question));
        match judge.verdict(&question, found) {
            Ok(is_hooked) => hooked += usize::from(is_hooked),
            Err(problem) => {
                wrong += 1;
                println!(
                    "{}: {} {} {}: {problem}",
                    recording.version, question.name, question.version, question.flags
                );
            }
        }
        answered += usize::from(!found.is_null());
        if question.name == "cuGetProcAddress" && !found.is_null() {
            given[usize::from(question.version >= 12_000)] = Some(found);
        }
    }
    println!("{}: {count} lookups, {answered} answered, {hooked} hooked, {wrong} wrong", recording.version);
    wrong
}

/// The answer to a question; null when there is none. Nobody asks for a status.
fn ask(function: *mut c_void, question: &Question) -> *mut c_void {
    type First = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64) -> u32;
    type Second = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int) -> u32;
    let Ok(name) = CString::new(question.name) else { return null_mut() };
    let (name, version, flags) = (name.as_ptr(), question.version, question.flags);
    let mut found = null_mut();
    let code = match question.asker {
        Asker::First => {
            // SAFETY: the function is the first cuGetProcAddress, by its name or by its own answer.
            let function = unsafe { std::mem::transmute::<*mut c_void, First>(function) };
            // SAFETY: `name` is a C string and `found` is valid for writing.
            unsafe { function(name, &raw mut found, version, flags) }
        }
        Asker::Second => {
            // SAFETY: the function is the second cuGetProcAddress, by its name or by the answer of either.
            let function = unsafe { std::mem::transmute::<*mut c_void, Second>(function) };
            // SAFETY: as above; the status may be null.
            unsafe { function(name, &raw mut found, version, flags, null_mut()) }
        }
    };
    if code == 0 { found } else { null_mut() }
}

/// Whose functions the answers have to be.
struct Judge<'a> {
    driver: &'a str,
    hooked_by: Option<&'a str>,
}

impl Judge<'_> {
    /// Whether `found` is a hook.
    ///
    /// # Errors
    /// What is wrong with it.
    fn verdict(&self, question: &Question, found: *mut c_void) -> Result<bool, String> {
        let origin =
            || Origin::of(found.addr()).map_or_else(|| "nowhere".into(), |origin| origin.to_string());
        match expected(question) {
            Expected::Nothing | Expected::Unknown if found.is_null() => Ok(false),
            Expected::Nothing => Err(format!("{} where the table has nothing", origin())),
            Expected::Unknown => self.must_be_of(self.driver, found).map(|()| false),
            Expected::Row(row) if exported(row.symbol) != Some(found) => {
                Err(format!("{} instead of {}", origin(), row.symbol))
            }
            Expected::Row(row) => match self.hooked_by.filter(|_| is_hooked(row)) {
                Some(library) => self.must_be_of(library, found).map(|()| true),
                None => self.must_be_of(self.driver, found).map(|()| false),
            },
        }
    }

    fn must_be_of(&self, object: &str, found: *mut c_void) -> Result<(), String> {
        match Origin::of(found.addr()) {
            Some(origin) if origin.object == object => Ok(()),
            Some(origin) => Err(format!("{origin} is not of {object}")),
            None => Err(format!("{found:?} is nobody's")),
        }
    }
}
