//! Random streams, each named by (seed, entity, purpose).
//!
//! A workload is a pure function of its seed. Session 17 draws its think times from a stream of its
//! own. So it does the same on any number of threads, simulated or real, whatever the other
//! sessions do. Two systems can therefore be compared on the very same work (common random
//! numbers).

/// The purpose of a stream. Each purpose has streams of its own, so that a new kind of draw never
/// shifts the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The arrivals of sessions.
    Arrival = 1,
    /// The number of requests of a session.
    SessionLength = 2,
    /// The think times of a session.
    Think = 3,
    /// The requests of a session.
    Request = 4,
    /// The service demands of a session's requests.
    Demand = 5,
    /// The waits of a client before retries.
    Backoff = 6,
    /// The seeds of independent replications.
    Replication = 7,
    /// Demands that a server draws itself, for requests without demands of their own.
    Server = 8,
    /// The varying parts of requests' targets.
    Target = 9,
    /// The errors of estimated demands, and other random ranks.
    Estimate = 10,
    /// The seeds of pilots.
    Pilot = 11,
    /// The draws of programs.
    Program = 12,
    /// Keys and masks of WebSocket connections.
    WebSocket = 13,
    /// The choice of a log's users to replay.
    Users = 14,
    /// The random placements and moves of a machine's scheduler.
    Balancing = 15,
    /// The time of a replayed request within a step of its log's clock.
    Spread = 16,
    /// The sessions that think when a run begins.
    Start = 17,
    /// The seeds of the populations after the first.
    Population = 18,
    /// The number of objects of a page.
    ObjectCount = 19,
    /// The choice of objects.
    Object = 20,
    /// The duration of a session.
    SessionTime = 21,
    /// The sizes of targets.
    TargetSize = 22,
    /// The rows of data files for sessions.
    Row = 23,
    /// The draws of dispatch policies.
    Dispatch = 24,
    /// The losses and delays of links.
    Link = 25,
    /// The traces of requests.
    Trace = 26,
    /// How long clients wait before they give up.
    Patience = 27,
    /// The tokens of requests.
    Tokens = 28,
    /// The words of texts of one key.
    Words = 29,
    /// The failures of stations, and their repairs.
    Failure = 30,
    /// The setups of stations.
    Setup = 31,
    /// How long requests wait at a station before they are dropped.
    QueueTimeout = 32,
    /// What caches forget at random.
    Replacement = 33,
}

/// All streams of one seed and purpose.
#[derive(Clone, Copy, Debug)]
pub struct StreamFamily {
    key: u64,
}

impl StreamFamily {
    /// The streams of `seed` for `purpose`.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose) -> StreamFamily {
        StreamFamily { key: mix(mix(seed).wrapping_add(purpose as u64)) }
    }

    /// The stream of one entity (a session's number, a station's, ...). Different entities of a
    /// family never share a state, because the mixing is a bijection.
    #[inline]
    #[must_use]
    pub fn stream(&self, entity: u64) -> Stream {
        Stream::from_state(mix(self.key.wrapping_add(entity)))
    }

    /// The family of one member of this one, whose streams are all its own.
    #[must_use]
    pub fn member(&self, member: u64) -> StreamFamily {
        StreamFamily { key: mix(self.key ^ mix(member)) }
    }

    /// The stream of one entity's part (a session's request, say). Making one costs a few
    /// nanoseconds, so streams need not be kept between two draws.
    #[inline(always)]
    #[must_use]
    pub fn substream(&self, entity: u64, part: u64) -> Stream {
        // The generator's seed is mixed from this sum: odd factors keep the parts apart.
        let state = entity.wrapping_mul(ENTITY).wrapping_add(part.wrapping_mul(PART));
        Stream::from_state(self.key ^ state)
    }
}

/// One stream of uniform random numbers: xoshiro256++ (Blackman and Vigna, ACM Transactions on
/// Mathematical Software 47, 2021), seeded by SplitMix64.
///
/// It is written out here, because streams are made by the hundred million, mostly for one draw: if
/// it is inlined, half of a seed need never be computed. A test compares it with `rand_xoshiro`.
#[derive(Clone, Debug)]
pub struct Stream {
    state: [u64; 4],
}

impl Stream {
    /// The stream of (seed, entity, purpose).
    #[must_use]
    pub fn new(seed: u64, entity: u64, purpose: Purpose) -> Stream {
        StreamFamily::new(seed, purpose).stream(entity)
    }

    /// The stream of these bits, for draws of which nobody knows the number.
    pub(crate) fn of_bits(bits: u64) -> Stream {
        Stream::from_state(mix(bits))
    }

    #[inline(always)]
    fn from_state(state: u64) -> Stream {
        let word = |at: u64| mix(state.wrapping_add(GOLDEN.wrapping_mul(at)));
        Stream { state: [word(0), word(1), word(2), word(3)] }
    }

    /// A number strictly between 0 and 1, one of 2^52 equally likely and evenly spaced ones.
    #[inline(always)]
    pub fn uniform(&mut self) -> f64 {
        // The bits are the fraction of a number from 1 to 2, and the difference is exact. A
        // conversion takes more instructions, and only one number at a time.
        f64::from_bits(1.0f64.to_bits() | (self.bits() >> 12)) - (1.0 - 0.5 * f64::EPSILON)
    }

    /// A whole number below this one, which is not 0; each as likely as any other, except for a
    /// part in 2^64 / `limit`.
    #[inline(always)]
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(limit)) >> 64) as u64
    }

    /// 64 random bits.
    #[inline(always)]
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let (mixed_c, mixed_d) = (c ^ a, d ^ b);
        let shifted = b << 17;
        self.state = [a ^ mixed_d, b ^ mixed_c, mixed_c ^ shifted, mixed_d.rotate_left(45)];
        a.wrapping_add(d).rotate_left(23).wrapping_add(a)
    }
}

/// Odd factors with no pattern to their bits (from the digits of pi).
const ENTITY: u64 = 0x243f_6a88_85a3_08d3;
const PART: u64 = 0x1319_8a2e_0370_7345;

/// 2^64 divided by the golden ratio, the step of SplitMix64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A bijection of 64-bit words in which each input bit flips each output bit with probability
/// near one half (the finaliser of SplitMix64: Steele, Lea and Flood 2014).
#[inline]
pub(crate) fn mix(word: u64) -> u64 {
    let mut z = word.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_gives_the_same_stream() {
        let draw = |seed, entity, purpose| Stream::new(seed, entity, purpose).bits();
        assert_eq!(draw(1, 2, Purpose::Think), draw(1, 2, Purpose::Think));
        assert_ne!(draw(1, 2, Purpose::Think), draw(1, 2, Purpose::Demand));
        assert_ne!(draw(1, 2, Purpose::Think), draw(1, 3, Purpose::Think));
        assert_ne!(draw(1, 2, Purpose::Think), draw(2, 2, Purpose::Think));
    }

    /// The generator and its seeding are those of another implementation.
    #[test]
    fn the_generator_is_the_published_one() {
        use rand_core::{Rng, SeedableRng};
        for seed in [0, 1, u64::MAX, 0x1234_5678_9abc_def0] {
            let mut theirs = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut ours = Stream::from_state(seed);
            assert!((0..1000).all(|_| ours.bits() == theirs.next_u64()));
        }
    }

    /// Streams are portable: this value must never change, or saved seeds lose their meaning.
    #[test]
    fn the_first_draw_is_pinned() {
        assert_eq!(Stream::new(1, 0, Purpose::Arrival).bits(), 6_923_812_125_190_581_470);
    }

    /// The first draws of 100,000 neighbouring streams look like independent uniforms: mean and
    /// lag-1 correlation within 4.5 standard errors (false alarm 1.4e-5, and the seed is fixed).
    #[test]
    fn neighbouring_streams_are_independent() {
        let family = StreamFamily::new(7, Purpose::Demand);
        let n = 100_000;
        let u: Vec<f64> = (0..n).map(|k| family.stream(k).uniform() - 0.5).collect();
        let mean = u.iter().sum::<f64>() / n as f64;
        let correlation = u.windows(2).map(|w| w[0] * w[1]).sum::<f64>() * 12.0 / n as f64;
        let limit = 4.5 / (n as f64).sqrt();
        assert!(mean.abs() < limit / 12f64.sqrt(), "mean {mean}");
        assert!(correlation.abs() < limit, "correlation {correlation}");
    }

    #[test]
    fn uniforms_stay_inside_the_unit_interval() {
        let mut stream = Stream::new(3, 0, Purpose::Think);
        assert!((0..10_000).map(|_| stream.uniform()).all(|u| u > 0.0 && u < 1.0));
    }
}
