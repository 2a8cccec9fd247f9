//! Sessions that are programs make calls.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::json;
use thinktime_core::data::DataTable;
use thinktime_core::program::{Action, Event, ProgramSource, Programs, Report};
use thinktime_core::request::{Call, GrpcCall, Method};
use thinktime_core::schema::Source;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thinktime_net::generator::Target;

use super::descriptors::Descriptors;
use super::server::grpc_server;
use crate::support::*;

/// A workload whose sessions are programs.
const SCRIPTED: &str = "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 3\n[session]\n\
                        script = 'SCRIPT'\n[[request]]\nname = 'x'\ngrpc = 'a.S/Good'\n\
                        descriptors = 'a.pb'\n";

/// Sessions that make the workload's call, perhaps with a message of their own, and check the
/// answer; or request a page by its name.
#[derive(Clone, Debug)]
pub(super) struct Callers {
    pub(super) gets: bool,
    /// Whether they give a message of their own; else that of the workload is sent.
    pub(super) gives: bool,
    /// The call with their message and further metadata.
    pub(super) own: Option<Arc<GrpcCall>>,
}

impl ProgramSource for Callers {
    fn programs(&self, _seed: u64, _data: &Arc<[DataTable]>) -> Box<dyn Programs> {
        Box::new(Calling { of: self.clone(), report: Report::default() })
    }
}

#[derive(Debug)]
struct Calling {
    of: Callers,
    report: Report,
}

impl Programs for Calling {
    fn begin(&mut self, _now: Nanos, _slot: usize, _session: u64, _turn: u32) -> Action {
        Action::Request(0)
    }

    fn resume(&mut self, _now: Nanos, _slot: usize, event: Event<'_>) -> Action {
        if let Event::Answered(reply) = event {
            let right: [&[u8]; 2] = [br#"{"text":"own"}"#, br#"{"text":"drawn 5"}"#];
            self.report.check("mirrored", reply.body == right[usize::from(!self.of.gives)]);
        }
        Action::Request(0)
    }

    fn reads_responses(&self) -> bool {
        self.of.own.is_some()
    }

    fn woken(&mut self) -> Option<usize> {
        None
    }

    fn call(&self, _slot: usize) -> Option<Rc<Call>> {
        if let Some(known) = &self.of.own {
            let metadata = vec![("x-trace-bin".to_owned(), "AAE=".to_owned())];
            let message = self.of.gives.then(|| json!({"text": "own"}));
            return Some(Rc::new(known.with(message, metadata).unwrap()));
        }
        let (headers, body, cuts) = (Vec::new(), Vec::new(), Vec::new());
        let (method, target) = (Method::Get, "/".to_owned());
        let (binary, expect, grpc, sql) = (false, None, None, None);
        let get = Call { method, target, headers, body, cuts, binary, expect, grpc, sql };
        self.of.gets.then(|| Rc::new(get))
    }

    fn report(&self) -> Report {
        self.report.clone()
    }
}

#[test]
fn programs_make_the_calls_of_the_workload() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    for (script, failed) in [("call.luau", 0), ("get.luau", 9)] {
        let text = SCRIPTED.replace("SCRIPT", script);
        let workload = Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap();
        let (done, _) = go(&workload, &target, 9);
        let counted = &done.summary.errors_by_kind;
        assert_eq!(counted.get("unfit_request").copied().unwrap_or(0), failed, "{counted:?}");
        assert_eq!(done.summary.errors, failed, "{counted:?}");
    }
    let text = SCRIPTED.replace("SCRIPT", "call.luau").replace("grpc = 'a.S/Good'", "get = '/'");
    let text = text.replace("descriptors = 'a.pb'", "");
    let workload = Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap();
    let (done, _) = go(&workload, &target, 9);
    assert_eq!(done.summary.errors_by_kind["unfit_request"], 9, "a name alone is no request");
}

#[test]
fn programs_give_messages_and_read_answers() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let own = SCRIPTED.replace("SCRIPT", "own.luau").replace("S/Good", "T/Mirror");
    // Varying values of the file are still drawn, except in the message, which is the program's.
    let varying = "message = { text = '{const(5)}' }\nheaders = { X-Tenant = '{const(7)}' }\n";
    for more in ["", varying] {
        let text = format!("{own}{more}");
        let workload = Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap();
        let (done, _) = go(&workload, &target, 30);
        assert_eq!(done.summary.errors, 0, "{more}: {:?}", done.summary.errors_by_kind);
        let checks = &done.summary.checks["mirrored"];
        assert!(checks.failed == 0 && checks.passed >= 27, "{more}: {checks:?}");
    }
    let file = own.replace("own.luau", "file.luau");
    for more in ["message = { text = 'drawn 5' }\n", "message = { text = 'drawn {const(5)}' }\n"] {
        let text = format!("{file}{more}headers = {{ X-Tenant = '7' }}\n");
        let workload = Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap();
        let (done, _) = go(&workload, &target, 30);
        let checks = &done.summary.checks["mirrored"];
        assert!(checks.failed == 0 && checks.passed >= 27, "{more}: {checks:?}");
    }
    for script in [own, file] {
        let text = format!("{}{varying}", script.replace("T/Mirror", "T/Told"));
        let workload = Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap();
        let (done, _) = go(&workload, &target, 9);
        let counted = &done.summary.errors_by_kind;
        assert_eq!(done.summary.errors, 0, "metadata is of both: {counted:?}");
    }
}
