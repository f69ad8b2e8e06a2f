//! The program under measurement, with and without something between it and the driver.

mod managed;
mod setting;

pub use managed::Managed;
pub use setting::{Setting, Slice};

use crate::interposer::Interposer;
use crate::running::Running;
use crate::work::{Place, Work};
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

/// How long a program may take where nobody says otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

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
            for profile in ["null", "timed", "550"] {
                exists(&stage.join("sim").join(profile).join("libcuda.so.1"))?;
            }
        }
        let own = format!("vgpu-bench-{}", std::process::id());
        // In memory where that can be written, as accounts of slices are.
        let accounts =
            [PathBuf::from("/dev/shm"), std::env::temp_dir()].map(|directory| directory.join(&own));
        let [in_memory, elsewhere] = &accounts;
        let made = std::fs::create_dir_all(in_memory).map(|()| in_memory);
        let made = made.or_else(|_| std::fs::create_dir_all(elsewhere).map(|()| elsewhere));
        let accounts = made.with_context(|| format!("cannot make {}", elsewhere.display()))?.clone();
        // Beside the socket the device has files of its own.
        let socket = accounts.join("sim.sock");
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
        let manager = self.manager(setting)?;
        let mut words = wrapper.iter().map(OsString::from).chain(manager).chain([own.into()]);
        let mut command = Command::new(words.next().context("a program")?);
        command.args(words);
        setting::NAMES.iter().for_each(|name| _ = command.env_remove(name));
        command.arg("work").arg(work.to_string()).arg(count.to_string()).env_remove("LD_PRELOAD");
        self.reach_driver(&mut command, work.driver());
        match &self.interposer.library {
            Some(library) if matches!(setting, Setting::Managed(_)) => {
                command.env("VGPU_LIBRARY", library).env("XDG_RUNTIME_DIR", &self.scene.accounts);
            }
            Some(library) if setting != Setting::Native => {
                command.env("LD_PRELOAD", library);
                self.limit(&mut command, setting, work);
            }
            _ => {}
        }
        Ok(command)
    }

    /// Lets a program find a simulated driver, if it is to use one.
    fn reach_driver(&self, command: &mut Command, profile: &str) {
        if self.scene.place == Place::Simulated {
            command.env("LD_LIBRARY_PATH", self.scene.stage.join("sim").join(profile));
            command.env("VGPU_SIM_SOCKET", &self.scene.socket);
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
        exactly(&self.tell(setting, work, count)?)
    }

    /// Runs `work` and answers with what it printed.
    ///
    /// # Errors
    /// The program failed.
    pub fn tell(&self, setting: Setting, work: Work, count: u32) -> Result<String> {
        let told = self.spawn(setting, work, count, Stdio::null())?.finish();
        told.with_context(|| work.to_string())
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
        // Left behind, they would only be read by nobody. The simulated device goes by itself when nobody uses it.
        let _ = std::fs::remove_dir_all(&self.accounts);
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
