"""Valid keys of a source in a configuration, and errors of invalid ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from casetrack.base.errors import UsageError
from casetrack.keep.sources import KINDS, Key, Kind, open_source
from casetrack.keep.sources.kinds import read_settings


def test_every_key_of_ctx_is_known() -> None:
    keys = {name: {key.name for key in kind.keys} for name, kind in KINDS.items()}
    globs = {"include_globs", "exclude_globs"}
    assert keys["filesystem"] >= globs | {"root", "follow_symlinks", "max_extract_bytes"}
    assert keys["git"] >= globs | {"url", "branch", "root", "shallow", "cache_dir"}
    assert keys["s3"] >= globs | {"bucket", "prefix", "region", "endpoint_url"}
    assert keys["script"] >= {"path", "timeout"}
    assert [name for name, kind in KINDS.items() if kind.free_keys] == ["script"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_is_reported_in_one_line_and_has_a_default_of_its_type(kind: str) -> None:
    types = {"text": str, "path": str, "texts": tuple, "flag": bool, "number": int}
    for key in KINDS[kind].keys:
        assert "\n" not in key.help
        assert key.help.endswith(".")
        assert key.default is None or type(key.default) is types[key.type]
        assert not (key.required and key.default is not None)


WRONG: dict[str, tuple[str, str, dict[str, Any]]] = {
    "kind": ("gitt", "a", {}),
    "name": ("git", "a/b", {"url": "x"}),
    "unknown key": ("git", "a", {"url": "x", "brnach": "b"}),
    "nothing": ("filesystem", "a", {}),
    "path": ("filesystem", "a", {"root": ""}),
    "text for a list": ("filesystem", "a", {"root": ".", "include_globs": "*.md"}),
    "number in a list": ("filesystem", "a", {"root": ".", "include_globs": [1]}),
    "flag": ("filesystem", "a", {"root": ".", "follow_symlinks": "no"}),
    "flag as number": ("filesystem", "a", {"root": ".", "max_extract_bytes": True}),
    "zero": ("filesystem", "a", {"root": ".", "max_extract_bytes": 0}),
    "pattern": ("filesystem", "a", {"root": ".", "include_globs": ["[z-a]"]}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_cannot_be_understood(tmp_path: Path, wrong: str, messages: Any) -> None:
    kind, name, keys = WRONG[wrong]
    with pytest.raises(UsageError) as caught:
        open_source(kind, name, keys, base=tmp_path)
    messages(str(caught.value))


@pytest.mark.parametrize(
    ("key_type", "good", "bad"),
    [
        ("number", [1, 10**12], [0, -1, 1.5, True, "1"]),
        ("count", [0, 7], [-1, 0.5, False]),
        ("share", [0, 1, 0.6], [-0.1, 1.1, 2, True, "0.5", float("nan")]),
        ("text", ["a"], ["", " ", 1]),
        ("texts", [[], ["a", ""]], ["a", [1], {}]),
    ],
)
def test_values_of_each_type(
    tmp_path: Path, key_type: Any, good: list[Any], bad: list[Any]
) -> None:
    kind = Kind("search", "", (Key("it", key_type, "What it is."),))

    def read(value: object) -> object:
        return read_settings(kind, {"it": value}, where="[search]", base=tmp_path)[0]["it"]

    for value in good:
        assert read(value) == (tuple(value) if isinstance(value, list) else value)
    for value in bad:
        with pytest.raises(UsageError, match=r"'it' of \[search\]"):
            read(value)
