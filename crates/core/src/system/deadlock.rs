//! Requests that wait for one another for ever: each wants a place of a pool, or a thread, that
//! only others of them keep.

use std::collections::{BTreeMap, BTreeSet};

use super::ids::NodeId;
use super::jobs::{Handle, Holding, Jobs, NOBODY, Place};
use super::model::SystemModel;
use super::node::HoldKind;
use super::program::Instruction;
use super::{AnyNodeModel, DemandSource, Job, System};

/// The parts of a system of which there is a limited number, by name: pools, and services with
/// threads.
#[derive(Clone, Debug, Default)]
pub struct LimitedParts(BTreeMap<Holding, String>);

/// Requests that wait for one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The number of these requests.
    pub requests: u64,
    /// The kind of each, the names of the parts that it has, and that of the part that it wants;
    /// each of these once.
    pub waits: BTreeSet<(u32, Vec<String>, String)>,
}

impl SystemModel {
    /// Its limited parts.
    #[must_use]
    pub fn limited_parts(&self) -> LimitedParts {
        let pools = self.nodes.iter().zip((0..).map(NodeId)).filter_map(|(model, node)| {
            let AnyNodeModel::Pool(pool) = model else { return None };
            Some((Holding { node, entry: 0 }, pool.name.clone()))
        });
        let limited =
            self.entrances().filter(|(id, _)| self.hold_kind_at(*id) == HoldKind::Limited);
        let services = limited.map(|(id, entrance)| {
            let (node, entry) = self.behind(id);
            (Holding { node, entry }, entrance.name.clone())
        });
        LimitedParts(pools.chain(services).collect())
    }
}

impl LimitedParts {
    /// Whether the system has no such part, so that no request waits for another's.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<D: DemandSource> System<D> {
    /// The requests that wait for one another, if any do. A request that is not `patient` leaves by
    /// itself.
    #[must_use]
    pub fn deadlock(
        &self,
        parts: &LimitedParts,
        patient: &dyn Fn(&Job) -> bool,
    ) -> Option<Deadlock> {
        let waits = Waits::new(&self.jobs, |handle| self.wanted(handle, parts), patient);
        let stuck = waits.stuck();
        if stuck.is_empty() {
            return None;
        }
        let name = |what: &Holding| parts.0.get(what).cloned();
        let wait = |handle: &Handle| {
            let wanted = waits.wanted.get(handle)?;
            let kept = self.jobs.held_by(*handle);
            let held = kept.iter().filter_map(name).collect();
            Some((self.jobs[*handle].job.kind, held, name(wanted)?))
        };
        let whole = stuck.iter().filter(|handle| self.jobs[**handle].parent == NOBODY).count();
        Some(Deadlock { requests: whole as u64, waits: stuck.iter().filter_map(wait).collect() })
    }

    /// The limited part for which a visitor waits.
    fn wanted(&self, handle: Handle, parts: &LimitedParts) -> Option<Holding> {
        let visitor = &self.jobs[handle];
        let Place::Waiting(at) = visitor.place else { return None };
        match self.code.get((visitor.step as usize).checked_sub(1)?)? {
            Instruction::Visit { node, entry, .. } if *node == at => {
                let what = Holding { node: at, entry: *entry };
                parts.0.contains_key(&what).then_some(what)
            }
            _ => None,
        }
    }
}

/// Who waits for what, and who keeps it.
struct Waits {
    present: Vec<Handle>,
    wanted: BTreeMap<Handle, Holding>,
    /// By visitor, the parts that it keeps and can let go: it does not wait for them itself.
    kept: BTreeMap<Handle, Vec<Holding>>,
    leaving: BTreeSet<Handle>,
    /// By visitor that is a part of a request, that request.
    wholes: BTreeMap<Handle, Handle>,
}

impl Waits {
    fn new(
        jobs: &Jobs,
        wanted: impl Fn(Handle) -> Option<Holding>,
        patient: &dyn Fn(&Job) -> bool,
    ) -> Waits {
        let present = jobs.present();
        let wants = |handle: &Handle| Some((*handle, wanted(*handle)?));
        let wanted: BTreeMap<Handle, Holding> = present.iter().filter_map(wants).collect();
        let keeps = |handle: &Handle| {
            let kept = jobs.held_by(*handle).into_iter();
            (*handle, kept.filter(|what| wanted.get(handle) != Some(what)).collect())
        };
        let kept = present.iter().map(keeps).collect();
        let leaves = |handle: &&Handle| !patient(&jobs[**handle].job);
        let leaving = present.iter().filter(leaves).copied().collect();
        let whole = |handle: &Handle| Some((*handle, jobs[*handle].parent));
        let wholes =
            present.iter().filter_map(whole).filter(|(_, whole)| *whole != NOBODY).collect();
        Waits { present, wanted, kept, leaving, wholes }
    }

    /// Those that no event can move: what each needs is with others of them alone. Each visitor and
    /// each part that it keeps is handled once.
    fn stuck(&self) -> BTreeSet<Handle> {
        let mut waiters: BTreeMap<Holding, Vec<Handle>> = BTreeMap::new();
        for (handle, what) in &self.wanted {
            waiters.entry(*what).or_default().push(*handle);
        }
        let mut parts: BTreeMap<Handle, usize> = BTreeMap::new();
        self.wholes.values().for_each(|whole| *parts.entry(*whole).or_default() += 1);
        let kept: BTreeSet<Holding> = self.kept.values().flatten().copied().collect();
        let needs = |handle: &Handle| match self.wanted.get(handle) {
            Some(what) => kept.contains(what),
            None => parts.contains_key(handle),
        };
        let moves = |handle: &&Handle| self.leaving.contains(handle) || !needs(handle);
        let mut free: Vec<Handle> = self.present.iter().filter(moves).copied().collect();
        let mut stuck: BTreeSet<Handle> = self.present.iter().copied().collect();
        while let Some(handle) = free.pop() {
            if !stuck.remove(&handle) {
                continue;
            }
            // One that moves lets go what it keeps: those that wait for it move too.
            for what in self.kept.get(&handle).into_iter().flatten() {
                free.extend(waiters.remove(what).into_iter().flatten());
            }
            if let Some(whole) = self.wholes.get(&handle)
                && let Some(left) = parts.get_mut(whole)
            {
                *left -= 1;
                free.extend((*left == 0).then_some(*whole));
            }
        }
        stuck
    }
}

#[cfg(test)]
mod tests {
    use thinktime_file::schema::Source;
    use thinktime_file::time::Nanos;

    use super::super::{DrawnDemands, Program};
    use super::*;
    use crate::files::NoFiles;
    use crate::random::Purpose;

    const PARTS: &str = "name = 's'\n[[station]]\nname = 'cpu'\nservers = 9\n\
                         [[pool]]\nname = 'p'\nsize = 2\n[[pool]]\nname = 'q'\nsize = 1\n";

    /// Requests of kinds `a` and `b`, with these steps each, come in this order at once and stay
    /// for as long as anything moves; gives the deadlock among them.
    fn deadlock(a: &str, b: &str, order: &[u32], patient: bool) -> Option<Deadlock> {
        let text = format!(
            "{PARTS}[[behaviour]]\nrequest = 'a'\nsteps = [{a}]\n\
             [[behaviour]]\nrequest = 'b'\nsteps = [{b}]"
        );
        let model = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
        let program = Program::new(&model, &["a", "b"]);
        let demands = DrawnDemands::new(&program, 1, Purpose::Demand);
        let mut system = System::new(&model, &program, &["a", "b"], demands, 1);
        for (session, kind) in (0..).zip(order) {
            system.arrive(Nanos::ZERO, Job { token: session, session, serial: 0, kind: *kind });
        }
        while !system.next_event().is_never() {
            system.advance();
        }
        system.deadlock(&model.limited_parts(), &|_| patient)
    }

    const USE: &str = "{use = 'cpu', demand = '1ms'}";

    fn nested(outer: &str, inner: &str) -> String {
        format!(
            "{{acquire = '{outer}'}}, {USE}, {{acquire = '{inner}'}}, {USE}, \
             {{release = '{inner}'}}, {{release = '{outer}'}}"
        )
    }

    #[test]
    fn requests_that_want_what_the_others_have_are_named() {
        let (a, b) = (nested("p", "q"), nested("q", "p"));
        let found = deadlock(&a, &b, &[0, 0, 1, 1], true).unwrap();
        assert_eq!(found.requests, 4, "the fourth waits behind them");
        let wait = |kind, held: &[&str], wanted: &str| {
            (kind, held.iter().map(ToString::to_string).collect::<Vec<_>>(), wanted.to_owned())
        };
        let waits = [wait(0, &["p"], "q"), wait(1, &[], "q"), wait(1, &["q"], "p")];
        assert_eq!(found.waits, waits.into());
    }

    #[test]
    fn requests_that_can_still_end_are_in_no_deadlock() {
        let (a, b) = (nested("p", "q"), nested("q", "p"));
        // One place of p is free, so that `b` gets it.
        assert_eq!(deadlock(&a, &b, &[0, 1], true), None);
        // The same order everywhere.
        assert_eq!(deadlock(&a, &a, &[0, 0, 1, 1, 0], true), None);
        // Those that give up let the others have theirs.
        assert_eq!(deadlock(&a, &b, &[0, 0, 1, 1], false), None);
    }

    #[test]
    fn parallel_parts_that_want_what_another_part_has_are_seen() {
        let part = |outer: &str, inner: &str| format!("[{}]", nested(outer, inner));
        let both = format!("{{fork = [{}, {}]}}", part("q", "p"), part("p", "q"));
        let hold = "{acquire = 'p'}, {delay = '1h'}, {release = 'p'}".to_owned();
        let found = deadlock(&both, &hold, &[0, 0], true).unwrap();
        assert_eq!(found.requests, 2);
    }
}
