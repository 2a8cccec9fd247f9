"""Results of machines, for tests."""

from __future__ import annotations

import thinktime as tt

WORKLOAD = """
name = "case"
[arrivals]
model   = "open"
rate    = "360/min"
profile = "sine(period=20min, low=1/3)"
[[request]]
name = "page"
weight = 70
get = "/page"
[[request]]
name = "monitoring"
weight = 20
get = "/monitoring"
[[request]]
name = "reporting"
weight = 10
get = "/reporting"
"""
SYSTEM = """
name = "bis"
[[machine]]
name = "server"
cores = 2
os = "linux-2.6.22"
demand.page = "5ms"
demand.monitoring = "250ms"
demand.reporting = "3s"
"""


def simulated(os="linux-2.6.22", *, duration="20min", **more):
    system = tt.System(SYSTEM).with_value("machine.server.os", os)
    return tt.simulate(tt.Workload(WORKLOAD), system, duration=duration, warmup=1, **more)


def machine(os, demand="'exp(10ms)'", **more):
    keys = "".join(f"{key} = {value}\n" for key, value in more.items())
    return tt.System(f"name='s'\n[[machine]]\nname='m'\nos='{os}'\ndemand={demand}\n{keys}")


def open_(rate, names=("a",)):
    requests = "".join(f"[[request]]\nname='{name}'\nget='/{name}'\n" for name in names)
    return tt.Workload(f"name='w'\n[arrivals]\nmodel='open'\nrate='{rate}/s'\n{requests}")
