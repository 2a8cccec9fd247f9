//! The labels of a policy and its servers in metrics.

use crate::plan::Plan;

/// The labels of a policy and its servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Labels {
    pub(crate) policy: String,
    /// By server, with those of the policy.
    pub(crate) servers: Vec<String>,
}

impl Labels {
    pub(crate) fn new(plan: &Plan) -> Labels {
        let (name, policy) = (&plan.cluster.name, &plan.cluster.dispatch_text);
        let policy = format!("cluster=\"{}\",policy=\"{}\"", escaped(name), escaped(policy));
        let servers = plan.servers.iter().enumerate().map(|(number, server)| {
            format!("{policy},server=\"{number}\",url=\"{}\"", escaped(&server.url))
        });
        Labels { servers: servers.collect(), policy }
    }
}

/// A label's value.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
