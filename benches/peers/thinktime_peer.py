"""Thinktime itself: the whole call of `simulate`, as a user makes it."""

from __future__ import annotations

import thinktime as tt
from peers.measure import NotOfferedError, main
from peers.models import DEMAND, Model


def simulate(model: Model, requests: int, seed: int) -> tuple[int, float]:
    """One replication, without rows."""
    try:
        result = tt.simulate(
            tt.Workload(_workload(model)),
            tt.System(_system(model)),
            seed=seed,
            requests=requests,
            rows="none",
        )
    except tt.InputError as error:
        if model.policy in str(error):
            raise NotOfferedError("not yet") from None
        raise
    return result.summary["requests"], result.summary["response_time_s"]["mean"]


def _system(model: Model) -> str:
    law = "exp" if model.cv2 == 1.0 else "h2"
    shape = "" if model.cv2 == 1.0 else f", cv2={model.cv2}"
    return (
        f'name = "bench"\n[[station]]\nname = "server"\npolicy = "{model.policy}"\n'
        f'demand = "{law}({DEMAND}s{shape})"\n'
    )


def _workload(model: Model) -> str:
    text = f'name = "bench"\n[arrivals]\nmodel = "{model.population}"\n'
    if model.population == "closed":
        text += f"clients = {model.clients}\n"
    else:
        text += f'rate = "{model.rate / model.session_length}/s"\n'
    if model.population == "open":
        return text
    text += f'[session]\nthink = "exp({model.think}s)"\n'
    if model.population == "partly-open":
        text += f'requests = "geometric({model.session_length})"\n'
    return text


if __name__ == "__main__":
    main(tt.__version__, simulate)
