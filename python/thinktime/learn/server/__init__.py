"""A model of the server behind a log: demands by kind of request, policy, number of workers.

`learn_server` uses durations and the requests present at the same time, `with_reach` finds the rate
of requests up to which its result can be trusted, and `system_text` writes it as a system file.
"""

from thinktime.candidates.policies import Policy
from thinktime.learn.server.choice import Choice
from thinktime.learn.server.laws import Law
from thinktime.learn.server.model import Demand, Server, learn_server
from thinktime.learn.server.text import system_text
from thinktime.learn.server.valid_rate import with_reach

__all__ = [
    "Choice", "Demand", "Law", "Policy", "Server", "learn_server", "system_text", "with_reach",
]  # fmt: skip
