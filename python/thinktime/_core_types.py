"""The tables that `thinktime._core` gives, as `thinktime schema` describes them.

Written by `make types`: change the tables in Rust.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class WorkloadFile(TypedDict):
    arrivals: ArrivalsTable | None
    clients: ClientsTable | None
    name: str
    population: list[PopulationTable]
    request: list[RequestTable]
    seed: int
    session: SessionTable
    shared: str | SharedTable | None
    slo: dict[str, Any] | None


class ArrivalsTable(TypedDict):
    clients: int | None
    model: Literal["open", "closed", "partly-open"]
    process: str
    profile: str
    rate: int | float | str | None
    start: Literal["steady", "empty"] | None


class AwsTable(TypedDict):
    key: str
    region: str
    secret: str
    service: str
    token: str | None


class BreakerTable(TypedDict):
    failures: int | None
    least: int | None
    on: list[str]
    open: int | float | str
    share: int | float | str | None
    trials: int | None
    window: int | float | str | None


CheckTable = TypedDict(
    "CheckTable",
    {
        "contains": "str | None",
        "is": "Any",
        "least": "int | float | str | None",
        "matches": "str | None",
        "missing": "bool | None",
        "most": "int | float | str | None",
        "of": "str",
    },
)


class ClientsTable(TypedDict):
    aws: AwsTable | None
    basic: str | None
    bearer: str | None
    breaker: BreakerTable | None
    concurrency: int | None
    connections: Literal["keep-alive", "per-session", "per-request"] | int | None
    headers: dict[str, str]
    oauth2: Oauth2Table | None
    password: str | None
    retry_budget: RetryBudgetTable | None
    subprotocols: list[str]
    traceparent: bool
    waiting: int | None


class FilePart(TypedDict):
    file: str
    type: str | None


class HedgeTable(TypedDict):
    after: int | float | str
    most: int | None


class Oauth2Table(TypedDict):
    ca: str | None
    client: str
    fields: dict[str, str]
    in_body: bool | None
    scope: str | None
    secret: str
    url: str


class ObjectsTable(TypedDict):
    connections: int | None
    count: int | float | str
    of: dict[str, float]


class PopulationTable(TypedDict):
    arrivals: ArrivalsTable
    clients: ClientsTable | None
    name: str
    request: list[RequestTable]
    session: SessionTable


class RequestTable(TypedDict):
    body: str | None
    body_file: str | None
    cancel: Literal["never", "queued", "always"] | None
    checks: dict[str, str | CheckTable]
    delete: str | None
    descriptors: str | None
    expect: str | None
    form: dict[str, int | float | str | list[int | float | str]] | None
    get: str | None
    grpc: str | None
    head: str | None
    headers: dict[str, str]
    hedge: HedgeTable | None
    isolation: Literal["read-committed", "repeatable-read", "serializable"] | None
    json: Any
    message: str | dict[str, Any] | list[str | dict[str, Any]] | None
    messages: int | None
    method: str | None
    multipart: dict[str, int | float | str | FilePart] | None
    name: str
    next: dict[str, float] | None
    objects: ObjectsTable | None
    options: str | None
    parameters: list[int | float | str]
    patch: str | None
    post: str | None
    put: str | None
    retry: RetryTable | None
    send: str | list[str] | None
    send_hex: str | None
    silence: int | float | str | None
    size: int | float | str | None
    sql: str | None
    stream: Literal["sse", "lines", "chunks"] | None
    take: dict[str, str]
    target: str | None
    think: int | float | str | None
    timeout: int | float | str | None
    tokens: TokensTable | None
    transaction: list[str] | None
    wait_for_each: bool | None
    weight: float | None


class RetryBudgetTable(TypedDict):
    burst: float | None
    share: int | float | str


class RetryTable(TypedDict):
    attempts: int | float | str
    backoff: int | float | str | None
    backoff_max: int | float | str | None
    growth: float | None
    on: list[str]
    same_demand: bool | None
    when: Literal["timeout", "late"] | None


class SessionTable(TypedDict):
    cache: bool | None
    cookies: bool | None
    data: list[str]
    ends_at: str | None
    first: dict[str, float] | None
    lasts: int | float | str | None
    on_error: Literal["continue", "end"] | None
    redirects: int | None
    requests: int | float | str | None
    rows: Literal["in-turn", "random"] | None
    script: str | None
    think: int | float | str | None


class SharedTable(TypedDict):
    lease: int | float | str | None
    password: str | None
    url: str
    user: str | None
    wait: int | float | str | None


class TokensTable(TypedDict):
    output: int | float | str
    prompt: int | float | str


class SystemFile(TypedDict):
    behaviour: list[BehaviourTable]
    cluster: list[ClusterTable]
    learned: LearnedTable | None
    limiter: list[LimiterTable]
    link: list[LinkTable]
    machine: list[MachineTable]
    name: str
    pool: list[PoolTable]
    service: list[ServiceTable]
    station: list[StationTable]
    token_server: list[TokenServerTable]


class BatchTable(TypedDict):
    max: int
    wait: int | float | str | None


class BehaviourTable(TypedDict):
    request: str | None
    steps: list[StepTable]


class CacheTable(TypedDict):
    holds: list[str] | None
    replacement: str
    size: int | float | str | None
    ttl: int | float | str | None


class ChangeTable(TypedDict):
    at: int | float | str
    does: str
    server: int


class ClusterTable(TypedDict):
    cache: CacheTable | None
    change: list[ChangeTable]
    classes: dict[str, list[str]]
    dispatch: str
    name: str
    seen_after: int | float | str | None
    server: str | None
    servers: int
    station: list[StationTable]
    weights: list[float]


class FailureTable(TypedDict):
    after: int | float | str
    clock: str
    repair: int | float | str


LearnedTable = TypedDict(
    "LearnedTable",
    {
        "confidence": 'Literal["high", "fair", "low"]',
        "confirmed": "bool",
        "from": "str | None",
        "guesses": 'list[Literal["policy", "servers", "demands"]]',
        "reason": "str | None",
        "up_to": "int | float | str | None",
    },
)


class LimiterTable(TypedDict):
    burst: int | None
    kind: Literal["token", "leaky"] | None
    name: str
    queue_limit: int | None
    rate: int | float | str


class LinkTable(TypedDict):
    buffer: int | float | str | None
    congestion_control: str | None
    connections: str | None
    delay: int | float | str | None
    initial_window: int | None
    jitter: int | float | str | None
    loss: int | float | str | None
    minimum_timeout: int | float | str | None
    name: str
    rate: int | float | str | None
    segment: int | float | str | None


class MachineTable(TypedDict):
    burst: int | float | str | None
    context_switch: int | float | str | None
    cores: int
    cpu_limit: int | float | str | None
    demand: int | float | str | dict[str, int | float | str] | None
    name: str
    os: str
    period: int | float | str | None
    priority: int | str | None
    queue_limit: int | None
    quota: int | float | str | None
    scheduler: dict[str, Any] | None
    threads: int | str


class PoolTable(TypedDict):
    name: str
    queue_limit: int | None
    size: int


ScaleTable = TypedDict(
    "ScaleTable",
    {
        "delay": "int | float | str | None",
        "every": "int | float | str",
        "from": "int | None",
        "on": "str",
        "plan": "str | None",
        "target": "float",
        "to": "int | None",
        "tolerance": "float",
        "wait": "int | float | str | None",
    },
)


class ServiceTable(TypedDict):
    burst: int | float | str | None
    cores: list[int] | None
    cpu_limit: int | float | str | None
    demand: int | float | str | dict[str, int | float | str] | None
    machine: str
    name: str
    period: int | float | str | None
    priority: int | str | None
    queue_limit: int | None
    quota: int | float | str | None
    threads: int | str


class StationTable(TypedDict):
    batch: BatchTable | None
    deadline: dict[str, int | float | str]
    demand: int | float | str | dict[str, int | float | str] | None
    failure: FailureTable | None
    idle_for: int | float | str | None
    name: str
    newest_first_above: int | None
    policy: str
    priority: dict[str, int]
    queue_limit: int | None
    queue_timeout: int | float | str | None
    rate: str | None
    scale: ScaleTable | None
    servers: int
    setup: int | float | str | None
    weight: dict[str, float]
    when: str | None


StepTable = TypedDict(
    "StepTable",
    {
        "acquire": "str | None",
        "delay": "int | float | str | None",
        "demand": "int | float | str | None",
        "disk": "bool",
        "fork": "list[list[StepTable]] | None",
        "pass": "str | None",
        "receive": "str | None",
        "release": "str | None",
        "send": "str | None",
        "size": "int | float | str | None",
        "use": "str | None",
    },
)


class TokenServerTable(TypedDict):
    max_batch: int
    memory: int | None
    name: str
    prefill_chunk: int | None
    prompt_token_time: int | float | str | None
    request_time: int | float | str | None
    step_time: int | float | str


class Summary(TypedDict):
    by_population: NotRequired[dict[str, PopulationFigures]]
    by_request: dict[str, RequestFigures]
    byte_throughput: NotRequired[float]
    checks: NotRequired[dict[str, CheckCount]]
    clusters: NotRequired[dict[str, ClusterFigures]]
    dropped: int
    duration_s: float
    error_share_ci95: NotRequired[float]
    errors: int
    errors_by_kind: dict[str, int]
    errors_by_status: NotRequired[dict[str, int]]
    event_gap_s: NotRequired[TimeFigures]
    events: NotRequired[int]
    first_event_s: NotRequired[TimeFigures]
    generator: NotRequired[GeneratorFigures]
    generators: NotRequired[list[GeneratorNode]]
    goodput: NotRequired[GoodputFigures]
    independent_requests: float | None
    kind: str
    lateness_s: TimeFigures
    link: NotRequired[CrossedLink]
    links: NotRequired[dict[str, LinkFigures]]
    machines: NotRequired[dict[str, MachineFigures]]
    metrics: NotRequired[dict[str, TimeFigures]]
    model: str
    notes: list[str]
    objectives: NotRequired[list[ObjectiveFigures]]
    offered_rate: float
    output_tokens: NotRequired[int]
    page_errors: NotRequired[int]
    page_response_time_s: NotRequired[TimeFigures]
    pages: NotRequired[int]
    pools: dict[str, QueueFigures]
    prompt_tokens: NotRequired[int]
    replication_means_s: list[float]
    requests: int
    response_time_ci95: dict[str, list[float]]
    response_time_s: TimeFigures
    retries: int
    seed: int
    server_time_s: NotRequired[TimeFigures]
    server_timed: NotRequired[int]
    service_time_s: TimeFigures
    session_time_s: NotRequired[TimeFigures]
    sessions: int
    stations: dict[str, StationFigures]
    think_time_s: float | None
    throughput: float
    throughput_ci95: NotRequired[float]
    timeouts: int
    token_servers: NotRequired[dict[str, TokenServerFigures]]
    validity: NotRequired[list[CheckFinding]]
    waiting_s: NotRequired[TimeFigures]
    warmup_s: float
    warnings: list[str]


class CheckCount(TypedDict):
    failed: int
    passed: int


class CheckFinding(TypedDict):
    advice: str
    found: str
    name: str
    verdict: Literal["fine", "doubtful", "not to be trusted", "could not look"]


class ClusterFigures(TypedDict):
    dispatch: str
    imbalance: float
    servers: list[ServerFigures]
    waiting_mean: float


class CrossedLink(TypedDict):
    asked: str
    congestion_control: str
    from_target: NotRequired[dict[str, int]]
    seed: int
    spoilt: NotRequired[str]
    to_target: NotRequired[dict[str, int]]


class DemandFigures(TypedDict):
    cv2: float | None
    mean: float | None


class FlowIntervals(TypedDict):
    load: float
    queue_length_mean: float
    response_time_mean_s: float
    throughput: float


class GeneratorFigures(TypedDict):
    connections_max: int
    cpu_share: float
    descriptors_allowed: int | None
    interface_share: float | None
    loops: int
    without_core_share: float


class GeneratorNode(TypedDict):
    begun_late_s: float | None
    clock_drift_s: float | None
    clock_offset_s: float
    clock_uncertainty_s: float
    lost_at_s: float | None
    name: str
    of: int
    rows: NotRequired[RemoteRows]
    shares: list[int]
    taken_over_at_s: float | None
    taken_over_by: str | None


class GoodputFigures(TypedDict):
    rate: float
    requests: int
    share: float


class LimitFigures(TypedDict):
    periods: int
    throttled_periods: int
    throttled_s: float
    waited_s: float


class LinkFigures(TypedDict):
    bytes: int
    connections: int
    dropped: int
    load_back: float | None
    load_out: float | None
    lost: int
    retransmissions: int
    segments: int
    timeouts: int
    transfers: int


class MachineFigures(TypedDict):
    context_switches: int
    core_loads: list[float]
    core_tasks_mean: list[float]
    limits: NotRequired[dict[str, LimitFigures]]
    migrations: int
    os: str
    preemptions: int
    run_queue_max: int
    run_queue_mean: float


class ObjectiveFigures(TypedDict):
    interval: list[float] | None
    limit: float
    name: str
    of: str | None
    value: float | None
    verdict: Literal["met", "not met", "cannot tell"]
    words: str


class PopulationFigures(TypedDict):
    errors: int
    model: Literal["open", "closed", "partly-open"]
    offered_rate: float
    page_errors: NotRequired[int]
    page_response_time_s: NotRequired[TimeFigures]
    pages: NotRequired[int]
    requests: int
    response_time_s: TimeFigures
    session_time_s: NotRequired[TimeFigures]


class QueueFigures(TypedDict):
    load: float
    queue_length_max: int
    queue_length_mean: float
    queue_length_shares: NotRequired[list[float]]
    response_time_mean_s: float | None
    throughput: float | None


class RemoteRows(TypedDict):
    bytes: int | None
    missing: str | None
    node: str
    path: str
    rows: int | None
    sessions: int | None


class RequestFigures(TypedDict):
    bodies: NotRequired[dict[str, str]]
    causes: NotRequired[dict[str, int]]
    errors: int
    event_gap_s: NotRequired[TimeFigures]
    events: NotRequired[int]
    first_event_s: NotRequired[TimeFigures]
    output_tokens: NotRequired[int]
    prompt_tokens: NotRequired[int]
    requests: int
    response_time_s: TimeFigures


class ScaleFigures(TypedDict):
    additions: int
    removals: int
    servers_mean: float
    setups_mean: float


class ServerFigures(TypedDict):
    by_class: dict[str, int]
    hit_ratio: float | None
    load: dict[str, float]
    machine: NotRequired[MachineFigures]
    requests: int


class StationFigures(TypedDict):
    by_request: NotRequired[dict[str, StationRequestFigures]]
    ci95: NotRequired[FlowIntervals]
    demand_s: DemandFigures
    load: float
    queue_length_max: int
    queue_length_mean: float
    queue_length_shares: NotRequired[list[float]]
    response_time_mean_s: float | None
    scale: NotRequired[ScaleFigures]
    throughput: float | None


class StationRequestFigures(TypedDict):
    ci95: NotRequired[FlowIntervals]
    demand_s: DemandFigures
    load: float
    queue_length_mean: float
    response_time_mean_s: float | None
    throughput: float


TimeFigures = TypedDict(
    "TimeFigures",
    {
        "ci95": "float | None",
        "max": "float | None",
        "mean": "float | None",
        "min": "float | None",
        "p50": "float | None",
        "p90": "float | None",
        "p95": "float | None",
        "p99": "float | None",
        "p99.9": "float | None",
        "p99.99": "float | None",
        "sd": "float | None",
    },
)


class TokenServerFigures(TypedDict):
    fullness: float
    memory_max: int
    memory_mean: float
    output_token_rate: float
    preemptions: int
    prompt_token_rate: float
    running_max: int
    running_mean: float
    steps: int
