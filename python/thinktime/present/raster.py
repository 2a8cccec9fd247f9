"""A small picture as a data URI: one colour whose opacity shows the amount, on any paper."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LEAST = 47
"""The opacity, of 255, of any count above 0: a single request is visible.

There are 208 = 13 * 16 levels above it. If a logarithm is the half, the quarter or the eighth of
another, as that of 4 is of that of 16, its level is whole: all machines round it alike."""


def of_counts(counts: NDArray[np.float64], colour: str) -> str:
    """A PNG with a pixel for each count, the first row on top; 0 is transparent.

    Opacity goes with the logarithm, so that one of thousands is seen beside them.
    """
    rgb = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    most = float(counts.max(initial=0.0))
    share = np.log1p(counts) / np.log1p(most) if most > 0 else np.zeros_like(counts)
    opacity = np.where(counts > 0, _LEAST + (255 - _LEAST) * share, 0).round().astype(np.uint8)
    height, width = opacity.shape
    lines = np.zeros((height, 1 + width), dtype=np.uint8)  # each line begins with its filter: none
    lines[:, 1:] = opacity
    content = b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", bytes(rgb) * 256),
            _chunk(b"tRNS", bytes(range(256))),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
            _chunk(b"IEND", b""),
        )
    )
    return "data:image/png;base64," + base64.b64encode(content).decode()


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
