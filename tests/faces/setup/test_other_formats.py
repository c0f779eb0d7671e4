"""Changing one entry of a TOML or YAML text: nothing else moves, and it goes without a trace."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.faces.setup.formats import CONTINUE, TOML, YAML
from casetrack.faces.setup.jsonc import TextInvalid, WrongShape

SERVER = {"command": "/bin/casetrack", "args": ["serve"], "env": {"CASETRACK_HOME": "/a b"}}
CODEX, GOOSE, LISTED = ((of, "casetrack") for of in ("mcp_servers", "extensions", "mcpServers"))

TOMLS = {
    "empty": "",
    "comment": "# mine\n",
    "settings": 'model = "gpt-6"\n\n[tui]\nnotifications = true\n',
    "no newline at the end": "[tui]\nx = 1",
    "other servers": '[mcp_servers.git]\ncommand = "uvx" # here\nargs = ["a"]\n\n[other]\ny = 2\n',
    "windows": "[mcp_servers.git]\r\ncommand = 'x'\r\n",
    "inline": 'mcp_servers = { git = { command = "uvx" } }\n',
    "dotted": 'mcp_servers.git.command = "uvx"\n',
    "arrays": "[[a]]\nb = 1\n[[a]]\nb = 2\n",
    "a project": '[projects."~/lease"]\ntrust_level = "trusted"\n',
}
YAMLS = {
    "empty": "",
    "comment": "# mine\n",
    "settings": "GOOSE_PROVIDER: anthropic # mine\nGOOSE_MODEL: x\n",
    "others": "extensions:\n  developer:\n    enabled: true\n    args: []\nGOOSE_MODEL: x\n",
    "others, at the end": "a: 1\nextensions:\n    memory:\n        enabled: false\n    # last\n",
    "no newline at the end": "extensions:\n  memory:\n    enabled: true",
    "nothing inside": "extensions:\nb: 2\n",
    "empty braces": "extensions: {}\nb: 2\n",
    "in one line": 'extensions: {memory: {enabled: true}} # x\n"b": [1, 2]\n',
    "windows": "extensions:\r\n  memory:\r\n    enabled: true\r\nb: 1\r\n",
    "a long text": "extensions:\n  memory:\n    about: |\n      one\n\n      two\n\nb: 1\n",
    "a document": "---\nb: 1\n",
    "all in braces": "{b: 1, c: [2]}\n",
}
LISTS = {
    "none": "name: A\nversion: 1.0.0\nschema: v1\nmodels: []\n",
    "others": "b: A\nmcpServers:\n  - name: git\n    command: uvx\n    args:\n      - x\nc: []\n",
    "not indented": "mcpServers:\n- name: git\n  command: uvx # here\n# end\n",
    "brackets": "mcpServers: []\n",
    "in one line": "mcpServers: [{name: git, command: uvx}]\nb: 1\n",
}
NAMED = {"name": "casetrack", **SERVER}
CASES: list[Any] = [
    *(pytest.param(TOML, CODEX, t, SERVER, id=f"toml: {n}") for n, t in TOMLS.items()),
    *(pytest.param(YAML, GOOSE, t, SERVER, id=f"yaml: {n}") for n, t in YAMLS.items()),
    *(pytest.param(CONTINUE, LISTED, t, NAMED, id=f"list: {n}") for n, t in LISTS.items()),
]


def plain(form: Any, text: str) -> Any:
    """Return the value that other readers of the format read."""
    return tomllib.loads(text) if form is TOML else yaml.safe_load(text)


def without_server(form: Any, text: str, path: tuple[str, str]) -> Any:
    """Return the value of *text* without the entry; an empty container counts as absent."""
    value = dict(plain(form, text) or {})
    servers = value.pop(path[0], None) or {}
    if isinstance(servers, list):
        rest: Any = [s for s in servers if s["name"] != path[1]]
    else:
        rest = {k: v for k, v in servers.items() if k != path[1]}
    return {**value, **({path[0]: rest} if rest else {})}


@pytest.mark.parametrize(("form", "path", "text", "server"), CASES)
def test_an_entry_comes_and_goes_and_the_rest_stays(
    form: Any, path: tuple[str, str], text: str, server: dict[str, Any]
) -> None:
    entered = form.put(text, path, server)
    assert form.value_at(entered, path) == server
    begun = text or form.begins
    assert without_server(form, entered, path) == without_server(form, begun, path)
    for line in text.splitlines():  # every old line is still there, but for one that holds it
        assert line in entered.splitlines() or path[0] in line or line.startswith("{")
    assert ("\r\n" in entered) == ("\r\n" in text)
    assert "\n" not in entered.replace("\r\n", "") or "\r\n" not in text
    gone = form.drop(entered, path)
    assert form.value_at(gone, path) is None
    assert without_server(form, gone, path) == without_server(form, begun, path)
    assert form.drop(gone, path) == gone


@pytest.mark.parametrize(("form", "path", "text", "server"), CASES)
def test_one_key_of_an_entry_is_changed_alone(
    form: Any, path: tuple[str, str], text: str, server: dict[str, Any]
) -> None:
    entered = form.put(text, path, {**server, "enabled": False})
    changed = form.put(entered, (*path, "args"), ["serve", "--read-only", "#é: 1"])
    changed = form.put(changed, (*path, "env"), {"A": "1"})
    changed = form.put(changed, (*path, "new"), "yes: no")
    new = {"args": ["serve", "--read-only", "#é: 1"], "env": {"A": "1"}, "new": "yes: no"}
    wanted = {**server, "enabled": False, **new}
    assert form.value_at(changed, path) == wanted
    dropped = form.drop(changed, (*path, "env"))
    assert form.value_at(dropped, path) == {k: v for k, v in wanted.items() if k != "env"}
    assert without_server(form, dropped, path) == without_server(form, entered, path)


@pytest.mark.parametrize(
    ("form", "path", "text", "line", "column"),
    [
        (TOML, CODEX, "a = 1\nb = = 2\n", 2, 5),
        (TOML, CODEX, "a = 1\na = 2\n", 2, 6),
        (YAML, GOOSE, "a: 1\nb: [1, 2\nc: 3\n", 3, 2),
        (YAML, GOOSE, "a: 1\n---\nb: 2\n", 2, 1),
        (YAML, GOOSE, "a: \x07\n", 1, 4),
        (YAML, GOOSE, "a: *nobody\n", 1, 4),
    ],
)
def test_what_is_not_of_the_format_is_reported_with_its_place(
    form: Any, path: Any, text: str, line: int, column: int
) -> None:
    for work in (form.value_at, form.drop, lambda t, p: form.put(t, p, {})):
        with pytest.raises(TextInvalid) as caught:
            work(text, path)
        assert (caught.value.line, caught.value.column) == (line, column)
        assert caught.value.reason
        assert not caught.value.reason.endswith(".")


@pytest.mark.parametrize(
    ("form", "path", "text", "where", "result"),
    [
        (TOML, CODEX, "mcp_servers = 1\n", ("mcp_servers",), "1"),
        (YAML, GOOSE, "- a\n", (), "a list"),
        (YAML, GOOSE, "extensions: none\n", ("extensions",), "none"),
        (CONTINUE, LISTED, "mcpServers: {git: {}}\n", ("mcpServers",), "an object in braces"),
    ],
)
def test_what_holds_no_servers_is_reported(
    form: Any, path: Any, text: str, where: tuple[str, ...], result: str
) -> None:
    with pytest.raises(WrongShape) as caught:
        form.put(text, path, {"a": 1})
    assert (caught.value.path, caught.value.found) == (where, result)


KEYS = st.text("abc_-", min_size=1, max_size=4)
VALUES = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text("aZ:# '\"é-", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(
    rest=st.dictionaries(KEYS, VALUES, max_size=4),
    others=st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, min_size=1), max_size=3),
    flow=st.sampled_from([True, False, None]),
    indent=st.integers(2, 6),
)
def test_any_text_keeps_all_that_is_not_ours(
    rest: dict[str, Any], others: dict[str, Any], flow: bool | None, indent: int
) -> None:
    whole = {**rest, "extensions": others} if others else rest
    text = yaml.safe_dump(whole, default_flow_style=flow, indent=indent, allow_unicode=True)
    entered = YAML.put(text, GOOSE, SERVER)
    result = yaml.safe_load(entered)
    assert result == {**whole, "extensions": {**others, "casetrack": SERVER}}
    gone = yaml.safe_load(YAML.drop(entered, GOOSE))
    assert (gone.pop("extensions", None) or {}) == others
    assert gone == rest
