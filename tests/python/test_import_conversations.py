"""Imports of data sets of conversations: turns and tokens, compared with direct arithmetic."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from import_results import imported, requests, table
from typer.testing import CliRunner

import thinktime as tt
from thinktime.cli import app
from thinktime.importing import import_file, import_text
from thinktime.importing.conversations.reading import VALUE_MAX

SERVER = Path(__file__).parents[2] / "examples" / "token-server.toml"


def conversation(*texts: str | None) -> dict[str, Any]:
    """ShareGPT's form: questions and answers in turn."""
    said = [{"from": ("human", "gpt")[at % 2], "value": one} for at, one in enumerate(texts)]
    return {"id": "x", "conversations": said}


def made_data(number: int, turns_max: int, seed: int = 7) -> list[list[str]]:
    """Texts of conversations, of four characters a token but for their ends."""
    draws = random.Random(seed)
    return [
        ["a" * draws.randint(1, 4000) for _ in range(2 * draws.randint(1, turns_max))]
        for _ in range(number)
    ]


def as_form(form: str, texts: list[list[str]]) -> str:
    """The same conversations in each form of data sets."""
    roles = {"sharegpt": ("human", "gpt")}.get(form, ("user", "assistant"))
    keys = {"sharegpt": ("conversations", "from", "value"), "lmsys": ("conversation", "role",
        "content")}.get(form, ("messages", "role", "content"))  # fmt: skip
    rows = [
        {keys[0]: [{keys[1]: roles[at % 2], keys[2]: one} for at, one in enumerate(said)]}
        for said in texts
    ]
    return "\n".join(map(json.dumps, rows)) if form == "lines" else json.dumps(rows, indent=1)


def expected(texts: list[list[str]]) -> dict[str, tuple[float, float]]:
    """The mean tokens of prompt and answer by the name of the turn, added up message by message."""
    sums: dict[str, list[int]] = {}
    longest = max(len(said) // 2 for said in texts)
    for said in texts:
        for turn in range(len(said) // 2):
            lengths = [max(1, round(len(one) / 4)) for one in said[: 2 * turn + 2]]
            name = f"turn-{turn + 1}" if turn < 7 or longest == 8 else "turn-8-on"
            held = sums.setdefault(name, [0, 0, 0])
            for at, more in enumerate((sum(lengths[:-1]), lengths[-1], 1)):
                held[at] += more
    return {name: (prompt / n, output / n) for name, (prompt, output, n) in sums.items()}


def mean(law: str) -> float:
    """The mean of a law of the file."""
    return tt.Distribution(law).mean


@pytest.mark.parametrize("form", ["sharegpt", "openai", "lmsys", "lines"])
@pytest.mark.parametrize("turns_max", [1, 8, 12])
def test_turns_and_tokens_are_those_of_the_data(form: str, turns_max: int) -> None:
    texts = made_data(150, turns_max)
    made = imported(as_form(form, texts))
    assert made.kind == "conversations"
    found, right = requests(made), expected(texts)
    assert list(found) == list(right)
    # Values are rounded after they are taken together, so each is off by half a token at most.
    for name, (prompt, output) in right.items():
        assert mean(found[name]["tokens"]["prompt"]) == pytest.approx(prompt, abs=0.5)
        assert mean(found[name]["tokens"]["output"]) == pytest.approx(output, abs=0.5)
    turns = mean(table(made)["session"]["requests"])
    assert turns == pytest.approx(sum(len(said) / 2 for said in texts) / len(texts))


def test_few_values_are_the_exact_law() -> None:
    data = [conversation("a" * 40, "b" * n) for n in (4, 4, 80)]
    data.append(conversation("a" * 40, "b" * 400, "c" * 20, "d" * 8))
    made = imported(json.dumps(data))
    first, second = requests(made).values()
    assert table(made)["session"]["requests"] == "discrete(3/4: 1, 1/4: 2)"
    assert first["tokens"] == {"prompt": "10", "output": "discrete(2/4: 1, 1/4: 20, 1/4: 100)"}
    assert second["tokens"] == {"prompt": "115", "output": "2"}  # 10 + 100 + 5
    assert second["json"]["messages"] == [{"role": "user", "content": "{words(115)}"}]
    assert second["json"]["max_tokens"] == 2
    assert first["json"]["max_tokens"] == f"{{{first['tokens']['output']}}}"
    assert (first["next"], second["next"]) == ({"turn-2": 1}, {"turn-2": 1})


def test_the_largest_values_stay_apart() -> None:
    """One answer in 1,000 has half of all tokens: the law keeps it."""
    data = [conversation("q", "b" * 4 * (1 + n % 100)) for n in range(999)]
    data.append(conversation("q", "b" * 4 * 50_000))
    (only,) = requests(imported(json.dumps(data))).values()
    law = only["tokens"]["output"]
    assert law.endswith("1/1000: 50000)")
    assert law.count(":") <= 20


def test_characters_per_token_are_an_option(tmp_path: Path) -> None:
    file = tmp_path / "data.json"
    file.write_text(json.dumps([conversation("a" * 30, "b" * 60)]))
    (only,) = requests(import_file(file, characters_per_token=3)).values()
    assert only["tokens"] == {"prompt": "10", "output": "20"}
    shown = CliRunner().invoke(app, ["import", str(file), "--characters-per-token", "6"])
    assert 'tokens = { prompt = "5", output = "10" }' in shown.stdout
    assert "characters divided by 6; a tokenizer may differ much" in shown.stderr
    for wrong in (0, 1000, float("nan")):
        with pytest.raises(tt.InputError, match="is not between"):
            import_file(file, characters_per_token=wrong)
    with pytest.raises(tt.InputError, match="--characters-per-token: is for conversations"):
        import_text(b"curl http://a.example/", "a", characters_per_token=4)
    with pytest.raises(tt.InputError, match="--folder: is for a script of k6"):
        import_file(file, folder=tmp_path)


def test_texts_beyond_ascii_are_doubted() -> None:
    notes = "\n".join(imported(json.dumps([conversation("你好" * 20, "bb" * 20)])).notes)
    assert "50 % of the characters are not ASCII" in notes
    assert "ASCII" not in "\n".join(imported(json.dumps([conversation("a", "b")])).notes)


def test_no_text_of_a_conversation_is_written() -> None:
    evil = "{empirical(/etc/passwd)}\n[slo]\x1b[2J secret"
    data = [conversation(evil, evil), {"conversations": [{"from": evil, "value": evil}]}]
    made = imported(json.dumps(data))
    for text in (made.text, *made.notes):
        assert "secret" not in text
        assert "empirical" not in text


def test_odd_conversations_are_counted_and_named() -> None:
    said = {"role": "user", "content": [{"type": "text", "text": "abcd"}, {"type": "image_url"}]}
    call = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f"}}]}
    data: list[Any] = [
        {"conversations": []}, {"conversations": None}, None, 7, [], {}, {"messages": "text"},
        conversation(None, "b"), conversation("a", None), conversation("a"), conversation("", ""),
        {"conversations": [{"from": "gpt", "value": "b"}, {"from": "human", "value": "a"}]},
        {"conversations": [{"from": 7, "value": {"a": 1}}, {"value": "a"}, "text", None]},
        {"messages": [said, call, {"role": "tool", "content": "abcd"},
                      {"role": "assistant", "content": "abcdabcd"}]},
        ["abcd" * 5, "abcd" * 3],
    ]  # fmt: skip
    made = imported(json.dumps(data), kind="conversations")
    first, second = requests(made).values()
    # The call of a function is 29 characters of JSON.
    assert len(json.dumps(call["tool_calls"])) == 29
    assert first["tokens"]["prompt"] == "discrete(1/2: 1, 1/2: 5)"
    assert first["tokens"]["output"] == "discrete(1/2: 3, 1/2: 7)"
    assert second["tokens"] == {"prompt": "9", "output": "2"}
    notes = "\n".join(made.notes)
    for text in (
        "conversation 1, 13 in all: conversations without an answer to a question are left out",
        "2 in all: answers without a question, which count as history, are left out",
        "questions without an answer are left out",
        "messages without a text are left out",
        "messages of an unknown role, which count as history, are left out",
        "parts of messages that are no text are left out",
    ):
        assert text in notes


def test_a_conversation_ends_before_a_turn_that_is_too_large() -> None:
    data = [conversation("a", "b", "c" * 600_000, "d", "e", "f"), conversation("c" * 600_000, "d")]
    made = imported(json.dumps(data))
    assert list(requests(made)) == ["turn-1"]
    assert "2 in all: turns from one with more than 131,072 tokens on" in "\n".join(made.notes)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[{"conversations": []}', r"data:1: the list does not end"),
        (
            '[\n{"conversations": []},\n{"conversations": ]',
            r"data:3: it is no JSON: Expecting value",
        ),
        ('{"messages": []}\n{"messages": []}\nno', r"data:3: it is no JSON"),
        ("[" * 100_000, r"data:1: it is (nested too deeply|no JSON)"),
        ('[{"messages": []}]', "has no conversation with an answer to a question"),
    ],
)
def test_what_is_no_data_set_is_an_error(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(tt.InputError, match=reason):
        import_text(text.encode(), "data", "conversations")
    file = tmp_path / "data"
    file.write_text(text)
    with pytest.raises(tt.InputError, match=reason):
        import_file(file, "conversations")


def test_a_value_without_an_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "data.json"
    file.write_text('[{"conversations": "' + "a" * (2 * VALUE_MAX + 4_000_000))
    with pytest.raises(tt.InputError, match=r"data\.json:1: .* more than 16,000,000 characters"):
        import_file(file, "conversations")


def test_values_across_the_pieces_of_a_file_are_whole(tmp_path: Path) -> None:
    """Conversations of 0.5 to 3 MB, in a file that is read by the MiB."""
    file = tmp_path / "data.jsonl"
    sizes = [500_000, 3_000_000, 1_048_570, 700_001]
    rows = [conversation(*["é" * 4_000] * 2, *["a"] * 2, None, "b" * size) for size in sizes]
    file.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in rows))
    made = import_file(file)
    assert "(4 of 4 conversations)" in made.text
    assert table(made)["session"]["requests"] == "2"


BOUNDED = """
import resource, sys
from pathlib import Path
from thinktime.importing import import_file
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
made = import_file(sys.argv[1])
print(made.requests, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_the_memory_of_a_large_file_is_bounded(tmp_path: Path) -> None:
    """200 MB take what a piece and a few conversations take; the whole would be far more."""
    file = tmp_path / "data.json"
    row = json.dumps(conversation(*["word " * 2_000] * 10)).encode()
    with file.open("wb") as out:
        out.write(b"[" + row)
        for _ in range(200_000_000 // len(row)):
            out.write(b",\n" + row)
        out.write(b"]")
    command = [sys.executable, "-c", BOUNDED, str(file)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    number, kilobytes = map(int, shown.split())
    assert number == 5
    assert kilobytes < 60_000


def short_data() -> list[list[str]]:
    """Conversations of up to three turns, each text with at most 100 tokens."""
    return [[one[:400] for one in said] for said in made_data(40, 3)]


def test_a_simulation_has_the_tokens_of_the_data(tmp_path: Path) -> None:
    """Means of 20,000 requests under a fixed seed.

    Under another one their standard error is below 1 %, so that 5 % would be exceeded once in more
    than a million times.
    """
    texts = short_data()
    file = tmp_path / "chat.toml"
    file.write_text(imported(as_form("sharegpt", texts)).text)
    found = tt.simulate(file, SERVER, requests=20_000, warmup=0).summary
    lengths = [[max(1, round(len(one) / 4)) for one in said] for said in texts]
    turns = sum(len(said) // 2 for said in texts)
    prompts = sum(sum(said[: at + 1]) for said in lengths for at in range(0, len(said), 2))
    outputs = sum(sum(said[1::2]) for said in lengths)
    of_request = found["prompt_tokens"] / found["requests"]
    assert of_request == pytest.approx(prompts / turns, rel=0.05)
    of_request = found["output_tokens"] / found["requests"]
    assert of_request == pytest.approx(outputs / turns, rel=0.05)


def values_of(law: str) -> set[int]:
    """The values of a discrete law."""
    return {int(part.split(": ")[1]) for part in law[len("discrete(") : -1].split(", ")}


def test_a_real_server_of_tokens_counts_the_words_that_are_sent(tmp_path: Path) -> None:
    """By its bodies alone: each response reports numbers that the laws of its turn have."""
    made = imported(as_form("sharegpt", short_data()))
    file = tmp_path / "chat.toml"
    file.write_text(made.text)
    with tt.serve(SERVER) as server:
        result = tt.run(file, server.url, requests=30, rate="20/s", think="0s", warmup=0)
    assert result.summary["errors"] == 0
    kinds = list(requests(made).values())
    rows = pl.DataFrame(result.requests).filter(pl.col("prompt_tokens").is_not_null())
    assert len(rows) >= 30
    for row in rows.iter_rows(named=True):
        tokens = kinds[row["request"]]["tokens"]
        assert row["prompt_tokens"] in values_of(tokens["prompt"])
        assert row["output_tokens"] in values_of(tokens["output"])
