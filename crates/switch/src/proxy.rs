//! The switch at work: threads that take connections, until it is stopped.

use std::fs::File;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::{Semaphore, watch};

use crate::accept::{Door, take_connections};
use crate::beside::Beside;
use crate::counts::Switched;
use crate::desk::Desk;
use crate::forward::Lane;
use crate::health::Checks;
use crate::links::Links;
use crate::log::AccessLog;
use crate::plan::Plan;
use crate::reload::Control;
use crate::settings::Settings;
use crate::tls::Tls;

/// A switch that is bound to its port, and does not forward yet.
#[derive(Debug)]
pub struct Proxy {
    listener: TcpListener,
    desk: Arc<Desk>,
    settings: Settings,
    log: Option<Arc<AccessLog>>,
    tls: Option<Tls>,
    beside: Beside,
}

/// How often the lines of the access log are brought to its file, in looks at whether to stop.
const FLUSH_LOOKS: u32 = 20;

impl Proxy {
    /// Binds to an address; port 0 takes a free one. To `log` a line is added for each request;
    /// with `checks` servers are asked how they are.
    ///
    /// # Errors
    /// When the address is taken or not this machine's.
    pub fn bind(
        plan: Plan,
        address: SocketAddr,
        settings: Settings,
        log: Option<File>,
        checks: Option<Checks>,
    ) -> io::Result<Proxy> {
        let listener = bound(address)?;
        let desk = Desk::new(plan, settings, checks.is_some()).map_err(io::Error::other)?;
        let beside = Beside { checks, metrics: None };
        let log = log.map(|file| Arc::new(AccessLog::new(file)));
        Ok(Proxy { listener, desk: Arc::new(desk), settings, log, tls: None, beside })
    }

    /// Takes clients by TLS only.
    #[must_use]
    pub fn with_tls(self, tls: Tls) -> Proxy {
        Proxy { tls: Some(tls), ..self }
    }

    /// Tells metrics at an address, port 0 for a free one; says which.
    ///
    /// # Errors
    /// When the address is taken or not this machine's.
    pub fn tell_metrics(&mut self, address: SocketAddr) -> io::Result<SocketAddr> {
        let listener = bound(address)?;
        let address = listener.local_addr()?;
        self.beside.metrics = Some(listener);
        Ok(address)
    }

    /// What changes it while it is at work.
    #[must_use]
    pub fn control(&self) -> Control {
        Control { desk: Arc::clone(&self.desk), log: self.log.clone() }
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the operating system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Forwards until `stop` is set, which is looked at twenty times a second, and then until what
    /// is in progress has ended or may take no longer.
    ///
    /// # Errors
    /// When the operating system refuses what the switch needs. What clients and servers do wrong
    /// never ends it.
    pub fn serve(mut self, stop: &AtomicBool) -> io::Result<Switched> {
        let log = self.log.take();
        let (desk, settings) = (Arc::clone(&self.desk), self.settings);
        let (tell_beside, told) = watch::channel(false);
        let beside = std::mem::take(&mut self.beside);
        let asked = Arc::clone(&desk);
        let beside = (!beside.is_nothing()).then(|| spawned(move || beside.run(asked, told)));
        let beside = beside.transpose()?;
        let (tell, told) = watch::channel(false);
        let lane = || Lane {
            settings,
            desk: Arc::clone(&desk),
            log: log.clone(),
            links: Links::new(settings.connect),
            scratch: Mutex::default(),
        };
        let forwarding = self.forward(lane, &told)?;
        let is_over = || {
            let mut threads = forwarding.iter().chain(&beside);
            stop.load(Ordering::Relaxed) || threads.any(JoinHandle::is_finished)
        };
        wait_until(is_over, log.as_deref());
        tell.send_replace(true);
        forwarding.into_iter().try_for_each(joined)?;
        // Metrics are told until nothing is in progress any more.
        tell_beside.send_replace(true);
        beside.into_iter().try_for_each(joined)?;
        let log_failure = log.and_then(|log| log.failure());
        Ok(Switched { log_failure, ..desk.ledger().done() })
    }

    /// Starts the threads that forward.
    fn forward(
        self,
        lane: impl Fn() -> Lane,
        told: &watch::Receiver<bool>,
    ) -> io::Result<Vec<Thread>> {
        let room = Arc::new(Semaphore::new(self.settings.connections_max));
        let mut threads = Vec::new();
        for _ in 0..self.settings.threads {
            let door = Door {
                listener: self.listener.try_clone()?,
                lane: Arc::new(lane()),
                tls: self.tls.clone(),
                room: Arc::clone(&room),
                stop: told.clone(),
            };
            threads.push(spawned(move || run(door))?);
        }
        Ok(threads)
    }
}

type Thread = JoinHandle<io::Result<()>>;

fn spawned(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<Thread> {
    std::thread::Builder::new().name("thinktime-switch".to_owned()).spawn(work)
}

fn joined(thread: Thread) -> io::Result<()> {
    thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread of the switch panicked")))
}

fn bound(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Waits until it is over, and brings the log to its file meanwhile.
fn wait_until(is_over: impl Fn() -> bool, log: Option<&AccessLog>) {
    let mut looks = 0;
    while !is_over() {
        std::thread::sleep(Duration::from_millis(50));
        looks += 1;
        if looks % FLUSH_LOOKS == 0 {
            log.iter().for_each(|log| log.flush());
        }
    }
}

/// One thread's work.
fn run(door: Door) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(take_connections(door))
}
