//! The bytes sent and received over the connection.

use thinktime_core::program::{SharedAnswer, SharedFailure};
use thinktime_core::time::Nanos;

use super::{Call, ConnectionLost, Member, Purpose, Reply, ScriptReply, State, commands, resp};
use crate::generator::shared::commands::SCRIPT;

impl Member {
    /// Announces this member to the server, so that everything continues: the call `join`.
    pub(in super::super) fn join(&mut self) -> Vec<Vec<u8>> {
        self.link += 1;
        let mut parts = vec![b"EVAL".to_vec(), SCRIPT.into()];
        parts.extend(self.head(0, 0));
        parts.extend([b"join".to_vec(), self.done.to_string().into()]);
        for (ticket, lock) in &self.locks {
            parts.extend([lock.name.clone().into_bytes(), self.encoded(*ticket)]);
        }
        // Locks are given back by their own call, and not before.
        let unlocks = self.unsent.iter().filter(|call| matches!(call.purpose, Purpose::Unlock(_)));
        parts.extend(unlocks.flat_map(|call| call.words[1..].iter().cloned()));
        parts
    }

    /// The beginning of every call of the script; all calls below `low` are answered.
    fn head(&self, number: u64, low: u64) -> [Vec<u8>; 7] {
        let micros = self.settings.lease.0 / 1000;
        [
            b"1".to_vec(),
            self.settings.run.clone().into_bytes(),
            self.settings.member.clone().into_bytes(),
            self.link.to_string().into_bytes(),
            number.to_string().into_bytes(),
            low.to_string().into_bytes(),
            micros.to_string().into_bytes(),
        ]
    }

    /// The server knows the member and has this script; it may have lost its state.
    pub(in super::super) fn accept_join(&mut self, now: Nanos, script: Vec<u8>, forgotten: bool) {
        self.script = Some(script);
        self.forgotten += u64::from(forgotten);
        self.next_beat = now + self.beat();
        let waiting = self.locks.iter().filter(|(_, lock)| lock.state != State::Held);
        let waiting: Vec<u64> = waiting.map(|(ticket, _)| *ticket).collect();
        for ticket in waiting {
            self.ask_for(now, ticket);
        }
    }

    /// The connection is lost; nothing arrived on it since then.
    pub(in super::super) fn disconnected(&mut self, since: Nanos) {
        if self.script.take().is_some() {
            self.down_since = since;
        }
        let again = |call: &Call| match call.purpose {
            // The next `join` reports these.
            Purpose::Lock(_) | Purpose::Silent => false,
            Purpose::Get(slot) | Purpose::Tell(slot) | Purpose::Unlock(slot) => {
                self.asking.get(&slot) == Some(&call.id)
            }
        };
        let calls = self.sent.drain(..).chain(self.unsent.drain(..));
        self.unsent = calls.filter(again).collect();
    }

    /// Appends the waiting bytes.
    pub(in super::super) fn write(&mut self, now: Nanos, out: &mut Vec<u8>) {
        let Some(script) = self.script.clone().filter(|_| !self.unsent.is_empty()) else { return };
        let numbered = self.sent.iter().chain(&self.unsent).find(|call| !call.is_get());
        let low = numbered.map_or(0, |call| call.number);
        while let Some(call) = self.unsent.front() {
            let own = call.words.iter().map(Vec::as_slice);
            if call.is_get() {
                resp::write(out, &own.collect::<Vec<_>>());
            } else {
                let head = self.head(call.number, low);
                let begin = [b"EVALSHA".as_slice(), &script];
                let parts = begin.into_iter().chain(head.iter().map(Vec::as_slice)).chain(own);
                resp::write(out, &parts.collect::<Vec<_>>());
            }
            if let Some(call) = self.unsent.pop_front() {
                self.sent.push_back(Call { sent: now, ..call });
            }
        }
    }

    /// Takes received bytes.
    pub(in super::super) fn take(&mut self, reply: Reply) -> Result<(), ConnectionLost> {
        if let Reply::Push(parts) = &reply {
            if let Some((ticket, token)) = commands::granted(&self.settings.member, parts) {
                self.granted(ticket, token, State::Waiting);
            }
            return Ok(());
        }
        let call = self.sent.pop_front().ok_or(ConnectionLost)?;
        if let Reply::Error(why) = &reply {
            if why.starts_with("NOSCRIPT") || why.starts_with("LOADING") {
                self.sent.push_front(call);
                return Err(ConnectionLost);
            }
            self.refused(&call, why);
            return Ok(());
        }
        let answer = match (call.purpose, reply) {
            (Purpose::Get(_), Reply::Null) => SharedAnswer::Value(None),
            (Purpose::Get(_), Reply::Bytes(bytes)) => SharedAnswer::Value(commands::value(&bytes)),
            (Purpose::Get(_), _) => return Err(ConnectionLost),
            (_, reply) => match commands::script_reply(&reply) {
                ScriptReply::Answer(answer) => answer,
                ScriptReply::Waits => {
                    self.done = call.number;
                    self.waits(call.purpose);
                    return Ok(());
                }
                ScriptReply::Joined(_) | ScriptReply::Nonsense => {
                    self.sent.push_front(call);
                    return Err(ConnectionLost);
                }
            },
        };
        if !call.is_get() {
            self.done = call.number;
        }
        self.pass_answer(&call, answer);
        Ok(())
    }

    fn pass_answer(&mut self, call: &Call, answer: SharedAnswer) {
        match (call.purpose, answer) {
            (Purpose::Lock(ticket), SharedAnswer::Token(token)) => {
                self.granted(ticket, token, State::Asking);
            }
            (Purpose::Lock(_) | Purpose::Silent, _) => {}
            (Purpose::Get(slot) | Purpose::Tell(slot) | Purpose::Unlock(slot), answer) => {
                self.deliver(slot, call.id, answer);
            }
        }
    }

    /// The server refuses, with a reason.
    fn refused(&mut self, call: &Call, why: &str) {
        let why = SharedFailure::Unavailable(format!("{} ({why})", self.settings.refuses));
        match call.purpose {
            Purpose::Lock(ticket) => {
                let waits = self.locks.get(&ticket).filter(|lock| lock.state != State::Held);
                if let Some(slot) = waits.map(|lock| lock.slot) {
                    self.forget(ticket);
                    self.fail(slot, why);
                }
            }
            Purpose::Silent => {}
            Purpose::Get(slot) | Purpose::Tell(slot) | Purpose::Unlock(slot) => {
                self.deliver(slot, call.id, SharedAnswer::Failed(why));
            }
        }
    }

    fn waits(&mut self, purpose: Purpose) {
        if let Purpose::Lock(ticket) = purpose
            && let Some(lock) = self.locks.get_mut(&ticket)
            && lock.state == State::Asking
        {
            lock.state = State::Waiting;
        }
    }

    /// A ticket now has its lock. If it was withdrawn meanwhile, this gives the lock back.
    fn granted(&mut self, ticket: u64, token: u64, by: State) {
        let Some(lock) = self.locks.get_mut(&ticket) else { return };
        // If a request for it is under way, its response comes next and says the same.
        if lock.state == State::Held || (lock.state == State::Asking && by == State::Waiting) {
            return;
        }
        lock.state = State::Held;
        let slot = lock.slot;
        self.answers.push_back((slot, SharedAnswer::Token(token)));
    }

    pub(super) fn deliver(&mut self, slot: usize, id: u64, answer: SharedAnswer) {
        if self.asking.get(&slot) == Some(&id) {
            self.asking.remove(&slot);
            self.answers.push_back((slot, answer));
        }
    }
}

impl Call {
    pub(super) fn is_get(&self) -> bool {
        matches!(self.purpose, Purpose::Get(_))
    }
}
