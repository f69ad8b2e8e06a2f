//! The program under measurement, with and without the library.

use crate::work::Work;
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What stands between the program and the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// Nothing.
    Native,
    /// The library, which has no limit to enforce.
    Unlimited,
    /// The library with a limit of memory that only the refusals meet.
    Limited,
    /// The same and a limit of compute that nothing here meets.
    Shared,
}

/// Percent of the device's time: as much as can be said that still is a limit.
const SHARE: &str = "99";

/// A limit of memory that holds every live allocation of every work at once.
const LIMIT: &str = "16384g";

/// Where the built pieces lie, and where this run keeps its region and the socket of its simulated device.
pub(crate) struct Subject {
    stage: PathBuf,
    region: PathBuf,
    socket: PathBuf,
}

impl Subject {
    /// # Errors
    /// The stage directory lacks a piece.
    pub(crate) fn new() -> Result<Self> {
        let own = std::env::current_exe()?;
        let stage = match std::env::var_os("VGPU_STAGE") {
            Some(stage) => PathBuf::from(stage),
            None => {
                own.parent().and_then(Path::parent).context("no directory above the program's")?.to_path_buf()
            }
        };
        for piece in ["lib/libvgpu.so", "sim/null/libcuda.so.1", "sim/550/libcuda.so.1"] {
            let path = stage.join(piece);
            ensure!(path.exists(), "{} is missing; run `cargo xtask stage`", path.display());
        }
        let own = format!("vgpu-overhead-{}", std::process::id());
        let (region, socket) = (PathBuf::from("/dev/shm").join(&own), std::env::temp_dir().join(own));
        Ok(Self { stage, region, socket })
    }

    /// The command that does `work` COUNT times in `setting`, behind `wrapper` if there is one.
    pub(crate) fn command(
        &self,
        wrapper: &[&str],
        setting: Setting,
        work: Work,
        count: u32,
    ) -> Result<Command> {
        let own = std::env::current_exe()?;
        let mut command = match wrapper {
            [] => Command::new(own),
            [program, arguments @ ..] => {
                let mut command = Command::new(program);
                command.args(arguments).arg(own);
                command
            }
        };
        command.arg("work").arg(work.to_string()).arg(count.to_string());
        command.env("LD_LIBRARY_PATH", self.stage.join("sim").join(work.driver())).env_remove("LD_PRELOAD");
        command.env("VGPU_SIM_SOCKET", &self.socket);
        if setting != Setting::Native {
            command.env("LD_PRELOAD", self.stage.join("lib/libvgpu.so"));
        }
        if matches!(setting, Setting::Limited | Setting::Shared) {
            command
                .env("CUDA_DEVICE_MEMORY_LIMIT", LIMIT)
                .env("CUDA_DEVICE_MEMORY_SHARED_CACHE", &self.region);
        }
        if setting == Setting::Shared {
            command.env("CUDA_DEVICE_SM_LIMIT", SHARE);
        }
        Ok(command)
    }

    /// Runs `work` and answers with the nanoseconds that one took.
    ///
    /// # Errors
    /// The program failed or did not print a number.
    pub(crate) fn time(&self, setting: Setting, work: Work, count: u32) -> Result<u64> {
        let output = self.command(&[], setting, work, count)?.stderr(Stdio::inherit()).output()?;
        let [each] = numbers(work, setting, output.status.success(), &output.stdout)?;
        Ok(each)
    }

    /// Starts `work`, COUNT times, with `input` and a pipe from its standard output.
    pub(crate) fn spawn(&self, setting: Setting, work: Work, count: u32, input: Stdio) -> Result<Child> {
        Ok(self.command(&[], setting, work, count)?.stdin(input).stdout(Stdio::piped()).spawn()?)
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        // Absent where nothing ran with a limit; left behind otherwise, it would only be read by nobody.
        let _ = std::fs::remove_file(&self.region);
        // The simulated device goes by itself when nobody uses it.
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Reads the numbers that the program has printed.
pub(crate) fn numbers<const COUNT: usize>(
    work: Work,
    setting: Setting,
    succeeded: bool,
    output: &[u8],
) -> Result<[u64; COUNT]> {
    if !succeeded {
        bail!("{work} failed in setting {setting:?}");
    }
    let text = std::str::from_utf8(output)?.trim();
    let numbers: Option<Vec<u64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .with_context(|| format!("{work} printed {text:?} in setting {setting:?}, not {COUNT} numbers"))
}
