//! The text format of Prometheus, version 0.0.4.

use std::fmt::{self, Write};
use std::time::Duration;

use contract::{Bytes, Permille};

/// What becomes of a metric's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They only rise; the name ends in `_total`.
    Counter,
    /// They are what they are now.
    Gauge,
}

impl Kind {
    /// The format's word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
        }
    }
}

/// A value in a base unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number or an amount of bytes.
    Whole(u64),
    /// A time in seconds.
    Seconds(Duration),
    /// A ratio, in thousandths.
    Ratio(u64),
}

impl Value {
    /// 1 or 0.
    #[must_use]
    pub fn of(is_so: bool) -> Self {
        Self::Whole(u64::from(is_so))
    }

    /// So many percent.
    #[must_use]
    pub const fn percent(count: u64) -> Self {
        Self::Ratio(count.saturating_mul(10))
    }
}

impl From<Bytes> for Value {
    fn from(bytes: Bytes) -> Self {
        Self::Whole(bytes.0)
    }
}

impl From<Permille> for Value {
    fn from(share: Permille) -> Self {
        Self::Ratio(share.get().into())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Seconds(time) => write!(f, "{}.{:09}", time.as_secs(), time.subsec_nanos()),
            Self::Ratio(thousandths) => write!(f, "{}.{:03}", thousandths / 1000, thousandths % 1000),
        }
    }
}

/// One metric of things of the type `T`.
pub struct Metric<T> {
    /// Its name, which says its unit.
    pub name: &'static str,
    /// What becomes of its values.
    pub kind: Kind,
    /// What it means, in one line.
    pub help: &'static str,
    /// Its value for one thing; `None` where there is none.
    pub value: fn(&T) -> Option<Value>,
}

/// Things that have metrics.
pub trait Measured: Sized + 'static {
    /// The names of what tells one from the others.
    const LABELS: &'static [&'static str];
    /// All metrics of such things.
    const METRICS: &'static [Metric<Self>];

    /// What tells it from the others, in the order of [`Self::LABELS`]: any text.
    fn labels(&self) -> Vec<String>;
}

/// Adds all metrics of `things` to `text`.
pub fn write<T: Measured>(text: &mut String, things: &[T]) {
    let labelled: Vec<(String, &T)> = things.iter().map(|thing| (labels(thing), thing)).collect();
    for metric in T::METRICS {
        // Writing to a string does not fail.
        let _ =
            writeln!(text, "# HELP {0} {1}\n# TYPE {0} {2}", metric.name, metric.help, metric.kind.name());
        for (labels, thing) in &labelled {
            if let Some(value) = (metric.value)(thing) {
                let _ = writeln!(text, "{}{labels} {value}", metric.name);
            }
        }
    }
}

fn labels<T: Measured>(thing: &T) -> String {
    let pairs = T::LABELS.iter().zip(thing.labels());
    let pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}=\"{}\"", escaped(&value))).collect();
    if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing(&'static str, Option<Value>);

    impl Measured for Thing {
        const LABELS: &'static [&'static str] = &["name", "kind"];
        const METRICS: &'static [Metric<Self>] = &[
            Metric {
                name: "things_total",
                kind: Kind::Counter,
                help: "All.",
                value: |_| Some(Value::Whole(1)),
            },
            Metric { name: "thing_ratio", kind: Kind::Gauge, help: "Some.", value: |thing| thing.1 },
        ];

        fn labels(&self) -> Vec<String> {
            vec![self.0.to_owned(), "k".to_owned()]
        }
    }

    #[test]
    fn a_metrics_lines_stand_together_and_any_text_can_be_a_label() {
        let mut text = String::new();
        write(&mut text, &[Thing("a\\b\"c\nd", None), Thing("é}", Some(Value::Ratio(1250)))]);
        let expected = "# HELP things_total All.\n# TYPE things_total counter\n\
            things_total{name=\"a\\\\b\\\"c\\nd\",kind=\"k\"} 1\n\
            things_total{name=\"é}\",kind=\"k\"} 1\n\
            # HELP thing_ratio Some.\n# TYPE thing_ratio gauge\n\
            thing_ratio{name=\"é}\",kind=\"k\"} 1.250\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn values_are_in_base_units() {
        let time = Duration::from_micros(1_500_000);
        let all = [
            Value::Whole(u64::MAX),
            Value::Seconds(time),
            Value::percent(7),
            Value::of(true),
            Bytes(3).into(),
        ];
        let written = all.map(|value| value.to_string());
        assert_eq!(written, ["18446744073709551615", "1.500000000", "0.070", "1", "3"]);
    }
}
