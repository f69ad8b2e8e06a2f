//! Programs whose threads take one kind of memory, all at once.

use super::books::Books;
use crate::machine::{CONTEXT, Machine};
use crate::puppet::Puppet;
use crate::run::Run;

/// Runs the C program `source` with `arguments` in a container of `limit` bytes, and answers with how often its threads were
/// refused. Afterwards nothing but a context may be left, neither in the machine nor in the account.
pub(super) fn refused(machine: &Machine, limit: u64, source: &str, arguments: [u64; 3]) -> u64 {
    let run = machine.on(Run::preloaded(machine.program(source)));
    let run = arguments.iter().fold(run, |run, number| run.arg(number.to_string()));
    let mut racing = Puppet::start(machine.in_container(run, &format!("{limit}")));
    let refused = racing.hear();
    assert_eq!(Books::of(machine), Books::both(CONTEXT), "{refused} refused");
    let (status, errors) = racing.end();
    assert_eq!((status.code(), errors.as_str()), (Some(0), ""));
    refused.parse().unwrap()
}
