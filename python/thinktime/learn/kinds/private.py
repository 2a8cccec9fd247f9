"""Parts of a path that may identify a person: such parts never appear in a file.

A path is judged by its segments, the parts between slashes: by the look of a segment and by the one
before it. The number of users is judged in `kinds`.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

ENDINGS = (
    "html?|php|aspx?|jsp|do|cgi|css|js|mjs|map|json|xml|txt|csv|pdf|rss|atom|png|gif|jpe?g|webp"
    "|avif|svg|ico|bmp|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wav|zip|gz|tar|exe|bin|wasm|webmanifest"
)
"""Endings of a path behind a dot that name the type of a file."""

_HEX = "[0-9a-fA-F]"
VARIABLE = (
    r"^(?:"
    r"\d+"
    rf"|\{{?{_HEX}{{8}}-?{_HEX}{{4}}-?{_HEX}{{4}}-?{_HEX}{{4}}-?{_HEX}{{12}}\}}?"
    rf"|{_HEX}{{12,}}"
    r"|\d{1,4}[-_.]\d{1,2}(?:[-_.]\d{1,4})?"
    rf")(\.(?:{ENDINGS}))?$"
)
"""Numbers, UUIDs, hashes and dates, with an ending (the first group) or without."""

ODD = r"[^A-Za-z0-9._-]"
"""Characters of mail addresses, parameters, search words, and encoded text."""

NUMBERED = r"\d{5}|\d[-_.]?\d[-_.]?\d[-_.]?\d[-_.]?\d[-_.]?\d"
"""Telephone numbers, cards, dates, and numbers of persons."""

LONG = 32
"""Longer words are keys, or titles, of which there are many."""

TOKEN = 16
"""From this length on, letters mixed with digits, or capital with small letters, count as a key."""

OWNED = (
    r"(?i)^(?:u|users?|usernames?|profiles?|people|persons?|members?|customers?|clients?|patients?"
    r"|students?|staff|employees?|accounts?|authors?|contacts?|by|friends?|followers?|players?"
    r"|keys?|tokens?|secrets?|auth|sessions?|passwords?|invites?|invitations?|reset|verify|confirm"
    r"|unsubscribe|mail|e-?mails?|phones?|tel|born|birthdays?|names?|api-?keys?"
    r"|(?:[a-z]+[-_])?(?:passwords?|tokens?|invites?|callbacks?)|cb|shared?|shares|meet|join"
    r"|search(?:es)?|suchen?|q|query|find|lookup|recherche|buscar?|busca|cerca|zoeken|zoek)$"
)
"""The segment after such a one names a person, a person's property, or a search."""

COMMON = (
    r"(?i)^(?:login|logout|log-?in|log-?out|sign-?in|sign-?out|sign-?up|register|me|self|new|edit"
    r"|settings|profile|search|list|index|all|orders|password|reset|help|home|status)"
    rf"(?:\.(?:{ENDINGS}))?$"
)
"""Segments after such a one that name no person."""

_PUBLIC = re.compile(
    r"(?i)(?:/(?:api|internal|actuator|management|_|-|v\d{1,2}))*"
    r"/(?:_?health(?:z|y|[-_]?checks?)?|livez?|liveness|alive|readyz?|readiness|startup|ping|up"
    r"|heartbeat|status|server-status|(?:nginx|stub)_status|metrics|prometheus|version)"
    rf"(?:/(?:live(?:ness)?|ready|readiness|startup|check))?/?(?:\.(?:{ENDINGS}))?"
    r"|/|/favicon\.ico|/robots\.txt"
)
"""Paths by which machines look after any server, and those that every site has."""

_GIVEN = """
aaron abigail adam adrian ahmed aisha alan albert alex alexander alexandra alice alicia
alina amanda amelia amy ana andrea andreas andrew andy angela anita anja ann anna anne
annette anthony anton antonio arthur barbara beatrice ben benjamin bernd bettina bill
birgit bob brandon brian bruno carl carla carlos carmen carol caroline catherine charles
charlotte chloe chris christian christina christine christopher clara claudia daniel
daniela david deborah denis dennis diana diego dieter dirk dmitri donald donna doris
dorothy edward elena elisabeth elizabeth ella emily emma eric erik eva fatima felix
fernando florian frances francesca francesco francis frank franz fred gabriel george
gerhard giovanni giulia grace greg gustav hanna hannah hans harry heidi heinz helen helena
helga henry holger hugo ian ibrahim ines ingrid irene isabel isabella ivan jack jacob
jakob james jan jane janet jason javier jean jeff jennifer jens jessica jim joan joe johan
johann johannes john jonas jonathan jorge jose joseph joshua juan julia julian julie karen
karin karl katharina katherine kathrin katja keith kevin kim klaus kurt larry lars laura
lauren lea lena leo leon leonie lily linda lisa louis louise luca lucas lucy luis luisa
lukas manuel marc marco margaret maria marie mario marion mark markus martha martin
martina mary mateo matteo matthew matthias max maximilian megan mehmet melanie mia michael
michelle miguel mike mohamed mohammed monica monika nadia nancy natalie nathan nicholas
nick nicole nina noah nora olga oliver olivia oscar otto pablo pamela patricia patrick
paul paula pedro peter petra philip philipp pierre rachel rafael ralf ralph raymond
rebecca renate ricardo richard rob robert roberto roger roland ronald rosa roxana ruth
ryan sabine sally sam samantha samuel sandra sara sarah scott sebastian sergio sharon
simon simone sofia sonja sophia sophie stefan stefanie stephanie stephen steve steven
susan susanne sven tanja teresa theresa thomas tim timothy tina tobias tom tony ursula uwe
vera veronica victor victoria vincent walter wei werner william wolfgang yusuf yvonne zoe
"""
NAMES = frozenset(_GIVEN.split())
"""Given names that are frequent in countries from which many logs come."""

_NAME_PARTS = 4
_PARTS = re.compile(r"[-_.\s+~]+|(?<=[a-z])(?=[A-Z])")
_KEYS = re.compile(
    rf"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9]{{{TOKEN},}}"
    r"|(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9]{20,}"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])"
    r"(?=[A-Za-z]+\d+[A-Za-z]+\d)[A-Za-z0-9]{6,}"
    r"|(?<![A-Za-z0-9])(?=[a-z0-9]*[A-Z][A-Z0-9]*[a-z])(?=[A-Za-z]*\d[A-Za-z]+$)[A-Za-z0-9]{6}$"
    r"|(?:sk|pk|ghp|gho|xox[a-z]|eyJ|AKIA|AIza|glpat)[-_A-Za-z0-9.]{8,}"
)


_MONTHS = (
    "jan|ene|feb|fev|mar|maer|apr|abr|avr|may|mai|jun|jul|aug|ago|aou|sep|set|oct|okt|out|nov"
    "|dec|dez|dic"
)
_PAPERS = re.compile(
    r"^(?:(?=.*[A-Z])(?:[A-Z]*\d){5}[A-Z0-9]*"
    r"|[A-Z]{1,3}-[A-Z]{1,2}-\d{1,4}[EH]?"
    rf"|\d{{1,2}}[-_. ]?(?i:{_MONTHS})[a-z]*[-_. ]?\d{{4}})$"
)
"""Numbers of documents and of cars, and dates whose month is a word."""


def public(path: str) -> bool:
    """Whether a path says nothing of its users, however few they are: a health check, say."""
    return _PUBLIC.fullmatch(path) is not None


def private(segment: str, before: str = "") -> bool:
    """Whether a segment may identify a person, or reveal a key.

    ``before`` is the segment before it. Both may be percent-encoded, twice too.
    """
    plain = unquote(unquote(segment))
    named = re.sub(rf"\.(?:{ENDINGS})$", "", plain)
    return bool(
        (plain and re.search(VARIABLE, plain))
        or re.search(ODD, plain)
        or re.search(NUMBERED, plain)
        or len(named) > LONG
        or _KEYS.search(plain)
        or _PAPERS.search(named)
        or "." in named
        or (re.search(OWNED, unquote(before)) and plain and not re.search(COMMON, plain))
        or _named(named)
    )


def _named(plain: str) -> bool:
    """Whether it is a person's name, alone or with few other words."""
    parts = [part.lower() for part in _PARTS.split(plain) if part]
    return len(parts) <= _NAME_PARTS and any(part.rstrip("0123456789") in NAMES for part in parts)
