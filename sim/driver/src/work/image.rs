//! What `cuModuleLoadData` is given.
//!
//! A simulated module is text: `SIMKERN v1`, then a line for each kernel of words `key=value`:
//!
//! | key | value | if absent |
//! | --- | --- | --- |
//! | `name` | what `cuModuleGetFunction` asks for | an error |
//! | `dur_us` | microseconds that one wave of blocks takes | the default duration |
//! | `sm` | share of the multiprocessors, above 0 to 1 | 1 |
//! | `mem` | share of the memory bandwidth, 0 to 1: reported by NVML, no limit | 0 |
//! | `local` | bytes of local memory a thread: what `cuFuncGetAttribute` tells, no memory is taken | 0 |
//! | `param0` | `simargs`: the first parameter overrides the rest for one launch (see [`SimArgs`]) | none |
//!
//! Any other image, such as code for real devices, has every kernel that is asked for, with all of the defaults.

use std::ffi::CStr;

use sim_kernel::{Nanos, Permille};

const MAGIC: &[u8] = b"SIMKERN v1";

/// What a kernel does to the device: it takes time, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KernelSpec {
    /// Its name.
    pub(crate) name: String,
    /// How long one wave of blocks takes; `None`: the default of the process.
    pub(crate) duration: Option<Nanos>,
    /// Share of the multiprocessors.
    pub(crate) sm: Permille,
    /// Share of the memory bandwidth.
    pub(crate) memory: Permille,
    /// Local memory of a thread, in bytes.
    pub(crate) local: u32,
    /// Whether its first parameter is a [`SimArgs`].
    pub(crate) takes_args: bool,
}

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

/// A module's image.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Image {
    /// Text as above.
    Simulated(Vec<KernelSpec>),
    /// Anything else.
    Other,
}

impl KernelSpec {
    /// A kernel with every default.
    pub(crate) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            duration: None,
            sm: Permille::WHOLE,
            memory: Permille(0),
            local: 0,
            takes_args: false,
        }
    }

    fn parse(line: &str) -> Result<Self, String> {
        let mut kernel = Self::named("");
        for word in line.split_ascii_whitespace() {
            let wrong = || format!("SIMKERN: \"{word}\" is no property of a kernel");
            let (key, value) = word.split_once('=').ok_or_else(wrong)?;
            match key {
                "name" if !value.is_empty() => value.clone_into(&mut kernel.name),
                "dur_us" => kernel.duration = Some(micros(value).ok_or_else(wrong)?),
                "sm" => kernel.sm = share(value).filter(|sm| sm.0 > 0).ok_or_else(wrong)?,
                "mem" => kernel.memory = share(value).ok_or_else(wrong)?,
                "local" => kernel.local = value.parse().map_err(|_| wrong())?,
                "param0" if value == "simargs" => kernel.takes_args = true,
                _ => return Err(wrong()),
            }
        }
        if kernel.name.is_empty() {
            return Err(format!("SIMKERN: \"{line}\" has no name=..."));
        }
        Ok(kernel)
    }
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

impl Image {
    /// Reads an image.
    ///
    /// # Errors
    /// Says what is wrong with a simulated module.
    ///
    /// # Safety
    ///
    /// `image` must be readable up to its first byte that differs from `SIMKERN v1`, and if there is none, be a string
    /// that ends in a zero byte.
    pub(crate) unsafe fn read(image: *const u8) -> Result<Self, String> {
        for (index, expected) in MAGIC.iter().enumerate() {
            // SAFETY: every byte before this one was as expected, so this one is readable.
            if unsafe { image.wrapping_add(index).read() } != *expected {
                return Ok(Self::Other);
            }
        }
        // SAFETY: it begins as a simulated module, so it is a string.
        let text = unsafe { CStr::from_ptr(image.cast()) };
        Self::parse(text.to_str().map_err(|_| "SIMKERN: the module is not text".to_owned())?)
    }

    /// Reads the contents of a file.
    ///
    /// # Errors
    /// As for [`Image::read`].
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        if !bytes.starts_with(MAGIC) {
            return Ok(Self::Other);
        }
        Self::parse(str::from_utf8(bytes).map_err(|_| "SIMKERN: the module is not text".to_owned())?)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().skip(1).filter(|line| !line.trim().is_empty());
        lines.map(KernelSpec::parse).collect::<Result<_, _>>().map(Self::Simulated)
    }

    /// The kernel of that name.
    pub(crate) fn kernel(&self, name: &str) -> Option<KernelSpec> {
        match self {
            Self::Simulated(kernels) => kernels.iter().find(|kernel| kernel.name == name).cloned(),
            Self::Other => Some(KernelSpec::named(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &CStr) -> Result<Image, String> {
        // SAFETY: a string that ends in a zero byte.
        unsafe { Image::read(text.as_ptr().cast()) }
    }

    #[test]
    fn a_line_says_what_a_kernel_does() {
        let image = read(c"SIMKERN v1\nname=a dur_us=1.5 sm=0.5 mem=0.2 local=16\n\nname=b param0=simargs\n")
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
    fn any_other_image_has_every_kernel() {
        for image in [c"", c"SIMKERN v2\nname=a", c"\x7fELF"] {
            let image = read(image).unwrap();
            assert_eq!((image.kernel("x"), image), (Some(KernelSpec::named("x")), Image::Other));
        }
    }

    #[test]
    fn a_mistake_is_named() {
        for bad in
            ["dur=1", "dur_us=-1", "dur_us=x", "sm=0", "sm=1.5", "mem=2", "local=-1", "param0=ptr", "name="]
        {
            let text = format!("SIMKERN v1\nname=a {bad}\n");
            assert!(Image::from_bytes(text.as_bytes()).unwrap_err().contains(bad), "{bad}");
        }
        assert!(Image::from_bytes(b"SIMKERN v1\nsm=1").unwrap_err().contains("sm=1"));
    }
}
