//! A clock of one server's or station's own.

use thinktime_file::time::Nanos;

/// After this many nanoseconds, 146 years, nothing happens any more.
const ENDLESS: f64 = (1_u64 << 62) as f64;

/// A clock that goes as fast as its server does. The server's events follow this clock, so that no
/// scheduling policy need know of speeds.
#[derive(Clone, Copy, Debug)]
pub(in crate::system) struct Clock {
    /// The time of its last change of speed, by the common clock and by its own.
    since: Nanos,
    own_since: Nanos,
    speed: f64,
}

impl Clock {
    /// A clock that shows the common time.
    pub(in crate::system) fn new() -> Clock {
        Clock { since: Nanos::ZERO, own_since: Nanos::ZERO, speed: 1.0 }
    }

    /// Its progress in a second.
    pub(in crate::system) fn speed(&self) -> f64 {
        self.speed
    }

    /// Its reading at a time.
    #[inline(always)]
    pub(in crate::system) fn own(&self, now: Nanos) -> Nanos {
        self.own_since + self.passed(now.since(self.since))
    }

    /// The earliest time at which it shows at least this.
    #[inline(always)]
    pub(in crate::system) fn at(&self, own: Nanos) -> Nanos {
        if own.is_never() {
            return own;
        }
        let wanted = own.since(self.own_since);
        if self.speed == 1.0 { self.since + wanted } else { self.unlike_at(wanted) }
    }

    /// The time at which it has advanced this far, while it goes at another speed than the common
    /// time.
    #[cold]
    fn unlike_at(&self, wanted: Nanos) -> Nanos {
        if wanted == Nanos::ZERO {
            return self.since;
        }
        let about = wanted.0 as f64 / self.speed;
        if about >= ENDLESS {
            return Nanos::MAX;
        }
        let mut time = Nanos(about as u64);
        while self.passed(time) < wanted {
            time += Nanos(1);
        }
        while time > Nanos::ZERO && self.passed(Nanos(time.0 - 1)) >= wanted {
            time = Nanos(time.0 - 1);
        }
        self.since + time
    }

    /// From now on it goes at this speed, from 0, at which it stands, to 1000.
    pub(in crate::system) fn set_speed(&mut self, now: Nanos, speed: f64) {
        *self = Clock { since: now, own_since: self.own(now), speed };
    }

    #[inline(always)]
    fn passed(&self, time: Nanos) -> Nanos {
        if self.speed == 1.0 { time } else { self.passed_unlike(time) }
    }

    /// Out of line, because inlining would compute it for all.
    #[cold]
    fn passed_unlike(&self, time: Nanos) -> Nanos {
        Nanos((time.0 as f64 * self.speed) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn speeds() -> impl Strategy<Value = f64> {
        prop_oneof![1e-6_f64..1.0, 1.0_f64..1000.0]
    }

    proptest! {
        /// An event by the own clock happens at the first instant at which that clock shows its
        /// time.
        #[test]
        fn the_time_of_a_reading_is_the_earliest(
            changes in prop::collection::vec((0_u64..10_u64.pow(12), speeds()), 0..4),
            later in 0_u64..10_u64.pow(12),
        ) {
            let (mut clock, mut now) = (Clock::new(), Nanos::ZERO);
            for (after, speed) in changes {
                now += Nanos(after);
                let shown = clock.own(now);
                clock.set_speed(now, speed);
                prop_assert_eq!(clock.own(now), shown);
            }
            let due = clock.own(now) + Nanos(later);
            let at = clock.at(due);
            prop_assert!(clock.own(at) >= due);
            prop_assert!(at == now || clock.own(Nanos(at.0 - 1)) < due);
            prop_assert!(clock.at(Nanos::MAX).is_never());
            clock.set_speed(now, 1e-300);
            prop_assert!(clock.at(due).is_never() || due <= clock.own(now));
            clock.set_speed(now, 0.0);
            let shown = clock.own(now);
            prop_assert_eq!(clock.own(now + Nanos(later)), shown);
            prop_assert_eq!(clock.at(shown), now);
            prop_assert!(clock.at(shown + Nanos(1)).is_never());
        }
    }
}
