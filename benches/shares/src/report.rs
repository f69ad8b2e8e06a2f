//! The table: sections of lines, in Markdown.

use std::fmt::Write;

/// One figure, or a few that belong together.
pub(crate) struct Figure {
    pub(crate) text: String,
    /// Whether it misses its goal; one without a goal never does.
    pub(crate) missed: bool,
}

/// One line of a section, before it is known.
pub(crate) struct Line {
    pub(crate) name: String,
    /// Runs the cells of the line.
    pub(crate) run: Box<dyn Fn() -> Vec<Figure> + Send + Sync>,
    /// Whether the line is part of the quick set.
    pub(crate) quick: bool,
    /// Why it may miss its goal, for now.
    pub(crate) excuse: Option<&'static str>,
}

/// Lines with the same columns.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    /// What the figures mean and which goals they have.
    pub(crate) explanation: &'static str,
    pub(crate) columns: Vec<String>,
    pub(crate) lines: Vec<Line>,
}

impl Line {
    /// A line that may miss its goal, for now, and why.
    pub(crate) fn excused(self, excuse: &'static str) -> Self {
        Self { excuse: Some(excuse), ..self }
    }

    /// A line of a workload or some.
    pub(crate) fn new(
        name: impl Into<String>,
        quick: bool,
        run: impl Fn() -> Vec<Figure> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), run: Box::new(run), quick, excuse: None }
    }
}

impl Figure {
    /// A figure with a goal.
    pub(crate) fn judged(text: String, reached: bool) -> Self {
        Self { text, missed: !reached }
    }

    /// A figure that is only told.
    pub(crate) fn told(text: String) -> Self {
        Self { text, missed: false }
    }
}

impl Section {
    /// What stands above the lines.
    pub(crate) fn heading(&self) -> String {
        let Self { title, explanation, columns, .. } = self;
        let mut text = format!("### {title}\n\n{explanation}\n\n|  |");
        columns.iter().for_each(|column| {
            let _ = write!(text, " {column} |");
        });
        text + "\n| --- |" + &" --- |".repeat(columns.len())
    }
}

/// A line with its figures; those that miss their goal are bold.
pub(crate) fn line(name: &str, figures: &[Figure]) -> String {
    let mut text = format!("| {name} |");
    for figure in figures {
        let mark = if figure.missed { "**" } else { "" };
        let _ = write!(text, " {mark}{}{mark} |", figure.text);
    }
    text
}
