//! Scripted faults of one process: `VGPU_SIM_FAULTS`.
//!
//! `cuMemAlloc_v2:3=2,cuCtxCreate_v2:*=2` makes the third call of `cuMemAlloc_v2` return 2 and every `cuCtxCreate_v2`
//! return 2, without doing anything else. Calls are counted from 1, per exported symbol.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

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
    result: CUresult,
    calls: AtomicU64,
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

/// The error that the script has for this call of `symbol`, if any.
pub(crate) fn next(symbol: &str) -> Outcome {
    let Ok(faults) = script() else {
        return Ok(());
    };
    due(faults, symbol).map_or(Ok(()), Err)
}

/// Fails with one line on stderr when the script is malformed: called by `cuInit`, so that a typing error never
/// passes for a run without faults.
pub(crate) fn check() -> Outcome {
    script().as_ref().map(|_| ()).map_err(|problem| {
        eprintln!(
            "vgpu-sim: {VARIABLE}: {problem}; write SYMBOL:CALL=RESULT[,...], CALL from 1 or * for all"
        );
        CUresult::SYSTEM_NOT_READY
    })
}

fn due(faults: &[Fault], symbol: &str) -> Option<CUresult> {
    let mut result = None;
    for fault in faults.iter().filter(|fault| fault.symbol == symbol) {
        let call = fault.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if result.is_none() && fault.call.is_none_or(|wanted| wanted == call) {
            result = Some(fault.result);
        }
    }
    result
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
    let (call, result) = rest.split_once('=').ok_or_else(malformed)?;
    let call = match call {
        "*" => None,
        number => Some(number.parse().ok().filter(|call| *call > 0).ok_or_else(malformed)?),
    };
    let result = result.parse().ok().filter(|result| *result > 0).ok_or_else(malformed)?;
    if !is_simulated(symbol) {
        return Err(format!("\"{symbol}\" is no simulated function"));
    }
    Ok(Fault { symbol: symbol.to_owned(), call, result: CUresult(result), calls: AtomicU64::new(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_call_fails_and_no_other() {
        let faults = parse("cuMemAlloc_v2:2=2").unwrap();
        let answers: Vec<_> = (0..3).map(|_| due(&faults, "cuMemAlloc_v2")).collect();
        assert_eq!(answers, [None, Some(CUresult::OUT_OF_MEMORY), None]);
        assert_eq!(due(&faults, "cuMemAlloc"), None);
    }

    #[test]
    fn a_star_fails_every_call() {
        let faults = parse("cuMemFree_v2:1=700, cuCtxCreate_v2:*=2").unwrap();
        assert_eq!(due(&faults, "cuCtxCreate_v2"), Some(CUresult(2)));
        assert_eq!(due(&faults, "cuCtxCreate_v2"), Some(CUresult(2)));
        assert_eq!(due(&faults, "cuMemFree_v2"), Some(CUresult(700)));
        assert_eq!(due(&faults, "cuMemFree_v2"), None);
    }

    #[test]
    fn two_clauses_of_one_symbol_both_count_every_call() {
        let faults = parse("cuInit:1=100,cuInit:2=3").unwrap();
        assert_eq!(due(&faults, "cuInit"), Some(CUresult(100)));
        assert_eq!(due(&faults, "cuInit"), Some(CUresult(3)));
    }

    #[test]
    fn a_malformed_clause_is_named() {
        for bad in ["cuInit", "cuInit:1", "cuInit:0=2", "cuInit:x=2", "cuInit:1=ok", "cuInit:1=0"] {
            let problem = parse(bad).unwrap_err();
            assert!(problem.contains(bad), "{problem}");
        }
    }

    #[test]
    fn a_symbol_that_is_not_simulated_is_named() {
        for symbol in ["malloc", "cuMemAllok", "cuMemCreate"] {
            let problem = parse(&format!("{symbol}:1=2")).unwrap_err();
            assert!(problem.contains(symbol), "{problem}");
        }
    }
}
