//! Journeys: the order of a session's requests.
//!
//! A journey is a Markov chain over a population's kinds of request: it begins with a draw of
//! `first`, continues after each request by that request's `next`, and ends if that draws `end`.

mod chain;
mod count;
mod visits;

use std::collections::BTreeMap;

use thinktime_file::error::{Invalid, unknown};

pub(crate) use count::{Count, ThinkTimeCount};

/// The word in `next` that ends a journey.
pub const END: &str = "end";
/// The sum of shares may differ from 1 by this much, as for rounded ones.
const ROUNDING: f64 = 1e-6;

/// A choice among kinds, or of the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// (the sum of the shares so far, the place of the kind or `None` for the end).
    steps: Vec<(f64, Option<u32>)>,
}

impl Choice {
    /// A choice among `names` in given shares; those of `first` and `next` must sum to 1, those of
    /// `of` are relative to one another.
    pub(crate) fn parse(
        table: &BTreeMap<String, f64>,
        names: &[&str],
        kind: ChoiceKind,
    ) -> Result<Choice, Invalid> {
        let mut steps = Vec::new();
        let mut sum = 0.0;
        for (name, share) in table {
            if !(*share >= 0.0 && share.is_finite()) {
                return Err(Invalid::new(format!("`{name}` must be 0 or more, not {share}")));
            }
            let place = names.iter().position(|other| other == name);
            let ends = kind == ChoiceKind::Next && name == END;
            if place.is_none() && !ends {
                let all = names.iter().copied().chain((kind == ChoiceKind::Next).then_some(END));
                return Err(unknown("request", name, all));
            }
            if *share > 0.0 {
                sum += share;
                steps.push((sum, if ends { None } else { place.map(|place| place as u32) }));
            }
        }
        if steps.is_empty() {
            return Err(Invalid::new("names no request with a share above 0"));
        }
        if kind != ChoiceKind::Relative && (sum - 1.0).abs() > ROUNDING {
            let end = if kind == ChoiceKind::Next { ", `end` included" } else { "" };
            let shown = (sum * 1e6).round() / 1e6;
            return Err(Invalid::new(format!("the shares sum to {shown}, and must sum to 1{end}")));
        }
        steps.iter_mut().for_each(|step| step.0 /= sum);
        Ok(Choice { steps })
    }

    /// Always this kind.
    pub(crate) fn only(place: u32) -> Choice {
        Choice { steps: vec![(1.0, Some(place))] }
    }

    /// The kind that a uniform number falls to.
    #[inline]
    #[must_use]
    pub fn of(&self, uniform: f64) -> Option<u32> {
        let at = match self.steps.len() {
            0..=8 => self.steps.iter().take_while(|step| step.0 < uniform).count(),
            _ => self.steps.partition_point(|step| step.0 < uniform),
        };
        self.steps[at.min(self.steps.len() - 1)].1
    }

    /// The kind that a uniform number falls to, given that it is not the end; `None` if there is
    /// only the end.
    #[must_use]
    pub fn of_going_on(&self, uniform: f64) -> Option<u32> {
        let total = 1.0 - self.ends();
        let mut rest = uniform * total;
        let mut last = None;
        for (place, share) in self.shares() {
            if place.is_some() {
                last = place;
                rest -= share;
                if rest <= 0.0 {
                    break;
                }
            }
        }
        last
    }

    /// The places with their shares; `None` is the end.
    pub fn shares(&self) -> impl Iterator<Item = (Option<u32>, f64)> + '_ {
        let before = std::iter::once(0.0).chain(self.steps.iter().map(|step| step.0));
        self.steps.iter().zip(before).map(|(step, before)| (step.1, step.0 - before))
    }

    /// The share of the end.
    #[must_use]
    pub fn ends(&self) -> f64 {
        self.shares().filter(|(place, _)| place.is_none()).map(|(_, share)| share).sum()
    }
}

/// The purpose of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChoiceKind {
    /// The beginning of a journey.
    First,
    /// The successor of a request, or the end.
    Next,
    /// Shares that need not sum to 1, as for a page's objects.
    Relative,
}

/// A journey, checked. Places are those within the population.
#[derive(Clone, Debug, PartialEq)]
pub struct Journey {
    /// Its beginning.
    pub first: Choice,
    /// By kind, its successors; `None` for kinds outside the journey.
    pub next: Vec<Option<Choice>>,
}

impl Journey {
    /// The reached kinds.
    pub(crate) fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.next.len()];
        let mut open: Vec<u32> = self.first.shares().filter_map(|(place, _)| place).collect();
        while let Some(place) = open.pop() {
            if !std::mem::replace(&mut reached[place as usize], true)
                && let Some(next) = &self.next[place as usize]
            {
                open.extend(next.shares().filter_map(|(place, _)| place));
            }
        }
        reached
    }

    /// A reached kind from which the journey never ends; `None` if it always may. Coming to `end`
    /// ends it, too.
    pub(crate) fn caught_in(&self, end: Option<usize>) -> Option<usize> {
        let mut ends: Vec<bool> =
            self.next.iter().map(|next| ends_at_once(next.as_ref())).collect();
        if let Some(end) = end {
            ends[end] = true;
        }
        loop {
            let leads =
                |next: &Choice| next.shares().any(|(at, _)| at.is_none_or(|at| ends[at as usize]));
            let more: Vec<bool> = self
                .next
                .iter()
                .zip(&ends)
                .map(|(next, ends)| *ends || next.as_ref().is_some_and(leads))
                .collect();
            if more == ends {
                break;
            }
            ends = more;
        }
        self.reached().iter().zip(&ends).position(|(reached, ends)| *reached && !*ends)
    }

    /// Whether any request may be the last.
    pub(crate) fn may_end(&self) -> bool {
        self.next.iter().flatten().any(|next| next.ends() > 0.0)
    }
}

fn ends_at_once(next: Option<&Choice>) -> bool {
    next.is_some_and(|next| next.ends() > 0.0)
}
