//! The targets of requests, and the sizes of their responses.

use super::Job;
use super::recent_sizes::RecentSizes;
use crate::request::Sizes;
use crate::workload::Targets;

/// The responses to requests, by kind.
#[derive(Clone, Debug)]
pub(super) struct Responses {
    kinds: Vec<Kind>,
    recent_sizes: RecentSizes,
    /// The result of the last lookup: each request is looked up more than once.
    last: Response,
}

#[derive(Clone, Copy, Debug)]
struct Response {
    /// The request's kind, session and number in the session; `None` before the first.
    of: Option<(u32, u64, u32)>,
    asked: Asked,
    size: u64,
}

/// The target of a request.
#[derive(Clone, Copy, Debug)]
enum Asked {
    /// The target of this key; 0 if it is not known.
    Target(u64),
    /// The target with this number in the one place that varies.
    Number(u64),
}

#[derive(Clone, Debug)]
struct Kind {
    sizes: Option<Sizes>,
    targets: Option<Targets>,
    /// For targets that vary in one number: the sizes by that number, up to the largest seen. The
    /// lookup takes less time than the making of a target.
    numbered: Vec<u32>,
    /// The numbers that have a place there.
    places: u64,
}

/// The places of all kinds together: they take up to a mebibyte.
const PLACES_MAX: u64 = 1 << 18;
/// A size that is not known yet, or a number too large for a place.
const UNKNOWN: u32 = u32::MAX;

impl Responses {
    /// By kind, the sizes, if they are known, and the target, which is empty if it is not known.
    pub(super) fn new(sizes: &[Option<Sizes>], targets: &[Targets]) -> Responses {
        let mut left = PLACES_MAX;
        let kind = |(at, sizes): (usize, &Option<Sizes>)| {
            let targets = targets.get(at).cloned();
            let last = targets.as_ref().and_then(Targets::number_max);
            let places = last.filter(|last| *last < left).map_or(0, |last| last + 1);
            left -= places;
            Kind { sizes: sizes.clone(), targets, numbered: Vec::new(), places }
        };
        let kinds = sizes.iter().enumerate().map(kind).collect();
        let last = Response { of: None, asked: Asked::Target(0), size: 0 };
        Responses { kinds, recent_sizes: RecentSizes::default(), last }
    }

    /// The size of the response to a request in bytes; 0 if it is not known.
    #[inline]
    pub(super) fn size(&mut self, job: &Job) -> u64 {
        self.to(job).size
    }

    /// A number that identifies a request's target; 0 if it is not known.
    pub(super) fn target(&mut self, job: &Job) -> u64 {
        match self.to(job).asked {
            Asked::Target(key) => key,
            Asked::Number(number) => {
                let targets = self.kinds[job.kind as usize].targets.as_ref();
                targets.map_or(0, |targets| targets.of_number(number))
            }
        }
    }

    #[inline]
    fn to(&mut self, job: &Job) -> Response {
        // The request's number is the low half of its attempt's.
        let (kind, session, index) = (job.kind, job.session, job.serial as u32);
        let of = Some((kind, session, index));
        if self.last.of != of {
            let (asked, size) = self.look_up(kind, session, index);
            self.last = Response { of, asked, size };
        }
        self.last
    }

    #[inline]
    fn look_up(&mut self, kind: u32, session: u64, index: u32) -> (Asked, u64) {
        let Responses { kinds, recent_sizes, .. } = self;
        let of_kind = &mut kinds[kind as usize];
        let mut target = 0;
        if let Some(targets) = &of_kind.targets {
            if of_kind.places > 0
                && let Some(number) = targets.number_of_request(session, index)
            {
                return (Asked::Number(number), of_kind.numbered(number));
            }
            target = targets.of_request(session, index);
        }
        let sizes = of_kind.sizes.as_ref();
        (Asked::Target(target), sizes.map_or(0, |sizes| recent_sizes.of(kind, target, sizes)))
    }
}

impl Kind {
    /// The size of the response to a request with this number in its target.
    #[inline]
    fn numbered(&mut self, number: u64) -> u64 {
        match self.numbered.get(number as usize) {
            Some(known) if *known != UNKNOWN => u64::from(*known),
            _ => self.draw(number),
        }
    }

    #[inline(never)]
    fn draw(&mut self, number: u64) -> u64 {
        let (Some(sizes), Some(targets)) = (&self.sizes, &self.targets) else { return 0 };
        let size = sizes.of_key(targets.of_number(number));
        if number < self.places {
            let places = self.numbered.len().max(number as usize + 1);
            self.numbered.resize(places, UNKNOWN);
            self.numbered[number as usize] = u32::try_from(size).unwrap_or(UNKNOWN);
        }
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;
    use crate::workload::Workload;
    use thinktime_file::schema::Source;

    /// Twice over, so that each drawn number is also looked up; compared with draws that are not
    /// stored.
    #[test]
    fn a_response_is_the_same_whether_it_was_known_or_not() {
        let text = "name = 'w'\nseed = 5\n[arrivals]\nmodel = 'open'\nrate = 1\n\
             [[request]]\nname = 'few'\nget = '/a/{zipf(n=300, s=0.8)}.png'\nsize = 'exp(9kB)'\n\
             [[request]]\nname = 'endless'\nget = '/{geometric(99)}'\nsize = 'exp(9kB)'\n\
             [[request]]\nname = 'many'\nget = '/{uniform(0, 262000)}'\nsize = 'exp(9kB)'\n\
             [[request]]\nname = 'two'\nget = '/{uniform(0, 9)}/{uniform(0, 9)}'\nsize = '9'\n\
             [[request]]\nname = 'huge'\nget = '/{zipf(n=9, s=1)}'\nsize = 'exp(9000MB)'\n\
             [[request]]\nname = 'one'\nget = '/one'\nsize = 'exp(9kB)'\n\
             [[request]]\nname = 'sizeless'\nget = '/x/{uniform(0, 9)}'\n";
        let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
        let sizes: Vec<_> = workload.requests.iter().map(|kind| kind.size.clone()).collect();
        let targets: Vec<_> = workload.requests.iter().map(|kind| kind.targets(5)).collect();
        let mut responses = Responses::new(&sizes, &targets);
        let places: Vec<u64> = responses.kinds.iter().map(|kind| kind.places).collect();
        assert_eq!(places, [301, 0, 0, 0, 10, 0, 10]);
        let asked = workload.content();
        for session in (0..2000).chain(0..2000) {
            for kind in 0..workload.requests.len() as u32 {
                let job = Job { token: 0, session, serial: 1 << 32 | 3, kind };
                let (target, size) =
                    (asked.target(kind, session, 3), asked.size(kind, session, 3).unwrap_or(0));
                assert_eq!([responses.target(&job), responses.size(&job)], [target, size]);
                assert_eq!([responses.size(&job), responses.target(&job)], [size, target]);
            }
        }
    }
}
