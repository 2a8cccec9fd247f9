//! The log of Amazon's Classic ELB. Its time is that of the request's arrival.

use super::FormatEntry;
use super::layout_format::first_fitting;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "elb",
    summary: "Amazon's Classic ELB",
    source: concat!(
        "https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/",
        "access-log-collection.html"
    ),
    example: include_str!("examples/elb.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[WITH_AGENT, WITHOUT_AGENT], false, head, wanted),
};

const WITH_AGENT: &str = concat!(
    "{iso} {-elb} {address_port} {-backend} {duration_part} {duration_part} {duration_part} ",
    "{status} {-backend_status} {-received_bytes} {bytes} \"{request}\" \"{agent}\"",
);
/// Its form until 2014.
const WITHOUT_AGENT: &str = concat!(
    "{iso} {-elb} {address_port} {-backend} {duration_part} {duration_part} {duration_part} ",
    "{status} {-backend_status} {-received_bytes} {bytes} \"{request}\"",
);
