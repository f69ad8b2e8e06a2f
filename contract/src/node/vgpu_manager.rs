//! vgpu-manager's form: two annotations in JSON, the GPUs and how they are given out.
//!
//! `[{"id":0,"type":"NVIDIA …","uuid":"GPU-…","core":100,"memory":81559,"number":10,"numa":-1,"mig":false,
//! "busId":"00000000:01:00.0","capability":9.0,"healthy":true,"incarnation":1795900000}]`, sorted by `id`, and
//! `{"deviceSplit":10,"coresScaling":1.0,"memoryFactor":1,"memoryScaling":1.0}`. Fields that are not known are skipped, as its own
//! reader does; it does not know `incarnation`.

use std::str::FromStr;

use super::{NodeRegistration, RegisteredGpu, RegistrationError, check_count};
use crate::json::Json;
use crate::text::Foreign;

impl NodeRegistration {
    /// The value of the annotation [`register`](crate::resources::Domain::node_register).
    #[must_use]
    pub fn register_annotation(&self) -> String {
        let mut gpus: Vec<&RegisteredGpu> = self.gpus.iter().collect();
        gpus.sort_by_key(|gpu| gpu.index);
        Json::List(gpus.into_iter().map(encode_gpu).collect()).to_string()
    }

    /// The value of the annotation [`config`](crate::resources::Domain::node_config).
    #[must_use]
    pub fn config_annotation(&self) -> String {
        let fields = [
            ("deviceSplit", Json::number(self.split_count.into())),
            ("coresScaling", thousandths(self.cores_scaling)),
            ("memoryFactor", Json::number(self.memory_factor.into())),
            ("memoryScaling", thousandths(self.memory_scaling)),
        ];
        Json::object(fields).to_string()
    }

    /// Reads the values of both annotations.
    ///
    /// # Errors
    /// [`RegistrationError`]: the first thing that is wrong.
    pub fn from_annotations(register: &str, config: &str) -> Result<Self, RegistrationError> {
        let Json::List(gpus) = json(register)? else {
            return Err(RegistrationError("the registration is not a list".to_owned()));
        };
        check_count("the registration has", gpus.len())?;
        let gpus: Vec<RegisteredGpu> = gpus.into_iter().map(decode_gpu).collect::<Result<_, _>>()?;
        let config = Fields::of(json(config)?, "the configuration")?;
        Ok(Self {
            gpus,
            split_count: config.number("deviceSplit")?,
            memory_factor: config.number("memoryFactor")?,
            memory_scaling: config.thousandths("memoryScaling")?,
            cores_scaling: config.thousandths("coresScaling")?,
        })
    }
}

fn encode_gpu(gpu: &RegisteredGpu) -> Json {
    let (major, minor) = gpu.capability;
    Json::object([
        ("id", Json::number(gpu.index.into())),
        ("type", Json::text(&gpu.model)),
        ("uuid", Json::text(gpu.uuid)),
        ("core", Json::number(gpu.cores.into())),
        ("memory", Json::number(gpu.memory.into())),
        ("number", Json::number(gpu.split_count.into())),
        ("numa", gpu.numa.map_or_else(|| Json::Number("-1".to_owned()), |node| Json::number(node.into()))),
        ("mig", Json::Bool(gpu.mig)),
        ("busId", Json::text(&gpu.pci)),
        ("capability", Json::Number(format!("{major}.{minor}"))),
        ("healthy", Json::Bool(gpu.healthy)),
        ("incarnation", Json::number(gpu.incarnation)),
    ])
}

fn decode_gpu(json: Json) -> Result<RegisteredGpu, RegistrationError> {
    let fields = Fields::of(json, "a GPU")?;
    let capability = fields.digits("capability")?;
    let (major, minor) = capability.split_once('.').unwrap_or((capability, "0"));
    let part = |part: &str| part.parse().map_err(|_| fields.fault("capability", capability));
    Ok(RegisteredGpu {
        index: fields.number("id")?,
        uuid: fields.parsed("uuid")?,
        model: fields.text("type")?.to_owned(),
        cores: fields.number("core")?,
        memory: fields.number("memory")?,
        split_count: fields.number("number")?,
        numa: match fields.digits("numa")? {
            "-1" => None,
            _ => Some(fields.number("numa")?),
        },
        mig: fields.bool("mig")?,
        pci: fields.text("busId")?.to_owned(),
        capability: (part(major)?, part(minor)?),
        healthy: fields.bool("healthy")?,
        incarnation: fields.optional_number("incarnation")?,
    })
}

/// A number with three places, as few of them as are needed.
fn thousandths(count: u32) -> Json {
    let places = format!("{:03}", count % 1000);
    let places = places.trim_end_matches('0');
    Json::Number(format!("{}.{}", count / 1000, if places.is_empty() { "0" } else { places }))
}

fn json(text: &str) -> Result<Json, RegistrationError> {
    text.parse().map_err(|error| RegistrationError(format!("{error}")))
}

/// The fields of an object, and what it is, for messages.
struct Fields {
    fields: Vec<(String, Json)>,
    place: &'static str,
}

impl Fields {
    fn of(json: Json, place: &'static str) -> Result<Self, RegistrationError> {
        match json {
            Json::Object(fields) => Ok(Self { fields, place }),
            other => Err(RegistrationError(format!("{place} is {}, not an object", other.kind()))),
        }
    }

    fn fault(&self, name: &str, value: &str) -> RegistrationError {
        RegistrationError(format!("{}: {name} is {}", self.place, Foreign(value)))
    }

    fn get(&self, name: &str) -> Result<&Json, RegistrationError> {
        let field = self.fields.iter().find(|(field, _)| field == name);
        let missing = || RegistrationError(format!("{}: {name} is missing", self.place));
        field.map(|(_, value)| value).ok_or_else(missing)
    }

    fn text(&self, name: &str) -> Result<&str, RegistrationError> {
        match self.get(name)? {
            Json::Text(text) => Ok(text),
            other => Err(self.fault(name, other.kind())),
        }
    }

    fn digits(&self, name: &str) -> Result<&str, RegistrationError> {
        match self.get(name)? {
            Json::Number(digits) => Ok(digits),
            other => Err(self.fault(name, other.kind())),
        }
    }

    fn bool(&self, name: &str) -> Result<bool, RegistrationError> {
        match self.get(name)? {
            Json::Bool(value) => Ok(*value),
            other => Err(self.fault(name, other.kind())),
        }
    }

    fn parsed<T: FromStr>(&self, name: &str) -> Result<T, RegistrationError> {
        let text = self.text(name)?;
        text.parse().map_err(|_| self.fault(name, text))
    }

    /// A number that vgpu-manager does not write: 0 without it.
    fn optional_number(&self, name: &str) -> Result<u64, RegistrationError> {
        if !self.fields.iter().any(|(field, _)| field == name) {
            return Ok(0);
        }
        let digits = self.digits(name)?;
        digits.parse().map_err(|_| self.fault(name, digits))
    }

    fn number(&self, name: &str) -> Result<u32, RegistrationError> {
        let digits = self.digits(name)?;
        digits.parse().map_err(|_| self.fault(name, digits))
    }

    /// A number with at most three places, in thousandths.
    fn thousandths(&self, name: &str) -> Result<u32, RegistrationError> {
        let digits = self.digits(name)?;
        let (whole, places) = digits.split_once('.').unwrap_or((digits, "0"));
        let read = || {
            let places = (places.len() <= 3).then(|| format!("{places:0<3}").parse().ok())??;
            whole.parse::<u32>().ok()?.checked_mul(1000)?.checked_add(places)
        };
        read().ok_or_else(|| self.fault(name, digits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;
    use proptest::prelude::*;

    fn gpu() -> RegisteredGpu {
        RegisteredGpu {
            index: 0,
            uuid: Uuid([1; 16]),
            model: "NVIDIA H100 80GB HBM3".to_owned(),
            cores: 100,
            memory: 81_559,
            split_count: 10,
            numa: None,
            mig: false,
            pci: "00000000:01:00.0".to_owned(),
            capability: (9, 0),
            healthy: true,
            incarnation: 7,
        }
    }

    fn node(gpus: Vec<RegisteredGpu>) -> NodeRegistration {
        NodeRegistration {
            gpus,
            split_count: 10,
            memory_factor: 1,
            memory_scaling: 1000,
            cores_scaling: 1500,
        }
    }

    #[test]
    fn written_as_vgpu_manager_writes_it() {
        let node = node(vec![gpu()]);
        assert_eq!(
            node.register_annotation(),
            "[{\"id\":0,\"type\":\"NVIDIA H100 80GB HBM3\",\"uuid\":\"GPU-01010101-0101-0101-0101-010101010101\",\
             \"core\":100,\"memory\":81559,\"number\":10,\"numa\":-1,\"mig\":false,\"busId\":\"00000000:01:00.0\",\
             \"capability\":9.0,\"healthy\":true,\"incarnation\":7}]"
        );
        assert_eq!(
            node.config_annotation(),
            "{\"deviceSplit\":10,\"coresScaling\":1.5,\"memoryFactor\":1,\"memoryScaling\":1.0}"
        );
    }

    #[test]
    fn what_vgpu_manager_writes_is_read() {
        let register = r#"[{"id":1,"type":"Tesla T4","uuid":"GPU-01010101-0101-0101-0101-010101010101","core":100,
            "memory":15360,"number":10,"numa":0,"mig":false,"busId":"0000:3B:00.0","capability":7.5,"healthy":true,
            "new":null}]"#;
        let config = r#"{"deviceSplit":10,"coresScaling":1,"memoryFactor":1,"memoryScaling":0.95}"#;
        let read = NodeRegistration::from_annotations(register, config).unwrap();
        assert_eq!(
            (read.gpus[0].capability, read.gpus[0].numa, read.gpus[0].incarnation),
            ((7, 5), Some(0), 0)
        );
        assert_eq!((read.cores_scaling, read.memory_scaling), (1000, 950));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let good = node(vec![gpu()]);
        let (register, config) = (good.register_annotation(), good.config_annotation());
        let error = |register: &str, config: &str| {
            NodeRegistration::from_annotations(register, config).unwrap_err().to_string()
        };
        for (from, to, said) in [
            ("\"id\":0", "\"id\":-1", "a GPU: id is -1"),
            ("\"id\":0,", "", "a GPU: id is missing"),
            ("true", "1", "a GPU: healthy is a number"),
            ("\"capability\":9.0", "\"capability\":1e9", "a GPU: capability is 1e9"),
        ] {
            assert_eq!(error(&register.replace(from, to), &config), said);
        }
        let many = node((0..65).map(|index| RegisteredGpu { index, ..gpu() }).collect());
        let said = error(&many.register_annotation(), &config);
        assert_eq!(said, "the registration has 65 GPUs, the most is 64");
        assert_eq!(error("{}", &config), "the registration is not a list");
        assert_eq!(error(&register, "[]"), "the configuration is a list, not an object");
        assert_eq!(
            error(&register, &config.replace("1.5", "1.0001")),
            "the configuration: coresScaling is 1.0001"
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            indices in prop::collection::btree_set(0_u32..100, 0..5), model in ".{0,20}", memory: u32,
            numa in prop::option::of(any::<u32>()), incarnation: u64, flags: (bool, bool), capability: (u8, u8),
            scaling in (0_u32..1_000_000, 0_u32..1_000_000),
        ) {
            let gpus = indices.into_iter().map(|index| RegisteredGpu {
                index, model: model.clone(), memory, numa, mig: flags.0, healthy: flags.1, incarnation,
                capability: (capability.0.into(), capability.1.into()), ..gpu()
            });
            let node = NodeRegistration {
                memory_scaling: scaling.0, cores_scaling: scaling.1, ..node(gpus.collect())
            };
            let read = NodeRegistration::from_annotations(&node.register_annotation(), &node.config_annotation());
            prop_assert_eq!(read, Ok(node));
        }
    }
}
