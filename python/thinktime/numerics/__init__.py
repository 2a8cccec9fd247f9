"""The functions of scipy that are needed, imported when one of them is first called.

Importing scipy takes longer than a small simulation, and many commands need none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def _when_called(module: str, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] | None = None

    def function(*arguments: Any, **named: Any) -> Any:
        nonlocal found
        if found is None:
            found = getattr(import_module(module), name)
        return found(*arguments, **named)

    function.__name__ = function.__qualname__ = name
    return function


brentq = _when_called("scipy.optimize", "brentq")
minimize_scalar = _when_called("scipy.optimize", "minimize_scalar")
bdtr = _when_called("scipy.special", "bdtr")
betainc = _when_called("scipy.special", "betainc")
exprel = _when_called("scipy.special", "exprel")
fdtrc = _when_called("scipy.special", "fdtrc")
gammainc = _when_called("scipy.special", "gammainc")
gammaincc = _when_called("scipy.special", "gammaincc")
gammaincinv = _when_called("scipy.special", "gammaincinv")
gammaln = _when_called("scipy.special", "gammaln")
ndtr = _when_called("scipy.special", "ndtr")
ndtri = _when_called("scipy.special", "ndtri")
stdtr = _when_called("scipy.special", "stdtr")
stdtrit = _when_called("scipy.special", "stdtrit")
wrightomega = _when_called("scipy.special", "wrightomega")
xlogy = _when_called("scipy.special", "xlogy")
