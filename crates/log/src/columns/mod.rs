//! The requests of a log in columns, from which everything else is learned.

mod names;
mod order;
mod rows;
mod visit;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use names::Names;
use order::Order;
pub use rows::Rows;
use visit::{AGENTS, IdentityHasher, Visit, is_object};
pub use visit::{Batch, Digest, METHODS, UNKNOWN, UserBy};

/// The most rows kept, in some 300 MiB; of a log that has more, those of one user in two, in four,
/// and so on.
pub const ROWS_MAX: usize = 1 << 23;

/// Visits are added in batches of this size.
const AT_ONCE: usize = 64;

/// The requests of a log.
#[derive(Debug, Default)]
pub struct Columns {
    /// The requests.
    pub rows: Rows,
    /// Paths by their numbers, without queries, cut to 200 bytes.
    pub paths: Vec<Box<[u8]>>,
    /// Whether pages embed this path, by its ending.
    pub objects: Vec<bool>,
    /// The address and the agent of each user.
    pub users: Vec<(u32, u32)>,
    /// The agents of clients.
    pub agents: Vec<Box<[u8]>>,
    /// The requested hosts.
    pub hosts: Vec<Box<[u8]>>,
    /// How often the log's time went back by more than two minutes, the most that can be sorted.
    pub backwards: u64,
    /// The requests of one user in this many are kept.
    pub one_in: u64,
    /// All requests, kept or not.
    pub requests: u64,
}

/// Makes columns of visits.
#[derive(Debug)]
pub struct Collector {
    order: Order,
    names: [Names; 3],
    users: HashMap<u64, u32, BuildHasherDefault<IdentityHasher>>,
    addresses: HashMap<u64, u32, BuildHasherDefault<IdentityHasher>>,
    /// The hash of each user, which decides whether the user is kept.
    hashes: Vec<u64>,
    rows_max: usize,
    columns: Columns,
}

impl Default for Collector {
    fn default() -> Collector {
        Collector::new(ROWS_MAX)
    }
}

impl Collector {
    /// Keeps at most this many rows.
    #[must_use]
    pub fn new(rows_max: usize) -> Collector {
        Collector {
            order: Order::default(),
            names: Default::default(),
            users: HashMap::default(),
            addresses: HashMap::default(),
            hashes: Vec::new(),
            rows_max,
            columns: Columns { one_in: 1, ..Columns::default() },
        }
    }

    /// Takes the visits of a batch and leaves it empty.
    pub fn take(&mut self, batch: &mut Batch) {
        for (names, told) in self.names.iter_mut().zip(&mut batch.names) {
            names.learn(told);
        }
        let mut order = std::mem::take(&mut self.order);
        order.take(&batch.visits, |visits| self.add(visits));
        self.order = order;
        batch.visits.clear();
    }

    /// All requests, by time.
    #[must_use]
    pub fn finish(mut self) -> Columns {
        let mut order = std::mem::take(&mut self.order);
        order.finish(|visits| self.add(visits));
        let Collector { names: [paths, agents, hosts], mut columns, .. } = self;
        columns.backwards = order.backwards;
        columns.rows.sort();
        columns.paths = paths.finish();
        columns.objects = columns.paths.iter().map(|path| is_object(path)).collect();
        columns.agents = agents.finish();
        columns.hosts = hosts.finish();
        columns
    }

    /// Adds visits column by column, so that a lookup in one column does not delay the others.
    fn add(&mut self, visits: &[Visit]) {
        self.columns.requests += visits.len() as u64;
        if self.columns.one_in == 1 {
            visits.chunks(AT_ONCE).for_each(|some| self.add_rows_of(some));
            return;
        }
        for visit in visits {
            if is_sampled(visit.user, self.columns.one_in) {
                self.add_rows_of(std::slice::from_ref(visit));
            }
        }
    }

    fn add_rows_of(&mut self, visits: &[Visit]) {
        let mut users = [UNKNOWN; AT_ONCE];
        for (user, visit) in users.iter_mut().zip(visits) {
            *user = self.users.get(&visit.user).copied().unwrap_or(UNKNOWN);
        }
        for (user, visit) in users.iter_mut().zip(visits) {
            if *user == UNKNOWN {
                *user = self.user(visit);
            }
        }
        let [paths, _, hosts] = &self.names;
        let rows = &mut self.columns.rows;
        rows.user.extend_from_slice(&users[..visits.len()]);
        rows.time_ns.extend(visits.iter().map(|visit| visit.time_ns));
        rows.duration_us.extend(visits.iter().map(|visit| visit.duration_us));
        rows.path.extend(visits.iter().map(|visit| paths.number(visit.path)));
        rows.referrer.extend(visits.iter().map(|visit| match visit.referrer {
            0 => UNKNOWN,
            referrer => paths.find(referrer),
        }));
        rows.host.extend(visits.iter().map(|visit| hosts.number(visit.host)));
        rows.bytes.extend(visits.iter().map(|visit| visit.bytes));
        rows.status.extend(visits.iter().map(|visit| visit.status));
        rows.method.extend(visits.iter().map(|visit| visit.method));
        rows.note_pages(visits.iter().map(|visit| visit.page));
        while self.columns.rows.len() > self.rows_max && self.columns.one_in < 1 << 32 {
            self.columns.one_in *= 2;
            let (hashes, one_in) = (&self.hashes, self.columns.one_in);
            self.columns.rows.keep(|user| is_sampled(hashes[user as usize], one_in));
        }
    }

    /// The number of a visit's user, who may be new.
    fn user(&mut self, visit: &Visit) -> u32 {
        let next = self.hashes.len() as u32;
        let number = *self.users.entry(visit.user).or_insert(next);
        if number == next {
            self.hashes.push(visit.user);
            let next = self.addresses.len() as u32;
            let address = *self.addresses.entry(visit.address).or_insert(next);
            self.columns.users.push((address, self.names[AGENTS].number(visit.agent)));
        }
        number
    }
}

/// Whether the requests of a user with this hash are kept.
fn is_sampled(hash: u64, one_in: u64) -> bool {
    // The high bits give the user's place in tables; after mixing, they also serve here.
    let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32).is_multiple_of(one_in)
}

#[cfg(test)]
mod tests;
