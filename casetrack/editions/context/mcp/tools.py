"""The three tools of the edition, with the names that its users' programs know."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from casetrack.api.operation import READS
from casetrack.base.records import SearchMode
from casetrack.editions.context import api
from casetrack.editions.context.home import ContextHome
from casetrack.editions.context.records import ContextDocument
from casetrack.faces.mcp.budget import ROOM, fitting, tokens
from casetrack.faces.mcp.results import answer
from casetrack.faces.mcp.session import current, in_thread
from casetrack.faces.mcp.specs import tool

MAX_LIMIT = 1_000
Texts = str | list[str] | None


class Filters(BaseModel, extra="forbid"):
    """Which documents are searched; all of it must hold."""

    source: Annotated[Texts, Field(description='"git:platform", or a kind: "git"')] = None
    since: Annotated[str | None, Field(description="Changed on or after: 2026-03-12, 2026-03")] = (
        None
    )
    until: Annotated[str | None, Field(description="Changed on or before")] = None
    path: Annotated[Texts, Field(description='Globs such as "docs/**/*.md"')] = None
    kind: Annotated[Texts, Field(description='Formats or types: "code", "pdf", "report"')] = None
    language: Annotated[Texts, Field(description='Language of the text: "en"')] = None


class ContextTools:
    """The tools, over what one config describes."""

    def __init__(self, home: ContextHome) -> None:
        self._home = home

    @tool(
        "Search",
        READS,
        description="Search all sources with a question or words. Returns documents, the best "
        "first, each with its best passages, their lines and address.",
        page="search",
        of=("search",),
    )
    async def search(
        self,
        query: Annotated[str, Field(description="A question or words")],
        mode: Annotated[
            SearchMode | None,
            Field(description="Default: hybrid where there are vectors, else keyword"),
        ] = None,
        limit: Annotated[
            int | None, Field(ge=1, le=MAX_LIMIT, description="Documents at most (default: 12)")
        ] = None,
        filters: Annotated[Filters | None, Field(description="Only such documents")] = None,
        explain: Annotated[bool, Field(description="Also how the scores came about")] = False,
    ) -> CallToolResult:
        """Search."""
        wanted = filters or Filters()
        found = await in_thread(
            partial(
                self._search,
                query,
                mode=mode,
                limit=limit,
                explain=explain,
                sources=wanted.source,
                since=wanted.since,
                until=wanted.until,
                paths=wanted.path,
                kinds=wanted.kind,
                languages=wanted.language,
            )
        )
        return _told(found if _reads_all() else _shortened(found))

    @tool(
        "Get a document",
        READS,
        description="Returns a document of a search result: its facts, its text, its passages "
        'with lines and address. A long one comes in parts: "next" is the "first" of the next.',
    )
    async def get(
        self,
        id: Annotated[str, Field(description="id of a result, or git:platform/docs/a.md")],  # noqa: A002
        first: Annotated[int, Field(ge=0, description="Passage to begin with, from 0")] = 0,
        count: Annotated[int | None, Field(ge=1, description="Passages at most")] = None,
    ) -> CallToolResult:
        """Read."""
        whole = _reads_all()

        def read() -> dict[str, Any]:
            labels = self._home.config.labels
            get = partial(api.get, self._home.collection, id, first=first, configured=labels)
            found = get(count=count)
            fits = len(found.chunks) if whole else _fitting(found)
            return (found if fits >= len(found.chunks) else get(count=fits)).as_dict()

        return _told(await in_thread(read))

    @tool(
        "List sources",
        READS,
        description="Returns the sources, how much of each there is, and whether it is in step.",
    )
    async def sources(self) -> CallToolResult:
        """List."""
        return _told(await in_thread(self._sources))

    def _search(self, query: str, **options: Any) -> dict[str, Any]:
        home = self._home
        options |= {"settings": home.ranking, "configured": home.config.labels}
        return api.search(home.collection, query, **options).as_dict()

    def _sources(self) -> dict[str, Any]:
        home = self._home
        return api.sources(home.collection, configured=home.config.labels).as_dict()


def _reads_all() -> bool:
    connection = current()
    return connection is not None and connection.reads_all


def _told(found: Mapping[str, Any]) -> CallToolResult:
    return answer(json.dumps(found, ensure_ascii=False), found)


def _shortened(found: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without the last of its results, as far as it is longer than clients take.

    Clients cut a longer one in its middle, and show their model nothing of it.
    """
    results = found["results"]
    shown = fitting(map(tokens, results))
    if shown >= len(results):
        return found
    note = (
        f"{len(results) - shown:,} more results are left out, to keep this answer short: ask with "
        f"a limit of {shown}, or narrow it with filters."
    )
    return found | {"results": results[:shown], "notes": [*found["notes"], note]}


def _fitting(found: ContextDocument) -> int:
    """Return how many passages of a document fit into one answer; at least one.

    A passage's text stands there twice, in the body as well.
    """
    costs = (tokens(chunk.as_dict()) + tokens(chunk.text) for chunk in found.chunks)
    return fitting(costs, room=ROOM)
