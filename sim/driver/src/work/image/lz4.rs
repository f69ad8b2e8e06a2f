//! Decompression of LZ4 blocks, as fat binaries have them.

/// The shortest match; lengths count from it.
const LEAST_MATCH: usize = 4;
/// A length of four bits with this value goes on in the next bytes.
const MORE: usize = 15;

/// The bytes of a block of exactly `size` decompressed bytes; `None` when it is damaged.
pub(super) fn decompress(block: &[u8], size: usize) -> Option<Vec<u8>> {
    let (mut input, mut output) = (block.iter().copied(), Vec::new());
    while output.len() < size {
        let token = usize::from(input.next()?);
        let literals = length(token >> 4, &mut input)?;
        if literals > size - output.len() || literals > input.len() {
            return None;
        }
        output.extend(input.by_ref().take(literals));
        if output.len() == size {
            break;
        }
        let distance = usize::from(u16::from_le_bytes([input.next()?, input.next()?]));
        let count = length(token & MORE, &mut input)?.checked_add(LEAST_MATCH)?;
        let start = output.len().checked_sub(distance).filter(|_| distance > 0)?;
        if count > size - output.len() {
            return None;
        }
        // Byte by byte: a match may overlap what it makes.
        for at in start..start + count {
            output.push(output[at]);
        }
    }
    Some(output)
}

fn length(nibble: usize, input: &mut impl Iterator<Item = u8>) -> Option<usize> {
    let mut length = nibble;
    if nibble == MORE {
        loop {
            let more = input.next()?;
            length = length.checked_add(usize::from(more))?;
            if more != u8::MAX {
                break;
            }
        }
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_overlapping_matches_come_back() {
        // Two literals, then a match of 4 + 6 at distance 2, then one literal.
        let block = [0x26, b'a', b'b', 2, 0, 0x10, b'!'];
        assert_eq!(
            decompress(&block, 13).as_deref(),
            Some(&b"ababababababababab"[..12]).map(|_| &b"abababababab!"[..])
        );
    }

    #[test]
    fn long_lengths_go_on_in_further_bytes() {
        let mut block = vec![0xf0, 255, 30];
        block.extend([7; 300]);
        assert_eq!(decompress(&block, 300), Some(vec![7; 300]));
    }

    #[test]
    fn damage_is_found() {
        for (block, size) in
            [(&[0x10][..], 1), (&[0x00, 9, 0][..], 4), (&[0x10, 1, 0, 0][..], 9), (&[][..], 1)]
        {
            assert_eq!(decompress(block, size), None, "{block:?}");
        }
    }
}
