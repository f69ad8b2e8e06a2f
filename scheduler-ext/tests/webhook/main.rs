//! The webhook as API servers see it: over TLS, with certificates that change, beside an API server that the test plays.

mod api;
mod client;
mod files;
mod http;
mod own;
