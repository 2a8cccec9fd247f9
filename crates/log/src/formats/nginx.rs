//! Any `log_format` of nginx.

use std::sync::Arc;

use super::layout_format::LayoutFormat;
use super::{Format, FormatEntry};
use crate::layout::nginx_log_format;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "nginx",
    summary: "a log_format of nginx's, given after a colon",
    source: "https://nginx.org/en/docs/http/ngx_http_log_module.html",
    example: "",
    argument: Some("nginx:$remote_addr [$time_local] \"$request\" $status $request_time"),
    open: |_, wanted| {
        let Some(text) = wanted.argument else { return Ok(None) };
        let layout = nginx_log_format(text)?.with_user(wanted.user)?;
        Ok(Some(Arc::new(LayoutFormat::of_user(layout)) as Arc<dyn Format>))
    },
};
