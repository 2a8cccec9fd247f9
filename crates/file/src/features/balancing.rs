//! How tasks come to cores: figure 2 of MOSS, one type a feature diagram.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Span;

/// Load balancing (figure 2a): static, dynamic, or both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Balancing {
    /// Where tasks go without regard to how long queues are.
    #[serde(default, rename = "static")]
    pub fixed: Static,
    /// What moves tasks from one core's queue to another's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamic: Option<Dynamic>,
}

/// Where tasks go without regard to how long queues are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Static {
    /// The core of a new task.
    #[serde(default)]
    pub policy: StaticPolicy,
    /// The probability of each core, under `random`; equal ones by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probabilities: Option<Vec<f64>>,
    /// The core of a task that wakes.
    #[serde(default)]
    pub woken: Woken,
}

/// The core of a new task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StaticPolicy {
    /// One after another.
    #[default]
    CyclicSplitting,
    /// Drawn.
    Random,
    /// That of the task that created it; core 0 for requests from outside.
    SameAsParent,
    /// The one with the fewest tasks, of equals the first. (Not in the paper's diagram: what
    /// Linux does today.)
    LeastLoaded,
}

/// The core of a task that wakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Woken {
    /// The one that it ran on last.
    #[default]
    LastCore,
    /// The one that it was given when it was new.
    FirstCore,
    /// The one that it ran on last if that is idle, else the first idle one, else that it ran on
    /// last. (Not in the paper's diagram: what Linux does today.)
    IdleCore,
}

/// What moves tasks from one core's queue to another's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Dynamic {
    /// What is compared.
    pub load_index: LoadIndex,
    /// Which cores give, and which take.
    pub transfer: Transfer,
    /// Which core gives to which.
    #[serde(default)]
    pub location: Location,
    /// When it is tried.
    pub information: Information,
    /// Which tasks are moved.
    pub selection: Selection,
}

/// A core's load (figure 2b). A task that runs counts as one that waits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LoadIndex {
    /// The number of tasks now.
    QueueLength,
    /// Its average over the last while.
    AverageQueueLength {
        /// How long the while is.
        time_span: Span,
    },
    /// Its average over all the past, of which what is older counts less: with every tick the old
    /// value counts `weight` and the number of tasks now 1 - `weight`. A giver's load is the
    /// smaller of this and the number now, a taker's the larger.
    AgeingQueueLength {
        /// Above 0 and below 1.
        weight: f64,
        /// The time between two looks.
        tick: Span,
    },
}

/// Which cores give and which take (figure 2c).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "policy", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Transfer {
    /// A core takes whose load is below the lower bound, and gives whose load is above the upper
    /// one.
    Threshold {
        /// The lower bound.
        lower_bound: u32,
        /// The upper bound.
        upper_bound: u32,
    },
    /// One core gives to another if their loads differ by this or more.
    Relative {
        /// In tasks.
        difference: u32,
    },
}

/// Which core gives to which (figure 2d), if several could.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Location {
    /// All are asked: the busiest one gives to the least busy one.
    #[default]
    Broadcast,
    /// The busiest one gives to a taker drawn at random.
    Random,
    /// The busiest one gives to the taker whose number is nearest.
    NearestNeighbour,
    /// The busiest one gives to the one it gave to last, if that takes; else as under `broadcast`.
    Memory,
}

/// When balancing is tried (figure 2e); at least one of the three.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Information {
    /// Whenever a core begins to give, or to take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand_driven: Option<Demand>,
    /// Whenever this time has passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periodic: Option<Span>,
    /// Whenever one of these happens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state_change_driven: Vec<StateChange>,
}

/// Who asks for balancing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Demand {
    /// A core that begins to give: its load has risen.
    SenderInitiated,
    /// A core that begins to take: its load has fallen.
    ReceiverInitiated,
    /// Both.
    SymmetricallyInitiated,
}

/// What may start balancing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StateChange {
    /// A task was created.
    OnFork,
    /// A task woke.
    OnWake,
    /// A core has nothing to do.
    OnIdle,
}

/// Which tasks are moved (figure 2f). A running task never is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Selection {
    /// Tasks stay that ran on the giver less than this ago.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_affinity: Option<Span>,
    /// Whether tasks stay that may not run on the taker.
    pub processor_affinity: bool,
    /// Which priority goes first.
    pub preferred_priority: PreferredPriority,
    /// Within a priority, who goes first.
    pub preferred_waiting_time: PreferredWaitingTime,
    /// How many are moved.
    pub number: MoveNumber,
}

/// Which priority is moved first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreferredPriority {
    /// The best one.
    High,
    /// The worst one.
    Low,
}

/// Within a priority, who is moved first. The expired always go before the active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreferredWaitingTime {
    /// The end of the queue.
    Short,
    /// The head of the queue.
    Long,
}

/// How many tasks are moved at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MoveNumber {
    /// This many.
    Count(u32),
    /// Half of the difference.
    Named(Equalise),
}

/// The word for moving half of the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Equalise {
    /// Half of the difference, rounded down.
    Equalise,
}
