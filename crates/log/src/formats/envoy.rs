//! Envoy's access log, as its default text, as Istio's default text, and as JSON with the keys that
//! Istio and Envoy Gateway give it. The time is that of the request's begin (`%START_TIME%`), and
//! durations are milliseconds (`%DURATION%`).

use super::FormatEntry;
use super::dialect::Dialect;
use super::layout_format::first_fitting;
use crate::field::Field;
use crate::time::MILLISECOND;

const SOURCE: &str =
    "https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage";

pub(super) static TEXT: FormatEntry = FormatEntry {
    name: "envoy",
    summary: "Envoy's default text, or Istio's",
    source: SOURCE,
    example: include_str!("examples/envoy.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[ISTIO, DEFAULT], false, head, wanted),
};

pub(super) static JSON: FormatEntry = FormatEntry {
    name: "envoy-json",
    summary: "Envoy's JSON lines with the usual keys, as Istio and Envoy Gateway have them",
    source: SOURCE,
    example: include_str!("examples/envoy-json.log"),
    argument: None,
    open: |head, wanted| DIALECT.open(head, wanted),
};

/// The client's address is in `X-Forwarded-For` alone.
const DEFAULT: &str = concat!(
    "[{iso}] \"{request}\" {status} {-flags} {-bytes_received} {bytes} {duration_ms} ",
    "{-upstream_service_time} \"{forwarded}\" \"{agent}\" \"{-request_id}\" \"{host}\" ",
    "\"{-upstream_host}\"",
);
/// <https://istio.io/latest/docs/tasks/observability/logs/access-log/>
const ISTIO: &str = concat!(
    "[{iso}] \"{request}\" {status} {-flags} {-code_details} {-termination_details} ",
    "\"{-transport_failure}\" {-bytes_received} {bytes} {duration_ms} ",
    "{-upstream_service_time} \"{forwarded}\" \"{agent}\" \"{-request_id}\" \"{host}\" ",
    "\"{-upstream_host}\" {-cluster} {-upstream_local} {-downstream_local} {address_port}",
);

const DIALECT: Dialect = Dialect {
    marks: &[
        &["start_time", "response_code", "response_flags"],
        &["start_time", "response_code", "upstream_host"],
        &["start_time", "response_code", "upstream_cluster"],
    ],
    fields: &[
        ("start_time", Field::AnyTime),
        ("duration", Field::Duration(MILLISECOND)),
        ("method", Field::Method),
        ("path", Field::Url),
        ("x-envoy-origin-path", Field::Url),
        ("protocol", Field::Protocol),
        ("response_code", Field::Status),
        ("bytes_sent", Field::Bytes),
        ("downstream_remote_address", Field::AddressPort),
        ("x_forwarded_for", Field::Forwarded),
        ("x-forwarded-for", Field::Forwarded),
        ("user_agent", Field::Agent),
        ("user-agent", Field::Agent),
        ("authority", Field::Host),
        (":authority", Field::Host),
    ],
    ends: false,
};
