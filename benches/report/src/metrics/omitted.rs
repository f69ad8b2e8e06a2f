//! Metrics of the published suite that are not measured, and why.

use crate::document::Omitted;

pub(crate) const OMITTED: [Omitted; 9] = [
    omitted(
        "IS-005",
        "Memory of another tenant",
        "kept apart by the hardware's address spaces; an interposer in the program's own process cannot open them",
    ),
    omitted(
        "LLM-001..010",
        "Attention, KV cache, tokens",
        "made of the launches, allocations and copies that OH and IS measure; a program that serves a model tells more",
    ),
    omitted("BW-001..004", "Memory bandwidth", "the hardware's: an interposer neither gives nor takes any"),
    omitted("CACHE-001..004", "L2 cache", "the hardware's; the simulated card has no cache"),
    omitted(
        "PCIE-001..004",
        "Copies to and from the host",
        "the hardware's; copies are no slower behind an interposer",
    ),
    omitted("NCCL-001..004", "Collectives", "needs several cards and NCCL"),
    omitted(
        "PAPER-001..006",
        "Graph costs",
        "the shares that graphs get are judged by `cargo xtask shares` and the check for real cards",
    ),
    omitted("FCSP-001..012", "Of another product's own parts", "says nothing about other interposers"),
    omitted("UVM-001..010", "Managed memory", "the driver's: faults and prefetches pass by no interposer"),
];

const fn omitted(id: &'static str, name: &'static str, reason: &'static str) -> Omitted {
    Omitted { id, name, reason }
}
