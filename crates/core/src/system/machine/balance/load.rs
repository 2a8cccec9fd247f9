//! Load indices, in 128ths of a task: figure 2b of MOSS.

use std::collections::VecDeque;

use thinktime_file::time::Nanos;

use super::super::features::LoadIndex;

/// The load of one task.
pub(super) const TASK: u64 = 128;

/// The state of one core.
#[derive(Clone, Debug)]
pub(super) enum Index {
    Now,
    Average { span: Nanos, past: VecDeque<(Nanos, u64)> },
    Ageing { weight: u64, tick: Nanos, aged: u64, at: Nanos },
}

impl Index {
    pub(super) fn new(feature: LoadIndex) -> Index {
        match feature {
            LoadIndex::QueueLength => Index::Now,
            LoadIndex::AverageQueueLength { time_span } => {
                Index::Average { span: time_span.0, past: VecDeque::from([(Nanos::ZERO, 0)]) }
            }
            LoadIndex::AgeingQueueLength { weight, tick } => Index::Ageing {
                weight: (weight * 1024.0).round() as u64,
                tick: tick.0,
                aged: 0,
                at: Nanos::ZERO,
            },
        }
    }

    /// The number of tasks, which was `before`, becomes `after`.
    pub(super) fn changes(&mut self, now: Nanos, before: u64, after: u64) {
        match self {
            Index::Now => {}
            Index::Average { span, past } => {
                // The first entry gives the state at the span's beginning.
                while past.len() > 1 && past[1].0 + *span <= now {
                    past.pop_front();
                }
                past.push_back((now, after));
            }
            Index::Ageing { .. } => self.age(now, before),
        }
    }

    /// Ages up to and with a tick at `now`, for `number` tasks.
    fn age(&mut self, now: Nanos, number: u64) {
        let Index::Ageing { weight, tick, aged, at } = self else { return };
        let load = number * TASK;
        let ticks = now.0 / tick.0 - at.0 / tick.0;
        for _ in 0..ticks {
            let round = if load > *aged { 1023 } else { 0 };
            let next = (*aged * *weight + load * (1024 - *weight) + round) / 1024;
            if next == *aged {
                break;
            }
            *aged = next;
        }
        *at = now;
    }

    /// The loads as a giver and as a taker.
    pub(super) fn loads(&mut self, now: Nanos, number: u64) -> (u64, u64) {
        self.age(now, number);
        let load = number * TASK;
        match self {
            Index::Now => (load, load),
            Index::Ageing { aged, .. } => (load.min(*aged), load.max(*aged)),
            Index::Average { span, past } => {
                let begin = now.since(*span);
                let ends = past.iter().skip(1).map(|(at, _)| *at).chain([now]);
                let tasks = past.iter().zip(ends).map(|((from, number), until)| {
                    u128::from(until.since((*from).max(begin)).0) * u128::from(*number)
                });
                let average = tasks.sum::<u128>() * u128::from(TASK) / u128::from(span.0);
                (average as u64, average as u64)
            }
        }
    }
}
