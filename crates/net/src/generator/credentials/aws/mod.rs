//! Signatures of requests by AWS Signature Version 4, in the field `Authorization`
//! (<https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>).

mod canonical;

use ring::digest::{SHA256, digest};
use ring::hmac::{HMAC_SHA256, Key, sign};
use thinktime_core::error::Invalid;
use thinktime_core::workload::{Aws, Population};

use super::common_fields::secret_text;
use crate::protocol::http1::RequestHead;
use canonical::{canonical_headers, canonical_path, canonical_query};

/// The services that also require the hash of the body.
const HASHED: [&str; 5] = ["s3", "s3express", "s3-outposts", "s3-object-lambda", "glacier"];
const DATE: &str = "X-Amz-Date";
const CONTENT_HASH: &str = "X-Amz-Content-Sha256";
const SECURITY_TOKEN: &str = "X-Amz-Security-Token";

/// Signs the requests of a population.
#[derive(Clone)]
pub(crate) struct Signer {
    region: String,
    service: String,
    key: String,
    secret: String,
    token: Option<String>,
    /// Whether the field with the hash of the body is sent.
    hashed: bool,
    /// Whether paths are unchanged, and not shortened and encoded once more.
    plain_paths: bool,
    /// The key that signs on a day, and the day: `20150830`.
    of_day: Option<(String, Key)>,
}

impl Signer {
    /// # Errors
    /// If a secret cannot be read.
    pub(crate) fn of(wanted: &Aws, population: &Population) -> Result<Signer, Invalid> {
        let text = |secret, key| secret_text(secret, key, population);
        let token = wanted.token.as_ref().map(|token| text(token, "aws.token"));
        Ok(Signer {
            region: wanted.region.clone(),
            service: wanted.service.clone(),
            key: text(&wanted.key, "aws.key")?,
            secret: text(&wanted.secret, "aws.secret")?,
            token: token.transpose()?,
            hashed: HASHED.contains(&wanted.service.as_str()),
            plain_paths: wanted.service.starts_with("s3"),
            of_day: None,
        })
    }

    /// Gives a request to `write`, signed at a date: seconds since the beginning of 1970.
    pub(crate) fn with<R>(
        &mut self,
        request: &RequestHead<'_>,
        date_s: i64,
        write: impl FnOnce(&RequestHead<'_>) -> R,
    ) -> R {
        let date = written(date_s);
        let given = |name: &str| {
            request.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|it| it.1)
        };
        // A request may give its body's hash by itself.
        let own_hash = given(CONTENT_HASH);
        let hash =
            own_hash.map_or_else(|| hex(digest(&SHA256, request.body).as_ref()), str::to_owned);
        let token = self.token.clone();
        let ours = |name: &str| {
            name.eq_ignore_ascii_case(DATE)
                || (token.is_some() && name.eq_ignore_ascii_case(SECURITY_TOKEN))
        };
        let headers: Vec<(&str, &str)> = request
            .headers
            .iter()
            .copied()
            .filter(|(name, _)| !ours(name))
            .chain([(DATE, date.as_str())])
            .chain((self.hashed && own_hash.is_none()).then_some((CONTENT_HASH, hash.as_str())))
            .chain(token.as_deref().map(|token| (SECURITY_TOKEN, token)))
            .collect();
        let signed = self.signature(&RequestHead { headers: &headers, ..*request }, &date, &hash);
        let headers: Vec<(&str, &str)> =
            headers.into_iter().chain([("Authorization", signed.as_str())]).collect();
        write(&RequestHead { headers: &headers, ..*request })
    }

    /// The value of the field `Authorization`.
    fn signature(&mut self, request: &RequestHead<'_>, date: &str, hash: &str) -> String {
        let (path, query) = request.target.split_once('?').unwrap_or((request.target, ""));
        let (headers, names) = canonical_headers(request.host, request.headers);
        let canonical = format!(
            "{}\n{}\n{}\n{headers}\n{names}\n{hash}",
            request.method,
            canonical_path(path, self.plain_paths),
            canonical_query(query)
        );
        let scope = format!("{}/{}/{}/aws4_request", &date[..8], self.region, self.service);
        let canonical = hex(digest(&SHA256, canonical.as_bytes()).as_ref());
        let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{canonical}");
        let signature = hex(sign(self.key_of(&date[..8]), text.as_bytes()).as_ref());
        let key = &self.key;
        format!(
            "AWS4-HMAC-SHA256 Credential={key}/{scope}, SignedHeaders={names}, \
             Signature={signature}"
        )
    }

    /// The key that signs on a day.
    fn key_of(&mut self, day: &str) -> &Key {
        let Signer { region, service, secret, .. } = self;
        let of_day = self.of_day.take().filter(|(own, _)| own == day).unwrap_or_else(|| {
            let mut key = Key::new(HMAC_SHA256, format!("AWS4{secret}").as_bytes());
            for part in [day, region, service, "aws4_request"] {
                key = Key::new(HMAC_SHA256, sign(&key, part.as_bytes()).as_ref());
            }
            (day.to_owned(), key)
        });
        &self.of_day.insert(of_day).1
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digits = |byte: &u8| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    bytes.iter().flat_map(digits).collect()
}

/// A date as `20150830T123600Z`, by the days of the Gregorian calendar.
fn written(date_s: i64) -> String {
    let (days, second) = (date_s.div_euclid(86_400), date_s.rem_euclid(86_400));
    // Years are counted from March on, in cycles of 400 years.
    let from_march = days + 719_468;
    let (cycle, day) = (from_march.div_euclid(146_097), from_march.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * cycle + year + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

#[cfg(test)]
mod tests;
