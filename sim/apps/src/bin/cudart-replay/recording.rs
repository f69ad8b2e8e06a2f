//! What the CUDA runtimes ask for, as `data/record` wrote it down.

use std::ffi::c_int;

/// What one CUDA runtime asks the driver for, in its order.
pub(crate) struct Recording {
    /// Its release.
    pub(crate) version: &'static str,
    lines: &'static str,
}

/// Which `cuGetProcAddress`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    First,
    Second,
}

/// One question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    pub(crate) asker: Asker,
    pub(crate) name: &'static str,
    pub(crate) version: c_int,
    pub(crate) flags: u64,
}

pub(crate) const RECORDINGS: [Recording; 3] = [
    Recording { version: "11.8", lines: include_str!("../../../data/cudart-11.8.tsv") },
    Recording { version: "12.9", lines: include_str!("../../../data/cudart-12.9.tsv") },
    Recording { version: "13.5", lines: include_str!("../../../data/cudart-13.5.tsv") },
];

impl Recording {
    /// Every question; `None` in place of a line that is none.
    pub(crate) fn questions(&self) -> impl Iterator<Item = Option<Question>> {
        self.lines.lines().map(parse)
    }
}

fn parse(line: &'static str) -> Option<Question> {
    let mut columns = line.split('\t');
    let asker = match columns.next()? {
        "first" => Asker::First,
        "second" => Asker::Second,
        _ => return None,
    };
    let name = columns.next()?;
    let version = columns.next()?.parse().ok()?;
    let flags = columns.next()?.parse().ok()?;
    columns.next().is_none().then_some(Question { asker, name, version, flags })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recordings_are_whole() {
        let counts = RECORDINGS.map(|recording| {
            assert!(recording.questions().all(|question| question.is_some()), "{}", recording.version);
            recording.questions().count()
        });
        assert_eq!(counts, [384, 419, 481]);
    }
}
