//! How many different users there were: exactly as long as that is cheap, then by an estimate.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use super::visit::Known;

/// Up to so many are counted one by one, in some 20 MiB.
const EXACT_MAX: usize = 1 << 20;
const REGISTER_BITS: u32 = 14;

/// Counts different numbers that are hashes: exactly up to a million, then by HyperLogLog, whose
/// standard error is 0.8 % with so many registers.
///
/// Source: Flajolet, Fusy, Gandouet, Meunier, 'HyperLogLog: the analysis of a near-optimal
/// cardinality estimation algorithm' (AofA 2007).
#[derive(Debug, Default)]
pub(super) struct Distinct {
    exact: HashSet<u64, BuildHasherDefault<Known>>,
    registers: Vec<u8>,
}

impl Distinct {
    pub(super) fn add(&mut self, hash: u64) {
        if self.registers.is_empty() {
            self.exact.insert(hash);
            if self.exact.len() <= EXACT_MAX {
                return;
            }
            self.registers = vec![0; 1 << REGISTER_BITS];
            std::mem::take(&mut self.exact).into_iter().for_each(|hash| self.note(hash));
        }
        self.note(hash);
    }

    fn note(&mut self, hash: u64) {
        // The table's own hash is mixed once more, because users' numbers are used as they are.
        let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = mixed ^ (mixed >> 32);
        let mixed = mixed.wrapping_mul(0xd6e8_feb8_6659_fd93);
        let register = (mixed >> (u64::BITS - REGISTER_BITS)) as usize;
        let rank = ((mixed << REGISTER_BITS).leading_zeros() + 1).min(64) as u8;
        self.registers[register] = self.registers[register].max(rank);
    }

    pub(super) fn count(&self) -> u64 {
        if self.registers.is_empty() {
            return self.exact.len() as u64;
        }
        let registers = self.registers.len() as f64;
        let sum: f64 = self.registers.iter().map(|rank| 0.5_f64.powi(i32::from(*rank))).sum();
        // Above a million the corrections for small numbers never apply.
        (0.7213 / (1.0 + 1.079 / registers) * registers * registers / sum).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_estimated_within_three_percent() {
        let mut distinct = Distinct::default();
        for round in 0..2 {
            for n in 0..3_000_000_u64 {
                distinct.add((n + 1).wrapping_mul(0x2545_f491_4f6c_dd1d));
                if round == 0 && n == 999 {
                    assert_eq!(distinct.count(), 1000);
                }
            }
        }
        // Three and a half standard errors; the numbers are fixed.
        assert!((distinct.count() as f64 / 3e6 - 1.0).abs() < 0.03, "{}", distinct.count());
    }
}
