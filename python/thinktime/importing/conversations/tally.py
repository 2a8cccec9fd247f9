"""The turns of conversations, counted: how many there are, and how many tokens they have."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from thinktime.importing.notes import Notes
from thinktime.importing.parsers import items, table, words

OWN_TURNS = 8
"""Turns from this one on are one kind of request."""

TOKENS_MAX = 131_072
"""A conversation ends before a turn with a larger prompt or answer: no body could carry it."""

ANSWERS = frozenset(["assistant", "gpt", "chatgpt", "model", "bot", "ai", "bard", "bing", "claude"])
QUESTIONS = frozenset(["user", "human", "prompter", "tool", "function", "observation", "ipython"])
SETTINGS = frozenset(["system", "developer"])
_LISTS = ("conversations", "conversation", "messages", "items", "data")


@dataclass
class TurnTokens:
    """The numbers of tokens of one turn, or of a last one and those after it."""

    prompts: Counter[int] = field(default_factory=Counter)
    outputs: Counter[int] = field(default_factory=Counter)

    @property
    def prompts_mean(self) -> float:
        """The mean number of tokens of a prompt with its history."""
        return _mean(self.prompts)

    @property
    def outputs_mean(self) -> float:
        """The mean number of tokens of an answer."""
        return _mean(self.outputs)


def _mean(counts: Counter[int]) -> float:
    return sum(value * number for value, number in counts.items()) / counts.total()


@dataclass
class Tally:
    """What has been counted so far.

    Attributes:
        characters_per_token: By which lengths of texts are divided.
        seen: The number of conversations, also of those without a turn.
        turns: The number of conversations by their number of turns.
        tokens: The tokens of the first turn, the second, ... and of all from `OWN_TURNS` on.
        notes: The parts that were left out, but for those that `noted` adds.
    """

    characters_per_token: float
    seen: int = 0
    turns: Counter[int] = field(default_factory=Counter)
    tokens: list[TurnTokens] = field(default_factory=list)
    characters: int = 0
    characters_beyond_ascii: int = 0
    notes: Notes = field(default_factory=Notes)
    _left_out: dict[str, tuple[str, int]] = field(default_factory=dict)

    def add(self, value: Any) -> None:
        """Count a conversation, which is an object with a list of messages, or that list."""
        self.seen += 1
        number = 0
        for prompt, output in self._turns(value):
            if max(prompt, output) > TOKENS_MAX:
                self._leave_out(f"turns from one with more than {TOKENS_MAX:,} tokens on")
                break
            number += 1
            if number > len(self.tokens) and number <= OWN_TURNS:
                self.tokens.append(TurnTokens())
            counted = self.tokens[min(number, OWN_TURNS) - 1]
            counted.prompts[prompt] += 1
            counted.outputs[output] += 1
        if number:
            self.turns[number] += 1
        else:
            self._leave_out("conversations without an answer to a question")

    def noted(self) -> Notes:
        """The notes, with the parts that were left out, each with its number."""
        for text, (place, number) in self._left_out.items():
            self.notes.add(f"{place}, {number:,} in all", f"{text} are left out")
        self._left_out.clear()
        return self.notes

    def _leave_out(self, text: str) -> None:
        """Count a part; the place of only the first one is kept, as there may be millions."""
        place, number = self._left_out.get(text, (f"conversation {self.seen:,}", 0))
        self._left_out[text] = (place, number + 1)

    def _turns(self, value: Any) -> Iterator[tuple[int, int]]:
        """The tokens of each prompt, with all messages before it, and of its answer."""
        history, is_open = 0, False
        for role, text in self._messages(value):
            tokens = self._tokens(text)
            if role in ANSWERS:
                if is_open:
                    yield history, tokens
                else:
                    self._leave_out("answers without a question, which count as history,")
                is_open = False
            elif role in QUESTIONS:
                is_open = True
            elif role not in SETTINGS:
                self._leave_out("messages of an unknown role, which count as history,")
            history += tokens
        if is_open:
            self._leave_out("questions without an answer")

    def _messages(self, value: Any) -> Iterator[tuple[str, str]]:
        """The role and the text of each message that has one."""
        held = table(value)
        given = value if isinstance(value, list) else [items(held.get(name)) for name in _LISTS]
        given = given if isinstance(value, list) else next(filter(None, given), [])
        for at, one in enumerate(given):
            if isinstance(one, str):  # UltraChat's first form: questions and answers in turn
                role, text = ("user", "assistant")[at % 2], one
            else:
                role, text = _role(table(one)), self._text(table(one))
            if text:
                yield role, text
            else:
                self._leave_out("messages without a text")

    def _text(self, message: dict[str, Any]) -> str:
        """The text of a message: also of its parts, and of the functions that it calls."""
        given = next((message[key] for key in ("value", "content", "text") if message.get(key)), "")
        if isinstance(given, list):
            parts = [words(table(one).get("text")) for one in given]
            if not all(parts):
                self._leave_out("parts of messages that are no text")
            given = "".join(parts)
        calls = message.get("tool_calls") or message.get("function_call")
        return words(given) + (json.dumps(calls) if calls else "")

    def _tokens(self, text: str) -> int:
        self.characters += len(text)
        self.characters_beyond_ascii += 0 if text.isascii() else sum(sign > "\x7f" for sign in text)
        return max(1, round(len(text) / self.characters_per_token))


def _role(message: dict[str, Any]) -> str:
    return words(message.get("from") or message.get("role")).strip().lower()
