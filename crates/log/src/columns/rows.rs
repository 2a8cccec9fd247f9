//! The rows of a log's requests, column by column.

use super::UNKNOWN;

/// The rows of a log's requests by the time of their arrival. Numbers of users, paths, hosts and
/// agents count from 0; [`UNKNOWN`](super::UNKNOWN) stands for what the log does not have.
#[derive(Debug, Default)]
pub struct Rows {
    /// When requests arrived, in nanoseconds since 1970.
    pub time_ns: Vec<i64>,
    /// How long they took, in microseconds.
    pub duration_us: Vec<u32>,
    /// Who asked.
    pub user: Vec<u32>,
    /// For what.
    pub path: Vec<u32>,
    /// The path of the page that led there; unknown if nobody had asked for it before.
    pub referrer: Vec<u32>,
    /// The host that was asked.
    pub host: Vec<u32>,
    /// The sizes of the responses.
    pub bytes: Vec<u32>,
    /// What a user's requests of one page have in common; empty where no line tells pages.
    pub page: Vec<u32>,
    /// Statuses; 0 for none.
    pub status: Vec<u16>,
    /// Places in [`METHODS`](super::METHODS).
    pub method: Vec<u8>,
}

/// The requests of a log where they lie: columns of one length, as those of [`Rows`].
#[derive(Clone, Copy, Debug)]
pub struct ColumnView<'a> {
    /// When requests arrived, in nanoseconds since 1970.
    pub time_ns: &'a [i64],
    /// How long they took, in microseconds.
    pub duration_us: &'a [u32],
    /// Who asked.
    pub user: &'a [u32],
    /// For what.
    pub path: &'a [u32],
    /// The path of the page that led there.
    pub referrer: &'a [u32],
    /// The sizes of the responses.
    pub bytes: &'a [u32],
    /// What a user's requests of one page have in common; empty where no line tells pages.
    pub page: &'a [u32],
    /// Statuses; 0 for none.
    pub status: &'a [u16],
    /// Places in [`METHODS`](super::METHODS).
    pub method: &'a [u8],
    /// Of each path: whether pages embed such things.
    pub objects: &'a [bool],
    /// How many users there are.
    pub users: usize,
}

impl Rows {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.time_ns.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.time_ns.is_empty()
    }

    /// Notes the pages of the last rows. Most logs tell none, and have no such column.
    pub(super) fn note_pages(&mut self, mut pages: impl ExactSizeIterator<Item = u32> + Clone) {
        if !self.page.is_empty() || pages.clone().any(|page| page != UNKNOWN) {
            self.page.resize(self.len() - pages.len(), UNKNOWN);
            self.page.extend(&mut pages);
        }
    }

    /// Puts the rows in the order of time; those of one time stay in theirs.
    pub(super) fn sort(&mut self) {
        if self.time_ns.is_sorted() {
            return;
        }
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by_key(|row| self.time_ns[*row as usize]);
        self.pick(&order);
    }

    /// Keeps the rows of users for whom this holds.
    pub(super) fn keep(&mut self, kept: impl Fn(u32) -> bool) {
        let rows = 0..self.len() as u32;
        let order: Vec<u32> = rows.filter(|row| kept(self.user[*row as usize])).collect();
        self.pick(&order);
    }

    /// Makes these rows, in this order, the only ones.
    fn pick(&mut self, order: &[u32]) {
        picked(&mut self.time_ns, order);
        for column in [
            &mut self.duration_us,
            &mut self.user,
            &mut self.path,
            &mut self.referrer,
            &mut self.host,
            &mut self.bytes,
        ] {
            picked(column, order);
        }
        picked(&mut self.status, order);
        picked(&mut self.method, order);
        if !self.page.is_empty() {
            picked(&mut self.page, order);
        }
    }
}

fn picked<T: Copy>(column: &mut Vec<T>, order: &[u32]) {
    *column = order.iter().map(|row| column[*row as usize]).collect();
}
