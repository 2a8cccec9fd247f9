//! The server's event loop.

use std::io;
use std::net::TcpListener;

use thinktime_core::failure::RESET;
use thinktime_core::policy::dispatch::SelfReport;
use thinktime_core::system::cluster::Condition;
use thinktime_core::system::{Job, System, SystemModel};
use thinktime_core::time::Nanos;

use super::connection::{Answer, Connection};
use super::demands::{IdentifiedRequest, RequestDemands, ServedDemands, request_reader};
use super::{PROBE_PATH, ServeTotals};
use crate::poller::{Clock, Poller, Readiness};
use crate::protocol::http1::Request;

pub(super) struct Engine {
    listener: TcpListener,
    poller: Poller,
    clock: Clock,
    system: System<ServedDemands>,
    pub(super) connections: Vec<Option<Connection>>,
    vacant: Vec<u32>,
    /// Requests in the system, by the job's token.
    jobs: Vec<Pending>,
    free_jobs: Vec<u64>,
    ready: Vec<Readiness>,
    pub(super) buffer: Vec<u8>,
    /// Connections with more to read.
    pub(super) unread: Vec<u32>,
    /// Connections with more to send.
    pub(super) unsent: Vec<u32>,
    /// Requests that entered the model: they number the streams of drawn demands.
    arrivals: u64,
    /// Its response to probes.
    report: SelfReport,
    /// Connections that were accepted.
    accepted: u64,
    /// Whether successes report their demands.
    pub(super) server_timing: bool,
    served: ServeTotals,
}

/// A request in the system, with the owner of its answer.
#[derive(Clone, Copy, Debug)]
struct Pending {
    place: u32,
    generation: u64,
    /// The number of the request on its connection.
    number: u64,
    /// How many requests it found in the system, and when it came.
    found: u32,
    since: Nanos,
}

const LISTENER: u64 = u64::MAX;
/// The longest sleep between two checks of `stop`.
const LOOK: Nanos = Nanos(50_000_000);
/// A client that pipelines more requests than this is cut off.
const PIPELINED_MAX: usize = 1024;

impl Engine {
    pub(super) fn new(
        listener: TcpListener,
        model: &SystemModel,
        demands: ServedDemands,
        seed: u64,
    ) -> io::Result<Engine> {
        let poller = Poller::new()?;
        poller.add_listener(&listener, LISTENER)?;
        let program = demands.kinds().program().clone();
        let names: Vec<String> = demands.kinds().names().into_iter().map(str::to_owned).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Ok(Engine {
            listener,
            poller,
            clock: Clock::start(),
            system: System::new(model, &program, &names, demands, seed),
            connections: Vec::new(),
            vacant: Vec::new(),
            jobs: Vec::new(),
            free_jobs: Vec::new(),
            ready: Vec::new(),
            buffer: vec![0; 1 << 16],
            unread: Vec::new(),
            unsent: Vec::new(),
            arrivals: 0,
            report: SelfReport::default(),
            accepted: 0,
            server_timing: false,
            served: ServeTotals::default(),
        })
    }

    pub(super) fn totals(&self) -> ServeTotals {
        self.served
    }

    /// Sleeps until something happens, at most a twentieth of a second, and handles it.
    pub(super) fn turn(&mut self) -> io::Result<()> {
        let until = match self.unread.is_empty() && self.unsent.is_empty() {
            true => self.system.next_event().since(self.clock.now()),
            false => Nanos::ZERO,
        };
        let mut ready = std::mem::take(&mut self.ready);
        self.poller.wait(until.min(LOOK), &mut ready)?;
        self.advance(self.clock.now());
        for place in std::mem::take(&mut self.unread) {
            self.read_on(place);
        }
        for place in std::mem::take(&mut self.unsent) {
            self.send_on(place);
        }
        for readiness in &ready {
            if readiness.token == LISTENER {
                self.accept();
            } else {
                self.handle(readiness);
            }
        }
        self.ready = ready;
        self.advance(self.clock.now());
        Ok(())
    }

    /// Lets the model catch up with the clock: the answers of ended services leave.
    fn advance(&mut self, now: Nanos) {
        while self.system.next_event() <= now {
            let Some(departure) = self.system.advance() else { continue };
            let token = departure.job.token;
            let pending = self.jobs[token as usize];
            self.free_jobs.push(token);
            self.report.end(pending.found, now.since(pending.since));
            match departure.error {
                None => {
                    self.served.requests += 1;
                    let demand = self.server_timing.then_some(departure.demand);
                    self.answer(&pending, 200, demand);
                }
                Some(RESET) => self.cut_off(&pending),
                Some(_) => {
                    self.served.refused += 1;
                    self.answer(&pending, 503, None);
                }
            }
        }
    }

    fn accept(&mut self) {
        // Errors here are the client's (it has gone) or pass (no descriptor is free): the listener
        // stays registered, and notifies again.
        while let Ok((stream, _)) = self.listener.accept() {
            if stream.set_nonblocking(true).is_err() || stream.set_nodelay(true).is_err() {
                continue;
            }
            let place = self.vacant.pop().unwrap_or_else(|| {
                self.connections.push(None);
                (self.connections.len() - 1) as u32
            });
            if self.poller.add(&stream, place.into()).is_err() {
                self.vacant.push(place);
                continue;
            }
            self.accepted += 1;
            let connection = Connection::new(stream, request_reader(), self.accepted);
            self.connections[place as usize] = Some(connection);
        }
    }

    pub(super) fn arrive(&mut self, place: u32, request: &Request) {
        let Some(connection) = &mut self.connections[place as usize] else { return };
        let head_only = request.method == "HEAD";
        connection.answers.push_back(Answer::to(head_only, request.keep_alive));
        if connection.answers.len() > PIPELINED_MAX {
            return self.refuse(place, 400);
        }
        if request.target == PROBE_PATH {
            return self.answer_probe(place);
        }
        let number = connection.first + connection.answers.len() as u64 - 1;
        let generation = connection.generation;
        let pending = Pending { place, generation, number, found: 0, since: Nanos::ZERO };
        match self.system.demands_mut().kinds().read(request) {
            Ok(IdentifiedRequest { kind, own_demands }) => {
                if let (Some(answer), Some(size)) =
                    (connection.answers.back_mut(), own_demands.size)
                {
                    answer.size = size;
                }
                self.enter(pending, kind, own_demands);
            }
            Err(_) => self.refuse(place, 400),
        }
    }

    /// A failed server sends nothing any more.
    fn answer_probe(&mut self, place: u32) {
        self.advance(self.clock.now());
        let status = match self.system.condition() {
            Condition::Well => 200,
            Condition::Drained => 503,
            Condition::Failed => return self.close(place),
        };
        let Some(connection) = &mut self.connections[place as usize] else { return };
        if let Some(answer) = connection.answers.back_mut() {
            (answer.ready, answer.said) = (Some(status), Some(self.report.answer().to_json()));
        }
        self.write_answers(place);
    }

    fn enter(&mut self, came: Pending, kind: u32, own_demands: RequestDemands) {
        // The model must handle earlier events before an arrival.
        let now = self.clock.now();
        self.advance(now);
        if self.system.condition() == Condition::Failed {
            return self.cut_off(&came);
        }
        let pending = Pending { found: self.report.begin(), since: now, ..came };
        let token = match self.free_jobs.pop() {
            Some(token) => {
                self.jobs[token as usize] = pending;
                token
            }
            None => {
                self.jobs.push(pending);
                self.jobs.len() as u64 - 1
            }
        };
        self.system.demands_mut().set(token, own_demands);
        self.arrivals += 1;
        let job = Job { token, session: self.arrivals, serial: 0, kind };
        self.system.arrive(now, job);
    }

    /// Answers the newest request of a connection with an error, and closes after it.
    pub(super) fn refuse(&mut self, place: u32, status: u16) {
        self.served.refused += 1;
        let Some(connection) = &mut self.connections[place as usize] else { return };
        connection.closing = true;
        if let Some(answer) = connection.answers.back_mut() {
            answer.ready = Some(status);
            answer.keep_alive = false;
        }
        self.write_answers(place);
    }

    fn answer(&mut self, pending: &Pending, status: u16, demand: Option<Nanos>) {
        let Some(connection) = self.connection_of(pending) else { return };
        let at = (pending.number - connection.first) as usize;
        let answer = &mut connection.answers[at];
        (answer.ready, answer.demand) = (Some(status), demand);
        self.write_answers(pending.place);
    }

    /// The request gets no answer: its server has failed.
    fn cut_off(&mut self, pending: &Pending) {
        self.served.refused += 1;
        if self.connection_of(pending).is_some() {
            self.close(pending.place);
        }
    }

    /// None if the client has gone; another may have taken its place.
    fn connection_of(&mut self, pending: &Pending) -> Option<&mut Connection> {
        let connection = self.connections.get_mut(pending.place as usize)?.as_mut()?;
        (connection.generation == pending.generation).then_some(connection)
    }

    pub(super) fn close(&mut self, place: u32) {
        if self.connections[place as usize].take().is_some() {
            self.vacant.push(place);
        }
    }
}
