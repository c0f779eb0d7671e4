"""The statement behind a page: the same in SQL, to go on from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request


def behind(request: Request, /) -> str:
    """Return the SQL statement that shows what the page shows; empty where there is none."""
    route = request.scope.get("route")
    made = _BEHIND.get(getattr(route, "name", ""))
    return "" if made is None else made(request)


def _text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _of(request: Request, part: str) -> str:
    return _text(request.path_params[part])


def _search(request: Request) -> str:
    question = request.query_params.get("q", "").strip()
    if not question:
        return ""
    return (
        "SELECT rank, document_name, page, text, citation\n"
        f"FROM search({_text(question)}, 20)\nORDER BY rank"
    )


def _documents(_request: Request) -> str:
    return (
        "SELECT name, document_type, page_count, content_created_at, author, ingested_at\n"
        "FROM documents\nORDER BY name"
    )


def _document(request: Request) -> str:
    return (
        "SELECT page, text, citation\nFROM chunks\n"
        f"WHERE document_id = {_of(request, 'document')}\nORDER BY chunk_index"
    )


def _passage(request: Request) -> str:
    return f"SELECT *\nFROM context({_of(request, 'chunk')}, 1)"


def _people(_request: Request) -> str:
    return (
        "SELECT name, kind, mention_count, document_count, role\n"
        "FROM entities\nORDER BY document_count DESC, mention_count DESC"
    )


def _entity(request: Request) -> str:
    return (
        "SELECT document_name, page, text, cite(chunk_id) AS citation\nFROM mentions\n"
        f"WHERE entity_id = {_of(request, 'entity')}\nORDER BY document_name, page"
    )


def _timeline(_request: Request) -> str:
    return (
        "SELECT first_day, last_day, text, document_name, page, cite(chunk_id) AS citation\n"
        "FROM dates\nWHERE first_day IS NOT NULL AND NOT repeated\nORDER BY first_day"
    )


def _kept(_request: Request) -> str:
    return (
        "SELECT kind, value, note, document_name, page, text, made_at\n"
        "FROM marks\nWHERE state = 'in force'\nORDER BY made_at DESC"
    )


def _health(_request: Request) -> str:
    return (
        "SELECT name, pages_without_text, ocr_pages, ocr_confidence, missing, warnings\n"
        "FROM documents\nWHERE len(missing) > 0 OR len(warnings) > 0 OR pages_without_text > 0"
    )


def _references(_request: Request) -> str:
    return (
        "SELECT name, type, citation_count, document_count, target_document_name\n"
        'FROM "references"\nORDER BY citation_count DESC'
    )


def _topics(_request: Request) -> str:
    return "SELECT label, terms, document_count, chunk_count\nFROM topics"


def _graph(_request: Request) -> str:
    return (
        "SELECT a.name, b.name AS other, e.type, e.count, e.weight\n"
        "FROM edges e JOIN entities a ON a.entity_id = e.source_id\n"
        "JOIN entities b ON b.entity_id = e.target_id\nORDER BY e.weight DESC"
    )


_BEHIND: dict[str, Callable[[Request], str]] = {
    "document": _document,
    "documents": _documents,
    "entity": _entity,
    "graph": _graph,
    "health": _health,
    "kept": _kept,
    "passage": _passage,
    "people": _people,
    "references": _references,
    "search": _search,
    "timeline": _timeline,
    "topics": _topics,
}
"""By the name of a page, see :class:`casetrack.faces.window.pages.base.Page`."""
