use super::*;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Some day of 2026.
const START: Duration = Duration::from_secs(1_790_000_000);

fn names() -> Vec<String> {
    vec!["webhook.vgpu-system.svc".to_owned()]
}

fn made() -> Keyring {
    Keyring::make(&names(), START).unwrap()
}

fn renewed(keyring: &Keyring, at: Duration) -> Option<Keyring> {
    keyring.renewed(&names(), at).unwrap()
}

/// Which of the authorities, by their place, has signed the serving certificate.
fn signer(keyring: &Keyring) -> usize {
    let serving = Facts::of_pem(CERTIFICATE, keyring.serving.certificate.as_bytes()).unwrap();
    let subject = |pem: &String| Facts::of_pem(BUNDLE, pem.as_bytes()).unwrap().subject;
    keyring.authorities.iter().position(|pem| subject(pem) == serving.issuer).unwrap()
}

#[test]
fn what_is_kept_is_what_is_read() {
    let keyring = made();
    let fields = keyring.fields();
    let read = Keyring::of_fields(|name| fields[name].clone());
    assert_eq!(read, keyring);
    assert_eq!(renewed(&read, START), None);
}

#[test]
fn a_certificate_is_renewed_at_two_thirds_of_its_life_by_the_same_authority() {
    let keyring = made();
    assert_eq!(renewed(&keyring, START + 59 * DAY), None);
    let next = renewed(&keyring, START + 61 * DAY).unwrap();
    assert_eq!(next.bundle(), keyring.bundle());
    assert_ne!(next.serving, keyring.serving);
    assert_eq!(renewed(&next, START + 61 * DAY), None);
}

#[test]
fn a_new_authority_is_known_before_it_signs() {
    let due = START + 3300 * DAY;
    let first = made();
    let old = renewed(&first, due).unwrap();
    assert_eq!((old.authorities.len(), signer(&old)), (2, 1), "signed by the old one, with the new one told");
    assert_eq!(old.authorities[1..], first.authorities[..]);
    assert_eq!(renewed(&old, due + 59 * DAY), None);
    let new = renewed(&old, due + 61 * DAY).unwrap();
    assert_eq!((new.authorities.len(), signer(&new)), (2, 0));
    let after = renewed(&new, START + 3700 * DAY).unwrap();
    assert_eq!(after.authorities, new.authorities[..1], "the old one has gone when it is no longer valid");
}

#[test]
fn after_years_without_anybody_there_is_a_new_authority_at_once() {
    for days in [3600, 4000] {
        let keyring = renewed(&made(), START + days * DAY).unwrap();
        assert_eq!(signer(&keyring), 0);
        assert_eq!(keyring.authorities.len(), if days == 3600 { 2 } else { 1 });
    }
}

#[test]
fn what_cannot_serve_is_replaced() {
    let good = made();
    let other = Keyring::make(&names(), START + DAY).unwrap();
    type Spoil = fn(&mut Keyring, &Keyring);
    let spoils: [Spoil; 7] = [
        |keyring, _| keyring.authorities.clear(),
        |keyring, _| {
            keyring.authorities[0] = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----".to_owned()
        },
        |keyring, other| keyring.authority_key.clone_from(&other.authority_key),
        |keyring, other| keyring.serving.key.clone_from(&other.serving.key),
        |keyring, other| keyring.serving.clone_from(&other.serving),
        |keyring, _| keyring.serving.key.clear(),
        |keyring, _| keyring.serving.certificate.clear(),
    ];
    for (place, spoil) in spoils.iter().enumerate() {
        let mut spoilt = good.clone();
        spoil(&mut spoilt, &other);
        let next = renewed(&spoilt, START + DAY).unwrap_or_else(|| panic!("{place} is taken for good"));
        assert_eq!(renewed(&next, START + DAY), None);
    }
}

#[test]
fn another_name_of_the_service_or_a_clock_that_was_wrong_make_it_anew() {
    let keyring = made();
    let other = ["other.vgpu-system.svc".to_owned()];
    let next = keyring.renewed(&other, START).unwrap().unwrap();
    assert_eq!(next.bundle(), keyring.bundle());
    assert_eq!(renewed(&keyring, START - Duration::from_secs(300)), None, "clocks differ by minutes");
    assert!(renewed(&keyring, START - DAY).is_some());
}
