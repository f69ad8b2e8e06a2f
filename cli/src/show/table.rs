//! Columns of text.

use unicode_width::UnicodeWidthStr;

use super::cut;

/// On which side of its column a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows under headings. The last column takes what is left of the line.
#[derive(Debug)]
pub(crate) struct Table<const COLUMNS: usize> {
    headings: [(&'static str, Align); COLUMNS],
    rows: Vec<[String; COLUMNS]>,
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    pub(crate) fn new(headings: [(&'static str, Align); COLUMNS]) -> Self {
        Self { headings, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: [String; COLUMNS]) {
        self.rows.push(cells);
    }

    /// The lines, headings first, each at most `columns` wide.
    pub(crate) fn lines(&self, columns: usize) -> Vec<String> {
        let headings = self.headings.map(|(heading, _)| heading.to_owned());
        let rows = || std::iter::once(&headings).chain(&self.rows);
        let widths: [usize; COLUMNS] =
            std::array::from_fn(|column| rows().map(|row| row[column].width()).max().unwrap_or(0));
        rows().map(|row| cut(&self.line(row, &widths), columns)).collect()
    }

    fn line(&self, row: &[String; COLUMNS], widths: &[usize; COLUMNS]) -> String {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.width());
            match self.headings[column].1 {
                Align::Left => line.extend([cell.as_str(), &padding, "  "]),
                Align::Right => line.extend([padding.as_str(), cell, "  "]),
            }
        }
        line.truncate(line.trim_end().len());
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_lines_fit() {
        let mut table = Table::new([("NAME", Align::Left), ("N", Align::Right), ("COMMAND", Align::Left)]);
        table.row(["模型".to_owned(), "1".to_owned(), "short".to_owned()]);
        table.row(["a".to_owned(), "100".to_owned(), "a much longer command".to_owned()]);
        assert_eq!(table.lines(20), ["NAME    N  COMMAND", "模型    1  short", "a     100  a much l…",]);
        assert_eq!(table.lines(usize::MAX)[2], "a     100  a much longer command");
    }
}
