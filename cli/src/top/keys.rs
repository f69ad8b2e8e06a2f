//! What the bytes of a terminal mean as keys. Nothing here waits for the rest of a sequence: a key that never comes whole
//! must not hold up the view.

/// What somebody pressed, as far as it means something to the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Character(char),
    Escape,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    /// The key that interrupts a program: Ctrl-C.
    Interrupt,
    /// The key that stops it: Ctrl-Z.
    Stop,
}

/// The byte that every sequence begins with, and that the key of this name sends alone.
const ESCAPE: u8 = 0x1b;
/// No key sends more bytes.
const LONGEST: usize = 32;

/// The bytes that have come and are not yet a key.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pending: Vec<u8>,
}

impl Keys {
    /// The keys that are whole with these bytes.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Vec<Key> {
        bytes.iter().filter_map(|byte| self.next(*byte)).collect()
    }

    /// What is left when nothing has come for a while: the escape key alone, or part of something that is no key.
    pub(super) fn silence(&mut self) -> Option<Key> {
        (std::mem::take(&mut self.pending) == [ESCAPE]).then_some(Key::Escape)
    }

    fn next(&mut self, byte: u8) -> Option<Key> {
        if byte == ESCAPE {
            // What stood before it is given up, and was a key of its own if it was another escape.
            let before = self.silence();
            self.pending.push(byte);
            return before;
        }
        match self.pending[..] {
            [] => single(byte),
            [_] if matches!(byte, b'[' | b'O') => {
                self.pending.push(byte);
                None
            }
            // A key together with Alt.
            [_] => {
                self.pending.clear();
                None
            }
            // Of a sequence, the last byte is the only one from this range.
            [..] if (b'@'..=b'~').contains(&byte) => {
                let sequence = std::mem::take(&mut self.pending);
                named(&sequence[2..], byte)
            }
            [..] => {
                self.pending.push(byte);
                self.pending.truncate(LONGEST);
                None
            }
        }
    }
}

fn single(byte: u8) -> Option<Key> {
    match byte {
        0x03 => Some(Key::Interrupt),
        0x1a => Some(Key::Stop),
        b' '..=b'~' => Some(Key::Character(char::from(byte))),
        _ => None,
    }
}

/// The key of a sequence by its parameters, of which the second says what was held down with it, and its last byte.
fn named(parameters: &[u8], last: u8) -> Option<Key> {
    let number = parameters.split(|byte| *byte == b';').next();
    Some(match (last, number) {
        (b'A', _) => Key::Up,
        (b'B', _) => Key::Down,
        (b'C', _) => Key::Right,
        (b'D', _) => Key::Left,
        (b'H', _) | (b'~', Some(b"1" | b"7")) => Key::Home,
        (b'F', _) | (b'~', Some(b"4" | b"8")) => Key::End,
        (b'~', Some(b"5")) => Key::PageUp,
        (b'~', Some(b"6")) => Key::PageDown,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<Key> {
        let mut keys = Keys::default();
        let mut read = keys.read(bytes);
        read.extend(keys.silence());
        read
    }

    #[test]
    fn the_keys_of_usual_terminals() {
        let table: [(&[u8], &[Key]); 12] = [
            (b"qs", &[Key::Character('q'), Key::Character('s')]),
            (b"\x03\x1a", &[Key::Interrupt, Key::Stop]),
            (b"\x1b[A\x1b[B\x1b[C\x1b[D", &[Key::Up, Key::Down, Key::Right, Key::Left]),
            (b"\x1bOA\x1bOB\x1bOH\x1bOF", &[Key::Up, Key::Down, Key::Home, Key::End]),
            (b"\x1b[5~\x1b[6~", &[Key::PageUp, Key::PageDown]),
            (b"\x1b[1~\x1b[7~\x1b[H", &[Key::Home, Key::Home, Key::Home]),
            (b"\x1b[4~\x1b[8~\x1b[F", &[Key::End, Key::End, Key::End]),
            (b"\x1b[1;5A\x1b[6;2~", &[Key::Up, Key::PageDown]),
            (b"\x1b", &[Key::Escape]),
            (b"\x1b\x1b", &[Key::Escape, Key::Escape]),
            (b"\x1b\x1b[A", &[Key::Escape, Key::Up]),
            (b"\x1bq", &[]),
        ];
        for (bytes, expected) in table {
            assert_eq!(keys(bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn what_is_no_key_is_passed_over() {
        let nothing: [&[u8]; 9] = [
            b"\0\x01\r\n\x7f",
            b"\xff\xfe\x80",
            "\u{6a21}\u{9b}".as_bytes(),
            b"\x1b[",
            b"\x1bO",
            b"\x1b[<0;1;1M",
            b"\x1b[999999999999;1R",
            b"\x1b[200~",
            b"\x1b[?1;2c",
        ];
        for bytes in nothing {
            assert_eq!(keys(bytes), [], "{}", bytes.escape_ascii());
            assert_eq!(keys(&[bytes, b"\x1b[A"].concat()), [Key::Up], "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn a_sequence_may_come_in_pieces_and_must_end() {
        let mut keys = Keys::default();
        assert_eq!((keys.read(b"\x1b"), keys.read(b"["), keys.read(b"A")), (vec![], vec![], vec![Key::Up]));
        assert_eq!(keys.read(b"\x1b[1"), []);
        assert_eq!(keys.silence(), None);
        assert_eq!(keys.read(b"q"), [Key::Character('q')]);
        keys.read(&[b"\x1b[".as_slice(), &[b'1'; 1 << 16]].concat());
        assert_eq!(keys.pending.len(), LONGEST);
    }
}
