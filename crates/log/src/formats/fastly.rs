//! Fastly's JSON lines, as its examples of log formats write them. Their times are those of the
//! request's begin (`time.start`), and `time_elapsed` is in microseconds (`time.elapsed.usec`).

use super::FormatEntry;
use super::dialect::Dialect;
use crate::field::Field;
use crate::time::MICROSECOND;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "fastly",
    summary: "Fastly's JSON lines, with the keys of its examples",
    source: concat!(
        "https://www.fastly.com/documentation/guides/integrations/streaming-logs/",
        "useful-variables-to-log"
    ),
    example: include_str!("examples/fastly.log"),
    argument: None,
    open: |head, wanted| DIALECT.open(head, wanted),
};

const DIALECT: Dialect = Dialect {
    marks: &[
        &["url", "fastly_server"],
        &["url", "fastly_is_edge"],
        &["url", "time_elapsed", "service_id"],
        &["url", "time_elapsed", "is_tls"],
        &["url", "time_elapsed", "cache_status"],
    ],
    fields: &[
        ("timestamp", Field::AnyTime),
        ("time_start", Field::AnyTime),
        ("time_elapsed", Field::Duration(MICROSECOND)),
        ("client_ip", Field::Address),
        ("request", Field::Method),
        ("request_method", Field::Method),
        ("url", Field::Url),
        ("host", Field::Host),
        ("protocol", Field::Protocol),
        ("request_protocol", Field::Protocol),
        ("request_referer", Field::Referrer),
        ("request_user_agent", Field::Agent),
        ("status", Field::Status),
        ("response_status", Field::Status),
        ("resp_body_size", Field::Bytes),
        ("response_body_size", Field::Bytes),
    ],
    ends: false,
};
