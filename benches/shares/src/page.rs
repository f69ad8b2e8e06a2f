//! The table in the book.

use anyhow::{Context, Result, bail};

/// Between these lines of the page is the table.
const BEGIN: &str = "<!-- begin: cargo xtask shares --write -->\n";
const END: &str = "<!-- end -->\n";

/// The page with another table.
///
/// # Errors
/// The page has no place for a table.
pub(crate) fn with(page: &str, table: &str) -> Result<String> {
    let (before, _, after) = parts(page)?;
    Ok(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

/// Fails if a line of `table` is not in the page's.
///
/// # Errors
/// The first such line.
pub(crate) fn check(page: &str, table: &str) -> Result<()> {
    let (_, current, _) = parts(page)?;
    match table.lines().find(|line| !current.lines().any(|known| known == *line)) {
        None => Ok(()),
        Some(line) => {
            bail!("the page is not what was found: it lacks\n  {line}\nrun `cargo xtask shares --write`")
        }
    }
}

fn parts(page: &str) -> Result<(&str, &str, &str)> {
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| {
        let (table, after) = rest.split_once(END)?;
        Some((before, table, after))
    });
    parts.with_context(|| format!("the page has no lines {BEGIN:?} and {END:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_the_place_of_the_one_before() {
        let page = format!("a\n{BEGIN}old\n{END}b\n");
        let written = with(&page, "new\nnewer\n").unwrap();
        assert_eq!(written, format!("a\n{BEGIN}\nnew\nnewer\n{END}b\n"));
        assert!(check(&written, "newer\n").is_ok());
        assert!(check(&written, "old\n").unwrap_err().to_string().contains("lacks\n  old"));
        assert!(with("a page", "new").is_err());
    }
}
