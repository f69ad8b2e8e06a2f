//! What may be typed behind the name of a subcommand.

use anyhow::{Result, bail};

/// What a subcommand accepts.
pub(crate) enum Accepts {
    Nothing,
    /// One flag, and what it does.
    Flag(&'static str, &'static str),
    /// One flag with a number behind it, and what it says.
    Number(&'static str, &'static str),
    /// Flags, each with what it does, and a part of the name of what is to run.
    Filter(&'static [(&'static str, &'static str)]),
    /// One of several commands, each with what may follow it and what it does; it judges what follows.
    Commands(&'static [(&'static str, &'static str)]),
    /// Whatever `cargo test` does.
    CargoTest,
    /// Whatever this program of the stage does, which judges it itself.
    Program(&'static str),
}

impl Accepts {
    /// The line that shows how the subcommand is used.
    pub(crate) fn usage(&self, name: &str) -> String {
        match self {
            Self::Nothing => format!("cargo xtask {name}"),
            Self::Flag(flag, _) => format!("cargo xtask {name} [{flag}]"),
            Self::Number(flag, _) => format!("cargo xtask {name} [{flag} N]"),
            Self::Filter(flags) => {
                let flags: String = flags.iter().map(|(flag, _)| format!(" [{flag}]")).collect();
                format!("cargo xtask {name}{flags} [PART OF A NAME]")
            }
            Self::Commands(_) => format!("cargo xtask {name} COMMAND"),
            Self::Program(program) => format!("cargo xtask {name} [ARGUMENT OF {program}]..."),
            Self::CargoTest => {
                format!("cargo xtask {name} [ARGUMENT OF cargo test]... [-- ARGUMENT OF THE TESTS...]")
            }
        }
    }

    /// The line that explains what is accepted.
    pub(crate) fn explanation(&self, name: &str) -> String {
        match self {
            Self::Nothing => format!("`{name}` takes no arguments"),
            Self::Flag(flag, meaning) | Self::Number(flag, meaning) => format!("{flag}: {meaning}"),
            Self::Filter(flags) => {
                let meanings: Vec<_> =
                    flags.iter().map(|(flag, meaning)| format!("{flag}: {meaning}")).collect();
                meanings.join("\n")
            }
            Self::Commands(commands) => {
                let lines: Vec<_> =
                    commands.iter().map(|(usage, meaning)| format!("  {usage}: {meaning}")).collect();
                lines.join("\n")
            }
            Self::Program(program) => {
                format!("what `{program} --help` says, a program of the stage directory's bin/")
            }
            Self::CargoTest => "for example `-p policy`, or a part of a test's name".to_owned(),
        }
    }

    /// Fails on an argument that is not among what is accepted; cargo judges its own.
    pub(crate) fn check(&self, name: &str, arguments: &[String]) -> Result<()> {
        let unknown = match self {
            Self::Nothing => arguments.first(),
            Self::Flag(flag, _) => arguments.iter().find(|argument| argument != flag),
            // The command judges the number.
            Self::Number(flag, _) => arguments.first().filter(|argument| argument != flag),
            Self::Filter(flags) => arguments
                .iter()
                .filter(|argument| argument.starts_with("--"))
                .find(|argument| !flags.iter().any(|(flag, _)| flag == argument)),
            Self::Commands(commands) => {
                return match arguments.first() {
                    Some(word) if commands.iter().any(|(usage, _)| usage.split(' ').next() == Some(word)) => {
                        Ok(())
                    }
                    Some(word) => bail!("{name}: no command `{word}`; there are\n{}", self.explanation(name)),
                    None => bail!("{name}: a command is missing; there are\n{}", self.explanation(name)),
                };
            }
            Self::CargoTest | Self::Program(_) => None,
        };
        match unknown {
            Some(argument) => {
                bail!(
                    "{name}: no argument `{argument}`; usage: {} ({})",
                    self.usage(name),
                    self.explanation(name)
                )
            }
            None => Ok(()),
        }
    }
}

/// Is an explanation asked for? What follows `--` is for the tests.
pub(crate) fn ask_for_help(arguments: &[String]) -> bool {
    let ours = arguments.iter().take_while(|argument| *argument != "--");
    ours.into_iter().any(|argument| argument == "--help" || argument == "-h")
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: Accepts = Accepts::Flag("--write", "writes it");

    fn owned(arguments: &[&str]) -> Vec<String> {
        arguments.iter().map(|argument| (*argument).to_owned()).collect()
    }

    #[test]
    fn an_argument_that_is_not_accepted_is_named_beside_those_that_are() {
        let error = WRITE.check("list", &owned(&["--write", "--wirte"])).unwrap_err().to_string();
        assert_eq!(
            error,
            "list: no argument `--wirte`; usage: cargo xtask list [--write] (--write: writes it)"
        );
        assert!(Accepts::Nothing.check("bench", &owned(&["fast"])).is_err());
    }

    #[test]
    fn what_is_accepted_passes() {
        assert!(WRITE.check("list", &owned(&["--write"])).is_ok());
        assert!(Accepts::Nothing.check("bench", &[]).is_ok());
        assert!(Accepts::Number("--seconds", "").check("fuzz", &owned(&["--seconds", "9"])).is_ok());
        assert!(Accepts::Number("--seconds", "").check("fuzz", &owned(&["9"])).is_err());
        assert!(Accepts::CargoTest.check("test", &owned(&["-p", "policy"])).is_ok());
    }

    #[test]
    fn a_filter_may_be_any_word_but_no_other_flag() {
        let filter = Accepts::Filter(&[("--quick", "less"), ("--write", "writes")]);
        assert!(filter.check("table", &owned(&["--quick", "2 ms"])).is_ok());
        assert!(filter.check("table", &owned(&["2 ms", "--slow"])).is_err());
        assert_eq!(filter.usage("table"), "cargo xtask table [--quick] [--write] [PART OF A NAME]");
    }

    #[test]
    fn the_first_word_is_a_command_and_what_follows_is_its_own_affair() {
        let commands = Accepts::Commands(&[("up [--nodes N]", "starts"), ("down", "ends")]);
        assert!(commands.check("kube", &owned(&["up", "--nodes", "7"])).is_ok());
        assert!(commands.check("kube", &[]).is_err());
        let error = commands.check("kube", &owned(&["halt"])).unwrap_err().to_string();
        assert_eq!(error, "kube: no command `halt`; there are\n  up [--nodes N]: starts\n  down: ends");
    }

    #[test]
    fn help_is_asked_for_before_two_hyphens_only() {
        assert!(ask_for_help(&owned(&["-p", "x", "--help"])));
        assert!(!ask_for_help(&owned(&["--", "--help"])));
    }
}
