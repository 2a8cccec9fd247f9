//! Tokens of OAuth 2.0 by client credentials (RFC 6749, section 4.4): requested before the run, and
//! renewed beside it in a thread of its own, for which event loops never wait.

mod post;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::ClientConfig;
use serde_json::Value;
use thinktime_core::error::Invalid;
use thinktime_core::request::{form_field, header_field};
use thinktime_core::workload::{Endpoint, Oauth2, Population};

use super::common_fields::{USER_AGENT, secret_text};
use post::post;

/// The shortest time between two requests for a token.
const PAUSE_MIN: Duration = Duration::from_secs(1);
/// The longest time between a failed renewal and the next one.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// The longest accepted life of a token, in seconds.
const LIFE_MAX_S: f64 = 1e9;

/// The errors of servers (RFC 6749, section 5.2). Nothing else of their answers is repeated: it
/// could be secret.
const ERRORS: [&str; 6] = [
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
];

/// The request for a token.
struct TokenRequest {
    endpoint: Endpoint,
    /// The value of `Authorization`, if it identifies the client.
    authorization: Option<String>,
    body: String,
    tls: Arc<ClientConfig>,
}

/// A token.
struct Token {
    /// The value of `Authorization` in requests.
    field: String,
    /// Its lifetime, if given.
    life: Option<Duration>,
}

/// The current token.
struct CurrentToken {
    field: Mutex<String>,
    /// The number of its changes.
    changes: AtomicU64,
    failures: AtomicU64,
    /// The reason of the last failed renewal.
    why: Mutex<String>,
}

/// A token that is renewed until this is dropped, with all its clones.
#[derive(Clone)]
pub(crate) struct RenewableToken {
    url: String,
    current: Arc<CurrentToken>,
    _until_dropped: Option<Sender<()>>,
    /// The changes that this clone has seen, and the result.
    seen: u64,
    field: String,
}

impl RenewableToken {
    /// Requests a token, and begins to renew it if it expires.
    ///
    /// # Errors
    /// If a secret cannot be read, or no token is granted.
    pub(crate) fn start(
        wanted: &Oauth2,
        population: &Population,
        tls: &Arc<ClientConfig>,
    ) -> Result<RenewableToken, Invalid> {
        let request = TokenRequest::of(wanted, population, tls)?;
        let url = wanted.endpoint.url.clone();
        let wrong = |why: String| Invalid::new(format!("`oauth2`: {url} gave no token: {why}"));
        let first = request.token().map_err(wrong)?;
        let current = Arc::new(CurrentToken {
            field: Mutex::new(first.field.clone()),
            changes: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            why: Mutex::default(),
        });
        let until_dropped = match first.life {
            None => None,
            Some(life) => Some(renew(request, life, Arc::clone(&current)).map_err(|error| {
                Invalid::new(format!("`oauth2`: no thread to renew the token: {error}"))
            })?),
        };
        Ok(RenewableToken {
            url,
            current,
            _until_dropped: until_dropped,
            seen: 0,
            field: first.field,
        })
    }

    /// The current value of `Authorization`.
    pub(crate) fn field(&mut self) -> &str {
        let changes = self.current.changes.load(Ordering::Acquire);
        if changes != self.seen {
            self.seen = changes;
            self.field = self.current.field.lock().unwrap_or_else(PoisonError::into_inner).clone();
        }
        &self.field
    }

    /// The note about failed renewals, if any.
    pub(crate) fn warning(&self) -> Option<String> {
        let failures = self.current.failures.load(Ordering::Relaxed);
        let why = self.current.why.lock().unwrap_or_else(PoisonError::into_inner);
        let url = &self.url;
        (failures > 0).then(|| {
            format!(
                "the token of {url} could not be renewed {failures} times, at last because: {why}; \
                 requests continued with the old one"
            )
        })
    }
}

/// Renews a token in a thread of its own, until the returned value is dropped.
fn renew(
    request: TokenRequest,
    life: Duration,
    current: Arc<CurrentToken>,
) -> std::io::Result<Sender<()>> {
    let (until_dropped, ended) = channel::<()>();
    let mut life = life;
    let mut pause = before_end(life);
    // Nobody waits for its end: a request may take its whole timeout.
    thread::Builder::new().name("oauth2".to_owned()).spawn(move || {
        while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            match request.token() {
                Ok(token) => {
                    *current.field.lock().unwrap_or_else(PoisonError::into_inner) = token.field;
                    current.changes.fetch_add(1, Ordering::Release);
                    let Some(next) = token.life else { return };
                    life = next;
                    pause = before_end(life);
                }
                Err(why) => {
                    *current.why.lock().unwrap_or_else(PoisonError::into_inner) = why;
                    current.failures.fetch_add(1, Ordering::Relaxed);
                    pause = (life / 20).clamp(PAUSE_MIN, PAUSE_MAX);
                }
            }
        }
    })?;
    Ok(until_dropped)
}

/// The time of a renewal: early enough for several tries.
fn before_end(life: Duration) -> Duration {
    life.mul_f64(0.8).max(PAUSE_MIN)
}

impl TokenRequest {
    fn of(
        wanted: &Oauth2,
        population: &Population,
        tls: &Arc<ClientConfig>,
    ) -> Result<TokenRequest, Invalid> {
        let client = secret_text(&wanted.client, "oauth2.client", population)?;
        let secret = secret_text(&wanted.secret, "oauth2.secret", population)?;
        let mut fields = wanted.form.clone();
        let mut authorization = None;
        if wanted.in_body {
            fields.push(("client_id".to_owned(), client));
            fields.push(("client_secret".to_owned(), secret));
        } else {
            // Both are form-encoded first (RFC 6749, section 2.3.1), so that exactly one separator
            // is between them.
            let both = form_field(&client, secret.as_bytes()).replacen('=', ":", 1);
            authorization = Some(format!("Basic {}", STANDARD.encode(both)));
        }
        let fields = fields.iter().map(|(name, value)| form_field(name, value.as_bytes()));
        Ok(TokenRequest {
            endpoint: wanted.endpoint.clone(),
            authorization,
            body: fields.collect::<Vec<_>>().join("&"),
            tls: Arc::clone(tls),
        })
    }

    /// Requests a token.
    ///
    /// # Errors
    /// The reason for a failure, without secrets.
    fn token(&self) -> Result<Token, String> {
        let authorization = self.authorization.as_deref().map(|text| ("Authorization", text));
        let headers: Vec<(&str, &str)> = [
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Accept", "application/json"),
            ("User-Agent", USER_AGENT),
            ("Connection", "close"),
        ]
        .into_iter()
        .chain(authorization)
        .collect();
        let answer = post(&self.endpoint, &headers, self.body.as_bytes(), &self.tls)?;
        read(answer.status, &answer.body)
    }
}

/// The token of an answer.
fn read(status: u16, body: &[u8]) -> Result<Token, String> {
    let json: Option<Value> = serde_json::from_slice(body).ok();
    let text = |key: &str| json.as_ref().and_then(|json| json.get(key)?.as_str());
    match status {
        200..=299 => {}
        300..=399 => {
            return Err(format!("status {status}, a redirect, to which no secret is sent"));
        }
        _ => {
            let said = text("error").and_then(|said| ERRORS.iter().find(|known| **known == said));
            let said = said.map_or(String::new(), |said| format!(", `{said}`"));
            return Err(format!("status {status}{said}"));
        }
    }
    let token = text("access_token").ok_or("its answer has no `access_token`")?;
    if !text("token_type").is_none_or(|kind| kind.eq_ignore_ascii_case("bearer")) {
        return Err("its `token_type` is not Bearer".to_owned());
    }
    let field = header_field("Authorization", &format!("Bearer {token}"));
    let field = field.map_err(|_| "its `access_token` holds control characters")?.1;
    let lasts = json.as_ref().and_then(|json| json.get("expires_in"));
    // Some servers write the number as a text.
    let seconds = lasts.and_then(|it| it.as_f64().or_else(|| it.as_str()?.parse().ok()));
    let seconds = seconds.filter(|seconds| *seconds >= 0.0);
    Ok(Token { field, life: seconds.map(|it| Duration::from_secs_f64(it.min(LIFE_MAX_S))) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_with_its_life() {
        // The example of RFC 6749, section 4.4.3.
        let body = br#"{"access_token":"2YotnFZFEjr1zCsicMWpAA","token_type":"example",
            "expires_in":3600,"example_parameter":"example_value"}"#;
        let text = String::from_utf8_lossy(body).replace("\"example\",", "\"bEARER\",");
        let token = read(200, text.as_bytes()).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(token.field, "Bearer 2YotnFZFEjr1zCsicMWpAA");
        assert_eq!(token.life, Some(Duration::from_secs(3600)));
        assert_eq!(before_end(Duration::from_secs(3600)), Duration::from_secs(2880));
        assert_eq!(before_end(Duration::ZERO), PAUSE_MIN);
        for (expires, life) in [("\"60\"", Some(60)), ("-1", None), ("null", None)] {
            let text = format!("{{\"access_token\": \"a\", \"expires_in\": {expires}}}");
            let token = read(200, text.as_bytes()).unwrap_or_else(|why| panic!("{why}"));
            assert_eq!(token.life, life.map(Duration::from_secs));
        }
        assert!(read(200, body).err().unwrap().contains("not Bearer"));
    }

    #[test]
    fn what_is_wrong_is_said_and_nothing_of_the_answer_repeated() {
        for (status, body, expected) in [
            (
                401,
                r#"{"error": "invalid_client", "error_description": "hunter2"}"#,
                "status 401, `inv",
            ),
            (401, r#"{"error": "hunter2"}"#, "status 401"),
            (302, "", "a redirect"),
            (200, "hunter2", "no `access_token`"),
            (200, r#"{"access_token": 7}"#, "no `access_token`"),
            (200, "{\"access_token\": \"hunter2\\r\\nX: y\"}", "control characters"),
        ] {
            let why = read(status, body.as_bytes()).err().unwrap();
            assert!(why.contains(expected) && !why.contains("hunter2"), "{why}");
        }
    }
}
