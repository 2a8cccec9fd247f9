//! Demands that are drawn in bulk, which costs less than one by one.

use thinktime_file::time::Nanos;

use crate::distribution::Distribution;
use crate::distribution::streams::MANY;
use crate::random::StreamFamily;

/// Demands drawn before they are needed: those of the next sessions, if sessions come one after
/// another.
#[derive(Clone, Debug, Default)]
pub(super) struct DemandBuffer {
    /// The last session for which nothing had been drawn.
    last: u64,
    /// The session of the first one, and the request's number in its session.
    first: u64,
    serial: u64,
    /// [`MANY`], or empty before the first draw. They are stored elsewhere, so that laws without
    /// draws ahead, of which there may be thousands, stay small.
    demands: Box<[Nanos]>,
}

impl DemandBuffer {
    /// The demand, if it has been drawn.
    #[inline(always)]
    pub(super) fn drawn(&self, session: u64, serial: u64) -> Option<Nanos> {
        let place = session.wrapping_sub(self.first) as usize;
        if serial == self.serial { self.demands.get(place).copied() } else { None }
    }

    #[inline(never)]
    pub(super) fn demand(
        &mut self,
        law: &Distribution,
        family: StreamFamily,
        session: u64,
        serial: u64,
    ) -> Nanos {
        let follows =
            session.wrapping_sub(1) == self.last || session.wrapping_sub(self.first) == MANY as u64;
        self.last = session;
        if !follows {
            return law.first_time(|| family.substream(session, serial));
        }
        self.draw_ahead(law, family, session, serial)
    }

    /// Draws those of this session and the next ones; gives this one's.
    #[inline(never)]
    fn draw_ahead(
        &mut self,
        law: &Distribution,
        family: StreamFamily,
        session: u64,
        serial: u64,
    ) -> Nanos {
        (self.first, self.serial) = (session, serial);
        let mut demands = [0.0; MANY];
        law.fill_from(
            #[inline(always)]
            |at| family.substream(session.wrapping_add(at as u64), serial),
            &mut demands,
        );
        let demands = Nanos::from_all_secs(&demands);
        if self.demands.is_empty() {
            self.demands = Box::new(demands);
        } else {
            self.demands.copy_from_slice(&demands);
        }
        demands[0]
    }
}
