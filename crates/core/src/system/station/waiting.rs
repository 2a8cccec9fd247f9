//! The waiting line of a station whose jobs are served one by one.

use std::collections::VecDeque;

use super::super::jobs::Handle;
use crate::policy::scheduling::{Discipline, Rank, Ties};
use crate::queue::Queue;

/// The waiting line, as plain as the ranks allow.
#[derive(Debug)]
pub(super) enum Waiting {
    Line(VecDeque<Handle>),
    Stack(Vec<Handle>),
    /// In an order of which each is as likely as any other.
    Shuffled(Vec<Handle>),
    ByRank(Queue<Handle>),
}

impl Waiting {
    pub(super) fn new(discipline: &Discipline) -> Waiting {
        match discipline.rank {
            Rank::Equal if discipline.ties == Ties::LastCome => Waiting::Stack(Vec::new()),
            Rank::Equal => Waiting::Line(VecDeque::new()),
            Rank::Random => Waiting::Shuffled(Vec::new()),
            Rank::Level if discipline.quanta.len() == 1 => Waiting::Line(VecDeque::new()),
            _ => Waiting::ByRank(Queue::new()),
        }
    }

    /// Adds a job with this rank; of equal ranks the smaller `order` comes first.
    #[inline(always)]
    pub(super) fn add(&mut self, handle: Handle, rank: u64, order: u64) {
        match self {
            Waiting::Line(line) => line.push_back(handle),
            Waiting::Stack(stack) => stack.push(handle),
            Waiting::Shuffled(line) => {
                // A random place, whose job goes to the end: Durstenfeld, CACM 7 (1964), from
                // inside out. A random rank has 64 random bits.
                line.push(handle);
                let (number, last) = (line.len() as u128, line.len() - 1);
                line.swap(((u128::from(rank) * number) >> 64) as usize, last);
            }
            Waiting::ByRank(heap) => heap.push_in_order(rank, order, handle),
        }
    }

    /// Takes the next job: the newest of a line that is longer than `newest_first_above`.
    #[inline(always)]
    pub(super) fn take(&mut self, newest_first_above: usize) -> Option<Handle> {
        match self {
            Waiting::Line(line) if line.len() > newest_first_above => line.pop_back(),
            Waiting::Line(line) => line.pop_front(),
            Waiting::Stack(stack) => stack.pop(),
            Waiting::Shuffled(line) => line.pop(),
            Waiting::ByRank(heap) => heap.pop().map(|(_, handle)| handle),
        }
    }
}
