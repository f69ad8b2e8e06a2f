//! A certificate that somebody else renews, in a directory as kubelet mounts a Secret.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use scheduler_ext::admission::certificates::files::follow;
use scheduler_ext::admission::certificates::served::Served;
use tokio::time::sleep;

/// A new version of the Secret with a certificate until this year, and its key or none that fits.
fn write(directory: &Path, version: &str, year: i32, fits: bool) {
    let key = KeyPair::generate().unwrap();
    let mut of = CertificateParams::new(["webhook.vgpu-system.svc".to_owned()]).unwrap();
    of.not_after = date_time_ymd(year, 1, 1);
    let inside = directory.join(version);
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("tls.crt"), of.self_signed(&key).unwrap().pem()).unwrap();
    let key = if fits { key } else { KeyPair::generate().unwrap() };
    fs::write(inside.join("tls.key"), key.serialize_pem()).unwrap();
    symlink(version, directory.join("next")).unwrap();
    fs::rename(directory.join("next"), directory.join("..data")).unwrap();
}

fn year(served: &Served) -> Option<u64> {
    const YEAR: u64 = 31_556_952;
    served.until().map(|until| 1970 + (until.as_secs() + YEAR / 2) / YEAR)
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_swapped_is_served_within_half_a_minute_and_one_that_does_not_fit_never() {
    let directory = tempfile::tempdir().unwrap();
    let (path, served) = (directory.path(), Arc::<Served>::default());
    for file in ["tls.crt", "tls.key"] {
        symlink(format!("..data/{file}"), path.join(file)).unwrap();
    }
    let following = tokio::spawn(follow(path.to_owned(), Arc::clone(&served)));
    let soon = Duration::from_secs(5);
    sleep(soon).await;
    assert_eq!(year(&served), None, "there is none yet");
    write(path, "..1", 2100, true);
    sleep(soon).await;
    assert_eq!(year(&served), Some(2100));
    write(path, "..2", 2110, false);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(year(&served), Some(2100), "the last one that can be used");
    write(path, "..3", 2120, true);
    sleep(soon).await;
    assert_eq!(year(&served), Some(2120));
    write(path, "..4", 2130, true);
    sleep(Duration::from_secs(31)).await;
    assert_eq!(year(&served), Some(2130));
    following.abort();
}
