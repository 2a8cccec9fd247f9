//! What the keys of lines say about the program that wrote them, and so about its units.

use super::column_names::{plain, unit_open};
use crate::field::Field;
use crate::time::MILLISECOND;

/// The keys by which a program is known, and what holds of its lines.
struct Clue {
    /// All of these are there, perhaps within groups. One with a capital is there in this spelling.
    keys: &'static [&'static str],
    /// None of these is there.
    lacks: &'static [&'static str],
    /// The unit of durations without one, in nanoseconds.
    unit: i64,
    /// Whether the time is that of the request's begin.
    begins: bool,
    /// Keys of times in this unit that together are the duration.
    parts: &'static [&'static str],
}

const fn milliseconds(keys: &'static [&'static str]) -> Clue {
    Clue { keys, lacks: &[], unit: MILLISECOND, begins: false, parts: &[] }
}

const CLUES: [Clue; 13] = [
    // Netlify's log drains: <https://docs.netlify.com/manage/monitoring/log-drains/>
    milliseconds(&["deploy_id", "site_id", "log_type", "duration"]),
    // Apache's `%D` and `%t` in labeled values: <http://ltsv.org/>
    Clue { begins: true, ..milliseconds(&["reqtime_microsec"]) },
    // Envoy's `%RESPONSE_FLAGS%`, whose lines have `%START_TIME%` and `%DURATION%`.
    // <https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage>
    Clue { begins: true, ..milliseconds(&["response_flags", "duration"]) },
    // Azure's API Management, whose `time` is that of the begin.
    // <https://learn.microsoft.com/en-us/azure/api-management/gateway-log-schema-reference>
    Clue { begins: true, ..milliseconds(&["caller_ip_address", "duration_ms"]) },
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
    // Azure's App Service, whose fields are those of IIS.
    // <https://learn.microsoft.com/en-us/azure/azure-monitor/reference/tables/appservicehttplogs>
    milliseconds(&["cs_uri_stem", "s_port", "time_taken"]),
    // Azure's Application Gateway of the first version; the second one has seconds.
    // <https://learn.microsoft.com/en-us/azure/application-gateway/>, its reference of monitoring
    Clue {
        lacks: &["server_response_latency", "original_request_uri_with_args", "transaction_id"],
        ..milliseconds(&["request_query", "received_bytes", "ssl_enabled", "time_taken"])
    },
    // Akamai's DataStream: times to read the request, to begin the answer, and to send it.
    // <https://techdocs.akamai.com/datastream2/docs/data-set-parameters-1>
    Clue {
        parts: &["req_end_time_m_sec", "turn_around_time_m_sec", "transfer_time_m_sec"],
        ..milliseconds(&["turn_around_time_m_sec", "transfer_time_m_sec"])
    },
];

/// Gives durations without a unit that of the program, and says whether its times are those of the
/// begin, if its keys are known.
pub(super) fn apply(names: &[String], columns: &mut [(Field, bool)]) -> bool {
    let all: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let is_key = |name: &str, key: &str| {
        let group = name.strip_suffix(key);
        group.is_some_and(|group| group.is_empty() || group.ends_with('_'))
    };
    let has = |key: &&str| match key.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => names.iter().any(|name| name == key),
        false => all.iter().any(|name| is_key(name, key)),
    };
    let is_of = |clue: &&Clue| clue.keys.iter().all(has) && !clue.lacks.iter().any(has);
    let Some(clue) = CLUES.iter().find(is_of) else { return false };
    for (name, (field, _)) in names.iter().zip(columns) {
        if clue.parts.iter().any(|part| is_key(&plain(name), part)) {
            *field = Field::DurationPart(clue.unit);
        } else if unit_open(name, field) {
            *field = Field::DurationOr(clue.unit);
        }
    }
    clue.begins
}
