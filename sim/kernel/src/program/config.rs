//! The description of the machine.

use std::path::Path;

use sim_model::MachineConfig;

/// The machine that a file describes, or so many default devices.
///
/// # Errors
/// One line that names the file and what is wrong in it.
pub(super) fn load(file: Option<&Path>, devices: usize) -> Result<MachineConfig, String> {
    let Some(path) = file else { return Ok(MachineConfig::with_devices(devices)) };
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| {
        named(&format_args!(
            "{error}; VGPU_SIM_CONFIG names a TOML file that describes the simulated machine: write one, or unset it"
        ))
    })?;
    let config: MachineConfig = toml::from_str(&text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let number = text[..start].matches('\n').count();
        let line = text.lines().nth(number).unwrap_or_default().trim();
        named(&format_args!("line {}, {line:.60?}: {}", number + 1, error.message()))
    })?;
    config.describe().map_err(|error| named(&error))?;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_text(name: &str, text: &str) -> Result<MachineConfig, String> {
        let path = std::env::temp_dir().join(format!("vgpu-sim-config-{}-{name}.toml", std::process::id()));
        std::fs::write(&path, text).expect("a temporary file");
        let loaded = load(Some(&path), 1);
        std::fs::remove_file(&path).expect("it was just written");
        loaded.map_err(|error| error.replace(&path.display().to_string(), "FILE"))
    }

    #[test]
    fn what_a_file_leaves_out_is_as_in_the_default_card() {
        let text = "driver_version = '535.1'\n[[devices]]\ntotal = 1073741824\nreserved = 0\n[[devices]]\n";
        let config = load_text("partial", text).expect("a sensible file");
        assert_eq!(config.driver_version.as_deref(), Some("535.1"));
        assert_eq!(config.devices[0].total.0, 1 << 30);
        assert_eq!(config.devices[0].multiprocessors, 132);
        assert_eq!(config.devices[1], Default::default());
    }

    #[test]
    fn mistakes_are_named_with_file_and_line() {
        let error =
            load_text("key", "[[devices]]\nname = 'x'\ncolour = 'red'\n").expect_err("an unknown key");
        assert!(
            error.starts_with("FILE: line 3, \"colour = 'red'\": unknown field `colour`, expected one of "),
            "{error}"
        );
        let error = load_text("value", "[[devices]]\nqueue_depth = 0\n").expect_err("an impossible value");
        assert_eq!(error, "FILE: device 0: queue_depth = 0: give at least 1");
        let error = load_text("type", "driver_version = 535\n").expect_err("a number for a text");
        assert_eq!(
            error,
            "FILE: line 1, \"driver_version = 535\": invalid type: integer `535`, expected a string"
        );
        let error = load(Some(Path::new("/nowhere.toml")), 1).expect_err("no file");
        assert!(error.starts_with("/nowhere.toml: No such file or directory"), "{error}");
        assert!(error.contains("; VGPU_SIM_CONFIG names a TOML file"), "{error}");
    }
}
