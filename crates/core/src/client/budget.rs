//! A token bucket that limits the retries of all clients together.

use crate::workload::RetryBudget;

#[derive(Debug)]
pub(super) struct Budget {
    law: RetryBudget,
    tokens: f64,
}

impl Budget {
    pub(super) fn new(law: RetryBudget) -> Budget {
        Budget { law, tokens: law.burst }
    }

    /// A request begins.
    pub(super) fn earn(&mut self) {
        self.tokens = (self.tokens + self.law.share).min(self.law.burst);
    }

    /// A retry asks for a token; says whether it got one.
    pub(super) fn spend(&mut self) -> bool {
        let has = self.tokens >= 1.0 - 1e-9;
        if has {
            self.tokens -= 1.0;
        }
        has
    }
}
