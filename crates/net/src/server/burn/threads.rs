//! The threads that serve requests.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, Builder};

use rustix::event::{EventfdFlags, eventfd};
use rustix::time::Timespec;

use super::engine::{Admission, Engine};
use super::plan::Threads;
use super::watch::Watch;

/// The stack of a thread, in bytes.
const STACK: usize = 128 << 10;
/// The token of the listener, and of the event that ends the threads of a pool: no descriptor.
const OTHER: u64 = u64::MAX;
/// The longest wait between two checks of `stop`. Each check takes a core from a burning thread.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };

/// Serves until `stop` is set; returns when all threads have ended.
pub(super) fn serve(engine: &Engine, stop: &AtomicBool) -> io::Result<()> {
    let served = match engine.plan.threads() {
        Threads::PerRequest => per_request(engine, stop),
        Threads::Pool(size) => pool(engine, size, stop),
    };
    engine.count_thread();
    served
}

/// Waits for all connections, and starts a thread for each arriving request.
fn per_request(engine: &Engine, stop: &AtomicBool) -> io::Result<()> {
    let (running, most) = (&AtomicU32::new(0), engine.plan.threads_max());
    engine.watch.add_lasting(&engine.listener, OTHER)?;
    thread::scope(|scope| {
        let serve_in_thread = |token: u64| {
            let thread = move || {
                engine.attend(token, Admission::Serve);
                engine.count_thread();
                running.fetch_sub(1, Ordering::Relaxed);
            };
            let start = || Builder::new().stack_size(STACK).spawn_scoped(scope, thread);
            if running.fetch_add(1, Ordering::Relaxed) < most && start().is_ok() {
                return;
            }
            running.fetch_sub(1, Ordering::Relaxed);
            engine.attend(token, Admission::Refuse);
        };
        let ended = until(stop, || {
            match engine.watch.wait(Some(&LOOK))? {
                Some(OTHER) => engine.accept(),
                Some(token) => serve_in_thread(token),
                None => {}
            }
            Ok(())
        });
        engine.end();
        ended
    })
}

/// Starts the threads of a pool, which wait for connections themselves, and accepts new connections
/// meanwhile.
fn pool(engine: &Engine, size: u32, stop: &AtomicBool) -> io::Result<()> {
    let doors = Watch::new()?;
    doors.add_lasting(&engine.listener, OTHER)?;
    let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
    engine.watch.add_lasting(&bell, OTHER)?;
    thread::scope(|scope| {
        let started = (1..=size).try_for_each(|number| {
            let run = || member(engine);
            let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, run);
            thread.map(drop).map_err(|error| {
                io::Error::other(format!("cannot start thread {number} of {size}: {error}"))
            })
        });
        let ended = started.and_then(|()| {
            until(stop, || {
                if doors.wait(Some(&LOOK))?.is_some() {
                    engine.accept();
                }
                Ok(())
            })
        });
        engine.end();
        // One write wakes all, since nobody reads it.
        rustix::io::write(&bell, &1_u64.to_ne_bytes())?;
        ended
    })
}

/// A thread of a pool: the kernel wakes it with one connection at a time.
fn member(engine: &Engine) {
    while !engine.ending() {
        match engine.watch.wait(None) {
            Ok(Some(OTHER) | None) => {}
            Ok(Some(token)) => engine.attend(token, Admission::Serve),
            // The descriptor is valid while the engine lives: no other error is possible.
            Err(_) => break,
        }
    }
    engine.count_thread();
}

fn until(stop: &AtomicBool, mut turn: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    while !stop.load(Ordering::Relaxed) {
        turn()?;
    }
    Ok(())
}
