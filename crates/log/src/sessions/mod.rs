//! From requests to sessions: who came when, for how long, and what for.
//!
//! A user is an address, an address and an agent, or a named field. A session is a run of a user's
//! requests with every gap at or below a timeout. Programs that are no persons are set apart. All
//! that is kept is tallies, and the users of the last while: memory grows with these, not with the
//! log.
//!
//! Source: Schroeder, Wierman, Harchol-Balter, 'Open Versus Closed: A Cautionary Tale' (NSDI 2006),
//! section 7.

mod distinct;
mod learned;
mod order;
mod paths;
mod program;
mod series;
mod starts;
mod tally;
mod user;
mod visit;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use distinct::Distinct;
pub use learned::{Apart, EDGES, Learned, Lengths, Minutes};
use order::Order;
pub use paths::PathCount;
pub use series::MINUTE_NS;
pub use starts::BLOCK_NS;
pub use tally::{Bin, Tally};
use user::{Part, User};
use visit::Known;
pub use visit::{Batch, METHODS, Marks, UserBy, Visit};

/// How sessions are made of requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// A longer gap ends a session, in nanoseconds.
    pub timeout_ns: i64,
    /// Whether objects are taken together with the page that embeds them.
    pub pages: bool,
    /// An object that comes later than this after the request before, in nanoseconds, is not part
    /// of a page unless its referrer says so.
    pub page_gap_ns: i64,
    /// Whether programs that are no persons are set apart.
    pub crawlers_apart: bool,
}

impl Default for Rules {
    /// As in the paper, with pages: half an hour; 10 s; programs apart.
    fn default() -> Rules {
        Rules {
            timeout_ns: 1_800_000_000_000,
            pages: true,
            page_gap_ns: 10_000_000_000,
            crawlers_apart: true,
        }
    }
}

/// Gaps up to this length are known whatever the timeout, for the curve of sessions against it.
const HORIZON_NS: i64 = 10_000_000_000_000;
/// Users that are gone are looked for each time the log has gone on by this.
const SWEEP_NS: i64 = 300_000_000_000;

/// Makes sessions of visits.
#[derive(Debug)]
pub struct Sessions {
    rules: Rules,
    order: Order,
    users: HashMap<u64, User, BuildHasherDefault<Known>>,
    people: Distinct,
    apart: Distinct,
    addresses: Distinct,
    next_sweep: i64,
    learned: Learned,
}

impl Sessions {
    /// By these rules.
    #[must_use]
    pub fn new(rules: Rules) -> Sessions {
        Sessions {
            rules,
            order: Order::default(),
            users: HashMap::default(),
            people: Distinct::default(),
            apart: Distinct::default(),
            addresses: Distinct::default(),
            next_sweep: i64::MIN,
            learned: Learned::default(),
        }
    }

    /// Takes the visits of a batch, which is empty then.
    pub fn take(&mut self, batch: &mut Batch) {
        self.learned.paths.name(&mut batch.paths);
        let mut order = std::mem::take(&mut self.order);
        order.take(&batch.visits, |visit| self.visit(visit));
        self.order = order;
        batch.visits.clear();
    }

    /// All that was learned.
    #[must_use]
    pub fn finish(mut self) -> Learned {
        let mut order = std::mem::take(&mut self.order);
        order.finish(|visit| self.visit(visit));
        self.learned.backwards = order.backwards;
        let (end, timeout) = (self.learned.end_ns, self.rules.timeout_ns);
        let edge = self.learned.edge(timeout);
        let users: Vec<User> = self.users.values().copied().collect();
        for user in &users {
            let may_go_on = user.open && !user.program && end.saturating_sub(user.last) <= timeout;
            if may_go_on {
                self.learned.stays(user);
            }
            self.end(user, end.saturating_sub(user.start) <= edge);
        }
        self.learned.settle_edges(edge);
        self.learned.users = self.people.count();
        self.learned.apart.users = self.apart.count();
        self.learned.addresses = self.addresses.count();
        self.learned
    }

    fn visit(&mut self, visit: &Visit) {
        let set_back = self.next_sweep.saturating_sub(2 * SWEEP_NS);
        if !(set_back..self.next_sweep).contains(&visit.time_ns) {
            self.sweep(visit.time_ns);
        }
        self.learned.seen(visit.time_ns);
        let marks = visit.marks;
        let program = self.rules.crawlers_apart && (marks.program || marks.robots);
        let mut user = self.user(visit, program);
        if program && !user.program {
            self.set_apart(visit.user, &mut user);
        }
        let think = micros(visit.time_ns.saturating_sub(user.end));
        let first = user.requests == 0;
        let part = user.take(visit, &self.rules);
        if self.rules.crawlers_apart && !user.program && user.is_health_check() {
            self.set_apart(visit.user, &mut user);
        }
        if user.program {
            self.learned.apart.requests += 1;
        } else {
            self.learned.request(visit, part == Part::Page);
            if !first {
                self.learned.think(think, part == Part::Page);
            }
        }
        self.users.insert(visit.user, user);
    }

    /// The user with the session that the visit belongs to.
    fn user(&mut self, visit: &Visit, program: bool) -> User {
        let Some(user) = self.users.get(&visit.user).copied() else {
            if program { &mut self.apart } else { &mut self.people }.add(visit.user);
            self.addresses.add(visit.address);
            if !program {
                self.learned.first_visits += 1;
            }
            return User::new(visit, program);
        };
        // A clock that was set back by more than the timeout begins a new session, too.
        let (gap, timeout) = (visit.time_ns.saturating_sub(user.last), self.rules.timeout_ns);
        if !user.program {
            match gap {
                _ if (-timeout..=HORIZON_NS.max(timeout)).contains(&gap) => {
                    self.learned.gaps.add(micros(gap));
                }
                _ => self.learned.first_visits += 1,
            }
        }
        if gap.abs() <= timeout && user.open {
            return user;
        }
        self.end(&user, false);
        User::new(visit, user.program)
    }

    /// What was thought to be a person is none.
    fn set_apart(&mut self, number: u64, user: &mut User) {
        user.program = true;
        self.apart.add(number);
        self.learned.apart.late_requests += user.requests;
    }

    /// A session has ended; `late` says that it began in the log's last timeout.
    fn end(&mut self, user: &User, late: bool) {
        if !user.open {
            return;
        }
        if user.program {
            self.learned.apart.sessions += 1;
        } else {
            self.learned.session(user, self.rules.timeout_ns, late);
        }
    }

    /// Ends the sessions that are over, and forgets users who have been away for long.
    fn sweep(&mut self, now: i64) {
        self.next_sweep = now.saturating_add(SWEEP_NS);
        let timeout = self.rules.timeout_ns;
        let horizon = HORIZON_NS.max(timeout);
        let mut users = std::mem::take(&mut self.users);
        users.retain(|_, user| {
            let away = now.saturating_sub(user.last);
            if away > timeout {
                self.end(user, false);
                user.open = false;
            }
            away <= horizon
        });
        self.users = users;
    }
}

/// Whole microseconds; 0 for what is negative.
fn micros(nanoseconds: i64) -> u64 {
    nanoseconds.max(0).unsigned_abs() / 1000
}

#[cfg(test)]
mod tests;
