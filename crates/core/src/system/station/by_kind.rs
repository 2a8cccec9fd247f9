//! A station's time averages by kind of request.

use thinktime_file::time::Nanos;

use super::summary::{Demands, KindSummary};

/// The integrals of the jobs of each kind that has come, if there are several kinds.
#[derive(Debug)]
pub(super) struct ByKind {
    /// By kind, the place of its integral; empty if there are not several kinds. Of hundreds of
    /// kinds, a station sees few.
    places: Vec<u32>,
    seen: Vec<KindTimes>,
}

/// A job that leaves.
#[derive(Clone, Copy, Debug)]
pub(in crate::system) struct Left {
    /// Its kind of request.
    pub(in crate::system) kind: u32,
    /// The service that it has had.
    pub(in crate::system) served: Nanos,
}

impl Left {
    /// A visitor that was not served, of any kind.
    pub(in crate::system) const NOTHING: Left = Left { kind: 0, served: Nanos::ZERO };
}

/// No job of this kind has come.
const UNSEEN: u32 = u32::MAX;

#[derive(Debug)]
struct KindTimes {
    kind: u32,
    number: u64,
    number_before: u64,
    /// The integral over time of the number of jobs, less the present time for each of them.
    present: i128,
    demands: Demands,
    /// The service that those had that left, in nanoseconds.
    served: u64,
}

impl ByKind {
    pub(super) fn new(kinds: usize) -> ByKind {
        let places = if kinds > 1 { vec![UNSEEN; kinds] } else { Vec::new() };
        ByKind { places, seen: Vec::new() }
    }

    /// Whether there are several kinds.
    #[inline(always)]
    pub(super) fn any(&self) -> bool {
        !self.places.is_empty()
    }

    pub(super) fn begin(&mut self, now: Nanos) {
        for one in &mut self.seen {
            one.number_before = one.number;
            one.present = -i128::from(one.number) * i128::from(now.0);
            (one.demands, one.served) = (Demands::default(), 0);
        }
    }

    #[inline(always)]
    pub(super) fn arrive(&mut self, now: Nanos, demand: Nanos, kind: u32) {
        if self.places[kind as usize] == UNSEEN {
            self.meet(kind);
        }
        let one = &mut self.seen[self.places[kind as usize] as usize];
        one.number += 1;
        one.present -= i128::from(now.0);
        one.demands.add(demand);
    }

    #[cold]
    fn meet(&mut self, kind: u32) {
        self.places[kind as usize] = self.seen.len() as u32;
        let (number, number_before, present, served) = (0, 0, 0, 0);
        let demands = Demands::default();
        self.seen.push(KindTimes { kind, number, number_before, present, demands, served });
    }

    #[inline(always)]
    pub(super) fn depart(&mut self, now: Nanos, Left { kind, served }: Left) {
        let one = &mut self.seen[self.places[kind as usize] as usize];
        one.number -= 1;
        one.present += i128::from(now.0);
        one.served += served.0;
    }

    /// The averages over this time, which ends now.
    pub(super) fn summary(&self, now: Nanos, span: Nanos) -> Vec<KindSummary> {
        let of = |one: &KindTimes| {
            let present = one.present + i128::from(one.number) * i128::from(now.0);
            KindSummary {
                kind: one.kind,
                queue_length_mean: if span.0 > 0 { present as f64 / span.0 as f64 } else { 0.0 },
                growth: one.number as i64 - one.number_before as i64,
                demands: one.demands,
                served_s: Nanos(one.served).as_secs_f64(),
            }
        };
        self.seen.iter().map(of).collect()
    }
}
