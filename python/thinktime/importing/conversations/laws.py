"""Laws of whole numbers that were counted."""

from __future__ import annotations

from collections import Counter


def law(counts: Counter[int], values_max: int) -> str:
    """The distribution of counted numbers as in files, of at most ``values_max`` values.

    If there are no more, it is that of the data. Else neighbours are taken together and have their
    mean, rounded. Each group has about the same sum of its share of the numbers and its share of
    their total, so that the few large ones, which bring most of the work, stay apart.
    """
    merged = counts if len(counts) <= values_max else _merged(counts, values_max)
    if len(merged) == 1:
        return str(next(iter(merged)))
    whole = merged.total()
    return f"discrete({', '.join(f'{n}/{whole}: {value}' for value, n in sorted(merged.items()))})"


def _merged(counts: Counter[int], values_max: int) -> Counter[int]:
    whole = counts.total()
    total = sum(value * number for value, number in counts.items())
    groups: dict[int, list[int]] = {}
    before = 0.0
    for value, number in sorted(counts.items()):
        weight = (number / whole + value * number / total) / 2
        group = min(int((before + weight / 2) * values_max), values_max - 1)
        before += weight
        held = groups.setdefault(group, [0, 0])
        held[0] += number
        held[1] += value * number
    merged: Counter[int] = Counter()
    for number, amount in groups.values():
        merged[round(amount / number)] += number
    return merged
