//! What `cuModuleLoadData` is given, and what is in it: the names of kernels and variables.
//!
//! Code is never run, but its names are read from it, so that what is not there is not found: PTX text, code for a
//! real device (an ELF file), a fat binary with either, and the text that describes simulated kernels.

mod elf;
mod fatbin;
mod lz4;
mod ptx;
mod simkern;
mod source;

use cuda_sys::CUresult;
use sim_kernel::{Nanos, Permille};

pub(crate) use simkern::{SimArgs, micros};

use crate::outcome::Outcome;

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
    /// Its parameters, if the image tells them.
    pub(crate) parameters: Option<Vec<Parameter>>,
}

/// A parameter of a kernel: where it lies among them, and its size, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// From the first parameter's first byte.
    pub(crate) offset: usize,
    /// Its bytes.
    pub(crate) size: usize,
}

/// A variable of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    /// Its name.
    pub(crate) name: String,
    /// Its size in bytes, at least 1.
    pub(crate) bytes: usize,
    /// What it holds first, as far as the image tells; zeros follow.
    pub(crate) contents: Vec<u8>,
}

/// A module's image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Image {
    /// Its kernels.
    pub(crate) kernels: Vec<KernelSpec>,
    /// Its variables.
    pub(crate) variables: Vec<Variable>,
    /// Whether some of it cannot be read (a compression or an intermediate code that is not known here): it may have any
    /// kernel, so it has every kernel that is asked for.
    pub(crate) is_opaque: bool,
    /// Bytes of its code and constants on a device, as far as it tells.
    pub(crate) code: usize,
    /// Whether its kernels call `malloc`.
    pub(crate) needs_heap: bool,
}

/// What code takes at least a kernel, in bytes: what an image says that is yet to be compiled.
const LEAST_CODE: usize = 4 << 10;

/// An image that cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadImage {
    /// What the caller gets.
    pub(crate) code: CUresult,
    /// What is wrong with a text that describes simulated kernels: nobody else would say.
    pub(crate) mistake: Option<String>,
}

impl From<CUresult> for BadImage {
    fn from(code: CUresult) -> Self {
        Self { code, mistake: None }
    }
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
            parameters: None,
        }
    }
}

impl Parameter {
    /// Parameters of these sizes and alignments, in bytes, one after the other.
    fn in_order(sizes: impl IntoIterator<Item = (usize, usize)>) -> Vec<Self> {
        let mut end = 0_usize;
        let place = |(size, alignment): (usize, usize)| {
            let offset = end.next_multiple_of(alignment.max(1));
            end = offset + size;
            Self { offset, size }
        };
        sizes.into_iter().map(place).collect()
    }
}

impl Image {
    /// Reads an image that ends where it says itself.
    ///
    /// # Safety
    ///
    /// `image` must point to an image of one of the known kinds, or to a string that ends in a zero byte.
    pub(crate) unsafe fn read(image: *const u8) -> Result<Self, BadImage> {
        // SAFETY: passed on.
        Self::from_bytes(unsafe { source::whole(image) }?)
    }

    /// Reads the contents of a file.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, BadImage> {
        if bytes.starts_with(simkern::MAGIC) {
            return simkern::parse(text(bytes)?)
                .map_err(|mistake| BadImage { code: CUresult::INVALID_IMAGE, mistake: Some(mistake) });
        }
        if bytes.starts_with(elf::MAGIC) {
            return elf::parse(bytes).ok_or_else(|| CUresult::INVALID_IMAGE.into());
        }
        if bytes.starts_with(fatbin::MAGIC) {
            return fatbin::parse(bytes).ok_or_else(|| CUresult::INVALID_IMAGE.into());
        }
        ptx::parse(text(bytes)?)
    }

    /// The kernel of that name.
    pub(crate) fn kernel(&self, name: &str) -> Option<KernelSpec> {
        let known = self.kernels.iter().find(|kernel| kernel.name == name).cloned();
        known.or_else(|| self.is_opaque.then(|| KernelSpec::named(name)))
    }

    /// The variable of that name.
    pub(crate) fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// The names of its kernels, in order; 801 when not all of them are known.
    pub(crate) fn names(&self) -> Outcome<Vec<String>> {
        if self.is_opaque {
            return Err(CUresult::NOT_SUPPORTED);
        }
        Ok(self.kernels.iter().map(|kernel| kernel.name.clone()).collect())
    }

    /// Takes in what another image has.
    pub(crate) fn join(&mut self, other: Self) {
        self.kernels.extend(other.kernels);
        self.variables.extend(other.variables);
        self.is_opaque |= other.is_opaque;
        self.code += other.code;
        self.needs_heap |= other.needs_heap;
    }

    /// Bytes that its code takes on a device.
    pub(crate) fn code_bytes(&self) -> usize {
        self.code.max(LEAST_CODE * (self.kernels.len() + usize::from(self.is_opaque)))
    }

    /// A text that is read as this image again, without the contents of variables.
    pub(crate) fn to_text(&self) -> String {
        simkern::render(self)
    }
}

/// A text up to its first zero byte.
fn text(bytes: &[u8]) -> Result<&str, BadImage> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    str::from_utf8(&bytes[..end]).map_err(|_| CUresult::INVALID_IMAGE.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_image_is_refused() {
        assert_eq!(Image::from_bytes(b"junk"), Err(CUresult::INVALID_PTX.into()));
        assert_eq!(Image::from_bytes(b"\xff\xfe"), Err(CUresult::INVALID_IMAGE.into()));
        for cut in ["\x7fELF", "\x50", "\x7fELF\x02\x01"] {
            assert!(Image::from_bytes(cut.as_bytes()).is_err());
        }
    }

    #[test]
    fn an_opaque_image_has_every_kernel_and_another_only_its_own() {
        let mut image = Image { kernels: vec![KernelSpec::named("a")], ..Image::default() };
        assert_eq!((image.kernel("a"), image.kernel("b")), (Some(KernelSpec::named("a")), None));
        image.join(Image { is_opaque: true, ..Image::default() });
        assert_eq!(image.kernel("b"), Some(KernelSpec::named("b")));
    }

    #[test]
    fn parameters_lie_at_multiples_of_their_alignment() {
        let placed = Parameter::in_order([(8, 8), (1, 1), (4, 4), (24, 8)]);
        assert_eq!(placed.iter().map(|one| one.offset).collect::<Vec<_>>(), [0, 8, 12, 16]);
    }
}
