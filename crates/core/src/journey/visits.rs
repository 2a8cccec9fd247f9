//! How often a journey comes to each kind of request.

use thinktime_file::error::Invalid;

use super::chain::Chain;
use super::{Choice, Journey};

/// The largest number of steps that are followed one by one.
const STEPS_MAX: u32 = 100_000;
/// The largest number of shares that are followed, in all steps together.
const WORK_MAX: usize = 20_000_000;
/// A share below this counts as zero.
const NOTHING: f64 = 1e-13;
/// Shares that differ by no more than this are equal.
const SETTLED: f64 = 1e-12;
/// A share this small changes no other.
const HARDLY_EVER: f64 = 1e-13;

impl Journey {
    /// How often a journey that ends by itself comes to each kind on average.
    ///
    /// # Errors
    /// For journeys that last very long among very many requests.
    pub(crate) fn visits(&self) -> Result<Vec<f64>, Invalid> {
        let mut present = self.begin();
        let mut visits = vec![0.0; self.next.len()];
        for _ in 0..self.steps_max() {
            visits.iter_mut().zip(&present).for_each(|(sum, here)| *sum += here);
            if present.iter().sum::<f64>() < NOTHING {
                return Ok(visits);
            }
            present = self.step(&present);
        }
        self.solved(0.0)
    }

    /// The same if it lasts for at most this many requests: `lasts(n)` is the probability that it
    /// may have more than n, and `rest(n)` the sum of that over all from n on. It is the sum over n
    /// of first P^n.
    pub(crate) fn visits_within(
        &self,
        lasts: impl Fn(f64) -> f64,
        rest: impl Fn(f64) -> f64,
    ) -> Vec<f64> {
        let mut present = self.begin();
        let mut visits = vec![0.0; self.next.len()];
        let (steps, mut half) = (self.steps_max(), 1.0);
        for n in 0..steps {
            let may = lasts(n.into());
            visits.iter_mut().zip(&present).for_each(|(sum, here)| *sum += may * here);
            let here: f64 = present.iter().sum();
            if may * here < NOTHING {
                return visits;
            }
            half = if n == steps / 2 { here } else { half };
            present = self.step(&present);
        }
        let here: f64 = present.iter().sum();
        let stays = (here / half).powf(1.0 / f64::from(steps - steps / 2));
        let more = here * far_out(f64::from(steps), stays, lasts, rest);
        let shares = self.settled(present);
        visits.iter_mut().zip(&shares).for_each(|(sum, share)| *sum += more * share);
        visits
    }

    /// The long-run shares of the kinds if every end begins a new journey.
    ///
    /// # Errors
    /// As [`Journey::visits`].
    pub(crate) fn long_run(&self) -> Result<Vec<f64>, Invalid> {
        // Half a step stays, so that periodic chains converge as well.
        let mut shares = self.begin();
        for _ in 0..self.steps_max() {
            let went = self.step(&shares);
            let ended = 1.0 - went.iter().sum::<f64>();
            let begun = self.begin();
            let next: Vec<f64> = shares
                .iter()
                .zip(went.iter().zip(&begun))
                .map(|(here, (went, begun))| 0.5 * here + 0.5 * (went + ended * begun))
                .collect();
            let moved: f64 = next.iter().zip(&shares).map(|(a, b)| (a - b).abs()).sum();
            shares = next;
            if moved < 1e-15 {
                return Ok(shares);
            }
        }
        // A journey that is hardly ever cut off has the shares of an endless one.
        let visits = self.solved(HARDLY_EVER)?;
        let all: f64 = visits.iter().sum();
        let solved: Vec<f64> = visits.iter().map(|one| one / all).collect();
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < SETTLED;
        // Only rounding may keep it from converging.
        Ok(if shares.iter().zip(&solved).all(near) { shares } else { solved })
    }

    /// The visits from the equations, if the journey also ends after each request with this share.
    fn solved(&self, cut_off: f64) -> Result<Vec<f64>, Invalid> {
        let reached = self.reached();
        let states: Vec<usize> = (0..self.next.len()).filter(|at| reached[*at]).collect();
        let mut place = vec![None; self.next.len()];
        states.iter().enumerate().for_each(|(at, kind)| place[*kind] = Some(at));
        let mut chain = Chain::new(states.len())?;
        for (at, kind) in states.iter().enumerate() {
            chain.add(at, None, cut_off);
            for (to, share) in self.next[*kind].iter().flat_map(Choice::shares) {
                chain.add(at, to.and_then(|to| place[to as usize]), share);
            }
        }
        let begin = self.begin();
        let found = chain.visits(states.iter().map(|kind| begin[*kind]).collect());
        let mut visits = vec![0.0; self.next.len()];
        states.iter().zip(found).for_each(|(kind, one)| visits[*kind] = one);
        Ok(visits)
    }

    /// The limits of the kinds' shares, given that the journey continues.
    fn settled(&self, present: Vec<f64>) -> Vec<f64> {
        let mut shares = present;
        for _ in 0..self.steps_max() {
            let went = self.step(&shares);
            let (here, there): (f64, f64) = (shares.iter().sum(), went.iter().sum());
            let mixed = shares.iter().zip(&went).map(|(a, b)| 0.5 * a / here + 0.5 * b / there);
            let next: Vec<f64> = mixed.collect();
            let moved: f64 = next.iter().zip(&shares).map(|(a, b)| (a - b).abs()).sum();
            shares = next;
            if moved < SETTLED {
                break;
            }
        }
        shares
    }

    /// The number of steps that are followed one by one: fewer if each takes long.
    fn steps_max(&self) -> u32 {
        let edges: usize = self.next.iter().flatten().flat_map(Choice::shares).count();
        ((WORK_MAX / edges.max(1)) as u32).clamp(1000, STEPS_MAX)
    }

    fn begin(&self) -> Vec<f64> {
        let mut present = vec![0.0; self.next.len()];
        for (place, share) in self.first.shares() {
            if let Some(place) = place {
                present[place as usize] += share;
            }
        }
        present
    }

    fn step(&self, present: &[f64]) -> Vec<f64> {
        let mut after = vec![0.0; present.len()];
        for (next, here) in self.next.iter().zip(present) {
            for (place, share) in next.iter().flat_map(Choice::shares) {
                if let Some(place) = place {
                    after[place as usize] += here * share;
                }
            }
        }
        after
    }
}

/// The sum over all n from `from` on of `lasts(n)` times `stays` to the power n - `from`, in blocks
/// that grow with n. If the journey never ends it is the `rest`.
fn far_out(from: f64, stays: f64, lasts: impl Fn(f64) -> f64, rest: impl Fn(f64) -> f64) -> f64 {
    let ends = 1.0 - stays;
    if ends < HARDLY_EVER {
        return rest(from);
    }
    let (mut sum, mut n, mut here) = (0.0, from, 1.0);
    loop {
        let width = (n / 2000.0).floor().max(1.0);
        let may = lasts(n + (width / 2.0).floor());
        let after = here * stays.powf(width);
        sum += may * (here - after) / ends;
        if may * after < NOTHING {
            return sum;
        }
        (n, here) = (n + width, after);
    }
}

#[cfg(test)]
mod tests {
    use crate::files::NoFiles;
    use crate::workload::Workload;
    use thinktime_file::schema::Source;

    /// A workload of one population whose requests `next` names in turn, `a` first.
    fn workload(model: &str, session: &str, next: &[&str]) -> Result<Workload, String> {
        let requests: String = "abcdef"
            .chars()
            .zip(next)
            .map(|(name, next)| format!("[[request]]\nname = '{name}'\nnext = {{ {next} }}\n"))
            .collect();
        let text = format!(
            "name = 'w'\n[arrivals]\n{model}\n[session]\nthink = '1s'\n{session}\n{requests}"
        );
        Workload::parse(Source { file: "", text: &text }, &NoFiles).map_err(|e| e.to_string())
    }

    const COMING: &str = "model = 'partly-open'\nrate = '1/h'\nstart = 'empty'";
    const STAYING: &str = "model = 'closed'\nclients = 5";

    fn visits(session: &str, next: &[&str]) -> Vec<f64> {
        workload(COMING, session, next).unwrap().populations[0].visits.clone().unwrap()
    }

    fn are_near(found: &[f64], expected: &[f64], relative: f64) -> bool {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= relative * b.abs();
        found.len() == expected.len() && found.iter().zip(expected).all(near)
    }

    #[test]
    fn a_journey_of_a_million_requests_is_counted_to_its_end() {
        for ends in [1e-3, 1e-4, 1e-5, 1e-6, 1e-9] {
            let found = visits("", &[&format!("a = {}, end = {ends}", 1.0 - ends)]);
            assert!(are_near(&found, &[1.0 / ends], 1e-5), "{ends}: {found:?}");
        }
        let found = visits("", &["b = 1", "a = 0.999999, end = 0.000001"]);
        assert!(are_near(&found, &[1e6, 1e6], 1e-5), "{found:?}");
    }

    #[test]
    fn what_ends_a_long_journey_first_is_counted() {
        // Its number of requests, in a circle.
        let circle = ["b = 1", "a = 1"];
        let found = visits("requests = 1_000_000", &circle);
        assert!(are_near(&found, &[5e5, 5e5], 1e-4), "{found:?}");
        // Its end, long before that number.
        let ends = ["a = 0.99999, end = 0.00001"];
        let found = visits("requests = 1_000_000_000", &ends);
        assert!(are_near(&found, &[1e5], 1e-3), "{found:?}");
        // Either, alike: 1 / (1 - 0.99999^2).
        let found = visits("requests = 'geometric(100000)'", &ends);
        assert!(are_near(&found, &[5e4], 1e-3), "{found:?}");
    }

    #[test]
    fn slow_changes_of_endless_journeys_settle() {
        let shares =
            |next: &[&str]| workload(STAYING, "", next).unwrap().populations[0].mix.clone();
        let slow = ["a = 0.9999999, b = 0.0000001", "a = 0.0000003, b = 0.9999997"];
        assert!(are_near(&shares(&slow), &[0.75, 0.25], 1e-4), "{:?}", shares(&slow));
        // A client that has left never comes back: a third of the clients stays in `c`.
        let left = ["b = 0.6666666, c = 0.3333334", "b = 1", "c = 1"];
        let found = shares(&left);
        assert!(found[0] < 1e-9, "{found:?}");
        assert!(are_near(&found[1..], &[0.6666666, 0.3333334], 1e-6), "{found:?}");
    }

    #[test]
    fn what_cannot_be_computed_is_refused() {
        let requests: String = (0..2600)
            .map(|at| {
                let next = (at + 1) % 2600;
                format!(
                    "[[request]]\nname = 'r{at}'\nnext = {{ r{next} = 0.999999, end = 1e-6 }}\n"
                )
            })
            .collect();
        let text = format!("name = 'w'\n[arrivals]\n{COMING}\n[session]\nthink = '1s'\n{requests}");
        let said = Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap_err();
        assert!(said.to_string().contains("request: a journey that lasts"), "{said}");
    }
}
