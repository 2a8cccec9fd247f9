//! The switch at work: threads that take connections, until it is stopped.

use std::fs::File;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::{Semaphore, watch};

use crate::accept::{Door, take_connections};
use crate::counts::{Counts, Switched};
use crate::desk::Desk;
use crate::forward::Lane;
use crate::link::Links;
use crate::log::AccessLog;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::tls::Tls;

/// A switch that is bound to its port, and does not forward yet.
#[derive(Debug)]
pub struct Proxy {
    listener: TcpListener,
    plan: Arc<Plan>,
    settings: Settings,
    log: Option<File>,
    tls: Option<Tls>,
}

/// How often the lines of the access log are brought to its file, in looks at whether to stop.
const FLUSH_LOOKS: u32 = 20;

impl Proxy {
    /// Binds to an address; port 0 takes a free one. To `log` a line is added for each request.
    ///
    /// # Errors
    /// When the address is taken or not this machine's.
    pub fn bind(
        plan: Plan,
        address: SocketAddr,
        settings: Settings,
        log: Option<File>,
    ) -> io::Result<Proxy> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Proxy { listener, plan: Arc::new(plan), settings, log, tls: None })
    }

    /// Takes clients by TLS only.
    #[must_use]
    pub fn with_tls(self, tls: Tls) -> Proxy {
        Proxy { tls: Some(tls), ..self }
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
    pub fn serve(self, stop: &AtomicBool) -> io::Result<Switched> {
        let Proxy { listener, plan, settings, log, tls } = self;
        let log = log.map(|file| Arc::new(AccessLog::new(file)));
        let desk = Arc::new(Desk::new(&plan, settings).map_err(io::Error::other)?);
        let counts = Arc::new(Counts::new(plan.servers.len()));
        let room = Arc::new(Semaphore::new(settings.connections_max));
        let (tell, told) = watch::channel(false);
        let mut threads = Vec::new();
        for _ in 0..settings.threads {
            let addresses = plan.servers.iter().map(|one| one.address).collect();
            let lane = Lane {
                plan: Arc::clone(&plan),
                settings,
                desk: Arc::clone(&desk),
                counts: Arc::clone(&counts),
                log: log.clone(),
                links: Links::new(addresses, settings.connect),
            };
            let door = Door {
                listener: listener.try_clone()?,
                lane: Arc::new(lane),
                tls: tls.clone(),
                room: Arc::clone(&room),
                stop: told.clone(),
            };
            let thread = std::thread::Builder::new().name("thinktime-switch".to_owned());
            threads.push(thread.spawn(move || run(door))?);
        }
        drop(listener);
        let is_over =
            || stop.load(Ordering::Relaxed) || threads.iter().any(JoinHandle::is_finished);
        wait_until(is_over, log.as_deref());
        tell.send_replace(true);
        for thread in threads {
            let ended = thread.join();
            ended.map_err(|_| io::Error::other("a thread of the switch panicked"))??;
        }
        let log_failure = log.and_then(|log| log.failure());
        Ok(Switched { log_failure, ..counts.now() })
    }
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
