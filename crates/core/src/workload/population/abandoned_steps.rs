//! Steps of a journey that an endless session leaves for good.

use super::super::{Population, Sessions, Workload};
use crate::journey::{Choice, Journey};

impl Workload {
    /// Reports for each population whose sessions never end the steps that they leave behind for
    /// good. In a long run these are hardly ever requested, however large their shares are.
    #[must_use]
    pub fn abandoned_steps(&self) -> Vec<String> {
        self.populations.iter().filter_map(|one| one.abandoned_steps(&self.requests)).collect()
    }
}

impl Population {
    fn abandoned_steps(&self, kinds: &[crate::request::RequestKind]) -> Option<String> {
        let Sessions::Closed { requests: None, .. } = self.sessions else { return None };
        let journey = self.journey.as_ref()?;
        if self.lasts.is_some() || journey.may_end() {
            return None;
        }
        let (caught, stays) = journey.stays_in()?;
        let names = |wanted: &[bool]| {
            let its = wanted.iter().zip(&kinds[self.kinds.clone()]);
            let names: Vec<_> =
                its.filter(|(is, _)| **is).map(|(_, kind)| format!("`{}`", kind.name)).collect();
            names.join(", ")
        };
        let reached = journey.reached();
        let left: Vec<bool> = reached.iter().zip(&stays).map(|(all, one)| *all && !one).collect();
        let whose =
            if self.name.is_empty() { String::new() } else { format!(" of `{}`", self.name) };
        Some(format!(
            "a session{whose} never ends, and from `{}` on it asks for {} alone; unless `end` has \
             a share somewhere, it never returns to {}",
            kinds[self.kinds.start + caught].name,
            names(&stays),
            names(&left),
        ))
    }
}

impl Journey {
    /// For endless journeys: steps that are never left again, beside others that are reached too;
    /// with one of those. `None` if every step comes again and again.
    fn stays_in(&self) -> Option<(usize, Vec<bool>)> {
        let reached = self.reached();
        let mut at = reached.iter().position(|is| *is)?;
        let mut from = self.after(at);
        // Each turn goes to a step from which there is no way back, so fewer are left.
        while let Some(on) = self.no_way_back(at, &from) {
            at = on;
            from = self.after(at);
        }
        (from != reached).then_some((at, from))
    }

    /// The steps that may come at any time after one.
    fn after(&self, place: usize) -> Vec<bool> {
        let mut found = vec![false; self.next.len()];
        let mut open = self.followers(place);
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut found[at], true) {
                open.extend(self.followers(at));
            }
        }
        found
    }

    fn followers(&self, place: usize) -> Vec<usize> {
        let shares = self.next[place].iter().flat_map(Choice::shares);
        shares.filter_map(|(at, share)| at.filter(|_| share > 0.0)).map(|at| at as usize).collect()
    }

    /// One of the steps after `place` from which it never comes again.
    fn no_way_back(&self, place: usize, after: &[bool]) -> Option<usize> {
        let mut leads = vec![false; self.next.len()];
        leads[place] = true;
        let mut before = vec![Vec::new(); self.next.len()];
        for at in 0..self.next.len() {
            for to in self.followers(at) {
                before[to].push(at);
            }
        }
        let mut open = vec![place];
        while let Some(at) = open.pop() {
            for from in &before[at] {
                if !std::mem::replace(&mut leads[*from], true) {
                    open.push(*from);
                }
            }
        }
        after.iter().zip(&leads).position(|(after, leads)| *after && !leads)
    }
}

#[cfg(test)]
mod tests {
    use crate::files::NoFiles;
    use crate::workload::Workload;
    use thinktime_file::schema::Source;

    fn told(next: [&str; 4], session: &str) -> Vec<String> {
        let kinds = ["home", "item", "search", "cart"];
        let request = |(name, next): (&str, &str)| {
            format!("[[population.request]]\nname = '{name}'\nnext = {{ {next} }}\n")
        };
        let requests: String = kinds.into_iter().zip(next).map(request).collect();
        let text = format!(
            "name = 'w'\n[[population]]\nname = 'visitors'\n\
             [population.arrivals]\nmodel = 'closed'\nclients = 3\n\
             [population.session]\nthink = '1s'\n{session}\n{requests}"
        );
        Workload::parse(Source { file: "w.toml", text: &text }, &NoFiles).unwrap().abandoned_steps()
    }

    #[test]
    fn what_is_left_for_good_is_told() {
        let next = ["item = 1", "search = 0.5, item = 0.5", "item = 0.9, cart = 0.1", "search = 1"];
        let words = told(next, "");
        assert_eq!(words.len(), 1);
        assert!(words[0].starts_with("a session of `visitors` never ends"), "{}", words[0]);
        assert!(words[0].ends_with("it never returns to `home`"), "{}", words[0]);
        // A step that is never left is the smallest loop.
        let next = ["item = 1", "search = 1", "home = 0.5, cart = 0.5", "cart = 1"];
        let words = told(next, "");
        assert!(words[0].contains("from `cart` on it asks for `cart` alone"), "{}", words[0]);
        assert!(words[0].ends_with("it never returns to `home`, `item`, `search`"), "{}", words[0]);
    }

    #[test]
    fn nothing_is_told_where_all_comes_again() {
        let again = ["item = 1", "search = 1", "cart = 1", "home = 1"];
        assert!(told(again, "").is_empty());
        let ends = ["item = 1", "search = 1", "cart = 1", "cart = 0.5, end = 0.5"];
        assert!(told(ends, "").is_empty());
        let leaves = ["item = 1", "search = 1", "cart = 1", "cart = 1"];
        assert_eq!(told(leaves, "").len(), 1);
        assert!(told(leaves, "requests = 'geometric(5)'").is_empty());
        assert!(told(leaves, "lasts = '10min'").is_empty());
    }
}
