//! An event loop and its connection to the server of shared variables.

use thinktime_core::time::Nanos;

use super::Engine;
use crate::generator::record::recorder::Recorder;
use crate::generator::shared::{LINK, Link, Settings};
use crate::poller::Readiness;

impl<L: Recorder> Engine<'_, L> {
    /// The same with the shared variables of this server, if given.
    pub(crate) fn with_shared_variables(mut self, settings: Option<&Settings>) -> Self {
        if let Some(settings) = settings {
            self.clients.share_outside();
            self.link = Some(Box::new(Link::new(settings)));
        }
        self
    }

    /// Takes sessions' wishes to the server, and its answers to them.
    pub(crate) fn share(&mut self) {
        let Some(mut link) = self.link.take() else { return };
        let now = self.clock.now();
        let mut turned = false;
        loop {
            // Wishes come first: a session that has left receives nothing any more.
            while let Some(request) = self.clients.shared_request() {
                link.ask(now, request);
                turned = false;
            }
            if let Some((slot, answer)) = link.answer(now) {
                self.clients.answer_shared(now, slot, answer);
            } else if turned {
                break;
            } else {
                link.turn(now, &self.poller);
                turned = true;
            }
        }
        self.link = Some(link);
    }

    /// Whether an event belongs to the connection.
    pub(crate) fn is_shared(&mut self, readiness: &Readiness) -> bool {
        if readiness.token != LINK {
            return false;
        }
        if let Some(link) = &mut self.link {
            link.mark_ready(readiness.readable);
        }
        true
    }

    /// Whether unread data of the server is left.
    pub(crate) fn has_more_shared(&self) -> bool {
        self.link.as_deref().is_some_and(Link::has_more)
    }

    /// Whether the work is done: nobody waits for the server, and sessions have finished the work
    /// after their last request.
    pub(crate) fn is_over(&self) -> bool {
        if !self.clients.finished() {
            return false;
        }
        let Some(link) = &self.link else { return true };
        let now = self.clock.now();
        let load_ended = self.clients.closed() || now >= self.clients.until();
        !link.is_waited_for(now, load_ended)
    }

    /// Ends the connection; gives the reason that spoils the result, if any.
    pub(crate) fn end_sharing(&mut self, now: Nanos) -> Option<String> {
        let link = self.link.as_mut()?;
        link.close(now);
        link.warning()
    }
}
