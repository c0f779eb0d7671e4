"""A client that follows each prompt step by step with only the prompt and the tool list.

The results of its calls must contain the facts that the prompt promises, with their places.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import Settings
from casetrack.base.editions import ANY, edition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp.client import Client
    from mcp.types import CallToolResult, Tool

LEASE = """\
Agreement to let Quern Lane

1. Orla Pennant lets the warehouse at 14 Quern Lane to Brockwell Joinery Ltd from 3 March {year}.

2. Brockwell Joinery Ltd shall pay a rent of £{rent} a month on the first working day.

3. Brockwell Joinery Ltd shall insure the goods that are stored there.

4. Orla Pennant shall keep the roof in repair.
"""
FILES = {
    "Quern Lane v1.txt": LEASE.format(year=2023, rent="2,150"),
    "Quern Lane v2.txt": LEASE.format(year=2025, rent="2,390"),
    "Letter.txt": "Letter of 9 April 2025\n\nThe rent of April came late, on 7 April 2025.\n",
}
NEWER, OLDER = "Quern Lane v2.txt", "Quern Lane v1.txt"
GIVEN: dict[str, dict[str, str]] = {
    "brief_collection": {},
    "compare_documents": {"document_a": OLDER, "document_b": NEWER, "topic": "rent"},
    "compare_versions": {"newer": NEWER, "older": OLDER},
    "build_timeline": {"about": "the rent"},
    "brief_document": {"file": NEWER, "about": "insurance"},
    "find_obligations": {"party": "Brockwell Joinery Ltd", "document": NEWER},
    "check_claims": {
        "claims": "The rent of April came late. The roof is for the tenant to repair."
    },
}
HELD = {
    "brief_collection": ["Brockwell Joinery", "3 March 2023"],
    "compare_documents": ["£2,150", "£2,390"],
    "compare_versions": ["£2,150", "£2,390", "3 March 2023", "3 March 2025"],
    "build_timeline": ["3 March 2023", "7 April 2025"],
    "brief_document": ["shall insure the goods", "Orla Pennant"],
    "find_obligations": ["shall pay a rent of £2,390", "shall insure"],
    "check_claims": ["came late, on 7 April 2025", "Orla Pennant shall keep the roof in repair"],
}
"""Texts that the results must contain."""
PLACE = r"(?:Quern Lane v[12]|Letter)\.txt, p\. 1"
NOT_HERE = ("Entity not found", "has no vector", "Pro")
"""Errors of a step that later steps make up for: an unknown name, no model, no licence."""


@pytest.fixture(scope="module")
def lettings(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library with the collection "Lettings": two versions of an agreement and a letter."""
    root = tmp_path_factory.mktemp("lettings")
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    library = Library(Settings(data_dir=root / "data", models_dir=root / "models"))
    library.create("Lettings").ingest([root / name for name in FILES])
    return library


class Follower:
    """Takes arguments from the prompt and from earlier results."""

    def __init__(self, given: dict[str, str], tools: dict[str, Tool], /) -> None:
        self._given, self._tools = given, tools
        self.done: list[tuple[str, CallToolResult]] = []

    def tools_of(self, step: str, /) -> Iterator[str]:
        """Yield the tools that a step names, in order."""
        yield from (t for t in re.findall(r"[a-z]+(?:_[a-z]+)+", step) if t in self._tools)

    def arguments(self, name: str, step: str, /) -> dict[str, Any]:
        """Return the arguments that a program would pass to the tool of a step."""
        given = self._given
        document = next(
            (given[n] for n in ("file", "document", "newer", "document_b") if n in given), ""
        )
        asked = next(
            (given[n] for n in ("about", "topic", "party", "claims") if n in given), "rent"
        )
        known: dict[str, Any] = {
            "query": asked,
            "document_name": document,
            "before": given.get("older") or self._other(given.get("newer")),
            "relationship_type": "version_chain"
            if "relationship_type version_chain" in step
            else None,
            "after": given.get("newer"),
            "entity": given.get("party", "Brockwell Joinery Ltd"),
            "entity_name": given.get("party", "Brockwell Joinery Ltd"),
            "chunk_id": self._shown("chunk_id"),
            "start_page": 1,
            "end_page": 1,
            **{n: given[n] for n in ("document_a", "document_b", "topic") if n in given},
        }
        schema = self._tools[name].input_schema
        message = {"topic", "relationship_type"} & set(schema["properties"])
        wanted = set(schema.get("required", ())) | message
        if "document_filter" in step and document:
            known["document_filter"] = document
            wanted.add("document_filter")
        return {n: v for n, v in known.items() if n in wanted and v} | {"collection": "Lettings"}

    def shown(self) -> str:
        """Return all that came back, as a client without the text would show it."""
        whole = [r.structured_content for _, r in self.done if not r.is_error]
        return "\n".join(json.dumps(each, ensure_ascii=False) for each in whole)

    def _other(self, document: str | None, /) -> str | None:
        """Return another document than that of the last call."""
        last = self.done[-1][1].structured_content if self.done else None
        names = re.findall(r"Quern Lane v[12]\.txt", json.dumps(last))
        return next((name for name in names if name != document), None)

    def _shown(self, key: str) -> str | None:
        match = re.search(rf'"{key}": "([^"]+)"', self.shown())
        return match[1] if match else None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "given"), [*GIVEN.items(), ("compare_versions", {"newer": NEWER})]
)
def test_every_step_can_be_done(
    lettings: Library, connect: Any, name: str, given: dict[str, str]
) -> None:
    async def work(client: Client) -> Follower:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        values = given | {"collection": "Lettings"}
        text = (await client.get_prompt(name, values)).messages[0].content.text
        follower = Follower(given, tools)
        for step in re.findall(r"^\d+\. (.*)$", text, re.MULTILINE):
            for tool in follower.tools_of(step):
                result = await client.call_tool(tool, follower.arguments(tool, step))
                follower.done.append((tool, result))
        return follower

    follower: Follower = connect(lettings, work)
    request = next(r for r in edition(ANY).prompts if r.name == name)
    assert {tool for tool, _ in follower.done} >= set(request.needs)
    assert len(follower.done) >= 3
    for tool, result in follower.done:
        message = result.content[0].text
        if result.is_error:
            assert any(words in message for words in NOT_HERE), f"{tool}: {message}"
        else:
            assert result.structured_content
    shown = follower.shown()
    for words in HELD[name]:
        assert words in shown, f"{name} never shows {words!r}"
    assert re.search(PLACE, shown)


def test_every_prompt_is_followed() -> None:
    assert set(GIVEN) == set(HELD) == {request.name for request in edition(ANY).prompts}
