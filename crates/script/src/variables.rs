//! The scripts' view of the variables and locks that all clients share.

use mlua::{Lua, Result, Value};
use thinktime_core::program::{Shared, SharedAnswer, SharedOperation};

use crate::answer::Answer;
use crate::function_factory::FunctionFactory;
use crate::host::Host;
use crate::shared::{LockGrant, Outcome};

/// A value, an error, and whether the session must wait for either.
type SharedReturn = (Value, Value, bool);

impl Host {
    /// The request of the session whose turn it is for the variable or lock `name`.
    fn share(
        &mut self,
        lua: &Lua,
        name: &str,
        operation: SharedOperation,
    ) -> Result<Answer<SharedReturn>> {
        let slot = self.slot;
        self.session().shares = true;
        let (outcome, granted) = self.shared.ask(slot, operation);
        self.wake_granted(granted);
        match outcome {
            Outcome::Is(answer) => shared_return(lua, name, answer),
            Outcome::Waits => Ok(Ok((Value::Nil, Value::Nil, true))),
        }
    }

    /// The session in this slot has left, or a child has finished a function.
    pub(crate) fn return_answer(&mut self, slot: usize) {
        if std::mem::take(&mut self.sessions[slot].shares) {
            let granted = self.shared.leave(slot);
            self.wake_granted(granted);
        }
    }

    fn wake_granted(&mut self, granted: LockGrant) {
        for (slot, token) in granted {
            self.sessions[slot].shared_return = Some(SharedAnswer::Token(token));
            self.woken.push_back(slot);
        }
    }
}

/// An answer as the prelude takes it.
fn shared_return(lua: &Lua, name: &str, answer: SharedAnswer) -> Result<Answer<SharedReturn>> {
    let value = match answer {
        SharedAnswer::Failed(why) => return Ok(Err(why.words(name))),
        SharedAnswer::Done | SharedAnswer::Value(None) => Value::Nil,
        SharedAnswer::Value(Some(Shared::Flag(flag))) => Value::Boolean(flag),
        SharedAnswer::Value(Some(Shared::Number(number))) => Value::Number(number),
        SharedAnswer::Value(Some(Shared::Text(text))) => Value::String(lua.create_string(&text)?),
        SharedAnswer::Token(token) => Value::Number(token as f64),
    };
    Ok(Ok((value, Value::Nil, false)))
}

/// The functions of `client.shared`.
pub(crate) fn functions(made: &FunctionFactory<'_>) -> Result<()> {
    made.add("shared_get", |lua, host, name: String| {
        host.share(lua, &name, SharedOperation::Get(name.clone()))
    })?;
    made.add("shared_put", |lua, host, (name, value): (String, Value)| {
        let value = match value {
            Value::Nil => None,
            Value::Boolean(flag) => Some(Shared::Flag(flag)),
            Value::Integer(number) => Some(Shared::Number(number as f64)),
            Value::Number(number) => Some(Shared::Number(number)),
            Value::String(text) => Some(Shared::Text(text.as_bytes().to_vec())),
            other => {
                let kind = other.type_name();
                return Ok(Err(format!("a shared variable holds no {kind}: text, numbers, flags")));
            }
        };
        host.share(lua, &name, SharedOperation::Put(name.clone(), value))
    })?;
    made.add("shared_add", |lua, host, (name, amount): (String, f64)| {
        host.share(lua, &name, SharedOperation::Add(name.clone(), amount))
    })?;
    made.add("lock", |lua, host, (name, priority): (String, f64)| {
        host.share(lua, &name, SharedOperation::Lock(name.clone(), priority))
    })?;
    made.add("unlock", |lua, host, name: String| {
        host.share(lua, &name, SharedOperation::Unlock(name.clone()))
    })?;
    made.add("told", |lua, host, name: String| match host.session().shared_return.take() {
        Some(answer) => shared_return(lua, &name, answer),
        None => Ok(Ok((Value::Nil, Value::Nil, false))),
    })
}
