"""Import of PCM models: mistakes in files, and the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pcm_models as pcm
import pytest
from pcm_models import branch, call, cpu, loop

from thinktime import InputError
from thinktime.pcm import Choices, import_model, xmi

COMMAND = [sys.executable, "-c", "from thinktime.cli import main; main()"]
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "pcm" / "business-information"


def refusal(folder: Path, choices: Choices | None = None) -> str:
    with pytest.raises(InputError) as caught:
        import_model(folder, choices)
    return str(caught.value)


def replaced(folder: Path, file: str, old: str, new: str) -> Path:
    path = pcm.write(folder, [cpu("1")]) / f"m.{file}"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return folder


# ---- files


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    assert "has no file *.usagemodel" in refusal(tmp_path)
    assert "is no folder" in refusal(tmp_path / "nothing")


def test_several_files_of_a_kind(tmp_path: Path) -> None:
    folder = pcm.write(tmp_path, [cpu("1")])
    (folder / "other.usagemodel").write_text((folder / "m.usagemodel").read_text())
    message = refusal(folder)
    assert "several files *.usagemodel: m.usagemodel, other.usagemodel" in message
    assert "choose one with --usagemodel" in message
    import_model(folder, Choices(usagemodel="other.usagemodel"))
    assert "no.usagemodel" in refusal(folder, Choices(usagemodel="no.usagemodel"))


def test_a_missing_file_that_is_referred_to(tmp_path: Path) -> None:
    folder = pcm.write(tmp_path, [cpu("1")])
    (folder / "m.repository").unlink()
    message = refusal(folder)
    assert "the file 'm.repository' is not in" in message
    assert "m.usagemodel" in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no XML"),
        ("<a><b></a>", "is no XML: mismatched tag: line 1"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "has a document type (DTD)"),
        ("<a>" * 300 + "</a>" * 300, "nested deeper than 200"),
        *(
            (f'<?xml version="1.0" encoding="{name}"?><a/>', "is no XML: ")
            for name in ("X-unknown", "rot13", "undefined", "big5", "utf-7")
        ),
    ],
)
def test_files_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    folder = pcm.write(tmp_path, [cpu("1")], usagemodel=text)
    assert f"m.usagemodel: {message}" in refusal(folder)


def test_huge_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xmi, "BYTES_MAX", 1000)
    folder = pcm.write(tmp_path, [cpu("1")])
    assert "at most 1000 are read" in refusal(folder)


# ---- references


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("system", "#_front-provides", "#_nothing", "has no element with the id '_nothing'"),
        ("repository", 'id="_back"', 'id="_front"', "several elements with the id '_front'"),
        ("usagemodel", "m.repository#_front", "m.repository#//@x.7", "no element at '//@x.7'"),
        ("allocation", "#_front-at", "#_other", "`assemblyContext_AllocationContext` refers to"),
        ("allocation", "m.system#_front-at", "m.system#_back-at", "'front' is not allocated"),
        ("resourceenvironment", pcm.CPU, "_unknown", "the resource type"),
        ("resourceenvironment", "#ProcessorSharing", "#Lottery", "policy 'Lottery' is unknown"),
        ("resourceenvironment", 'Replicas="1"', 'Replicas="0"', "numberOfReplicas is '0'"),
        ("resourceenvironment", 'specification="1"', 'specification="0"', "rate above 0"),
        ("repository", pcm.CPU, pcm.HDD, "needs HDD, which the container 'one' does not have"),
        ("repository", 'describedService__SEFF="_front"', 'describedService__SEFF="_back"',
         "has no ResourceDemandingSEFF for 'front'"),
        ("repository", "seff:StartAction", "seff:StopAction", "needs a StartAction"),
        ("system", "ProvidedDelegationConnector\"", "Other\"", "nothing inside carries it out"),
        ("usagemodel", "usagemodel:OpenWorkload", "usagemodel:Other", "neither an OpenWorkload"),
        ("usagemodel", 'specification="Exp(1.0)"', 'specification=""', "needs a `specification`"),
        ("usagemodel", 'specification="Exp(1.0)"', 'specification="0"', "arrivals above 0"),
        ("usagemodel", "usagemodel:EntryLevelSystemCall", "usagemodel:Nap", "calls nothing"),
    ],
)  # fmt: skip
def test_mistakes_in_models(tmp_path: Path, file: str, old: str, new: str, message: str) -> None:
    assert message in refusal(replaced(tmp_path, file, old, new))


def test_messages_name_file_line_and_element(tmp_path: Path) -> None:
    folder = pcm.write(tmp_path, [cpu("1 +")])
    lines = (folder / "m.repository").read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "<resourceDemand_Action>" in text)
    assert refusal(folder).startswith(f"m.repository:{line}: resourceDemand_Action ")


def test_calls_without_end(tmp_path: Path) -> None:
    back = [cpu("1")]
    folder = pcm.write(tmp_path, [], repository=pcm.repository([call()], back))
    path = folder / "m.system"
    text = path.read_text().replace(
        'providingAssemblyContext_AssemblyConnector="_back-at"',
        'providingAssemblyContext_AssemblyConnector="_front-at"',
    )
    path.write_text(text)
    path = folder / "m.repository"
    path.write_text(path.read_text().replace('Service="_back"', 'Service="_front"'))
    assert "must not call one another without end" in refusal(folder)


def test_nothing_is_connected(tmp_path: Path) -> None:
    folder = pcm.write(tmp_path, [], repository=pcm.repository([call()], [cpu("1")]))
    path = folder / "m.system"
    path.write_text(path.read_text().replace('"composition:AssemblyConnector"', '"x:Other"'))
    assert "requires 'front-requires', to which nothing is connected" in refusal(folder)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (branch((0.0, [cpu("1")])), "are all 0"),
        (branch((1.5, [cpu("1")])), "branchProbability is '1.5'"),
        (branch(("1 > 2", [cpu("1")])), "no condition holds with probability 1"),
        (branch(("1 + 2", [cpu("1")])), "is neither true nor false"),
        (branch(), "needs a branch"),
        (loop("true", cpu("1")), "its count is no number"),
        (cpu('"a"'), "its demand is no number"),
        (cpu("size.VALUE"), "`size.VALUE` has no value here; known are: none"),
    ],
)
def test_mistakes_in_services(tmp_path: Path, action: pcm.Action, message: str) -> None:
    assert message in refusal(pcm.write(tmp_path, [action]))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (Choices(os="amiga"), "the operating system 'amiga' is unknown; known are linux-2.6.22"),
        (Choices(time_unit="weeks"), "the unit of time 'weeks' is unknown; known are s, ms"),
        (Choices(scenario="robots"), "has no usage scenario 'robots', only users"),
    ],
)
def test_wrong_choices(tmp_path: Path, choices: Choices, message: str) -> None:
    assert message in refusal(pcm.write(tmp_path, [cpu("1")]), choices)


# ---- command line


def thinktime(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, timeout=300
    )


def test_the_command_writes_the_files_and_says_what_it_made(tmp_path: Path) -> None:
    done = thinktime("import-pcm", str(EXAMPLE), "-o", "out", "--os", "windows-7", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "made machines: 1, pools: 1, requests: 5" in done.stdout
    assert "taken as 0.001 s" in done.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"workload.toml", "system.toml"}
    assert 'os    = "windows-7"' in (tmp_path / "out" / "system.toml").read_text()


def test_the_command_prints_json(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    pcm.write(folder, [pcm.fork([], [[cpu("1")]]), cpu("Norm(5, 1)")])
    done = thinktime("import-pcm", str(folder), "-o", "out", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found) == {"made", "time_unit_s", "not_carried", "files"}
    assert found["made"]["machines"] == 1
    assert len(found["not_carried"]) == 2
    assert {note["file"] for note in found["not_carried"]} == {"m.repository"}
    assert found["files"] == ["out/workload.toml", "out/system.toml"]


def test_the_command_lists_what_is_not_carried(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    pcm.write(folder, [pcm.action("EmitEventAction"), cpu("1")])
    done = thinktime("import-pcm", str(folder), "-o", "out", cwd=tmp_path)
    assert "not carried, or approximated:\n  m.repository: EmitEventAction" in done.stdout


def test_bad_input_ends_with_status_2(tmp_path: Path) -> None:
    done = thinktime("import-pcm", "nothing", cwd=tmp_path)
    assert done.returncode == 2
    assert "error: nothing is no folder" in done.stderr
    assert not (tmp_path / "imported").exists()
