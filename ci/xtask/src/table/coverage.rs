//! What allocates or launches, and what gives back, tells or waits, has a row, or a reason why not.

use super::profile::Profile;
use super::vendor::Release;
use anyhow::{Context, Result, bail};
use cuda_sys::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Names of what may take device memory or GPU time, where `*` is any run of characters.
const TAKERS: &[&str] = &[
    "cuMem*Alloc*",
    "cuMem*Create*",
    "cuMem*Reserve*",
    "cuMem*Import*",
    "cuMem*Map*",
    "cuMem*Pool*Create*",
    "cuArray*Create*",
    "cuMipmapped*Create*",
    "cuCtx*Create*",
    "cuCtxSetLimit*",
    "cuDevicePrimaryCtx*Retain*",
    "cuGreenCtx*Create*",
    "cuModule*Load*",
    "cuModuleGetFunction*",
    "cuLibrary*Load*",
    "cuFuncLoad*",
    "cuKernelGetFunction*",
    "cuGraph*Instantiate*",
    "cuGraph*Launch*",
    "cuGraph*Upload*",
    "cuGraphAddMem*",
    "cuGraphAddNode*",
    "cuLaunch*",
    "cu*KernelLaunch*",
    "cuMulticast*",
    "cuLogicalEndpoint*",
    "cuIpcOpen*",
    "cuImport*",
    "cuExternal*Mapped*",
    "cuCheckpointProcessRestore*",
    "cuGL*",
    "cuVDPAU*",
];

/// Names of what gives memory or its references back, says how much there is, decides where it is, waits for GPU time or
/// captures it, and leads to other entry points.
const RELATED: &[&str] = &[
    "cuInit*",
    "cuDriverGetVersion*",
    "cuGetProcAddress*",
    "cuGetExportTable*",
    "cuDeviceTotalMem*",
    "cuDeviceGetProperties*",
    "cuMemGetInfo*",
    "cuMem*Free*",
    "cuMemRelease*",
    "cuMemUnmap*",
    "cuMem*Pool*",
    "cuDevice*MemPool*",
    "cuDevice*GraphMem*",
    "cuMemset*",
    "cuMemAdvise*",
    "cuMemPrefetch*",
    "cuMemDiscard*",
    "cuMemExport*",
    "cuStreamAttachMem*",
    "cuIpc*Mem*",
    "cuArray*Destroy*",
    "cuMipmapped*Destroy*",
    "cuDestroyExternalMemory*",
    "cuDevicePrimaryCtx*",
    "cuCtx*Destroy*",
    "cuCtxDetach*",
    "cuGreenCtx*Destroy*",
    "cuModuleUnload*",
    "cuLibraryUnload*",
    "cuLibraryGetModule*",
    "cuGraphDestroy",
    "cuGraphExecDestroy*",
    "cuCtxSynchronize*",
    "cuStreamSynchronize*",
    "cuStreamQuery*",
    "cuStreamDestroy*",
    "cuStream*apture*",
    "cuEventSynchronize*",
    "cuEventQuery*",
    "cuCheckpointProcess*",
];

/// Where the reasons are, relative to the checkout.
const IGNORED: &str = "cuda-sys/ignored.tsv";

/// Every symbol of the newest release and of the branches that matches a pattern and is neither a row nor ignored, and
/// every line of the list that ignores nothing.
pub(super) fn gaps(rows: &[Row], newest: &Release, branches: &[Profile], root: &Path) -> Result<Vec<String>> {
    let text =
        std::fs::read_to_string(root.join(IGNORED)).with_context(|| format!("cannot read {IGNORED}"))?;
    let ignored = parse(&text).context(IGNORED)?;
    let declared = newest.driver.functions.iter().map(|function| function.name.as_str());
    let exported = branches.iter().flat_map(Profile::exports);
    Ok(compare(rows, declared.chain(exported), &ignored))
}

fn compare<'a>(
    rows: &[Row],
    declared: impl Iterator<Item = &'a str>,
    ignored: &BTreeMap<&str, &str>,
) -> Vec<String> {
    let has_row = |symbol: &str| rows.iter().any(|row| row.symbol == symbol);
    let wanted = |name: &&str| TAKERS.iter().chain(RELATED).any(|pattern| matches(pattern, name));
    let open: BTreeSet<&str> = declared.filter(wanted).filter(|name| !has_row(name)).collect();
    let unexplained = open.iter().filter(|name| !ignored.contains_key(*name));
    let stale = ignored.keys().filter(|name| !open.contains(*name));
    let gap = |name| {
        format!(
            "{name}: takes, gives back or tells of memory or GPU time, by its name; give it a row, or a reason in {IGNORED}"
        )
    };
    let excess = |name| format!("{name}: {IGNORED} ignores nothing by this line");
    unexplained.map(gap).chain(stale.map(excess)).collect()
}

/// `symbol<TAB>reason` a line.
fn parse(text: &str) -> Result<BTreeMap<&str, &str>> {
    let mut ignored = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_once('\t') {
            Some((symbol, reason)) if !reason.trim().is_empty() => {
                if ignored.insert(symbol, reason).is_some() {
                    bail!("{symbol} is ignored twice");
                }
            }
            _ => bail!("`{line}` is not `symbol<TAB>reason`"),
        }
    }
    Ok(ignored)
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, "")) => name.starts_with(head),
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            (0..=rest.len()).any(|skipped| rest.get(skipped..).is_some_and(|rest| matches(tail, rest)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_sys::{Class, Stream};

    const ROW: Row = Row {
        class: Class::Plain,
        stream: Stream::Any,
        since: 2000,
        query: "cuMemAlloc",
        symbol: "cuMemAlloc",
        signature: "",
    };

    #[test]
    fn stars_match_any_run() {
        for (pattern, name, expected) in [
            ("cuMem*Alloc*", "cuMemAlloc", true),
            ("cuMem*Alloc*", "cuMemHostAlloc_v2", true),
            ("cuMem*Alloc*", "cuMemFree", false),
            ("cuLaunch*", "cuFuncLaunch", false),
            ("cuInit", "cuInit_v2", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_new_allocating_symbol_needs_a_row_or_a_reason() {
        let declared = || ["cuMemAlloc", "cuMemAllocTwice", "cuDeviceGetName"].into_iter();
        let gaps = compare(&[ROW], declared(), &BTreeMap::new());
        assert_eq!(gaps.len(), 1);
        assert!(gaps[0].starts_with("cuMemAllocTwice: takes"));
        assert!(compare(&[ROW], declared(), &parse("cuMemAllocTwice\ttakes nothing").unwrap()).is_empty());
    }

    #[test]
    fn an_ignore_line_that_ignores_nothing_fails() {
        for line in ["cuMemAlloc\thas a row", "cuDeviceGetName\tno taker", "cuGone\tnot declared"] {
            assert_eq!(
                compare(&[ROW], ["cuMemAlloc", "cuDeviceGetName"].into_iter(), &parse(line).unwrap()).len(),
                1
            );
        }
    }

    #[test]
    fn an_ignore_line_without_reason_is_an_error() {
        assert!(parse("cuMemAlloc").is_err());
        assert!(parse("cuMemAlloc\t ").is_err());
        assert!(parse("# comment\n\na\tb\na\tc").is_err());
    }
}
