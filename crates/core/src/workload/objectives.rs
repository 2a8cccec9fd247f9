//! The objectives that a result is judged by.

use std::collections::BTreeMap;

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::workload::SloLimit;
use thinktime_file::workload::SloTable;
use thinktime_file::workload::{CHECK, Figure, PAGE, TIMES};

use super::Population;
use crate::request::RequestKind;

/// All objectives of a workload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slo {
    /// In the order of the file's keys, those of all requests first.
    pub objectives: Vec<Objective>,
}

/// One objective: a limit of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// The figure that is limited.
    pub figure: Figure,
    /// The scope of the figure.
    pub of: Scope,
    /// The limit: the largest time in seconds, the largest share that fails, or the least share of
    /// checks that pass.
    pub limit: f64,
    /// Whether a run ends once the objective cannot be met any more.
    pub abort: bool,
}

/// The scope of the figure that an objective limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// That of all requests, pages or checks.
    All,
    /// A population's: its name, and its place in the workload.
    Population(String, usize),
    /// That of the requests of this name.
    Request(String),
    /// That of the check of this name.
    Check(String),
}

impl Scope {
    /// Whether it covers requests of this kind.
    pub(crate) fn covers(&self, kind: &RequestKind) -> bool {
        match self {
            Scope::All | Scope::Check(_) => true,
            Scope::Population(_, place) => kind.population as usize == *place,
            Scope::Request(name) => kind.name == *name,
        }
    }

    /// The name of the population, request or check; `None` if the scope is all.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Scope::All => None,
            Scope::Population(name, _) | Scope::Request(name) | Scope::Check(name) => Some(name),
        }
    }
}

/// The possible scopes of objectives.
#[derive(Clone, Copy)]
pub(crate) struct Subjects<'a> {
    pub(crate) populations: &'a [Population],
    pub(crate) requests: &'a [RequestKind],
}

impl Slo {
    /// Checks a table; an error comes with its key.
    pub(crate) fn from_table(
        table: &SloTable,
        known: Subjects<'_>,
    ) -> Result<Slo, (String, Invalid)> {
        let mut objectives = known.objectives(&table.all, &Scope::All)?;
        for (name, limits) in &table.parts {
            if name == CHECK {
                objectives.extend(of_checks(limits)?);
                continue;
            }
            let keyed = |(key, error)| (format!("{name}.{key}"), error);
            let of = known.part(name).map_err(|error| (name.clone(), error))?;
            objectives.extend(known.objectives(limits, &of).map_err(keyed)?);
        }
        Ok(Slo { objectives })
    }

    /// Whether there are no objectives.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objectives.is_empty()
    }

    /// The objectives that end a run once they are lost.
    pub fn aborting(&self) -> impl Iterator<Item = &Objective> {
        self.objectives.iter().filter(|one| one.abort)
    }
}

impl Subjects<'_> {
    fn objectives(
        self,
        limits: &BTreeMap<String, SloLimit>,
        of: &Scope,
    ) -> Result<Vec<Objective>, (String, Invalid)> {
        let one = |(key, limit): (&String, &SloLimit)| {
            self.objective(key, limit, of).map_err(|error| (key.clone(), error))
        };
        limits.iter().map(one).collect()
    }

    fn objective(self, key: &str, limit: &SloLimit, of: &Scope) -> Result<Objective, Invalid> {
        let Some(figure) = Figure::named(key) else { return Err(self.unknown(key, of)) };
        if matches!(figure, Figure::Page(_)) {
            self.have_pages(of)?;
        }
        if figure == Figure::Checks && *of != Scope::All {
            return Err(Invalid::new(
                "checks are told apart by their names alone, as in check.\"NAME\" = \"99%\"",
            ));
        }
        if figure.is_of_streams() {
            self.have_streams(figure, limit, of)?;
        }
        let value = figure.limit(&limit.value.text())?;
        Ok(Objective { figure, of: of.clone(), limit: value, abort: limit.abort })
    }

    fn have_streams(self, figure: Figure, limit: &SloLimit, of: &Scope) -> Result<(), Invalid> {
        if limit.abort && !matches!(figure, Figure::FirstEvent(_)) {
            return Err(Invalid::new("is judged at the end of a run: leave `abort` out"));
        }
        let streamed = |kind: &&RequestKind| kind.stream.is_some() && of.covers(kind);
        if self.requests.iter().any(|kind| streamed(&kind)) {
            return Ok(());
        }
        Err(Invalid::new("is about streamed responses, and no request has `stream` here"))
    }

    fn have_pages(self, of: &Scope) -> Result<(), Invalid> {
        let pages = match of {
            Scope::Population(_, place) => self.populations[*place].has_pages,
            Scope::All => self.populations.iter().any(|one| one.has_pages),
            Scope::Request(_) | Scope::Check(_) => {
                return Err(Invalid::new(
                    "pages are told apart by population, not by request: give it to a population",
                ));
            }
        };
        if pages {
            return Ok(());
        }
        Err(Invalid::new("is about pages, and no request has `objects` here"))
    }

    /// The scope of a table in the table.
    fn part(self, name: &str) -> Result<Scope, Invalid> {
        if let Some(place) = self.populations.iter().position(|one| one.name == name) {
            return Ok(Scope::Population(name.to_owned(), place));
        }
        if self.requests.iter().any(|one| one.name == name) {
            return Ok(Scope::Request(name.to_owned()));
        }
        if TIMES.contains(&name.strip_prefix(PAGE).unwrap_or(name)) {
            return Err(Invalid::new("a key with a dot goes in quotes: \"p99.9\""));
        }
        Err(unknown("population or request", name, self.names()))
    }

    fn unknown(self, key: &str, of: &Scope) -> Invalid {
        if *of == Scope::All && self.part(key).is_ok() {
            return Invalid::new(format!(
                "is a population or a request: give one of its objectives, as in {key}.p99 = \
                 \"250ms\""
            ));
        }
        let known: Vec<String> = Figure::all().map(Figure::key).collect();
        let names = self.names().filter(|_| *of == Scope::All);
        unknown("key", key, known.iter().map(String::as_str).chain(names))
    }

    fn names(&self) -> impl Iterator<Item = &str> + Clone {
        let populations = self.populations.iter().map(|one| one.name.as_str());
        let requests = self.requests.iter().map(|one| one.name.as_str());
        populations.filter(|name| !name.is_empty()).chain(requests)
    }
}

fn of_checks(limits: &BTreeMap<String, SloLimit>) -> Result<Vec<Objective>, (String, Invalid)> {
    let one = |(name, limit): (&String, &SloLimit)| {
        let value = Figure::Checks.limit(&limit.value.text());
        let value = value.map_err(|error| (format!("{CHECK}.{name}"), error))?;
        let of = Scope::Check(name.clone());
        Ok(Objective { figure: Figure::Checks, of, limit: value, abort: limit.abort })
    };
    limits.iter().map(one).collect()
}
