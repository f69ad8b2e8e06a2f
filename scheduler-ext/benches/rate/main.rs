//! How many pods a second an unmodified kube-scheduler places with the extender beside it, and without: row 15 of the numbers to reach.
//!
//! ```text
//! cargo xtask kube rate [--nodes 1000] [--pods 1000]
//! ```
//!
//! A real API server and a real kube-scheduler; nodes are objects without a kubelet behind them, so that a laptop has thousands.
//! Both schedulers place the same pods on the same nodes in one run, by turns. Ratios are gates; rates are only reported.

mod extender;
mod nodes;
mod placing;
mod pods;
mod report;
mod scheduler;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use kube::Client;
use kube_harness::Cluster;

use nodes::Nodes;
use report::Report;
use scheduler::Beside;

/// What is to be measured.
#[derive(Clone, Copy)]
struct Size {
    nodes: usize,
    pods: usize,
}

fn main() -> Result<ExitCode> {
    let size = Size::of(std::env::args().skip(1))?;
    let Some(cluster) = Cluster::alone() else { return Ok(ExitCode::SUCCESS) };
    // Nodes without a kubelet would be given up, and a second scheduler would only take time.
    cluster.controller_manager().stop()?;
    cluster.scheduler().stop()?;
    cluster.node("node-1").kubelet.stop()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let report = runtime.block_on(measure(size))?;
    println!("{report}");
    Ok(if report.is_reached() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn measure(size: Size) -> Result<Report> {
    let client = Client::try_default().await.context("no way to the API server")?;
    let nodes = Nodes::make(&client, size.nodes).await?;
    let mut report = Report::new(size.nodes, size.pods);
    // By turns, so that what warms up or tires does so for both.
    for beside in [Beside::Nobody, Beside::Extender, Beside::Extender, Beside::Nobody] {
        let round = placing::round(&client, beside, size.pods).await?;
        report.note(beside, round);
    }
    report.one_node = Some(placing::one_node(&client, &nodes).await?);
    report.needle = Some(placing::needle(&client).await?);
    Ok(report)
}

impl Size {
    fn of(words: impl Iterator<Item = String>) -> Result<Self> {
        let mut size = Self { nodes: 1000, pods: 1000 };
        // What cargo says to all benches.
        let mut words = words.filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let value = words.next().and_then(|value| value.parse().ok()).filter(|value| *value > 0);
            let value = value.with_context(|| format!("{word} wants a number of 1 or more"))?;
            match word.as_str() {
                "--nodes" => size.nodes = value,
                "--pods" => size.pods = value,
                _ => bail!("no argument {word}; there are --nodes and --pods"),
            }
        }
        Ok(size)
    }
}
