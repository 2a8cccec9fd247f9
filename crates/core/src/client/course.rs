//! The course of sessions that browse: the draws that only they make.

use thinktime_file::time::Nanos;

use crate::distribution::{Distribution, Equilibrium};
use crate::journey::Journey;
use crate::random::{Purpose, StreamFamily};
use crate::request::{Objects, Target};
use crate::workload::{Population, Workload};

use super::laws::Laws;

/// Above the numbers of requests.
const BEGINNING: u64 = 1 << 32;

/// The course of sessions of a population.
#[derive(Debug)]
pub(super) struct Course {
    journey: Option<Journey>,
    /// By kind, the objects of the page whose base it is.
    objects: Vec<Option<Objects>>,
    lasts: Option<Distribution>,
    /// The rest of that at any time.
    rest: Option<Equilibrium<Distribution>>,
    /// The kind at which a session ends that has lasted long enough.
    pub(super) ends_at: Option<u32>,
    /// By kind, its targets, if sessions keep what they have; else empty.
    targets: Vec<Target>,
    first_kind: u32,
    counts: StreamFamily,
    choices: StreamFamily,
    times: StreamFamily,
    drawn: StreamFamily,
}

impl Course {
    pub(super) fn new(workload: &Workload, place: usize) -> Course {
        let Population { kinds, journey, lasts, ends_at, cache, .. } = &workload.populations[place];
        let first_kind = kinds.start as u32;
        let kinds = &workload.requests[kinds.clone()];
        let targets = kinds.iter().filter(|_| *cache).map(|kind| kind.target.clone());
        let seed = workload.population_seed(place);
        let family = |purpose| StreamFamily::new(seed, purpose);
        Course {
            journey: journey.clone(),
            objects: kinds.iter().map(|kind| kind.objects.clone()).collect(),
            lasts: lasts.clone(),
            rest: lasts.clone().and_then(Equilibrium::new),
            ends_at: ends_at.map(|place| first_kind + place),
            targets: targets.collect(),
            first_kind,
            counts: family(Purpose::ObjectCount),
            choices: family(Purpose::Object),
            times: family(Purpose::SessionTime),
            // Draws the targets as the generator does.
            drawn: StreamFamily::new(workload.seed, Purpose::Target),
        }
    }

    /// The first kind of a session, whose request has this number. At the same number a closed
    /// session may just have drawn its end, so this is a separate draw.
    #[inline]
    pub(super) fn first(&self, laws: &Laws, session: u64, index: u32) -> u32 {
        let apart = BEGINNING | u64::from(index);
        let uniform = laws.choices.substream(session, apart).uniform();
        let Some(journey) = &self.journey else { return laws.kind_at(uniform) };
        // `first` never ends: it always gives a kind.
        self.first_kind + journey.first.of(uniform).unwrap_or_default()
    }

    /// The kind of the request of this number after one of the kind `last`; `None` at the end.
    #[inline]
    pub(super) fn next(&self, laws: &Laws, session: u64, index: u32, last: u32) -> Option<u32> {
        let Some(journey) = &self.journey else { return Some(laws.choose(session, index)) };
        let next = journey.next[(last - self.first_kind) as usize].as_ref()?;
        let uniform = laws.choices.substream(session, index.into()).uniform();
        next.of(uniform).map(|place| self.first_kind + place)
    }

    /// As [`Course::next`], given that the session continues.
    pub(super) fn next_going_on(&self, laws: &Laws, session: u64, index: u32, last: u32) -> u32 {
        let uniform = laws.choices.substream(session, index.into()).uniform();
        let journey = self.journey.as_ref();
        let next = journey.and_then(|one| one.next[(last - self.first_kind) as usize].as_ref());
        let next = next.and_then(|next| next.of_going_on(uniform));
        next.map_or_else(|| laws.choose(session, index), |place| self.first_kind + place)
    }

    /// How long a session lasts at this beginning of it; for ever by default.
    #[inline]
    pub(super) fn time(&self, session: u64, turn: u32) -> Nanos {
        let Some(law) = &self.lasts else { return Nanos::MAX };
        Nanos::from_secs_f64(law.sample(&mut self.times.substream(session, turn.into())))
    }

    /// How much longer a session lasts that began some time before the run did.
    pub(super) fn rest_of_time(&self, session: u64) -> Nanos {
        let mut stream = self.times.substream(session, u64::MAX);
        let rest = self.rest.as_ref();
        rest.map_or(Nanos::MAX, |rest| Nanos::from_secs_f64(rest.sample(&mut stream)))
    }

    /// The objects of the page whose base is this kind.
    #[inline(always)]
    pub(super) fn objects_of(&self, kind: u32) -> Option<&Objects> {
        self.objects[(kind - self.first_kind) as usize].as_ref()
    }

    /// The number of objects of the page of this number.
    #[inline]
    pub(super) fn count(&self, objects: &Objects, session: u64, page: u32) -> u32 {
        objects.draw(&mut self.counts.substream(session, page.into()))
    }

    /// The kind of the object that is the session's request of this number.
    #[inline]
    pub(super) fn object(&self, base: u32, session: u64, index: u32) -> u32 {
        let of = self.objects_of(base).map(|objects| &objects.of);
        let place =
            of.and_then(|of| of.of(self.choices.substream(session, index.into()).uniform()));
        // Only bases of pages have objects, and their choice has no end.
        self.first_kind + place.unwrap_or_default()
    }

    /// The identity of this request's target, if sessions keep what they have.
    pub(super) fn key(&self, kind: u32, session: u64, index: u32) -> Option<u64> {
        let target = self.targets.get((kind - self.first_kind) as usize)?;
        Some(target.key(&mut self.drawn.substream(session, index.into())))
    }
}
