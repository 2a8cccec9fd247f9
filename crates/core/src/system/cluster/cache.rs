//! The cache of each server, as the file describes it.

use thinktime_file::error::Invalid;
use thinktime_file::schema::Scalar;
use thinktime_file::system::CacheTable;
use thinktime_file::time::Nanos;
use thinktime_file::units::{Dimension, Quantity, parse_time};

use crate::policy::replacement::{Cache, Entry, Limits};
use crate::random::{Purpose, StreamFamily};
use crate::system::read::ReadResult;

/// A cache that each server of a cluster has.
#[derive(Clone, Debug)]
pub struct CacheModel {
    /// Its size, and how long it holds a response.
    pub limits: Limits,
    /// The policy by which it forgets for lack of room.
    pub replacement: Entry,
    /// The request names whose responses it holds; `None` for all.
    pub holds: Option<Vec<String>>,
}

impl CacheModel {
    pub(super) fn from_table(table: &CacheTable) -> ReadResult<CacheModel> {
        let fail = |key: &str, message: &str| Err((key.to_owned(), Invalid::new(message)));
        let ttl = table.ttl.as_ref().map(time_to_live).transpose()?;
        let bytes = match &table.size {
            Some(size) => bytes(size)?,
            None if ttl.is_none() => {
                return fail("size", "is missing: a cache has it, a `ttl`, or both");
            }
            None if table.replacement.is_some() => {
                return fail("replacement", "goes with a `size`: without one there is always room");
            }
            None => u64::MAX,
        };
        let replacement =
            Entry::parse(table.replacement.as_deref().unwrap_or(CacheTable::REPLACEMENT))
                .map_err(|error| ("replacement".to_owned(), error))?;
        let limits = Limits { bytes, ttl };
        Ok(CacheModel { limits, replacement, holds: table.holds.clone() })
    }

    /// The empty cache of a server of the cluster of this number.
    pub(super) fn build(&self, seed: u64, cluster: u32, server: usize) -> Cache {
        let family = StreamFamily::new(seed, Purpose::Replacement).member(cluster.into());
        Cache::new(self.replacement, self.limits, family.stream(server as u64))
    }
}

fn bytes(size: &Scalar) -> ReadResult<u64> {
    let size = Quantity::parse(&size.text()).and_then(|size| size.expect(Dimension::Size));
    let size = size.map_err(|error| ("size".to_owned(), error))?;
    match (1.0..=1e18).contains(&size) {
        true => Ok(size as u64),
        false => Err(("size".to_owned(), Invalid::new("must be from 1 B to 10^18 B"))),
    }
}

fn time_to_live(ttl: &Scalar) -> ReadResult<Nanos> {
    let seconds = parse_time(&ttl.text()).map_err(|error| ("ttl".to_owned(), error))?;
    match Nanos::from_secs_f64(seconds) {
        Nanos::ZERO => Err(("ttl".to_owned(), Invalid::new("must be above 0, as in \"60s\""))),
        ttl => Ok(ttl),
    }
}
