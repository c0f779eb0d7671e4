"""Tools on whole collections: create, list, switch, delete, look at; and the server's status."""

import functools
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from mcp.types import CallToolResult

from casetrack.api.operation import DELETES, READS
from casetrack.api.text import entry_of, lines_of
from casetrack.api.text.collections import amount, described
from casetrack.api.watch.watch_list import delete_collection as delete_watched
from casetrack.base.dataclass import asdict, dataclass
from casetrack.base.errors import CaseTrackError, See
from casetrack.base.records import CollectionEntry, CollectionInfo, CollectionStats, Document
from casetrack.faces.mcp import render, results
from casetrack.faces.mcp.concise import document_forms, formatter_for
from casetrack.faces.mcp.failures import reason
from casetrack.faces.mcp.operation_tools import plain
from casetrack.faces.mcp.progress import Unconfirmed
from casetrack.faces.mcp.session import NO_STATE, SessionTools, in_thread, locate, write_in_thread
from casetrack.faces.mcp.specs import CollectionName, Offset, ResponseFormat, tool
from casetrack.faces.mcp.steps import again, if_offered, name_tools
from casetrack.faces.mcp.texts import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.faces.mcp.concise import ResponseFormatter


NEXT_STEP = f"Ingest documents with {See('ingest')}."
ACTIVE_NOW = "This is now your active collection."
_LISTED_DOCUMENTS, _FEW_DOCUMENTS = 50, 10
"""Number of documents in the description of a collection, detailed and concise."""
_LIST_BUDGET = 10_000
LIST_CHARS = 300
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
    """Work of tools on whole collections; *noun* names a collection in texts and results."""

    noun: ClassVar = "collection"

    def _every(self) -> "Sequence[CollectionInfo]":
        return self._session.library.collections()

    def _find(self, name: str, /) -> CollectionInfo:
        """Return the facts of a collection without opening it."""
        return self._session.library.find(name)

    def _shown(
        self, info: CollectionInfo, stats: CollectionStats | None, problem: str, /
    ) -> CollectionEntry:
        return CollectionEntry.of(info, stats, problem)

    def _facts(self, info: CollectionInfo, _stats: CollectionStats | None, /) -> dict[str, Any]:
        return results.collection_facts(info)

    def _entry(
        self, info: CollectionInfo, stats: CollectionStats | None, problem: str, /
    ) -> dict[str, Any]:
        entry = results.bounded_collection(info, LIST_CHARS).as_dict()
        entry |= {"is_active": self._is_active(info), **sizes(stats)}
        return entry | ({"problem": problem} if problem else {})

    def _whole(self, entry: dict[str, Any], /) -> dict[str, Any]:
        """Return the facts of one collection for a description of it."""
        return entry

    def _counted(self, info: CollectionInfo) -> "_Counted":
        """Count one collection; the error of a damaged one is returned as text."""
        try:
            return info, self._session.library.stats(info), ""
        except CaseTrackError as error:
            return info, None, reason(error)

    def _is_active(self, info: CollectionInfo) -> bool:
        return self._session.active is not None and self._session.active.id == info.id

    def _no_state(self) -> str:
        return NO_STATE.replace("`collection`", f"`{self.noun}`")

    def _listed(self, status_filter: str, offset: int, /) -> CallToolResult:
        everything = self._every()
        infos = [i for i in everything if status_filter in {"all", i.status}]
        damaged = [
            _Broken(str(path), cut(str(why), _REASON_CHARS))
            for path, why in self._session.library.damaged()
        ]
        counted = functools.cache(self._counted)

        def entry(item: CollectionInfo | _Broken) -> dict[str, Any]:
            return asdict(item) if isinstance(item, _Broken) else self._entry(*counted(item))

        def line(item: CollectionInfo | _Broken, _entry: Any) -> str:
            if isinstance(item, _Broken):
                return f"Damaged: {item.path}: {item.reason}"
            mark = "* " if self._is_active(item) else "- "
            return mark + plain(lines_of(self._shown(*counted(item))))

        items: list[CollectionInfo | _Broken] = [*infos, *damaged]
        shown = results.portion(items, entry, line, offset=offset)
        readable = sum(isinstance(item, CollectionInfo) for item in shown.items)
        hidden = len(everything) - len(infos)
        sealed = [s.label for s in self._session.library.sealed()]
        create = See("case create") if self.noun == "case" else See("collection create")
        step = None if infos or hidden or sealed else if_offered(f"Create one with {create}.")
        text = self._list_text(shown, len(infos), readable, hidden, status_filter, step)
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
                f"{self.noun}s": shown.entries[:readable],
                "damaged": shown.entries[readable:],
                "next_step": step,
            }
            | ({"sealed": sealed} if sealed else {}),
        )

    def _list_text(
        self,
        shown: results.Portion[Any],
        total: int,
        readable: int,
        hidden: int,
        status: str,
        step: str | None,
    ) -> str:
        """Return the text of a list: *readable* blocks are of readable collections."""
        kind = "" if status == "all" else f"{status} "
        head = render.counted(total, f"{kind}{self.noun}") if total else f"No {kind}{self.noun}s."
        if 0 < readable < total:
            head += f", {readable:,} of them shown"
        lines = shown.blocks[:readable]
        marked = [f"* = active {self.noun}"] if any(x.startswith("* ") for x in lines) else []
        more = [f"{hidden:,} with another status: status_filter all"] if hidden else []
        rest = [sentence for sentence in (step, results.onward(shown.next_offset)) if sentence]
        return "\n".join([head, *lines, *marked, *more, *shown.blocks[readable:], *rest])

    async def _switched(self, name: str, /) -> CallToolResult:
        def work() -> tuple[CollectionInfo, CollectionStats]:
            collection = self._session.library.get(self._find(name).id)
            return collection.info, collection.stats()

        info, stats = await in_thread(work)
        remembered = self._session.activate(info)
        named = f'{self.noun} "{info.name}" (ID: {info.id}; {amount(stats)})'
        text = f"Switched to {named}." if remembered else f"Found {named}. {self._no_state()}"
        return results.answer(
            text,
            {
                self.noun: self._facts(info, stats),
                "is_active": remembered,
                "notes": [] if remembered else [self._no_state()],
                **sizes(stats),
            },
        )

    async def _deleted(self, name: str, confirm: bool, /) -> CallToolResult:
        info = await in_thread(partial(self._find, name))
        _, stats, _ = await in_thread(partial(self._counted, info))
        if not confirm:
            held = amount(stats) if stats is not None else "all its content"
            raise Unconfirmed(
                f'This would permanently delete the {self.noun} "{info.name}" '
                f"(ID: {info.id}) with {held}.",
                hint=f"It cannot be undone. {again()}",
            )
        work = partial(delete_watched, self._session.library, info.id)
        await write_in_thread(self._session, info.id, work)
        self._session.forget(info.id)
        active = self._session.active
        text = f'Deleted {self.noun} "{info.name}" (ID: {info.id}) and all its data.'
        if active is None:
            text += f"\nNo {self.noun} is active now."
        return results.answer(
            text,
            {
                "deleted": self._facts(info, stats),
                f"active_{self.noun}": active.name if active else None,
            },
        )

    async def _described(
        self, target: "Collection", response_format: ResponseFormat, /
    ) -> CallToolResult:
        stats, formatter, documents, lines = await newest(target, response_format)
        info, folder = results.bounded_collection(target.info), str(target.folder)
        text = plain(described(info, stats, {"Folder": folder}))
        facts = self._whole(self._entry(info, stats, ""))
        facts |= {"profile": info.profile, "folder": folder}
        whole = formatter.whole(facts | documents)
        return results.answer("\n".join([text, "", *lines]).rstrip(), whole)


class CollectionTools(CountingTools):
    """The tools of this module, for one session."""

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

    @tool("Switch collection", READS, sets=("search", "map", "legal"))
    async def switch_collection(self, collection_name: str) -> CallToolResult:
        """Set the collection of calls without `collection`. Returns its ID and sizes."""
        return await self._switched(collection_name)

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
        return await self._deleted(collection_name, confirm)

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
        return await self._described(await locate(self._session, collection), response_format)


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
