//! Schedulers as choices of features: the feature model of MOSS (Happe, Groenda, Hauck, Reussner:
//! 'A Prediction Model for Software Performance in Symmetric Multiprocessing Environments', QEST
//! 2010, figure 2), extended by the time sharing of single cores.
//!
//! An operating system is a preset: just a file of these tables.

mod balancing;
mod check;
mod presets;
mod span;

pub use balancing::{
    Balancing, Demand as DemandDriven, Dynamic, Information, LoadIndex, Location, MoveNumber,
    PreferredPriority, PreferredWaitingTime, Selection, StateChange, Static, StaticPolicy,
    Transfer, Woken,
};
pub use presets::{PRESETS, preset};
pub use span::Span;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scheduler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(title = "Thinktime scheduler features")]
pub struct Features {
    /// What it is, in a sentence.
    pub description: String,
    /// Where tasks that could run wait for a core.
    pub run_queues: RunQueues,
    /// How a core is shared by its tasks.
    pub time_sharing: TimeSharing,
    /// How tasks come to cores.
    #[serde(default)]
    pub balancing: Balancing,
}

/// Where tasks that could run wait for a core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct RunQueues {
    /// Whether every core has a queue of its own.
    pub number: QueueNumber,
    /// Whether tasks that have used up their slice wait apart.
    #[serde(default)]
    pub arrays: Arrays,
}

/// The number of run queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueNumber {
    /// All cores take from one queue.
    One,
    /// Every core has one.
    OnePerCore,
}

/// The arrays of a run queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arrays {
    /// One: who has used up a slice goes to the end of the line.
    #[default]
    Single,
    /// Two: who has used up a slice waits among the expired until no active task is left; then
    /// the two change places.
    ActiveAndExpired,
}

/// How a core is shared by its tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "discipline", rename_all = "kebab-case")]
pub enum TimeSharing {
    /// The best priority first, in turns of a time slice within one.
    Priorities(Priorities),
    /// The task that has had the least time for its weight first, as in Linux 2.6.23 to 6.5.
    VirtualRuntime(VirtualRuntime),
    /// Of the tasks that are owed time, the one with the earliest virtual deadline first, as in
    /// Linux 6.6 and later.
    VirtualDeadline(VirtualDeadline),
    /// All tasks at once, at equal shares of all cores.
    ProcessorSharing,
}

/// The best priority first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Priorities {
    /// The scale of priorities.
    pub levels: Levels,
    /// How long a turn lasts.
    pub slice: Slice,
    /// Priorities that follow from how much a task sleeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interactivity: Option<Interactivity>,
    /// Priorities that are raised for a while by what a task waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boosts: Option<Boosts>,
    /// What keeps tasks from waiting for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starvation: Option<Starvation>,
}

/// A scale of priorities and its names. `best` may be the smallest number or the largest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Levels {
    /// The priority that goes before all others.
    pub best: i32,
    /// A high one.
    pub high: i32,
    /// A middle one.
    pub average: i32,
    /// A low one.
    pub low: i32,
    /// The priority that goes after all others.
    pub worst: i32,
    /// That of threads of which nothing is said.
    pub default: i32,
}

/// How long a turn lasts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Slice {
    /// The length at the average priority.
    pub length: Span,
    /// That of priorities better than average, where these have another base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length_above_average: Option<Span>,
    /// Whether it shrinks with the priority, to nothing just below the worst one.
    #[serde(default)]
    pub by_priority: bool,
    /// It is never shorter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Span>,
    /// What a wait takes of the slice that is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_costs: Option<Span>,
    /// Interactive tasks of one priority change within a slice: the most interactive after this
    /// long for each core, others after twice, four times, ... as long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Span>,
}

/// Priorities that follow from how much a task sleeps (Linux 2.6 before 2.6.23).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Interactivity {
    /// The number of levels between a task that never sleeps and one that always does.
    pub bonus_maximum: u32,
    /// The largest sleep average.
    pub sleep_average_maximum: Span,
    /// How far above its static priority a task of average priority is interactive: it then
    /// stays among the active tasks when its slice is used up.
    pub delta: i32,
    /// The clock's tick, by which a long sleep falls short of the interactive bonus's end.
    pub tick: Span,
    /// The share of its creator's bonus that a new task begins with.
    pub child_share: f64,
    /// The sleep average of the thread that creates tasks for requests.
    pub creator_sleep_average: Span,
    /// The share of the wait for a core that counts as sleep, after a task woke this one. After
    /// an interrupt all of it counts.
    pub waiting_share: f64,
}

/// Priorities that are raised for a while by what a task waited for (Windows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Boosts {
    /// For a new task.
    pub start: u32,
    /// After a wait for the network or another service.
    pub network: u32,
    /// After a wait for a disk.
    pub disk: u32,
    /// After a wait for a place of a pool, or for parts to join.
    pub event: u32,
    /// No boost raises a priority above this.
    pub ceiling: i32,
    /// How a boost ends when a slice is used up.
    pub decay: Decay,
}

/// How a boost ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decay {
    /// One level with each slice.
    OneLevel,
    /// All at once.
    Reset,
}

/// What keeps tasks from waiting for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Starvation {
    /// Interactive tasks no longer stay active once an expired task has waited this long for each
    /// task of its queue, or is of a better static priority.
    ExpiredLimit {
        /// For each task.
        limit: Span,
    },
    /// A task that has waited this long goes first for some slices, and then as before.
    Boost {
        /// The wait.
        after: Span,
        /// The time between checks of waits.
        every: Span,
        /// The priority.
        to: i32,
        /// The number of slices.
        slices: u32,
    },
}

/// The least virtual runtime first (CFS).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct VirtualRuntime {
    /// The scale of priorities.
    pub levels: Levels,
    /// The time in which every task has its turn.
    pub period: Span,
    /// No turn is shorter; many tasks make the period longer.
    pub minimum_granularity: Span,
    /// A woken task takes the core if it is behind by more than this.
    pub wakeup_granularity: Span,
    /// Whether these three grow with 1 + log2 of the number of cores, up to 8.
    pub scaled_by_cores: bool,
    /// The clock's tick: ends of turns are seen at ticks only. Without one they are seen at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<Span>,
}

/// The earliest eligible virtual deadline first (EEVDF; Stoica and Abdel-Wahab, 1995).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct VirtualDeadline {
    /// The scale of priorities.
    pub levels: Levels,
    /// The time that a task asks for at once.
    pub slice: Span,
    /// Whether it grows with 1 + log2 of the number of cores, up to 8.
    pub scaled_by_cores: bool,
    /// Whether a task keeps the core, once chosen, until it has had its due or its slice.
    pub run_to_parity: bool,
    /// Whether a task that sleeps with more than its due keeps competing until it has paid.
    pub delayed_dequeue: bool,
    /// Whether a task that sleeps keeps what it is owed, or owes.
    pub keep_lag: bool,
    /// Whether a new task's first deadline comes after half a slice.
    pub half_first_slice: bool,
    /// The clock's tick: ends of slices are seen at ticks only. Without one they are seen at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<Span>,
}

impl TimeSharing {
    /// The scale of priorities, if there is one.
    #[must_use]
    pub fn levels(&self) -> Option<&Levels> {
        match self {
            TimeSharing::Priorities(features) => Some(&features.levels),
            TimeSharing::VirtualRuntime(features) => Some(&features.levels),
            TimeSharing::VirtualDeadline(features) => Some(&features.levels),
            TimeSharing::ProcessorSharing => None,
        }
    }
}
