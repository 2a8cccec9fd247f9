//! Requests that were served at their first attempt, until they are entered together.

use thinktime_file::time::Nanos;

/// The number entered at a time: few enough for the nearest cache.
const NUMBER_MAX: usize = 64;

/// The requests served last. Nearly all requests are such, and a loop that does one thing with many
/// of them keeps sums in registers.
#[derive(Clone, Debug)]
pub(super) struct ServedBatch {
    number: usize,
    scheduled: [Nanos; NUMBER_MAX],
    responses: [Nanos; NUMBER_MAX],
    kinds: [u32; NUMBER_MAX],
}

impl Default for ServedBatch {
    fn default() -> ServedBatch {
        let times = [Nanos::ZERO; NUMBER_MAX];
        ServedBatch { number: 0, scheduled: times, responses: times, kinds: [0; NUMBER_MAX] }
    }
}

impl ServedBatch {
    pub(super) fn len(&self) -> usize {
        self.number
    }

    pub(super) fn clear(&mut self) {
        self.number = 0;
    }

    /// Adds a request of this kind; says whether the buffer is full.
    #[inline(always)]
    pub(super) fn push(&mut self, kind: u32, scheduled: Nanos, response: Nanos) -> bool {
        let at = self.number % NUMBER_MAX;
        self.scheduled[at] = scheduled;
        self.responses[at] = response;
        self.kinds[at] = kind;
        self.number = at + 1;
        self.number == NUMBER_MAX
    }

    /// When each was scheduled.
    pub(super) fn scheduled(&self) -> &[Nanos] {
        &self.scheduled[..self.number]
    }

    /// The response time of each.
    pub(super) fn responses(&self) -> &[Nanos] {
        &self.responses[..self.number]
    }

    /// The kind of each request.
    pub(super) fn kinds(&self) -> &[u32] {
        &self.kinds[..self.number]
    }
}
