//! Lines of values with keys, whatever their syntax: the meanings of the keys.

use thinktime_core::error::Invalid;

use super::by_values::{self, Open};
use super::column_names::{Resolved, plain, resolve, unit_open};
use super::{FormatOptions, clues, dates, misnomers, one_group};
use crate::entry::Text;
use crate::field::Field;

/// The meanings of the keys of a file's lines.
#[derive(Debug)]
pub(super) struct Keyed {
    /// The keys that are used, each with its meaning, and whether it identifies the user.
    pub(super) fields: Vec<(String, Field, bool)>,
    /// Whether the time is that of the request's end.
    pub(super) ends: bool,
    /// The keys that are not used.
    pub(super) unused_fields: Vec<String>,
    pub(super) unit_open: bool,
    /// Whether a key has the method. Lists of pages have none.
    pub(super) has_method: bool,
    /// What else the lines could mean.
    pub(super) doubts: Vec<String>,
}

/// The keys that a message lists.
const KEYS_SHOWN: usize = 30;

impl Keyed {
    /// The meanings of the keys of a format by their usual names, and by the user's mapping.
    /// `timed` says that lines need no time; `values` gives a key's values in the first lines.
    ///
    /// # Errors
    /// If a key is not known that every request has, or the mapping is wrong.
    pub(super) fn by_names<'a>(
        format: &str,
        keys: &'a [String],
        wanted: &FormatOptions<'_>,
        timed: bool,
        values: impl Fn(&str) -> Vec<Option<Text<'a>>>,
    ) -> Result<Keyed, Invalid> {
        let (mut resolved, mut doubts) = with_time(format, keys, wanted, &values)?;
        complete(format, keys, wanted, &mut resolved, &values, &mut doubts);
        let targets = keys.iter().zip(&mut resolved.columns);
        for (key, column) in targets.filter(|(_, column)| column.0 == Field::Url) {
            let open = Open { name: key, values: values(key) };
            if open.begins_with_host() {
                column.0 = Field::HostAndUrl;
            }
        }
        let Resolved { mut columns, ends, timed: named, .. } = resolved;
        // The user's own mapping of times says what it says.
        let maps = |meaning: &&str| wanted.argument.is_some_and(|all| all.contains(*meaning));
        let is_mapped = ["time=", "stamp=", "end=", "duration"].iter().any(maps);
        let begins = !is_mapped && clues::apply(keys, &mut columns);
        let ends = ends && !begins;
        if let Some(lacking) = lacking(format, timed || named, &columns, keys) {
            return Err(lacking);
        }
        let all = || keys.iter().zip(&columns);
        let is_used = |(field, user): &(Field, bool)| *user || *field != Field::Skip;
        let unused = all().filter(|(_, column)| !is_used(column));
        let used = all().filter(|(_, column)| is_used(column));
        let has_method = has(&columns, &[Field::Method, Field::Request]);
        doubts.extend((!has_method).then(|| methodless(format)));
        Ok(Keyed {
            fields: used.map(|(key, (field, user))| (key.clone(), field.clone(), *user)).collect(),
            ends,
            unused_fields: unused.map(|(key, _)| key.clone()).collect(),
            unit_open: all().any(|(key, (field, _))| unit_open(key, field)),
            has_method,
            doubts,
        })
    }
}

/// What keys of usual names mean, and what else they could. If none is known as the time, the only
/// one that has times is.
fn with_time<'a>(
    format: &str,
    keys: &'a [String],
    wanted: &FormatOptions<'_>,
    values: &impl Fn(&str) -> Vec<Option<Text<'a>>>,
) -> Result<(Resolved, Vec<String>), Invalid> {
    // Such lines are written when a request ends.
    let is_date = |key: &str| dates::are_dates(&values(key));
    let (names, dated) = dates::without_durations(keys, wanted.argument, is_date);
    let names = misnomers::without(names, wanted.argument, values);
    let mut resolved = resolve(&names, wanted.argument, wanted.user, true)?;
    resolved = one_group::preferred(&names, &resolved, wanted).unwrap_or(resolved);
    let mut doubts = Vec::new();
    if !resolved.timed
        && let Some(key) = dates::only(keys, values).or(dated.first().copied())
    {
        // AWS API Gateway's `requestTime` is that of the begin.
        let meaning = if plain(key).starts_with("request") { "time" } else { "stamp" };
        let mapping = format!("{},{meaning}={key}", wanted.argument.unwrap_or(""));
        if let Some(place) = keys.iter().position(|own| own == key && dated.contains(&key)) {
            // Its name would also be that of a duration.
            resolved.columns[place].0 = Field::AnyTime;
            (resolved.timed, resolved.ends) = (true, meaning == "stamp");
        } else {
            resolved = resolve(&names, Some(&mapping), wanted.user, true)?;
        }
    } else if let Some(key) = dated.first() {
        doubts.push(dates::doubt(format, key));
    }
    Ok((resolved, doubts))
}

/// Adds what every request has, if values show it and no usual name does: the request line, or the
/// client's address, which varies and is no private one, as those of servers often are. A key named
/// as the host may have it.
fn complete<'a>(
    format: &str,
    keys: &'a [String],
    wanted: &FormatOptions<'_>,
    resolved: &mut Resolved,
    values: &impl Fn(&str) -> Vec<Option<Text<'a>>>,
    doubts: &mut Vec<String>,
) {
    let mut lacking = resolved.lacking();
    lacking.retain(|key| ["request", "address"].contains(key));
    if lacking.is_empty() || !resolved.timed || wanted.user.is_some() {
        return;
    }
    let columns = keys.iter().zip(&resolved.columns);
    let free = columns.filter(|(_, (field, user))| {
        !user && (*field == Field::Skip || (*field == Field::Host && lacking.contains(&"address")))
    });
    let open: Vec<Open<'_>> = free.map(|(name, _)| Open { name, values: values(name) }).collect();
    let mut found = by_values::find(&lacking, &open);
    let column = |name: &str| open.iter().find(|one| one.name == name);
    let is_clients = |one: &Open<'_>| !one.is_same() && one.is_public();
    let is_server = |name: &str| column(name).is_some_and(Open::is_same);
    found.retain(|one| {
        one.key != "address"
            || (one.other.is_none_or(is_server) && column(one.name).is_some_and(is_clients))
    });
    doubts.extend(found.iter().map(|one| one.doubt(format)));
    for one in &found {
        resolved.give_meaning(keys, one.key, one.name);
    }
}

/// What is said of lines without a method.
fn methodless(format: &str) -> String {
    format!(
        "no key is known as the method, and all requests are taken for GET; --format \
         {format}:method=KEY names it"
    )
}

fn has(columns: &[(Field, bool)], fields: &[Field]) -> bool {
    columns.iter().any(|(field, _)| fields.contains(field))
}

/// If no key is known that every request has. A request line has a path.
fn lacking(
    format: &str,
    timed: bool,
    columns: &[(Field, bool)],
    keys: &[String],
) -> Option<Invalid> {
    let user = columns.iter().any(|(_, user)| *user);
    let addresses = [Field::Address, Field::AddressPort, Field::Forwarded, Field::User];
    // Without a time, the other keys are not looked for.
    let lacking: Vec<&str> = [
        ("time", timed),
        ("url", !timed || has(columns, &[Field::Url, Field::HostAndUrl, Field::Request])),
        ("address", !timed || user || has(columns, &addresses)),
    ]
    .into_iter()
    .filter(|(_, there)| !there)
    .map(|(key, _)| key)
    .collect();
    let all: Vec<String> = lacking.iter().map(|key| format!("{key}=KEY")).collect();
    (!lacking.is_empty()).then(|| {
        Invalid::new(format!(
            "no key of its first lines is known as the {}: name it, as in `--format {format}:{}`; \
             its keys are {}{}",
            lacking.join(", nor as the "),
            all.join(","),
            keys[..keys.len().min(KEYS_SHOWN)].join(", "),
            if keys.len() > KEYS_SHOWN { ", ..." } else { "" }
        ))
    })
}
