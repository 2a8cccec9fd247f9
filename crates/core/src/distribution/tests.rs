//! General tests: every law of the list, by its example.

use super::*;
use crate::random::Purpose;

fn examples() -> impl Iterator<Item = Distribution> {
    ENTRIES.iter().map(|entry| entry.example.parse::<Distribution>().expect(entry.example))
}

#[test]
fn what_is_written_is_read_back() {
    for law in examples() {
        assert_eq!(law.to_string().parse::<Distribution>().unwrap(), law);
    }
}

#[test]
fn samples_have_the_stated_mean() {
    for law in examples().filter(|law| law.second_moment().is_finite()) {
        let mut stream = Stream::new(1, 0, Purpose::Demand);
        let n = 200_000;
        let mean = (0..n).map(|_| law.sample(&mut stream)).sum::<f64>() / f64::from(n);
        let sd = (law.cv2().sqrt() * law.mean()).abs();
        // 4.5 standard errors: false alarm 7e-6 a law, and the seed is fixed.
        let slack = 4.5 * sd / f64::from(n).sqrt() + 1e-12;
        assert!((mean - law.mean()).abs() <= slack, "{law}: {mean} against {}", law.mean());
    }
}
