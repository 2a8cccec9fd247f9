//! The client of `buyer.luau` in Rust: a home page, items until the buyer has seen enough, then the
//! order. A state machine: it is resumed with an event, and returns its next wish.

use std::rc::Rc;
use std::sync::Arc;

use thinktime_core::data::DataTable;
use thinktime_core::program::{Action, Event, ProgramSource, Programs, Report};
use thinktime_core::random::{Purpose, Stream, StreamFamily};
use thinktime_core::request::{Call, Method};
use thinktime_core::time::Nanos;

/// The indices of the requests in the workload file.
const HOME: u32 = 0;
const ITEM: u32 = 1;
const BUY: u32 = 2;

/// The mean time that a buyer looks at a page, in seconds.
const THINK_S: f64 = 7.0;
/// The probability that a buyer has seen enough after an item.
const ENOUGH: f64 = 0.3;

/// Makes buyers.
#[derive(Debug)]
pub struct Buyers;

impl ProgramSource for Buyers {
    fn programs(&self, seed: u64, _data: &Arc<[DataTable]>) -> Box<dyn Programs> {
        let streams = StreamFamily::new(seed, Purpose::Program);
        Box::new(Shop { streams, buyers: Vec::new(), report: Report::default() })
    }
}

/// All buyers in the shop.
#[derive(Debug)]
struct Shop {
    streams: StreamFamily,
    /// By their slots.
    buyers: Vec<Option<Buyer>>,
    report: Report,
}

/// A request without a body.
fn call(method: Method, target: String) -> Call {
    let (headers, body, cuts) = (Vec::new(), Vec::new(), Vec::new());
    let (binary, expect, grpc, sql) = (false, None, None, None);
    Call { method, target, headers, body, cuts, binary, expect, grpc, sql }
}

/// One buyer.
#[derive(Debug)]
struct Buyer {
    stream: Stream,
    /// The request that was sent last.
    at: u32,
    call: Option<Rc<Call>>,
}

impl Buyer {
    /// Wants a request sent.
    fn ask(&mut self, kind: u32) -> Action {
        let item = (self.stream.uniform() * 1000.0) as u32;
        let (method, target) = match kind {
            HOME => (Method::Get, "/home".to_owned()),
            ITEM => (Method::Get, format!("/item/{item}")),
            _ => (Method::Post, "/buy".to_owned()),
        };
        self.at = kind;
        self.call = Some(Rc::new(call(method, target)));
        Action::Request(kind)
    }

    fn think(&mut self) -> Action {
        Action::Think(Nanos::from_secs_f64(-THINK_S * self.stream.uniform().ln()))
    }

    /// The step after a think time.
    fn next(&mut self) -> Action {
        let enough = self.at == ITEM && self.stream.uniform() < ENOUGH;
        self.ask(if enough { BUY } else { ITEM })
    }
}

impl Programs for Shop {
    fn begin(&mut self, _now: Nanos, slot: usize, session: u64, turn: u32) -> Action {
        if slot >= self.buyers.len() {
            self.buyers.resize_with(slot + 1, || None);
        }
        let stream = self.streams.substream(session, turn.into());
        let buyer = Buyer { stream, at: HOME, call: None };
        self.buyers[slot].insert(buyer).ask(HOME)
    }

    fn resume(&mut self, _now: Nanos, slot: usize, event: Event<'_>) -> Action {
        let Some(buyer) = &mut self.buyers[slot] else { return Action::End };
        let action = match event {
            Event::Waited => buyer.next(),
            Event::Answered(reply) if buyer.at == BUY => {
                self.report.check("bought", reply.error.is_none());
                Action::End
            }
            Event::Answered(_) => buyer.think(),
        };
        if action == Action::End {
            self.buyers[slot] = None;
        }
        action
    }

    fn woken(&mut self) -> Option<usize> {
        None
    }

    fn call(&self, slot: usize) -> Option<Rc<Call>> {
        self.buyers.get(slot)?.as_ref()?.call.clone()
    }

    fn report(&self) -> Report {
        self.report.clone()
    }
}
