//! Clients as programs: straight-line code that says what it wants, waits, and goes on.
//!
//! Where a workload names a program, [`crate::client::Clients`] asks it what each session wants
//! next, instead of drawing requests and think times from laws. A program has no clock and no
//! socket: it is resumed with what has happened, and answers with a [`Action`]. So the same program
//! runs against a real server and on a modelled one. Whoever implements [`Programs`] can be a
//! client: the scripts of `thinktime-script` are, and so is any state machine written in Rust.

mod report;
mod shared;
mod transaction;

use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;

use crate::request::Call;

pub use report::{CheckCount, CheckCounts, Report};
pub use shared::{Shared, SharedAnswer, SharedFailure, SharedOperation, SharedRequest};
pub use transaction::TransactionStep;

use crate::data::DataTable;
use crate::share::Share;
use crate::time::Nanos;

/// Makes the programs of a run: a set of its own for each replication.
pub trait ProgramSource: Debug + Send + Sync {
    /// Programs without a session yet, whose random draws hang on the seed alone, and which may
    /// read these tables.
    fn programs(&self, seed: u64, data: &Arc<[DataTable]>) -> Box<dyn Programs>;

    /// The same for a share of the sessions. Programs that come to an end by themselves are
    /// divided, so that all shares together ask for what one alone would; others need not know.
    fn programs_of_share(
        &self,
        seed: u64,
        data: &Arc<[DataTable]>,
        share: Share,
    ) -> Box<dyn Programs> {
        let _ = share;
        self.programs(seed, data)
    }

    /// All that the programs of this seed ask for, where they come to an end by themselves.
    fn extent(&self, seed: u64) -> Option<Extent> {
        let _ = seed;
        None
    }
}

/// How much programs ask for altogether.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The number of sessions.
    pub sessions: u64,
    /// The number of requests.
    pub requests: u64,
}

/// The programs of the sessions that are alive, each named by its slot: a small number that no
/// other session has at the time, and that is used again after [`Action::End`].
///
/// A session may have children, which do things at the same time as each other, as a browser
/// fetches what a page is made of over several connections. A child has a slot of its own and is a
/// client like any other, but belongs to its parent's session: it counts as none, and its requests
/// are numbered with its parent's. The parent waits until all its children have ended.
pub trait Programs: Debug {
    /// The session of this number begins: gives its first action. `turn` says how often the session
    /// had begun before; only those of a closed model begin again.
    fn begin(&mut self, now: Nanos, slot: usize, session: u64, turn: u32) -> Action;

    /// The session goes on: its think time is over, or its wait, or its request.
    fn resume(&mut self, now: Nanos, slot: usize, event: Event<'_>) -> Action;

    /// A session that asked to [`Action::Wait`] and may go on now; asked until there is none.
    fn woken(&mut self) -> Option<usize>;

    /// The slot of a session that wants one more child; asked until there is none. The parent must
    /// have asked to [`Action::Wait`], and be woken when its last child has ended.
    fn spawned(&mut self) -> Option<usize> {
        None
    }

    /// A child of the session in the slot `parent` begins in a slot of its own.
    fn begin_child(&mut self, now: Nanos, slot: usize, parent: usize) -> Action {
        let _ = (now, slot, parent);
        Action::End
    }

    /// The session ends here, because its request failed for good, as if it had answered with
    /// [`Action::End`]. With a child its parent ends too, when all its children have.
    fn end(&mut self, now: Nanos, slot: usize) {
        let _ = (now, slot);
    }

    /// Variables that all sessions share are kept by the driver from here on, and no longer here.
    /// Said before the first session begins.
    fn share_outside(&mut self) {}

    /// What a session wants of shared variables that the driver keeps; asked until there is
    /// nothing. But for [`SharedOperation::Leave`] the session has asked to [`Action::Wait`], and
    /// goes on when it has been told.
    fn shared_request(&mut self) -> Option<SharedRequest> {
        None
    }

    /// What came of it; the session is resumed next.
    fn answer_shared(&mut self, slot: usize, answer: SharedAnswer) {
        let _ = (slot, answer);
    }

    /// The request that the session's last action was for.
    fn call(&self, slot: usize) -> Option<Rc<Call>>;

    /// The transaction that is the session's request goes on: it has begun, perhaps anew after an
    /// attempt that failed, or its last statement was answered so. Gives what comes next. A
    /// statement that fails ends the attempt, and is not told. Asked by drivers that send
    /// statements; elsewhere the request is answered as a whole.
    fn transact(&mut self, now: Nanos, slot: usize, answer: Option<Reply<'_>>) -> TransactionStep {
        let _ = (now, slot, answer);
        TransactionStep::Rollback
    }

    /// Whether responses' heads and bodies are looked at, so that they must be kept for
    /// [`Event::Answered`].
    fn reads_responses(&self) -> bool {
        false
    }

    /// Whether nobody will ask for a request any more, neither a session that is alive nor one that
    /// is still to begin.
    fn exhausted(&self) -> bool {
        false
    }

    /// Whether no session is to begin any more, because each costs much and none asks for anything.
    fn gives_up(&self) -> bool {
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
    /// To leave; in a closed model it begins again, unless it is a child.
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
    /// Whether the body is only the beginning of what came.
    pub cut: bool,
}

impl Reply<'_> {
    /// The end of an attempt that failed, by this word, or succeeded.
    #[must_use]
    pub fn of(error: Option<&'static str>) -> Reply<'static> {
        Reply { error, ..Reply::default() }
    }
}
