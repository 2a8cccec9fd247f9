"""One run of Thinktime, described by a JSON object; prints requests, CPU seconds and lateness."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from pathlib import Path

import thinktime as tt

SCRIPT = 'return function(client)\n\twhile true do\n\t\tclient:get("/")\n\tend\nend\n'


def workload(work: dict, script: bool, directory: Path) -> tt.Workload:
    """The workload of that work."""
    if work["rate"]:
        model = f'model = "open"\nrate = "{work["rate"]}/s"'
        session = ""
    else:
        model = f'model = "closed"\nclients = {work["clients"]}'
        session = '[session]\nthink = "0s"\n'
    if script:
        (directory / "client.luau").write_text(SCRIPT)
        session = '[session]\nscript = "client.luau"\n'
    path = directory / "workload.toml"
    path.write_text(f'name = "bench"\n[arrivals]\n{model}\n{session}')
    return tt.Workload.load(path)


def cpu_s() -> float:
    """CPU seconds of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def system_s() -> float:
    """The kernel's share of these."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_stime


def main() -> None:
    """Run, and print."""
    job = json.loads(sys.argv[1])
    work = job["work"]
    url = work["url"].replace("http://", "h2c://") if work["http2"] else work["url"]
    options = {"insecure": url.startswith("https"), "lateness": work["lateness"]}
    with tempfile.TemporaryDirectory() as directory:
        client = workload(work, job["script"], Path(directory))
        run = tt.run  # its modules are loaded now: they do not count as the generator's
        before = cpu_s()
        result = run(client, url, duration=work["seconds"], rows="none", **options)
        spent = cpu_s() - before
    summary = result.summary
    if summary["errors"]:
        raise SystemExit(f"{summary['errors_by_kind']}")
    late = summary["lateness_s"]["p99"]
    print(json.dumps({"requests": summary["requests"], "cpu_s": spent, "lateness_p99_s": late}))


if __name__ == "__main__":
    main()
