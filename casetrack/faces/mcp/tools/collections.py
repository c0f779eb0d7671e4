"""Tools on whole collections: create, list, switch, delete, look at; and the server's status."""

import functools
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from mcp.types import CallToolResult

from casetrack.api.operation import DELETES, READS
from casetrack.api.text import entry_of, lines_of
from casetrack.api.text.collections import amount, described
from casetrack.api.watch.watch_list import delete_collection as delete_watched
from casetrack.base.errors import CaseTrackError, See
from casetrack.base.records import CollectionEntry, CollectionInfo, CollectionStats, Document
from casetrack.faces.mcp import render, results
from casetrack.faces.mcp.concise import document_forms, formatter_for
from casetrack.faces.mcp.failures import reason
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.progress import Unconfirmed
from casetrack.faces.mcp.session import (
    NO_STATE,
    Session,
    SessionTools,
    in_thread,
    locate,
    write_in_thread,
)
from casetrack.faces.mcp.specs import CollectionName, Offset, ResponseFormat, tool
from casetrack.faces.mcp.steps import again, if_offered, name_tools
from casetrack.faces.mcp.texts import cut

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.faces.mcp.concise import ResponseFormatter


NEXT_STEP = f"Ingest documents with {See('ingest')}."
ACTIVE_NOW = "This is now your active collection."
_LISTED_DOCUMENTS, _FEW_DOCUMENTS = 50, 10
"""Number of documents in the description of a collection, detailed and concise."""
_LIST_BUDGET = 10_000
_LIST_CHARS = 300
_REASON_CHARS = 500


def lower(value: object) -> object:
    """Return texts in lower case, so that a type may be written in any case."""
    return value.strip().lower() if isinstance(value, str) else value


def profile_notes(library: "Library", profile: str | None, /) -> list[str]:
    """Return the notices about a chosen profile."""
    if profile is None:
        return []
    notes = (library.profile_notice(profile), library.missing_models(profile))
    return [name_tools(note) for note in notes if note]


async def newest(
    collection: "Collection", response_format: ResponseFormat, /
) -> "tuple[CollectionStats, ResponseFormatter, dict[str, Any], list[str]]":
    """Return statistics, formatter, facts and text lines of a collection's newest documents."""

    def work() -> "tuple[CollectionStats, list[Document]]":
        return collection.stats(), collection.documents(sort_by="date")

    stats, documents = await in_thread(work)
    formatter = await formatter_for(response_format, collection)
    entry, root = document_forms(formatter, documents)
    shown = results.portion(
        documents,
        entry,
        lambda document, _: plain(entry_of(document), formatter),
        limit=_FEW_DOCUMENTS if formatter.concise else _LISTED_DOCUMENTS,
        budget=_LIST_BUDGET,
    )
    omitted = len(documents) - len(shown.items)
    facts = {"documents": shown.entries, "documents_omitted": omitted, "root": root or None}
    more = [f"... {omitted:,} more: see list_documents"] if omitted else []
    return stats, formatter, facts, [*shown.blocks, *more]


class CountingTools(SessionTools):
    """Tools on whole collections."""

    def _counted(self, info: CollectionInfo) -> "_Counted":
        """Count one collection; the error of a damaged one is returned as text."""
        try:
            return info, self._session.library.stats(info), ""
        except CaseTrackError as error:
            return info, None, reason(error)

    def _is_active(self, info: CollectionInfo) -> bool:
        return self._session.active is not None and self._session.active.id == info.id


class CollectionTools(CountingTools):
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._library = session.library

    @tool(
        "List collections",
        READS,
        description="Returns ID, type, status and counts of each collection.",
        sets=("core", "search", "map", "legal"),
        of=("collection list",),
    )
    async def list_collections(
        self,
        status_filter: Literal["active", "closed", "archived", "all"] = "active",
        offset: Offset = 0,
    ) -> CallToolResult:
        """List the collections of a status."""
        return await in_thread(partial(self._listed, status_filter, offset))

    def _listed(self, status_filter: str, offset: int) -> CallToolResult:
        everything = self._library.collections()
        infos = [i for i in everything if status_filter in {"all", i.status}]
        damaged = self._damaged()
        counted = functools.cache(self._counted)

        def entry(item: CollectionInfo | _Broken) -> dict[str, Any]:
            return asdict(item) if isinstance(item, _Broken) else self._entry(*counted(item))

        def line(item: CollectionInfo | _Broken, _entry: Any) -> str:
            if isinstance(item, _Broken):
                return f"Damaged: {item.path}: {item.reason}"
            mark = "* " if self._is_active(item) else "- "
            return mark + plain(lines_of(CollectionEntry.of(*counted(item))))

        items: list[CollectionInfo | _Broken] = [*infos, *damaged]
        shown = results.portion(items, entry, line, offset=offset)
        readable = sum(isinstance(item, CollectionInfo) for item in shown.items)
        hidden = len(everything) - len(infos)
        sealed = [s.label for s in self._library.sealed()]
        step = (
            None
            if infos or hidden or sealed
            else if_offered(f"Create one with {See('collection create')}.")
        )
        text = _collections_text(shown, len(infos), readable, hidden, status_filter, step)
        if sealed:
            text += f"\nSealed, opened by the user alone: {', '.join(map(render.one_line, sealed))}"
        return results.answer(
            text,
            {
                "status_filter": status_filter,
                "total": len(infos),
                "damaged_count": len(damaged),
                "other_status": hidden,
                "offset": offset,
                "next_offset": shown.next_offset,
                "collections": shown.entries[:readable],
                "damaged": shown.entries[readable:],
                "next_step": step,
            }
            | ({"sealed": sealed} if sealed else {}),
        )

    @tool("Switch collection", READS, sets=("search", "map", "legal"))
    async def switch_collection(self, collection_name: str) -> CallToolResult:
        """Set the collection of calls without `collection`. Returns its ID and sizes."""

        def work() -> tuple[CollectionInfo, CollectionStats]:
            collection = self._library.get(collection_name)
            return collection.info, collection.stats()

        info, stats = await in_thread(work)
        remembered = self._session.activate(info)
        text = f'Switched to collection "{info.name}" (ID: {info.id}).\n{amount(stats)}'
        if not remembered:
            text = f'Collection "{info.name}" (ID: {info.id}) exists. {NO_STATE}'
        return results.answer(
            text,
            {
                "collection": results.collection_facts(info),
                "is_active": remembered,
                "notes": [] if remembered else [NO_STATE],
                **sizes(stats),
            },
        )

    @tool(
        "Delete collection",
        DELETES,
        required=("confirm",),
        meta={"anthropic/requiresUserInteraction": True},
        sets=("legal",),
    )
    async def delete_collection(
        self, collection_name: str, confirm: bool = False
    ) -> CallToolResult:
        """Permanently delete a collection; files stay.

        Without confirm: true only describes the effect. Returns its facts.
        """
        info = await in_thread(partial(self._library.find, collection_name))
        if not confirm:
            _, stats, _ = await in_thread(partial(self._counted, info))
            held = amount(stats) if stats is not None else "all its content"
            raise Unconfirmed(
                f'This would permanently delete the collection "{info.name}" '
                f"(ID: {info.id}) with {held}.",
                hint=f"It cannot be undone. {again()}",
            )
        work = partial(delete_watched, self._library, info.id)
        await write_in_thread(self._session, info.id, work)
        self._session.forget(info.id)
        active = self._session.active
        text = f'Deleted collection "{info.name}" (ID: {info.id}) and all its data.'
        if active is None:
            text += "\nNo collection is active now."
        return results.answer(
            text,
            {
                "deleted": results.collection_facts(info),
                "active_collection": active.name if active else None,
            },
        )

    @tool(
        "Collection",
        READS,
        description="Returns a collection's settings, counts, storage and newest documents.",
        sets=("legal",),
        of=("collection info",),
    )
    async def get_collection_info(
        self, collection: CollectionName = None, response_format: ResponseFormat = "concise"
    ) -> CallToolResult:
        """Describe a collection."""
        target: Collection = await locate(self._session, collection)

        stats, formatter, documents, lines = await newest(target, response_format)
        info = results.bounded_collection(target.info)
        text = plain(described(info, stats, {"Folder": str(target.folder)}))
        facts = self._entry(info, stats, "") | {"folder": str(target.folder)} | documents
        return results.answer("\n".join([text, "", *lines]).rstrip(), formatter.whole(facts))

    def _damaged(self) -> "list[_Broken]":
        return [
            _Broken(str(path), cut(str(why), _REASON_CHARS))
            for path, why in self._library.damaged()
        ]

    def _entry(
        self, info: CollectionInfo, stats: CollectionStats | None, problem: str
    ) -> dict[str, object]:
        entry: dict[str, object] = {
            **results.bounded_collection(info, _LIST_CHARS).as_dict(),
            "is_active": self._is_active(info),
            **sizes(stats),
        }
        return entry | ({"problem": problem} if problem else {})


_Counted = tuple[CollectionInfo, CollectionStats | None, str]


@dataclass(frozen=True, slots=True)
class _Broken:
    """A collection folder that cannot be read, and why."""

    path: str
    reason: str


def sizes(stats: CollectionStats | None, /) -> dict[str, int | None]:
    """Return the size of a collection; ``None`` if it cannot be opened."""
    names = ("document_count", "page_count", "chunk_count", "storage_bytes")
    return {name: getattr(stats, name, None) for name in names}


def _collections_text(
    shown: results.Portion[Any],
    total: int,
    readable: int,
    hidden: int,
    status: str,
    step: str | None,
) -> str:
    """Return the text of list_collections: *readable* blocks are of readable collections."""
    kind = "" if status == "all" else f"{status} "
    head = render.counted(total, f"{kind}collection") if total else f"No {kind}collections."
    if 0 < readable < total:
        head += f", {readable:,} of them shown"
    lines = shown.blocks[:readable]
    marked = ["* = active collection"] if any(line.startswith("* ") for line in lines) else []
    more = [f"{hidden:,} with another status: status_filter all"] if hidden else []
    rest = [sentence for sentence in (step, results.onward(shown.next_offset)) if sentence]
    return "\n".join([head, *lines, *marked, *more, *shown.blocks[readable:], *rest])
