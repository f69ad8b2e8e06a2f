//! `vgpu-kube`: what `cargo xtask kube` starts.

#![forbid(unsafe_code)]

use anyhow::{Context, Result, bail};
use kube_cluster::folder::Folder;
use kube_cluster::{Lifetime, Size, namespaces};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: vgpu-kube FOLDER COMMAND; `cargo xtask kube --help` lists the commands";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("kube: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<ExitCode> {
    let [folder, command, rest @ ..] = arguments else { bail!("{USAGE}") };
    let folder = Folder::new(Path::new(folder))?;
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    match (command.as_str(), words.as_slice()) {
        ("up", []) => kube_cluster::up(&folder, Size::One, Lifetime::UntilDown)?,
        ("up", ["--nodes", number]) => kube_cluster::up(&folder, nodes(number)?, Lifetime::UntilDown)?,
        ("down", []) => kube_cluster::down(&folder)?,
        ("rate", _) => kube_cluster::rate(&folder, rest)?,
        ("test", _) => kube_cluster::test(&folder, rest)?,
        ("programs", ["helm"]) => println!("{}", kube_cluster::helm()?.display()),
        ("programs", []) => println!("{}", kube_cluster::prepare()?.display()),
        ("install", _) => kube_cluster::install(&folder, rest)?,
        ("kubectl" | "vgpu", _) => return inside(&folder, &[&[command.as_str()], words.as_slice()].concat()),
        ("enter", []) => return inside(&folder, &["sh"]),
        ("enter", words) => return inside(&folder, words),
        // What the processes of the cluster themselves are.
        ("init", [number]) => kube_cluster::first_process(&folder, nodes(number)?)?,
        ("node", ["2"]) => kube_cluster::second_node(&folder)?,
        _ => bail!("no command `{}`; {USAGE}", [&[command.as_str()], words.as_slice()].concat().join(" ")),
    }
    Ok(ExitCode::SUCCESS)
}

fn nodes(number: &str) -> Result<Size> {
    match number {
        "1" => Ok(Size::One),
        "2" => Ok(Size::Two),
        _ => bail!("--nodes {number}: a cluster has 1 or 2 nodes"),
    }
}

/// Runs a program in the namespaces, with its exit status as ours.
fn inside(folder: &Folder, words: &[&str]) -> Result<ExitCode> {
    let status =
        namespaces::command(folder, words)?.status().with_context(|| format!("cannot start {words:?}"))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
