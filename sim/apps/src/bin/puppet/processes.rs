//! Commands about the process itself, and commands that run others elsewhere.

use crate::answer as answer_to;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::Command;

pub(crate) fn answer(command: &str, rest: &str) -> Option<String> {
    match command {
        "pid" => Some(std::process::id().to_string()),
        "environment" => Some(environment()),
        "fork" => Some(fork(rest)),
        "exec" => Some(exec()),
        "thread" => threads(1, rest),
        "threads" => {
            let (count, commands) = rest.split_once(' ')?;
            threads(count.parse().ok()?, commands)
        }
        "errno" => errno(rest),
        "live" => live(rest),
        "exit" => std::process::exit(rest.parse().ok()?),
        _ => None,
    }
}

/// `live SECONDS`: the program ends itself so many seconds from now, and not when it would have.
fn live(seconds: &str) -> Option<String> {
    // SAFETY: as at the start of the program.
    unsafe { libc::alarm(seconds.parse().ok()?) };
    Some("0".into())
}

/// The names and values that programs started from here would get.
fn environment() -> String {
    let variables = std::env::vars_os();
    variables
        .map(|(name, value)| format!("{}={}", name.display(), value.display()))
        .collect::<Vec<_>>()
        .join(" ")
}

/// `fork A; B`: a child runs the commands; their answers come back between semicolons.
fn fork(commands: &str) -> String {
    // SAFETY: this program has no other threads when it reads a command.
    match unsafe { libc::fork() } {
        0 => {
            let written = write!(std::io::stdout(), "{}", all(commands));
            let flushed = written.and_then(|()| std::io::stdout().flush());
            // SAFETY: ends the child without what the parent registered for its own end.
            unsafe { libc::_exit(i32::from(flushed.is_err())) }
        }
        child => {
            let mut status = 0;
            // SAFETY: `status` is valid for writing. A failed fork has no child to wait for.
            let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
            if waited == child && status == 0 { String::new() } else { format!("; status {status}") }
        }
    }
}

/// Becomes this program anew, in the same process; that one answers, with its argument. Answers itself only with why it
/// could not.
fn exec() -> String {
    let program = std::env::current_exe();
    program.map_or_else(|error| error, |program| Command::new(program).arg("ready").exec()).to_string()
}

/// `threads N A; B`: other threads run the commands, all at once; their answers come back between semicolons, those of
/// different threads between bars.
fn threads(count: usize, commands: &str) -> Option<String> {
    let start = std::sync::Barrier::new(count);
    let answers = std::thread::scope(|scope| {
        let run = || {
            start.wait();
            all(commands)
        };
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().ok()).collect::<Option<Vec<_>>>()
    });
    answers.map(|answers| answers.join("|"))
}

/// `errno COMMAND`: what the command leaves in `errno`, which was 4242 before.
fn errno(command: &str) -> Option<String> {
    const BEFORE: i32 = 4242;
    // SAFETY: answers with the calling thread's `errno`.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: valid for as long as the thread.
    unsafe { *errno = BEFORE };
    let answer = answer_to(command)?;
    // SAFETY: as above.
    let after = unsafe { *errno };
    Some(format!("{answer} errno {after}"))
}

fn all(commands: &str) -> String {
    let said = |command: &str| answer_to(command).unwrap_or_else(|| format!("`{command}` is no command"));
    commands.split(';').map(|command| said(command.trim())).collect::<Vec<_>>().join(";")
}
