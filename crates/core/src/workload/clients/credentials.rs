//! Credentials of more than one text: their tables, and their values.

use thinktime_file::error::Invalid;
use thinktime_file::workload::{AwsTable, Oauth2Table};

use super::secret::Secret;
use crate::files::Files;

/// The source of tokens, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oauth2 {
    /// The address of the token server.
    pub endpoint: Endpoint,
    /// The client's identifier.
    pub client: Secret,
    /// The client's secret.
    pub secret: Secret,
    /// The fields of the form, except identifier and secret.
    pub form: Vec<(String, String)>,
    /// Whether identifier and secret go as fields of the form.
    pub in_body: bool,
    /// The authorities that certify the server, if they are its own.
    pub authorities: Option<Authorities>,
}

/// Certificates of authorities, not parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authorities {
    /// The file that they are from, as given.
    pub file: String,
    /// Its bytes.
    pub pem: Vec<u8>,
}

/// How requests are signed, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aws {
    /// The region.
    pub region: String,
    /// The service.
    pub service: String,
    /// The identifier of the access key.
    pub key: Secret,
    /// The secret access key.
    pub secret: Secret,
    /// The session token.
    pub token: Option<Secret>,
}

/// A URL of HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// As given.
    pub url: String,
    /// Whether TLS is spoken.
    pub secure: bool,
    /// HOST or HOST:PORT.
    pub authority: String,
    /// The path with its query; begins with a slash.
    pub target: String,
}

/// The fields of the form that follow from the other keys.
const OWN_FIELDS: [&str; 4] = ["grant_type", "scope", "client_id", "client_secret"];

impl Oauth2 {
    /// The values of a table.
    pub(crate) fn from_table(table: &Oauth2Table, files: &dyn Files) -> Result<Oauth2, Invalid> {
        if let Some(name) = table.fields.keys().find(|name| OWN_FIELDS.contains(&name.as_str())) {
            let why = format!("`fields` cannot have `{name}`, which follows from the other keys");
            return Err(Invalid::new(why));
        }
        let scope = table.scope.iter().map(|scope| ("scope".to_owned(), scope.clone()));
        let fields = table.fields.iter().map(|(name, value)| (name.clone(), value.clone()));
        let endpoint = Endpoint::parse(&table.url).map_err(in_key("url"))?;
        let authorities = table.ca.as_ref().map(|file| match endpoint.secure {
            true => Ok(Authorities { file: file.clone(), pem: files.bytes(file)? }),
            false => Err(Invalid::new("goes with a `url` of https only")),
        });
        let grant = ("grant_type".to_owned(), "client_credentials".to_owned());
        Ok(Oauth2 {
            endpoint,
            client: Secret::parse(&table.client).map_err(in_key("client"))?,
            secret: Secret::parse(&table.secret).map_err(in_key("secret"))?,
            form: std::iter::once(grant).chain(scope).chain(fields).collect(),
            in_body: table.in_body == Some(true),
            authorities: authorities.transpose().map_err(in_key("ca"))?,
        })
    }
}

impl Aws {
    /// The values of a table.
    pub(crate) fn from_table(table: &AwsTable) -> Result<Aws, Invalid> {
        let name = |key: &str, text: &str| {
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            let why = format!("`{key}` is in small letters, as in \"eu-west-1\" or \"s3\"");
            match !text.is_empty() && text.chars().all(fits) {
                true => Ok(text.to_owned()),
                false => Err(Invalid::new(why)),
            }
        };
        let secret = |key: &'static str, text: &str| Secret::parse(text).map_err(in_key(key));
        Ok(Aws {
            region: name("region", &table.region)?,
            service: name("service", &table.service)?,
            key: secret("key", &table.key)?,
            secret: secret("secret", &table.secret)?,
            token: table.token.as_deref().map(|text| secret("token", text)).transpose()?,
        })
    }
}

/// Names the key of a table that is wrong.
fn in_key(key: &'static str) -> impl Fn(Invalid) -> Invalid {
    move |error| Invalid::new(format!("`{key}` {error}"))
}

impl Endpoint {
    /// Parses `https://HOST[:PORT][/PATH][?QUERY]`, or the same with `http`.
    fn parse(url: &str) -> Result<Endpoint, Invalid> {
        // The given text may hold a password: it is not repeated.
        let wrong = || {
            Invalid::new(
                "is written as https://HOST[:PORT]/PATH, or with http, without a user, a \
                 password, blanks and `#`",
            )
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
        let secure = match scheme {
            "https" => true,
            "http" => false,
            _ => return Err(wrong()),
        };
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let odd = |c: char| !c.is_ascii_graphic() || c == '#';
        if authority.is_empty() || authority.contains('@') || rest.contains(odd) {
            return Err(wrong());
        }
        let target = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let authority = authority.to_owned();
        Ok(Endpoint { url: url.to_owned(), secure, authority, target })
    }

    /// HOST:PORT.
    #[must_use]
    pub fn with_port(&self) -> String {
        let has_port =
            self.authority.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
        match (has_port, self.secure) {
            (true, _) => self.authority.clone(),
            (false, true) => format!("{}:443", self.authority),
            (false, false) => format!("{}:80", self.authority),
        }
    }

    /// The host without port and brackets.
    #[must_use]
    pub fn host_name(&self) -> String {
        let full = self.with_port();
        let name = full.rsplit_once(':').map_or("", |(name, _)| name);
        name.trim_start_matches('[').trim_end_matches(']').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;

    fn read(text: &str) -> Result<Oauth2, String> {
        let table: Oauth2Table = toml::from_str(text).unwrap();
        Oauth2::from_table(&table, &NoFiles).map_err(|error| error.to_string())
    }

    const SECRETS: &str = "client = 'env:ID'\nsecret = 'file:a/b'\n";

    #[test]
    fn a_table_says_what_is_asked_for() {
        let url = "url = 'https://id.example/t?v=2'";
        let read = read(&format!("{url}\n{SECRETS}scope = 'a b'\nfields = {{ audience = 'x' }}"));
        let read = read.unwrap();
        let pairs: Vec<_> = read.form.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let grant = ("grant_type", "client_credentials");
        assert_eq!(pairs, [grant, ("scope", "a b"), ("audience", "x")]);
        assert_eq!(read.client, Secret::Environment("ID".to_owned()));
        assert!(!read.in_body && read.endpoint.secure);
        assert_eq!(read.endpoint.target, "/t?v=2");
    }

    #[test]
    fn urls_are_taken_apart() {
        for (url, authority, full, host, target) in [
            ("https://a.b/c", "a.b", "a.b:443", "a.b", "/c"),
            ("http://a.b?x", "a.b", "a.b:80", "a.b", "/?x"),
            ("https://[::1]", "[::1]", "[::1]:443", "::1", "/"),
            ("http://[::1]:81/x/", "[::1]:81", "[::1]:81", "::1", "/x/"),
        ] {
            let endpoint = Endpoint::parse(url).unwrap();
            assert_eq!(
                (endpoint.authority.as_str(), endpoint.target.as_str()),
                (authority, target)
            );
            assert_eq!((endpoint.with_port(), endpoint.host_name()), (full.into(), host.into()));
        }
    }

    #[test]
    fn signatures_are_for_a_region_and_a_service() {
        let read = |text: &str| {
            Aws::from_table(&toml::from_str(text).unwrap()).map_err(|error| error.to_string())
        };
        let keys = "key = 'env:A'\nsecret = 'env:B'";
        let aws = read(&format!("region = 'eu-west-1'\nservice = 's3'\n{keys}")).unwrap();
        assert_eq!((aws.key, aws.token), (Secret::Environment("A".to_owned()), None));
        for (text, expected) in [
            (format!("region = 'a/b'\nservice = 's3'\n{keys}"), "`region` is in small letters"),
            (format!("region = 'eu'\nservice = ''\n{keys}"), "`service` is in small letters"),
            (format!("region = 'eu'\nservice = 's3'\n{keys}\ntoken = 'hunter2'"), "`token` names"),
        ] {
            let said = read(&text).unwrap_err();
            assert!(said.contains(expected) && !said.contains("hunter2"), "{said}");
        }
    }

    #[test]
    fn wrong_tables_are_explained_and_secrets_not_repeated() {
        for (text, expected) in [
            (format!("url = 'ftp://a'\n{SECRETS}"), "`url` is written as https://"),
            (format!("url = 'https://u:hunter2@a/'\n{SECRETS}"), "`url` is written as https://"),
            (format!("url = 'https://a/b#c'\n{SECRETS}"), "`url` is written as"),
            (format!("url = 'https:///b'\n{SECRETS}"), "`url` is written as"),
            (format!("url = \"https://a/\\r\\nX: y\"\n{SECRETS}"), "`url` is written as"),
            (
                "url = 'https://a'\nclient = 'env:A'\nsecret = 'hunter2'".into(),
                "`secret` names the place",
            ),
            (
                "url = 'https://a'\nclient = 'hunter2'\nsecret = 'env:A'".into(),
                "`client` names the place",
            ),
            (
                format!("url = 'https://a'\n{SECRETS}fields = {{ scope = 'x' }}"),
                "`fields` cannot have `scope`",
            ),
        ] {
            let said = read(&text).unwrap_err();
            assert!(said.contains(expected) && !said.contains("hunter2"), "{text}: {said}");
        }
    }
}
