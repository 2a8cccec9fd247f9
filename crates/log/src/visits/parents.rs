//! The page that each names as its referrer.

use super::NONE;
use super::latest::Latest;
use super::users::{Row, Session};
use crate::columns::UNKNOWN;

/// Referrers count as reliable for the begins of journeys if at least this share of the pages has
/// one.
const REFERRED: f64 = 0.5;

/// Finds for each page the one that led to it: that of its referrer, or the previous one.
///
/// Among several pages of the referrer's path it is the last one that has led to none yet. This is
/// a matching of brackets: a page of a path opens one, and a page with it as referrer closes one.
/// If all have led to another, it is the last one.
#[derive(Debug)]
pub(super) struct Parents {
    parent: Vec<u32>,
    /// By page: whether it has no referrer, others of its user have one, and it is not the first
    /// one of its session.
    unnamed: Vec<bool>,
    /// The number of pages that are not the first of their session, and the number of these with a
    /// referrer.
    inner: usize,
    named: usize,
    /// The latest user, the first of its pages, and whether one of them has a referrer.
    user: u32,
    first: usize,
    telling: bool,
    /// The latest page of each path in the session, and the latest that has led to none.
    latest: Latest,
    free: Latest,
    /// By page of the session: the free one of its path before it.
    free_before: Vec<u32>,
}

impl Parents {
    pub(super) fn new(paths: usize) -> Parents {
        Parents {
            parent: Vec::new(),
            unnamed: Vec::new(),
            inner: 0,
            named: 0,
            user: NONE,
            first: 0,
            telling: false,
            latest: Latest::new(paths),
            free: Latest::new(paths),
            free_before: Vec::new(),
        }
    }

    /// Takes the next session: its pages from the number `first` on, by their bases.
    pub(super) fn take<'a>(
        &mut self,
        session: &Session<'_>,
        first: usize,
        bases: impl Iterator<Item = &'a Row> + Clone,
    ) {
        if self.user != session.user {
            self.settle();
            self.user = session.user;
        }
        let mut before = NONE;
        let mut other = false;
        for (page, base) in (first..).zip(bases.clone()) {
            let inner = page > first;
            let named = inner && base.referrer != UNKNOWN;
            self.inner += usize::from(inner);
            self.named += usize::from(named);
            self.telling |= named;
            other |= named && base.referrer != before;
            self.unnamed.push(inner && !named);
            self.parent.push(if inner { page as u32 - 1 } else { NONE });
            before = base.path;
        }
        if other {
            self.match_referrers(first, bases);
        }
    }

    /// Finds the pages of referrers that are not always the previous page.
    fn match_referrers<'a>(&mut self, first: usize, bases: impl Iterator<Item = &'a Row>) {
        for (page, base) in (first..).zip(bases) {
            if page > first {
                if let Some(free) = self.free.get(base.referrer) {
                    self.parent[page] = free;
                    self.free.set(base.referrer, self.free_before[free as usize - first]);
                } else if let Some(latest) = self.latest.get(base.referrer) {
                    self.parent[page] = latest;
                }
            }
            self.free_before.push(self.free.get(base.path).unwrap_or(NONE));
            self.free.set(base.path, page as u32);
            self.latest.set(base.path, page as u32);
        }
        self.free.forget();
        self.latest.forget();
        self.free_before.clear();
    }

    /// Ends the pages of the latest user.
    fn settle(&mut self) {
        if !self.telling {
            self.unnamed[self.first..].fill(false);
        }
        self.telling = false;
        self.first = self.parent.len();
    }

    /// The page that led to each; [`NONE`] if a journey begins.
    pub(super) fn finish(mut self) -> Vec<u32> {
        self.settle();
        if self.named as f64 >= REFERRED * self.inner as f64 {
            for (parent, unnamed) in self.parent.iter_mut().zip(&self.unnamed) {
                if *unnamed {
                    *parent = NONE;
                }
            }
        }
        self.parent
    }
}
