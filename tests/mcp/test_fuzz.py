"""Whatever the arguments, a call gives a result that can be sent."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.config import Settings
from casetrack.library import Library
from casetrack.mcp.server import build_server

if TYPE_CHECKING:
    from mcp.server import MCPServer


def _schemas() -> dict[str, Any]:
    nowhere = Path("nowhere").absolute()
    server = build_server(Library(Settings(data_dir=nowhere, models_dir=nowhere)))
    return {tool.name: tool for tool in anyio.run(server.list_tools)}


TOOLS = _schemas()
PARAMETERS = sorted({name for tool in TOOLS.values() for name in tool.input_schema["properties"]})

# Tools that write files or folders at a fuzzed place are tried with places that do not exist.
WORDS = st.sampled_from(
    [
        "Acme",
        "Notes.txt",
        "Long.txt",
        "acme",
        "",
        " ",
        "all",
        "/",
        "~",
        "pdf",
        "true",
        "\x00",
        "null",
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=()), max_size=20)
    | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=4,
)
ARGUMENTS = st.dictionaries(st.sampled_from(PARAMETERS) | st.text(max_size=8), VALUES, max_size=5)
READING = [
    name
    for name, tool in TOOLS.items()
    if tool.annotations.read_only_hint or name.startswith("switch_")
]


@pytest.fixture(scope="module")
def server(filled: Library) -> MCPServer[Any]:
    logging.getLogger("casetrack.mcp").setLevel(logging.CRITICAL)
    return build_server(filled)


def _check(server: MCPServer[Any], tool: str, arguments: dict[str, Any]) -> None:
    result: Any = anyio.run(server.call_tool, tool, arguments)
    sent = json.loads(result.model_dump_json(by_alias=True, exclude_none=True))
    assert sent["content"][0]["text"].strip()
    assert "internal error" not in sent["content"][0]["text"]
    if not sent["isError"]:
        jsonschema.validate(result.structured_content, TOOLS[tool].output_schema)


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tool=st.sampled_from(READING), arguments=ARGUMENTS)
def test_any_arguments(server: MCPServer[Any], tool: str, arguments: dict[str, Any]) -> None:
    _check(server, tool, arguments)


@st.composite
def _fitting(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Return a call whose arguments have the right types."""
    tool = draw(st.sampled_from(READING))
    schema = TOOLS[tool].input_schema
    arguments: dict[str, Any] = (
        {"collection": "Acme"} if "collection" in schema["properties"] else {}
    )
    texts = WORDS | st.text(st.characters(exclude_categories=()), max_size=30)
    for name, field in schema["properties"].items():
        if name == "collection" or (name not in schema.get("required", []) and draw(st.booleans())):
            continue
        if "enum" in field:
            arguments[name] = draw(st.sampled_from(field["enum"]))
        elif field["type"] == "integer":
            low, high = field.get("minimum", -9), field.get("maximum", 10**20)
            arguments[name] = draw(st.integers(low, high))
        elif field["type"] == "number":
            arguments[name] = draw(st.floats(field["minimum"], field["maximum"]))
        elif field["type"] == "array":
            few, many = field["minItems"], field["maxItems"]
            arguments[name] = draw(st.lists(texts, min_size=few, max_size=many))
        elif field["type"] == "string":
            arguments[name] = draw(texts)
    return tool, arguments


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(_fitting())
def test_fitting_arguments(server: MCPServer[Any], call: tuple[str, dict[str, Any]]) -> None:
    _check(server, *call)


@settings(max_examples=40, deadline=None)
@given(path=st.text(st.characters(exclude_categories=()), max_size=60))
def test_paths_that_are_nowhere(server: MCPServer[Any], path: str) -> None:
    for tool, field in (("ingest_document", "file_path"), ("ingest_folder", "folder_path")):
        _check(server, tool, {field: f"/nowhere/{path}", "collection": "Acme"})
