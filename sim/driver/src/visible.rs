//! Which devices a process sees: `CUDA_VISIBLE_DEVICES`.

/// The machine's devices that `value` selects, in its order.
///
/// `uuids` are those of the machine, written `GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`. Without a value every device
/// is visible. An entry is an index or the beginning of a UUID that fits one device only; the list ends at the first
/// entry that is neither, and a device named twice makes the whole list void (CUDA documentation, "CUDA environment
/// variables").
pub(crate) fn select(value: Option<&str>, uuids: &[String]) -> Vec<usize> {
    let Some(value) = value else {
        return (0..uuids.len()).collect();
    };
    let mut selected = Vec::new();
    for entry in value.split(',') {
        let Some(index) = device_of(entry.trim(), uuids) else {
            break;
        };
        if selected.contains(&index) {
            return Vec::new();
        }
        selected.push(index);
    }
    selected
}

fn device_of(entry: &str, uuids: &[String]) -> Option<usize> {
    if entry.starts_with("GPU-") {
        let mut fitting = uuids.iter().enumerate().filter(|(_, uuid)| begins_with(uuid, entry));
        let (index, _) = fitting.next()?;
        return fitting.next().is_none().then_some(index);
    }
    let index = entry.parse().ok()?;
    (index < uuids.len()).then_some(index)
}

fn begins_with(uuid: &str, prefix: &str) -> bool {
    uuid.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Vec<String> {
        ["GPU-11111111-0000-0000-0000-000000000000", "GPU-1122aaaa-0000-0000-0000-000000000000", "GPU-3"]
            .map(String::from)
            .to_vec()
    }

    #[test]
    fn without_the_variable_every_device_is_visible() {
        assert_eq!(select(None, &machine()), [0, 1, 2]);
    }

    #[test]
    fn an_empty_value_or_minus_one_hides_every_device() {
        assert!(select(Some(""), &machine()).is_empty());
        assert!(select(Some("-1"), &machine()).is_empty());
        assert!(select(Some("NoDevFiles"), &machine()).is_empty());
    }

    #[test]
    fn indices_select_and_reorder() {
        assert_eq!(select(Some("2,0"), &machine()), [2, 0]);
        assert_eq!(select(Some(" 1 , 2 "), &machine()), [1, 2]);
    }

    #[test]
    fn the_list_ends_at_the_first_invalid_entry() {
        assert_eq!(select(Some("1,7,0"), &machine()), [1]);
        assert_eq!(select(Some("1,-1,0"), &machine()), [1]);
        assert_eq!(select(Some("0,1x,2"), &machine()), [0]);
        assert!(select(Some(",0"), &machine()).is_empty());
    }

    #[test]
    fn a_uuid_may_be_shortened_while_it_fits_one_device() {
        assert_eq!(select(Some("GPU-1122,GPU-3"), &machine()), [1, 2]);
        assert_eq!(select(Some("GPU-1122AAAA"), &machine()), [1]);
        assert!(select(Some("GPU-11"), &machine()).is_empty());
        assert!(select(Some("GPU-9"), &machine()).is_empty());
    }

    #[test]
    fn a_device_named_twice_voids_the_list() {
        assert!(select(Some("0,1,0"), &machine()).is_empty());
        assert!(select(Some("1,GPU-1122"), &machine()).is_empty());
    }
}
