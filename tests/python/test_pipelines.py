"""The GitHub Action and the GitLab template: their own shell steps are run, against a server here.

The step that installs is not run verbatim, only parsed. In its place the directory of the present
installation is put first in PATH, which is also that step's result.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
import yaml
from real_runs import BUSY, ended_well

import thinktime as tt

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = Path(sys.executable).parent
WORKLOAD = 'name = "shop"\n[arrivals]\nmodel = "open"\nrate = "50/s"\n[slo]\np50 = "{p50}"\n'
SYSTEM = 'name = "s"\n[[station]]\nname = "server"\ndemand = "2ms"\n'
SLOWER = SYSTEM.replace("2ms", "12ms")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.toml").write_text(WORKLOAD.format(p50="5s"))
    (tmp_path / "bad.toml").write_text(WORKLOAD.format(p50="1us"))
    return tmp_path


@pytest.fixture
def url() -> Iterator[str]:
    with tt.serve(tt.System(SYSTEM)) as server:
        yield server.url


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    return kept | {"PATH": f"{INSTALLED}{os.pathsep}{kept['PATH']}"} | more


def shell(script: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """As both run a script: bash, which ends with the first command that fails."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=cwd, env=environment(**more), capture_output=True, text=True, timeout=300,
    )  # fmt: skip


# ---- GitHub


ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]


@dataclass
class Job:
    """The run: the status and the outputs of each step, and the summary of the job."""

    statuses: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    said: str = ""
    summary: str = ""

    def value(self, expression: str, inputs: dict[str, str]) -> str:
        """The value of an expression between `${{` and `}}`."""
        kind, *names = expression.split(".")
        if kind == "inputs":
            return inputs[names[0]]
        if kind == "steps":
            return self.outputs.get(names[0], {}).get(names[2], "")
        return {"github.action_path": str(ROOT), "runner.temp": "/nowhere"}[expression]

    def filled(self, text: str, inputs: dict[str, str]) -> str:
        """A text of the action with its expressions replaced."""
        return re.sub(
            r"\$\{\{ *([\w.-]+) *\}\}", lambda found: self.value(found[1], inputs), str(text)
        )

    def wanted(self, step: dict[str, Any], inputs: dict[str, str]) -> bool:
        """Whether the condition of a step holds; it is always that an input is not empty."""
        found = re.fullmatch(r"(inputs\.[\w-]+) != ''", step.get("if", "inputs.workload != ''"))
        assert found is not None, step["if"]
        return self.value(found[1], inputs) != ""


def job(cwd: Path, **given: str) -> Job:
    """Run the action's steps as GitHub does: inputs in `env` alone, files for outputs and summary.

    A step that fails ends the action, because no step has `if: always()`.
    """
    defaults = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
    inputs = defaults | {name.replace("_", "-"): value for name, value in given.items()}
    assert set(inputs) == set(ACTION["inputs"])
    done = Job()
    for step in STEPS:
        if "run" not in step or step["id"] == "install" or not done.wanted(step, inputs):
            continue
        files = {
            name: str(cwd / f"{step['id']}-{name}")
            for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")
        }
        for path in files.values():
            Path(path).touch()
        env = {name: done.filled(value, inputs) for name, value in step.get("env", {}).items()}
        ran = shell(step["run"], cwd, **files, **env)
        lines = Path(files["GITHUB_OUTPUT"]).read_text().splitlines()
        done.outputs[step["id"]] = dict(line.split("=", 1) for line in lines)
        done.statuses[step["id"]] = ran.returncode
        done.said += ran.stdout + ran.stderr
        done.summary += Path(files["GITHUB_STEP_SUMMARY"]).read_text()
        if ran.returncode != 0:
            break
    return done


def test_the_page_uses_and_lists_the_inputs() -> None:
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    github, gitlab = (
        yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    )
    (given,) = [one["with"] for one in github["jobs"]["load-test"]["steps"] if "with" in one]
    assert set(given) <= set(ACTION["inputs"])
    for name in ACTION["inputs"]:
        assert re.search(rf"^\| .*`{name}`.* \|", page, re.M), name
    included = gitlab["include"][0]["inputs"]
    assert set(included) <= set(SPEC)
    assert {name for name, one in SPEC.items() if "default" not in one} <= set(included)


def test_no_input_reaches_a_shell_but_as_a_variable() -> None:
    for step in STEPS:
        assert "${{" not in step.get("run", ""), step["id"]
        assert ("run" in step) == ("shell" in step)
        assert ("run" in step) != ("uses" in step)
    for text in re.findall(r"\$\{\{ *inputs\.([\w-]+)", (ROOT / "action.yml").read_text()):
        assert text in ACTION["inputs"]


def test_the_step_that_installs_is_a_script() -> None:
    (install,) = [step for step in STEPS if step["id"] == "install"]
    done = subprocess.run(["bash", "-n"], input=install["run"], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert install["run"].splitlines()[-1] == 'echo "$TOOLS/bin" >> "$GITHUB_PATH"'


def test_a_good_server_passes(folder: Path, url: str) -> None:
    done = job(folder, workload="good.toml", target=url, options="--duration 1s  --label a*b")
    assert ended_well(int(done.outputs["run"]["status"]), done.said), done.said
    assert done.statuses["gate"] == int(done.outputs["run"]["status"])
    assert ("::error" in done.said) == (done.statuses["gate"] != 0)
    assert done.summary.startswith("## a\\*b\n")
    names = {path.name for path in (folder / "thinktime").iterdir()}
    assert names == {"result", "junit.xml", "report.html"}
    assert Xml.parse(folder / "thinktime" / "junit.xml").getroot().tag == "testsuites"
    assert "compare" not in done.statuses


def test_a_missed_objective_fails_the_gate_and_keeps_everything(folder: Path, url: str) -> None:
    done = job(folder, workload="bad.toml", target=url, options="--duration 1s", folder="a b")
    assert ended_well(int(done.outputs["run"]["status"]), done.said, 1), done.said
    assert done.statuses == {
        "run": 0, "report": 0, "gate": int(done.outputs["run"]["status"]),
    }  # fmt: skip
    assert "::error title=Thinktime::" in done.said
    assert "p50 is " in done.summary
    assert (folder / "a b" / "report.html").exists()
    assert (folder / "a b" / "junit.xml").exists()


@pytest.mark.parametrize(
    "given", [{"workload": "none.toml"}, {"options": "--duraton 1s"}, {"target": ""}]
)
def test_wrong_inputs_fail_the_gate_with_2(folder: Path, url: str, given: dict[str, str]) -> None:
    inputs = {"workload": "good.toml", "target": url, "options": "--duration 1s"}
    done = job(folder, **inputs | given, baseline="none")
    assert done.outputs["run"]["status"] == "2", done.said
    assert done.statuses["gate"] == 2
    assert "the command line or a file is wrong" in done.said


def test_a_slower_server_fails_against_its_baseline(folder: Path) -> None:
    """The baseline is simulated: its speed does not depend on other users of the machine."""
    baseline = folder / "before" / "result"
    tt.simulate(folder / "good.toml", tt.System(SYSTEM), duration="20s", output=baseline)
    with tt.serve(tt.System(SLOWER)) as slower:
        done = job(
            folder, workload="good.toml", target=slower.url, options="--duration 5s",
            baseline="before/result", fail_if="p50 > +50%\n\nthroughput < -90%\n",
        )  # fmt: skip
    assert ended_well(int(done.outputs["compare"]["status"]), done.said, 1), done.said
    assert done.statuses["gate"] in (1, BUSY)
    assert "p50 &gt; +50%: broken: " in done.summary
    cases = Xml.parse(folder / "thinktime" / "junit-compare.xml").getroot()[0]
    failed = [case.attrib["name"] for case in cases if case.find("failure") is not None]
    assert failed == ["p50 > +50%"]


# ---- GitLab


HEADER, TEMPLATE = (ROOT / "templates" / "thinktime.yml").read_text("utf-8").split("\n---\n")
SPEC: dict[str, Any] = yaml.safe_load(HEADER)["spec"]["inputs"]


def gitlab_job(**given: str) -> dict[str, Any]:
    """The one job of the template, with its inputs in their places."""
    inputs = {name: one.get("default") for name, one in SPEC.items()} | given
    text = re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: inputs[found[1]], TEMPLATE)
    assert "$[[" not in text
    (found,) = yaml.safe_load(text).values()
    return found


@pytest.mark.parametrize(("workload", "status"), [("good", 0), ("bad", 1), ("none", 2)])
def test_the_gitlab_job_runs(folder: Path, url: str, workload: str, status: int) -> None:
    found = gitlab_job(
        package="thinktime.whl", workload=f"{workload}.toml", target=url, options="--duration 1s"
    )
    done = shell("\n".join(found["script"]), folder, **found["variables"])
    assert ended_well(done.returncode, done.stderr, status), done.stderr
    junit = folder / found["artifacts"]["reports"]["junit"]
    assert junit.parent == folder / found["artifacts"]["paths"][0]
    assert found["artifacts"]["when"] == "always"
    names = {path.name for path in (folder / "thinktime").iterdir()}
    whole = {"result", "junit.xml", "report.html", "summary.md"}
    assert names == (set() if status == 2 else whole)


def test_inputs_of_the_gitlab_job_are_its_variables() -> None:
    """Inputs reach the shell in variables, and those without a default must be given."""
    assert {name for name, one in SPEC.items() if "default" not in one} == {
        "package", "workload", "target",
    }  # fmt: skip
    found = yaml.safe_load(TEMPLATE.replace("$[[ inputs.job ]]", "job"))["job"]
    assert "$[[" not in "".join(found["script"] + found["before_script"])
    for line in found["before_script"]:
        assert subprocess.run(["bash", "-n", "-c", line]).returncode == 0
