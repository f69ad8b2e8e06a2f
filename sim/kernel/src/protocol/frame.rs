//! Frames: a little-endian length of 32 bits, then so many bytes of postcard.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest frame that is accepted. The longest honest one is a process list.
const LONGEST: usize = 4 << 20;

/// Bytes of the length.
const HEADER: usize = 4;

/// A frame that breaks the rules above: whoever sent it does not speak this protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// The frame of a message.
///
/// # Errors
/// The message is longer than a frame may be.
pub(crate) fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, Malformed> {
    let mut frame = postcard::to_extend(message, vec![0; HEADER]).map_err(|_| Malformed)?;
    let length = frame.len() - HEADER;
    if length > LONGEST {
        return Err(Malformed);
    }
    let length = u32::try_from(length).map_err(|_| Malformed)?;
    frame[..HEADER].copy_from_slice(&length.to_le_bytes());
    Ok(frame)
}

/// The message in the body of a frame, all of it.
///
/// # Errors
/// The bytes are not exactly one message of this type.
pub(crate) fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, Malformed> {
    match postcard::take_from_bytes(body) {
        Ok((message, [])) => Ok(message),
        _ => Err(Malformed),
    }
}

/// Puts frames together from the bytes of a stream, however they arrive.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    bytes: Vec<u8>,
}

impl Assembler {
    /// Adds bytes as they came.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The body of the next frame, once all of it is there.
    ///
    /// # Errors
    /// The next frame claims to be too long.
    pub(crate) fn next_body(&mut self) -> Result<Option<Vec<u8>>, Malformed> {
        let Some(header) = self.bytes.first_chunk::<HEADER>() else { return Ok(None) };
        let length = usize::try_from(u32::from_le_bytes(*header)).map_err(|_| Malformed)?;
        if length > LONGEST {
            return Err(Malformed);
        }
        if self.bytes.len() < HEADER + length {
            return Ok(None);
        }
        let rest = self.bytes.split_off(HEADER + length);
        let mut frame = std::mem::replace(&mut self.bytes, rest);
        frame.drain(..HEADER);
        Ok(Some(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_arriving_byte_by_byte() {
        let mut assembler = Assembler::default();
        let mut seen = Vec::new();
        let sent = ["one".to_owned(), String::new(), "three".to_owned()];
        for byte in sent.iter().flat_map(|message| encode(message).expect("short")) {
            assembler.push(&[byte]);
            while let Some(body) = assembler.next_body().expect("well formed") {
                seen.push(decode::<String>(&body).expect("a string"));
            }
        }
        assert_eq!(seen, sent);
    }

    #[test]
    fn a_frame_that_claims_gigabytes_is_refused_at_once() {
        let mut assembler = Assembler::default();
        assembler.push(&u32::MAX.to_le_bytes());
        assert_eq!(assembler.next_body(), Err(Malformed));
        assert_eq!(encode(&vec![0_u8; LONGEST]), Err(Malformed));
    }

    #[test]
    fn trailing_bytes_are_no_message() {
        assert_eq!(decode::<u8>(&[1, 2]), Err(Malformed));
        assert_eq!(decode::<u8>(&[]), Err(Malformed));
        assert_eq!(decode::<u8>(&[7]), Ok(7));
    }
}
