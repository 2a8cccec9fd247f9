//! The content of a workload's requests, without sending them.

use super::Workload;
use crate::distribution::Distribution;
use crate::random::{Purpose, StreamFamily};
use crate::request::{RequestKind, Target, Varying};

/// Gives the content of each request: a function of the workload's seed.
#[derive(Clone, Debug)]
pub struct Content<'a> {
    workload: &'a Workload,
    targets: StreamFamily,
}

impl Workload {
    /// The content of its requests.
    #[must_use]
    pub fn content(&self) -> Content<'_> {
        Content { workload: self, targets: StreamFamily::new(self.seed, Purpose::Target) }
    }
}

impl Content<'_> {
    /// A number that identifies the target of a request, by the request's kind, its session and its
    /// number there. Two texts have the same number with a probability of 2^-64.
    #[must_use]
    pub fn target(&self, kind: u32, session: u64, index: u32) -> u64 {
        let mut stream = self.targets.substream(session, index.into());
        self.workload.requests[kind as usize].target.key(&mut stream)
    }

    /// The size of the response in bytes; `None` if requests of this kind have no size.
    #[must_use]
    pub fn size(&self, kind: u32, session: u64, index: u32) -> Option<u64> {
        let sizes = self.workload.requests[kind as usize].size.as_ref()?;
        Some(sizes.of_request(session, index))
    }
}

/// The targets of requests of one kind: a function of the workload's seed.
#[derive(Clone, Debug)]
pub struct Targets {
    target: Target,
    draws: StreamFamily,
    /// The law of the number in the target, if only one number varies.
    number: Option<Distribution>,
}

impl RequestKind {
    /// Their targets under a seed.
    #[must_use]
    pub fn targets(&self, seed: u64) -> Targets {
        let draws = StreamFamily::new(seed, Purpose::Target);
        let number = match self.target.varying() {
            Some(Varying::One(law)) => Some(law.clone()),
            Some(Varying::Nothing) | None => None,
        };
        Targets { target: self.target.clone(), draws, number }
    }
}

impl Targets {
    /// As [`Content::target`], of this kind.
    #[inline]
    #[must_use]
    pub fn of_request(&self, session: u64, index: u32) -> u64 {
        self.target.key(&mut self.draws.substream(session, index.into()))
    }

    /// The number in the target of a request, if only one number varies.
    #[inline]
    #[must_use]
    pub(crate) fn number_of_request(&self, session: u64, index: u32) -> Option<u64> {
        let law = self.number.as_ref()?;
        Some(law.sample_whole(&mut self.draws.substream(session, index.into())))
    }

    /// The largest of these numbers; `None` if they are unbounded.
    pub(crate) fn number_max(&self) -> Option<u64> {
        let (_, last) = self.number.as_ref()?.range();
        last.is_finite().then(|| last.round() as u64)
    }

    /// As [`Targets::of_request`], of one that has this number in its target.
    pub(crate) fn of_number(&self, number: u64) -> u64 {
        self.target.key_with(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;
    use crate::request::target_key;
    use thinktime_file::schema::Source;

    #[test]
    fn targets_are_those_that_are_written() {
        let text = "name = 'w'\nseed = 3\n[arrivals]\nmodel = 'open'\nrate = 1\n\
                    [[request]]\nname = 'a'\nget = '/a/{zipf(n=9, s=1)}'\nsize = 'exp(1kB)'\n\
                    [[request]]\nname = 'b'\nget = '/b'\n";
        let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
        let content = workload.content();
        for session in 0..50 {
            let mut written = String::new();
            let mut stream = content.targets.substream(session, 2);
            workload.requests[0].target.write(&mut written, &mut stream);
            assert_eq!(content.target(0, session, 2), target_key(&written));
            let size = workload.requests[0].size.as_ref().unwrap().of_target(&written);
            assert_eq!(content.size(0, session, 2), Some(size));
        }
        assert_eq!((content.target(1, 5, 0), content.size(1, 5, 0)), (target_key("/b"), None));
    }
}
