//! A certificate of the webhook's own.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use scheduler_ext::admission::certificates::own::{Keeper, Places};
use scheduler_ext::admission::certificates::served::Served;
use serde_json::json;

use crate::api::{Api, MUTATING, SECRET, VALIDATING};
use crate::client::{ask, post, webhook};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}

fn replica(api: &Api) -> (Keeper, Arc<Served>) {
    let places = Places {
        secret: "vgpu-system/webhook".parse().unwrap(),
        service: "vgpu-system/webhook".parse().unwrap(),
        configuration: "vgpu-scheduler".to_owned(),
    };
    let served = Arc::<Served>::default();
    (Keeper::new(&api.client(), &places, Arc::clone(&served)), served)
}

/// The one bundle that all webhooks trust.
fn bundle(api: &Api) -> String {
    let mut bundles = api.bundles();
    bundles.dedup();
    assert_eq!(bundles.len(), 1, "webhooks trust different authorities");
    bundles.remove(0)
}

#[tokio::test]
async fn two_replicas_that_start_at_once_end_with_one_authority() {
    for api in [Api::new(), Api::with_secret()] {
        api.meet(2);
        let ((one, served), (other, others)) = (replica(&api), replica(&api));
        let (at, address, others_address) = (now(), webhook(&served).await, webhook(&others).await);
        let (first, second) = tokio::join!(one.look(at), other.look(at));
        first.unwrap();
        second.unwrap();
        let secrets = api.written().iter().filter(|(_, path)| path == SECRET).count();
        assert_eq!(secrets, 1, "both have written their keys");
        let trusted = bundle(&api);
        assert_eq!(trusted.matches("BEGIN CERTIFICATE").count(), 1);
        for address in [address, others_address] {
            ask(address, &trusted, at, &post("/pods/mutate", "")).await.unwrap();
        }
        one.look(at).await.unwrap();
        assert_eq!(api.written(), [], "nothing is written when nothing is to be done");
    }
}

#[tokio::test]
async fn what_else_is_in_secret_and_configurations_stays() {
    let api = Api::with_secret();
    let (keeper, _) = replica(&api);
    keeper.look(now()).await.unwrap();
    let secret = api.get(SECRET).unwrap();
    assert_eq!([&secret["type"], &secret["metadata"]["labels"]["app"]], ["Opaque", "vgpu"]);
    let webhook = &api.get(VALIDATING).unwrap()["webhooks"][1];
    assert_eq!([&webhook["failurePolicy"], &webhook["clientConfig"]["service"]["name"]], ["Fail", "webhook"]);
}

/// Twenty years, a month at a time: API servers that know only what they were told a month ago always reach it, and so does whoever
/// connects at the moment of a change.
#[tokio::test]
async fn connections_go_on_through_every_renewal_of_certificates_and_authorities() {
    let api = Api::with_secret();
    let (keeper, served) = replica(&api);
    let (start, address) = (now(), webhook(&served).await);
    keeper.look(start).await.unwrap();
    let (mut known, mut authorities, mut renewals) = (bundle(&api), 1, 0);
    for month in 1..=240 {
        let (before, at) = (start + (month - 1) * 30 * DAY, start + month * 30 * DAY);
        let request = post("/pods/mutate", "");
        let (looked, one, other) = tokio::join!(
            keeper.look(at),
            ask(address, &known, before, &request),
            ask(address, &known, before, &request),
        );
        looked.unwrap();
        one.unwrap();
        other.unwrap();
        let told = bundle(&api);
        for bundle in [&known, &told] {
            ask(address, bundle, at, &request).await.unwrap_or_else(|error| panic!("month {month}: {error}"));
        }
        authorities += usize::from(!known.contains(told.split_inclusive("END CERTIFICATE").next().unwrap()));
        renewals += api.written().iter().filter(|(_, path)| path == SECRET).count();
        known = told;
    }
    assert!(authorities >= 3, "{authorities} authorities in twenty years");
    assert!((100..=125).contains(&renewals), "{renewals} renewals in twenty years");
}

#[tokio::test]
async fn an_authority_that_somebody_has_taken_out_is_put_back() {
    let api = Api::with_secret();
    let (keeper, _) = replica(&api);
    keeper.look(now()).await.unwrap();
    let trusted = bundle(&api);
    api.change(VALIDATING, |object| object["webhooks"][1]["clientConfig"]["caBundle"] = json!(null));
    api.change(MUTATING, |object| object["webhooks"][0]["clientConfig"]["caBundle"] = json!("Zm9yZWlnbg=="));
    keeper.look(now()).await.unwrap();
    assert_eq!(bundle(&api), trusted);
}

#[tokio::test]
async fn a_configuration_that_changes_while_it_is_written_is_written_by_the_next_look() {
    let api = Api::with_secret();
    let (keeper, _) = replica(&api);
    api.overtake(MUTATING);
    keeper.look(now()).await.unwrap();
    assert_eq!(api.bundles()[0], "");
    keeper.look(now()).await.unwrap();
    assert!(!bundle(&api).is_empty());
    api.overtake(SECRET);
    api.change(SECRET, |secret| secret["data"]["tls.key"] = json!(""));
    keeper.look(now()).await.unwrap();
}

#[tokio::test]
async fn without_a_configuration_there_is_a_certificate_all_the_same() {
    let api = Api::default();
    let (keeper, served) = replica(&api);
    keeper.look(now()).await.unwrap();
    assert!(served.is_ready());
}

#[tokio::test]
async fn what_is_spoilt_in_the_secret_is_made_anew() {
    let api = Api::with_secret();
    let (keeper, served) = replica(&api);
    let address = webhook(&served).await;
    for field in ["ca.crt", "ca.key", "tls.crt", "tls.key"] {
        keeper.look(now()).await.unwrap();
        api.change(SECRET, |secret| secret["data"][field] = json!("bm9uZQ=="));
        keeper.look(now()).await.unwrap();
        ask(address, &bundle(&api), now(), &post("/pods/mutate", "")).await.unwrap();
    }
}

#[tokio::test]
async fn while_the_api_server_is_away_the_certificate_is_served_on() {
    let api = Api::with_secret();
    let (keeper, served) = replica(&api);
    api.fail_with(Some(403));
    let error = keeper.look(now()).await.unwrap_err().to_string();
    assert!(
        error.starts_with("the Secret webhook cannot be read: ") && error.contains("it is 403"),
        "{error}"
    );
    assert!(!served.is_ready());
    api.fail_with(None);
    keeper.look(now()).await.unwrap();
    api.fail_with(Some(500));
    keeper.look(now() + 70 * DAY).await.unwrap_err();
    let address = webhook(&served).await;
    ask(address, &bundle(&api), now(), &post("/pods/mutate", "")).await.unwrap();
}
