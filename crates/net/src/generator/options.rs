//! From the options of `run` to what the generator takes.

use std::path::PathBuf;

use thinktime_core::error::Invalid;
use thinktime_core::options::RunOptions;
use thinktime_core::system::SystemModel;
use thinktime_core::workload::Workload;

use super::{Plan, Target, TlsOptions};

impl Plan {
    /// The plan that these options make. `demands` is a system whose demands the requests carry.
    ///
    /// # Errors
    /// When an option is wrong; the message names it.
    pub fn of(
        options: &RunOptions,
        workload: &Workload,
        demands: Option<SystemModel>,
    ) -> Result<Plan, Invalid> {
        Ok(Plan {
            limit: options.limit(workload)?,
            drain: options.drain()?,
            demands,
            lateness: options.lateness()?,
            loops: options.loops(),
            stop_on_slo: options.stop_on_slo == Some(true),
        })
    }
}

impl Target {
    /// The target at a url, reached as these options say.
    ///
    /// # Errors
    /// When the url or an option is wrong, or the option does not go with the url.
    pub fn of(url: &str, options: &RunOptions) -> Result<Target, Invalid> {
        let target = Target::parse(url)?;
        let insecure = options.insecure == Some(true);
        let ca_file = options.ca_file.as_ref().map(PathBuf::from);
        let given = if insecure { Some("insecure") } else { ca_file.as_ref().map(|_| "ca_file") };
        if let (Some(option), None) = (given, target.tls()) {
            let message = format!("`{option}` goes with an https or wss target only");
            return Err(Invalid::new(message));
        }
        if insecure && ca_file.is_some() {
            return Err(Invalid::new("give `ca_file` or `insecure`, not both"));
        }
        let sources = options.sources.iter().flatten().map(|text| text.parse());
        let tls = TlsOptions { ca_file, verify: !insecure, ..TlsOptions::default() };
        Ok(target.with_tls(tls).with_sources(sources.collect::<Result<_, Invalid>>()?))
    }
}
