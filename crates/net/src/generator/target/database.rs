//! A target that is a database: `postgresql://USER@HOST[:PORT]/DATABASE[?sslmode=require]`.

use thinktime_core::error::Invalid;

/// The parts of a database's URL besides its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Database {
    /// The user.
    pub(crate) user: String,
    pub(crate) name: String,
    /// Whether TLS is used.
    pub(crate) secure: bool,
}

/// How such targets are written, for messages.
const FORM: &str = "a database is written as postgresql://USER@HOST:PORT/DATABASE, with \
                    ?sslmode=require for TLS";

impl Database {
    /// Parses the rest of a URL after its scheme: the host with its port, and the other parts.
    /// Possible passwords are not repeated.
    pub(crate) fn read(rest: &str) -> Result<(&str, Database), Invalid> {
        let wrong = |why: &str| Invalid::new(format!("{why}: {FORM}"));
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (user, host) =
            authority.rsplit_once('@').ok_or_else(|| wrong("the target names no user"))?;
        if user.contains(':') {
            return Err(Invalid::new(
                "a target has no password, which would stand in results: give it as `password` of \
                 [clients], or in the environment variable PGPASSWORD",
            ));
        }
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let user = decoded(user).filter(|user| !user.is_empty());
        let user = user.ok_or_else(|| wrong("the target's user is no name"))?;
        let name = decoded(path.strip_prefix('/').unwrap_or(path));
        let name = name.filter(|name| !name.contains('/') && !path.contains('#'));
        let name = name.ok_or_else(|| wrong("the target's database is no name"))?;
        let name = if name.is_empty() { user.clone() } else { name };
        Ok((host, Database { user, name, secure: secure(query)? }))
    }
}

/// The TLS setting in a query.
fn secure(query: &str) -> Result<bool, Invalid> {
    let mut secure = false;
    for part in query.split('&').filter(|part| !part.is_empty()) {
        secure = match part {
            "sslmode=disable" => false,
            "sslmode=require" | "sslmode=verify-full" => true,
            _ => {
                let name = part.split('=').next().unwrap_or_default();
                return Err(Invalid::new(format!(
                    "the target's query has `{name}`, and only sslmode=disable (the default), \
                     sslmode=require and sslmode=verify-full are known"
                )));
            }
        };
    }
    Ok(secure)
}

/// A part of a URL without percent-encoding; nothing if that is wrong, or gives no name.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            bytes.push(hexadecimal.then(|| u8::from_str_radix(digits, 16).ok()).flatten()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rest: &str) -> Result<(String, String, String, bool), String> {
        let read = Database::read(rest).map_err(|error| error.to_string());
        read.map(|(host, Database { user, name, secure })| (host.to_owned(), user, name, secure))
    }

    #[test]
    fn urls_say_who_logs_in_and_where() {
        for (rest, host, user, name, secure) in [
            ("shop@db:5433/orders", "db:5433", "shop", "orders", false),
            ("shop@db", "db", "shop", "shop", false),
            ("shop@/orders?sslmode=disable", "", "shop", "orders", false),
            ("a%40b@[::1]:1/x%20y?sslmode=require", "[::1]:1", "a@b", "x y", true),
            ("a@b/c?sslmode=verify-full", "b", "a", "c", true),
        ] {
            let expected = (host.to_owned(), user.to_owned(), name.to_owned(), secure);
            assert_eq!(read(rest), Ok(expected), "{rest}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_and_no_password_repeated() {
        for (rest, why) in [
            ("db/orders", "names no user"),
            ("@db/orders", "is no name"),
            ("a%zz@db/orders", "is no name"),
            ("a%0@db/orders", "is no name"),
            ("a%00@db/orders", "is no name"),
            ("a@db/b/c", "is no name"),
            ("a@db/b#c", "is no name"),
            ("a:hunter2@db/b", "PGPASSWORD"),
            ("a@db/b?sslmode=prefer", "sslmode=require"),
            ("a@db/b?password=hunter2", "has `password`"),
        ] {
            let error = read(rest).unwrap_err();
            assert!(error.contains(why) && !error.contains("hunter2"), "{rest}: {error}");
        }
    }
}
