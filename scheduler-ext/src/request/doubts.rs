//! What a pod says that is probably a mistake. It is told and not refused: somebody may mean it.

use std::collections::BTreeSet;

use contract::quantity;
use contract::resources::NameStyle;

use super::Reader;
use super::error::{Fault, TOLD};
use crate::api::{Container, Pod};

/// How HAMi calls a pod's priority. Here it is an annotation.
const HAMI_PRIORITY: &str = "priority";

/// How names of resources begin, behind the domain, that are ours or hardly anybody's. HAMi's `gpu` alone is no such beginning:
/// NVIDIA's plugin offers `gpu.shared`, and `gpu-24gb` where it is told to.
const fn beginnings(style: NameStyle) -> &'static [&'static str] {
    match style {
        NameStyle::Vgpu => &["vgpu"],
        NameStyle::Hami => &["gpumem", "gpu-mem", "gpucore", "gpu-core", HAMI_PRIORITY],
    }
}

impl Reader {
    /// What of `pod` is probably a mistake, in sentences: names of resources that are almost ours, and nothing asked for.
    #[must_use]
    pub fn doubts(&self, pod: &Pod) -> Vec<String> {
        let all = pod.spec.init_containers.iter().chain(&pod.spec.containers);
        // Where a pod runs, there is somebody who offers what it names.
        let is_running = pod.status.phase.as_deref() == Some("Running");
        let misspelt = |container| self.misspelt(container).filter(|_| !is_running);
        let mut doubts = all.flat_map(|container| misspelt(container).chain(self.nothing(container)));
        let mut told: Vec<String> = doubts.by_ref().take(TOLD).map(|doubt| doubt.to_string()).collect();
        let more = doubts.count();
        if more > 0 {
            told.push(format!("and {more} more like these"));
        }
        told
    }

    /// Resources of which kube-scheduler would say for ever that there are too few.
    fn misspelt<'a>(&'a self, container: &'a Container) -> impl Iterator<Item = Fault> + 'a {
        let resources = &container.resources;
        let named: BTreeSet<&str> =
            resources.limits.keys().chain(resources.requests.keys()).map(String::as_str).collect();
        let is_asked_for =
            |name: &str| resources.amount(name).is_some_and(|amount| quantity::whole(amount) != Ok(0));
        let misspelt = named.into_iter().filter(move |name| self.is_misspelt(name) && is_asked_for(name));
        misspelt.map(|name| Fault::unknown(&container.name, name, &self.instead_of(name)))
    }

    fn is_misspelt(&self, name: &str) -> bool {
        let mut all = beginnings(self.style).iter();
        !self.resources().contains(&name) && all.any(|part| name.starts_with(&self.domain.name(part)))
    }

    fn instead_of(&self, name: &str) -> String {
        if name == self.domain.name(HAMI_PRIORITY) {
            return format!("write the annotation {} instead", self.domain.priority());
        }
        format!("known: {}", self.resources().join(", "))
    }

    /// Amounts of no memory and no time without a number. HAMi gives a whole GPU for them, vgpu-manager none.
    fn nothing(&self, container: &Container) -> Option<Fault> {
        let amount = |name: &str| Some(quantity::whole(container.resources.amount(name)?));
        let [number, others @ ..] = self.resources();
        let mut given = others.into_iter().filter_map(|name| Some((name, amount(name)?)));
        let (first, zero) = given.next()?;
        let is_nothing =
            zero == Ok(0) && given.all(|(_, amount)| amount == Ok(0)) && amount(number).is_none();
        is_nothing.then(|| Fault::nothing(&container.name, first, number))
    }
}

#[cfg(test)]
mod tests {
    use contract::resources::Domain;
    use serde_json::{Value, json};

    use super::*;

    /// What is told of a pod with a container of these resources.
    fn told(style: NameStyle, resources: &Value) -> Vec<String> {
        let pod = json!({"spec": {"containers": [{"name": "main", "resources": resources}]}});
        Reader::new(Domain::default(), style).doubts(&serde_json::from_value(pod).unwrap())
    }

    #[test]
    fn a_name_that_is_almost_ours_is_told_with_those_that_are() {
        for (style, name, known) in [
            (
                NameStyle::Vgpu,
                "vgpu-mem",
                "vgpu-number, nvidia.com/vgpu-memory, nvidia.com/vgpu-memory-percentage, nvidia.com/vgpu-cores",
            ),
            (
                NameStyle::Hami,
                "gpumemory",
                "gpu, nvidia.com/gpumem, nvidia.com/gpumem-percentage, nvidia.com/gpucores",
            ),
        ] {
            let name = format!("nvidia.com/{name}");
            let said = format!(
                "container main: {name} is no resource of slices, and unless something else offers it the pod waits for ever; \
                 known: nvidia.com/{known}"
            );
            assert_eq!(told(style, &json!({"limits": {&name: "1"}})), [said.as_str()]);
            let both = json!({"limits": {&name: "1"}, "requests": {&name: "1"}});
            assert_eq!(told(style, &both), [said.as_str()]);
            assert_eq!(told(style, &json!({"requests": {&name: "1"}})), [said]);
        }
        for name in ["vgpu", "vgpu-core", "vgpumemory", "vgpu-numbers", "vgpu-percent"] {
            let limits = json!({"limits": {format!("nvidia.com/{name}"): "1"}});
            assert_eq!(told(NameStyle::Vgpu, &limits).len(), 1, "{name}");
        }
        for name in ["gpu-mem", "gpu-memory", "gpumem-percent", "gpucore", "gpu-cores"] {
            let limits = json!({"limits": {format!("nvidia.com/{name}"): "1"}});
            assert_eq!(told(NameStyle::Hami, &limits).len(), 1, "{name}");
        }
    }

    #[test]
    fn names_that_others_may_offer_are_not_looked_at() {
        for name in [
            "nvidia.com/gpu",
            "nvidia.com/gpu.shared",
            "nvidia.com/gpu-24gb",
            "nvidia.com/mig-1g.10gb",
            "nvidia.com/pgpu",
            "example.com/vgpu-mem",
            "example.com/gpu-mem",
            "cpu",
        ] {
            for style in [NameStyle::Vgpu, NameStyle::Hami] {
                assert_eq!(told(style, &json!({"limits": {name: "1"}})), Vec::<String>::new(), "{name}");
            }
        }
        let of_the_other_style = [
            (NameStyle::Vgpu, ["nvidia.com/gpumem", "nvidia.com/gpu-mem", "nvidia.com/priority"]),
            (NameStyle::Hami, ["nvidia.com/vgpu-number", "nvidia.com/vgpu-memory", "nvidia.com/vgpu-mem"]),
        ];
        for (style, names) in of_the_other_style {
            for name in names {
                assert_eq!(told(style, &json!({"limits": {name: "1"}})), Vec::<String>::new(), "{name}");
            }
        }
        // kube-scheduler finds enough of it everywhere.
        assert_eq!(
            told(NameStyle::Vgpu, &json!({"limits": {"nvidia.com/vgpu-mem": "0"}})),
            Vec::<String>::new()
        );
    }

    #[test]
    fn who_writes_hamis_priority_is_told_of_the_annotation() {
        let said = told(NameStyle::Hami, &json!({"limits": {"nvidia.com/priority": "1"}})).remove(0);
        assert!(said.ends_with("; write the annotation nvidia.com/vgpu-priority instead"), "{said}");
    }

    #[test]
    fn nothing_is_told_where_it_may_have_been_meant_as_all() {
        for (style, [number, memory, cores]) in [
            (NameStyle::Vgpu, ["nvidia.com/vgpu-number", "nvidia.com/vgpu-memory", "nvidia.com/vgpu-cores"]),
            (NameStyle::Hami, ["nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpucores"]),
        ] {
            let of = |name: &str| {
                [format!(
                    "container main: {name} is 0 and {number} is not given, so it gets no GPU; \
                     add {number}: 1 to it for a whole one, or leave out {name}"
                )]
            };
            assert_eq!(told(style, &json!({"limits": {memory: "0"}})), of(memory));
            assert_eq!(told(style, &json!({"requests": {cores: "0"}})), of(cores));
            assert_eq!(told(style, &json!({"limits": {memory: "0", cores: "0"}})), of(memory));
            for meant in [
                json!({number: "0", memory: "0"}),
                json!({number: "1", memory: "0", cores: "0"}),
                json!({memory: "0", cores: "30"}),
                json!({number: "0"}),
            ] {
                assert_eq!(told(style, &json!({"limits": meant})), Vec::<String>::new(), "{meant}");
            }
        }
    }

    #[test]
    fn of_very_many_the_rest_is_counted() {
        let container = json!({"name": "c", "resources": {"limits": {"nvidia.com/vgpu-mem": "1"}}});
        let pod = json!({"spec": {"containers": vec![container; 1000]}});
        let told =
            Reader::new(Domain::default(), NameStyle::Vgpu).doubts(&serde_json::from_value(pod).unwrap());
        assert_eq!(
            (told.len(), told.last().map(String::as_str)),
            (TOLD + 1, Some("and 995 more like these"))
        );
    }
}
