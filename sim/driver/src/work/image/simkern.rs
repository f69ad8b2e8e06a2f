//! Text that describes kernels: `SIMKERN v1`, then a line for each of words `key=value`:
//!
//! | key | value | if absent |
//! | --- | --- | --- |
//! | `name` | what `cuModuleGetFunction` asks for; `*`: every name, with the defaults | an error |
//! | `dur_us` | microseconds that one wave of blocks takes | the default duration |
//! | `sm` | share of the multiprocessors, above 0 to 1 | 1 |
//! | `mem` | share of the memory bandwidth, 0 to 1: reported by NVML, no limit | 0 |
//! | `local` | bytes of local memory a thread | 0 |
//! | `param0` | `simargs`: the first parameter overrides the rest for one launch (see [`SimArgs`]) | none |
//! | `heap` | `1`: it calls `malloc`, so the module needs the heap | none |
//! | `params` | sizes of the parameters in bytes, such as `8,8,4`; each aligned to its size, at most to 8 | not told |
//!
//! A line `global=NAME bytes=N` is a variable, and `code=N` says how many bytes of the device the code takes.

use std::fmt::Write;

use sim_kernel::{Nanos, Permille};

use super::{Image, KernelSpec, Parameter, Variable};

pub(super) const MAGIC: &[u8] = b"SIMKERN v1";

/// First parameter of a kernel that was declared with `param0=simargs`, passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimArgs {
    /// [`SimArgs::MAGIC`].
    pub(crate) magic: u64,
    /// Duration of a wave, in nanoseconds.
    pub(crate) dur_ns: u64,
    /// Share of the multiprocessors, 1 to 1000.
    pub(crate) sm_permille: u32,
    /// Share of the memory bandwidth, 0 to 1000.
    pub(crate) mem_permille: u32,
}

impl SimArgs {
    /// "SIMKERN1" as a number.
    pub(crate) const MAGIC: u64 = 0x5349_4D4B_4552_4E31;
}

/// Reads a text.
///
/// # Errors
/// Says what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Image, String> {
    let mut image = Image::default();
    for line in text.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        if line.trim_start().starts_with("global=") {
            image.variables.push(parse_variable(line)?);
            continue;
        }
        if let Some(bytes) = line.trim().strip_prefix("code=") {
            image.code = bytes.parse().map_err(|_| format!("SIMKERN: \"{line}\" is not code=N"))?;
            continue;
        }
        let (kernel, needs_heap) = parse_kernel(line)?;
        image.needs_heap |= needs_heap;
        if kernel.name == "*" {
            image.is_opaque = true;
        } else {
            image.kernels.push(kernel);
        }
    }
    Ok(image)
}

/// The text of an image whose kernels have the defaults but for their parameters, or any other property.
pub(super) fn render(image: &Image) -> String {
    let mut text = String::from("SIMKERN v1\n");
    if image.code > 0 {
        let _ = writeln!(text, "code={}", image.code);
    }
    for (at, kernel) in image.kernels.iter().enumerate() {
        let _ = write!(text, "name={} local={}", kernel.name, kernel.local);
        if image.needs_heap && at == 0 {
            text.push_str(" heap=1");
        }
        let _ = write!(text, " sm={} mem={}", permille(kernel.sm), permille(kernel.memory));
        if let Some(duration) = kernel.duration {
            let _ = write!(text, " dur_us={}.{:03}", duration.0 / 1000, duration.0 % 1000);
        }
        if kernel.takes_args {
            text.push_str(" param0=simargs");
        }
        if let Some(parameters) = &kernel.parameters {
            let sizes: Vec<_> = parameters.iter().map(|one| one.size.to_string()).collect();
            let _ = write!(text, " params={}", sizes.join(","));
        }
        text.push('\n');
    }
    for variable in &image.variables {
        let _ = writeln!(text, "global={} bytes={}", variable.name, variable.bytes);
    }
    if image.is_opaque {
        text.push_str("name=*\n");
    }
    text
}

fn permille(share: Permille) -> String {
    format!("{}.{:03}", share.0 / 1000, share.0 % 1000)
}

fn parse_variable(line: &str) -> Result<Variable, String> {
    let wrong = || format!("SIMKERN: \"{line}\" is not global=NAME bytes=N");
    let (name, bytes) = line.trim().split_once(' ').ok_or_else(wrong)?;
    let name = name.strip_prefix("global=").filter(|name| !name.is_empty()).ok_or_else(wrong)?;
    let bytes = bytes.trim().strip_prefix("bytes=").and_then(|bytes| bytes.parse().ok());
    let bytes = bytes.filter(|bytes| *bytes > 0).ok_or_else(wrong)?;
    Ok(Variable { name: name.to_owned(), bytes, contents: Vec::new() })
}

/// A kernel, and whether it needs the heap.
fn parse_kernel(line: &str) -> Result<(KernelSpec, bool), String> {
    let (mut kernel, mut needs_heap) = (KernelSpec::named(""), false);
    for word in line.split_ascii_whitespace() {
        let wrong = || format!("SIMKERN: \"{word}\" is no property of a kernel");
        let (key, value) = word.split_once('=').ok_or_else(wrong)?;
        match key {
            "name" if !value.is_empty() => value.clone_into(&mut kernel.name),
            "dur_us" => kernel.duration = Some(micros(value).ok_or_else(wrong)?),
            "sm" => kernel.sm = share(value).filter(|sm| sm.0 > 0).ok_or_else(wrong)?,
            "mem" => kernel.memory = share(value).ok_or_else(wrong)?,
            "local" => kernel.local = value.parse().map_err(|_| wrong())?,
            "heap" if value == "1" => needs_heap = true,
            "param0" if value == "simargs" => kernel.takes_args = true,
            "params" => kernel.parameters = Some(sizes(value).ok_or_else(wrong)?),
            _ => return Err(wrong()),
        }
    }
    if kernel.name.is_empty() {
        return Err(format!("SIMKERN: \"{line}\" has no name=..."));
    }
    Ok((kernel, needs_heap))
}

fn sizes(text: &str) -> Option<Vec<Parameter>> {
    let words = text.split(',').filter(|word| !word.is_empty());
    let sizes = words.map(|word| word.parse().ok()).collect::<Option<Vec<usize>>>()?;
    Some(Parameter::in_order(sizes.into_iter().map(|size| (size, size.next_power_of_two().min(8)))))
}

/// Microseconds, with decimals, up to a day.
pub(crate) fn micros(text: &str) -> Option<Nanos> {
    let nanos = text.parse::<f64>().ok().filter(|micros| (0.0..=86.4e9).contains(micros))? * 1_000.0;
    // In range: at most 8.64e13.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Some(Nanos(nanos.round() as u64))
}

fn share(text: &str) -> Option<Permille> {
    let permille = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share))? * 1_000.0;
    // In range: at most 1000. A share above 0 does not become 0.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    Some(Permille(permille.ceil() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_a_kernel_does() {
        let image = parse("SIMKERN v1\nname=a dur_us=1.5 sm=0.5 mem=0.2 local=16\n\nname=b param0=simargs\n")
            .unwrap();
        let a = image.kernel("a").unwrap();
        assert_eq!(
            (a.duration, a.sm, a.memory, a.local),
            (Some(Nanos(1500)), Permille(500), Permille(200), 16)
        );
        let b = image.kernel("b").unwrap();
        assert_eq!(b, KernelSpec { takes_args: true, ..KernelSpec::named("b") });
        assert_eq!(image.kernel("c"), None);
    }

    #[test]
    fn an_image_is_read_from_its_text_as_it_was() {
        let text = "SIMKERN v1\nname=a dur_us=1.5 sm=0.5 mem=0.2 params=8,4,1\nglobal=v bytes=12\nname=*\n";
        let image = parse(text).unwrap();
        assert!(image.is_opaque && image.variable("v").is_some_and(|one| one.bytes == 12));
        let placed: Vec<_> = image.kernels[0].parameters.iter().flatten().map(|one| one.offset).collect();
        assert_eq!(placed, [0, 8, 12]);
        assert_eq!(parse(&render(&image)), Ok(image));
    }

    #[test]
    fn a_mistake_is_named() {
        for bad in [
            "dur=1",
            "dur_us=-1",
            "dur_us=x",
            "sm=0",
            "sm=1.5",
            "mem=2",
            "local=-1",
            "param0=ptr",
            "params=x",
            "name=",
        ] {
            let text = format!("SIMKERN v1\nname=a {bad}\n");
            assert!(parse(&text).unwrap_err().contains(bad), "{bad}");
        }
        assert!(parse("SIMKERN v1\nsm=1").unwrap_err().contains("sm=1"));
        assert!(parse("SIMKERN v1\nglobal=x").unwrap_err().contains("global=x"));
    }
}
