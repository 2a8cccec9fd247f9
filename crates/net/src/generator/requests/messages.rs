//! Makes messages, and checks that a workload's requests fit its target.

use std::mem::take;

use thinktime_core::attempt::Attempt;
use thinktime_core::error::Invalid;
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::request::{Call, Expect, Method, RequestKind, SqlCall};
use thinktime_core::workload::{Authorization, Population, Workload};

use crate::generator::protocols::message_exchange::OutgoingMessage;
use crate::generator::protocols::{Outgoing, Payload, Scheme, Statements};
use crate::generator::target::{Target, shown};

/// Makes the messages of one run. The same attempt always makes the same message.
pub(crate) struct Messages<'a> {
    workload: &'a Workload,
    scheme: &'static Scheme,
    /// The parts of messages vary as those of targets do.
    targets: StreamFamily,
    bytes: Vec<u8>,
    /// The beginnings of further messages in these.
    cuts: Vec<usize>,
}

impl<'a> Messages<'a> {
    pub(crate) fn new(workload: &'a Workload, target: &'a Target) -> Messages<'a> {
        Messages {
            workload,
            scheme: target.scheme,
            targets: StreamFamily::new(workload.seed, Purpose::Target),
            bytes: Vec::new(),
            cuts: Vec::new(),
        }
    }

    /// Whether the target takes messages or statements, not requests of HTTP.
    pub(crate) fn has_takes(&self) -> bool {
        self.scheme.payload() != Payload::Requests
    }

    /// Whether a program's wish fits the target. A request that it only names, to be sent as the
    /// workload defines it, is a call of gRPC.
    pub(crate) fn fit(&self, attempt: &Attempt, call: Option<&Call>) -> bool {
        let scripted = self.workload.population_of(attempt.kind).programs.is_some();
        let grpc = self.workload.requests[attempt.kind as usize].grpc.is_some();
        let Some(call) = call else { return grpc || !scripted };
        if scripted && grpc != call.grpc.is_some() {
            return false;
        }
        let carried = match call.method {
            Method::Send => Payload::Messages,
            Method::Sql => Payload::Statements,
            _ => Payload::Requests,
        };
        let expectable =
            || call.method != Method::Send || self.expected(attempt, Some(call)).is_some();
        carried == self.scheme.payload() && expectable()
    }

    /// Makes the message of an attempt, or its statements, for `write` to encode: that of a
    /// program's `call`, or the workload's own of this kind.
    pub(crate) fn make(
        &mut self,
        attempt: &Attempt,
        call: Option<&Call>,
        write: impl FnOnce(Outgoing<'_>),
    ) {
        let kind = &self.workload.requests[attempt.kind as usize];
        let (mut bytes, mut cuts) = (take(&mut self.bytes), take(&mut self.cuts));
        bytes.clear();
        cuts.clear();
        match call {
            Some(call) => {
                bytes.extend_from_slice(&call.body);
                cuts.extend_from_slice(&call.cuts);
            }
            None => {
                let mut stream = self.targets.substream(attempt.session, attempt.index.into());
                kind.message.write(&mut bytes, &mut cuts, &mut stream);
            }
        }
        let binary = call.map_or(kind.message.binary, |call| call.binary);
        if let Some(call) = call.filter(|call| call.sql.is_some()) {
            Messages::statement(attempt.kind, call, |it| write(Outgoing::Statements(it)));
        } else if let Some(sql) = &kind.sql {
            let (kind, bytes, cuts) = (attempt.kind, &bytes[..], &cuts[..]);
            let (nulls, place) = (&[][..], Some(0));
            write(Outgoing::Statements(&Statements { kind, sql, bytes, cuts, nulls, place }));
        } else if let Some(expect) = self.expected(attempt, call) {
            let (messages, each) = (kind.messages.unwrap_or(1), kind.wait_for_each);
            let (bytes, cuts) = (&bytes[..], &cuts[..]);
            let message = OutgoingMessage { bytes, binary, expect, cuts, messages, each };
            write(Outgoing::Message(&message));
        }
        (self.bytes, self.cuts) = (bytes, cuts);
    }

    /// Gives a program's statement, or the beginning of its transaction, to `write`.
    pub(crate) fn statement(kind: u32, call: &Call, write: impl FnOnce(&Statements<'_>)) {
        let Some(SqlCall { sql, place, nulls, .. }) = &call.sql else { return };
        let (bytes, cuts, place) = (&call.body[..], &call.cuts[..], *place);
        write(&Statements { kind, sql, bytes, cuts, nulls, place });
    }

    /// The condition of a complete answer: from the attempt's call, its kind or the protocol.
    fn expected<'b>(&'b self, attempt: &Attempt, call: Option<&'b Call>) -> Option<&'b Expect> {
        let kind = &self.workload.requests[attempt.kind as usize];
        let own = call.and_then(|call| call.expect.as_ref());
        (self.scheme.first().expects)(own.or(kind.expect.as_ref()))
    }
}

/// # Errors
/// If the workload has requests that do not fit the target; the message gives the right ones.
pub(crate) fn check(workload: &Workload, target: &Target, demands: bool) -> Result<(), Invalid> {
    let carried = target.scheme.payload();
    let messages = carried != Payload::Requests;
    if messages && demands {
        return Err(Invalid::new(format!(
            "`{}`: demands go to HTTP servers only",
            shown(&target.url)
        )));
    }
    if messages && workload.extent().is_some() {
        return Err(Invalid::new(format!(
            "`{}`: a log is replayed on HTTP servers only",
            shown(&target.url)
        )));
    }
    check_openings(workload, target)?;
    // For a program's requests the workload gives names, timeouts and defaults only.
    let scripted =
        |kind: &RequestKind| workload.populations[kind.population as usize].programs.is_some();
    for kind in &workload.requests {
        let named = |why: &str| {
            Err(Invalid::new(format!(
                "the request `{}` and `{}`: {why}",
                kind.name,
                shown(&target.url)
            )))
        };
        if let Some(why) = (target.scheme.first().mismatch)(kind, scripted(kind)) {
            return named(why);
        }
    }
    Ok(())
}

/// The opening settings of connections must fit the target, and are the same for all populations,
/// which share them.
fn check_openings(workload: &Workload, target: &Target) -> Result<(), Invalid> {
    let fail = |why: &str| Err(Invalid::new(format!("`{}`: {why}", shown(&target.url))));
    let (first, all) = (&workload.populations[0], &workload.populations);
    if target.scheme.first().handshakes {
        let differs = |one: &Population| {
            (&one.headers, &one.subprotocols, &one.authorization)
                != (&first.headers, &first.subprotocols, &first.authorization)
        };
        if all.iter().any(differs) {
            return fail(
                "populations share the connections of a WebSocket: give all the same `headers`, \
                 `subprotocols` and `bearer` or `basic`",
            );
        }
        // Varying values belong to requests, and a handshake belongs to none.
        let given = |one: &Population| one.table.clients.as_ref().map_or(0, |it| it.headers.len());
        if all.iter().any(|one| given(one) != one.headers.len()) {
            return fail(
                "requests share the connections of a WebSocket: no values or draws can stand in \
                 `headers`",
            );
        }
        let own = |(name, _): &(String, String)| {
            name.get(..14).is_some_and(|it| it.eq_ignore_ascii_case("sec-websocket-"))
        };
        if first.headers.iter().any(own) {
            return fail("`headers` cannot have fields of `Sec-WebSocket`: see `subprotocols`");
        }
    } else if all.iter().any(|one| !one.subprotocols.is_empty()) {
        return fail("`subprotocols` go to targets of ws or wss");
    }
    if target.scheme.payload() != Payload::Requests {
        check_without_http(all).or_else(fail)?;
    }
    check_connections(target, all).or_else(fail)
}

/// Some keys are for HTTP only.
fn check_without_http(all: &[Population]) -> Result<(), &'static str> {
    let changing = |one: &Population| {
        matches!(one.authorization, Some(Authorization::Oauth2(_) | Authorization::Aws(_)))
    };
    if all.iter().any(changing) {
        return Err("`oauth2` and `aws` go to HTTP servers only");
    }
    if all.iter().any(|one| one.clients.traced) {
        return Err("`traceparent` goes to HTTP servers only");
    }
    Ok(())
}

/// Passwords and pools must fit the target.
fn check_connections(target: &Target, all: &[Population]) -> Result<(), &'static str> {
    let database = target.scheme.payload() == Payload::Statements;
    if !database && all.iter().any(|one| one.password.is_some()) {
        return Err("`password` of [clients] goes to targets of postgresql: see `basic`");
    }
    if all.iter().any(|one| one.password != all[0].password) {
        return Err(
            "populations share the connections of a database: give all the same `password`",
        );
    }
    if target.scheme.first().multiplexed && all.iter().any(|one| one.clients.pooled) {
        return Err("a connection of HTTP/2 or HTTP/3 carries many requests: limit these by \
             `concurrency`, not by a number of `connections`");
    }
    Ok(())
}
