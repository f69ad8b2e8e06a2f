//! Instructions by callgrind: the same on every run of one build, whatever else the machine does.

use anyhow::{Context, Result, ensure};
use benches::subject::{Setting, Subject};
use benches::work::Work;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What is counted: a name in the file, the setting, the work.
const CASES: [(&str, Setting, Work); 12] = [
    ("report native", Setting::Native, Work::Report),
    ("report unlimited", Setting::Unlimited, Work::Report),
    ("pair native", Setting::Native, Work::Pair(1)),
    ("pair unlimited", Setting::Unlimited, Work::Pair(1)),
    ("pair limited, 1 live", Setting::Limited, Work::Pair(1)),
    ("pair limited, 10000 live", Setting::Limited, Work::Pair(10_000)),
    ("refusal native", Setting::Native, Work::Grant),
    ("refusal limited", Setting::Limited, Work::Refusal),
    ("launch native", Setting::Native, Work::Launch),
    ("launch unlimited", Setting::Unlimited, Work::Launch),
    ("launch, memory limited", Setting::Limited, Work::Launch),
    ("launch limited", Setting::Shared, Work::Launch),
];

/// Calls in the shorter and the longer run, of which the difference is taken.
const SHORT: u32 = 1_000;
const LONG: u32 = 3_000;

/// Runs of what is measured beside a thread of the library's.
const RUNS: u32 = 5;

/// How far a count may be from the recorded one: compilers of one version and C libraries of one release agree closely.
const TOLERANCE_PERCENT: u64 = 3;

/// The same where a thread of the library's goes on beside: it decides how many launches there are to a lease.
const TOLERANCE_BESIDE_PERCENT: u64 = 10;

/// Counts and writes `benches/counts.tsv`.
///
/// # Errors
/// A measured program failed, or the file cannot be written.
pub(crate) fn record() -> Result<()> {
    let mut text = String::from("# instructions a call, by `overhead counts --record`\n");
    for (name, _, instructions) in count_all()? {
        writeln!(text, "{name}\t{instructions}")?;
    }
    Ok(std::fs::write(file(), text)?)
}

/// Counts and compares with `benches/counts.tsv`.
///
/// # Errors
/// A measured program failed, or a count differs from the recorded one.
pub(crate) fn compare() -> Result<()> {
    let path = file();
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut off = 0;
    for (name, setting, counted) in count_all()? {
        let recorded = recorded(&text, name)?;
        let fits = counted.abs_diff(recorded) * 100 <= recorded * tolerance(setting);
        println!(
            "{name:<26} {counted:>6} instructions, recorded {recorded:>6}{}",
            if fits { "" } else { "  <--" }
        );
        off += u32::from(!fits);
    }
    ensure!(off == 0, "{off} counts differ too much; look why, then run `overhead counts --record`");
    Ok(())
}

fn recorded(text: &str, name: &str) -> Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('\t'));
    Ok(line.with_context(|| format!("no count of {name:?} is recorded"))?.parse()?)
}

const fn tolerance(setting: Setting) -> u64 {
    match setting {
        Setting::Shared => TOLERANCE_BESIDE_PERCENT,
        Setting::Native | Setting::Unlimited | Setting::Limited | Setting::Slice(_) | Setting::Managed(_) => {
            TOLERANCE_PERCENT
        }
    }
}

fn count_all() -> Result<Vec<(&'static str, Setting, u64)>> {
    let subject = Subject::new()?;
    let count = |setting, work| -> Result<u64> {
        let short = least(&subject, setting, work, SHORT)?;
        let long = least(&subject, setting, work, LONG)?;
        // Each run warms up with a tenth of its calls.
        Ok(long.saturating_sub(short) / u64::from((LONG - SHORT) * 11 / 10))
    };
    CASES.into_iter().map(|(name, setting, work)| Ok((name, setting, count(setting, work)?))).collect()
}

/// The least of some runs where something goes on beside, which now and then costs more.
fn least(subject: &Subject, setting: Setting, work: Work, count: u32) -> Result<u64> {
    let runs = if setting == Setting::Shared { RUNS } else { 1 };
    let counts = (0..runs).map(|_| instructions(subject, setting, work, count));
    Ok(counts.collect::<Result<Vec<_>>>()?.into_iter().min().unwrap_or_default())
}

fn instructions(subject: &Subject, setting: Setting, work: Work, count: u32) -> Result<u64> {
    let out = std::env::temp_dir().join(format!("vgpu-counts-{}", std::process::id()));
    let file = format!("--callgrind-out-file={}", out.display());
    // The library's own threads work by the clock, so what they do is never the same.
    let callgrind = ["valgrind", "--tool=callgrind", "--separate-threads=yes", &file];
    let output = subject.command(&callgrind, setting, work, count)?.output().context("valgrind")?;
    let report = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{work} failed under callgrind in setting {setting:?}:\n{report}");
    let files = (1..).map(|thread| PathBuf::from(format!("{}-{thread:02}", out.display())));
    let threads: Vec<_> = files.map_while(|file| take(&file)).collect();
    let first = threads.first().context("callgrind has written nothing of the first thread")?;
    let total = first.lines().find_map(|line| line.strip_prefix("totals: "));
    Ok(total.context("no count in what callgrind has written")?.trim().parse()?)
}

/// Reads a file and removes it. `None` if there is none.
fn take(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    std::fs::remove_file(file).ok()?;
    Some(text)
}

/// The record, where `cargo xtask counts` says it is or where it is in the current directory's repository.
fn file() -> PathBuf {
    std::env::var_os("VGPU_COUNTS").map_or_else(|| PathBuf::from("benches/counts.tsv"), PathBuf::from)
}
