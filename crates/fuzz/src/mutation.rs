//! Makes inputs from others.

use thinktime_core::random::{Purpose, Stream};

use crate::Target;

/// Numbers at which readers fail.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1e-300",
    "1e308",
    "nan",
    "inf",
    "255",
    "65536",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
];
/// Bytes at which readers fail.
const BYTES: [u8; 12] = [0, 1, 0x0a, 0x0d, 0x20, 0x22, 0x25, 0x7f, 0x80, 0xc3, 0xfe, 0xff];

/// Draws of one input.
pub struct Dice(Stream);

impl Dice {
    /// The draws of an input, by the run's seed and its number.
    #[must_use]
    pub fn new(seed: u64, number: u64) -> Dice {
        Dice(Stream::new(seed, number, Purpose::Target))
    }

    /// A number below a bound; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.uniform() * bound as f64) as usize
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// The input of this number: one of the corpus, changed in one to eight ways.
///
/// # Panics
/// If the corpus is empty.
#[must_use]
pub fn input(target: &Target, corpus: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut dice = Dice::new(seed, number);
    let mut bytes = dice.one_of(corpus).clone();
    for _ in 0..=dice.below(8) {
        change(&mut bytes, target, corpus, &mut dice);
        bytes.truncate(target.bytes_max);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, target: &Target, corpus: &[Vec<u8>], dice: &mut Dice) {
    let at = dice.below(bytes.len() + 1);
    let end = (at + 1 + dice.below(20)).min(bytes.len());
    match dice.below(10) {
        0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
        1 if at < bytes.len() => bytes[at] = *dice.one_of(&BYTES),
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end.max(at))),
        4 => insert(bytes, at, &[*dice.one_of(&BYTES)].repeat(1 + dice.below(5))),
        5 if !target.words.is_empty() => insert(bytes, at, dice.one_of(target.words).as_bytes()),
        6 => other_number(bytes, at, dice),
        7 => {
            let part = bytes[at..end.max(at)].to_vec();
            let times = 1 << dice.below(12);
            insert(bytes, at, &part.repeat(times)[..(part.len() * times).min(target.bytes_max)]);
        }
        8 => {
            let other = dice.one_of(corpus);
            let from = dice.below(other.len() + 1);
            let to = from + dice.below(other.len() + 1 - from);
            insert(bytes, at, &other[from..to]);
        }
        _ => {
            let part: Vec<u8> = bytes.drain(at..end.max(at)).collect();
            let to = dice.below(bytes.len() + 1);
            insert(bytes, to, &part);
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    bytes.splice(at..at, part.iter().copied());
}

/// Replaces the next written number by another.
fn other_number(bytes: &mut Vec<u8>, at: usize, dice: &mut Dice) {
    let Some(from) = bytes[at..].iter().position(u8::is_ascii_digit) else { return };
    let from = at + from;
    let length = bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.splice(from..from + length, dice.one_of(&NUMBERS).bytes());
}
