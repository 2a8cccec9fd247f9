//! Another cluster, policy or list of servers, while requests are in progress.

use std::fs::File;
use std::sync::Arc;

use thinktime_core::error::Invalid;

use crate::dispatcher::{Dispatcher, Health};
use crate::generation::{Generation, Member};
use crate::labels::Labels;
use crate::log::AccessLog;
use crate::plan::Plan;

/// Changes a switch that is at work.
#[derive(Clone, Debug)]
pub struct Control {
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) log: Option<Arc<AccessLog>>,
}

impl Control {
    /// Later requests are placed by this plan. Those in progress stay where they are, and the new
    /// policy counts them.
    ///
    /// # Errors
    /// If the policy's arguments do not fit the cluster; then nothing changes.
    pub fn reload(&self, plan: Plan) -> Result<(), Invalid> {
        self.dispatcher.reload(plan)
    }

    /// Later lines of the access log, if there is one, go to another file.
    pub fn log_to(&self, file: File) {
        if let Some(log) = &self.log {
            log.reopen(file);
        }
    }

    /// The events of servers since the last call, a line each: a server that gets no requests any
    /// more, or gets some again, and why.
    #[must_use]
    pub fn transitions(&self) -> Vec<String> {
        self.dispatcher.transitions.take()
    }
}

impl Dispatcher {
    fn reload(self: &Arc<Dispatcher>, plan: Plan) -> Result<(), Invalid> {
        let mut switch = plan.switch()?;
        let counts = self.totals().counts(&Labels::new(&plan));
        let (now, mut state) = (self.now(), self.state());
        let mut before: Vec<Option<usize>> =
            (0..state.generation.members.len()).map(Some).collect();
        let (mut members, mut health) = (Vec::new(), Vec::new());
        for (number, server) in plan.servers.iter().enumerate() {
            let old_servers = &state.generation.plan.servers;
            let same =
                before.iter_mut().find(|one| one.is_some_and(|old| old_servers[old] == *server));
            let Some(old) = same.and_then(Option::take) else {
                members.push(Arc::new(Member::new(number)));
                health.push(Health::default());
                continue;
            };
            let entry = state.switch.servers().all()[old];
            for _ in 0..entry.in_progress {
                switch.send(now, number);
            }
            switch.set_open(now, number, entry.open);
            members.push(Arc::clone(&state.generation.members[old]));
            health.push(state.health[old]);
        }
        state.generation.members.iter().for_each(|member| member.set_number(None));
        for (number, member) in members.iter().enumerate() {
            member.set_number(Some(number));
        }
        for waiter in &mut state.waiting {
            waiter.request = plan.request(&waiter.method, &waiter.target);
        }
        let generation = Arc::new(Generation { plan, counts, members });
        (state.switch, state.health, state.generation) = (switch, health, Arc::clone(&generation));
        self.set_generation(generation);
        self.place_waiting(now, &mut state);
        Ok(())
    }
}
