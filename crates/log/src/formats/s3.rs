//! Amazon S3's server access logs. Their time is that of the request's arrival, and the total time
//! is in milliseconds.

use super::FormatEntry;
use super::layout_format::first_fitting;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "s3",
    summary: "Amazon S3's server access log",
    source: "https://docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html",
    example: include_str!("examples/s3.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[WITH_VERSION, WITHOUT], false, head, wanted),
};

macro_rules! without_version {
    () => {
        concat!(
            "{-owner} {-bucket} [{clf}] {address} {-requester} {-request_id} {-operation} {-key} ",
            "\"{request}\" {status} {-error_code} {bytes_or_dash} {-object_size} {duration_ms} ",
            "{-turn_around} \"{referrer}\" \"{agent}\"",
        )
    };
}

const WITH_VERSION: &str = concat!(without_version!(), " {-version}");
/// As it was before objects had versions.
const WITHOUT: &str = without_version!();
