//! Arguments of the program, and the environment variables that stand in for them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use sim_model::Utilization;

use crate::client::default_socket;

/// What a call without a sensible command is told.
const USAGE: &str = "usage: vgpu-sim-kernel start|truth|watch|disturb --socket PATH|--profile NAME [--config FILE] \
     [--devices N] [--idle-ms N] [--freeze GPU,MEMORY] [--fault FAULT]";

/// How long a machine that nobody is connected to stays, unless told otherwise.
const IDLE: Duration = Duration::from_secs(3);

/// What the program is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Sees that a machine runs at the socket.
    Start,
    /// Is that machine; only `start` calls it, with the socket as standard input.
    Serve,
    /// Prints what really happened on it.
    Truth,
    /// Does so whenever it is asked on standard input.
    Watch,
    /// Does something to it.
    Disturb,
}

impl Command {
    fn named(name: &OsStr) -> Option<Self> {
        match name.to_str()? {
            "start" => Some(Self::Start),
            "serve" => Some(Self::Serve),
            "truth" => Some(Self::Truth),
            "watch" => Some(Self::Watch),
            "disturb" => Some(Self::Disturb),
            _ => None,
        }
    }
}

/// Arguments of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) command: Command,
    /// The socket given, or the one that the libraries of a driver profile use unless told otherwise.
    pub(super) socket: PathBuf,
    /// File that describes the machine (`VGPU_SIM_CONFIG`).
    pub(super) config: Option<PathBuf>,
    /// Number of default devices without such a file (`VGPU_SIM_DEVICES`).
    pub(super) devices: usize,
    /// How long it stays while nobody is connected (`VGPU_SIM_IDLE_MS`).
    pub(super) idle: Duration,
    /// What utilisation and its samples tell, whatever runs, so that two runs print the same (`VGPU_SIM_FREEZE`).
    pub(super) frozen: Option<Utilization>,
    /// What is done to the machine.
    pub(super) fault: Option<String>,
}

impl Arguments {
    /// # Errors
    /// One line that names the argument or variable, its value and what it should be.
    pub(super) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        Self::parse_with(arguments, |name| std::env::var_os(name))
    }

    fn parse_with(
        arguments: impl IntoIterator<Item = OsString>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let command = arguments.next().as_deref().and_then(Command::named).ok_or(USAGE)?;
        let set =
            |name| variable(name).filter(|value| !value.is_empty()).map(|value| (name.to_owned(), value));
        let mut socket = set("VGPU_SIM_SOCKET");
        let (mut profile, mut fault) = (None, None);
        let mut config = set("VGPU_SIM_CONFIG");
        let mut devices = set("VGPU_SIM_DEVICES");
        let mut idle = set("VGPU_SIM_IDLE_MS");
        let mut frozen = set("VGPU_SIM_FREEZE");
        while let Some(flag) = arguments.next() {
            let target = match flag.to_str() {
                Some("--socket") => &mut socket,
                Some("--profile") => &mut profile,
                Some("--config") => &mut config,
                Some("--devices") => &mut devices,
                Some("--idle-ms") => &mut idle,
                Some("--freeze") => &mut frozen,
                Some("--fault") => &mut fault,
                _ => return Err(format!("{}: no such argument; {USAGE}", flag.display())),
            };
            let value =
                arguments.next().ok_or_else(|| format!("{}: give a value; {USAGE}", flag.display()))?;
            *target = Some((flag.display().to_string(), value));
        }
        let idle = number(idle, 0..=u64::MAX)?.map(Duration::from_millis).unwrap_or(IDLE);
        let devices = number(devices, 1..=16)?.unwrap_or(1);
        Ok(Self {
            command,
            socket: place(socket, profile).ok_or(USAGE)?,
            config: config.map(|(_, file)| file.into()),
            devices: usize::try_from(devices).map_err(|error| error.to_string())?,
            idle,
            frozen: frozen.map(utilization).transpose()?,
            fault: fault.map(|(_, fault)| fault.display().to_string()),
        })
    }
}

/// The socket that is given, or that of a profile.
fn place(socket: Option<(String, OsString)>, profile: Option<(String, OsString)>) -> Option<PathBuf> {
    let of_profile = || profile.map(|(_, profile)| default_socket(&profile));
    socket.map(|(_, path)| path.into()).or_else(of_profile)
}

/// Reads `GPU,MEMORY`, both in percent.
fn utilization((name, value): (String, OsString)) -> Result<Utilization, String> {
    let percent = |text: &str| text.parse().ok().filter(|percent| *percent <= 100);
    let parsed = value
        .to_str()
        .and_then(|text| text.split_once(','))
        .and_then(|(gpu, memory)| Some(Utilization { gpu: percent(gpu)?, memory: percent(memory)? }));
    parsed.ok_or_else(|| {
        format!(
            "{name} = {}: give the use of the GPU and of its memory in percent, as in `37,5`",
            value.display()
        )
    })
}

fn number(
    given: Option<(String, OsString)>,
    range: std::ops::RangeInclusive<u64>,
) -> Result<Option<u64>, String> {
    let Some((name, value)) = given else { return Ok(None) };
    let parsed = value.to_str().and_then(|text| text.parse().ok()).filter(|number| range.contains(number));
    let wrong =
        || format!("{name} = {}: give a number from {} to {}", value.display(), range.start(), range.end());
    parsed.ok_or_else(wrong).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str, variables: &[(&str, &str)]) -> Result<Arguments, String> {
        let find = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        Arguments::parse_with(line.split_whitespace().map(OsString::from), find)
    }

    #[test]
    fn arguments_win_over_variables_and_empty_variables_are_none() {
        let variables = [("VGPU_SIM_DEVICES", "4"), ("VGPU_SIM_CONFIG", ""), ("VGPU_SIM_IDLE_MS", "50")];
        let parsed = parse("start --socket /s --idle-ms 7", &variables).expect("sensible arguments");
        assert_eq!((parsed.command, parsed.devices, parsed.config), (Command::Start, 4, None));
        assert_eq!(parsed.idle, Duration::from_millis(7));
    }

    #[test]
    fn a_profile_has_a_socket_unless_one_is_given() {
        let socket = |variables| parse("start --profile 535", variables).map(|parsed| parsed.socket);
        assert_eq!(socket(&[]), Ok(default_socket("535".as_ref())));
        assert_eq!(socket(&[("VGPU_SIM_SOCKET", "/s")]), Ok(PathBuf::from("/s")));
    }

    #[test]
    fn use_is_frozen_at_two_percentages() {
        let frozen =
            |value| parse("start --socket /s", &[("VGPU_SIM_FREEZE", value)]).map(|parsed| parsed.frozen);
        assert_eq!(frozen("37,5"), Ok(Some(Utilization { gpu: 37, memory: 5 })));
        assert_eq!(frozen(""), Ok(None));
        for value in ["37", "37,", "37,101", "a,b", "1,2,3", "-1,0"] {
            let error = frozen(value).expect_err(value);
            assert!(error.starts_with(&format!("VGPU_SIM_FREEZE = {value}: give the use")), "{error}");
        }
    }

    #[test]
    fn nonsense_is_named_with_its_value() {
        let error = parse("start --socket /s", &[("VGPU_SIM_DEVICES", "17")]).expect_err("17 devices");
        assert_eq!(error, "VGPU_SIM_DEVICES = 17: give a number from 1 to 16");
        let error = parse("start --socket /s --idle-ms soon", &[]).expect_err("a word for a number");
        assert!(error.starts_with("--idle-ms = soon: give a number"), "{error}");
        for line in ["", "dance", "start", "start --socket", "start --socket /s --colour red"] {
            assert!(parse(line, &[]).expect_err(line).contains("usage: vgpu-sim-kernel"));
        }
    }
}
