"""One run of Thinktime against a database, described by a JSON object; prints its cost."""

from __future__ import annotations

import json
import sys

from thinktime_run import cpu_s, system_s

import thinktime as tt


def main() -> None:
    """Run, and print."""
    job = json.loads(sys.argv[1])
    workload = tt.Workload(job["text"])
    run = tt.run  # its modules are loaded now: they do not count as the generator's
    before, before_system = cpu_s(), system_s()
    result = run(workload, job["url"], duration=job["seconds"], rows="none")
    spent, system = cpu_s() - before, system_s() - before_system
    summary = result.summary
    if summary["errors"]:
        raise SystemExit(f"{summary['errors_by_kind']}")
    late = summary["lateness_s"]["p99"]
    found = {"requests": summary["requests"], "lateness_p99_s": late}
    print(json.dumps(found | {"cpu_s": spent, "system_s": system}))


if __name__ == "__main__":
    main()
