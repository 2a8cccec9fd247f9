"""Exact queueing theory, to check simulated and measured results.

Every time is in seconds and every rate per second; any other unit of time works as well, if it is
used throughout. If a response time has a known law, it is a `Law`: ``mean``, ``sf(t)`` = P(T > t)
and ``percentile(p)``.

>>> from thinktime.theory import Hyperexponential, mh1_response, rate_for_load
>>> demand = Hyperexponential.balanced(mean=0.010, cv2=8)
>>> response = mh1_response(rate_for_load(0.8, demand.mean), demand)
>>> round(response.mean, 6), round(response.percentile(0.99), 6)
(0.19, 1.117006)
"""

from thinktime.theory._checks import PrecisionError
from thinktime.theory.closed import (
    ClosedStation,
    closed_fcfs,
    mm1n,
    saturated_mean_response,
    think_time_for_load,
)
from thinktime.theory.demand import (
    Demand,
    DemandLaw,
    Deterministic,
    Hyperexponential,
    Moments,
)
from thinktime.theory.demand_laws import (
    Gamma,
    NumericalDemand,
    Uniform,
)
from thinktime.theory.fcfs_response import FcfsResponse
from thinktime.theory.law import Law
from thinktime.theory.mixed import ClosedClass, MixedNetwork, OpenClass, mixed_mva
from thinktime.theory.mva import ClosedNetwork, Station, mva
from thinktime.theory.open_queue import (
    MmcResponse,
    Waiting,
    erlang_b,
    erlang_c,
    mg1_mean_response,
    mg1_mean_waiting,
    mg1_waiting_variance,
    mh1_response,
    mh1_waiting,
    mm1_response,
    mmc_response,
    mmc_waiting,
    partly_open_mean_response,
    partly_open_mean_sessions,
    ps_conditional_response,
    ps_mean_response,
)
from thinktime.theory.operational import (
    Bounds,
    asymptotic_bounds,
    balanced_job_bounds,
    interactive_response_time,
    knee,
    little,
    load_at,
    rate_for_load,
)
from thinktime.theory.priority import (
    PriorityClass,
    PriorityTimes,
    conserved_waiting,
    highest_class_ps_response,
    non_preemptive_priority,
    peljf,
    pesjf,
    preemptive_priority,
)
from thinktime.theory.retries import (
    RetryCapacity,
    RetryEquilibrium,
    late_fraction,
    mm1_retry_capacity,
    retry_capacity,
    retry_equilibrium,
    surely_stable,
)
from thinktime.theory.size_based import (
    las_conditional_response,
    las_mean_response,
    ljf_conditional_response,
    ljf_mean_response,
    plcfs_conditional_response,
    plcfs_mean_response,
    psjf_conditional_response,
    psjf_mean_response,
    sjf_conditional_response,
    sjf_mean_response,
    srpt_conditional_response,
    srpt_mean_response,
)
from thinktime.theory.tcp import (
    TcpPath,
    slow_start_rounds,
    tcp_setup_time,
    tcp_throughput,
    tcp_transfer_time,
)
from thinktime.theory.transform import (
    Mg1Response,
    Mg1Waiting,
    mg1_response,
    mg1_waiting,
)
from thinktime.theory.varying_speed import (
    Delay,
    StationAtSpeeds,
    closed_at_speeds,
    delayed_busy_share,
    delayed_mean_response,
    interrupted_demand,
    open_at_speeds,
    repair_delay,
)

__all__ = [
    "Bounds",
    "ClosedClass",
    "ClosedNetwork",
    "ClosedStation",
    "Delay",
    "Demand",
    "DemandLaw",
    "Deterministic",
    "FcfsResponse",
    "Gamma",
    "Hyperexponential",
    "Law",
    "Mg1Response",
    "Mg1Waiting",
    "MixedNetwork",
    "MmcResponse",
    "Moments",
    "NumericalDemand",
    "OpenClass",
    "PrecisionError",
    "PriorityClass",
    "PriorityTimes",
    "RetryCapacity",
    "RetryEquilibrium",
    "Station",
    "StationAtSpeeds",
    "TcpPath",
    "Uniform",
    "Waiting",
    "asymptotic_bounds",
    "balanced_job_bounds",
    "closed_at_speeds",
    "closed_fcfs",
    "conserved_waiting",
    "delayed_busy_share",
    "delayed_mean_response",
    "erlang_b",
    "erlang_c",
    "highest_class_ps_response",
    "interactive_response_time",
    "interrupted_demand",
    "knee",
    "las_conditional_response",
    "las_mean_response",
    "late_fraction",
    "little",
    "ljf_conditional_response",
    "ljf_mean_response",
    "load_at",
    "mg1_mean_response",
    "mg1_mean_waiting",
    "mg1_response",
    "mg1_waiting",
    "mg1_waiting_variance",
    "mh1_response",
    "mh1_waiting",
    "mixed_mva",
    "mm1_response",
    "mm1_retry_capacity",
    "mm1n",
    "mmc_response",
    "mmc_waiting",
    "mva",
    "non_preemptive_priority",
    "open_at_speeds",
    "partly_open_mean_response",
    "partly_open_mean_sessions",
    "peljf",
    "pesjf",
    "plcfs_conditional_response",
    "plcfs_mean_response",
    "preemptive_priority",
    "ps_conditional_response",
    "ps_mean_response",
    "psjf_conditional_response",
    "psjf_mean_response",
    "rate_for_load",
    "repair_delay",
    "retry_capacity",
    "retry_equilibrium",
    "saturated_mean_response",
    "sjf_conditional_response",
    "sjf_mean_response",
    "slow_start_rounds",
    "srpt_conditional_response",
    "srpt_mean_response",
    "surely_stable",
    "tcp_setup_time",
    "tcp_throughput",
    "tcp_transfer_time",
    "think_time_for_load",
]
