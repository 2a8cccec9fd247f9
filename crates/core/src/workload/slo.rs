//! The objectives that a run is checked against.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Invalid, unknown};
use crate::schema::Scalar;
use crate::units::{parse_share, parse_time};
use crate::words;

/// The objectives that a run is checked against: response times not to be exceeded, and the
/// largest share of requests that may fail; for all requests, or for those of a population as in
/// `visitors.p99 = "1s"`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SloTable {
    /// Those of all requests, by name.
    pub all: BTreeMap<String, Scalar>,
    /// Those of populations, by their names.
    pub populations: BTreeMap<String, BTreeMap<String, Scalar>>,
}

/// What times are limited: (name of the objective, name of the figure).
const TIMES: [(&str, &str); 12] = [
    ("mean", "mean"),
    ("p50", "p50"),
    ("p90", "p90"),
    ("p95", "p95"),
    ("p99", "p99"),
    ("p99.9", "p99.9"),
    ("page_mean", "mean"),
    ("page_p50", "p50"),
    ("page_p90", "p90"),
    ("page_p95", "p95"),
    ("page_p99", "p99"),
    ("page_p99.9", "p99.9"),
];
/// What begins the names of those of pages.
const PAGE: &str = "page_";
const ERRORS: &str = "errors";

/// Objectives: upper limits of response times and of the share of failed requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slo {
    /// (name as in the summary, upper limit in seconds), as in ("p99", 0.25).
    pub response_time_s: Vec<(&'static str, f64)>,
    /// The same of page response times.
    pub page_response_time_s: Vec<(&'static str, f64)>,
    /// The largest share of requests that may fail.
    pub errors: Option<f64>,
    /// Those of populations: name, place in the workload, objectives.
    pub populations: Vec<(String, usize, Slo)>,
}

/// An objective that was not met.
#[derive(Clone, Debug, PartialEq)]
pub struct Breach {
    /// What was measured, what was wanted.
    pub message: String,
}

impl Slo {
    /// Checks a table. `populations` are their names, and whether they have pages; an error comes
    /// with its key.
    pub(super) fn from_table(
        table: &SloTable,
        populations: &[(&str, bool)],
    ) -> Result<Slo, (String, Invalid)> {
        let pages = populations.iter().any(|one| one.1);
        let mut slo = Slo::of(&table.all, pages, populations.iter().map(|one| one.0))?;
        for (name, limits) in &table.populations {
            let Some(place) = populations.iter().position(|one| one.0 == name) else {
                return Err((name.clone(), unknown_objective(name, populations)));
            };
            let of = Slo::of(limits, populations[place].1, std::iter::empty());
            let of = of.map_err(|(key, error)| (format!("{name}.{key}"), error))?;
            slo.populations.push((name.clone(), place, of));
        }
        Ok(slo)
    }

    fn of<'a>(
        limits: &BTreeMap<String, Scalar>,
        pages: bool,
        populations: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Slo, (String, Invalid)> {
        let mut slo = Slo::default();
        for (key, scalar) in limits {
            let named = |error: Invalid| (key.clone(), error);
            if key == ERRORS {
                slo.errors = Some(parse_share(&scalar.text()).map_err(named)?);
                continue;
            }
            let Some((name, figure)) = TIMES.into_iter().find(|(name, _)| name == key) else {
                if populations.clone().any(|name| name == key) {
                    let why = format!(
                        "is a population: give one of its objectives, as in {key}.p99 = \"250ms\""
                    );
                    return Err(named(Invalid::new(why)));
                }
                let known = TIMES.into_iter().map(|(name, _)| name).chain([ERRORS]);
                return Err(named(unknown("key", key, known.chain(populations))));
            };
            let limit = parse_time(&scalar.text()).map_err(named)?;
            if !name.starts_with(PAGE) {
                slo.response_time_s.push((figure, limit));
            } else if pages {
                slo.page_response_time_s.push((figure, limit));
            } else {
                let why = "is about pages, and no request has `objects` here";
                return Err(named(Invalid::new(why)));
            }
        }
        Ok(slo)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Slo::default()
    }

    /// The objectives of requests that were not met, given the measured times by name and the
    /// share of requests that failed; neither those of pages nor of populations. A time that was
    /// not measured counts as not met.
    pub fn breaches(
        &self,
        measured_s: impl Fn(&str) -> Option<f64>,
        error_share: f64,
    ) -> Vec<Breach> {
        let times = breached(&self.response_time_s, "", measured_s);
        let errors = self.errors.filter(|limit| error_share > *limit).map(|limit| {
            let (found, most) = words::percents_apart(error_share, limit);
            format!("{found} of requests failed, wanted {most} or less")
        });
        times.into_iter().chain(errors).map(|message| Breach { message }).collect()
    }

    /// The objectives of page response times that were not met, as [`Slo::breaches`].
    pub fn page_breaches(&self, measured_s: impl Fn(&str) -> Option<f64>) -> Vec<Breach> {
        let times = breached(&self.page_response_time_s, PAGE, measured_s);
        times.into_iter().map(|message| Breach { message }).collect()
    }
}

fn breached(
    limits: &[(&'static str, f64)],
    prefix: &str,
    measured_s: impl Fn(&str) -> Option<f64>,
) -> Vec<String> {
    let breach = |(name, limit): &(&'static str, f64)| {
        let Some(value) = measured_s(name) else {
            let most = words::time(*limit);
            return Some(format!("{prefix}{name} was not measured, wanted {most} or less"));
        };
        let (found, most) = words::times_apart(value, *limit);
        (value > *limit).then(|| format!("{prefix}{name} is {found}, wanted {most} or less"))
    };
    limits.iter().filter_map(breach).collect()
}

fn unknown_objective(name: &str, populations: &[(&str, bool)]) -> Invalid {
    if TIMES.iter().any(|(known, _)| *known == name) {
        return Invalid::new("a key with a dot goes in quotes: \"p99.9\"");
    }
    let named = populations.iter().map(|one| one.0).filter(|one| !one.is_empty());
    if named.clone().next().is_none() {
        return Invalid::new(format!(
            "`{name}` names no population: there is no [[population]] in this file"
        ));
    }
    unknown("population", name, named)
}

/// What stands behind a key: an objective, or a population's.
enum Entry {
    Limit(Scalar),
    Population(BTreeMap<String, Scalar>),
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number, a text such as \"250ms\", or a population's objectives")
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Entry, E> {
        Ok(Entry::Limit(Scalar::Whole(value)))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Entry, E> {
        Ok(Entry::Limit(Scalar::Number(value)))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Entry, E> {
        Ok(Entry::Limit(Scalar::Text(value.to_owned())))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let mut limits = BTreeMap::new();
        while let Some((key, limit)) = map.next_entry()? {
            limits.insert(key, limit);
        }
        Ok(Entry::Population(limits))
    }
}

impl<'de> Deserialize<'de> for SloTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SloTable, D::Error> {
        let mut table = SloTable::default();
        for (key, entry) in BTreeMap::<String, Entry>::deserialize(deserializer)? {
            match entry {
                Entry::Limit(limit) => {
                    table.all.insert(key, limit);
                }
                Entry::Population(limits) => {
                    table.populations.insert(key, limits);
                }
            }
        }
        Ok(table)
    }
}

impl Serialize for SloTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(Some(self.all.len() + self.populations.len()))?;
        for (key, limit) in &self.all {
            map.serialize_entry(key, limit)?;
        }
        for (name, limits) in &self.populations {
            map.serialize_entry(name, limits)?;
        }
        map.end()
    }
}

impl JsonSchema for SloTable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SloTable".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let scalar = generator.subschema_for::<Scalar>().to_value();
        let mut properties = serde_json::Map::new();
        for (name, figure) in TIMES {
            let of = if name.starts_with(PAGE) { "page response time" } else { "response time" };
            let mut one = scalar.clone();
            one["description"] = format!("The largest {} {of}.", figure_in_words(figure)).into();
            properties.insert(name.to_owned(), one);
        }
        let mut errors = scalar.clone();
        errors["description"] = "The largest share of requests that fail, as in `\"1%\"`.".into();
        properties.insert(ERRORS.to_owned(), errors);
        json_schema!({
            "type": "object",
            "description": "The objectives that a run is checked against: response times not to \
                be exceeded, and the largest share of requests that may fail; for all requests, \
                or for those of a population as in `visitors.p99 = \"1s\"`.",
            "properties": properties,
            "additionalProperties": {
                "type": "object",
                "description": "The same objectives of the population of this name.",
                "additionalProperties": scalar,
            },
        })
    }
}

fn figure_in_words(figure: &str) -> String {
    match figure.strip_prefix('p') {
        None => "mean".to_owned(),
        Some("50") => "median".to_owned(),
        Some(percent) => format!("{percent}th percentile of the"),
    }
}
