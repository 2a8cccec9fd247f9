//! Named columns and keys: their meanings, by usual names or by the user's mapping.

use thinktime_core::error::{Invalid, unknown};

use super::meanings::{MEANINGS, Meaning};
use crate::field::Field;

/// The meanings of the columns of a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Resolved {
    /// For each column, its meaning and whether it identifies the user.
    pub(super) columns: Vec<(Field, bool)>,
    /// Whether the time is that of the request's end.
    pub(super) ends: bool,
    /// Whether a column is a time.
    pub(super) timed: bool,
    /// Whether the name of a column says that it has the time at which the request began.
    begins: bool,
}

/// The longest end of a name that is compared, in bytes: usual names are shorter. What a client
/// sends may make a word of any length a key.
const NAME_MAX: usize = 200;

/// A name in its form for comparison: in lower case, with `_` between words. `clientIP` and
/// `HTTPMethod` are of two words. Of a name that is too long to be usual, only the end counts.
pub(super) fn plain(name: &str) -> String {
    let name = name.trim().trim_start_matches('@');
    let mut places = name.len().saturating_sub(NAME_MAX)..name.len();
    let begin = places.find(|at| name.is_char_boundary(*at)).unwrap_or(name.len());
    let letters: Vec<char> = name[begin..].chars().collect();
    let mut plain = String::new();
    for (place, letter) in letters.iter().enumerate() {
        let before = place.checked_sub(1).map(|place| letters[place]);
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                let next = letters.get(place + 1).is_some_and(|next| next.is_lowercase());
                before.is_lowercase() || before.is_ascii_digit() || (before.is_uppercase() && next)
            });
        if begins {
            plain.push('_');
        }
        match letter {
            '-' | ' ' | '.' => plain.push('_'),
            letter => plain.extend(letter.to_lowercase()),
        }
    }
    plain
}

/// The name behind the underscore before keys that a program adds to its messages, as in GELF.
pub(super) fn without_mark(name: &str) -> Option<&str> {
    name.strip_prefix('_').filter(|rest| rest.starts_with(|first: char| first.is_alphabetic()))
}

/// The meanings of columns in the user's mapping, as in `time=ts,user=ip`.
///
/// # Errors
/// If the mapping names an unknown meaning.
pub(super) fn mapped(mapping: Option<&str>) -> Result<Vec<(Field, String)>, Invalid> {
    let meanings = pairs(mapping)?.into_iter();
    Ok(meanings.map(|(meaning, column)| (meaning.field.clone(), column.to_owned())).collect())
}

/// Whether a column of this name and meaning has durations of an unknown unit.
pub(super) fn unit_open(name: &str, field: &Field) -> bool {
    let name = plain(name);
    let told = ["_s", "_sec", "_seconds", "server_request_duration"];
    *field == Field::AnyDuration && !told.iter().any(|end| name.ends_with(end))
}

/// The meanings of columns with these names, by the user's mapping, as in `time=ts,user=ip`. Others
/// follow from usual names, also within a usual group, as in `req.method`. `ends` says whether a
/// name such as `timestamp` means the end; in a mapping, `time` is the begin and `end` the end.
///
/// # Errors
/// If the mapping names an unknown column or meaning.
pub(super) fn resolve(
    names: &[String],
    mapping: Option<&str>,
    user: Option<&str>,
    ends: bool,
) -> Result<Resolved, Invalid> {
    let place_of = |wanted: &str| {
        let place = names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
        place.ok_or_else(|| unknown("column", wanted, names.iter().map(|name| &name[..])))
    };
    let mut resolved = Resolved::new(names.len(), ends);
    let mut kinds = Vec::new();
    if let Some(user) = user {
        resolved.columns[place_of(user)?].1 = true;
        kinds.push("user");
    }
    let given = pairs(mapping)?;
    let begins = given.iter().any(|(meaning, _)| meaning.key == "time");
    for (meaning, column) in given {
        let place = place_of(column)?;
        // An address can identify the user, and remains the address.
        if meaning.field == Field::User {
            resolved.columns[place].1 = true;
            kinds.push("user");
        } else if meaning.key == "end" && begins {
            resolved.columns[place].0 = Field::End;
        } else {
            resolved.assign(meaning, place, &mut kinds);
        }
    }
    let whole: Names = names.iter().map(|name| Some(plain(name))).collect();
    resolved.assign_usual(|_| &whole, &mut kinds);
    let grouped = GROUPS.map(|own| names.iter().map(|name| in_group(name, own)).collect());
    resolved.assign_usual(|meaning| &grouped[groups_of(meaning)], &mut kinds);
    let added: Names = names.iter().map(|name| without_mark(name).map(plain)).collect();
    resolved.assign_usual(|_| &added, &mut kinds);
    resolved.timed = kinds.contains(&"time");
    resolved.complete_times(names, kinds.contains(&"duration"));
    Ok(resolved)
}

/// Usual names of groups: with keys of a request, of its response, or of both.
const OF_REQUEST: [&str; 4] = ["request", "req", "http_request", "network"];
const OF_RESPONSE: [&str; 5] = ["response", "resp", "res", "http_response", "reply"];
const OF_BOTH: [&str; 17] = [
    // Of exports from Elasticsearch.
    "_source",
    "http",
    "headers",
    "header",
    "data",
    "fields",
    "attributes",
    "attrs",
    "payload",
    "properties",
    "context",
    "meta",
    "span",
    "state",
    "proto_payload",
    "access",
    "access_log",
];

/// The groups that may hold a meaning, besides those of both.
const GROUPS: [&[&str]; 3] = [&OF_REQUEST, &OF_RESPONSE, &[]];

/// The place of a meaning's groups among all.
fn groups_of(meaning: &Meaning) -> usize {
    match meaning.key {
        "time" | "end" | "stamp" => 2,
        "status" | "bytes" => 1,
        key if key.starts_with("duration") => 1,
        _ => 0,
    }
}

/// The names of all columns in their form for comparison, as far as they have one.
type Names = Vec<Option<String>>;

/// The name of a column without its groups, if these may hold the meaning:
/// `req.headers.user-agent` is a `user_agent`, and `upstream.status` is no status of the response.
fn in_group(name: &str, own: &[&str]) -> Option<String> {
    let mut rest = name;
    while let Some((group, inner)) = rest.split_once('.') {
        let group = plain(group);
        if !own.contains(&&group[..]) && !OF_BOTH.contains(&&group[..]) {
            break;
        }
        rest = inner;
    }
    (rest.len() < name.len()).then(|| plain(rest))
}

impl Resolved {
    /// Columns without meanings.
    fn new(columns: usize, ends: bool) -> Resolved {
        let columns = vec![(Field::Skip, false); columns];
        Resolved { columns, ends, timed: false, begins: false }
    }

    /// The meanings that every request has and no column.
    pub(super) fn lacking(&self) -> Vec<&'static str> {
        let has = |fields: &[Field]| self.columns.iter().any(|(field, _)| fields.contains(field));
        let mut lacking = Vec::new();
        if !self.timed {
            lacking.push("stamp");
        }
        if !has(&[Field::Url, Field::Request]) {
            lacking.push("request");
            lacking.extend((!has(&[Field::Method])).then_some("method"));
            lacking.push("url");
        } else if !has(&[Field::Method, Field::Request]) {
            lacking.push("method");
        }
        let user = self.columns.iter().any(|(_, user)| *user);
        if !user && !has(&[Field::Address, Field::AddressPort, Field::Forwarded, Field::User]) {
            lacking.push("address");
        }
        lacking
    }

    /// For each meaning without a column, takes the first column with a usual name of that meaning;
    /// `named` gives the names of all columns for a meaning.
    fn assign_usual<'n>(
        &mut self,
        named: impl Fn(&Meaning) -> &'n Names,
        kinds: &mut Vec<&'static str>,
    ) {
        for meaning in MEANINGS {
            if kinds.contains(&meaning.kind()) {
                continue;
            }
            let names = named(meaning);
            let place = |usual: &&str| {
                let mut places = 0..names.len();
                let is_free = |place: &usize| self.columns[*place].0 == Field::Skip;
                places.find(|at| names[*at].as_deref() == Some(*usual) && is_free(at))
            };
            if let Some(place) = meaning.usual.iter().find_map(place) {
                self.assign(meaning, place, kinds);
            }
        }
    }

    fn assign(&mut self, meaning: &Meaning, place: usize, kinds: &mut Vec<&'static str>) {
        match meaning.key {
            "time" => (self.ends, self.begins) = (false, true),
            "end" => self.ends = true,
            _ => {}
        }
        self.columns[place].0 = meaning.field.clone();
        kinds.push(meaning.kind());
    }

    /// Adds the columns that complete a time: the end beside the begin, if no column has the
    /// duration, and the day beside the time of day, or the reverse.
    fn complete_times(&mut self, names: &[String], has_duration: bool) {
        const DAY_AND_TIME: [&str; 3] = ["date", "time", "time_of_day"];
        let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
        let is_half = |place: &usize| DAY_AND_TIME.contains(&&names[*place][..]);
        let timed = self.columns.iter().position(|column| column.0 == Field::AnyTime);
        if let Some(timed) = timed.filter(is_half) {
            let date = |place: usize| names[place] == "date";
            let other = |place: &usize| is_half(place) && date(*place) != date(timed);
            self.give(other, &Field::DayOrTime);
        }
        if self.begins && !has_duration {
            let ends = MEANINGS.iter().filter(|meaning| meaning.key == "end");
            let ends: Vec<&str> = ends.flat_map(|meaning| meaning.usual).copied().collect();
            self.give(|place| ends.contains(&&names[*place][..]), &Field::End);
        }
    }

    /// Gives a meaning to the column of a name. If it was taken for the host, another one may be.
    pub(super) fn give_meaning(&mut self, names: &[String], key: &str, name: &str) {
        let meaning = |key: &str| MEANINGS.iter().find(|one| one.key == key);
        let place = names.iter().position(|own| own == name);
        let (Some(place), Some(wanted)) = (place, meaning(key)) else { return };
        let before = std::mem::replace(&mut self.columns[place].0, wanted.field.clone());
        if let Some(host) = meaning("host").filter(|host| host.field == before) {
            let is_usual =
                |at: &usize| *at != place && host.usual.contains(&&plain(&names[*at])[..]);
            self.give(is_usual, &host.field);
        }
    }

    /// Gives this meaning to the first of these columns that has no meaning yet.
    fn give(&mut self, fits: impl Fn(&usize) -> bool, field: &Field) {
        let free = |place: &usize| self.columns[*place].0 == Field::Skip && fits(place);
        if let Some(place) = (0..self.columns.len()).find(free) {
            self.columns[place].0 = field.clone();
        }
    }
}

/// The pairs of a mapping such as `time=ts,user=ip`.
fn pairs(mapping: Option<&str>) -> Result<Vec<(&'static Meaning, &str)>, Invalid> {
    let mut pairs = Vec::new();
    for pair in mapping.unwrap_or_default().split(',').filter(|pair| !pair.trim().is_empty()) {
        let (key, column) = pair.split_once('=').ok_or_else(|| {
            Invalid::new(format!("`{pair}` should be a pair, as in `time=ts,user=ip`"))
        })?;
        let meaning = MEANINGS.iter().find(|meaning| meaning.key == key.trim());
        let keys = MEANINGS.iter().map(|meaning| meaning.key);
        pairs.push((meaning.ok_or_else(|| unknown("field", key.trim(), keys))?, column.trim()));
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::MILLISECOND;

    fn resolved(names: &[&str], mapping: Option<&str>) -> Result<Resolved, Invalid> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        resolve(&names, mapping, None, false)
    }

    #[test]
    fn usual_names_are_known() {
        let names = ["@timestamp", "User-Agent", "client ip", "duration", "took_ms", "x"];
        let found = resolved(&names, None).unwrap();
        let expected = [
            Field::AnyTime,
            Field::Agent,
            Field::Address,
            Field::Skip,
            Field::Duration(MILLISECOND),
            Field::Skip,
        ];
        assert_eq!(found.columns.iter().map(|c| c.0.clone()).collect::<Vec<_>>(), expected);
        assert!(!found.ends && resolved(&["msec"], None).unwrap().ends);
        assert!(!resolved(&["ip", "url"], None).unwrap().timed);
        let found = resolved(&["start_time", "end_time", "ip"], None).unwrap();
        assert_eq!((&found.columns[1].0, found.ends), (&Field::End, false));
        let found = resolved(&["start_time", "end_time", "took_ms"], None).unwrap();
        assert_eq!(found.columns[1].0, Field::Skip);
        let found = resolved(&["date", "time", "ip"], None).unwrap();
        assert_eq!(
            (&found.columns[0].0, &found.columns[1].0),
            (&Field::DayOrTime, &Field::AnyTime)
        );
        let names =
            ["timeStamp", "clientIP", "HTTPMethod", "http.response.status_code", "event.id"];
        let found = resolved(&names, None).unwrap();
        let expected = [Field::AnyTime, Field::Address, Field::Method, Field::Status, Field::Skip];
        assert_eq!(found.columns.iter().map(|c| c.0.clone()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn of_a_name_of_any_length_only_the_end_counts() {
        let long = format!("@{}.duration_s", "ä:".repeat(100_000));
        assert!(plain(&long).ends_with("_duration_s") && plain(&long).len() <= NAME_MAX);
        assert_eq!(resolved(&[&long], None).unwrap().columns[0].0, Field::Skip);
    }

    #[test]
    fn a_mapping_comes_first() {
        let found = resolved(&["time", "done", "ip"], Some("end=done, user=ip")).unwrap();
        let expected = [(Field::Skip, false), (Field::AnyTime, false), (Field::Address, true)];
        assert_eq!((&found.columns[..], found.ends), (&expected[..], true));
    }

    #[test]
    fn mistakes_in_a_mapping_are_named() {
        for (mapping, part) in [
            ("time", "should be a pair"),
            ("tme=ts", "did you mean `time`?"),
            ("time=tss", "unknown column `tss`: did you mean `ts`?"),
        ] {
            let message = resolved(&["ts"], Some(mapping)).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
