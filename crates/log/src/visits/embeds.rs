//! Embedded objects of pages.

use super::Paths;
use crate::columns::UNKNOWN;

/// Embedded objects of pages, by path.
#[derive(Debug)]
pub(super) struct Embeds {
    /// With a page as referrer.
    referred: Vec<bool>,
    /// Without a referrer.
    unreferred: Vec<bool>,
}

impl Embeds {
    /// The verdict by the endings of paths; nothing if endings are ignored.
    pub(super) fn by_endings(paths: &Paths<'_>, looked_at: bool) -> Embeds {
        let objects: Vec<bool> = paths.objects.iter().map(|object| *object && looked_at).collect();
        Embeds { referred: objects.clone(), unreferred: objects }
    }

    /// Adds templates that pages call with themselves as referrer, and those that are called
    /// without one.
    pub(super) fn add(&mut self, paths: &Paths<'_>, called: &[bool], beside: &[bool]) {
        for (own, added) in [(&mut self.referred, called), (&mut self.unreferred, beside)] {
            for (embeds, template) in own.iter_mut().zip(paths.templates) {
                *embeds |= added[*template as usize];
            }
        }
    }

    /// Whether pages embed such a request.
    pub(super) fn holds(&self, path: u32, referrer: u32) -> bool {
        let own = if referrer == UNKNOWN { &self.unreferred } else { &self.referred };
        own[path as usize]
    }
}
