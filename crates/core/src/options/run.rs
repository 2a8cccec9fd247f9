//! The options of `run`.

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;

use super::{Flag, Number, Proxy, Share, Text, Texts, Time, ValuesByName, Whole, limit, options};
use crate::limit::Limit;
use crate::workload::Workload;

options! {
    /// The options of `run`.
    RunOptions {
        /// Time at which no more requests begin, as in 60s; 30s if nothing else ends the run.
        duration: Time,
        /// Number of requests that begin after the warm-up; without a limit by default.
        requests: Whole,
        /// Requests scheduled before this time are sent, but do not count; 0s by default.
        warmup: Time,
        /// Run until the half-width of the mean's 95 % interval is this share of the mean, as in
        /// 5%: for at least 10s and 1,250 requests, and at most the duration, by default 10min.
        precision: Share,
        /// Longest wait for the last responses; 10s by default.
        drain: Time,
        /// The seed, instead of the workload's.
        seed: Whole,
        /// Factor of the rates and clients of all populations, as in 2.
        scale: Number,
        /// The rate of sessions or, in an open model, requests, instead of the workload's. With
        /// several populations it is NAME=RATE; may be given several times.
        rate: ValuesByName,
        /// The clients of a closed model, instead of the workload's; with several populations
        /// likewise.
        clients: ValuesByName,
        /// The think time of a closed or partly-open model, instead of the workload's; with several
        /// populations likewise.
        think: ValuesByName,
        /// End once the SLO can no longer be met.
        stop_on_slo: Flag,
        /// Show the beginning of the first response of each kind of failure.
        show_errors: Flag,
        /// PEM file of the certificate authorities of an https, wss or h3 target or of a database;
        /// those that Mozilla trusts by default.
        ca_file: Text,
        /// Accept any certificate of an https, wss or h3 target or of a database.
        insecure: Flag,
        /// PEM file of the client's certificate for an https, wss or h3 target or a database, with
        /// those that lead to its authority.
        certificate: Text,
        /// PEM file of the certificate's private key; the certificate's file by default.
        key: Text,
        /// Source address of connections, perhaps with a range of ports (127.0.0.2:20000-60000);
        /// may be given several times.
        sources: Texts,
        /// Addresses of the target's host, instead of a lookup: HOST:PORT:ADDRESS, with commas
        /// between several; new connections use them in turn. May be given several times.
        resolve: Texts,
        /// The version of IP: 4 or 6; by default that of the first address that answers.
        ip_version: Whole,
        /// Time between lookups of the host during the run; one lookup before the run by default.
        lookup: Time,
        /// The path of a Unix socket that connections go to, instead of the target's host.
        unix_socket: Text,
        /// An HTTP proxy by which the target is reached, as in http://HOST:PORT.
        proxy: Proxy,
        /// A link for all packets to the target and back, as in "delay = 50ms, loss = 1%, rate =
        /// 10Mbit/s"; or a file with one [[link]]. Needs root or user namespaces.
        link: Text,
        /// Largest lateness of requests, allowed to save CPU time; 0s by default.
        lateness: Time,
        /// Event loops, each on a core of its own; 1 by default.
        loops: Whole,
        /// Run from the machines of a Ray cluster: ray for one on this machine, ray://HOST:PORT or
        /// auto for a running one.
        on: Text,
        /// Number of generators on the cluster; one on each of its nodes by default.
        generators: Whole,
        /// Reaction to a lost generator: stop (the default), or continue with its sessions on
        /// another one.
        on_loss: Text,
        /// Leave the rows on the nodes, each in this folder of its own disk, instead of gathering
        /// them in requests.parquet; thinktime collect fetches them.
        leave_rows: Text,
        /// Rows of requests.parquet: all (the default), none, or 1/N of the sessions.
        rows: Text,
    }
}

/// The default duration of a run, in seconds.
const DURATION_S: f64 = 30.0;
/// The same of a run to a precision, which ends earlier if it can.
const PRECISE_DURATION_S: f64 = 600.0;
/// The default time for which the last responses are waited for.
pub const DRAIN: Nanos = Nanos(10_000_000_000);

impl RunOptions {
    /// When the run ends, and which requests count. A log has an end of its own.
    ///
    /// # Errors
    /// When a time is invalid, or the run would be empty.
    pub fn limit(&self, workload: &Workload) -> Result<Limit, Invalid> {
        let endless = self.requests.is_none() && workload.extent().is_none();
        let usual_s = if self.precision.is_some() { PRECISE_DURATION_S } else { DURATION_S };
        let usual = endless.then_some(Time(thinktime_file::schema::Scalar::Number(usual_s)));
        let duration = self.duration.as_ref().or(usual.as_ref());
        limit(self.requests, duration, self.warmup.as_ref())
    }

    /// The precision that is sought.
    ///
    /// # Errors
    /// When it is not a share between 0 and 1.
    pub fn precision(&self) -> Result<Option<f64>, Invalid> {
        self.precision.as_ref().map(|share| share.value("precision")).transpose()
    }

    /// The time for which the last responses are waited for.
    ///
    /// # Errors
    /// When it is not a time.
    pub fn drain(&self) -> Result<Nanos, Invalid> {
        let given_s = self.drain.as_ref().map(|time| time.seconds("drain")).transpose()?;
        Ok(given_s.map_or(DRAIN, Nanos::from_secs_f64))
    }

    /// How much later than scheduled requests may be sent.
    ///
    /// # Errors
    /// When it is not a time.
    pub fn lateness(&self) -> Result<Nanos, Invalid> {
        let given_s = self.lateness.as_ref().map(|time| time.seconds("lateness")).transpose()?;
        Ok(Nanos::from_secs_f64(given_s.unwrap_or(0.0)))
    }

    /// The number of event loops.
    #[must_use]
    pub fn loops(&self) -> u32 {
        self.loops.map_or(1, |loops| u32::try_from(loops).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use thinktime_file::schema::Source;

    use super::*;
    use crate::files::NoFiles;

    #[test]
    fn a_precision_has_more_time_unless_an_end_is_given() {
        let text = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 10";
        let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
        let until = |json: &str| {
            let options = RunOptions::from_json(json).unwrap();
            options.limit(&workload).unwrap().until
        };
        assert_eq!(until("{}"), Nanos::from_secs_f64(30.0));
        assert_eq!(until(r#"{"precision":"5%"}"#), Nanos::from_secs_f64(600.0));
        assert_eq!(until(r#"{"precision":"5%","duration":"20s"}"#), Nanos::from_secs_f64(20.0));
        assert_eq!(until(r#"{"precision":"5%","requests":9}"#), Nanos::MAX);
    }
}
