//! What the keys of lines say about the program that wrote them, and so about its units.

use super::column_names::{plain, unit_open};
use crate::field::Field;
use crate::time::MILLISECOND;

/// The keys by which a program is known, and what holds of its lines.
struct Clue {
    /// All of these are there, perhaps within groups. One with a capital is there in this spelling.
    keys: &'static [&'static str],
    /// The unit of durations without one, in nanoseconds.
    unit: i64,
    /// Whether the time is that of the request's begin.
    begins: bool,
}

const fn milliseconds(keys: &'static [&'static str]) -> Clue {
    Clue { keys, unit: MILLISECOND, begins: false }
}

const CLUES: [Clue; 8] = [
    // Envoy's `%RESPONSE_FLAGS%`, whose lines have `%START_TIME%` and `%DURATION%`.
    // <https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage>
    Clue { keys: &["response_flags", "duration"], unit: MILLISECOND, begins: true },
    // Azure's API Management, whose `time` is that of the begin.
    // <https://learn.microsoft.com/en-us/azure/api-management/gateway-log-schema-reference>
    Clue { keys: &["caller_ip_address", "duration_ms"], unit: MILLISECOND, begins: true },
    // Rails, by lograge: <https://github.com/roidrage/lograge>
    milliseconds(&["controller", "action", "duration"]),
    // Serilog.AspNetCore: <https://github.com/serilog/serilog-aspnetcore>
    milliseconds(&["request_method", "request_path", "status_code", "elapsed"]),
    // pino and Fastify: <https://github.com/pinojs/pino-http>
    milliseconds(&["pid", "hostname", "responseTime"]),
    // express-winston: <https://github.com/bithavoc/express-winston>
    milliseconds(&["meta_res_status_code", "meta_response_time"]),
    // logstash-logback-encoder: <https://github.com/logfellow/logstash-logback-encoder>
    milliseconds(&["requested_uri", "elapsed_time"]),
    // chi's httplog: <https://github.com/go-chi/httplog>
    milliseconds(&["http_request_url", "http_response_elapsed"]),
];

/// Gives durations without a unit that of the program, and says whether its times are those of the
/// begin, if its keys are known.
pub(super) fn apply(names: &[String], columns: &mut [(Field, bool)]) -> bool {
    let plain: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let is_key = |name: &str, key: &str| {
        let group = name.strip_suffix(key);
        group.is_some_and(|group| group.is_empty() || group.ends_with('_'))
    };
    let has = |key: &&str| match key.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => names.iter().any(|name| name == key),
        false => plain.iter().any(|name| is_key(name, key)),
    };
    let Some(clue) = CLUES.iter().find(|clue| clue.keys.iter().all(has)) else { return false };
    for (name, (field, _)) in names.iter().zip(columns) {
        if unit_open(name, field) {
            *field = Field::DurationOr(clue.unit);
        }
    }
    clue.begins
}
