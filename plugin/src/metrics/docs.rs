//! The table of metrics in the book is what is exported.

use std::fmt::Write;

use super::card::{Card, Model};
use super::node::{Agent, Build, Call, Failure, Fulfilled};
use super::slice::{Container, Slice};
use super::text::{Kind, Measured};

/// The page.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/metrics.md");

#[derive(Default)]
struct Table {
    text: String,
    names: Vec<&'static str>,
}

impl Table {
    fn all() -> Self {
        let mut table = Self::default();
        table.add::<Container>("Of containers");
        table.add::<Slice>("Of containers, for each GPU");
        table.add::<Card>("Of GPUs");
        table.add::<Model>("");
        table.add::<Agent>("Of the agent");
        table.add::<Build>("");
        table.add::<Call>("");
        table.add::<Failure>("");
        table.add::<Fulfilled>("");
        table
    }

    fn add<T: Measured>(&mut self, title: &str) {
        if !title.is_empty() {
            let _ = writeln!(
                self.text,
                "\n### {title}\n\n| metric | type | labels | |\n| --- | --- | --- | --- |"
            );
        }
        let labels: Vec<String> = T::LABELS.iter().map(|label| format!("`{label}`")).collect();
        for metric in T::METRICS {
            let (name, kind, labels, help) = (metric.name, metric.kind.name(), labels.join(" "), metric.help);
            let _ = writeln!(self.text, "| `{name}` | {kind} | {labels} | {help} |");
            self.names.push(name);
            assert_eq!(metric.kind == Kind::Counter, name.ends_with("_total"), "{name}");
        }
    }
}

#[test]
fn the_book_has_every_metric_and_no_other() {
    let table = Table::all().text;
    let page = std::fs::read_to_string(PAGE).unwrap();
    assert!(page.contains(&table), "docs/metrics.md has to have:\n{table}");
    let rows = |text: &str| text.lines().filter(|line| line.starts_with("| `vgpu_")).count();
    assert_eq!(rows(&page), rows(&table), "docs/metrics.md has metrics that are not exported");
}

#[test]
fn names_are_made_of_what_prometheus_takes_and_no_two_are_the_same() {
    let mut names = Table::all().names;
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    assert!(names.iter().all(|name| is_name(name)), "{names:?}");
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}
