//! The server's event loop.

use std::io;
use std::net::TcpListener;

use thinktime_core::failure::RESET;
use thinktime_core::policy::dispatch::SelfReport;
use thinktime_core::system::{Departure, JobRef, System, SystemModel};
use thinktime_core::time::Nanos;

use super::connection::Connection;
use super::demands::request_reader;
use super::served_demands::ServedDemands;
use super::totals::{Lateness, ServeTotals};
use crate::poller::{Clock, Poller, Readiness};

pub(super) struct Engine {
    listener: TcpListener,
    poller: Poller,
    pub(super) clock: Clock,
    pub(super) system: System<ServedDemands>,
    pub(super) connections: Vec<Option<Connection>>,
    vacant: Vec<u32>,
    /// Requests in the system, by the job's token.
    pub(super) jobs: Vec<Pending>,
    pub(super) free_jobs: Vec<u64>,
    ready: Vec<Readiness>,
    pub(super) buffer: Vec<u8>,
    /// Connections with more to read.
    pub(super) unread: Vec<u32>,
    /// Connections with more to send.
    pub(super) unsent: Vec<u32>,
    /// Requests that entered the model: they number the streams of drawn demands.
    pub(super) arrivals: u64,
    /// Its response to probes.
    pub(super) report: SelfReport,
    /// Connections that were accepted.
    accepted: u64,
    /// Whether successes report their demands.
    pub(super) server_timing: bool,
    pub(super) served: ServeTotals,
    /// The names of its servers of tokens.
    pub(super) models: Vec<String>,
    /// A buffer of the jobs that were given tokens.
    pub(super) given: Vec<u64>,
    /// The jobs of closed connections, each with the number of its arrival.
    pub(super) left: Vec<(u64, u64)>,
    /// How many of them left the model unfinished.
    pub(super) cancellations: u64,
    /// Of the tokens that were given.
    pub(super) lateness: Lateness,
}

/// A request in the system, with the owner of its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) place: u32,
    pub(super) generation: u64,
    /// The number of the request on its connection.
    pub(super) number: u64,
    /// How many requests it found in the system, and when it came.
    pub(super) found: u32,
    pub(super) since: Nanos,
    /// Its number among the arrivals.
    pub(super) arrival: u64,
    /// Its name in the system, until it has left.
    pub(super) presence: Option<JobRef>,
}

impl Pending {
    /// A request that has come on a connection, and is not in the system yet.
    pub(super) fn new(place: u32, generation: u64, number: u64) -> Pending {
        let (found, since, arrival, presence) = (0, Nanos::ZERO, 0, None);
        Pending { place, generation, number, found, since, arrival, presence }
    }
}

const LISTENER: u64 = u64::MAX;
/// The longest sleep between two checks of `stop`.
const LOOK: Nanos = Nanos(50_000_000);
/// The most events of the model before others have their turn.
const EVENTS_PER_TURN: u32 = 1024;

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
        let mut system = System::new(model, &program, &names, demands, seed);
        // From now on it notes them.
        system.take_tokens(&mut Vec::new());
        Ok(Engine {
            listener,
            poller,
            clock: Clock::start(),
            system,
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
            models: model.token_servers().map(|one| one.name.clone()).collect(),
            given: Vec::new(),
            left: Vec::new(),
            cancellations: 0,
            lateness: Lateness::default(),
        })
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
        self.withdraw_left();
        self.advance(self.clock.now());
        Ok(())
    }

    /// Lets the model catch up with the clock, at most for one turn: tokens leave, and the answers
    /// of ended services.
    pub(super) fn advance(&mut self, now: Nanos) {
        for _ in 0..EVENTS_PER_TURN {
            let at = self.system.next_event();
            if at > now {
                return;
            }
            let departure = self.system.advance();
            if !self.models.is_empty() {
                self.give_tokens(at);
            }
            if let Some(departure) = departure {
                self.depart(now, &departure);
            }
        }
    }

    fn depart(&mut self, now: Nanos, departure: &Departure) {
        // Their times are known by now.
        self.system.take_events(departure);
        let token = departure.job.token;
        let pending = self.jobs[token as usize];
        self.end_job(token, now);
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

    /// A job has left the model: its name is free.
    pub(super) fn end_job(&mut self, token: u64, now: Nanos) {
        let pending = &mut self.jobs[token as usize];
        pending.presence = None;
        self.report.end(pending.found, now.since(pending.since));
        self.free_jobs.push(token);
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
            let reader = match self.models.is_empty() {
                true => request_reader(),
                false => request_reader().keeping_bodies(),
            };
            let connection = Connection::new(stream, reader, self.accepted);
            self.connections[place as usize] = Some(connection);
        }
    }

    fn answer(&mut self, pending: &Pending, status: u16, demand: Option<Nanos>) {
        let Some(connection) = self.connection_of(pending) else { return };
        let at = (pending.number - connection.first) as usize;
        let answer = &mut connection.answers[at];
        (answer.ready, answer.demand) = (Some(status), demand);
        self.write_answers(pending.place);
    }

    /// The request gets no answer: its server has failed.
    pub(super) fn cut_off(&mut self, pending: &Pending) {
        self.served.refused += 1;
        if self.connection_of(pending).is_some() {
            self.close(pending.place);
        }
    }

    /// None if the client has gone; another may have taken its place.
    pub(super) fn connection_of(&mut self, pending: &Pending) -> Option<&mut Connection> {
        let connection = self.connections.get_mut(pending.place as usize)?.as_mut()?;
        (connection.generation == pending.generation).then_some(connection)
    }

    pub(super) fn close(&mut self, place: u32) {
        if let Some(connection) = self.connections[place as usize].take() {
            self.left.extend(connection.answers.iter().filter_map(|answer| answer.job));
            self.vacant.push(place);
        }
    }
}
