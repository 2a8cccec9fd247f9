"""The functions of scipy that theory needs, imported when one of them is first called.

Scipy takes longer to import than a small simulation takes, and most exact values do without it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def _when_called(module: str, name: str) -> Callable[..., Any]:
    def function(*arguments: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **named)

    function.__name__ = function.__qualname__ = name
    return function


brentq = _when_called("scipy.optimize", "brentq")
minimize_scalar = _when_called("scipy.optimize", "minimize_scalar")
betainc = _when_called("scipy.special", "betainc")
exprel = _when_called("scipy.special", "exprel")
gammainc = _when_called("scipy.special", "gammainc")
gammaincc = _when_called("scipy.special", "gammaincc")
gammaincinv = _when_called("scipy.special", "gammaincinv")
gammaln = _when_called("scipy.special", "gammaln")
wrightomega = _when_called("scipy.special", "wrightomega")
xlogy = _when_called("scipy.special", "xlogy")
