//! Kinds of requests: by template, by method, and by whether pages embed them.

use std::collections::HashSet;

use super::{ColumnMismatch, same_lengths};
use crate::columns::METHODS;
use crate::ordering::order_by_number;

/// The number of codes of a template: for each method one as a page, and one as an embedded object.
const CODES: usize = 2 * METHODS.len();

/// Requests by time, with their attributes.
///
/// The code of a request is (template x methods + method) x 2, plus 1 if it is embedded.
#[derive(Clone, Copy, Debug)]
pub struct KindColumns<'a> {
    /// The path of each request.
    pub path: &'a [u32],
    /// The index of its method in [`METHODS`].
    pub method: &'a [u8],
    /// Its user.
    pub user: &'a [u32],
    /// Whether it is part of a page that was requested before.
    pub embedded: &'a [bool],
    /// Whether it counts: further attempts do not.
    pub counted: &'a [bool],
    /// The template of each path.
    pub templates: &'a [u32],
}

/// The paths of a kind in the order of their numbers, and the requests for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// The paths.
    pub path: Vec<u32>,
    /// The requests for each.
    pub requests: Vec<u64>,
}

impl KindColumns<'_> {
    /// Checks that the columns agree.
    ///
    /// # Errors
    ///
    /// If they have different lengths, or numbers are beyond paths and methods.
    pub fn check(&self) -> Result<(), ColumnMismatch> {
        let KindColumns { path, method, user, embedded, counted, templates } = *self;
        let lengths = [method.len(), user.len(), embedded.len(), counted.len()];
        same_lengths(path.len(), &lengths)?;
        if let Some(path) = path.iter().find(|path| **path as usize >= templates.len()) {
            return Err(ColumnMismatch(format!("path {path} has no template")));
        }
        match method.iter().find(|method| usize::from(**method) >= METHODS.len()) {
            Some(method) => Err(ColumnMismatch(format!("there is no method {method}"))),
            None => Ok(()),
        }
    }

    /// The code of each request in turn.
    fn codes(&self) -> impl Iterator<Item = usize> {
        let columns = self.path.iter().zip(self.method).zip(self.embedded);
        columns.map(|((path, method), embedded)| {
            self.templates[*path as usize] as usize * CODES
                + 2 * usize::from(*method)
                + usize::from(*embedded)
        })
    }

    fn codes_known(&self) -> usize {
        self.templates.iter().max().map_or(0, |most| (*most as usize + 1) * CODES)
    }

    /// The number of counted requests of each code.
    #[must_use]
    pub fn requests(&self) -> Vec<u64> {
        let mut requests = vec![0; self.codes_known()];
        for (code, counted) in self.codes().zip(self.counted) {
            requests[code] += u64::from(*counted);
        }
        requests
    }

    /// Whether at least `least` users requested each of these codes; `of_user` maps a user's number
    /// to another, or to itself.
    #[must_use]
    pub fn by_many(&self, codes: &[usize], of_user: &[u32], least: usize) -> Vec<bool> {
        let mut place = vec![usize::MAX; self.codes_known()];
        for (at, code) in codes.iter().enumerate() {
            if let Some(place) = place.get_mut(*code) {
                *place = at;
            }
        }
        let mut who = vec![HashSet::new(); codes.len()];
        let mut many = vec![least == 0; codes.len()];
        let mut open = codes.len();
        for (code, user) in self.codes().zip(self.user) {
            let at = place[code];
            if at == usize::MAX || many[at] {
                continue;
            }
            who[at].insert(*of_user.get(*user as usize).unwrap_or(user));
            if who[at].len() >= least {
                many[at] = true;
                who[at] = HashSet::new();
                open -= 1;
                if open == 0 {
                    break;
                }
            }
        }
        many
    }

    /// The kind of each request: that of its code. If the code has no kind (-1), the kind of the
    /// remaining pages or embedded objects.
    #[must_use]
    pub fn kinds(&self, of_code: &[i32], rest: [i32; 2]) -> Vec<i32> {
        let kind = |code: usize| match of_code.get(code) {
            Some(kind) if *kind >= 0 => *kind,
            _ => rest[code % 2],
        };
        self.codes().map(kind).collect()
    }

    /// The paths of each kind, among requests that count.
    #[must_use]
    pub fn members(&self, kind: &[i32], kinds: usize) -> Vec<Members> {
        let mut requests = vec![0_u64; self.templates.len()];
        let mut found = vec![Members::default(); kinds];
        each_kind(kind, |kind, rows| {
            let Some(members) = found.get_mut(kind) else { return };
            for row in rows.iter().map(|row| *row as usize).filter(|row| self.counted[*row]) {
                let path = self.path[row];
                let many = &mut requests[path as usize];
                if *many == 0 {
                    members.path.push(path);
                }
                *many += 1;
            }
            members.path.sort_unstable();
            let taken = |path: &u32| std::mem::take(&mut requests[*path as usize]);
            members.requests = members.path.iter().map(taken).collect();
        });
        found
    }
}

/// Calls a function with the rows of each existing kind, in their order; rows of kind -1 are left
/// out.
pub(super) fn each_kind(kind: &[i32], mut visit: impl FnMut(usize, &[u32])) {
    let numbers: Vec<u32> = kind.iter().map(|kind| *kind as u32).collect();
    let order = order_by_number(&numbers);
    for rows in order.chunk_by(|one, next| kind[*one as usize] == kind[*next as usize]) {
        if let Ok(kind) = usize::try_from(kind[rows[0] as usize]) {
            visit(kind, rows);
        }
    }
}
