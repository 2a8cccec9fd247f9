//! Serves requests on any thread.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thinktime_core::random::Purpose;
use thinktime_core::system::{DrawnDemands, Job};
use thinktime_core::time::Nanos;

use super::connection::{Connection, ConnectionEvent};
use super::counters::{BurnTotals, Counters};
use super::plan::{BurnPlan, BurnStep};
use super::watch::Watch;
use super::work::{Speed, thread_cpu};
use crate::protocol::http1::Request;
use crate::server::demands::IdentifiedRequest;
use crate::server::server_timing;

/// The state of all threads.
pub(super) struct Engine {
    pub(super) listener: TcpListener,
    pub(super) watch: Watch,
    pub(super) plan: BurnPlan,
    speed: Speed,
    /// Demands for requests that carry none.
    drawn: Mutex<DrawnDemands>,
    /// Requests whose demands were drawn: they number the streams.
    arrivals: AtomicU64,
    /// By the number of their descriptors; nothing while a thread holds the connection.
    connections: Box<[Mutex<Option<Connection>>]>,
    ending: AtomicBool,
    counters: Counters,
}

/// Whether a request can be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Serve,
    /// There is no free thread.
    Refuse,
}

/// Connections with a greater descriptor number are closed at once.
const DESCRIPTORS_MAX: usize = 1 << 16;
/// The pause before new connections if the process has no descriptor left.
const NO_DESCRIPTOR: Duration = Duration::from_millis(10);
/// The interval at which a sleeping thread checks for the server's end.
const LOOK: Nanos = Nanos(50_000_000);

impl Engine {
    pub(super) fn new(listener: TcpListener, plan: BurnPlan, speed: Speed) -> io::Result<Engine> {
        let drawn = DrawnDemands::new(plan.kinds.program(), plan.seed, Purpose::Server);
        Ok(Engine {
            listener,
            watch: Watch::new()?,
            plan,
            speed,
            drawn: Mutex::new(drawn),
            arrivals: AtomicU64::new(0),
            connections: (0..DESCRIPTORS_MAX).map(|_| Mutex::new(None)).collect(),
            ending: AtomicBool::new(false),
            counters: Counters::default(),
        })
    }

    pub(super) fn totals(&self) -> BurnTotals {
        self.counters.total()
    }

    /// Tells all threads to end.
    pub(super) fn end(&self) {
        self.ending.store(true, Ordering::Relaxed);
    }

    pub(super) fn ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }

    /// The calling thread is about to end: counts its CPU time. Not before, since a read of the
    /// clock may end the thread's turn.
    pub(super) fn count_thread(&self) {
        self.counters.thread_ended(thread_cpu());
    }

    /// Accepts the waiting connections.
    pub(super) fn accept(&self) {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => self.admit(stream),
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return,
                    io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted => {}
                    // Else the event would repeat at once, again and again.
                    _ => return std::thread::sleep(NO_DESCRIPTOR),
                },
            }
        }
    }

    fn admit(&self, stream: TcpStream) {
        let token = stream.as_raw_fd() as u64;
        let Some(mut place) = self.place(token) else { return };
        if stream.set_nonblocking(true).is_err() || stream.set_nodelay(true).is_err() {
            return;
        }
        let connection = place.insert(Connection::new(stream));
        if self.watch.add(&connection.stream, token).is_err() {
            *place = None;
        }
    }

    fn place(&self, token: u64) -> Option<MutexGuard<'_, Option<Connection>>> {
        let place = self.connections.get(usize::try_from(token).ok()?)?;
        Some(place.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Serves the request that has arrived on a connection, and arms the connection again.
    /// Pipelined requests follow on the same thread.
    pub(super) fn attend(&self, token: u64, admission: Admission) {
        let Some(mut connection) = self.place(token).and_then(|mut place| place.take()) else {
            return;
        };
        loop {
            match connection.next() {
                ConnectionEvent::Request(request) => {
                    if self.ending() || !self.serve(&mut connection, &request, admission) {
                        return;
                    }
                    if !connection.has_more() {
                        break;
                    }
                }
                ConnectionEvent::Later => break,
                ConnectionEvent::Gone => return,
                ConnectionEvent::Malformed => {
                    self.counters.refused();
                    connection.answer(400, false, false);
                    return;
                }
            }
        }
        let Some(mut place) = self.place(token) else { return };
        let connection = place.insert(connection);
        if self.watch.rearm(&connection.stream, token).is_err() {
            *place = None;
        }
    }

    /// Serves a request; says whether the connection stays.
    fn serve(&self, on: &mut Connection, request: &Request, admission: Admission) -> bool {
        let head_only = request.method == "HEAD";
        let Ok(IdentifiedRequest { kind, own_demands }) = self.plan.kinds.read(request) else {
            self.counters.refused();
            on.answer(400, head_only, false);
            return false;
        };
        if admission == Admission::Refuse {
            self.counters.refused();
            return on.answer(503, head_only, request.keep_alive) && request.keep_alive;
        }
        let demands = own_demands.demands.unwrap_or_else(|| self.draw(kind));
        let Some(demanded) = self.carry_out(kind, &demands) else { return false };
        self.counters.answered(demanded);
        let timing = self.plan.server_timing.then(|| server_timing(demanded));
        let field = timing.as_deref().map(|timing| ("Server-Timing", timing));
        on.answer_with(200, field.as_slice(), head_only, request.keep_alive) && request.keep_alive
    }

    fn draw(&self, kind: u32) -> Vec<Option<Nanos>> {
        let session = self.arrivals.fetch_add(1, Ordering::Relaxed) + 1;
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        drawn.all(&Job { token: 0, session, serial: 0, kind })
    }

    /// Runs a request's steps: gives the CPU time demanded, or nothing if the server ended
    /// meanwhile.
    fn carry_out(&self, kind: u32, demands: &[Option<Nanos>]) -> Option<Nanos> {
        let mut demanded = 0_u64;
        for (step, demand) in self.plan.steps[kind as usize].iter().zip(demands) {
            let Some(demand) = *demand else { continue };
            match step {
                BurnStep::Burn => {
                    demanded = demanded.saturating_add(demand.0);
                    self.speed.burn(demand, || self.ending()).then_some(())?;
                }
                BurnStep::Sleep => self.sleep(demand)?,
            }
        }
        Some(Nanos(demanded))
    }

    fn sleep(&self, mut time: Nanos) -> Option<()> {
        while time > Nanos::ZERO {
            if self.ending() {
                return None;
            }
            let part = time.min(LOOK);
            std::thread::sleep(Duration::from_nanos(part.0));
            time = time.since(part);
        }
        Some(())
    }
}
