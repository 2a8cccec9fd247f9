//! Behaviours: the steps that a request goes through, checked.

use super::file::{BehaviourTable, StepTable};
use super::{PoolModel, StationModel};
use crate::distribution::Distribution;
use crate::error::{Invalid, unknown};
use crate::files::Files;
use crate::schema::Scalar;
use crate::units::Dimension;

/// What requests of a name do; of any name that has no behaviour of its own, if none is given.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The request's name.
    pub request: Option<String>,
    /// Its steps, one after another.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug)]
pub enum Step {
    /// Be served at a station.
    Use {
        /// Its number.
        station: usize,
        /// The demand, where the step has one of its own.
        demand: Option<Distribution>,
    },
    /// Wait for a time, beside any number of others.
    Delay(Distribution),
    /// Take a place of a pool, or wait for one.
    Acquire(usize),
    /// Give it back.
    Release(usize),
    /// Go through several parts at once, and go on when all are done.
    Fork(Vec<Vec<Step>>),
}

/// What behaviours refer to.
pub(super) struct Context<'a> {
    pub(super) stations: &'a [StationModel],
    pub(super) pools: &'a [PoolModel],
    pub(super) files: &'a dyn Files,
}

/// An error, with the key that it is about.
type Placed<T> = Result<T, (String, Invalid)>;

impl Behaviour {
    pub(super) fn from_table(table: &BehaviourTable, context: &Context<'_>) -> Placed<Behaviour> {
        let steps = context.steps(&table.steps, "steps", &mut Vec::new())?;
        Ok(Behaviour { request: table.request.clone(), steps })
    }
}

impl Context<'_> {
    /// Checks steps; `held` are the pools of which a place is held, which the end must find as the
    /// begin did.
    fn steps(&self, tables: &[StepTable], path: &str, held: &mut Vec<usize>) -> Placed<Vec<Step>> {
        if tables.is_empty() {
            return Err((path.to_owned(), Invalid::new("needs at least one step")));
        }
        let before = held.clone();
        let mut steps = Vec::new();
        for (at, table) in tables.iter().enumerate() {
            steps.push(self.step(table, &format!("{path}.{at}"), held)?);
        }
        match held.iter().find(|pool| !before.contains(pool)) {
            None => Ok(steps),
            Some(pool) => {
                let name = &self.pools[*pool].name;
                let message = format!("`{name}` is acquired and never released");
                Err((path.to_owned(), Invalid::new(message)))
            }
        }
    }

    fn step(&self, table: &StepTable, path: &str, held: &mut Vec<usize>) -> Placed<Step> {
        let fail =
            |key: &str, message: String| Err((format!("{path}.{key}"), Invalid::new(message)));
        let kinds = table.kinds();
        let [kind] = kinds.as_slice() else {
            return fail(
                "",
                "is one of `use`, `delay`, `acquire`, `release` and `fork`".to_owned(),
            );
        };
        if table.demand.is_some() && *kind != "use" {
            return fail("demand", "goes with `use` only".to_owned());
        }
        if let Some(name) = &table.visits {
            let station = find("station", name, self.stations.iter().map(|one| &one.name))
                .map_err(|error| (format!("{path}.use"), error))?;
            let demand = table.demand.as_ref().map(|law| self.time(law, path, "demand"));
            return Ok(Step::Use { station, demand: demand.transpose()? });
        }
        if let Some(law) = &table.delay {
            return Ok(Step::Delay(self.time(law, path, "delay")?));
        }
        if let Some(name) = &table.acquire {
            let pool = self.pool(name, path, "acquire")?;
            if held.contains(&pool) {
                return fail("acquire", format!("`{name}` is held already"));
            }
            held.push(pool);
            return Ok(Step::Acquire(pool));
        }
        if let Some(name) = &table.release {
            let pool = self.pool(name, path, "release")?;
            let Some(at) = held.iter().position(|one| *one == pool) else {
                return fail("release", format!("`{name}` is not held here"));
            };
            held.remove(at);
            return Ok(Step::Release(pool));
        }
        self.fork(table.fork.as_deref().unwrap_or_default(), path, held)
    }

    fn fork(&self, parts: &[Vec<StepTable>], path: &str, held: &[usize]) -> Placed<Step> {
        let key = format!("{path}.fork");
        if parts.len() < 2 {
            return Err((key, Invalid::new("needs at least two parts, each a list of steps")));
        }
        let part = |(at, steps): (usize, &Vec<StepTable>)| {
            let steps = self.steps(steps, &format!("{key}.{at}"), &mut held.to_vec())?;
            match releases_foreign(&steps) {
                None => Ok(steps),
                Some(pool) => Err((
                    key.clone(),
                    Invalid::new(format!(
                        "a part cannot release `{}`, which it did not acquire",
                        self.pools[pool].name
                    )),
                )),
            }
        };
        Ok(Step::Fork(parts.iter().enumerate().map(part).collect::<Result<_, _>>()?))
    }

    fn pool(&self, name: &str, path: &str, key: &str) -> Placed<usize> {
        find("pool", name, self.pools.iter().map(|one| &one.name))
            .map_err(|error| (format!("{path}.{key}"), error))
    }

    fn time(&self, scalar: &Scalar, path: &str, key: &str) -> Placed<Distribution> {
        Distribution::parse(&scalar.text(), self.files)
            .and_then(|law| law.expect(Dimension::Time))
            .and_then(super::demand::finite_mean)
            .map_err(|error| (format!("{path}.{key}"), error))
    }
}

/// A pool that the steps release before they acquire it.
fn releases_foreign(steps: &[Step]) -> Option<usize> {
    let mut own = Vec::new();
    steps.iter().find_map(|step| match step {
        Step::Acquire(pool) => {
            own.push(*pool);
            None
        }
        Step::Release(pool) => (!own.contains(pool)).then_some(*pool),
        _ => None,
    })
}

fn find<'a>(
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'a String> + Clone,
) -> Result<usize, Invalid> {
    let found = names.clone().position(|other| other == name);
    found.ok_or_else(|| unknown(what, name, names.clone().map(String::as_str)))
}
