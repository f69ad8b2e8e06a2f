//! The program under measurement, with and without something between it and the driver.

use crate::interposer::Interposer;
use crate::running::Running;
use crate::work::{Place, Work};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

/// How long a program may take where nobody says otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is preloaded, and what it is told to enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Nothing is preloaded.
    Native,
    /// The library, which has no limit to enforce.
    Unlimited,
    /// The library with a limit of memory that only the refusals meet.
    Limited,
    /// The same and a limit of compute that nothing here meets.
    Shared,
    /// The library with limits that are meant to be met.
    Slice(Slice),
}

/// What a tenant may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Memory, in MiB.
    pub memory_mib: u32,
    /// Percent of the device's time; 100 is no limit.
    pub cores: u32,
    /// Which tenant: each has an account of its own.
    pub tenant: u32,
}

/// Percent of the device's time: as much as can be said that still is a limit.
const SHARE: u32 = 99;

/// Where the built pieces lie, on which driver programs run, and where this run keeps accounts and the socket of the simulated
/// device.
struct Scene {
    stage: PathBuf,
    place: Place,
    accounts: PathBuf,
    socket: PathBuf,
    patience: Duration,
}

/// What is measured: a program behind an interposer.
#[derive(Clone)]
pub struct Subject {
    scene: Rc<Scene>,
    interposer: Interposer,
}

impl Subject {
    /// The library of the stage directory, on the simulated device.
    ///
    /// # Errors
    /// The stage directory lacks a piece.
    pub fn new() -> Result<Self> {
        let stage = stage()?;
        Self::at(&stage, Place::Simulated, PATIENCE)?.behind(Interposer::vgpu(&stage))
    }

    /// Nothing, at a place; a program may take so long.
    ///
    /// # Errors
    /// The stage directory lacks a piece that this needs.
    pub fn at(stage: &Path, place: Place, patience: Duration) -> Result<Self> {
        if place == Place::Simulated {
            exists(&stage.join("sim/null/libcuda.so.1"))?;
            exists(&stage.join("sim/550/libcuda.so.1"))?;
        }
        let own = format!("vgpu-bench-{}", std::process::id());
        let socket = std::env::temp_dir().join(format!("{own}.sock"));
        // In memory where that can be written, as accounts of slices are.
        let accounts =
            [PathBuf::from("/dev/shm"), std::env::temp_dir()].map(|directory| directory.join(&own));
        let [in_memory, elsewhere] = &accounts;
        let made = std::fs::create_dir_all(in_memory).map(|()| in_memory);
        let made = made.or_else(|_| std::fs::create_dir_all(elsewhere).map(|()| elsewhere));
        let accounts = made.with_context(|| format!("cannot make {}", elsewhere.display()))?.clone();
        let scene = Rc::new(Scene { stage: stage.to_owned(), place, accounts, socket, patience });
        Ok(Self { scene, interposer: Interposer::none() })
    }

    /// The same scene, with another interposer in it.
    ///
    /// # Errors
    /// There is no such library.
    pub fn behind(&self, interposer: Interposer) -> Result<Self> {
        interposer.library.as_deref().map_or(Ok(()), exists)?;
        Ok(Self { scene: Rc::clone(&self.scene), interposer })
    }

    /// What is preloaded.
    #[must_use]
    pub const fn interposer(&self) -> &Interposer {
        &self.interposer
    }

    /// Where it runs.
    #[must_use]
    pub fn place(&self) -> Place {
        self.scene.place
    }

    /// The command that does `work` COUNT times in `setting`, behind `wrapper` if there is one.
    ///
    /// # Errors
    /// This program does not find itself.
    pub fn command(&self, wrapper: &[&str], setting: Setting, work: Work, count: u32) -> Result<Command> {
        let own = std::env::current_exe()?;
        let mut command = match wrapper {
            [] => Command::new(own),
            [program, arguments @ ..] => {
                let mut command = Command::new(program);
                command.args(arguments).arg(own);
                command
            }
        };
        command.arg("work").arg(work.to_string()).arg(count.to_string()).env_remove("LD_PRELOAD");
        if self.scene.place == Place::Simulated {
            command.env("LD_LIBRARY_PATH", self.scene.stage.join("sim").join(work.driver()));
            command.env("VGPU_SIM_SOCKET", &self.scene.socket);
        }
        if let Some(library) = self.interposer.library.as_ref().filter(|_| setting != Setting::Native) {
            command.env("LD_PRELOAD", library);
            self.limit(&mut command, setting, work);
        }
        Ok(command)
    }

    /// Tells the interposer its limits: by HAMi's names, and by its own.
    fn limit(&self, command: &mut Command, setting: Setting, work: Work) {
        let (memory, cores, tenant) = match setting {
            Setting::Native | Setting::Unlimited => (None, None, 0),
            Setting::Limited => (Some(self.scene.place.ample_memory()), None, 0),
            Setting::Shared => (Some(self.scene.place.ample_memory()), Some(SHARE), 0),
            Setting::Slice(Slice { memory_mib, cores, tenant }) => {
                (Some(u64::from(memory_mib) << 20), Some(cores).filter(|cores| *cores < 100), tenant)
            }
        };
        // What was learned of one simulated driver says nothing about another, which calls its card the same.
        let account = format!("{}-{}-{tenant}", self.interposer.name, work.driver());
        let account = self.scene.accounts.join(account);
        if let Some(memory) = memory {
            command.env("CUDA_DEVICE_MEMORY_LIMIT", memory.to_string());
            command.env("CUDA_DEVICE_MEMORY_SHARED_CACHE", &account);
        }
        if let Some(cores) = cores {
            command.env("CUDA_DEVICE_SM_LIMIT", cores.to_string());
        }
        let number = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
        for (name, value) in &self.interposer.environment {
            let value = value.replace("{memory}", &number(memory));
            let value = value.replace("{cores}", &number(cores.map(u64::from)));
            command.env(name, value.replace("{cache}", &account.to_string_lossy()));
        }
    }

    /// Runs `work` and answers with the nanoseconds that one took.
    ///
    /// # Errors
    /// The program failed or did not print a number.
    pub fn time(&self, setting: Setting, work: Work, count: u32) -> Result<u64> {
        let [each] = self.ask(setting, work, count)?;
        Ok(each)
    }

    /// Runs `work` and answers with the numbers that it printed.
    ///
    /// # Errors
    /// The program failed or did not print so many numbers.
    pub fn ask<const COUNT: usize>(&self, setting: Setting, work: Work, count: u32) -> Result<[u64; COUNT]> {
        let told = self.spawn(setting, work, count, Stdio::null())?.finish();
        exactly(&told.with_context(|| work.to_string())?)
    }

    /// Starts `work`, COUNT times, with `input` and a pipe from its standard output.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn spawn(&self, setting: Setting, work: Work, count: u32, input: Stdio) -> Result<Running> {
        Running::start(self.command(&[], setting, work, count)?, input, self.scene.patience)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // Left behind, they would only be read by nobody.
        let _ = std::fs::remove_dir_all(&self.accounts);
        // The simulated device goes by itself when nobody uses it.
        let _ = std::fs::remove_file(&self.socket);
    }
}

fn exists(piece: &Path) -> Result<()> {
    ensure!(piece.exists(), "{} is missing; run `cargo xtask stage`", piece.display());
    Ok(())
}

/// The stage directory: that of `VGPU_STAGE`, else the one that this program is in.
///
/// # Errors
/// There is no directory above the program's.
pub fn stage() -> Result<PathBuf> {
    if let Some(stage) = std::env::var_os("VGPU_STAGE") {
        return Ok(PathBuf::from(stage));
    }
    let own = std::env::current_exe()?;
    let above = own.parent().and_then(Path::parent);
    Ok(above.context("no directory above the program's")?.to_path_buf())
}

/// The numbers that a program has printed.
///
/// # Errors
/// There is something else.
pub fn numbers(told: &str) -> Result<Vec<u64>> {
    let numbers: Result<_, _> = told.split_whitespace().map(str::parse).collect();
    numbers.with_context(|| format!("the program printed {:?}, which are not numbers", told.trim()))
}

/// The same, when there have to be so many.
///
/// # Errors
/// There are more or fewer.
pub fn exactly<const COUNT: usize>(told: &str) -> Result<[u64; COUNT]> {
    let numbers = numbers(told)?;
    numbers
        .try_into()
        .ok()
        .with_context(|| format!("the program printed {:?}, not {COUNT} numbers", told.trim()))
}
