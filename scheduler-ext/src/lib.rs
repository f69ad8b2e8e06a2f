//! Places vGPU pods beside an unmodified kube-scheduler.
//!
//! ```text
//! kube-scheduler ── filter, prioritize, bind, preempt ──> extender ── asks and reserves ──> ledger <── watches ── API server
//! API server ────── pods that are to be made ───────────> admission
//! ```
//!
//! [`api`] is what is read of Kubernetes' objects, [`request`] what a pod asks for, [`ledger`] what every node has and every pod
//! holds, [`watch`] keeps it so, [`leader`] says which replica binds, [`admission`] what becomes of a pod before it is stored,
//! [`extender`] answers kube-scheduler, [`settings`] is the command line, [`explain`] says in words why a pod waits; `placement`
//! decides what fits.

#![forbid(unsafe_code)]

pub mod admission;
pub mod api;
pub mod explain;
pub mod extender;
pub mod leader;
pub mod ledger;
pub mod metrics;
pub mod request;
pub mod run;
pub mod serve;
pub mod settings;
pub mod watch;
