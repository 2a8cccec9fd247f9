//! The sorts of sessions: the less they can do, the less a request costs.

use thinktime_core::attempt::{Attempt, Fate, Ticket};
use thinktime_core::client::{AttemptEnd, ClientAction, Clients};
use thinktime_core::program::Reply;
use thinktime_core::system::{Departure, Job};
use thinktime_core::time::Nanos;

/// The part of a modelled system's response that programs see.
const OK: u16 = 200;

/// How clients act whose sessions are of one sort.
pub(super) trait Sessions {
    /// Whether they may load pages.
    const BROWSE: bool = false;

    /// When the clients next act; [`Nanos::MAX`] if only answers can move them.
    fn next_wake(clients: &Clients) -> Nanos;

    /// Carries out the action that is due at [`Sessions::next_wake`].
    fn wake(clients: &mut Clients) -> ClientAction;

    /// The word by which the system's job names its attempt.
    fn token(attempt: &Attempt) -> u64;

    /// Passes an answer to the client, unless it had given up.
    fn answer(clients: &mut Clients, departure: &Departure) -> Option<AttemptEnd>;

    /// As [`Sessions::answer`], as soon as the attempt is sent: the answer lies ahead.
    #[inline(always)]
    fn answer_ahead(
        clients: &mut Clients,
        _attempt: &Attempt,
        departure: &Departure,
    ) -> Option<AttemptEnd> {
        Self::answer(clients, departure)
    }
}

/// Sessions with a single request and without memory: only the system's jobs know of attempts.
pub(super) struct OneShot;

/// Sessions that send, learn the answer at once, and think.
pub(super) struct Prompt;

/// All that sessions can do.
pub(super) struct Full;

/// The sort of a workload's sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    OneShot,
    Prompt,
    Full,
}

impl Sort {
    /// The plainest sort that the clients are of; `ahead` if all answers are known on arrival.
    pub(super) fn of(clients: &Clients, ahead: bool) -> Sort {
        match (clients.one_shot(), ahead && clients.takes_prompt_answers()) {
            (true, _) => Sort::OneShot,
            (false, true) => Sort::Prompt,
            (false, false) => Sort::Full,
        }
    }
}

impl Sessions for OneShot {
    #[inline(always)]
    fn next_wake(clients: &Clients) -> Nanos {
        clients.next_one_shot()
    }

    #[inline(always)]
    fn wake(clients: &mut Clients) -> ClientAction {
        let Some(attempt) = clients.wake_one_shot() else { return ClientAction::Idle };
        clients.await_one_shot();
        ClientAction::Send(attempt)
    }

    #[inline(always)]
    fn token(attempt: &Attempt) -> u64 {
        attempt.due.0
    }

    #[inline(always)]
    fn answer(clients: &mut Clients, departure: &Departure) -> Option<AttemptEnd> {
        clients.end_one_shot();
        Some(over(only_attempt(&departure.job)))
    }
}

impl Sessions for Prompt {
    #[inline(always)]
    fn next_wake(clients: &Clients) -> Nanos {
        clients.next_wake()
    }

    #[inline(always)]
    fn wake(clients: &mut Clients) -> ClientAction {
        clients.wake_promptly().map_or(ClientAction::Idle, ClientAction::Send)
    }

    #[inline(always)]
    fn token(attempt: &Attempt) -> u64 {
        attempt.due.0
    }

    fn answer(_clients: &mut Clients, _departure: &Departure) -> Option<AttemptEnd> {
        unreachable!("all answers are known ahead")
    }

    #[inline(always)]
    fn answer_ahead(
        clients: &mut Clients,
        attempt: &Attempt,
        departure: &Departure,
    ) -> Option<AttemptEnd> {
        clients.take_answer(departure.at, attempt);
        Some(over(*attempt))
    }
}

impl Sessions for Full {
    const BROWSE: bool = true;

    #[inline(always)]
    fn next_wake(clients: &Clients) -> Nanos {
        clients.next_wake()
    }

    #[inline(always)]
    fn wake(clients: &mut Clients) -> ClientAction {
        clients.wake()
    }

    #[inline(always)]
    fn token(attempt: &Attempt) -> u64 {
        attempt.ticket.to_word()
    }

    #[inline(always)]
    fn answer(clients: &mut Clients, departure: &Departure) -> Option<AttemptEnd> {
        let ticket = Ticket::from_word(departure.job.token);
        let reply = Reply { status: OK, ..Reply::of(departure.error) };
        clients.answer(departure.at, ticket, reply)
    }
}

#[inline(always)]
fn over(attempt: Attempt) -> AttemptEnd {
    AttemptEnd { attempt, fate: Fate::Over, late: false }
}

/// The attempt of a session with a single request, which exists only as the job.
#[inline(always)]
pub(super) fn only_attempt(job: &Job) -> Attempt {
    Attempt { kind: job.kind, ..Attempt::only(job.session, Nanos(job.token)) }
}
