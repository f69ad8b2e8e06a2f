//! Arguments of a call, as text.

use std::ffi::{CStr, CString};

/// What places for output hold before a call: nothing that a driver writes.
const UNTOUCHED: u64 = 0x5a5a_5a5a_5a5a_5a5a;

/// Words of a structure that is passed in.
const STRUCTURE: usize = 16;

/// Bytes of a place for text.
const TEXT: usize = 96;

/// One argument, and where its output goes.
pub(crate) enum Argument {
    /// `17` or `0x11`: an integer, a handle or a device address. `null` is 0.
    Number(u64),
    /// `'text'`: a C string.
    Text(CString),
    /// `out`: a place for 8 bytes; `out*3`: for three times as many, side by side. `out=5*3`: the first 8 bytes are the
    /// number 5 and no output, as the version of a structure is.
    Out { words: Vec<u64>, given: bool },
    /// `in=1,2`: a structure of these 8-byte words, and of zeros from there on.
    In([u64; STRUCTURE]),
    /// `text`: a place for a C string.
    OutText(Box<[u8; TEXT]>),
}

impl Argument {
    pub(crate) fn parse(word: &str) -> Option<Self> {
        if let Some(text) = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\'')) {
            return CString::new(text).ok().map(Self::Text);
        }
        if let Some(words) = word.strip_prefix("in=") {
            return parse_in(words);
        }
        if let Some(rest) = word.strip_prefix("out") {
            return Self::parse_out(rest);
        }
        match word {
            "text" => Some(Self::OutText(Box::new([0; TEXT]))),
            "null" => Some(Self::Number(0)),
            _ => number(word).map(Self::Number),
        }
    }

    fn parse_out(rest: &str) -> Option<Self> {
        let (first, count) = match rest.split_once('*') {
            Some((first, count)) => (first, count.parse().ok()?),
            None => (rest, 1),
        };
        let mut words = vec![UNTOUCHED; count];
        let first = match first.strip_prefix('=') {
            Some(digits) => Some(number(digits)?),
            None if first.is_empty() => None,
            None => return None,
        };
        if let Some(first) = first {
            *words.first_mut()? = first;
        }
        Some(Self::Out { words, given: first.is_some() })
    }

    /// What is passed to the function. Pointers are valid for as long as `self`.
    pub(crate) fn word(&mut self) -> u64 {
        let address = match self {
            Self::Number(number) => return *number,
            Self::Text(text) => text.as_ptr().expose_provenance(),
            Self::Out { words, .. } => words.as_mut_ptr().expose_provenance(),
            Self::In(words) => words.as_ptr().expose_provenance(),
            Self::OutText(text) => text.as_mut_ptr().expose_provenance(),
        };
        address as u64
    }

    /// Whether an output was written to.
    pub(crate) fn is_changed(&self) -> bool {
        match self {
            Self::Number(_) | Self::Text(_) | Self::In(_) => false,
            Self::Out { .. } => self.outputs().any(|word| *word != UNTOUCHED),
            Self::OutText(text) => text.iter().any(|byte| *byte != 0),
        }
    }

    /// What was written, each with a space before it.
    pub(crate) fn output(&self) -> String {
        match self {
            Self::OutText(text) => {
                let text = CStr::from_bytes_until_nul(text.as_slice()).unwrap_or_default();
                format!(" {}", text.to_string_lossy())
            }
            _ => self.outputs().map(|word| format!(" {}", shortened(*word))).collect(),
        }
    }

    fn outputs(&self) -> impl Iterator<Item = &u64> {
        let (words, given) = match self {
            Self::Out { words, given } => (words.as_slice(), usize::from(*given)),
            _ => (&[][..], 0),
        };
        words.iter().skip(given)
    }
}

fn parse_in(text: &str) -> Option<Argument> {
    let mut words = [0; STRUCTURE];
    let mut places = words.iter_mut();
    for digits in text.split(',') {
        *places.next()? = number(digits)?;
    }
    Some(Argument::In(words))
}

/// A call that writes 32 bits leaves the other half of its place alone, which is then no part of the answer.
fn shortened(word: u64) -> u64 {
    let [low, high] = [word & u64::from(u32::MAX), word >> 32];
    if cfg!(target_endian = "little") && high == UNTOUCHED >> 32 { low } else { word }
}

pub(crate) fn number(word: &str) -> Option<u64> {
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok().or_else(|| word.parse().ok().map(i64::cast_unsigned)),
    }
}
