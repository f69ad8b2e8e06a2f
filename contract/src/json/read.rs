//! From text to a value.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::Json;

/// The longest text that is read: no annotation is longer, since all of an object's together may have so many bytes.
pub const MAX_LEN: usize = 256 << 10;

/// How deep lists and objects may lie in each other.
pub const MAX_DEPTH: usize = 16;

/// The text is no JSON, or not such as is read here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Bytes before the fault.
    pub at: usize,
    /// What is wrong there.
    pub fault: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is not JSON: {} at byte {}", self.fault, self.at)
    }
}

impl std::error::Error for JsonError {}

impl FromStr for Json {
    type Err = JsonError;

    fn from_str(text: &str) -> Result<Self, JsonError> {
        if text.len() > MAX_LEN {
            return Err(JsonError { at: MAX_LEN, fault: "too long" });
        }
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.skip_blanks();
        if reader.at == text.len() { Ok(value) } else { Err(reader.fault("something after its end")) }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    const fn fault(&self, fault: &'static str) -> JsonError {
        JsonError { at: self.at, fault }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Whether `byte` comes next, after blanks; then it is passed.
    fn passes(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let comes = self.peek() == Some(byte);
        self.at += usize::from(comes);
        comes
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        if depth > MAX_DEPTH {
            return Err(self.fault("too deep a nesting"));
        }
        self.skip_blanks();
        match self.peek() {
            None => Err(self.fault("an end where a value should be")),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.word(),
        }
    }

    fn word(&mut self) -> Result<Json, JsonError> {
        let words = [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))];
        for (word, value) in words {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.fault("no value"))
    }

    fn list(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        let mut items = Vec::new();
        if self.passes(b']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.passes(b']') {
                return Ok(Json::List(items));
            }
            if !self.passes(b',') {
                return Err(self.fault("neither `,` nor `]`"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.at += 1;
        let (mut fields, mut names) = (Vec::new(), BTreeSet::new());
        if self.passes(b'}') {
            return Ok(Json::Object(fields));
        }
        loop {
            self.skip_blanks();
            let name = self.string()?;
            if !names.insert(name.clone()) {
                return Err(self.fault("a name for the second time"));
            }
            if !self.passes(b':') {
                return Err(self.fault("no `:`"));
            }
            fields.push((name, self.value(depth + 1)?));
            if self.passes(b'}') {
                return Ok(Json::Object(fields));
            }
            if !self.passes(b',') {
                return Err(self.fault("neither `,` nor `}`"));
            }
        }
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let begins_with_zero = self.peek() == Some(b'0');
        let digits = self.digits()?;
        if begins_with_zero && digits > 1 {
            return Err(self.fault("a number with a zero before it"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(Json::Number(self.text.get(start..self.at).unwrap_or_default().to_owned()))
    }

    /// Passes one or more digits, and says how many.
    fn digits(&mut self) -> Result<usize, JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.fault("no digit")) } else { Ok(self.at - start) }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("no `\"`"));
        }
        self.at += 1;
        let mut text = String::new();
        loop {
            let character = self.rest().chars().next().ok_or_else(|| self.fault("no end of a text"))?;
            if u32::from(character) < 0x20 {
                return Err(self.fault("a control character in a text"));
            }
            self.at += character.len_utf8();
            match character {
                '"' => return Ok(text),
                '\\' => text.push(self.escaped()?),
                other => text.push(other),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, JsonError> {
        let letter = self.peek().ok_or_else(|| self.fault("no end of a text"))?;
        let character = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.code_point(),
            _ => return Err(self.fault("an unknown escape")),
        };
        self.at += 1;
        Ok(character)
    }

    /// What `\uXXXX` stands for, or two of them for what lies beyond 16 bits.
    fn code_point(&mut self) -> Result<char, JsonError> {
        let first = self.unit()?;
        if !matches!(first, 0xD800..=0xDBFF) {
            return char::from_u32(first).ok_or_else(|| self.fault("half a character"));
        }
        if self.peek() != Some(b'\\') {
            return Err(self.fault("half a character"));
        }
        self.at += 1;
        let second = self.unit()?;
        if !matches!(second, 0xDC00..=0xDFFF) {
            return Err(self.fault("half a character"));
        }
        let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        char::from_u32(code).ok_or_else(|| self.fault("half a character"))
    }

    /// One `uXXXX`.
    fn unit(&mut self) -> Result<u32, JsonError> {
        if self.peek() != Some(b'u') {
            return Err(self.fault("half a character"));
        }
        let digits = self.text.get(self.at + 1..self.at + 5).unwrap_or_default();
        if digits.len() != 4 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(self.fault("no four hexadecimal digits"));
        }
        self.at += 5;
        u32::from_str_radix(digits, 16).map_err(|_| self.fault("no four hexadecimal digits"))
    }
}
