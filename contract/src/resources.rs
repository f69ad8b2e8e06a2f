//! Names of Kubernetes resources, under a domain that a cluster may choose.

use std::fmt;
use std::str::FromStr;

use crate::text::Foreign;

/// The domain of a cluster that has chosen none.
pub const DEFAULT_DOMAIN: &str = "nvidia.com";

/// The domain before the `/` of resource and annotation names. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain(String);

impl Domain {
    /// The name `part` under this domain.
    #[must_use]
    pub fn name(&self, part: &str) -> String {
        format!("{}/{part}", self.0)
    }
}

/// What the resources of a slice are called in a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceNames {
    /// How many GPUs a container takes a slice from.
    pub number: String,
    /// Memory of each slice, in MiB times the node's factor.
    pub memory: String,
    /// Memory of each slice, in percent of its GPU's.
    pub memory_percentage: String,
    /// Compute share of each slice, in percent of its GPU.
    pub cores: String,
}

/// Whose names they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameStyle {
    /// Those of vgpu-manager: `vgpu-number`, `vgpu-memory`, `vgpu-cores`; and Volcano's `vgpu-memory-percentage`.
    #[default]
    Vgpu,
    /// Those of HAMi: `gpu`, `gpumem`, `gpumem-percentage`, `gpucores`.
    Hami,
}

impl FromStr for NameStyle {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "vgpu" => Ok(Self::Vgpu),
            "hami" => Ok(Self::Hami),
            _ => Err(format!("{} is no style of names; known: vgpu, hami", Foreign(text))),
        }
    }
}

impl Domain {
    /// The names of this style under this domain.
    #[must_use]
    pub fn resources(&self, style: NameStyle) -> ResourceNames {
        let [number, memory, memory_percentage, cores] = match style {
            NameStyle::Vgpu => ["vgpu-number", "vgpu-memory", "vgpu-memory-percentage", "vgpu-cores"],
            NameStyle::Hami => ["gpu", "gpumem", "gpumem-percentage", "gpucores"],
        }
        .map(|part| self.name(part));
        ResourceNames { number, memory, memory_percentage, cores }
    }
}

impl Default for Domain {
    fn default() -> Self {
        Self(DEFAULT_DOMAIN.to_owned())
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is no domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainError(String);

impl fmt::Display for DomainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let domain = Foreign(&self.0);
        write!(
            f,
            "{domain} is no domain of resource names: lower-case letters, digits and hyphens in parts with dots between \
             them, as in {DEFAULT_DOMAIN}, and not kubernetes.io"
        )
    }
}

impl std::error::Error for DomainError {}

impl FromStr for Domain {
    type Err = DomainError;

    /// Reads a DNS name of at most 253 characters. Names under `kubernetes.io` belong to Kubernetes, which refuses extended
    /// resources there.
    fn from_str(text: &str) -> Result<Self, DomainError> {
        let is_kubernetes = text == "kubernetes.io" || text.ends_with(".kubernetes.io");
        if text.len() > 253 || is_kubernetes || !text.split('.').all(is_dns_label) {
            return Err(DomainError(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }
}

/// Whether the text is one part of a DNS name, as Kubernetes wants it: also the rule for names of containers.
pub(crate) fn is_dns_label(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    bytes.len() <= 63
        && ends.iter().all(|end| end.is_some_and(|&byte| is_letter(byte)))
        && bytes.iter().all(|&byte| is_letter(byte) || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_under_the_domain() {
        assert_eq!(Domain::default().name("vgpu-config"), "nvidia.com/vgpu-config");
        let own: Domain = "gpu.example.org".parse().unwrap();
        assert_eq!(own.resources(NameStyle::Vgpu).memory, "gpu.example.org/vgpu-memory");
    }

    #[test]
    fn both_styles_of_names_are_known() {
        let names = Domain::default().resources(NameStyle::Hami);
        assert_eq!((names.number.as_str(), names.cores.as_str()), ("nvidia.com/gpu", "nvidia.com/gpucores"));
        let names = Domain::default().resources(NameStyle::Vgpu);
        assert_eq!(
            (names.number.as_str(), names.cores.as_str()),
            ("nvidia.com/vgpu-number", "nvidia.com/vgpu-cores")
        );
    }

    #[test]
    fn what_kubernetes_would_refuse_is_refused_here_and_named() {
        let long = "a".repeat(64);
        for text in
            ["", ".", "a..b", "-a", "a-", "A", "a/b", "a b", "kubernetes.io", "x.kubernetes.io", &long]
        {
            let error = text.parse::<Domain>().unwrap_err().to_string();
            assert!(error.contains("is no domain"), "{error}");
            assert!(text.is_empty() || error.starts_with(text), "{error}");
        }
    }
}
