//! The table of a link in a system file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::Scalar;

/// A line between clients and servers, or between servers, over which TCP carries requests one way
/// and responses the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct LinkTable {
    /// The name in all tables and charts.
    pub name: String,
    /// The time that a packet travels one way, as in `"25ms"`; a round trip takes twice as long. 0
    /// by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Scalar>,
    /// The delay is drawn evenly from as much below it to as much above it, anew for each round of
    /// packets; 0 by default, and at most the delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Scalar>,
    /// The rate of the link in either direction, as in `"10Mbit/s"` or `"1.25MB/s"`;
    /// without it packets never wait for one another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Scalar>,
    /// What may wait for the rate in either direction before packets are dropped, as in `"125kB"`;
    /// 100 ms of the rate by default, 30 kB at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Scalar>,
    /// The probability that a packet is lost, each by itself, in either direction, as in `"1%"`;
    /// below a half, 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Scalar>,
    /// Which requests set up a connection of TCP before they are sent: `"per-request"` (all),
    /// `"per-session"` (the first of each session) or `"keep-alive"` (none); by default as the
    /// workload says of its clients' `connections`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<String>,
    /// The rule by which TCP's window grows without losses and shrinks after one: `"cubic"`, the
    /// default, as of most servers, or `"reno"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub congestion_control: Option<String>,
    /// The number of segments that are sent before the first acknowledgement, 1 to 1000; 10 by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_window: Option<u32>,
    /// The bytes of a response that a segment carries, from 1 B to 64 KiB; 1448 bytes by default,
    /// which with headers of 52 bytes are a packet of 1500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<Scalar>,
    /// The retransmission timeout is at least this much longer than a round trip; 200 ms by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_timeout: Option<Scalar>,
}
