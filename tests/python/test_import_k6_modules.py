"""Imports of scripts of k6 with modules: those beside the script are read, all others are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from import_results import imported, loads, requests, table

from thinktime.importing import import_file

HEAD = "import http from 'k6/http';\nimport { sleep } from 'k6';\n"


def script(folder: Path, text: str, **modules: str) -> list[str]:
    """The notes and targets of a script in a folder, with modules; `__` is a slash in a name."""
    for name, module in modules.items():
        path = folder / f"{name.replace('__', '/')}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + module)
    (folder / "main.js").write_text(HEAD + text)
    made = import_file(folder / "main.js")
    loads(made)
    return [one.get("get", one.get("post")) for one in table(made)["request"]] + made.notes


EXPORTS = {
    "a function": ("{ f }", "f()", "export function f() { http.get('http://a.example/m') }"),
    "another name": ("{ f as g }", "g()", "const f = () => http.get('http://a.example/m');\n"
                     "export { f };"),
    "the default": ("f", "f()", "export default function () { http.get('http://a.example/m') }"),
    "a default object": ("f", "f.go()",
                         "export default { go() { http.get('http://a.example/m') } }"),
    "all": ("* as f", "f.go()", "export const go = () => { http.get('http://a.example/m') }"),
    "a class": ("{ F }", "new F().go()",
                "export class F { go() { http.get('http://a.example/m') } }"),
    "a constant": ("{ BASE }", "http.get(BASE + '/m')", "export const BASE = 'http://a.example';"),
    "passed on": ("{ g }", "g()", "export { f as g } from './inner/deep.js';"),
    "passed on as a whole": ("{ f }", "f()", "export * from './inner/deep.js';"),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTS)
def test_a_module_beside_the_script_is_read(tmp_path: Path, name: str) -> None:
    what, body, module = EXPORTS[name]
    deep = "export function f() { http.get('http://a.example/m') }"
    text = f"import {what} from './helper';\nexport default function () {{ {body} }}"
    assert script(tmp_path, text, helper=module, inner__deep=deep) == ["/m"]


def test_a_note_on_a_module_has_its_file_and_its_line(tmp_path: Path) -> None:
    text = "import { f } from './lib/a.js';\nexport default function () { f(); }"
    module = "export function f() {\n  http.get('http://a.example/m');\n  sleep(late());\n}"
    found = script(tmp_path, text, lib__a=module)
    assert found == ["/m", "lib/a.js line 5: the sleep is left out: its time is no number"]


def test_modules_may_import_one_another(tmp_path: Path) -> None:
    one = "import { g } from './two.js';\nexport function f() { g(); }\nexport const at = '/m';"
    two = "import { at } from './one.js';\nexport function g() { http.get('http://a.example/g') }"
    text = "import { f } from './one.js';\nexport default function () { f(); }"
    assert script(tmp_path, text, one=one, two=two) == ["/g"]


@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("../other.js", "it lies outside of the folder of the script; `--folder DIR`"),
        ("./link.js", "it lies outside of the folder of the script; `--folder DIR`"),
        ("./none.js", "there is no such file"),
        ("./bad.js", "is no text in UTF-8"),
        ("https://site.example/lib.js", "it is no file beside the script"),
        ("our-package", "it is no file beside the script"),
    ],
)
def test_a_module_that_is_not_read_is_named_with_each_call(
    tmp_path: Path, module: str, why: str
) -> None:
    folder = tmp_path / "scripts"
    folder.mkdir()
    (tmp_path / "other.js").write_text("export function login() {}")
    (folder / "link.js").symlink_to(tmp_path / "other.js")
    (folder / "bad.js").write_bytes(b"\xff\xfe\xff")
    text = f"""import {{ login }} from '{module}';
export default function () {{
  http.get('http://a.example/');
  login('x', () => http.get('http://a.example/inner'));
}}"""
    first, inner, *notes = script(folder, text)
    assert (first, inner) == ("/", "/inner")
    assert any(why in note for note in notes)
    assert any(note.startswith("line 6: the call of `login` is left out") for note in notes)


def test_without_a_file_no_module_is_read() -> None:
    made = imported(
        f"{HEAD}import {{ f }} from './main.js';\n"
        "export default function () { http.get('http://a.example/'); f(); }"
    )
    assert "the folder of the script is not known" in made.notes[0]
    assert "the call of `f` is left out" in made.notes[1]


def test_libraries_that_send_nothing_are_not_named() -> None:
    made = imported(
        f"{HEAD}import {{ uuidv4 }} from 'https://jslib.k6.io/k6-utils/1.4.0/index.js';\n"
        "export default function () { uuidv4(); http.get('http://a.example/'); }"
    )
    assert not made.notes


@pytest.mark.parametrize("before", ["return;", "return 1;", "if (__ENV.X) { return; }"])
def test_a_return_outside_of_functions_ends_nothing_else(before: str) -> None:
    body = "export default function () { http.get('http://a.example/') }"
    made = imported(f"{HEAD}{body}\n{before}\n", kind="k6")
    assert list(requests(made)) == ["home"]


@pytest.mark.parametrize("sign", ["+ 'a'", "|| 'b'"])
def test_a_chain_of_operators_has_any_length(sign: str) -> None:
    made = imported(
        f"{HEAD}const path = '/' {900 * sign};\n"
        "export default function () { http.get('http://a.example' + path) }"
    )
    assert table(made)["request"][0]["get"] == ("/" + 900 * "a" if sign[0] == "+" else "/")


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("{ n: N }", {"json": {"n": "{uniform(0, 8)}"}}),
        ("{ t: `i-${N}` }", {"json": {"t": "i-{uniform(0, 8)}"}}),
        ("[{ n: N, t: `${N}` }]",
         {"body": '[{"n": {uniform(0, 8)}, "t": "{uniform(0, 8)}"}]'}),
        ("{ n: Math.floor(Math.random()) }", {"json": {"n": 0}}),
    ],
)  # fmt: skip
def test_numbers_in_json_are_drawn(given: str, sent: dict[str, object]) -> None:
    """A number has no quotes; a text that is a number keeps them."""
    text = given.replace("N", "Math.floor(Math.random() * 9)")
    made = imported(
        f"{HEAD}export default function () {{ http.post('http://a.example/', "
        f"JSON.stringify({text}), {{ headers: {{ 'Content-Type': 'application/json' }} }}) }}"
    )
    assert not made.notes
    assert sent.items() <= requests(made)["post-home"].items()
