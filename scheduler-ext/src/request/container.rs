//! What one container asks for.

use contract::limits_page::CAPACITY;
use contract::quantity;
use contract::resources::ResourceNames;
use placement::{ContainerRequest, Cores, Memory, Role};

use super::error::Fault;
use crate::api::Container;

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
    let units = read(&names.memory, u32::MAX.into());
    let percent = read(&names.memory_percentage, 100);
    let cores = read(&names.cores, 100);
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
    match quantity::whole(text) {
        Ok(0) => Ok(None),
        Ok(amount) if amount <= most => Ok(Some(amount)),
        Ok(_) => Err(fault(&format!("is more than {most}"))),
        Err(_) => Err(fault("is no whole number")),
    }
}
