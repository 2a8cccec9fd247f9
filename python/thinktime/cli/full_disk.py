"""The errors of a place that takes no more."""

from __future__ import annotations

import errno

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""A full or broken disk, a quota, a limit of the size of files: the input is not wrong."""
