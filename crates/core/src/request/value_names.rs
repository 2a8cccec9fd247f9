//! The values of sessions: a row of each data file, and values taken from responses.

use thinktime_file::error::Invalid;
use thinktime_file::workload::{PopulationTable, Rows};

use super::content::template::is_value_name;
use crate::data::DataTable;
use crate::random::{Purpose, StreamFamily};

/// The names of the values of a population's sessions: the columns of its data files, then the
/// values that its requests take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueNames {
    /// All names.
    pub names: Vec<String>,
    /// For each that is a column, its file and its place there; these come first.
    columns: Vec<(usize, usize)>,
    /// How rows are chosen.
    rows: Rows,
}

impl ValueNames {
    /// The names of the values of sessions that read these tables and send these requests; an error
    /// comes with the key that it is about.
    pub(crate) fn new(
        data: &[DataTable],
        table: &PopulationTable,
    ) -> Result<ValueNames, (String, Invalid)> {
        let rows = table.session.rows.unwrap_or_default();
        let mut found = ValueNames { rows, ..ValueNames::default() };
        for (file, table) in data.iter().enumerate() {
            for (column, name) in table.columns.iter().enumerate() {
                if found.names.contains(name) {
                    let why = format!("two files have a column `{name}`: rename one of them");
                    return Err(("session.data".to_owned(), Invalid::new(why)));
                }
                found.names.push(name.clone());
                found.columns.push((file, column));
            }
        }
        for (at, request) in table.request.iter().enumerate() {
            for name in request.take.keys() {
                let place = || format!("request.{at}.take.{name}");
                found.add_taken(name).map_err(|error| (place(), error))?;
            }
        }
        Ok(found)
    }

    fn add_taken(&mut self, name: &str) -> Result<(), Invalid> {
        if !is_value_name(name) {
            return Err(Invalid::new(format!(
                "`{name}` is no name of a value: a letter, then letters, digits, `-` and `_`"
            )));
        }
        match self.names.iter().position(|other| other == name) {
            None => self.names.push(name.to_owned()),
            Some(place) if place < self.columns.len() => {
                return Err(Invalid::new(format!("`{name}` is a column of a data file already")));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// The value of this name in a session's row, if the name is a column's. `session` is its
    /// number in the population, `turn` the number of times that it began again, `clients` the
    /// number of sessions that begin again.
    #[must_use]
    pub fn of_row<'a>(
        &self,
        data: &'a [DataTable],
        place: usize,
        seed: u64,
        session: (u64, u32),
        clients: u64,
    ) -> Option<&'a [u8]> {
        let (file, column) = *self.columns.get(place)?;
        let (number, turn) = session;
        let rows = &data[file].rows;
        let row = match self.rows {
            Rows::InTurn => {
                let past = u128::from(clients) * u128::from(turn);
                ((u128::from(number) + past) % rows.len() as u128) as usize
            }
            Rows::Random => {
                let family = StreamFamily::new(seed, Purpose::Row);
                family.substream(number, turn.into()).below(rows.len() as u64) as usize
            }
        };
        Some(rows[row][column].as_bytes())
    }

    /// Whether any are taken from responses.
    pub(crate) fn has_takes(&self) -> bool {
        self.names.len() > self.columns.len()
    }

    /// Whether a name is a column's.
    #[must_use]
    pub fn is_column(&self, place: usize) -> bool {
        place < self.columns.len()
    }
}
