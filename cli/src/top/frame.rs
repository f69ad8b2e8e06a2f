//! What is on the screen at one time: lines, of parts that differ in how they look.

use crossterm::style::{Attribute, Color, ContentStyle, StyledContent, Stylize};
use unicode_width::UnicodeWidthStr;

use crate::show::cut;

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Plain,
    Bold,
    Dim,
    /// Headings.
    Reversed,
    Good,
    Warning,
    Bad,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    parts: Vec<(Look, String)>,
}

impl Line {
    pub(super) fn new(look: Look, text: impl Into<String>) -> Self {
        Self { parts: vec![(look, text.into())] }
    }

    /// The line with more at its end.
    pub(super) fn and(mut self, look: Look, text: impl Into<String>) -> Self {
        self.parts.push((look, text.into()));
        self
    }

    /// The line as far as `columns` go.
    pub(super) fn fitted(self, columns: usize) -> Self {
        let mut room = columns;
        let mut parts = Vec::with_capacity(self.parts.len());
        for (look, text) in self.parts {
            let text = cut(&text, room);
            room -= text.width();
            parts.push((look, text));
        }
        Self { parts }
    }

    /// Columns that it takes.
    pub(super) fn width(&self) -> usize {
        self.parts.iter().map(|(_, text)| text.width()).sum()
    }

    /// The line without its looks.
    pub(super) fn text(&self) -> String {
        let text: String = self.parts.iter().map(|(_, text)| text.as_str()).collect();
        text.trim_end().to_owned()
    }

    /// The line as it is sent to a terminal.
    pub(super) fn styled(&self) -> impl Iterator<Item = StyledContent<&str>> {
        self.parts.iter().map(|(look, text)| look.style().apply(text.as_str()))
    }
}

impl Look {
    fn style(self) -> ContentStyle {
        let plain = ContentStyle::new();
        match self {
            Self::Plain => plain,
            Self::Bold => plain.attribute(Attribute::Bold),
            Self::Dim => plain.attribute(Attribute::Dim),
            Self::Reversed => plain.attribute(Attribute::Reverse),
            Self::Good => plain.with(Color::Green),
            Self::Warning => plain.with(Color::Yellow),
            Self::Bad => plain.with(Color::Red),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_the_terminal_ends() {
        let line = || Line::new(Look::Plain, "GPU [").and(Look::Good, "|||").and(Look::Plain, "  ]  ");
        assert_eq!(line().text(), "GPU [|||  ]");
        for columns in 0..20 {
            assert!(line().fitted(columns).width() <= columns);
        }
        assert_eq!(line().fitted(7).text(), "GPU [|…");
    }

    #[test]
    fn looks_are_around_their_text_alone() {
        let sent: String = Line::new(Look::Bad, "x").styled().map(|part| part.to_string()).collect();
        assert!(sent.starts_with('\u{1b}') && sent.ends_with('m') && sent.contains('x'), "{sent:?}");
    }
}
