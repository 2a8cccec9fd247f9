//! The times at which sessions act.

use thinktime_file::time::Nanos;

use super::session::TimerKind;
use crate::attempt::Ticket;
use crate::calendar::Calendar;

/// A time beyond the clock is its last: the greatest number stands for no timer.
const LAST: u64 = u64::MAX - 1;

/// The due times, the earliest first; those of the same time in the order in which they were set.
#[derive(Debug)]
pub(super) struct Timers {
    calendar: Calendar<(Ticket, TimerKind)>,
}

impl Timers {
    pub(super) fn new() -> Timers {
        Timers { calendar: Calendar::new() }
    }

    /// When the earliest is due; [`Nanos::MAX`] when there is none.
    #[inline(always)]
    pub(super) fn next(&self) -> Nanos {
        Nanos(self.calendar.next())
    }

    #[inline(always)]
    pub(super) fn set(&mut self, at: Nanos, ticket: Ticket, timer: TimerKind) {
        self.calendar.push(at.0.min(LAST), (ticket, timer));
    }

    /// Takes out the earliest.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Option<(Nanos, Ticket, TimerKind)> {
        let (at, (ticket, timer)) = self.calendar.pop()?;
        Some((Nanos(at), ticket, timer))
    }
}

#[cfg(test)]
mod tests {
    use super::super::session::Slots;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// They come out as a stable sort would give them, whatever the mix of setting and taking.
        #[test]
        fn the_earliest_comes_first(
            steps in prop::collection::vec(prop::option::of(0u64..20), 0..200)
        ) {
            let (mut timers, mut slots) = (Timers::new(), Slots::default());
            let mut model: Vec<(Nanos, usize)> = Vec::new();
            for step in steps {
                if let Some(at) = step {
                    let ticket = slots.begin(0, 1, 0);
                    timers.set(Nanos(at), ticket, TimerKind::Request);
                    model.push((Nanos(at), ticket.slot()));
                } else {
                    let taken = timers.take().map(|(at, ticket, _)| (at, ticket.slot()));
                    model.sort_unstable();
                    let expected = (!model.is_empty()).then(|| model.remove(0));
                    prop_assert_eq!(taken, expected);
                }
                model.sort_unstable();
                let next = model.first().map_or(Nanos::MAX, |(at, _)| *at);
                prop_assert_eq!(timers.next(), next);
            }
        }
    }
}
