//! A budget that makes the driver look up when links have sent much: one of their events may take
//! as long as thousands of others.

use thinktime_core::system::{AnyNodeModel, SystemModel};

/// The most segments between two looks, plus those of one event: some tenths of a second's work.
/// Ordinary transfers send fewer in the events between two looks.
const SEGMENTS_PER_LOOK: u64 = 1 << 24;

/// The segments that links have sent since the last look.
#[derive(Debug)]
pub(super) struct LinkBudget {
    /// Whether there are any links.
    pub(super) links: bool,
    segments: u64,
    /// The requested events that were not handled, because a look was due.
    unhandled: u64,
    due: bool,
}

impl LinkBudget {
    pub(super) fn of(model: &SystemModel) -> LinkBudget {
        let links = model.nodes.iter().any(|one| matches!(one, AnyNodeModel::Link(_)));
        LinkBudget { links, segments: 0, unhandled: 0, due: false }
    }

    /// Links have sent this many segments more. Gives how many of the remaining events to handle
    /// before the next look.
    pub(super) fn left(&mut self, sent: u64, left: u64) -> u64 {
        self.segments += sent;
        if self.segments < SEGMENTS_PER_LOOK {
            return left;
        }
        *self = LinkBudget { links: self.links, segments: 0, unhandled: left, due: true };
        0
    }

    /// The number of events that were handled or will be, of those asked for.
    pub(super) fn handled(&mut self, events: u64) -> u64 {
        events.saturating_sub(std::mem::take(&mut self.unhandled))
    }

    /// Whether a look has become due since the last call.
    pub(super) fn take_due(&mut self) -> bool {
        std::mem::take(&mut self.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_due_when_much_was_sent_and_what_was_not_handled_is_not_counted() {
        let mut link_budget = LinkBudget { links: true, segments: 0, unhandled: 0, due: false };
        let half = SEGMENTS_PER_LOOK / 2;
        assert_eq!((link_budget.left(half, 99), link_budget.take_due()), (99, false));
        assert_eq!(link_budget.handled(100), 100);
        assert_eq!((link_budget.left(half, 60), link_budget.take_due()), (0, true));
        // Of the hundred before, forty were handled.
        assert_eq!((link_budget.handled(100), link_budget.take_due()), (40, false));
        assert_eq!((link_budget.left(half, 7), link_budget.handled(100)), (7, 100));
    }
}
