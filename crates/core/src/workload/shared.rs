//! The place of the variables that scripts share.

use thinktime_file::error::Invalid;
use thinktime_file::schema::{Scalar, SchemaError, Source};
use thinktime_file::time::Nanos;
use thinktime_file::units::parse_time;
use thinktime_file::workload::{SharedTable, SharedValue, WorkloadFile};

use super::clients::secret::Secret;

/// A server with the variables that scripts share, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedServer {
    /// Its place in the file, as in `shop.toml:3: shared`.
    pub at: String,
    /// As given.
    pub url: String,
    /// HOST:PORT.
    pub authority: String,
    /// The number of its database.
    pub database: u32,
    /// The user's name, if the server has several.
    pub user: Option<String>,
    /// The password.
    pub password: Option<Secret>,
    /// How long a session waits for it before it fails.
    pub wait: Nanos,
    /// For how long it may miss a generator before its locks go to others.
    pub lease: Nanos,
}

/// The setting of a whole file.
pub(super) fn of(
    source: Source<'_>,
    file: &WorkloadFile,
) -> Result<Option<SharedServer>, SchemaError> {
    let Some(value) = &file.shared else { return Ok(None) };
    if file.populations().iter().all(|(_, table)| table.session.script.is_none()) {
        let why = Invalid::new("goes with a `script` only: nothing else shares variables");
        return Err(source.error("shared", &why));
    }
    let server = SharedServer::of(value).map_err(|error| source.error("shared", &error))?;
    Ok(Some(SharedServer { at: source.place("shared"), ..server }))
}

const PORT: u16 = 6379;
const DATABASE_MAX: u32 = 1 << 20;

impl SharedServer {
    /// The setting of the workload file.
    fn of(value: &SharedValue) -> Result<SharedServer, Invalid> {
        let plain;
        let table = match value {
            SharedValue::Table(table) => table,
            SharedValue::Url(url) => {
                let url = url.clone();
                plain = SharedTable { url, user: None, password: None, wait: None, lease: None };
                &plain
            }
        };
        let (authority, database) = address_of(&table.url)?;
        let password = table.password.as_deref().map(Secret::parse).transpose();
        let server = SharedServer {
            at: "shared".to_owned(),
            url: table.url.clone(),
            authority,
            database,
            user: table.user.clone(),
            password: password.map_err(|error| Invalid::new(format!("`password` {error}")))?,
            wait: time("wait", table.wait.as_ref(), 5.0, 0.01)?,
            lease: time("lease", table.lease.as_ref(), 10.0, 0.1)?,
        };
        match server.user.is_some() && server.password.is_none() {
            true => Err(Invalid::new("a `user` goes with a `password`")),
            false => Ok(server),
        }
    }
}

fn time(key: &str, given: Option<&Scalar>, default_s: f64, least_s: f64) -> Result<Nanos, Invalid> {
    let within = |error| Invalid::new(format!("`{key}` {error}"));
    let seconds = given.map_or(Ok(default_s), |it| parse_time(&it.text()).map_err(within))?;
    match (least_s..=3600.0).contains(&seconds) {
        true => Ok(Nanos::from_secs_f64(seconds)),
        false => Err(Invalid::new(format!(
            "`{key}` must be from {}ms to 1h, not {seconds} s",
            least_s * 1000.0
        ))),
    }
}

/// HOST:PORT and the number of the database.
fn address_of(url: &str) -> Result<(String, u32), Invalid> {
    // The given text may hold a password: it is not repeated.
    let wrong = || {
        Invalid::new(
            "is written as redis://HOST:PORT, or valkey://HOST:PORT, perhaps with /NUMBER of a \
             database; a password is kept elsewhere: `{ url = ..., password = \"env:NAME\" }`",
        )
    };
    let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
    if !matches!(scheme, "redis" | "valkey") || rest.contains(|c: char| !c.is_ascii_graphic()) {
        return Err(wrong());
    }
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    let database = match database {
        "" => 0,
        number => number.parse().ok().filter(|it| *it <= DATABASE_MAX).ok_or_else(wrong)?,
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse().map_err(|_| wrong())?),
        _ => (authority, PORT),
    };
    let bracketed = host.starts_with('[') && host.ends_with(']');
    if host.is_empty() || host.contains(['@', '?', '#']) || (host.contains(':') && !bracketed) {
        return Err(wrong());
    }
    Ok((format!("{host}:{port}"), database))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Result<SharedServer, Invalid> {
        SharedServer::of(&SharedValue::Url(url.to_owned()))
    }

    #[test]
    fn urls_are_read() {
        for (url, authority, database) in [
            ("redis://127.0.0.1:7000", "127.0.0.1:7000", 0),
            ("valkey://cache.example", "cache.example:6379", 0),
            ("redis://[::1]:7000/3", "[::1]:7000", 3),
            ("redis://[::1]", "[::1]:6379", 0),
            ("redis://h/", "h:6379", 0),
        ] {
            let server = of(url).unwrap();
            assert_eq!((server.authority.as_str(), server.database), (authority, database));
        }
        for wrong in [
            "127.0.0.1:6379",
            "rediss://h",
            "redis://",
            "redis://:6379",
            "redis://:secret@h:6379",
            "redis://h:x",
            "redis://h:99999",
            "redis://::1",
            "redis://h/-1",
            "redis://h/1/2",
            "redis://h h",
            "redis://h?a=1",
        ] {
            let error = of(wrong).unwrap_err().to_string();
            assert!(error.contains("redis://HOST:PORT") && !error.contains("secret@"), "{error}");
        }
    }

    #[test]
    fn times_have_bounds_and_a_user_has_a_password() {
        let table = |text: &str| -> Result<SharedServer, String> {
            let value: SharedValue = toml::from_str::<toml::Table>(text)
                .and_then(|table| toml::Value::Table(table).try_into())
                .map_err(|error| error.to_string())?;
            SharedServer::of(&value).map_err(|error| error.to_string())
        };
        let all = "url = 'redis://h'\nuser = 'u'\npassword = 'env:P'\nwait = '20ms'\nlease = 2";
        let server = table(all).unwrap();
        assert_eq!((server.wait, server.lease), (Nanos(20_000_000), Nanos(2_000_000_000)));
        assert_eq!(server.password, Some(Secret::Environment("P".to_owned())));
        for (text, says) in [
            ("url = 'redis://h'\nwait = '1ms'", "`wait` must be from 10ms"),
            ("url = 'redis://h'\nlease = '2h'", "`lease` must be from 100ms to 1h"),
            ("url = 'redis://h'\nlease = 'soon'", "`lease`"),
            ("url = 'redis://h'\npassword = 'hunter2'", "`password` names the place"),
            ("url = 'redis://h'\nuser = 'u'", "goes with a `password`"),
            ("url = 'redis://h'\nhost = 'u'", "unknown field `host`"),
            ("wait = '1s'", "missing field `url`"),
        ] {
            let error = table(text).unwrap_err();
            assert!(error.contains(says) && !error.contains("hunter2"), "{error}");
        }
    }
}
