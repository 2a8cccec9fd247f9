//! Which page led to which: tabs, users who go back, people behind one address.

use super::NONE;

/// If at least this share of the branches certainly are tabs, all count as tabs and no user as
/// going back.
const TABBED: f64 = 0.2;

/// Which page led to which.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Navigation {
    /// The page before each page of its journey; [`NONE`] if a journey begins.
    pub(super) previous: Vec<u32>,
    /// For the first page of a tab: the page from which it was opened; else [`NONE`].
    pub(super) opener: Vec<u32>,
}

impl Navigation {
    /// The page with which the journey of each page begins.
    pub(super) fn heads(&self) -> Vec<u32> {
        let mut heads = Vec::with_capacity(self.previous.len());
        for (page, previous) in (0..).zip(&self.previous) {
            heads.push(if *previous == NONE { page } else { heads[*previous as usize] });
        }
        heads
    }
}

/// Which page led to which, if each leads to one at most.
///
/// `parent` is the page that each names, an earlier one of its session; [`NONE`] for none, and for
/// the first one of a session. A second page with the same parent is a tab, or came by going back.
/// It certainly is a tab if the first one's journey continues afterwards. If tabs are used, most
/// others are tabs too, whose first journey ended before. If not, users went back to the page and
/// continued from there: then the previous page in time led here.
pub(super) fn navigation_of(parent: &[u32]) -> Navigation {
    let child = first_children(parent);
    let (head, last) = ends(parent, &child);
    let goes_on_after = |page: u32, of: u32| last[head[of as usize] as usize] > page;
    let many = branches(parent, &child).count();
    let certain = branches(parent, &child).filter(|(page, of)| goes_on_after(*page, *of)).count();
    let went_back = (certain as f64 / many as f64) < TABBED;
    let mut navigation = Navigation { previous: parent.to_vec(), opener: vec![NONE; parent.len()] };
    for (page, of) in branches(parent, &child) {
        let at = page as usize;
        navigation.previous[at] = NONE;
        if !went_back || goes_on_after(page, of) {
            navigation.opener[at] = of;
        } else if child[at - 1] == NONE {
            // A page that already led to another is no previous page here.
            navigation.previous[at] = page - 1;
        }
    }
    navigation
}

/// Each page that led to another after a first one, with that other.
fn branches(parent: &[u32], child: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    pages(parent).filter(move |(page, of)| *of != NONE && child[*of as usize] != *page)
}

/// Each page with its parent.
fn pages(parent: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    (0..).zip(parent.iter().copied())
}

/// The first page to which each page led; [`NONE`] if it led to none.
fn first_children(parent: &[u32]) -> Vec<u32> {
    let mut child = vec![NONE; parent.len()];
    for (page, of) in pages(parent).filter(|(_, of)| *of != NONE) {
        let first = &mut child[of as usize];
        if *first == NONE {
            *first = page;
        }
    }
    child
}

/// The page with which the journey of each begins, if all others were tabs, and by that page the
/// last one of its journey.
fn ends(parent: &[u32], child: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut head: Vec<u32> = Vec::with_capacity(parent.len());
    let mut last = vec![NONE; parent.len()];
    for (page, of) in pages(parent) {
        let goes_on = of != NONE && child[of as usize] == page;
        let first = if goes_on { head[of as usize] } else { page };
        head.push(first);
        last[first as usize] = page;
    }
    (head, last)
}
