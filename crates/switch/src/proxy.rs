//! The switch at work: threads that accept connections, until it is stopped.

use std::fs::File;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::{Semaphore, watch};

use crate::accept::{Acceptor, take_connections};
use crate::counters::SwitchTotals;
use crate::dispatcher::Dispatcher;
use crate::forwarder::Forwarder;
use crate::health_checks::Checks;
use crate::log::AccessLog;
use crate::plan::Plan;
use crate::reload::Control;
use crate::server_pool::ServerPool;
use crate::settings::Settings;
use crate::side_thread::SideThread;
use crate::tls::Tls;

/// A switch that is bound to its port and does not forward yet.
#[derive(Debug)]
pub struct Proxy {
    listener: TcpListener,
    dispatcher: Arc<Dispatcher>,
    settings: Settings,
    log: Option<Arc<AccessLog>>,
    tls: Option<Tls>,
    side_thread: SideThread,
}

/// The number of stop checks between two flushes of the access log.
const FLUSH_LOOKS: u32 = 20;

impl Proxy {
    /// Binds to an address; port 0 takes a free one. `log` receives a line for each request; with
    /// `checks` servers have health checks.
    ///
    /// # Errors
    /// If the address is taken or not this machine's.
    pub fn bind(
        plan: Plan,
        address: SocketAddr,
        settings: Settings,
        log: Option<File>,
        checks: Option<Checks>,
    ) -> io::Result<Proxy> {
        let listener = bound(address)?;
        let dispatcher =
            Dispatcher::new(plan, settings, checks.is_some()).map_err(io::Error::other)?;
        let side_thread = SideThread { checks, metrics: None };
        let log = log.map(|file| Arc::new(AccessLog::new(file)));
        Ok(Proxy {
            listener,
            dispatcher: Arc::new(dispatcher),
            settings,
            log,
            tls: None,
            side_thread,
        })
    }

    /// Accepts clients by TLS only.
    #[must_use]
    pub fn with_tls(self, tls: Tls) -> Proxy {
        Proxy { tls: Some(tls), ..self }
    }

    /// Serves metrics at an address, port 0 for a free one; returns the address.
    ///
    /// # Errors
    /// If the address is taken or not this machine's.
    pub fn serve_metrics(&mut self, address: SocketAddr) -> io::Result<SocketAddr> {
        let listener = bound(address)?;
        let address = listener.local_addr()?;
        self.side_thread.metrics = Some(listener);
        Ok(address)
    }

    /// The handle that changes it while it is at work.
    #[must_use]
    pub fn control(&self) -> Control {
        Control { dispatcher: Arc::clone(&self.dispatcher), log: self.log.clone() }
    }

    /// The address on which it listens.
    ///
    /// # Errors
    /// If the operating system does not report it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Forwards until `stop` is set, which is checked twenty times a second, and then until the
    /// requests in progress have ended or their time is over.
    ///
    /// # Errors
    /// If the operating system refuses a necessary call. No error of clients and servers ends the
    /// switch.
    pub fn serve(mut self, stop: &AtomicBool) -> io::Result<SwitchTotals> {
        let log = self.log.take();
        let (dispatcher, settings) = (Arc::clone(&self.dispatcher), self.settings);
        let (side_sender, side_stop) = watch::channel(false);
        let side_thread = std::mem::take(&mut self.side_thread);
        let side_dispatcher = Arc::clone(&dispatcher);
        let side_thread = (!side_thread.is_empty())
            .then(|| spawned(move || side_thread.run(side_dispatcher, side_stop)));
        let side_thread = side_thread.transpose()?;
        let (stop_sender, stop_receiver) = watch::channel(false);
        let forwarder = || Forwarder {
            settings,
            dispatcher: Arc::clone(&dispatcher),
            log: log.clone(),
            pool: ServerPool::new(settings.connect),
            scratch: Mutex::default(),
        };
        let forwarding = self.forward(forwarder, &stop_receiver)?;
        let is_over = || {
            let mut threads = forwarding.iter().chain(&side_thread);
            stop.load(Ordering::Relaxed) || threads.any(JoinHandle::is_finished)
        };
        wait_until(is_over, log.as_deref());
        stop_sender.send_replace(true);
        forwarding.into_iter().try_for_each(joined)?;
        // Metrics are served until nothing is in progress any more.
        side_sender.send_replace(true);
        side_thread.into_iter().try_for_each(joined)?;
        let log_failure = log.and_then(|log| log.failure());
        Ok(SwitchTotals { log_failure, ..dispatcher.totals().summary() })
    }

    /// Starts the forwarding threads.
    fn forward(
        self,
        forwarder: impl Fn() -> Forwarder,
        stop: &watch::Receiver<bool>,
    ) -> io::Result<Vec<Thread>> {
        let room = Arc::new(Semaphore::new(self.settings.connections_max));
        let mut threads = Vec::new();
        for _ in 0..self.settings.threads {
            let acceptor = Acceptor {
                listener: self.listener.try_clone()?,
                forwarder: Arc::new(forwarder()),
                tls: self.tls.clone(),
                room: Arc::clone(&room),
                stop: stop.clone(),
            };
            threads.push(spawned(move || run(acceptor))?);
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

/// Waits until the end, and flushes the log meanwhile.
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
fn run(acceptor: Acceptor) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(take_connections(acceptor))
}
