//! Long work in a thread of its own, under the watch of Python's thread, which releases the
//! interpreter's lock, shows progress, and turns Ctrl-C into a wish to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// The worker's reports and questions.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    requests: AtomicU64,
    time_ns: AtomicU64,
    in_system: AtomicU64,
    stop: AtomicBool,
}

impl Watch {
    /// Reports the progress of the work; says whether to continue.
    pub(crate) fn report(&self, requests: u64, time_s: f64, in_system: u64) -> bool {
        self.requests.store(requests, Ordering::Relaxed);
        self.time_ns.store((time_s * 1e9) as u64, Ordering::Relaxed);
        self.in_system.store(in_system, Ordering::Relaxed);
        !self.stop.load(Ordering::Relaxed)
    }
}

/// The time between two checks of signals and progress.
const LOOK: Duration = Duration::from_millis(50);

/// Does the work. `progress` is called with (requests, time in seconds, requests in the system).
/// Ctrl-C asks the work to stop and is not raised: the second value says that it came, which may
/// have been too late to stop anything.
///
/// # Errors
/// The exception of `progress`, after the work has stopped.
pub(crate) fn supervise<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<(T, bool)> {
    supervise_and(py, progress, |_| Ok(()), work)
}

/// As [`supervise`]; `more` is called after `progress`, with or without one.
///
/// # Errors
/// The exception of `progress` or `more`, after the work has stopped.
pub(crate) fn supervise_and<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    mut more: impl FnMut(Python<'_>) -> PyResult<()> + Send,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<(T, bool)> {
    let watch = Watch::default();
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            let watch = &watch;
            let worker = scope.spawn(move || sender.send(work(watch)).ok());
            let mut raised = None;
            loop {
                match receiver.recv_timeout(LOOK) {
                    Ok(done) => {
                        let interrupted = watch.stop.load(Ordering::Relaxed);
                        return raised.map_or(Ok((done, interrupted)), Err);
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                        raised = Python::attach(|py| look(py, progress, &mut more, watch)).err();
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
            // The worker ended without a result: it panicked, and so do we.
            match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(_) => unreachable!("a worker that does not panic sends its result"),
            }
        })
    })
}

fn look(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    more: &mut impl FnMut(Python<'_>) -> PyResult<()>,
    watch: &Watch,
) -> PyResult<()> {
    let stop = || watch.stop.store(true, Ordering::Relaxed);
    let interrupted = |error: PyErr| {
        stop();
        if error.is_instance_of::<PyKeyboardInterrupt>(py) { Ok(()) } else { Err(error) }
    };
    if let Err(error) = py.check_signals() {
        return interrupted(error);
    }
    if let Some(progress) = progress {
        let arguments = (
            watch.requests.load(Ordering::Relaxed),
            watch.time_ns.load(Ordering::Relaxed) as f64 * 1e-9,
            watch.in_system.load(Ordering::Relaxed),
        );
        // A signal may arrive during the call.
        if let Err(error) = progress.call1(py, arguments) {
            return interrupted(error);
        }
    }
    more(py).or_else(interrupted)
}
