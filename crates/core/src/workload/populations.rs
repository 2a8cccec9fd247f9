//! Checking the populations of a file, or the single one of its own tables.

use thinktime_file::error::Invalid;
use thinktime_file::schema::{SchemaError, Source};
use thinktime_file::workload::WorkloadFile;

use super::Population;
use super::check::{CLIENTS_MAX, Check};
use super::files::WorkloadFiles;
use crate::request::RequestKind;
use crate::words;

/// The largest number of populations.
const POPULATIONS_MAX: usize = 100;

/// All populations of a file, and the kinds of request of all of them.
pub(super) fn populations(
    source: Source<'_>,
    files: &dyn WorkloadFiles,
    file: &WorkloadFile,
) -> Result<(Vec<Population>, Vec<RequestKind>), SchemaError> {
    one_way(file).map_err(|(key, error)| source.error(&key, &error))?;
    let (mut populations, mut requests) = (Vec::<Population>::new(), Vec::new());
    for (at, (path, table)) in file.populations().into_iter().enumerate() {
        let seed = super::population_seed(file.seed, at);
        let check = Check { source, files, path, seed };
        if populations.iter().any(|other| other.name == table.name) {
            return check.fail("name", "is taken by another population");
        }
        if !check.path.is_empty() && !is_plain(&table.name) {
            return check.fail("name", PLAIN);
        }
        let values = check.values(&table)?;
        let kinds = check.requests(&table, &values.1)?;
        populations.push(check.population(table, &kinds, requests.len(), values)?);
        let own = kinds.into_iter().map(|kind| RequestKind { population: at as u32, ..kind });
        requests.extend(own);
        let clients: u64 = populations.iter().filter_map(Population::clients).sum();
        if clients > CLIENTS_MAX {
            let (clients, most) = (words::count(clients), words::count(CLIENTS_MAX));
            let why = format!("with it there are {clients} clients, more than {most}");
            return check.fail("arrivals.clients", &why);
        }
    }
    Ok((populations, requests))
}

const PLAIN: &str = "stands in keys such as `population.NAME.rate` and `NAME.page_p90`: give one \
                     of letters, digits, `-` and `_`, which is no key of [slo], such as `p99`";

/// Whether a population's name can stand in keys.
fn is_plain(name: &str) -> bool {
    let quantile = name.strip_prefix("page_").unwrap_or(name).strip_prefix('p');
    let of_slo = quantile.is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
    let letters = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    letters && !of_slo && !["", "errors", "check"].contains(&name)
}

/// Whether the file has either tables of its own or populations; an error comes with its key.
fn one_way(file: &WorkloadFile) -> Result<(), (String, Invalid)> {
    let fail = |key: &str, why: &str| Err((key.to_owned(), Invalid::new(why)));
    match (&file.arrivals, file.population.as_slice()) {
        (None, []) => return fail("", "missing key `arrivals`"),
        (None, all) if all.len() > POPULATIONS_MAX => {
            let most = format!("there can be at most {POPULATIONS_MAX} populations");
            return fail(&format!("population.{POPULATIONS_MAX}"), &most);
        }
        (_, []) | (None, _) => {}
        (Some(_), _) => return fail("arrivals", OWN_TABLES),
    }
    if !file.population.is_empty() {
        let (session, clients) = (!file.session.is_empty(), file.clients.is_some());
        let own =
            [("session", session), ("clients", clients), ("request", !file.request.is_empty())];
        if let Some((key, _)) = own.iter().find(|(_, given)| *given) {
            return fail(key, OWN_TABLES);
        }
    }
    Ok(())
}

const OWN_TABLES: &str = "does not go with [[population]]: each population has its own, as in \
                          [population.arrivals] or [[population.request]] below its name";
