//! Our own form: JSON, `{"version":1,"podUid":…,"node":…,"containers":{"main":[{"uuid":…,"memoryMiB":…,"cores":…}]}}`.
//!
//! Strict both ways: what this version does not know is an error and no guess, since a field that is skipped could be a limit.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::{Claim, ClaimError, ClaimedDevice, ContainerName, Mib};
use crate::Percent;
use crate::json::Json;
use crate::text::Foreign;

const VERSION: u64 = 1;

impl Claim {
    /// The value of the annotation.
    #[must_use]
    pub fn encode(&self) -> String {
        let containers = self.containers.iter().map(|(name, devices)| {
            (name.to_string(), Json::List(devices.iter().map(encode_device).collect()))
        });
        let fields = [
            ("version", Json::number(VERSION)),
            ("podUid", Json::text(&self.pod)),
            ("node", Json::text(&self.node)),
            ("containers", Json::Object(containers.collect())),
        ];
        Json::object(fields).to_string()
    }

    /// Reads the value of the annotation.
    ///
    /// # Errors
    /// [`ClaimError`]: the first thing that is wrong.
    pub fn decode(text: &str) -> Result<Self, ClaimError> {
        let json = text.parse::<Json>().map_err(ClaimError::new)?;
        let mut fields = Fields::of(json, "the claim")?;
        let version = fields.number("version")?;
        if version != VERSION {
            let fault = format_args!("its version is {version}, this program reads version {VERSION}");
            return Err(ClaimError::new(fault));
        }
        let pod = fields.parsed("podUid")?;
        let node = fields.text("node")?;
        let mut containers = BTreeMap::new();
        for (name, devices) in Fields::of(fields.take("containers")?, "containers")?.fields {
            let place = Foreign(&name).to_string();
            containers
                .insert(parsed::<ContainerName>(&name, "containers")?, decode_devices(devices, &place)?);
        }
        fields.end()?;
        Self::new(pod, node, containers)
    }
}

fn encode_device(device: &ClaimedDevice) -> Json {
    let mut fields = vec![
        ("uuid".to_owned(), Json::text(device.uuid)),
        ("memoryMiB".to_owned(), Json::number(device.memory.0.get().into())),
    ];
    fields.extend(device.cores.map(|share| ("cores".to_owned(), Json::number(share.get().into()))));
    Json::Object(fields)
}

fn decode_devices(json: Json, container: &str) -> Result<Vec<ClaimedDevice>, ClaimError> {
    let Json::List(items) = json else { return Err(wrong_kind(container, "a list", &json)) };
    let place = |at: usize| format!("{container}[{at}]");
    items.into_iter().enumerate().map(|(at, item)| decode_device(item, &place(at))).collect()
}

fn decode_device(json: Json, place: &str) -> Result<ClaimedDevice, ClaimError> {
    let mut fields = Fields::of(json, place)?;
    let uuid = fields.parsed("uuid")?;
    let memory = fields.number("memoryMiB")?;
    let memory = u32::try_from(memory).ok().and_then(Mib::new).ok_or_else(|| {
        ClaimError::new(format_args!("{place}: memoryMiB is {memory}, not 1 to {} MiB", u32::MAX))
    })?;
    let cores = match fields.optional_number("cores")? {
        None => None,
        Some(share) => Some(u8::try_from(share).ok().and_then(Percent::new).ok_or_else(|| {
            ClaimError::new(format_args!(
                "{place}: cores is {share}, not 1 to 100 percent; without a limit, leave it out"
            ))
        })?),
    };
    fields.end()?;
    Ok(ClaimedDevice { uuid, memory, cores })
}

/// The fields of an object that nobody has asked for yet.
struct Fields {
    place: String,
    fields: Vec<(String, Json)>,
}

impl Fields {
    fn of(json: Json, place: &str) -> Result<Self, ClaimError> {
        match json {
            Json::Object(fields) => Ok(Self { place: place.to_owned(), fields }),
            other => Err(wrong_kind(place, "an object", &other)),
        }
    }

    fn optional(&mut self, name: &str) -> Option<Json> {
        let at = self.fields.iter().position(|(other, _)| other == name)?;
        Some(self.fields.swap_remove(at).1)
    }

    fn take(&mut self, name: &str) -> Result<Json, ClaimError> {
        let found = self.optional(name);
        found.ok_or_else(|| ClaimError::new(format_args!("{} has no {name}", self.place)))
    }

    fn text(&mut self, name: &str) -> Result<String, ClaimError> {
        match self.take(name)? {
            Json::Text(text) => Ok(text),
            other => Err(wrong_kind(&format!("{}: {name}", self.place), "a text", &other)),
        }
    }

    fn parsed<T: FromStr<Err: fmt::Display>>(&mut self, name: &str) -> Result<T, ClaimError> {
        let text = self.text(name)?;
        parsed(&text, &format!("{}: {name}", self.place))
    }

    fn number(&mut self, name: &str) -> Result<u64, ClaimError> {
        let value = self.take(name)?;
        whole_number(&value, &self.place, name)
    }

    fn optional_number(&mut self, name: &str) -> Result<Option<u64>, ClaimError> {
        self.optional(name).map(|value| whole_number(&value, &self.place, name)).transpose()
    }

    fn end(self) -> Result<(), ClaimError> {
        match self.fields.first() {
            None => Ok(()),
            Some((name, _)) => {
                let name = Foreign(name);
                Err(ClaimError::new(format_args!(
                    "{} has {name}, which version {VERSION} does not know",
                    self.place
                )))
            }
        }
    }
}

fn whole_number(value: &Json, place: &str, name: &str) -> Result<u64, ClaimError> {
    let Json::Number(digits) = value else {
        return Err(wrong_kind(&format!("{place}: {name}"), "a number", value));
    };
    digits.parse().map_err(|_| {
        ClaimError::new(format_args!("{place}: {name} is {}, not a whole number", Foreign(digits)))
    })
}

fn parsed<T: FromStr<Err: fmt::Display>>(text: &str, place: &str) -> Result<T, ClaimError> {
    text.parse().map_err(|error| ClaimError::new(format_args!("{place} is {}: {error}", Foreign(text))))
}

fn wrong_kind(place: &str, expected: &str, found: &Json) -> ClaimError {
    ClaimError::new(format_args!("{place} is {}, not {expected}", found.kind()))
}
