"""The declarations of the nets: colour sets, places' kinds, variables, numbers and functions.

If a name exists in MOSS, it is the same here (Happe, Groenda, Hauck, Reussner: A Prediction Model
for Software Performance in Symmetric Multiprocessing Environments, QEST 2010, listings 1 to 4).
"""

from __future__ import annotations

from thinktime.machine.cpn import functions
from thinktime.machine.cpn.features import NetFeatures
from thinktime.machine.cpn.net import ColourSet, Declarations, Kind
from thinktime.machine.cpn.scenario import Task

COLOUR_SETS = [
    ColourSet("UNIT", "unit"),
    ColourSet("BOOL", "bool"),
    ColourSet("INT", "int"),
    ColourSet("INTINF", "intinf"),
    ColourSet("MICROSECONDS", "int"),
    ColourSet("TASK_ID", "int"),
    ColourSet("CPU_ID", "int"),
    ColourSet("PRIORITY", "int"),
    ColourSet("TIMESLICE", "int"),
    ColourSet("DEMAND", "int"),
    ColourSet("TURN", "int"),
    ColourSet("TASK_DEMAND", "product", ("TASK_ID", "DEMAND")),
    ColourSet("SCHED_TASK", "product", ("TASK_ID", "CPU_ID", "PRIORITY", "TIMESLICE")),
    ColourSet("SCHED_TASK_LIST", "list", ("SCHED_TASK",)),
    ColourSet("CPU_RUNQUEUE", "product", ("CPU_ID", "SCHED_TASK_LIST")),
    ColourSet("CPU_TASK", "product", ("CPU_ID", "SCHED_TASK", "MICROSECONDS", "TURN")),
    ColourSet("ARRAY", "enum", ("ToActive", "ToExpired")),
    ColourSet("ENTRY", "product", ("SCHED_TASK", "ARRAY")),
    ColourSet("ENTRY_LIST", "list", ("ENTRY",)),
    ColourSet("CPU_TURN", "product", ("CPU_ID", "TURN")),
    ColourSet("CPU_TURN_LIST", "list", ("CPU_TURN",)),
    ColourSet("TURN_END", "product", ("CPU_ID", "TURN"), timed=True),
    ColourSet(
        "WORK",
        "enum",
        ("Place", "Contend", "Preempt", "Take", "Settle", "Forked", "Woken", "Left", "Elapsed"),
    ),
    ColourSet("DUTY", "product", ("WORK", "TASK_ID", "CPU_ID")),
    ColourSet("DUTY_LIST", "list", ("DUTY",)),
    ColourSet("SPAN_LIST", "list", ("MICROSECONDS",)),
    ColourSet("PLAN", "product", ("TASK_ID", "SPAN_LIST")),
    ColourSet("TIMED_PLAN", "product", ("TASK_ID", "SPAN_LIST"), timed=True),
    ColourSet("SLEEPER", "product", ("INT", "TASK_ID", "SPAN_LIST"), timed=True),
    ColourSet("DUE", "product", ("INT", "TASK_ID", "BOOL", "SPAN_LIST")),
    ColourSet("DUE_LIST", "list", ("DUE",)),
    ColourSet("COMPLETION", "product", ("TASK_ID", "MICROSECONDS")),
    ColourSet("COMPLETION_LIST", "list", ("COMPLETION",)),
    ColourSet("MOVE", "product", ("TASK_ID", "MICROSECONDS", "CPU_ID", "CPU_ID")),
    ColourSet("MOVE_LIST", "list", ("MOVE",)),
    ColourSet("TASK_CPU", "product", ("TASK_ID", "CPU_ID")),
    ColourSet("TASK_CPU_LIST", "list", ("TASK_CPU",)),
    ColourSet("CPU_LIST", "list", ("CPU_ID",)),
    ColourSet("CPULOAD", "product", ("CPU_ID", "INT")),
    ColourSet("CPULOADLIST", "list", ("CPULOAD",)),
    ColourSet("CPULOADS", "product", ("CPU_ID", "INT", "INT")),
    ColourSet("CPULOADSLIST", "list", ("CPULOADS",)),
    ColourSet("CPUPAIR", "product", ("CPU_ID", "CPU_ID", "INT")),
    ColourSet("CPUPAIRLIST", "list", ("CPUPAIR",)),
    ColourSet("PARTNER", "product", ("CPU_ID", "CPU_ID")),
    ColourSet("PARTNER_LIST", "list", ("PARTNER",)),
    ColourSet("LAST_RUN", "product", ("TASK_ID", "CPU_ID", "MICROSECONDS")),
    ColourSet("LAST_RUN_LIST", "list", ("LAST_RUN",)),
    ColourSet("TASK_ID_LIST", "list", ("TASK_ID",)),
    ColourSet("COUNT_SINCE", "product", ("MICROSECONDS", "INT")),
    ColourSet("COUNT_LIST", "list", ("COUNT_SINCE",)),
    ColourSet("CPU_COUNTS", "product", ("CPU_ID", "COUNT_LIST")),
    ColourSet("CLOCK", "unit", timed=True),
]

VARIABLES = {
    "TASK_ID": ["i", "x"],
    "CPU_ID": ["c", "k", "r", "y"],
    "PRIORITY": ["p"],
    "TIMESLICE": ["s"],
    "DEMAND": ["d"],
    "MICROSECONDS": ["t"],
    "TURN": ["v", "w"],
    "INT": ["n", "m", "giverLoad", "takerLoad", "aged"],
    "BOOL": ["isNew"],
    "SCHED_TASK": ["task"],
    "SCHED_TASK_LIST": ["queue", "expired", "moved"],
    "ARRAY": ["array"],
    "ENTRY_LIST": ["entries"],
    "CPU_TURN_LIST": ["turns"],
    "WORK": ["work"],
    "DUTY_LIST": ["duties"],
    "SPAN_LIST": ["spans"],
    "DUE_LIST": ["dues"],
    "COMPLETION_LIST": ["completions"],
    "MOVE_LIST": ["moves"],
    "TASK_CPU_LIST": ["firstCores"],
    "CPU_LIST": ["cpus", "busy"],
    "CPULOADLIST": ["senderList", "receiverList"],
    "CPULOADSLIST": ["loads"],
    "PARTNER_LIST": ["partners"],
    "LAST_RUN_LIST": ["lastRuns"],
    "TASK_ID_LIST": ["warm"],
    "COUNT_LIST": ["counts"],
}

NUMBERS = [
    "(* Times are whole microseconds. Priorities are levels below the best one, which is 0. *)\n"
    "val IDLE_ID = 0;",
    "val IDLE_TASK = (0, 0, 0, 0);",
    "val P_HIGH = 100;",
    "val P_NORMAL = 1000;",
    "val P_LOW = 10000;",
    "(* Transition priorities: of what is enabled at one time, the lowest number goes first.\n"
    "   Each event is handled to its end before the next. *)\n"
    "val P_COLLECT = 10;",
    "val P_TICK = 20;",
    "val P_WORK = 100;",
    "val P_TURN = 200;",
    "val P_PERIODIC = 300;",
    "val P_OUTSIDE = 400;",
    "(* Of tasks that wake and arrive at one time, those that wake go first. *)\n"
    "val ARRIVALS = 1000000000;",
]


def kinds(features: NetFeatures, tasks: list[Task]) -> dict[str, Kind]:
    """The initial content of the places of each name."""
    queues = range(1) if features.one_queue else range(features.cores)
    empty = " ++ ".join(f"1`({queue}, [])" for queue in queues)
    idle = " ++ ".join(f"1`({cpu}, IDLE_TASK, 0, 0)" for cpu in range(features.cores))
    return (
        _interface(tasks)
        | {
            "Incoming": Kind("ENTRY_LIST", "1`[]"),
            "Ready": Kind("CPU_RUNQUEUE", empty),
            "Expired": Kind("CPU_RUNQUEUE", empty),
            "Running": Kind("CPU_TASK", idle),
            "Waiting": Kind("SCHED_TASK"),
            "Turn Ends": Kind("TURN_END"),
            "Due Turns": Kind("CPU_TURN_LIST", "1`[]"),
            "Agenda": Kind("DUTY_LIST", "1`[]", fusion=True),
            "Moved": Kind("SCHED_TASK_LIST", "1`[]", fusion=True),
            "Last Runs": Kind("LAST_RUN_LIST", "1`[]", fusion=True),
            "First Cores": Kind("TASK_CPU_LIST", "1`[]", fusion=True),
            "Finished": Kind("COMPLETION_LIST", "1`[]", fusion=True),
            "Moves": Kind("MOVE_LIST", "1`[]", fusion=True),
            "Ended": Kind("INT", "1`0", fusion=True),
            "Next Core": Kind("CPU_ID", "1`0"),
        }
        | _balancing(features)
    )


def _interface(tasks: list[Task]) -> dict[str, Kind]:
    """The places between MOSS and the tasks' behaviour, and those of the behaviour."""
    plans = " +++ ".join(
        f"1`({number}, {spans(task)})@{task.arrival}" for number, task in enumerate(tasks, 1)
    )
    identifiers = ("New", "Response", "PutToSleep", "WakeUp", "Terminate")
    return {name: Kind("TASK_ID") for name in identifiers} | {
        "Request": Kind("TASK_DEMAND"),
        "Arrivals": Kind("TIMED_PLAN", plans),
        "Asleep": Kind("SLEEPER"),
        "Sleeps": Kind("INT", "1`0"),
        "Due": Kind("DUE_LIST", "1`[]"),
        "Plans": Kind("PLAN"),
    }


def _balancing(features: NetFeatures) -> dict[str, Kind]:
    cores = range(features.cores)
    first = 0 if features.dynamic is None else features.dynamic.periodic
    tick = 0 if features.dynamic is None else features.dynamic.span
    return {
        "Start": Kind("CPU_LIST", "1`[]"),
        "Load": Kind("CPULOADSLIST", "1`[]"),
        "Sender": Kind("CPULOADLIST", "1`[]"),
        "Receiver": Kind("CPULOADLIST", "1`[]"),
        "Pairs": Kind("CPUPAIRLIST", "1`[]"),
        "IsBalancing": Kind("CPU_LIST", "1`[]"),
        "Last Takers": Kind("PARTNER_LIST", "1`[]", fusion=True),
        "Warm": Kind("TASK_ID_LIST", "1`[]", fusion=True),
        "Clock": Kind("CLOCK", f"1`()@{first}"),
        "Tick": Kind("CLOCK", f"1`()@{tick}"),
        "To Age": Kind("CPU_LIST", "1`[]"),
        "Aged Load": Kind("CPULOAD", " ++ ".join(f"1`({c}, 0)" for c in cores), fusion=True),
        "Counts": Kind("CPU_COUNTS", " ++ ".join(f"1`({c}, [(0, 0)])" for c in cores), fusion=True),
    }


def spans(task: Task) -> str:
    """A task's bursts and sleeps, in turn, as a list in CPN ML."""
    turns = [task.bursts[0]]
    for sleep, burst in zip(task.sleeps, task.bursts[1:], strict=True):
        turns += [sleep, burst]
    return f"[{', '.join(map(str, turns))}]"


def declarations(features: NetFeatures, tasks: list[Task]) -> Declarations:
    """All declarations of a net.

    Raises:
        InputError: The scheduler does not have a task's priority.
    """
    each = range(features.cores)
    names = {"SCHED_TASK": "task", "MICROSECONDS": "t", "TURN": "v"}
    variables = {key: list(value) for key, value in VARIABLES.items()}
    for colours, stem in names.items():
        variables[colours] += [f"{stem}{cpu}" for cpu in each]
    variables["SCHED_TASK_LIST"] += [
        f"{stem}{cpu}" for stem in ("queue", "expired") for cpu in each
    ]
    levels = [
        f"({number}, {features.level(task, f'tasks[{number - 1}]')})"
        for number, task in enumerate(tasks, 1)
    ]
    scenario = [
        f"val TASKS = {len(tasks)};",
        f"val PRIORITIES = [{', '.join(levels)}];",
        f"val CPUS = [{', '.join(map(str, each))}];",
        f"val SLICES = [{', '.join(map(str, features.slices.levels))}];",
        f"val WAIT_COSTS = {features.slices.wait_costs};",
    ]
    blocks = {"Numbers": NUMBERS, "Scenario": scenario, "Time sharing": functions.SHARING}
    if features.dynamic is not None:
        blocks["Balancing"] = functions.balancing(features.dynamic)
    return Declarations(COLOUR_SETS, variables, blocks)
