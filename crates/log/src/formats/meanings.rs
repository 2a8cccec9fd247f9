//! The meanings that a named column may have, and the usual names of each.

use crate::field::Field;
use crate::time::{MICROSECOND, MILLISECOND, SECOND};

/// One meaning.
pub(super) struct Meaning {
    /// Its name in the user's mapping.
    pub(super) key: &'static str,
    pub(super) field: Field,
    /// Its usual names, the most telling first; in lower case, with `_` between words.
    pub(super) usual: &'static [&'static str],
}

macro_rules! meanings {
    ($($key:literal: $field:expr, [$($usual:literal),* $(,)?];)+) => {
        pub(super) const MEANINGS: &[Meaning] =
            &[$(Meaning { key: $key, field: $field, usual: &[$($usual),*] }),+];
    };
}

meanings! {
    "time": Field::AnyTime, [
        "start_time", "started_at", "starteddatetime", "started_date_time", "begin",
        "request_creation_time", "edge_start_timestamp", "request_time_epoch", "req_time_sec",
        "proto_payload_start_time",
    ];
    "end": Field::AnyTime, [
        "msec", "time_iso8601", "time_local", "end", "end_time", "finished_at",
        "edge_end_timestamp",
    ];
    "stamp": Field::AnyTime, [
        "time", "timestamp", "ts", "datetime", "date_time", "date", "time_stamp", "asctime",
        "event_time", "time_generated",
    ];
    "duration_ns": Field::Duration(1), [
        "duration_ns", "elapsed_ns", "event_duration", "latency_ns", "duration_nanos",
        "total_ns",
    ];
    "duration_us": Field::Duration(MICROSECOND), [
        "duration_us", "elapsed_us", "request_time_us", "time_us", "latency_us",
        "response_time_us", "duration_micros", "reqtime_microsec", "reqtime_us",
    ];
    "duration_ms": Field::Duration(MILLISECOND), [
        "duration_ms", "elapsed_ms", "request_time_ms", "response_time_ms", "time_taken_ms",
        "took_ms", "time_ms", "latency_ms", "elapsed_milliseconds", "duration_millis",
        "duration_in_ms",
        // Of AWS API Gateway and of Kong.
        "response_latency", "latencies_request",
    ];
    "duration_s": Field::Duration(SECOND), [];
    "duration": Field::AnyDuration, [
        "duration", "request_time", "request_duration", "elapsed", "time_taken", "took",
        "response_time", "duration_s", "elapsed_s", "request_time_s", "response_time_s",
        "time_taken_s", "took_s", "latency_human", "properties_time_taken",
        "responsetime", "elapsed_time", "duration_seconds", "duration_sec", "elapsed_seconds",
        "latency_s", "latency_seconds", "proto_payload_latency", "reqtime",
        // Of OpenTelemetry's conventions, in seconds.
        "http_server_request_duration", "server_request_duration",
    ];
    "address": Field::Address, [
        "client_ip", "clientip", "remote_addr", "remote_ip", "remote_address", "client_address",
        "ip", "address", "c_ip", "source_ip", "remote_host", "client",
        "client_addr", "client_host", "real_ip", "x_real_ip", "src_ip", "src", "peer",
        "source_address", "properties_client_ip", "id_orig_h", "caller_ip_address",
        "client_ip_address", "cli_ip", "proxy_client_ip", "remote",
    ];
    "forwarded": Field::Forwarded, [
        "http_x_forwarded_for", "x_forwarded_for", "forwardedfor", "forwarded_for",
    ];
    "agent": Field::Agent, [
        "http_user_agent", "user_agent", "useragent", "agent", "client_request_user_agent",
        "user_agent_original", "properties_user_agent", "cs(user_agent)", "ua",
        "proxy_user_agent",
    ];
    "user": Field::User, ["remote_user", "user_id", "userid", "user_name", "username", "user"];
    "method": Field::Method, [
        "request_method", "http_method", "method", "verb", "client_request_method",
        "http_request_method", "properties_http_method", "req_method", "cs_method",
        "request_verb", "proxy_method",
    ];
    "host": Field::Host, [
        "http_host", "host", "server_name", "vhost", "client_request_host", "url_domain",
        "properties_host", "properties_host_name", "req_host", "x_host_header", "cs_host",
        "authority", "proxy_host",
    ];
    "request": Field::Request, ["request", "request_line", "req"];
    "url": Field::Url, [
        "request_uri", "uri", "url", "path", "target", "request_path", "client_request_uri",
        "url_original", "url_path", "url_full", "uri_path", "resource_path",
        "properties_request_uri", "http_uri", "requested_uri", "req_path", "request_url",
        "cs_uri_stem", "cs_uri", "resource", "proxy_path",
    ];
    "query": Field::Query, ["args", "query_string", "query", "cs_uri_query", "query_str"];
    "protocol": Field::Protocol, [
        "server_protocol", "protocol", "proto", "http_version", "client_request_protocol",
    ];
    "status": Field::Status, [
        "status", "status_code", "response_code", "http_status", "code", "edge_response_status",
        "http_response_status_code", "properties_http_status", "properties_http_status_code",
        "response_status", "sc_status", "elb_status_code", "proxy_status_code",
    ];
    "bytes": Field::Bytes, [
        "body_bytes_sent", "bytes_sent", "response_bytes", "response_size", "bytes", "size",
        "content_length", "edge_response_bytes", "http_response_body_bytes", "response_length",
        "bytes_out", "length", "properties_sent_bytes", "properties_response_bytes",
        "response_body_len", "sc_bytes", "response_body_size", "proxy_response_byte_size",
    ];
    "referrer": Field::Referrer, [
        "http_referer", "http_referrer", "referer", "referrer", "client_request_referer",
        "http_request_referrer", "cs(referer)",
    ];
}

impl Meaning {
    /// A file has one column for each kind of meaning.
    pub(super) fn kind(&self) -> &'static str {
        match self.key {
            "time" | "end" | "stamp" => "time",
            "duration_ns" | "duration_us" | "duration_ms" | "duration_s" => "duration",
            // A request line, if present, has the client's own target.
            "url" => "request",
            key => key,
        }
    }
}
