//! Names of objects in Kubernetes.

/// Whether the text is a name as Kubernetes has them (a DNS subdomain, RFC 1123): lower-case letters, digits, hyphens and dots, a
/// letter or digit at both ends, 253 at most. So it is one part of a path, too.
#[must_use]
pub fn is_object_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let ends = [text.bytes().next(), text.bytes().last()];
    text.len() <= 253
        && ends.iter().all(|end| end.is_some_and(is_letter))
        && text.bytes().all(|byte| is_letter(byte) || b"-.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_part_of_a_path() {
        for name in ["a", "node-1.example.org", "0", &"a".repeat(253)] {
            assert!(is_object_name(name), "{name}");
        }
        for wrong in ["", ".", "..", "-a", "a-", "A", "a/b", "a b", "a?x=y", "a%2Fb", "ü", &"a".repeat(254)]
        {
            assert!(!is_object_name(wrong), "{wrong}");
        }
    }
}
