//! Clients as programs: straight-line code that asks for something, waits and continues.
//!
//! If a workload names a program, [`crate::client::Clients`] asks it for each session's next
//! action, instead of drawing requests and think times from laws. A program has no clock and no
//! socket: the driver resumes it with an event, and it answers with an [`Action`]. So the same
//! program runs against a real server and a modelled one. Any type that implements [`Programs`] can
//! be a client: the scripts of `thinktime-script` do, and so can any state machine written in Rust.

mod report;
mod shared;
mod transaction;

use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;

use thinktime_file::time::Nanos;

use crate::request::Call;

pub use report::{CheckCount, CheckCounts, Report};
pub use shared::{Shared, SharedAnswer, SharedFailure, SharedOperation, SharedRequest};
pub use transaction::TransactionStep;

use crate::data::DataTable;
use crate::share::Share;

/// Makes the programs of a run: a set of its own for each replication.
pub trait ProgramSource: Debug + Send + Sync {
    /// Programs without a session yet. Their random draws depend on the seed alone, and they may
    /// read these tables.
    fn programs(&self, seed: u64, data: &Arc<[DataTable]>) -> Box<dyn Programs>;

    /// The same for a share of the sessions. Programs that end by themselves are divided, so that
    /// all shares together send the requests of an undivided one; others may ignore the share.
    fn programs_of_share(
        &self,
        seed: u64,
        data: &Arc<[DataTable]>,
        share: Share,
    ) -> Box<dyn Programs> {
        let _ = share;
        self.programs(seed, data)
    }

    /// The total that the programs of this seed ask for, if they end by themselves.
    fn extent(&self, seed: u64) -> Option<Extent> {
        let _ = seed;
        None
    }
}

/// The total that programs ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The number of sessions.
    pub sessions: u64,
    /// The number of requests.
    pub requests: u64,
}

/// The programs of the live sessions. A slot names each: a small number that no other live session
/// has, reused after [`Action::End`].
///
/// A session may have children that act at the same time, as a browser fetches the parts of a page
/// over several connections. A child has a slot of its own and is a client like any other, but
/// belongs to its parent's session: it does not count as a session, and its requests are numbered
/// with its parent's. The parent waits until all its children have ended.
pub trait Programs: Debug {
    /// The session of this number begins and gives its first action. `turn` is the number of times
    /// that it began before; only sessions of a closed model begin again.
    fn begin(&mut self, now: Nanos, slot: usize, session: u64, turn: u32) -> Action;

    /// The session continues: its think time, its wait or its request is over.
    fn resume(&mut self, now: Nanos, slot: usize, event: Event<'_>) -> Action;

    /// A session that asked to [`Action::Wait`] and may continue now. The driver asks until it gets
    /// `None`.
    fn woken(&mut self) -> Option<usize>;

    /// The slot of a session that wants one more child. The driver asks until it gets `None`. The
    /// parent must have asked to [`Action::Wait`], and be woken when its last child has ended.
    fn spawned(&mut self) -> Option<usize> {
        None
    }

    /// A child of the session in the slot `parent` begins in a slot of its own.
    fn begin_child(&mut self, now: Nanos, slot: usize, parent: usize) -> Action {
        let _ = (now, slot, parent);
        Action::End
    }

    /// The session ends here because its request failed for good, as if it had answered with
    /// [`Action::End`]. If it is a child, its parent ends too, once all the parent's children have
    /// ended.
    fn end(&mut self, now: Nanos, slot: usize) {
        let _ = (now, slot);
    }

    /// From here on the driver keeps the variables that all sessions share. Called before the first
    /// session begins.
    fn share_outside(&mut self) {}

    /// A session's next request for shared variables that the driver keeps. The driver asks until
    /// it gets `None`. Except for [`SharedOperation::Leave`], the session has asked to
    /// [`Action::Wait`], and continues when it has the answer.
    fn shared_request(&mut self) -> Option<SharedRequest> {
        None
    }

    /// The answer to it; the session is resumed next.
    fn answer_shared(&mut self, slot: usize, answer: SharedAnswer) {
        let _ = (slot, answer);
    }

    /// The request of the session's last action.
    fn call(&self, slot: usize) -> Option<Rc<Call>>;

    /// The transaction of the session's request continues: it has begun, perhaps again after a
    /// failed attempt, or its last statement has this answer. Gives the next step. A statement that
    /// fails ends the attempt and is not reported. Only drivers that send statements call this;
    /// elsewhere the request is answered as a whole.
    fn transact(&mut self, now: Nanos, slot: usize, answer: Option<Reply<'_>>) -> TransactionStep {
        let _ = (now, slot, answer);
        TransactionStep::Rollback
    }

    /// Whether programs read the heads and bodies of responses, so that [`Event::Answered`] must
    /// keep them.
    fn reads_responses(&self) -> bool {
        false
    }

    /// Whether no session, live or still to begin, will ask for a request any more.
    fn exhausted(&self) -> bool {
        false
    }

    /// Whether no further session is to begin, because each is costly and none sends a request.
    fn gives_up(&self) -> bool {
        false
    }

    /// The findings of the programs: checks, metrics, errors.
    fn report(&self) -> Report;
}

/// A session's next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// To send a request of this kind: a place in the workload's list.
    Request(u32),
    /// Continue after this time.
    Think(Nanos),
    /// Continue when [`Programs::woken`] names the session.
    Wait,
    /// Leave; in a closed model the session begins again, unless it is a child.
    End,
}

/// The reason why a session continues.
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
    /// The error, as a short fixed word; `None` for a success.
    pub error: Option<&'static str>,
    /// The protocol's status; 0 if it has none.
    pub status: u16,
    /// Since the scheduled time.
    pub response_time: Nanos,
    /// The head as received, and the body; empty if they do not exist or were not kept.
    pub head: &'a [u8],
    /// The body.
    pub body: &'a [u8],
    /// Whether the body is only the beginning of the received one.
    pub cut: bool,
}

impl Reply<'_> {
    /// The end of an attempt: it failed with this word, or succeeded.
    #[must_use]
    pub fn of(error: Option<&'static str>) -> Reply<'static> {
        Reply { error, ..Reply::default() }
    }
}
