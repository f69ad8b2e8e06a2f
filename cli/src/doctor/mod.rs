//! `vgpu doctor`: what would stop vgpu on this machine, a line each, with what to do about it.

mod driver;
mod environment;
mod finding;
mod libcuda;
mod library;
mod place;
mod storage;

use std::env;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

use monitor::gpus::{NVML_LIBRARY, Nvml};
use serde::Serialize;

use crate::args::DoctorArgs;
use crate::failure::Failure;
use crate::install::Install;
use crate::run::{self, refusal, target};
use crate::say::{print, print_json};
use crate::show::escaped;
use finding::{Finding, Status};
use place::Place;

/// The schema of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    ok: bool,
    checks: &'a [Finding],
}

/// Prints every finding. The status is 1 when one of them is a failure.
pub(crate) fn doctor(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let install = Install::of_this_program()?;
    let simulator = args.sim.profile().map(|profile| install.simulator(profile)).transpose()?;
    if let Some(command) = args.command.first() {
        run::profile_is_no_command(&args.sim, command, &install)?;
    }
    let findings = examine(args, &install, simulator.as_deref());
    let fails = findings.iter().filter(|finding| finding.status == Status::Fail).count();
    if args.json {
        print_json(&Report { version: 1, ok: fails == 0, checks: &findings })?;
    } else {
        print(&text(&findings, fails))?;
    }
    Ok(if fails == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn examine(args: &DoctorArgs, install: &Install, simulator: Option<&Path>) -> Vec<Finding> {
    let place = Place::here();
    let mut findings = about_driver(&place, simulator);
    findings.push(library::glibc());
    let library = install.library(env::var_os(contract::env::LIBRARY));
    findings.push(library::ours(&library));
    findings.extend(library::others(&place, library.as_deref().ok()));
    findings.push(storage::shared_memory(&place));
    findings.push(storage::runs(&place));
    findings.extend(storage::foreign_region(&place));
    findings.push(environment::variables(&place));
    findings.extend(environment::slice(&place));
    findings.extend(environment::container(&place));
    findings.extend(args.command.first().map(|command| about_command(command)));
    findings
}

fn about_driver(place: &Place, simulator: Option<&Path>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if simulator.is_none() {
        findings.push(driver::kernel(place));
        findings.push(driver::devices(place));
    }
    let nvml = simulator.map_or_else(Nvml::system, |dir| Nvml::at(dir.join(NVML_LIBRARY)));
    let driver = nvml.driver();
    findings.push(driver::nvml(place, &driver, simulator.is_some()));
    findings.push(libcuda::libcuda(place, simulator, driver.as_ref().ok()));
    if let Ok(driver) = &driver {
        findings.push(driver::gpus(&driver.inventory));
        findings.push(driver::mig(driver));
        findings.push(driver::nvidia_smi(driver, place));
    }
    findings
}

/// Whether limits reach the command that was asked about.
fn about_command(command: &OsStr) -> Finding {
    const CHECK: &str = "command";
    let path = env::var_os("PATH");
    if let Some(reason) = refusal::foresee(command, path.as_deref()) {
        return Finding::fail(CHECK, format_args!("{} cannot be started", command.display()), reason);
    }
    match target::obstacle(command, path.as_deref()) {
        Some(obstacle) => Finding::fail(
            CHECK,
            obstacle,
            "use a dynamically linked build for glibc, started as its own user",
        ),
        None => Finding::ok(CHECK, format_args!("{} can be limited", command.display())),
    }
}

/// The findings as lines, with a last one that sums them up.
fn text(findings: &[Finding], fails: usize) -> String {
    let mut text = String::new();
    for Finding { check, status, finding, fix } in findings {
        let fix = fix.as_ref().map_or_else(String::new, |fix| format!("; {fix}"));
        text += &format!("{:<4}  {check:<17}  {}\n", status.word(), escaped(&(finding.clone() + &fix)));
    }
    let checks = findings.len();
    text += &match fails {
        0 => format!("\nNothing of {checks} checks stops vgpu here.\n"),
        _ => format!("\n{fails} of {checks} checks failed.\n"),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_finding_and_one_for_all() {
        let findings = [
            Finding::ok("a", "well"),
            Finding::warn("b", "so so", "wait"),
            Finding::fail("c", "bad", "mend it"),
        ];
        assert_eq!(
            text(&findings, 1),
            "ok    a                  well\nwarn  b                  so so; wait\nFAIL  c                  bad; mend it\n\n\
             1 of 3 checks failed.\n"
        );
        assert!(text(&findings[..2], 0).ends_with("\nNothing of 2 checks stops vgpu here.\n"));
    }

    #[test]
    fn names_in_findings_cannot_move_the_cursor() {
        let text = text(&[Finding::fail("a", "\u{1b}[2J\nok  b", "\u{9b}m")], 1);
        assert!(text.starts_with("FAIL  a                  \\u{1b}[2J\\nok  b; \\u{9b}m\n"), "{text}");
    }

    #[test]
    fn commands_that_limits_do_not_reach() {
        assert_eq!(about_command(OsStr::new("sh")).status, Status::Ok);
        assert_eq!(about_command(OsStr::new("/nowhere/command")).status, Status::Fail);
    }
}
