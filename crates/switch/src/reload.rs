//! Another cluster, policy or list of servers, while requests are in progress.

use std::fs::File;
use std::sync::Arc;

use thinktime_core::error::Invalid;

use crate::closing::Health;
use crate::desk::Desk;
use crate::log::AccessLog;
use crate::page::Labels;
use crate::plan::Plan;
use crate::term::{Member, Term};

/// Changes a switch that is at work.
#[derive(Clone, Debug)]
pub struct Control {
    pub(crate) desk: Arc<Desk>,
    pub(crate) log: Option<Arc<AccessLog>>,
}

impl Control {
    /// From now on requests are placed by this plan. Those in progress go on where they are, and
    /// the new policy counts them.
    ///
    /// # Errors
    /// When the policy's arguments do not fit the cluster; then nothing changes.
    pub fn reload(&self, plan: Plan) -> Result<(), Invalid> {
        self.desk.reload(plan)
    }

    /// Lines of the access log, if there is one, go to another file from now on.
    pub fn log_to(&self, file: File) {
        if let Some(log) = &self.log {
            log.go_on_in(file);
        }
    }

    /// What happened to servers since this was asked last, a line each: who gets no requests any
    /// more, or gets some again, and why.
    #[must_use]
    pub fn news(&self) -> Vec<String> {
        self.desk.news.take()
    }
}

impl Desk {
    fn reload(self: &Arc<Desk>, plan: Plan) -> Result<(), Invalid> {
        let mut switch = plan.switch()?;
        let counts = self.ledger().counts(&Labels::new(&plan));
        let (now, mut state) = (self.now(), self.state());
        let mut before: Vec<Option<usize>> = (0..state.term.members.len()).map(Some).collect();
        let (mut members, mut health) = (Vec::new(), Vec::new());
        for (number, server) in plan.servers.iter().enumerate() {
            let known = &state.term.plan.servers;
            let same = before.iter_mut().find(|one| one.is_some_and(|old| known[old] == *server));
            let Some(old) = same.and_then(Option::take) else {
                members.push(Arc::new(Member::new(number)));
                health.push(Health::default());
                continue;
            };
            let known = state.switch.servers().all()[old];
            for _ in 0..known.in_progress {
                switch.send(now, number);
            }
            switch.set_open(now, number, known.open);
            members.push(Arc::clone(&state.term.members[old]));
            health.push(state.health[old]);
        }
        state.term.members.iter().for_each(|member| member.set_number(None));
        for (number, member) in members.iter().enumerate() {
            member.set_number(Some(number));
        }
        for waiter in &mut state.waiting {
            waiter.request = plan.request(&waiter.method, &waiter.target);
        }
        let term = Arc::new(Term { plan, counts, members });
        (state.switch, state.health, state.term) = (switch, health, Arc::clone(&term));
        self.set_term(term);
        self.let_go_on(now, &mut state);
        Ok(())
    }
}
