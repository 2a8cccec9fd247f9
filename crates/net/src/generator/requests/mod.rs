//! Makes requests: the one place that turns an attempt into a method, a target, fields and a body.

pub(crate) mod cookies;
mod grpc_calls;
pub(crate) mod messages;
pub(crate) mod redirects;
pub(crate) mod values;

use thinktime_core::attempt::Attempt;
use thinktime_core::client::Owner;
use thinktime_core::file::Reuse;
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::request::{Call, Method};
use thinktime_core::system::DrawnDemands;
use thinktime_core::time::Nanos;
use thinktime_core::trace::{TRACEPARENT, Traces};
use thinktime_core::workload::{Population, Workload};

use crate::generator::credentials::Credentials;
use crate::generator::credentials::common_fields::missing_fields;
use crate::generator::plan::Plan;
use crate::generator::protocols::exchange::{Answer, Exchange};
use crate::generator::target::Target;
use crate::generator::transport::failure::Failure;
use crate::protocol::Capture;
use crate::protocol::http1::RequestHead;
use crate::server::{DEMAND_HEADER, TOKENS_HEADER, demand_value, tokens_value};
use cookies::Jars;
use redirects::{Redirects, Response};

/// The name of the field for cookies.
const COOKIE: &str = "Cookie";

/// The owner of cookies that a request sends or a response sets, and the time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sender {
    pub(crate) owner: Owner,
    pub(crate) now: Nanos,
}

/// Makes the requests of one run. The same attempt always makes the same request.
pub(crate) struct Requests<'a> {
    workload: &'a Workload,
    target: &'a Target,
    demands: Option<DrawnDemands>,
    targets: StreamFamily,
    /// The traces of requests, if any population names them.
    traces: Option<Traces>,
    path: String,
    jars: Option<Jars>,
    credentials: Option<Credentials>,
    pub(crate) redirects: Redirects,
}

impl<'a> Requests<'a> {
    pub(crate) fn new(
        workload: &'a Workload,
        target: &'a Target,
        plan: &Plan,
        credentials: Option<Credentials>,
    ) -> Requests<'a> {
        let demands = plan.demands.as_ref();
        let browsing = || workload.populations.iter().map(|one| one.browsing);
        Requests {
            workload,
            target,
            demands: demands.map(|system| {
                let program = system.program_for(workload);
                DrawnDemands::new(&program, workload.seed, Purpose::Demand)
            }),
            targets: StreamFamily::new(workload.seed, Purpose::Target),
            traces: (workload.populations.iter())
                .any(|one| one.clients.traced)
                .then(|| Traces::new(workload.seed)),
            path: String::new(),
            jars: browsing()
                .any(|one| one.cookies)
                .then(|| Jars::new(target.host_name(), target.is_secure())),
            credentials,
            redirects: Redirects::new(browsing().any(|one| one.redirects > 0)),
        }
    }

    /// Whether cookies are kept, or redirects followed.
    pub(crate) fn follows_responses(&self) -> bool {
        self.jars.is_some() || self.redirects.are_followed()
    }

    /// Takes a response: its cookies, and a possible redirect of the attempt.
    ///
    /// # Errors
    /// If it leads too far.
    pub(crate) fn take_response(
        &mut self,
        exchange: &Exchange,
        answer: &Answer,
        sender: &Sender,
        call: Option<&Call>,
    ) -> Result<bool, Failure> {
        let Some(excerpt) = &answer.excerpt else { return Ok(false) };
        let attempt = &exchange.attempt;
        self.write_path(attempt, call);
        let browsing = self.population(attempt).browsing;
        if let Some(jars) = self.jars.as_mut().filter(|_| browsing.cookies) {
            for field in excerpt.fields("set-cookie") {
                jars.take_in(sender.owner, &self.path, field, sender.now);
            }
        }
        let response = Response {
            method: self.method(attempt, call),
            target: &self.path,
            status: answer.status,
            location: excerpt.fields("location").next(),
            bytes_sent: exchange.bytes_sent,
            bytes_received: answer.bytes,
            server_time: answer.server_time,
        };
        self.redirects.follow(attempt, &response, self.target, browsing.redirects)
    }

    /// Writes the current whole path of an attempt after redirects.
    fn write_path(&mut self, attempt: &Attempt, call: Option<&Call>) {
        self.path.clear();
        if let Some(hop) = self.redirects.hop(attempt) {
            return self.path.push_str(&hop.target);
        }
        self.path.push_str(&self.target.prefix);
        match call {
            Some(call) => self.path.push_str(&call.target),
            None => {
                let kind = &self.workload.requests[attempt.kind as usize];
                let mut stream = self.targets.substream(attempt.session, attempt.index.into());
                kind.target.write(&mut self.path, &mut stream);
            }
        }
    }

    fn method(&self, attempt: &Attempt, call: Option<&Call>) -> Method {
        let kind = &self.workload.requests[attempt.kind as usize];
        let first = call.map_or(kind.method, |call| call.method);
        self.redirects.hop(attempt).map_or(first, |hop| hop.method)
    }

    /// The method on the wire.
    fn method_name(&self, attempt: &Attempt, call: Option<&Call>) -> &'a str {
        match self.method(attempt, call) {
            Method::Other => &self.workload.requests[attempt.kind as usize].word,
            known => known.word(),
        }
    }

    /// Makes the request of an attempt, for `write` to encode: a program's `call`, or the
    /// workload's own of this kind. With its sender's cookies, if given.
    pub(crate) fn make<R>(
        &mut self,
        attempt: &Attempt,
        call: Option<&Call>,
        sender: Option<Sender>,
        write: impl FnOnce(&RequestHead<'_>) -> R,
    ) -> R {
        let kind = &self.workload.requests[attempt.kind as usize];
        self.write_path(attempt, call);
        let bodiless = self.redirects.hop(attempt).is_some_and(|hop| hop.bodiless);
        let population = self.population(attempt);
        let jars = self.jars.as_mut().filter(|_| population.browsing.cookies).zip(sender);
        let cookies = jars.and_then(|(jars, of)| jars.field(of.owner, &self.path, of.now));
        let own = call.map_or(&kind.headers, |call| &call.headers);
        // Those of kinds already have them.
        let common = call.map(|call| missing_fields(&call.headers, &population.headers));
        let cookies = cookies.map(|cookies| with_own(cookies, own));
        let demand = self.demands.as_mut().map(|demands| demand_value(demands, attempt, kind));
        let tokens = self.demands.as_mut().and_then(|demands| tokens_value(demands, attempt, kind));
        let traceparent = self.traceparent(attempt, own);
        let all = own.iter().chain(common.into_iter().flatten());
        let own = all.map(|(name, value)| (name.as_str(), value.as_str()));
        let own = own.filter(|(name, _)| !is_replaced(name, cookies.is_some(), bodiless));
        let once = self.connections(attempt) == Reuse::PerRequest;
        let headers: Vec<(&str, &str)> = own
            .chain(demand.as_deref().map(|text| (DEMAND_HEADER, text)))
            .chain(tokens.as_deref().map(|text| (TOKENS_HEADER, text)))
            .chain(cookies.as_deref().map(|text| (COOKIE, text)))
            .chain(once.then_some(("Connection", "close")))
            .chain(traceparent.as_deref().map(|text| (TRACEPARENT, text)))
            .collect();
        let request = RequestHead {
            method: self.method_name(attempt, call),
            host: &self.target.host,
            target: &self.path,
            headers: &headers,
            body: if bodiless { &[] } else { call.map_or(&kind.body, |call| &call.body) },
        };
        identified(self.credentials.as_mut(), kind.population, &request, write)
    }

    /// The trace of an attempt, if its population names traces and it has no own one.
    fn traceparent(&self, attempt: &Attempt, own: &[(String, String)]) -> Option<String> {
        let traces = self.traces.as_ref()?;
        let said = || own.iter().any(|(name, _)| name.eq_ignore_ascii_case(TRACEPARENT));
        let traced = self.population(attempt).clients.traced && !said();
        traced.then(|| traces.of(attempt).traceparent())
    }

    /// The name of an attempt's request.
    pub(crate) fn name(&self, attempt: &Attempt) -> &'a str {
        &self.workload.requests[attempt.kind as usize].name
    }

    /// The parts of responses that must be kept without a program that reads them.
    pub(crate) fn capture(&self) -> Capture {
        let kinds = &self.workload.requests;
        let heads = self.follows_responses()
            || kinds.iter().any(|kind| kind.grpc.is_some() || kind.stream.is_some());
        if heads { Capture::Heads } else { Capture::Nothing }
    }

    /// The lifetime of a connection.
    pub(crate) fn connections(&self, attempt: &Attempt) -> Reuse {
        self.population(attempt).clients.connections
    }

    /// The population of the attempt.
    fn population(&self, attempt: &Attempt) -> &'a Population {
        self.workload.population_of(attempt.kind)
    }

    /// Whether the request may be sent again if nobody knows whether it was carried out.
    pub(crate) fn may_be_repeated(&self, attempt: &Attempt, call: Option<&Call>) -> bool {
        !matches!(
            self.method(attempt, call),
            Method::Post | Method::Patch | Method::Other | Method::Send | Method::Sql
        )
    }
}

/// Whether a request's own field is left out: cookies that are merged with the jar's, or a field
/// about a body that is left out.
fn is_replaced(name: &str, merged: bool, bodiless: bool) -> bool {
    merged && name.eq_ignore_ascii_case(COOKIE)
        || bodiless && name.to_ascii_lowercase().starts_with("content-")
}

/// Gives a request of a population to `write`, with the changing client fields, if any.
fn identified<R>(
    credentials: Option<&mut Credentials>,
    population: u32,
    request: &RequestHead<'_>,
    write: impl FnOnce(&RequestHead<'_>) -> R,
) -> R {
    match credentials {
        None => write(request),
        Some(credentials) => credentials.with(population, request, write),
    }
}

/// Cookies of the jar after those that a request has by itself, in one field.
fn with_own(cookies: String, own: &[(String, String)]) -> String {
    match own.iter().find(|(name, _)| name.eq_ignore_ascii_case(COOKIE)) {
        Some((_, own)) => format!("{own}; {cookies}"),
        None => cookies,
    }
}
