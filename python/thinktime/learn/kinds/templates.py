"""Templates of paths: `/item/*` for all paths that differ in one place only.

A segment of a path is variable by its look (numbers, UUIDs, dates, mail addresses), by the segment
before it (`/u/`), or if many different words occur in the same place with the same segments behind.
All work is done on columns of hashes, one for each level of segments, so that a million paths take
as long as a few passes over them; their texts are held in parts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from thinktime.learn.kinds.private import COMMON, ENDINGS, LONG, ODD, OWNED, TOKEN, VARIABLE

DEPTH = 6
"""The number of segments that are distinguished; deeper ones are one variable."""

ALIKE = 15
"""From this many different words on, with the same segments behind, a place is variable."""

ALIKE_OBJECTS = 3
"""The same for embedded objects: names of pictures do not matter to a journey."""

ALIKE_FIRST = 40
"""The same directly behind the first slash, where a site's main pages are."""

CROWDED = 400
"""From this many different words on a place is variable, whatever follows."""

AT_A_TIME = 100_000
"""The segments of this many paths are held at the same time."""

POPULAR = 0.004
"""Words directly behind the first slash with at least this share of the requests are kept."""

BOXES = 1 << 16
"""Words are first counted by this many parts of their hashes."""

_LOOKS = f"{VARIABLE}|{ODD}"
_KNOWN = re.compile(ENDINGS)
Hashes = NDArray[np.uint64]
_STAR = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xFF51AFD7ED558CCD)


@dataclass(frozen=True)
class Templates:
    """Paths, gathered by template."""

    of_path: NDArray[np.int64]
    """The template of each path, counted from 0."""

    texts: list[str]
    """The paths of the templates, with ``*`` for variable parts: encoded as in the log."""

    by_words: NDArray[np.bool_]
    """Whether each path is in its template because of many words in a place, not by its look."""

    paths: pl.Series
    """The paths."""


def templates(paths: pl.Series, objects: NDArray[np.bool_], asked: NDArray[np.int64]) -> Templates:
    """Gather ``paths``; ``objects`` marks embedded ones, ``asked`` counts the requests for each.

    Paths that do not begin with a slash are one template with an empty text.
    """
    hashes, starred, ending = _hashed(paths)
    by_words = _fold(hashes, starred, ending, objects, asked)
    whole = np.zeros(len(paths), np.uint64)
    for level in hashes:
        whole = _mixed(whole, level)
    proper = paths.str.starts_with("/").to_numpy()
    whole[~proper] = 0
    _, first, of_path = np.unique(whole, return_index=True, return_inverse=True)
    stars = np.stack([level[first] for level in starred])
    texts = [
        _text(path, stars[:, at]) if path.startswith("/") else ""
        for at, path in enumerate(paths.gather(first).to_list())
    ]
    return Templates(of_path.astype(np.int64), texts, by_words, paths)


def _hashed(paths: pl.Series) -> tuple[list[Hashes], list[NDArray[np.bool_]], Hashes]:
    """A hash of each segment, 0 for none; whether it is variable; a hash of the path's ending."""
    parts = [paths.slice(at, AT_A_TIME) for at in range(0, len(paths), AT_A_TIME)]
    deepest = max((_deepest(part) for part in parts), default=0)
    hashes = [np.zeros(len(paths), np.uint64) for _ in range(deepest + 1)]
    starred = [np.zeros(len(paths), np.bool_) for _ in range(deepest + 1)]
    ending = np.zeros(len(paths), np.uint64)
    for number, part in enumerate(parts):
        here = slice(number * AT_A_TIME, number * AT_A_TIME + len(part))
        before: pl.Series | None = None
        for at, level in enumerate(_levels(part, deepest)):
            there = level.is_not_null().to_numpy()
            if at == DEPTH:  # segments beyond the levels
                star, ends = there, np.zeros(len(there), np.uint64)
            else:
                star, ends = _variable(level, before)
            words = level.hash().to_numpy() | np.uint64(1)
            stars = _mixed(np.full(len(star), _STAR), ends)
            hashes[at][here] = np.where(there, np.where(star, stars, words), 0)
            starred[at][here] = star
            ending[here] = np.where(there, ends, ending[here])
            before = level
    return hashes, starred, ending


def _deepest(paths: pl.Series) -> int:
    """The most slashes in a path behind its first, up to `DEPTH`."""
    slashes = paths.str.strip_prefix("/").str.count_matches("/", literal=True).to_numpy()
    return min(int(slashes.max(initial=0)), DEPTH)


def _levels(paths: pl.Series, deepest: int) -> list[pl.Series]:
    """The segments of each level; null behind the last one."""
    rest = paths.str.strip_prefix("/")
    return list(rest.str.splitn("/", deepest + 1).struct.unnest().get_columns())


def _variable(level: pl.Series, before: pl.Series | None) -> tuple[NDArray[np.bool_], Hashes]:
    """Whether each segment of a level looks variable, and a hash of its ending; 0 for none."""
    star = level.str.contains(_LOOKS).fill_null(False).to_numpy().copy()
    long = _places(level.str.len_bytes() >= TOKEN, star)
    if len(long):
        star[long] = _key(level.gather(long))
    ends = np.zeros(len(level), np.uint64)
    dotted = np.flatnonzero(level.str.contains(".", literal=True).fill_null(False).to_numpy())
    if len(dotted):
        found = level.gather(dotted).str.extract(rf"^(.*?)(\.(?:{ENDINGS}))?$", 2)
        stem = level.gather(dotted).str.replace(rf"\.(?:{ENDINGS})$", "")
        ends[dotted] = np.where(found.is_not_null(), found.hash().to_numpy(), 0)
        star[dotted] |= stem.str.contains(".", literal=True).to_numpy()
    if before is not None:
        owned = _places(before.str.contains(OWNED), star)
        it = level.gather(owned)
        star[owned] = (~it.str.contains(COMMON) & (it != "")).fill_null(False).to_numpy()
    return star, ends


def _places(those: pl.Series, done: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The places at which a condition holds and nothing is decided yet."""
    return np.flatnonzero(those.fill_null(False).to_numpy() & ~done)


def _key(words: pl.Series) -> NDArray[np.bool_]:
    """Whether each of some long words looks like a key, or is too long for one page's name."""
    stem = words.str.replace(rf"\.(?:{ENDINGS})$", "")
    mixed = stem.str.contains(r"\d") & stem.str.contains("[A-Za-z]") & ~stem.str.contains("[-_]")
    return (mixed | (stem.str.len_bytes() > LONG)).to_numpy()


def _mixed(one: Hashes, other: Hashes) -> Hashes:
    """A hash of two in their order."""
    both = (one ^ (one >> np.uint64(29))) * _MIX + other
    return np.asarray((both ^ (both >> np.uint64(32))) * _STAR, dtype=np.uint64)


def _fold(
    hashes: list[Hashes],
    starred: list[NDArray[np.bool_]],
    ending: Hashes,
    objects: NDArray[np.bool_],
    asked: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Make places with many words variable, from the first segment on.

    Returns the paths that have such places.
    """
    by_words = np.zeros(len(ending), bool)
    behind = [ending]
    for level in hashes[:0:-1]:
        behind.insert(0, _mixed(level, behind[0]))
    count = np.sum([level != 0 for level in hashes], axis=0).astype(np.uint64)
    before = np.zeros(len(ending), np.uint64)
    for at, level in enumerate(hashes):
        words = np.flatnonzero((level != 0) & ~starred[at])
        if len(words):
            same = _mixed(before, behind[at])[words]
            leaf = hashes[at + 1][words] == 0 if at + 1 < len(hashes) else np.ones(len(words), bool)
            least = np.where(
                objects[words] & leaf, ALIKE_OBJECTS, ALIKE_FIRST if at == 0 else ALIKE
            )
            folded = _different(same, level[words]) >= least
            folded |= _different(_mixed(before, count)[words], level[words]) >= CROWDED
            if at == 0 and folded.any():
                folded &= ~(_popular(level, asked)[words] & ~objects[words])
            level[words[folded]] = _mixed(
                np.full(folded.sum(), _STAR), np.where(leaf, ending[words], 0)[folded]
            )
            starred[at][words[folded]] = True
            by_words[words[folded]] = True
        before = _mixed(before, level)
    return by_words


def _different(place: Hashes, word: Hashes) -> NDArray[np.int64]:
    """The number of different words in the place of each."""
    _, first = np.unique(_mixed(place, word), return_index=True)
    places, many = np.unique(place[first], return_counts=True)
    return many[np.searchsorted(places, place)].astype(np.int64)


def _popular(word: Hashes, asked: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a word has a good share of all requests."""
    least = POPULAR * float(asked.sum())
    # Of a million words, few are in a box with enough requests.
    box = ((word >> np.uint64(1)) % np.uint64(BOXES)).astype(np.int64)
    popular: NDArray[np.bool_] = (np.bincount(box, asked) >= least)[box]
    at = np.flatnonzero(popular)
    _, place = np.unique(word[at], return_inverse=True)
    popular[at] = (np.bincount(place, asked[at]) >= least)[place]
    return popular


def _text(path: str, stars: NDArray[np.bool_]) -> str:
    """The path with variable parts as ``*``, before its ending."""
    parts = path.removeprefix("/").split("/", DEPTH)
    return "/" + "/".join(
        "*" + _ending(part) if star else part for part, star in zip(parts, stars, strict=False)
    )


def _ending(part: str) -> str:
    stem, _, end = part.rpartition(".")
    return f".{end}" if stem and _KNOWN.fullmatch(end) else ""
