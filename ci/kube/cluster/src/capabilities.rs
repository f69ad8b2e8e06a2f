//! What a process must be allowed to do to run a cluster.

use anyhow::{Context, Result, bail};

/// The kernel's numbers of capabilities, from its `linux/capability.h`, and what each is needed for.
const NEEDED: [(&str, u32, &str); 7] = [
    ("CAP_CHOWN", 0, "files of containers"),
    ("CAP_DAC_OVERRIDE", 1, "files of containers"),
    ("CAP_KILL", 5, "ending the cluster"),
    ("CAP_NET_ADMIN", 12, "the cluster's network"),
    ("CAP_SYS_CHROOT", 18, "containers"),
    ("CAP_SYS_ADMIN", 21, "namespaces and mounts"),
    ("CAP_MKNOD", 27, "devices of containers"),
];

/// Fails when something is missing, and names it.
pub(crate) fn check() -> Result<()> {
    let status = std::fs::read_to_string("/proc/self/status").context("cannot read /proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:")).context("no CapEff in /proc")?;
    let effective = u64::from_str_radix(line.trim(), 16).with_context(|| format!("CapEff:{line}"))?;
    let missing = missing(effective);
    if !missing.is_empty() {
        bail!(
            "a cluster needs {}; run it as root, in a container with these capabilities",
            missing.join(", ")
        );
    }
    Ok(())
}

fn missing(effective: u64) -> Vec<String> {
    let absent = NEEDED.iter().filter(|(_, number, _)| effective & (1 << number) == 0);
    absent.map(|(name, _, reason)| format!("{name} (for {reason})")).collect()
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn what_is_missing_is_named() {
        const ADMIN: u64 = 1 << 21;
        assert_eq!(missing(!ADMIN), ["CAP_SYS_ADMIN (for namespaces and mounts)"]);
        assert!(missing(u64::MAX).is_empty());
    }
}
