//! The objects of a page: they are requested as soon as its base has come.

use std::sync::{Arc, OnceLock};

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;
use thinktime_file::workload::ObjectsTable;

use crate::distribution::Distribution;
use crate::files::Files;
use crate::journey::{Choice, ChoiceKind, Count};

/// The objects of a page, checked.
#[derive(Clone, Debug)]
pub struct Objects {
    count: Count,
    /// Computed once: a sum of many terms, if the law has a heavy tail.
    mean: Arc<OnceLock<f64>>,
    /// The kinds of request: places within the population.
    pub of: Choice,
    /// The number requested at a time; 1 or more.
    pub connections: u32,
}

/// The default number of connections, as in browsers with HTTP/1.1.
const CONNECTIONS: u32 = 6;
const CONNECTIONS_MAX: u32 = 1000;
/// The largest number of objects in a page, whatever is drawn.
const OBJECTS_MAX: u64 = 100_000;

impl Objects {
    /// Checks a table; `names` are those of the population's requests.
    pub(crate) fn from_table(
        table: &ObjectsTable,
        names: &[&str],
        files: &dyn Files,
    ) -> Result<Objects, (&'static str, Invalid)> {
        let named = |key: &'static str| move |error: Invalid| (key, error);
        let law = Distribution::parse(&table.count.text(), files)
            .and_then(|law| law.expect(Dimension::Number))
            .map_err(named("objects.count"))?;
        if !law.mean().is_finite() {
            return Err(("objects.count", Invalid::new("needs a finite mean")));
        }
        if law.mean() > OBJECTS_MAX as f64 {
            let why = format!("a page has at most {OBJECTS_MAX} objects, on average too");
            return Err(("objects.count", Invalid::new(why)));
        }
        let connections = table.connections.unwrap_or(CONNECTIONS);
        if !(1..=CONNECTIONS_MAX).contains(&connections) {
            let why = format!("must be from 1 to {CONNECTIONS_MAX}, not {connections}");
            return Err(("objects.connections", Invalid::new(why)));
        }
        let of = Choice::parse(&table.of, names, ChoiceKind::Relative);
        let of = of.map_err(named("objects.of"))?;
        let (count, mean) = (Count::from_none(law), Arc::default());
        Ok(Objects { count, mean, of, connections })
    }

    /// The number of objects of one page.
    pub(crate) fn draw(&self, stream: &mut crate::random::Stream) -> u32 {
        self.count.draw(stream).min(OBJECTS_MAX) as u32
    }

    /// The mean number of objects.
    #[must_use]
    pub fn mean(&self) -> f64 {
        *self.mean.get_or_init(|| self.count.mean())
    }

    /// The largest second moment of a page's number of requests, its base included.
    pub(crate) fn page_second_moment_max(&self) -> f64 {
        1.0 + 2.0 * self.mean() + self.count.second_moment_max()
    }
}
