"""Tools on whole collections: create, list, switch, delete, look at; and the server's status."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from casetrack.errors import CaseTrackError, UsageError
from casetrack.mcp import outputs, render
from casetrack.mcp.results import answer, collection_facts, document_entry
from casetrack.mcp.session import Session, in_thread, locate, write_in_thread
from casetrack.mcp.specs import ADDS, DELETES, READS, CollectionName, tool
from casetrack.models.profiles import PROFILES
from casetrack.records import (
    COLLECTION_TYPES,
    DEFAULT_PROFILE,
    CollectionInfo,
    CollectionStats,
)
from casetrack.watch.book import WatchBook

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.library import Library

PROFILE_NAMES = tuple(profile.name for profile in PROFILES)

LISTED_DOCUMENTS = 50


def lower(value: object) -> object:
    """Return texts in lower case, so that a type may be written in any case."""
    return value.strip().lower() if isinstance(value, str) else value


CollectionType = Annotated[
    str,
    BeforeValidator(lower),
    Field(
        description="Type of document collection",
        json_schema_extra={"enum": list(COLLECTION_TYPES)},
    ),
]


ProfileName = Annotated[
    str | None,
    BeforeValidator(lower),
    Field(
        description="Which models make the vectors (default: mini). openai sends all texts to "
        "that service: only if the user asks for it",
        json_schema_extra={"enum": list(PROFILE_NAMES)},
    ),
]


def profile_notes(library: "Library", profile: str | None, /) -> list[str]:
    """Return what the user should know of a profile that was chosen."""
    if profile is None:
        return []
    notes = (library.profile_notice(profile), library.missing_models(profile))
    return [note for note in notes if note]


class CollectionTools:
    """The tools of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._library = session.library

    @tool(
        "Create collection",
        ADDS,
        description="Create a new document collection. Creates an isolated database for this "
        "collection on your machine. Automatically switches to the new collection. "
        "Returns the collection's ID and settings.",
    )
    async def create_collection(
        self,
        name: Annotated[
            str,
            Field(description="Collection name (e.g., 'Project Alpha', 'Acme Corp Partnership')"),
        ],
        collection_id: Annotated[
            str | None, Field(description="Optional identifier or reference number")
        ] = None,
        collection_type: CollectionType | None = None,
        profile: ProfileName = None,
    ) -> Annotated[CallToolResult, outputs.CollectionOutput]:
        """Create a collection and make it the active one."""

        def work() -> tuple[CollectionInfo, list[str]]:
            made = self._library.create(
                name,
                collection_type=collection_type or "other",
                reference=collection_id,
                profile=profile or DEFAULT_PROFILE,
            )
            return made.info, profile_notes(self._library, profile)

        info, notes = await write_in_thread(self._session, "", work)
        self._session.activate(info)
        return answer(
            "\n".join([render.created(info), *(f"Note: {note}" for note in notes)]),
            {"collection": collection_facts(info), "is_active": True, "notes": notes},
        )

    @tool(
        "List collections",
        READS,
        description="List all collections. Shows name, type, status, document count, and which "
        "collection is active. Returns them last changed first, with IDs, page and chunk counts "
        "and storage used.",
    )
    async def list_collections(
        self,
        status_filter: Annotated[
            Literal["active", "closed", "archived", "all"],
            Field(description="Filter by collection status"),
        ] = "active",
    ) -> Annotated[CallToolResult, outputs.CollectionsOutput]:
        """List the collections of a status."""

        def work() -> tuple[list[_Counted], int, list[outputs.Damaged]]:
            everything = self._library.collections()
            infos = [i for i in everything if status_filter in {"all", i.status}]
            hidden = len(everything) - len(infos)
            return [self._counted(info) for info in infos], hidden, self._damaged()

        counted, hidden, damaged = await in_thread(work)
        lines = [
            render.collection_line(info, stats, problem, active=self._is_active(info))
            for info, stats, problem in counted
        ]
        return answer(
            _collections_text(lines, hidden, damaged, status_filter),
            {
                "status_filter": status_filter,
                "collections": [self._entry(*item) for item in counted],
                "damaged": damaged,
            },
        )

    @tool(
        "Switch collection",
        READS,
        description="Switch to a different collection. All subsequent operations (ingest, search) "
        "will use this collection. Returns the collection's ID and settings.",
    )
    async def switch_collection(
        self,
        collection_name: Annotated[str, Field(description="Collection name or ID to switch to")],
    ) -> Annotated[CallToolResult, outputs.CollectionOutput]:
        """Make a collection the active one."""

        def work() -> tuple[CollectionInfo, CollectionStats]:
            found = self._library.get(collection_name)
            return found.info, found.stats()

        info, stats = await in_thread(work)
        self._session.activate(info)
        text = f'Switched to collection "{info.name}" (ID: {info.id}).\n{render.sizes(stats)}'
        return answer(text, {"collection": collection_facts(info), "is_active": True})

    @tool(
        "Delete collection",
        DELETES,
        description="Permanently delete a collection and all its documents, embeddings, and data. "
        "This cannot be undone. Without confirm: true it deletes nothing and returns an error "
        "that says what would be deleted. The original files on disk stay where they are. "
        "Returns the deleted collection's ID and settings.",
        required=("confirm",),
        meta={"anthropic/requiresUserInteraction": True},
    )
    async def delete_collection(
        self,
        collection_name: Annotated[str, Field(description="Collection name or ID to delete")],
        confirm: Annotated[bool, Field(description="Must be true to confirm deletion")] = False,
    ) -> Annotated[CallToolResult, outputs.DeletedCollection]:
        """Delete a collection once that is confirmed."""
        info = await in_thread(partial(self._library.find, collection_name))
        if not confirm:
            _, stats, _ = await in_thread(partial(self._counted, info))
            held = render.sizes(stats) if stats is not None else "all that is in it"
            raise UsageError(
                f'Nothing was deleted. This would permanently delete the collection "{info.name}" '
                f"(ID: {info.id}) with {held}.",
                hint="It cannot be undone. If the user wants it, call delete_collection again "
                "with confirm: true.",
            )
        await write_in_thread(self._session, info.id, partial(self._delete, info.id))
        self._session.forget(info.id)
        active = self._session.active
        text = f'Deleted collection "{info.name}" (ID: {info.id}) and all its data.'
        if active is None:
            text += "\nNo collection is active now."
        return answer(
            text,
            {
                "deleted": collection_facts(info),
                "active_collection": active.name if active else None,
            },
        )

    @tool(
        "Collection details",
        READS,
        description="Get detailed information about the active collection including document list "
        "and storage usage. Returns its settings, counts, folder, and its newest "
        f"{LISTED_DOCUMENTS} documents (list_documents returns all).",
    )
    async def get_collection_info(
        self, collection: CollectionName = None
    ) -> Annotated[CallToolResult, outputs.CollectionInfoOutput]:
        """Describe a collection."""
        found: Collection = await locate(self._session, collection)

        def work() -> tuple[CollectionStats, list[outputs.DocumentLine], list[str]]:
            documents = found.documents(sort_by="date")[:LISTED_DOCUMENTS]
            lines = [render.document_line(document) for document in documents]
            return found.stats(), [document_entry(document) for document in documents], lines

        stats, documents, lines = await in_thread(work)
        omitted = stats.document_count - len(documents)
        text = render.collection_details(found.info, stats, str(found.folder))
        more = [f"... {omitted:,} more"] if omitted > 0 else []
        return answer(
            "\n".join([text, "", *lines, *more]).rstrip(),
            self._entry(found.info, stats, "")
            | {
                "folder": str(found.folder),
                "documents": documents,
                "documents_omitted": max(omitted, 0),
            },
        )

    def _delete(self, collection_id: str) -> None:
        """Delete a collection; folders that were kept in sync with it are watched no more."""
        self._library.delete(collection_id)
        book = WatchBook(self._library.settings.data_dir)
        watched = {watch.id for watch in book.watches(collection_id)}
        if watched:
            book.remove(watched)

    def _counted(self, info: CollectionInfo) -> "_Counted":
        """Count one collection; a damaged one must not hide the others."""
        try:
            return info, self._library.get(info.id).stats(), ""
        except CaseTrackError as error:
            return info, None, error.message

    def _damaged(self) -> list[outputs.Damaged]:
        return [{"path": str(path), "reason": str(why)} for path, why in self._library.damaged()]

    def _is_active(self, info: CollectionInfo) -> bool:
        return self._session.active is not None and self._session.active.id == info.id

    def _entry(
        self, info: CollectionInfo, stats: CollectionStats | None, problem: str
    ) -> dict[str, object]:
        names = ("document_count", "page_count", "chunk_count", "storage_bytes")
        entry: dict[str, object] = {**collection_facts(info), "is_active": self._is_active(info)}
        entry |= {name: getattr(stats, name, None) for name in names}
        return entry | ({"problem": problem} if problem else {})


_Counted = tuple[CollectionInfo, CollectionStats | None, str]


def _collections_text(
    lines: list[str], hidden: int, damaged: list[outputs.Damaged], status: str
) -> str:
    kind = "" if status == "all" else f"{status} "
    head = f"{render.counted(len(lines), f'{kind}collection')}"
    if not lines and hidden:
        head = f"No {kind}collections."
    elif not lines:
        head = f"No {kind}collections. Create one with create_collection."
    marked = ["* = active collection"] if any(line.startswith("* ") for line in lines) else []
    more = [f"{hidden:,} with another status: status_filter all"] if hidden else []
    broken = [f"Damaged: {item['path']}: {item['reason']}" for item in damaged]
    return "\n".join([head, *lines, *marked, *more, *broken])
