//! The configuration file, read again and again.
//!
//! A mounted ConfigMap is changed by exchanging a link to a directory, which a watch of the file does not see. So its content is
//! compared every few seconds.

use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{info, warn};

use super::node::{Configuration, NodeSettings};

/// Between two looks at the file.
pub const PAUSE: Duration = Duration::from_secs(5);

/// Reads the configuration in `file`; without a file, all is as built in.
///
/// # Errors
/// What is wrong, with the file's name.
pub fn read(file: Option<&Path>) -> Result<Configuration, String> {
    let Some(file) = file else { return Ok(Configuration::default()) };
    let said = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = fs::read_to_string(file).map_err(|error| said(&error))?;
    Configuration::parse(&text).map_err(|error| said(&error))
}

/// Publishes the settings for the section that the node's `label` names now, whenever file or label change. What cannot be used is
/// said once, and what was before stays.
pub async fn follow(
    file: Option<&Path>,
    label: impl Fn() -> Option<String>,
    pause: Duration,
    settings: &watch::Sender<NodeSettings>,
) -> Infallible {
    let mut said = None;
    loop {
        let section = label();
        match read(file).and_then(|read| read.of(section.as_deref()).cloned().map_err(|e| e.to_string())) {
            Ok(now) => {
                said = None;
                let is_new = settings.send_if_modified(|settings| {
                    let is_new = *settings != now;
                    *settings = now;
                    is_new
                });
                if is_new {
                    info!(section = section.as_deref().unwrap_or("default"), "new settings");
                }
            }
            Err(error) if said.as_ref() != Some(&error) => {
                warn!(error, "the configuration is not used, the one before stays");
                said = Some(error);
            }
            Err(_) => {}
        }
        sleep(pause).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_change_of_file_or_label_is_in_force_and_a_mistake_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("config.yaml");
        let write = |text: &str| fs::write(&file, text).unwrap();
        write("version: 1\ndefault: {splitCount: 2}\nnodes: {a: {splitCount: 3}}");
        let (settings, mut now) = watch::channel(NodeSettings::default());
        let (label, labels) = watch::channel(None);
        let path = file.clone();
        let following = tokio::spawn(async move {
            follow(Some(&path), || labels.borrow().clone(), Duration::from_millis(5), &settings).await
        });
        let mut splits = async |count| {
            let changed = now.wait_for(|settings| settings.split_count == count);
            tokio::time::timeout(Duration::from_secs(60), changed).await.unwrap().unwrap();
        };
        splits(2).await;
        label.send_replace(Some("a".to_owned()));
        splits(3).await;
        write("version: 1\nnodes: {a: {splitCount: 0}}");
        sleep(Duration::from_millis(50)).await;
        splits(3).await;
        write("version: 1\nnodes: {a: {splitCount: 5}}");
        splits(5).await;
        following.abort();
    }

    #[test]
    fn a_mistake_is_said_with_the_files_name() {
        assert_eq!(read(None), Ok(Configuration::default()));
        let error = read(Some(Path::new("/nowhere/config.yaml"))).unwrap_err();
        assert!(error.starts_with("/nowhere/config.yaml: No such file"), "{error}");
    }
}
