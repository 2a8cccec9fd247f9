//! Any `LogFormat` of Apache.

use std::sync::Arc;

use super::layout_format::LayoutFormat;
use super::{Format, FormatEntry};
use crate::layout::apache_log_format;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "apache",
    summary: "a LogFormat of Apache's, given after a colon",
    source: "https://httpd.apache.org/docs/2.4/mod/mod_log_config.html",
    example: "",
    argument: Some("apache:%h %t \"%r\" %>s %b %D"),
    open: |_, wanted| {
        let Some(text) = wanted.argument else { return Ok(None) };
        let layout = apache_log_format(text)?.with_user(wanted.user)?;
        Ok(Some(Arc::new(LayoutFormat::of_user(layout)) as Arc<dyn Format>))
    },
};
