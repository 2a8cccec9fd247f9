//! Parallel work of a session: its children, which share out its functions.
//!
//! As many children as may run at a time each take the next function until all are taken. If a
//! function fails, no further one begins, and its error is raised where the parent waits.

use thinktime_core::random::StreamFamily;

use crate::answer::Answer;
use crate::family::Family;
use crate::host::{Host, Session};

/// The most children that a session may have at a time.
const CHILDREN_MAX: usize = 1000;

impl Host {
    /// The session wants this many functions run, and this many at a time; gives its slot.
    pub(crate) fn spawn(&mut self, count: usize, limit: f64) -> Answer<usize> {
        let most = CHILDREN_MAX as f64;
        if !(1.0..=most).contains(&limit) || limit.fract() != 0.0 {
            return Err(format!(
                "the number of functions at a time is a whole one from 1 to {most}, not {limit}"
            ));
        }
        let (slot, alive) = (self.slot, count.min(limit as usize));
        let session = self.session();
        if session.parent.is_some() {
            return Err("what is done in parallel cannot do things in parallel itself".to_owned());
        }
        let (first, failure) = (session.parts, None);
        session.parts += count as u64;
        session.family =
            Some(Box::new(Family { first, count, taken: 0, alive, failure, ends: false }));
        self.spawned.extend(std::iter::repeat_n(slot, alive));
        Ok(slot)
    }

    /// A child of the session in the slot `parent`.
    pub(crate) fn child_of(&self, parent: usize) -> Session {
        let session = &self.sessions[parent];
        let mut child = Session::new(session.number, 0, session.stream.clone());
        child.parent = Some(parent);
        child
    }

    /// The place of a child's next function, from 1, if there is one. The child gives back the
    /// locks of its last function, and draws from a stream of the function's own.
    pub(crate) fn next_part(&mut self) -> Option<usize> {
        let slot = self.slot;
        self.return_answer(slot);
        let parent = self.sessions[slot].parent?;
        let parent = &mut self.sessions[parent];
        let family = parent.family.as_mut()?;
        if family.failure.is_some() || family.ends || family.taken == family.count {
            return None;
        }
        let part = family.first + family.taken as u64;
        family.taken += 1;
        let taken = family.taken;
        let streams: StreamFamily = self.streams.member(parent.number);
        let stream = streams.substream(parent.begun().into(), part);
        self.session().stream = stream;
        Some(taken)
    }

    /// A child of the session in this slot has ended, perhaps with an error, or with the whole
    /// session.
    pub(crate) fn child_ended(&mut self, parent: usize, complaint: Option<String>, ends: bool) {
        let Some(family) = &mut self.sessions[parent].family else { return };
        family.alive -= 1;
        family.failure = family.failure.take().or(complaint);
        family.ends |= ends;
        if family.alive == 0 {
            self.woken.push_back(parent);
        }
    }

    /// Whether the session is to end because of one of its children.
    pub(crate) fn ends_with_children(&self, slot: usize) -> bool {
        self.sessions[slot].family.as_ref().is_some_and(|family| family.ends)
    }

    /// The error in the children, which have all ended.
    pub(crate) fn join(&mut self) -> Option<String> {
        self.session().family.take()?.failure
    }
}
