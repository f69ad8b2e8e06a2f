//! What one container asks for.

use contract::limits_page::CAPACITY;
use contract::quantity;
use contract::resources::ResourceNames;
use placement::{ContainerRequest, Cores, Memory, Role};

use super::error::Fault;
use crate::api::Container;

/// The most memory of a slice, in MiB: 16 TiB. More is an amount of bytes.
const MEMORY_UNITS: u64 = 1 << 24;

/// What `container` asks for, with what it leaves out filled in: a number alone is a device alone, memory that is left out is all
/// of it, time that is left out beside an amount of memory has no limit. Zero is as if left out.
pub(super) fn read(
    container: &Container,
    role: Role,
    names: &ResourceNames,
) -> Result<Option<ContainerRequest>, Vec<Fault>> {
    let mut faults = Vec::new();
    let mut read = |name: &str, most: u64| {
        let amount = amount(container, name, most);
        amount.map_err(|fault| faults.push(fault)).ok().flatten()
    };
    let number = read(&names.number, CAPACITY as u64);
    let percent = read(&names.memory_percentage, 100);
    let cores = read(&names.cores, 100);
    let units = memory(container, &names.memory).map_err(|fault| faults.push(fault)).ok().flatten();
    let name = &container.name;
    if units.is_some() && percent.is_some() {
        faults.push(Fault::both(name, &names.memory, &names.memory_percentage));
    }
    let others = [(units, &names.memory), (percent, &names.memory_percentage), (cores, &names.cores)];
    let other = others.iter().find_map(|(amount, of)| amount.map(|_| *of));
    if let (None, Some(of), true) = (number, other, faults.is_empty()) {
        faults.push(Fault::without_number(name, of, &names.number));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(number.map(|number| {
        let memory = match (units, percent) {
            (Some(units), _) => Memory::Units(units),
            (None, Some(percent)) => Memory::Percent(percent),
            (None, None) => Memory::Whole,
        };
        let cores = match (cores, memory) {
            (Some(percent), _) => Cores::Percent(percent),
            (None, Memory::Whole) => Cores::Alone,
            (None, _) => Cores::Unlimited,
        };
        let count = usize::try_from(number).unwrap_or(usize::MAX);
        ContainerRequest { name: name.clone(), role, count, memory, cores }
    }))
}

/// How much of a resource it asks for, where it does.
fn amount(container: &Container, name: &str, most: u64) -> Result<Option<u64>, Fault> {
    let Some(text) = container.resources.amount(name) else { return Ok(None) };
    let fault = |why: &str| Fault::new(&container.name, name, text, why);
    let read = quantity::whole(text);
    let sure = container.resources.requests.get(name).map(|sure| sure.0.as_str());
    if let Some(sure) = sure.filter(|sure| quantity::whole(sure) != read) {
        return Err(Fault::unequal(&container.name, name, text, sure));
    }
    match read {
        Ok(0) => Ok(None),
        Ok(amount) if amount <= most => Ok(Some(amount)),
        Ok(_) => Err(fault(&format!("is more than {most}"))),
        Err(_) => Err(fault("is no whole number")),
    }
}

/// How much memory it asks for, where it does. `8Gi` are 8,589,934,592 units, which nobody means.
fn memory(container: &Container, name: &str) -> Result<Option<u64>, Fault> {
    let Some(units) = amount(container, name, u64::MAX)? else { return Ok(None) };
    if units <= MEMORY_UNITS {
        return Ok(Some(units));
    }
    let text = container.resources.amount(name).unwrap_or_default();
    Err(Fault::of_bytes(&container.name, name, text, units.div_ceil(1 << 20)))
}
