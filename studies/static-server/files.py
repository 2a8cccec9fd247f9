"""The files of the site: their sizes, and the share of requests for each.

The law is that of requests in SURGE (Barford and Crovella, SIGMETRICS 1998): a lognormal body and
a Pareto tail, cut at 2 MB as the sizes of the World Cup site of 1998 were.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import stats

BODY = stats.lognorm(s=1.339, scale=np.exp(7.881))
TAIL = stats.pareto(b=1.177, scale=3558)
IN_TAIL = 0.07
LARGEST = 2_000_000
SMALLEST = 50
POINTS = 200_000
HALVINGS = 12


@dataclass(frozen=True)
class File:
    """A file: its name, its size in bytes, and the share of requests for it."""

    name: str
    size: int
    share: float


def _quantiles() -> np.ndarray:
    """A number of equally probable sizes, the smallest first."""
    share = (np.arange(POINTS) + 0.5) / POINTS
    grid = np.geomspace(SMALLEST, LARGEST, 4000)
    law = (1 - IN_TAIL) * BODY.cdf(grid) + IN_TAIL * TAIL.cdf(grid)
    law = (law - law[0]) / (law[-1] - law[0])
    return np.exp(np.interp(share, law, np.log(grid)))


def site() -> list[File]:
    """All files, each for a part of the law, which is the smaller the larger they are.

    Half of the requests ask for the smaller half of the law, a quarter for the next quarter and so
    on; each such part is three files.
    """
    sizes = _quantiles()
    edges = [0.0]
    for k in range(1, HALVINGS + 1):
        begin, end = 1 - 0.5 ** (k - 1), 1 - 0.5**k if k < HALVINGS else 1.0
        edges += [begin + (end - begin) * part / 3 for part in (1, 2, 3)]
    found = []
    for number, (begin, end) in enumerate(pairwise(edges), 1):
        part = sizes[round(begin * POINTS) : round(end * POINTS)]
        found.append(File(f"file-{number:02}", round(float(part.mean())), len(part) / POINTS))
    return found


def moments(files: list[File]) -> tuple[float, float]:
    """The mean size in bytes, and the squared coefficient of variation."""
    mean = sum(file.share * file.size for file in files)
    return mean, sum(file.share * file.size**2 for file in files) / mean**2 - 1
