//! The log of Amazon's ALB. Its first time is that of the response's end; the later
//! `request_creation_time` is that of the arrival, and is used.

use super::FormatEntry;
use super::layout_format::first_fitting;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "alb",
    summary: "Amazon's ALB",
    source: "https://docs.aws.amazon.com/elasticloadbalancing/latest/application/access-logs.html",
    example: include_str!("examples/alb.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[TEMPLATE], false, head, wanted),
};

const TEMPLATE: &str = concat!(
    "{-type} {-time} {-elb} {address_port} {-target} {duration_part} {duration_part} ",
    "{duration_part} {status} {-target_status} {-received_bytes} {bytes} \"{request}\" ",
    "\"{agent}\" {-ssl_cipher} {-ssl_protocol} {-target_group_arn} \"{-trace_id}\" \"{host}\" ",
    "\"{-chosen_cert_arn}\" {-matched_rule_priority} {iso}",
);
