"""The studies' shared line chart, which lies a folder above."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from chart import LineChart

__all__ = ["LineChart"]
