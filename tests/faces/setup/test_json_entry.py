"""Changing one entry of a JSON text: nothing else moves, and taking it out leaves no trace."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.faces.setup.json_entry import drop, put, put_edits, value_at
from casetrack.faces.setup.jsonc import Document, TextInvalid, WrongShape

PATH = ("mcpServers", "casetrack")
ENTRY = {"command": "/bin/casetrack", "args": ["serve"]}

CASES = {
    "empty": ("", '{\n  "mcpServers": {\n    "casetrack": 1\n  }\n}\n'),
    "only a comment": (
        "// none yet",
        '// none yet\n{\n  "mcpServers": {\n    "casetrack": 1\n  }\n}',
    ),
    "braces": ("{}\n", '{\n  "mcpServers": {\n    "casetrack": 1\n  }\n}\n'),
    "one line": ('{"a": 1}', '{"a": 1, "mcpServers": {"casetrack": 1}}'),
    "tight": ('{"a":1,"b":[]}', '{"a":1,"b":[],"mcpServers":{"casetrack":1}}'),
    "other settings": (
        '{\n    "theme": "dark"\n}\n',
        '{\n    "theme": "dark",\n    "mcpServers": {\n        "casetrack": 1\n    }\n}\n',
    ),
    "empty container": (
        '{\n\t"mcpServers": {}\n}',
        '{\n\t"mcpServers": {\n\t\t"casetrack": 1\n\t}\n}',
    ),
    "empty container in one line": (
        '{"mcpServers": {}, "z": 1}',
        '{"mcpServers": {"casetrack": 1}, "z": 1}',
    ),
    "other servers": (
        '{\r\n  "mcpServers": {\r\n    "git": {}\r\n  }\r\n}\r\n',
        '{\r\n  "mcpServers": {\r\n    "git": {},\r\n    "casetrack": 1\r\n  }\r\n}\r\n',
    ),
    "trailing comma": (
        '{\n  "mcpServers": {\n    "git": {}, // ours\n  },\n}',
        '{\n  "mcpServers": {\n    "git": {}, // ours\n    "casetrack": 1,\n  },\n}',
    ),
    "note behind the last": (
        '{\n  "mcpServers": {\n    "git": {} // ours\n    // "ol": 0\n  }\n}',
        '{\n  "mcpServers": {\n    "git": {}, // ours\n    "casetrack": 1\n    // "ol": 0\n  }\n}',
    ),
    "only notes inside": (
        '{\n  "mcpServers": {\n    // none\n  }\n}',
        '{\n  "mcpServers": {\n    // none\n    "casetrack": 1\n  }\n}',
    ),
    "there already": (
        '{"mcpServers": {"casetrack": {"x": 2}, "git": {}}}',
        '{"mcpServers": {"casetrack": 1, "git": {}}}',
    ),
    "there twice": (
        '{"mcpServers": {"casetrack": 7, "casetrack": 8}}',
        '{"mcpServers": {"casetrack": 7, "casetrack": 1}}',
    ),
    "signs in texts": (
        '{"a": "// {\\"mcpServers\\": /* "}',
        '{"a": "// {\\"mcpServers\\": /* ", "mcpServers": {"casetrack": 1}}',
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_an_entry_follows_the_layout_of_the_file(before: str, after: str) -> None:
    assert put(before, PATH, 1) == after


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ('{"mcpServers": {"casetrack": 1}}', '{"mcpServers": {}}'),
        ('{"mcpServers": {"casetrack": 1, "git": {}}}', '{"mcpServers": { "git": {}}}'),
        (
            '{"mcpServers": {"a": 1, "casetrack": 1, "git": {}}}',
            '{"mcpServers": {"a": 1, "git": {}}}',
        ),
        ('{"mcpServers": {"casetrack": 1, "a": 1, "casetrack": 2}}', '{"mcpServers": { "a": 1}}'),
        ('{"mcpServers": { // first\n"casetrack": 1 }}', '{"mcpServers": { // first\n }}'),
        (
            '{"mcpServers": {"a": 1, // first\n"casetrack": 1, "b": 2}}',
            '{"mcpServers": {"a": 1, // first\n "b": 2}}',
        ),
        ('{"mcpServers": {"git": {}}}', '{"mcpServers": {"git": {}}}'),
        ("{}", "{}"),
        ("", ""),
    ],
)
def test_an_entry_is_taken_out_and_the_rest_stays_valid(text: str, without: str) -> None:
    assert drop(text, PATH) == without
    Document(without)


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("{", 1, 2, "expected property name enclosed in double quotes, but the file ends here"),
        ('{"a" 1}', 1, 6, "expected ':'"),
        ('{"a": 1 "b": 2}', 1, 9, "expected ','"),
        ('{\n  "a": [1, 2\n}', 3, 1, "expected ','"),
        ('{\r\n  "a": tru\r\n}', 2, 8, "expected value"),
        ("{'a': 1}", 1, 2, "expected property name"),
        ('{"a": 01}', 1, 8, "expected ','"),
        ('{"a": NaN}', 1, 7, "expected value"),
        ('{"a": "b\n"}', 1, 9, "invalid control character"),
        ('{"a": "\\x"}', 1, 8, "invalid \\escape"),
        ("{} {}", 1, 4, "extra data"),
        ("{,}", 1, 2, "expected property name"),
        ("[1,,2]", 1, 4, "expected value"),
        ("[1,,]", 1, 4, "expected value"),
        ("[" * 100_000, 1, 1, "it is nested too deeply"),
        ("{} /* and", 1, 4, "this comment has no end"),
    ],
)
def test_what_is_not_json_is_reported_with_its_place(
    text: str, line: int, column: int, reason: str
) -> None:
    with pytest.raises(TextInvalid) as caught:
        Document(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.reason.startswith(reason)


@pytest.mark.parametrize(
    ("text", "path", "result"),
    [
        ("[]", (), "a list"),
        ('"text"', (), '"text"'),
        ('{"mcpServers": null}', ("mcpServers",), "null"),
        ('{"mcpServers": [{}]}', ("mcpServers",), "a list"),
    ],
)
def test_what_is_no_object_is_not_replaced(text: str, path: tuple[str, ...], result: str) -> None:
    for change in (lambda: put(text, PATH, 1), lambda: drop(text, PATH)):
        with pytest.raises(WrongShape) as caught:
            change()
        assert (caught.value.path, caught.value.found) == (path, result)


# --- any document ---------------------------------------------------------------------------

SPACE = st.sampled_from(
    ["", "", " ", "\n", "\n  ", "\r\n\t", " // note  \n", "/* b */", " /* x\n y */ ", '// ä,{"\r\n']
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=5,
)
SERVERS = st.dictionaries(st.text(max_size=3), VALUES, max_size=2)


@st.composite
def documents(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """An object with comments and white space at any place, and its value."""
    value: dict[str, Any] = draw(st.dictionaries(st.text(max_size=3), VALUES, max_size=2))
    if draw(st.booleans()):
        value["mcpServers"] = draw(SERVERS)
    if draw(st.booleans()):
        value["z"] = None

    def written(part: Any) -> str:
        if not isinstance(part, dict | list):
            return json.dumps(part, ensure_ascii=draw(st.booleans()))
        opening, closing = "{}" if isinstance(part, dict) else "[]"
        pieces = []
        for key in part:
            name = ""
            if isinstance(part, dict):
                name = json.dumps(key) + draw(SPACE) + ":" + draw(SPACE)
            pieces.append(name + written(part[key] if isinstance(part, dict) else key))
        text = "".join(f"{draw(SPACE)}{p}{draw(SPACE)}," for p in pieces)
        if pieces and draw(st.booleans()):
            text = text[:-1]
        return opening + text + draw(SPACE) + closing

    return value, draw(SPACE) + written(value) + draw(SPACE)


@settings(max_examples=40, deadline=None)
@given(documents())
def test_in_any_document_the_entry_is_all_that_changes(
    document: tuple[dict[str, Any], str],
) -> None:
    value, text = document
    assert value_at(text, ()) == value
    after = put(text, PATH, ENTRY)
    servers = value.get("mcpServers", {})
    assert value_at(after, ()) == {**value, "mcpServers": {**servers, "casetrack": ENTRY}}
    edits = put_edits(text, PATH, ENTRY)
    assert all(start == end for start, end, _ in edits)  # nothing but insertions
    back = drop(after, PATH)
    if servers:
        assert back == text
    else:
        assert value_at(back, ()) == {**value, "mcpServers": {}}
