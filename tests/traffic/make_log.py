"""Write the log of a scenario: `.venv/bin/python tests/traffic/make_log.py busy-ps access.log 0.3`.

The last number is the scale, as in `scenario`. It makes a log for experiments.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from traffic.scenarios import SCENARIOS, scenario


def main(name: str, path: str, scale: str = "1") -> None:
    """Write the log alone, without its truth."""
    text = scenario(name, scale=float(scale)).text
    Path(path).write_text(text, encoding="utf-8")
    print(f"{path}: {text.count(chr(10))} lines")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in SCENARIOS:
        sys.exit(f"usage: make_log.py SCENARIO FILE [SCALE], of {', '.join(SCENARIOS)}")
    main(*sys.argv[1:])
