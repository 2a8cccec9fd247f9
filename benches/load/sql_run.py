"""One run of Thinktime against a database, told by a JSON object; prints what it took."""

from __future__ import annotations

import json
import sys

from thinktime_run import cpu_s

import thinktime as tt


def main() -> None:
    """Run, and print."""
    job = json.loads(sys.argv[1])
    workload = tt.Workload(job["text"])
    before = cpu_s()
    result = tt.run(workload, job["url"], duration=job["seconds"], rows="none")
    spent = cpu_s() - before
    summary = result.summary
    if summary["errors"]:
        raise SystemExit(f"{summary['errors_by_kind']}")
    late = summary["lateness_s"]["p99"]
    print(json.dumps({"requests": summary["requests"], "cpu_s": spent, "lateness_p99_s": late}))


if __name__ == "__main__":
    main()
