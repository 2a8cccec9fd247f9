//! The setups of a station that turns off, in motion.

use thinktime_file::time::Nanos;

use super::model::SetupLaw;
use crate::random::StreamFamily;

#[derive(Debug)]
pub(super) struct Setups {
    law: SetupLaw,
    draws: StreamFamily,
    drawn: u64,
    /// The end of the last setup.
    ready_at: Nanos,
    /// When it turns off, if it is empty.
    off_at: Nanos,
}

impl Setups {
    /// Of a station that is off.
    pub(super) fn new(law: SetupLaw, draws: StreamFamily) -> Setups {
        Setups { law, draws, drawn: 0, ready_at: Nanos::ZERO, off_at: Nanos::ZERO }
    }

    /// A request comes to the empty station.
    pub(super) fn begin(&mut self, now: Nanos) {
        if now >= self.off_at {
            let time = self.law.time.sample(&mut self.draws.substream(self.drawn, 0));
            self.ready_at = now + Nanos::from_secs_f64(time);
            self.drawn += 1;
        }
    }

    /// The station is empty.
    pub(super) fn end(&mut self, now: Nanos) {
        let idle = self.law.idle.as_ref();
        let idle_s = idle.map_or(0.0, |law| law.sample(&mut self.draws.substream(self.drawn, 1)));
        self.off_at = now.max(self.ready_at) + Nanos::from_secs_f64(idle_s);
    }

    pub(super) fn is_ready(&self, now: Nanos) -> bool {
        now >= self.ready_at
    }

    /// The end of a setup that is not over.
    pub(super) fn next(&self, now: Nanos) -> Nanos {
        if self.is_ready(now) { Nanos::MAX } else { self.ready_at }
    }
}
