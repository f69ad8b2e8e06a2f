//! Whether pods are bound from here.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

use crate::leader::Leader;

/// Asks the leader when it is asked.
#[derive(Debug)]
pub struct Leading(pub Arc<Leader>);

impl Collector for Leading {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let help = "1: pods are bound from here. 0: another replica binds them, or none.";
        let metric = encoder.encode_descriptor("leading", help, None, MetricType::Gauge)?;
        ConstGauge::new(i64::from(self.0.is_leading())).encode(metric)
    }
}
