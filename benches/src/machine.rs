//! What the figures were taken on.

/// Cores and processor in a few words.
#[must_use]
pub fn describe() -> String {
    let cores = processors();
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model(&text).unwrap_or("a processor that /proc/cpuinfo does not name");
    format!("{cores} cores, {model}")
}

/// How many threads wanted to run at a time in the last minute, on the average, by the system's account; `None` where it keeps
/// none.
#[must_use]
pub fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// Processors that this process may use.
#[must_use]
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn model(cpuinfo: &str) -> Option<&str> {
    cpuinfo
        .lines()
        .filter(|line| line.starts_with("model name"))
        .find_map(|line| Some(line.split_once(": ")?.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_what_follows_the_colon() {
        assert_eq!(
            model("processor\t: 0\nmodel name\t: Chip: 9000\nmodel name\t: Other\n"),
            Some("Chip: 9000")
        );
        assert_eq!(model("Hardware : board\n"), None);
    }
}
