"""Data sets of conversations with language models, as requests for a server of tokens.

The data are objects with messages, in one JSON list or one after another (JSON lines): those of
ShareGPT (``conversations`` with ``from`` and ``value``), those of OpenAI's interface (``messages``
with ``role`` and ``content``, as UltraChat has them), and those of LMSYS-Chat-1M and WildChat
(``conversation``). No text of them comes into the workload: only numbers do.

Source of the forms: https://platform.openai.com/docs/api-reference/chat, and the cards of the data
sets at https://huggingface.co/datasets.
"""

from __future__ import annotations

import io
from typing import TextIO

from thinktime import InputError
from thinktime.importing.conversations.laws import law
from thinktime.importing.conversations.reading import values
from thinktime.importing.conversations.tally import OWN_TURNS, Tally
from thinktime.importing.draft import DEFAULT_RATE, Body, Draft, Population, Request, stem
from thinktime.importing.marks import Marks

CHARACTERS_PER_TOKEN = 4.0
"""The usual rule for English texts. Source: OpenAI, *What are tokens and how to count them?*"""

TURNS_VALUES_MAX = 50
TOKENS_VALUES_MAX = 20
"""The most values of a law of turns, and of one of tokens."""

FOREIGN_SHARE = 0.1
"""From this share of characters beyond ASCII on, the estimate is too small by much."""

_WHY = (
    "Partly open: people begin conversations by themselves, and wait for each answer before the "
    "next question. The data have no rate of conversations: this one is a default to be changed."
)
_THINK = "exp(15s)"


def draft(
    text: str, file: str, name: str, characters_per_token: float = CHARACTERS_PER_TOKEN
) -> Draft:
    """The workload of a data set that is in memory.

    Raises:
        InputError: As `draft_of_stream`.
    """
    return draft_of_stream(io.StringIO(text), file, name, characters_per_token)


def draft_of_stream(
    stream: TextIO, file: str, name: str, characters_per_token: float = CHARACTERS_PER_TOKEN
) -> Draft:
    """The workload of a data set, of which one conversation at a time is in memory.

    Raises:
        InputError: It is not JSON, with the line; a conversation is too large; none has an
            answer to a question; or ``characters_per_token`` is not between 0.1 and 100.
    """
    if not 0.1 <= characters_per_token <= 100:
        raise InputError(
            f"--characters-per-token: {characters_per_token:g} is not between 0.1 and 100"
        )
    tally = Tally(characters_per_token)
    for one in values(stream, file):
        tally.add(one)
    if not tally.turns:
        said = f"has no conversation with an answer to a question{tally.noted().reasons()}"
        raise InputError(f"{file}: {said}")
    _say_doubts(tally)
    requests = _requests(tally)
    session = {"requests": law(tally.turns, TURNS_VALUES_MAX)}
    arrivals = {"model": "partly-open", "rate": DEFAULT_RATE}
    population = Population(arrivals, _WHY, requests, session=session)
    taken = f"{sum(tally.turns.values()):,} of {tally.seen:,} conversations"
    return Draft(stem(name), f"{name} ({taken})", [population], tally.noted())


def _requests(tally: Tally) -> list[Request]:
    """A kind of request for each turn, of which the last one repeats."""
    marks = Marks()
    kinds = []
    for turn, counted in enumerate(tally.tokens, 1):
        later = turn == OWN_TURNS and max(tally.turns) > OWN_TURNS
        prompt = law(counted.prompts, TOKENS_VALUES_MAX)
        output = law(counted.outputs, TOKENS_VALUES_MAX)
        body = {
            "model": "small",
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": int(output) if output.isdecimal() else marks.add(output),
            "messages": [{"role": "user", "content": marks.add(f"words({prompt})")}],
        }
        number = counted.prompts.total()
        kinds.append(
            Request(
                f"turn-{turn}-on" if later else f"turn-{turn}",
                "POST",
                "/v1/chat/completions",
                body=Body("json", body),
                think=_THINK,
                draws=marks.within(str(body)),
                stream="sse",
                tokens={"prompt": prompt, "output": output},
                about=f"{number:,} answers. Means: {counted.prompts_mean:,.1f} tokens of the "
                f"prompt with its history, {counted.outputs_mean:,.1f} of the answer.",
            )
        )
    for one, after in zip(kinds, [*kinds[1:], kinds[-1]], strict=True):
        one.next = [(after, 1.0)]
    return kinds


def _say_doubts(tally: Tally) -> None:
    """Note what the data do not say, and how it was replaced."""
    notes = tally.notes
    share = tally.characters_beyond_ascii / max(tally.characters, 1)
    notes.add(
        "tokens",
        "the data have texts and not tokens: each message counts as its characters divided by "
        f"{tally.characters_per_token:g}; a tokenizer may differ much, so measure a sample with "
        "that of the model, and give its figure as `--characters-per-token`",
    )
    if share >= FOREIGN_SHARE:
        notes.add(
            "tokens",
            f"{round(100 * share)} % of the characters are not ASCII, of which tokenizers make "
            "more tokens: the numbers are probably too small",
        )
    notes.add(
        "turns",
        "each turn draws its tokens by itself: a conversation with a long prompt has no longer "
        "ones later than others have",
    )
    notes.add("`model` and `think`", "neither is in the data: change both")
