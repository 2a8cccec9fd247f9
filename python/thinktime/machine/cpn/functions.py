"""The nets' functions, in CPN ML."""

from __future__ import annotations

from thinktime.machine.cpn.features import Balancing

SHARING = [
    "(* The time as an integer: IntInf.toInt, in words that every tool knows. *)\n"
    "fun intOf (t : INTINF) =\n"
    "  if t < 1 then 0 else 2 * (intOf (t div 2)) + (if t mod 2 = 1 then 1 else 0);",
    "fun now () = intOf (time ());",
    "fun idOf (i, c, p, s) = i;",
    "fun priorityOf (i, c, p, s) = p;",
    "fun lookUp (x, []) = 0\n  | lookUp (x, (i, n)::rest) = if i = x then n else lookUp (x, rest);",
    "fun fullSlice p = List.nth (SLICES, p);",
    "(* A new task's information: its core is chosen, its slice full. *)\n"
    "fun newTask (i, c) =\n"
    "  (i, c, lookUp (i, PRIORITIES), fullSlice (lookUp (i, PRIORITIES)));",
    "fun sliceAfterWait (p, s) =\n  if s > WAIT_COSTS then s - WAIT_COSTS else fullSlice p;",
    "(* Run queues are in the order of priorities; equals are first in, first out. *)\n"
    "fun insertLast (elm, []) = [elm]\n"
    "  | insertLast (elm, q::queue) =\n"
    "    if priorityOf elm < priorityOf q then elm::q::queue\n"
    "    else q::(insertLast (elm, queue));",
    "fun insertFirst (elm, []) = [elm]\n"
    "  | insertFirst (elm, q::queue) =\n"
    "    if priorityOf elm <= priorityOf q then elm::q::queue\n"
    "    else q::(insertFirst (elm, queue));",
    "fun hasTask (x, []) = false\n"
    "  | hasTask (x, q::queue) = idOf q = x orelse hasTask (x, queue);",
    "fun taskOf (x, []) = IDLE_TASK\n"
    "  | taskOf (x, q::queue) = if idOf q = x then q else taskOf (x, queue);",
    "fun removeTask (x, []) = []\n"
    "  | removeTask (x, q::queue) =\n"
    "    if idOf q = x then queue else q::(removeTask (x, queue));",
    "(* Who has something due: the lowest core, or the lowest task, first. *)\n"
    "fun insertDue ((c, v), []) = [(c, v)]\n"
    "  | insertDue ((c, v), (k, w)::queue) =\n"
    "    if c < k then (c, v)::(k, w)::queue else (k, w)::(insertDue ((c, v), queue));",
    "fun insertOutside ((n, i, new, l), []) = [(n, i, new, l)]\n"
    "  | insertOutside ((n, i, new, l), (m, x, old, k)::queue) =\n"
    "    if n < m then (n, i, new, l)::(m, x, old, k)::queue\n"
    "    else (m, x, old, k)::(insertOutside ((n, i, new, l), queue));",
    "(* Of cores and their loads the least loaded one, of equals the first. *)\n"
    "fun leastLoaded ((c, n), []) = c\n"
    "  | leastLoaded ((c, n), (k, m)::rest) =\n"
    "    if m < n then leastLoaded ((k, m), rest) else leastLoaded ((c, n), rest);",
    "fun isIdle (c, []) = false\n"
    "  | isIdle (c, (k, task)::rest) =\n"
    "    if k = c then idOf task = IDLE_ID else isIdle (c, rest);",
    "fun firstIdle (c, []) = c\n"
    "  | firstIdle (c, (k, task)::rest) =\n"
    "    if idOf task = IDLE_ID then k else firstIdle (c, rest);",
    "fun idleCore (c, running) = if isIdle (c, running) then c else firstIdle (c, running);",
    "fun taskOn (c, []) = IDLE_TASK\n"
    "  | taskOn (c, (k, task)::rest) = if k = c then task else taskOn (c, rest);",
    "(* Of cores and their tasks the core of the worst priority, of equals the first. *)\n"
    "fun worstCore ((c, p), []) = c\n"
    "  | worstCore ((c, p), (k, task)::rest) =\n"
    "    if priorityOf task > p then worstCore ((k, priorityOf task), rest)\n"
    "    else worstCore ((c, p), rest);",
    "fun insertRun ((i, c, t), []) = [(i, c, t)]\n"
    "  | insertRun ((i, c, t), (x, k, u)::rest) =\n"
    "    if x = i andalso k = c then (i, c, t)::rest\n"
    "    else (x, k, u)::(insertRun ((i, c, t), rest));",
    "fun bestOf (best, []) = best\n"
    "  | bestOf (best, q::queue) =\n"
    "    if priorityOf q < priorityOf best then bestOf (q, queue) else bestOf (best, queue);",
    "(* Whether a task that waits precedes the one that runs. *)\nfun goesFirst (x, queue, task) "
    "=\n  hasTask (x, queue) andalso priorityOf (taskOf (x, queue)) < priorityOf task;",
    "fun hasToWait (x, queue, task) =\n"
    "  hasTask (x, queue) andalso priorityOf (taskOf (x, queue)) >= priorityOf task;",
    "(* Of the moved tasks those that came to the active array. *)\n"
    "fun activeOnes ([], queue) = []\n"
    "  | activeOnes (m::moved, queue) =\n"
    "    if hasTask (idOf m, queue) then m::(activeOnes (moved, queue))\n"
    "    else activeOnes (moved, queue);",
    "fun bestMoved (moved, queue) =\n"
    "  bestOf (hd (activeOnes (moved, queue)), activeOnes (moved, queue));",
    "fun movedGoFirst (moved, queue, task) =\n"
    "  idOf task <> IDLE_ID andalso length (activeOnes (moved, queue)) > 0\n"
    "  andalso priorityOf (bestMoved (moved, queue)) < priorityOf task;",
    "fun movedWait (moved, queue, task) =\n"
    "  idOf task <> IDLE_ID andalso not (movedGoFirst (moved, queue, task));",
]

LOADS = [
    "(* A load, in 128ths of a task. *)\n"
    "fun determineLoad (runQueue, id) =\n"
    "  if id = IDLE_ID then 128 * length runQueue\n"
    "  else 128 * (length runQueue + 1);",
    "fun lowerLoad ((cpu1, load1), (cpu2, load2)) =\n"
    "  load1 < load2 orelse (load1 = load2 andalso cpu1 < cpu2);",
    "fun higherLoad ((cpu1, load1), (cpu2, load2)) =\n"
    "  load1 > load2 orelse (load1 = load2 andalso cpu1 < cpu2);",
    "fun insertAscending (elm, []) = [elm]\n"
    "  | insertAscending (elm, q::queue) =\n"
    "    if lowerLoad (elm, q) then elm::q::queue\n"
    "    else q::(insertAscending (elm, queue));",
    "fun insertDescending (elm, []) = [elm]\n"
    "  | insertDescending (elm, q::queue) =\n"
    "    if higherLoad (elm, q) then elm::q::queue\n"
    "    else q::(insertDescending (elm, queue));",
    "fun lastTaker (c, []) = ~1\n"
    "  | lastTaker (c, (k, r)::rest) = if k = c then r else lastTaker (c, rest);",
    "fun remember ((c, r), []) = [(c, r)]\n"
    "  | remember ((c, r), (k, y)::rest) =\n"
    "    if k = c then (c, r)::rest else (k, y)::(remember ((c, r), rest));",
]

AGEING = [
    "(* Rising values are rounded up, falling ones down. *)\n"
    "fun aged128 (old, now) =\n"
    "  (old * WEIGHT + now * (1024 - WEIGHT) + (if now > old then 1023 else 0)) div 1024;",
]

AVERAGE = [
    "(* The counts of tasks of the last time span, each since when, the last one first. *)\n"
    "fun since (start, []) = []\n"
    "  | since (start, (t, n)::rest) =\n"
    "    if t <= start then [(t, n)] else (t, n)::(since (start, rest));",
    "fun recordCount (t, n, []) = [(t, n)]\n"
    "  | recordCount (t, n, (u, m)::rest) =\n"
    "    if u = t then (t, n)::rest else (t, n)::(since (t - TIME_SPAN, (u, m)::rest));",
    "fun integral (start, stop, []) = 0\n"
    "  | integral (start, stop, (t, n)::rest) =\n"
    "    if t <= start then n * (stop - start)\n"
    "    else n * (stop - t) + integral (start, t, rest);",
    "(* Divided in two steps, as 128 times the integral may be too large an integer. *)\n"
    "fun averageLoad (counts, t) =\n"
    "  let val all = integral (t - TIME_SPAN, t, counts)\n"
    "  in 128 * (all div TIME_SPAN) + (128 * (all mod TIME_SPAN)) div TIME_SPAN end;",
    "fun lastCount [] = 0\n  | lastCount ((t, n)::rest) = n;",
]

SELECTION = [
    "fun last ([], newCpu) = []\n"
    "  | last ([(id, cpu, prio, timeslice)], newCpu) = [(id, newCpu, prio, timeslice)]\n"
    "  | last (q::queue, newCpu) = last (queue, newCpu);",
    "fun removeLast [] = []\n"
    "  | removeLast [elm] = []\n"
    "  | removeLast (q::queue) = q::(removeLast queue);",
    "fun reversed [] = []\n  | reversed (q::queue) = (reversed queue)^^[q];",
    "(* The lists of all priorities, each from its end to its head. *)\n"
    "fun eachReversed [] = []\n"
    "  | eachReversed (q::queue) = insertLast (q, eachReversed queue);",
    "fun isWarm (i, []) = false\n  | isWarm (i, x::rest) = i = x orelse isWarm (i, rest);",
    "fun mayGo ([], warm) = []\n"
    "  | mayGo (q::queue, warm) =\n"
    "    if isWarm (idOf q, warm) then mayGo (queue, warm) else q::(mayGo (queue, warm));",
    "(* Who ran on a core less than CACHE_AFFINITY ago. *)\n"
    "fun warmOn (c, [], t) = []\n"
    "  | warmOn (c, (i, k, u)::rest, t) =\n"
    "    if k = c andalso t - u < CACHE_AFFINITY then i::(warmOn (c, rest, t))\n"
    "    else warmOn (c, rest, t);",
]


MOVES = [
    "fun expiredGo (expired, warm) = length (candidates (expired, warm)) > 0;",
    "fun firstToMove (expired, queue, warm, newCpu) =\n"
    "  if expiredGo (expired, warm) then last (candidates (expired, warm), newCpu)\n"
    "  else last (candidates (queue, warm), newCpu);",
    "fun somebodyMayGo (expired, queue, warm) =\n"
    "  length (firstToMove (expired, queue, warm, 0)) > 0;",
    "fun expiredLeft (expired, warm) =\n"
    "  if expiredGo (expired, warm) then withoutMoved (expired, warm) else expired;",
    "fun activeLeft (expired, queue, warm) =\n"
    "  if expiredGo (expired, warm) then queue else withoutMoved (queue, warm);",
    "fun entry (expired, queue, warm, r) =\n"
    "  (hd (firstToMove (expired, queue, warm, r)),\n"
    "   if expiredGo (expired, warm) then ToExpired else ToActive);",
    "fun move (expired, queue, warm, k, r) =\n"
    "  (idOf (hd (firstToMove (expired, queue, warm, r))), now (), k, r);",
]


def _ordered(features: Balancing) -> list[str]:
    """The functions that order the queue's tasks so that the one to move first is the last."""
    selection = list(SELECTION)
    orders = {  # (best priority first, end of its list first)
        (False, True): "queue",
        (True, False): "reversed queue",
        (False, False): "eachReversed queue",
        (True, True): "reversed (eachReversed queue)",
    }
    order = orders[features.best_first, features.tail_first]
    selection.append(
        "(* The task to move first comes last. *)\n"
        f"fun candidates (queue, warm) = mayGo ({order}, warm);"
    )
    removed = "removeTask (idOf (hd (last (candidates (queue, warm), 0))), queue)"
    if order == "queue" and not features.cache_affinity:
        removed = "removeLast queue"
    selection.append(f"fun withoutMoved (queue, warm) =\n  {removed};")
    return selection + MOVES


LOCATION = [
    "fun nearest (c, (k, n), []) = (k, n)\n"
    "  | nearest (c, (k, n), (r, m)::rest) =\n"
    "    if Int.abs (c - r) < Int.abs (c - k)\n"
    "      orelse (Int.abs (c - r) = Int.abs (c - k) andalso r < k)\n"
    "    then nearest (c, (r, m), rest) else nearest (c, (k, n), rest);",
    "fun remembered (r, first, []) = first\n"
    "  | remembered (r, first, (k, n)::rest) =\n"
    "    if k = r then (k, n) else remembered (r, first, rest);",
    "fun giverOf (c, k, n) = c;",
    "fun bothOf (c, k, n) = [c, k];",
]


def _location(features: Balancing) -> list[str]:
    """The functions that find the giver's partner."""
    fits = "c <> k andalso load - n >= DIFFERENCE" if features.difference else "c <> k"
    takers = (
        "fun takers ((c, load), []) = []\n"
        "  | takers ((c, load), (k, n)::rest) =\n"
        f"    if {fits}\n"
        "    then (k, n)::(takers ((c, load), rest)) else takers ((c, load), rest);"
    )
    chosen = {
        "broadcast": "taker",
        "nearest-neighbour": "nearest (c, taker, rest)",
        "memory": "remembered (lastTaker (c, partners), taker, rest)",
    }[features.location]
    number = f"{features.number}" if features.number is not None else "(load - n) div 256"
    return [
        takers,
        *LOCATION,
        "fun takerOf (c, partners, []) = (c, 0)\n"
        f"  | takerOf (c, partners, taker::rest) = {chosen};",
        "fun pairOf ((c, load), (k, n)) = (c, k, " + number + ");",
        "fun pair ([], receiverList, partners) = (0, 0, 0)\n"
        "  | pair (giver::rest, receiverList, partners) =\n"
        "    let val (c, load) = giver\n"
        "    in pairOf (giver, takerOf (c, partners, takers (giver, receiverList))) end;",
        "(* MOSS leaves out that both lists may be empty; then nothing ended the attempt. *)\n"
        "fun cannotBalance ([], receiverList) = true\n"
        "  | cannotBalance (giver::rest, receiverList) =\n"
        "    length (takers (giver, receiverList)) = 0;",
    ]


def balancing(features: Balancing) -> list[str]:
    """The numbers and functions of dynamic balancing."""
    lower, upper = features.bounds or (0, 0)
    numbers = [
        f"val LOWER_BOUND = {128 * lower};",
        f"val UPPER_BOUND = {128 * upper};",
        f"val DIFFERENCE = {128 * features.difference};",
        f"val PERIODIC = {features.periodic};",
        f"val CACHE_AFFINITY = {features.cache_affinity};",
        f"val WEIGHT = {features.weight};",
        f"val TIME_SPAN = {features.span};",
    ]
    index = {"ageing-queue-length": AGEING, "average-queue-length": AVERAGE}
    loads = LOADS + index.get(features.load_index, [])
    return [*numbers, *loads, *_ordered(features), *_location(features)]
