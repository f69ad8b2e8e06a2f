//! Works as words of a command line, such as `kernels-20-8`.

use super::Work;
use anyhow::{Error, Result, anyhow};
use std::fmt;
use std::str::FromStr;

impl Work {
    /// Its name, and its numbers.
    fn words(self) -> (&'static str, Vec<u32>) {
        let plain = |name| (name, Vec::new());
        match self {
            Self::Report => plain("report"),
            Self::Pair(live) => ("pair", vec![live]),
            Self::Turnover(live) => ("turnover", vec![live]),
            Self::Race => plain("race"),
            Self::Halves => plain("halves"),
            Self::Refusal => plain("refusal"),
            Self::Grant => plain("grant"),
            Self::Mistake => plain("mistake"),
            Self::Used => plain("used"),
            Self::Fill => plain("fill"),
            Self::Hold(mib) => ("hold", vec![mib]),
            Self::Await(mib) => ("await", vec![mib]),
            Self::Recover => plain("recover"),
            Self::Pressure => plain("pressure"),
            Self::Holes => plain("holes"),
            Self::Start => plain("start"),
            Self::Stay => plain("stay"),
            Self::Contexts => plain("contexts"),
            Self::Switches => plain("switches"),
            Self::Launch => plain("launch"),
            Self::Bursts => plain("bursts"),
            Self::Device => plain("device"),
            Self::Hum => plain("hum"),
            Self::Kernels { us, batch } => ("kernels", vec![us, batch]),
            Self::Replays { kernels } => ("replays", vec![kernels]),
            Self::Steps { launches } => ("steps", vec![launches]),
            Self::Stream { us } => ("stream", vec![us]),
            Self::Greedy { us } => ("greedy", vec![us]),
            Self::Requests { us, kernels } => ("requests", vec![us, kernels]),
            Self::Abreast { streams } => ("abreast", vec![streams]),
            Self::Rest => plain("rest"),
            Self::Toil => plain("toil"),
            Self::Pace => plain("pace"),
        }
    }

    /// The other way round.
    fn of(name: &str, numbers: &[u32]) -> Option<Self> {
        Some(match (name, numbers) {
            ("report", []) => Self::Report,
            ("pair", &[live]) => Self::Pair(live),
            ("turnover", &[live]) => Self::Turnover(live),
            ("race", []) => Self::Race,
            ("halves", []) => Self::Halves,
            ("refusal", []) => Self::Refusal,
            ("grant", []) => Self::Grant,
            ("mistake", []) => Self::Mistake,
            ("used", []) => Self::Used,
            ("fill", []) => Self::Fill,
            ("hold", &[mib]) => Self::Hold(mib),
            ("await", &[mib]) => Self::Await(mib),
            ("recover", []) => Self::Recover,
            ("pressure", []) => Self::Pressure,
            ("holes", []) => Self::Holes,
            ("start", []) => Self::Start,
            ("stay", []) => Self::Stay,
            ("contexts", []) => Self::Contexts,
            ("switches", []) => Self::Switches,
            ("launch", []) => Self::Launch,
            ("bursts", []) => Self::Bursts,
            ("device", []) => Self::Device,
            ("hum", []) => Self::Hum,
            ("kernels", &[us, batch]) => Self::Kernels { us, batch },
            ("replays", &[kernels]) => Self::Replays { kernels },
            ("steps", &[launches]) => Self::Steps { launches },
            ("stream", &[us]) => Self::Stream { us },
            ("greedy", &[us]) => Self::Greedy { us },
            ("requests", &[us, kernels]) => Self::Requests { us, kernels },
            ("abreast", &[streams]) => Self::Abreast { streams },
            ("rest", []) => Self::Rest,
            ("toil", []) => Self::Toil,
            ("pace", []) => Self::Pace,
            _ => return None,
        })
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, numbers) = self.words();
        f.write_str(name)?;
        numbers.iter().try_for_each(|number| write!(f, "-{number}"))
    }
}

impl FromStr for Work {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, numbers) = text.split_once('-').unwrap_or((text, ""));
        let numbers = numbers.split('-').filter(|number| !number.is_empty()).map(str::parse);
        let numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
        Self::of(name, &numbers).ok_or_else(|| anyhow!("no work is called {text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        for work in [
            Work::Pair(100),
            Work::Turnover(100),
            Work::Kernels { us: 20, batch: 8 },
            Work::Replays { kernels: 20 },
            Work::Steps { launches: 200 },
            Work::Stream { us: 2000 },
            Work::Requests { us: 200, kernels: 10 },
            Work::Holes,
        ] {
            assert_eq!(work.to_string().parse::<Work>().unwrap(), work);
        }
        assert_eq!("pair".parse::<Work>().unwrap_err().to_string(), "no work is called pair");
    }
}
