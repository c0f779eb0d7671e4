"""Resources: collections, documents, chunks and pages that a client can attach or open.

Every address (:mod:`uris`) names one collection, and nothing outside of it is read.
"""

from __future__ import annotations

import base64
import json
import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mcp import types
from mcp.shared.exceptions import MCPError

from casetrack.base.errors import CaseTrackError, CollectionNotFound, DocumentNotFound, UsageError
from casetrack.base.provenance import iso_utc
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.faces.mcp import failures, uris
from casetrack.faces.mcp.handlers import STATELESS, Handler
from casetrack.faces.mcp.results import collection_facts
from casetrack.faces.mcp.session import Session, in_thread
from casetrack.faces.mcp.texts import sendable, visible

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.context import ServerRequestContext

    from casetrack.api.collection import Collection
    from casetrack.base.records import CollectionInfo, Document
    from casetrack.faces.mcp.specs import ToolChoice

logger = logging.getLogger("casetrack.mcp")

LISTED = 200
"""Number of listed collections, last changed first."""
JSON, MARKDOWN, PNG = "application/json", "text/markdown", "image/png"
RESOURCE_NOT_FOUND = -32002
"""Code of the handshake protocol; the stateless one uses -32602."""

_NAMES: dict[uris.Kind, tuple[str, str, str, str]] = {
    uris.Kind.COLLECTION: (
        "collection",
        "Collection",
        "Briefing on a collection: size, key people and organisations, dates, topics, documents.",
        JSON,
    ),
    uris.Kind.DOCUMENT: (
        "document",
        "Document text",
        "A document's text in reading order with page numbers; only the beginning of a long text.",
        MARKDOWN,
    ),
    uris.Kind.CHUNK: (
        "passage",
        "Passage",
        "A passage's text with citation and full source.",
        JSON,
    ),
    uris.Kind.PAGE: ("page", "Page", "Picture of a page of a document.", PNG),
    uris.Kind.HIGHLIGHT: (
        "highlighted-page",
        "Highlighted page",
        "Picture of a passage's page with the passage marked.",
        PNG,
    ),
}


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a resource: *data* is text or a picture; *notes* warn about a picture."""

    data: str | bytes
    mime_type: str
    notes: tuple[str, ...] = ()


class Resources:
    """The resources of one session; texts name only the tools of *choice*."""

    def __init__(self, session: Session, choice: ToolChoice, /) -> None:
        self._session = session
        self._choice = choice

    async def listed(self) -> list[types.Resource]:
        """Return the list of collections, and the active ones, those changed last first."""
        entries = await in_thread(self._entries)
        described = [
            types.Resource(
                uri=uris.collection_uri(info.id),
                name=sendable(info.name),
                title=sendable(info.name),
                description=visible(sendable(_described(info, counts))),
                mime_type=JSON,
                annotations=types.Annotations(last_modified=iso_utc(info.updated_at)),
            )
            for info, counts in entries
            if info.status == "active"
        ]
        everything = types.Resource(
            uri=uris.COLLECTIONS,
            name="collections",
            title="All collections",
            description="Name, status, size and address of every collection on this machine.",
            mime_type=JSON,
        )
        sql = types.Resource(
            uri=uris.SQL,
            name="sql",
            title="SQL reference",
            description="The views that the tool query reads, their columns, and the functions.",
            mime_type=MARKDOWN,
        )
        asked = self._choice.names is None or "query" in self._choice.names
        return [everything, *([sql] if asked else []), *described[:LISTED]]

    def templates(self) -> list[types.ResourceTemplate]:
        """Return the forms of all addresses with an id in them."""
        return [
            types.ResourceTemplate(
                uri_template=uris.TEMPLATES[kind],
                name=name,
                title=title,
                description=description,
                mime_type=mime_type,
            )
            for kind, (name, title, description, mime_type) in _NAMES.items()
        ]

    async def read(self, uri: str, /) -> Content:
        """Return the content of *uri*."""
        address = uris.parse_uri(uri)
        if address.kind is uris.Kind.COLLECTIONS:
            return _json(await in_thread(self._collections))
        if address.kind is uris.Kind.SQL:
            from casetrack.api.sql.reference import names as sql_names

            return Content(sql_names(), MARKDOWN)
        target = await in_thread(partial(self._collection, address.collection_id))
        if address.kind is uris.Kind.COLLECTION:
            return await self._briefing(target)
        return await in_thread(partial(_READERS[address.kind], self, target, address))

    def _entries(self) -> list[tuple[CollectionInfo, str]]:
        """Return the first :data:`LISTED` collections with a description of their size."""
        infos = self._session.infos()
        infos.sort(key=lambda info: info.status != "active")
        return [(info, _size(self._counts(info))) for info in infos[:LISTED]]

    def _counts(self, info: CollectionInfo) -> tuple[int, int] | None:
        """Return documents and pages; ``None`` if they are not available without more work."""
        if info.schema_version != SCHEMA_VERSION:
            return None
        try:
            documents = (
                self._session.library.get(info.id).workspace.state().snapshot.documents.values()
            )
        except CaseTrackError as error:
            # List the other collections despite a damaged one; reading it returns the error.
            logger.info("not counted: %s", error.message)
            return None
        return len(documents), sum(document.page_count for document in documents)

    def _collections(self) -> dict[str, Any]:
        infos = self._session.infos()
        shown = []
        for info in infos[:LISTED]:
            counts = self._counts(info) or (None, None)
            facts = collection_facts(info)
            sizes = {"document_count": counts[0], "page_count": counts[1]}
            shown.append({**facts, **sizes, "uri": uris.collection_uri(info.id)})
        return {"total": len(infos), "collections": shown}

    def _collection(self, collection_id: str) -> Collection:
        info = self._session.library.get(collection_id)
        # A name may look like an id.
        if info.info.id != collection_id:
            raise CollectionNotFound(collection_id)
        return info

    async def _briefing(self, target: Collection) -> Content:
        """Return the result of get_collection_summary, with properties of the collection."""
        from casetrack.faces.mcp.tools.overview import OverviewTools

        info = target.info
        result = await OverviewTools(self._session).get_collection_summary(collection=info.id)
        facts = {"uri": uris.collection_uri(info.id), "facts": collection_facts(info)}
        return _json(facts | dict(result.structured_content or {}))

    def _document(self, target: Collection, address: uris.Address) -> Content:
        from casetrack.faces.mcp.document_text import document_text

        document = _document_of(target, address.document_id)
        return Content(sendable(document_text(target, document)), MARKDOWN)

    def _chunk(self, target: Collection, address: uris.Address) -> Content:
        from casetrack.faces.mcp.outputs import QUOTED

        chunk = target.read.chunk(address.chunk_id)
        key = target.info.id
        addresses = {
            "document_uri": uris.document_uri(key, chunk.provenance.document_id),
            "page_uri": uris.highlight_uri(key, address.chunk_id),
        }
        head = {"collection": target.info.name, "notice": QUOTED}
        return _json(head | chunk.as_dict() | addresses)

    def _page(self, target: Collection, address: uris.Address) -> Content:
        from casetrack.api.viewer.page_picture import page_picture

        document = _document_of(target, address.document_id)
        picture = page_picture(target.workspace.state(), document.document_id, address.page)
        return Content(picture.png, PNG, picture.notes)

    def _highlight(self, target: Collection, address: uris.Address) -> Content:
        from casetrack.api.viewer.page_picture import passage_picture

        picture = passage_picture(target.workspace.state(), address.chunk_id)
        return Content(picture.png, PNG, picture.notes)


_READERS: dict[uris.Kind, Callable[[Resources, Collection, uris.Address], Content]] = {
    uris.Kind.DOCUMENT: Resources._document,
    uris.Kind.CHUNK: Resources._chunk,
    uris.Kind.PAGE: Resources._page,
    uris.Kind.HIGHLIGHT: Resources._highlight,
}


def handlers(session: Session, choice: ToolChoice, /) -> dict[str, Handler]:
    """Return the handlers of the protocol's resource requests, by method."""
    resources = Resources(session, choice)

    async def list_resources(
        _ctx: Any, params: types.PaginatedRequestParams
    ) -> types.ListResourcesResult:
        failures.whole_list(params)
        listed = await with_protocol_errors(
            "resources/list", resources.listed, lambda _error: types.INTERNAL_ERROR
        )
        return types.ListResourcesResult(resources=listed)

    async def list_templates(
        _ctx: Any, params: types.PaginatedRequestParams
    ) -> types.ListResourceTemplatesResult:
        failures.whole_list(params)
        return types.ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read(
        ctx: ServerRequestContext[Any, Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        missing = types.INVALID_PARAMS if ctx.protocol_version >= STATELESS else RESOURCE_NOT_FOUND

        def code_of(error: CaseTrackError) -> int:
            return missing if isinstance(error, UsageError) else types.INTERNAL_ERROR

        content = await with_protocol_errors(
            "resources/read", partial(resources.read, uri), code_of, uri=uri
        )
        return types.ReadResourceResult(contents=[_sent(uri, content)])

    return {
        "resources/list": list_resources,
        "resources/templates/list": list_templates,
        "resources/read": read,
    }


async def with_protocol_errors(
    what: str,
    work: Callable[[], Awaitable[Any]],
    code_of: Callable[[CaseTrackError], int],
    /,
    *,
    uri: str | None = None,
) -> Any:
    """Return the result of *work*, and convert its errors to errors of the protocol.

    *what* is the method for the log, *code_of* returns the code of a typed error, and *uri* is
    added to the error.
    """
    data = None if uri is None else {"uri": sendable(uri)}
    try:
        return await work()
    except CaseTrackError as error:
        logger.info("%s: %s", what, error.code)
        message = failures.error_text(error.code, error.message, error.hint)
        raise MCPError(code_of(error), visible(sendable(message)), data) from error
    except MCPError:
        raise
    except Exception as error:
        raise MCPError(types.INTERNAL_ERROR, failures.unexpected(what, error).text, data) from error


def _sent(uri: str, content: Content) -> types.TextResourceContents | types.BlobResourceContents:
    if isinstance(content.data, str):
        return types.TextResourceContents(uri=uri, text=content.data, mime_type=content.mime_type)
    return types.BlobResourceContents(
        uri=uri,
        blob=base64.b64encode(content.data).decode("ascii"),
        mime_type=content.mime_type,
        _meta={"casetrack/notes": sendable(list(content.notes))} if content.notes else None,
    )


def _document_of(target: Collection, document_id: str) -> Document:
    document = target.document(document_id)
    # A name may look like an id.
    if document.document_id != document_id:
        raise DocumentNotFound(document_id)
    return document


def _json(value: dict[str, Any]) -> Content:
    return Content(json.dumps(sendable(value), ensure_ascii=False), JSON)


def _size(counts: tuple[int, int] | None) -> str:
    from casetrack.faces.mcp.render import counted

    return "" if counts is None else ", ".join(map(counted, counts, ("document", "page")))


def _described(info: CollectionInfo, size: str) -> str:
    """Return a description of a collection on one line."""
    parts = [f"Collection ({info.type})", size, " ".join((info.description or "").split())[:200]]
    return ". ".join(part for part in parts if part)
