//! Scripted faults of one process: `VGPU_SIM_FAULTS`.
//!
//! `cuMemAlloc_v2:3=2,cuCtxCreate_v2:*=2` makes the third call of `cuMemAlloc_v2` return 2 and every `cuCtxCreate_v2`
//! return 2, without doing anything else. `cuCtxDestroy_v2:1=late:50` lets the first call of `cuCtxDestroy_v2` do what it
//! does and return 50 ms later, so that other threads see what it did before its caller knows. Calls are counted from 1,
//! per exported symbol.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cuda_sys::CUresult;

use crate::outcome::Outcome;

/// The variable.
const VARIABLE: &str = "VGPU_SIM_FAULTS";

/// One clause of the script.
#[derive(Debug)]
struct Fault {
    symbol: String,
    /// Which call fails; `None`: all.
    call: Option<u64>,
    effect: Effect,
    calls: AtomicU64,
}

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// It returns this and does nothing.
    Fail(CUresult),
    /// It does what it does and returns so much later.
    Late(Duration),
}

/// The faults of this process, or what is wrong with the script.
type Script = Result<Vec<Fault>, String>;

fn script() -> &'static Script {
    static SCRIPT: OnceLock<Script> = OnceLock::new();
    SCRIPT.get_or_init(|| match std::env::var(VARIABLE) {
        Ok(text) => parse(&text),
        Err(std::env::VarError::NotPresent) => Ok(Vec::new()),
        Err(std::env::VarError::NotUnicode(text)) => Err(format!("{} is not text", text.display())),
    })
}

/// Makes a call of `symbol` as the script has it.
pub(crate) fn around(symbol: &str, call: impl FnOnce() -> Outcome) -> Outcome {
    let effect = script().as_ref().ok().and_then(|faults| due(faults, symbol));
    match effect {
        None => call(),
        Some(Effect::Fail(code)) => Err(code),
        Some(Effect::Late(delay)) => {
            let outcome = call();
            std::thread::sleep(delay);
            outcome
        }
    }
}

/// Fails with one line on stderr when the script is malformed: called by `cuInit`, so that a typing error never
/// passes for a run without faults.
pub(crate) fn check() -> Outcome {
    script().as_ref().map(|_| ()).map_err(|problem| {
        eprintln!(
            "vgpu-sim: {VARIABLE}: {problem}; write SYMBOL:CALL=EFFECT[,...], CALL from 1 or * for all, \
             EFFECT a result code or late:MILLISECONDS"
        );
        CUresult::SYSTEM_NOT_READY
    })
}

fn due(faults: &[Fault], symbol: &str) -> Option<Effect> {
    let mut effect = None;
    for fault in faults.iter().filter(|fault| fault.symbol == symbol) {
        let call = fault.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if effect.is_none() && fault.call.is_none_or(|wanted| wanted == call) {
            effect = Some(fault.effect);
        }
    }
    effect
}

fn parse(text: &str) -> Script {
    text.split(',').map(str::trim).filter(|clause| !clause.is_empty()).map(parse_clause).collect()
}

/// Whether calls of the symbol come here: a misspelt fault must not pass for one that never came due.
fn is_simulated(symbol: &str) -> bool {
    let mut unsupported = include_str!("api/unsupported.txt").lines();
    cuda_sys::DRIVER.iter().any(|row| row.symbol == symbol) && !unsupported.any(|line| line == symbol)
}

fn parse_clause(clause: &str) -> Result<Fault, String> {
    let malformed = || format!("\"{clause}\" is not a fault");
    let (symbol, rest) = clause.split_once(':').ok_or_else(malformed)?;
    let (call, effect) = rest.split_once('=').ok_or_else(malformed)?;
    let call = match call {
        "*" => None,
        number => Some(number.parse().ok().filter(|call| *call > 0).ok_or_else(malformed)?),
    };
    let effect = match effect.strip_prefix("late:") {
        Some(milliseconds) => milliseconds.parse().ok().map(|span| Effect::Late(Duration::from_millis(span))),
        None => effect.parse().ok().filter(|code| *code > 0).map(|code| Effect::Fail(CUresult(code))),
    };
    let effect = effect.ok_or_else(malformed)?;
    if !is_simulated(symbol) {
        return Err(format!("\"{symbol}\" is no simulated function"));
    }
    Ok(Fault { symbol: symbol.to_owned(), call, effect, calls: AtomicU64::new(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_call_fails_and_no_other() {
        let faults = parse("cuMemAlloc_v2:2=2").unwrap();
        let answers: Vec<_> = (0..3).map(|_| due(&faults, "cuMemAlloc_v2")).collect();
        assert_eq!(answers, [None, Some(Effect::Fail(CUresult::OUT_OF_MEMORY)), None]);
        assert_eq!(due(&faults, "cuMemAlloc"), None);
    }

    #[test]
    fn a_late_call_still_does_what_it_does() {
        let faults = parse("cuMemFree_v2:1=late:20").unwrap();
        assert_eq!(due(&faults, "cuMemFree_v2"), Some(Effect::Late(Duration::from_millis(20))));
        assert_eq!(due(&faults, "cuMemFree_v2"), None);
    }

    #[test]
    fn a_star_fails_every_call() {
        let faults = parse("cuMemFree_v2:1=700, cuCtxCreate_v2:*=2").unwrap();
        assert_eq!(due(&faults, "cuCtxCreate_v2"), Some(Effect::Fail(CUresult(2))));
        assert_eq!(due(&faults, "cuCtxCreate_v2"), Some(Effect::Fail(CUresult(2))));
        assert_eq!(due(&faults, "cuMemFree_v2"), Some(Effect::Fail(CUresult(700))));
        assert_eq!(due(&faults, "cuMemFree_v2"), None);
    }

    #[test]
    fn two_clauses_of_one_symbol_both_count_every_call() {
        let faults = parse("cuInit:1=100,cuInit:2=3").unwrap();
        assert_eq!(due(&faults, "cuInit"), Some(Effect::Fail(CUresult(100))));
        assert_eq!(due(&faults, "cuInit"), Some(Effect::Fail(CUresult(3))));
    }

    #[test]
    fn a_malformed_clause_is_named() {
        for bad in [
            "cuInit",
            "cuInit:1",
            "cuInit:0=2",
            "cuInit:x=2",
            "cuInit:1=ok",
            "cuInit:1=0",
            "cuInit:1=late",
            "cuInit:1=late:x",
        ] {
            let problem = parse(bad).unwrap_err();
            assert!(problem.contains(bad), "{problem}");
        }
    }

    #[test]
    fn a_symbol_that_is_not_simulated_is_named() {
        for symbol in ["malloc", "cuMemAllok", "cuMulticastCreate"] {
            let problem = parse(&format!("{symbol}:1=2")).unwrap_err();
            assert!(problem.contains(symbol), "{problem}");
        }
    }
}
