"""KubeRay accepts the example for Kubernetes, and Thinktime its command.

The accepted form is in rayjob_schema.json: the part of the published definition of a RayJob that
contains the example, and the names and types of everything beside it.
"""

from __future__ import annotations

import copy
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_commands import parsed

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema, which comes with Ray, is absent")
yaml = pytest.importorskip("yaml", reason="YAML is read with pyyaml")

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "kubernetes"
SCHEMA = json.loads((Path(__file__).parent / "rayjob_schema.json").read_text("ascii"))


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((EXAMPLE / "rayjob.yaml").read_text("ascii")))


@pytest.fixture(scope="module")
def job(documents: list[dict[str, Any]]) -> dict[str, Any]:
    return documents[0]


def pods(job: dict[str, Any]) -> list[dict[str, Any]]:
    """The contents of the pods of the head and of each group."""
    cluster = job["spec"]["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    return [group["template"]["spec"] for group in groups]


def test_kuberay_takes_the_job(job: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(job, SCHEMA)


def a_wrong_word(job: dict[str, Any]) -> None:
    job["spec"]["entryPoint"] = job["spec"].pop("entrypoint")


def a_number_for_a_text(job: dict[str, Any]) -> None:
    job["spec"]["rayClusterSpec"]["headGroupSpec"]["rayStartParams"]["num-cpus"] = 0


def no_template(job: dict[str, Any]) -> None:
    del job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["template"]


def a_mode_that_is_none(job: dict[str, Any]) -> None:
    job["spec"]["rayClusterSpec"]["authOptions"]["mode"] = "tokens"


def a_container_without_a_name(job: dict[str, Any]) -> None:
    del pods(job)[1]["containers"][0]["name"]


@pytest.mark.parametrize(
    "spoil",
    [a_wrong_word, a_number_for_a_text, no_template, a_mode_that_is_none,
     a_container_without_a_name],
)  # fmt: skip
def test_what_kuberay_would_refuse_is_found(
    job: dict[str, Any], spoil: Callable[[dict[str, Any]], None]
) -> None:
    wrong = copy.deepcopy(job)
    spoil(wrong)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMA)


def test_the_command_is_understood_and_its_files_are_there(
    documents: list[dict[str, Any]],
    job: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = shlex.split(job["spec"]["entrypoint"])
    assert words[0] == "thinktime"
    head = pods(job)[0]
    mounts = {one["mountPath"]: one["name"] for one in head["containers"][0]["volumeMounts"]}
    # The driver runs on the head: its files are mounted there.
    workload, output = Path(words[2]), Path(words[words.index("-o") + 1])
    volumes = {one["name"]: one for one in head["volumes"]}
    config = volumes[mounts[str(workload.parent)]]["configMap"]["name"]
    claim = volumes[mounts[str(output.parent)]]["persistentVolumeClaim"]["claimName"]
    assert claim in [one["metadata"]["name"] for one in documents[1:]]
    says = (EXAMPLE / "rayjob.yaml").read_text("ascii")
    assert f"kubectl create configmap {config} --from-file=examples/{workload.name}" in says
    monkeypatch.chdir(tmp_path)
    for path in (workload, output):
        words[words.index(str(path))] = path.name
    (tmp_path / workload.name).write_text((EXAMPLE.parent / workload.name).read_text("utf-8"))
    parsed(words[1:])


def test_all_nodes_have_one_image_with_the_ray_that_is_named(job: dict[str, Any]) -> None:
    images = {container["image"] for pod in pods(job) for container in pod["containers"]}
    assert len(images) == 1
    lines = (EXAMPLE / "Containerfile").read_text("ascii").replace("\\\n", " ").splitlines()
    said = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    assert [word for word, _ in said] == ["FROM", "COPY", "RUN", "ENV"]
    version = job["spec"]["rayClusterSpec"]["rayVersion"]
    assert said[0][1].partition(":")[2].startswith(f"{version}-py3")
    assert f"-t {images.pop()} " in (EXAMPLE / "Containerfile").read_text("ascii")
    # Authentication came with Ray 2.52, and the wheels are those of `make wheel`.
    assert tuple(map(int, version.split("."))) >= (2, 52)
    assert job["spec"]["rayClusterSpec"]["authOptions"]["mode"] == "token"
    assert said[1][1].startswith("dist/")
    assert said[3][1].split() == ["RAY_USAGE_STATS_ENABLED=0", "RAY_worker_niceness=0"]


def test_each_generator_has_a_core_and_the_head_makes_no_load(job: dict[str, Any]) -> None:
    cluster = job["spec"]["rayClusterSpec"]
    assert cluster["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0"
    for pod in pods(job):
        resources = pod["containers"][0]["resources"]
        assert resources["requests"] == resources["limits"]
        assert int(resources["limits"]["cpu"]) >= 1
    for group in cluster["workerGroupSpecs"]:
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
