//! The names that scripts may use, and the time for which they may run.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mlua::{Error, Lua, LuaOptions, Result, StdLib, Table, VmState};

/// Calls and turns of loops that a session may make before it waits again: some milliseconds.
const STEPS_MAX: u64 = 1_000_000;
/// Some calls take long by themselves, such as those that make large strings: no turn of a session
/// may last longer than this, whatever it does. A turn that comes near has failed anyway, so the
/// clock does not influence a useful measurement.
const TURN_MAX: Duration = Duration::from_secs(5);
/// The clock is read once in this many steps.
const STEPS_PER_LOOK: u64 = 16;
/// The memory of one interpreter with all its sessions. Tests have less: a slow machine takes
/// longer than `TURN_MAX` to fill all of it.
const MEMORY_MAX: usize = if cfg!(test) { 200 << 20 } else { 2 << 30 };

/// The part of the language that scripts may use. It has no clock, no files, no random numbers, and
/// no coroutines: those are the sessions.
const ALLOWED: &[&str] = &[
    "assert",
    "error",
    "getmetatable",
    "ipairs",
    "next",
    "pairs",
    "pcall",
    "rawequal",
    "rawget",
    "rawlen",
    "rawset",
    "select",
    "setmetatable",
    "tonumber",
    "tostring",
    "type",
    "typeof",
    "unpack",
    "xpcall",
    "_VERSION",
    "bit32",
    "buffer",
    "math",
    "string",
    "table",
    "utf8",
];

/// Counts the steps of the running session, and stops it in time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Budget {
    steps: Rc<Cell<u64>>,
    /// When the turn was first found to be long.
    since: Rc<Cell<Option<Instant>>>,
    /// Whether the turn was stopped.
    spent: Rc<Cell<bool>>,
}

impl Budget {
    /// A session's turn begins.
    pub(crate) fn renew(&self) {
        self.steps.set(0);
        self.since.set(None);
        self.spent.set(false);
    }

    /// Whether the turn was stopped because it had no end.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent.get()
    }

    /// One more step; says why it must be the last, if so.
    fn step(&self) -> Option<String> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps > STEPS_MAX {
            return Some(format!("made {STEPS_MAX} calls or turns of loops without waiting"));
        }
        if !steps.is_multiple_of(STEPS_PER_LOOK) {
            return None;
        }
        #[allow(clippy::disallowed_methods, reason = "a turn without an end must be stopped")]
        let now = Instant::now();
        let since = self.since.get().unwrap_or(now);
        self.since.set(Some(since));
        (now - since > TURN_MAX).then(|| format!("ran for {TURN_MAX:?} without waiting"))
    }
}

/// An interpreter with limits.
pub(crate) fn interpreter() -> Result<(Lua, Budget)> {
    let libraries = StdLib::COROUTINE
        | StdLib::TABLE
        | StdLib::STRING
        | StdLib::UTF8
        | StdLib::BIT
        | StdLib::MATH
        | StdLib::BUFFER;
    let lua = Lua::new_with(libraries, LuaOptions::default())?;
    lua.set_memory_limit(MEMORY_MAX)?;
    let budget = Budget::default();
    let counted = budget.clone();
    lua.set_interrupt(move |_| match counted.step() {
        None => Ok(VmState::Continue),
        Some(why) => {
            counted.spent.set(true);
            Err(Error::runtime(format!("a session {why}: it was stopped")))
        }
    });
    Ok((lua, budget))
}

/// The environment of scripts: read-only, so that sessions cannot communicate through it.
pub(crate) fn environment(lua: &Lua) -> Result<Table> {
    let globals = lua.globals();
    let environment = lua.create_table()?;
    for name in ALLOWED {
        environment.set(*name, globals.get::<mlua::Value>(*name)?)?;
    }
    let math: Table = globals.get("math")?;
    // Draws come from the session's own stream: `client.random`.
    math.set("random", mlua::Value::Nil)?;
    math.set("randomseed", mlua::Value::Nil)?;
    lua.sandbox(true)?;
    environment.set_readonly(true);
    Ok(environment)
}

/// The error, without the interpreter's own additions: `FILE:LINE: message`.
pub(crate) fn words(error: &Error) -> String {
    let text = match error {
        Error::SyntaxError { message, .. } => message.clone(),
        Error::RuntimeError(message) => message.clone(),
        Error::CallbackError { cause, .. } => words(cause),
        other => other.to_string(),
    };
    clean(&text)
}

/// The first line of a message: the rest is a trace of the interpreter.
pub(crate) fn clean(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    first.trim_start_matches("runtime error: ").trim_start_matches("syntax error: ").to_owned()
}
