//! Clients as programs: straight-line code that says what it wants, waits, and goes on.
//!
//! Where a workload names a program, [`crate::client::Clients`] asks it what each session wants
//! next, instead of drawing requests and think times from laws. A program has no clock and no
//! socket: it is resumed with what has happened, and answers with a [`Action`]. So the same program
//! runs against a real server and on a modelled one. Whoever implements [`Programs`] can be a
//! client: the scripts of `thinktime-script` are, and so is any state machine written in Rust.

mod report;

use std::fmt::Debug;
use std::rc::Rc;

pub use report::{CheckCount, Report};

use crate::time::Nanos;
use crate::workload::Method;

/// Makes the programs of a run: a set of its own for each replication.
pub trait ProgramSource: Debug + Send + Sync {
    /// Programs without a session yet, whose random draws hang on the seed alone.
    fn programs(&self, seed: u64) -> Box<dyn Programs>;
}

/// The programs of the sessions that are alive, each named by its slot: a small number that no
/// other session has at the time, and that is used again after [`Action::End`].
pub trait Programs: Debug {
    /// The session of this number begins: gives its first action. `turn` says how often the session
    /// had begun before; only those of a closed model begin again.
    fn begin(&mut self, now: Nanos, slot: usize, session: u64, turn: u32) -> Action;

    /// The session goes on: its think time is over, or its wait, or its request.
    fn resume(&mut self, now: Nanos, slot: usize, event: Event<'_>) -> Action;

    /// A session that asked to [`Action::Wait`] and may go on now; asked until there is none.
    fn woken(&mut self) -> Option<usize>;

    /// The request that the session's last action was for.
    fn call(&self, slot: usize) -> Option<Rc<Call>>;

    /// Whether responses' heads and bodies are looked at, so that they must be kept for
    /// [`Event::Answered`].
    fn reads_responses(&self) -> bool {
        false
    }

    /// What the programs found out: checks, metrics, errors.
    fn report(&self) -> Report;
}

/// What a session wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// To send a request of this kind: a place in the workload's list.
    Request(u32),
    /// To go on after this time.
    Think(Nanos),
    /// To go on when [`Programs::woken`] names it.
    Wait,
    /// To leave; in a closed model it begins again.
    End,
}

/// Why a session goes on.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The time has passed, or the wait is over.
    Waited,
    /// The request is over.
    Answered(Reply<'a>),
}

/// The end of a request, as a program sees it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reply<'a> {
    /// What went wrong, as a short fixed word; nothing for a success.
    pub error: Option<&'static str>,
    /// The protocol's status; 0 where there is none.
    pub status: u16,
    /// From the scheduled time on.
    pub response_time: Nanos,
    /// The head as it came, and the body; empty where nobody kept them, or there are none.
    pub head: &'a [u8],
    /// The body.
    pub body: &'a [u8],
}

impl Reply<'_> {
    /// The end of an attempt that failed, by this word, or succeeded.
    #[must_use]
    pub fn of(error: Option<&'static str>) -> Reply<'static> {
        Reply { error, ..Reply::default() }
    }
}

/// A request as a program wants it sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The method.
    pub method: Method,
    /// The target; begins with a slash.
    pub target: String,
    /// Further header fields.
    pub headers: Vec<(String, String)>,
    /// The body; empty for none.
    pub body: Vec<u8>,
}
