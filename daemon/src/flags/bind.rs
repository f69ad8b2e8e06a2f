//! Where something is served over the network.

use core::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::fmt;
use std::str::FromStr;

/// Addresses to listen at: the first of them that can be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind(Vec<SocketAddr>);

/// The text is no address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindError(String);

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is no address to listen at: write :PORT, ADDRESS:PORT as in 127.0.0.1:9394 or [::1]:9394, or 0 for none",
            self.0
        )
    }
}

impl std::error::Error for BindError {}

impl Bind {
    /// The addresses; none: nothing is served.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.0
    }
}

impl FromStr for Bind {
    type Err = BindError;

    fn from_str(text: &str) -> Result<Self, BindError> {
        let error = || BindError(text.to_owned());
        if text == "0" {
            return Ok(Self(Vec::new()));
        }
        match text.strip_prefix(':') {
            Some(port) => {
                let port = port.parse().map_err(|_| error())?;
                // Where there is no IPv6, only the second.
                Ok(Self(vec![(Ipv6Addr::UNSPECIFIED, port).into(), (Ipv4Addr::UNSPECIFIED, port).into()]))
            }
            None => Ok(Self(vec![text.parse().map_err(|_| error())?])),
        }
    }
}

impl fmt::Display for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [] => f.write_str("0"),
            [one] => one.fmt(f),
            [first, ..] => write!(f, ":{}", first.port()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for (text, count) in [("0", 0), (":9394", 2), ("127.0.0.1:80", 1), ("[::1]:80", 1)] {
            let bind: Bind = text.parse().unwrap();
            assert_eq!((bind.addresses().len(), bind.to_string().as_str()), (count, text));
        }
        for text in ["", ":", "9394", ":99999", "localhost:80", "::1:80"] {
            assert!(
                text.parse::<Bind>().unwrap_err().to_string().starts_with(&format!("{text} is no")),
                "{text}"
            );
        }
    }
}
