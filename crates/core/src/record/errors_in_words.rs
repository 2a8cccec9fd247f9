//! The errors of a summary in words.

use super::Summary;
use crate::failure::STATUS;
use crate::words;

impl Summary {
    /// The errors and their numbers, in words, as in `12 timeout, 3 with status 404`.
    #[must_use]
    pub fn errors_in_words(&self) -> String {
        let kinds = self.errors_by_kind.iter().filter(|(kind, _)| *kind != STATUS);
        let kinds = kinds.map(|(kind, count)| format!("{} {kind}", words::count(*count)));
        let statuses = self.errors_by_status.iter();
        let statuses = statuses
            .map(|(status, count)| format!("{} with status {status}", words::count(*count)));
        kinds.chain(statuses).collect::<Vec<_>>().join(", ")
    }
}
