//! nginx's `log_format`, as in <https://nginx.org/en/docs/http/ngx_http_log_module.html>.

use thinktime_core::error::Invalid;

use super::{Builder, Layout};
use crate::field::Field;
use crate::time::SECOND;

/// Compiles a `log_format` string; the whole directive, with name and quotes, is accepted as well.
/// Its times are those of the request's end.
///
/// # Errors
/// If it has no time, or adjacent fields.
pub(crate) fn log_format(text: &str) -> Result<Layout, Invalid> {
    let format = without_directive(text);
    let mut builder = Builder::default();
    let mut rest = &format[..];
    while let Some((before, after)) = rest.split_once('$') {
        builder.text(before);
        let (name, after) = match after.strip_prefix('{') {
            Some(inner) => inner
                .split_once('}')
                .ok_or_else(|| Invalid::new("the log_format lacks a closing brace"))?,
            None => {
                let in_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                after.split_at(after.find(|letter| !in_name(letter)).unwrap_or(after.len()))
            }
        };
        if name.is_empty() {
            return Err(Invalid::new("the log_format has a `$` without a name"));
        }
        builder.field(name, variable(name), true);
        rest = after;
    }
    builder.text(rest);
    builder.finish("the log_format")
}

/// The strings within a directive's quotes, joined.
fn without_directive(text: &str) -> String {
    let text = text.trim();
    let Some(strings) = text.strip_prefix("log_format").filter(|rest| rest.contains('\'')) else {
        return text.to_owned();
    };
    // Every second part lies between two quotes.
    strings.split('\'').skip(1).step_by(2).collect()
}

/// The meaning of a variable.
fn variable(name: &str) -> Field {
    match name {
        "time_local" => Field::Clf,
        "time_iso8601" => Field::Iso,
        "msec" => Field::Epoch(SECOND),
        "request_time" => Field::Duration(SECOND),
        "remote_addr" | "http_x_real_ip" => Field::Address,
        "http_x_forwarded_for" | "proxy_add_x_forwarded_for" => Field::Forwarded,
        "remote_user" => Field::User,
        "request" => Field::Request,
        "request_method" => Field::Method,
        "request_uri" | "uri" | "document_uri" => Field::Url,
        "args" | "query_string" => Field::Query,
        "server_protocol" => Field::Protocol,
        "host" | "http_host" | "server_name" => Field::Host,
        "status" => Field::Status,
        "body_bytes_sent" | "bytes_sent" => Field::Bytes,
        "http_referer" => Field::Referrer,
        "http_user_agent" => Field::Agent,
        _ => Field::Skip,
    }
}
