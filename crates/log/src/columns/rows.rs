//! The rows of a log's requests, column by column.

use super::UNKNOWN;

/// The rows of a log's requests by the time of their arrival. Numbers of users, paths, hosts and
/// agents count from 0; [`UNKNOWN`](super::UNKNOWN) stands for a value that the log lacks.
#[derive(Debug, Default)]
pub struct Rows {
    /// When requests arrived, in nanoseconds since 1970.
    pub time_ns: Vec<i64>,
    /// The durations, in microseconds.
    pub duration_us: Vec<u32>,
    /// The users.
    pub user: Vec<u32>,
    /// The requested paths.
    pub path: Vec<u32>,
    /// The path of the referring page; unknown if nobody had requested it before.
    pub referrer: Vec<u32>,
    /// The requested host.
    pub host: Vec<u32>,
    /// The sizes of the responses.
    pub bytes: Vec<u32>,
    /// The page number that a user's requests of one page share; empty if no line names pages.
    pub page: Vec<u32>,
    /// Statuses; 0 for none.
    pub status: Vec<u16>,
    /// Indices in [`METHODS`](super::METHODS).
    pub method: Vec<u8>,
}

impl Rows {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.time_ns.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.time_ns.is_empty()
    }

    /// Notes the pages of the last rows. Most logs name none, and have no such column.
    pub(super) fn note_pages(&mut self, mut pages: impl ExactSizeIterator<Item = u32> + Clone) {
        if !self.page.is_empty() || pages.clone().any(|page| page != UNKNOWN) {
            self.page.resize(self.len() - pages.len(), UNKNOWN);
            self.page.extend(&mut pages);
        }
    }

    /// Sorts the rows by time; rows of one time keep their order.
    pub(super) fn sort(&mut self) {
        if self.time_ns.is_sorted() {
            return;
        }
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by_key(|row| self.time_ns[*row as usize]);
        self.pick(&order);
    }

    /// Keeps the rows of selected users.
    pub(super) fn keep(&mut self, kept: impl Fn(u32) -> bool) {
        let rows = 0..self.len() as u32;
        let order: Vec<u32> = rows.filter(|row| kept(self.user[*row as usize])).collect();
        self.pick(&order);
    }

    /// Keeps only these rows, in this order.
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
