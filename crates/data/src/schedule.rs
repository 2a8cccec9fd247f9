//! `schedule.json`: which task had which core when, in the Trace Event Format that Perfetto and
//! Chrome's tracing open. A machine is a process there, a core a thread.

use serde::Serialize;
use thinktime_core::system::SystemModel;
use thinktime_core::system::machine::{CoreAssignment, PlacementReason, Schedule, Turn};
use thinktime_core::time::Nanos;

/// An event; times are in microseconds.
#[derive(Debug, Serialize)]
struct Event<'a> {
    name: &'a str,
    ph: &'static str,
    pid: u32,
    tid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    /// An instant belongs to its thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    args: Details<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Details<'a> {
    Name { name: &'a str },
    Turn { task: u64, session: u64 },
    Placed { task: u64, from: Option<u32> },
}

/// The file's text; `None` without turns. `requests` are the names of the kinds.
///
/// # Panics
/// Never happens: JSON can represent all of it.
#[must_use]
pub fn schedule_json(
    schedule: &Schedule,
    system: &SystemModel,
    requests: &[String],
) -> Option<String> {
    if schedule.turns.is_empty() {
        return None;
    }
    let cores: Vec<(u32, u32, String)> = (1..)
        .zip(system.machines())
        .flat_map(|(pid, machine)| (0..machine.cores).map(move |core| (pid, core)))
        .map(|(pid, core)| (pid, core, format!("core {core}")))
        .collect();
    let machines = (1..).zip(system.machines());
    let mut events: Vec<Event<'_>> =
        machines.map(|(pid, machine)| named("process_name", pid, 0, &machine.name)).collect();
    events.extend(cores.iter().map(|(pid, core, name)| named("thread_name", *pid, *core, name)));
    let kind = |kind: u32| requests.get(kind as usize).map_or("", String::as_str);
    let service = |turn: &Turn| {
        let machine = system.machines().nth(turn.machine as usize)?;
        machine.services.get(turn.service as usize).map(|one| one.name.as_str())
    };
    let turns = schedule.turns.iter();
    events.extend(turns.map(|turn| turned(turn, kind(turn.kind), service(turn))));
    events.extend(schedule.placed.iter().map(|one| placement_event(one, kind(one.kind))));
    Some(serde_json::to_string(&events).expect("events are plain"))
}

fn named<'a>(name: &'a str, pid: u32, tid: u32, value: &'a str) -> Event<'a> {
    let args = Details::Name { name: value };
    Event { name, ph: "M", pid, tid, cat: None, ts: None, dur: None, s: None, args }
}

fn microseconds(time: Nanos) -> Option<f64> {
    Some(time.0 as f64 * 1e-3)
}

fn turned<'a>(turn: &Turn, name: &'a str, service: Option<&'a str>) -> Event<'a> {
    Event {
        name,
        ph: "X",
        pid: turn.machine + 1,
        tid: turn.core,
        cat: service,
        ts: microseconds(turn.from),
        dur: microseconds(turn.until.since(turn.from)),
        s: None,
        args: Details::Turn { task: turn.task, session: turn.session },
    }
}

/// A task's first core, or its move to another one: an instant of the new core.
fn placement_event<'a>(one: &CoreAssignment, name: &'a str) -> Event<'a> {
    Event {
        name,
        ph: "i",
        pid: one.machine + 1,
        tid: one.core,
        cat: Some(match one.why {
            PlacementReason::New => "placed",
            PlacementReason::Woken => "woken",
            PlacementReason::Moved => "moved",
        }),
        ts: microseconds(one.at),
        dur: None,
        s: Some("t"),
        args: Details::Placed { task: one.task, from: one.from },
    }
}
