//! Amazon's CloudFront: the W3C's format with tabs. Its time is that of the request's end.

use super::{FormatEntry, w3c};

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "cloudfront",
    summary: "Amazon's CloudFront, standard logs as text",
    source: concat!(
        "https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/",
        "standard-logs-reference.html"
    ),
    example: include_str!("examples/cloudfront.log"),
    argument: None,
    open: |head, wanted| w3c::open(w3c::CLOUDFRONT, head, wanted),
};
