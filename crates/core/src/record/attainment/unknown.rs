//! Objectives that a simulation cannot judge.

use thinktime_file::workload::Figure;

use crate::record::{ObjectiveFigures, Summary};
use crate::workload::Workload;

/// The reason for objectives of checks.
const NO_RESPONSES: &str = "a simulation has no responses to check";
/// The reason for objectives of events.
const ONE_WHOLE: &str = "a simulation models a streamed response as one whole, without its events";

impl Summary {
    /// Leaves out objectives of what a simulation does not have, and reports them: checks of
    /// responses (those of scripts are counted there, too), and the events of streamed responses.
    pub(super) fn leave_out_unknown(&mut self, workload: &Workload) {
        let checks = || workload.requests.iter().flat_map(|one| &one.value_use.checks);
        let is_of_responses =
            |of: Option<&str>| checks().any(|one| of.is_none_or(|of| of == one.name));
        let out = self.take_objectives(|one| {
            one.name == "checks" && one.value.is_none() && is_of_responses(one.of.as_deref())
        });
        let named = |one: &ObjectiveFigures| {
            one.of.as_ref().map_or_else(|| "checks".to_owned(), |of| format!("check `{of}`"))
        };
        self.note_left_out(NO_RESPONSES, &out.iter().map(named).collect::<Vec<_>>());
        if self.events.is_some() {
            return; // those of a server of tokens
        }
        let is_of_streams =
            |one: &ObjectiveFigures| Figure::named(&one.name).is_some_and(Figure::is_of_streams);
        let out: Vec<_> = self.take_objectives(is_of_streams);
        let names: Vec<_> = out.into_iter().map(|one| one.name).collect();
        if !names.is_empty() {
            self.note_left_out(ONE_WHOLE, &names);
        } else if workload.requests.iter().any(|kind| kind.stream.is_some()) {
            self.note_once(ONE_WHOLE.to_owned());
        }
    }

    fn take_objectives(
        &mut self,
        is_out: impl Fn(&ObjectiveFigures) -> bool,
    ) -> Vec<ObjectiveFigures> {
        let all = std::mem::take(&mut self.objectives);
        let (out, kept) = all.into_iter().partition(is_out);
        self.objectives = kept;
        out
    }

    fn note_left_out(&mut self, reason: &str, names: &[String]) {
        if !names.is_empty() {
            self.note_once(format!("{reason}: left out of the SLO: {}", names.join(", ")));
        }
    }

    fn note_once(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}
