"""Completion of arguments of prompts and addresses from their first letters."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp import types

from casetrack.base.errors import CaseTrackError
from casetrack.faces.mcp.prompts import Prompts
from casetrack.faces.mcp.resources import with_protocol_errors
from casetrack.faces.mcp.session import Session, in_thread
from casetrack.faces.mcp.texts import sendable
from casetrack.faces.mcp.uris import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from casetrack.api.collection import Collection
    from casetrack.base.editions import Edition
    from casetrack.base.records import Document
    from casetrack.faces.mcp.handlers import Handler
    from casetrack.faces.mcp.specs import ToolChoice

MOST = 100
"""Limit of the protocol."""


class Option(NamedTuple):
    """A value and its display name."""

    value: str
    name: str


class Completer:
    """Completes arguments of prompts and addresses in one session; *choice* decides the prompts."""

    def __init__(self, session: Session, choice: ToolChoice, edition: Edition, /) -> None:
        self._session = session
        self._edition = edition
        self._prompts = Prompts(choice, edition)

    def options(self, params: types.CompleteRequestParams, /) -> list[Option]:
        """Return all possible values; reads the disk, so call it in a thread."""
        argument = params.argument.name
        known = (params.context.arguments if params.context else None) or {}
        if isinstance(params.ref, types.PromptReference):
            offered = {each.name: each for each in self._prompts.requests()}
            request = offered.get(params.ref.name)
            if request is None or argument not in {a.name for a in request.arguments}:
                return []
        elif f"{{{argument}}}" not in params.ref.uri or params.ref.uri not in TEMPLATES.values():
            return []
        ways = _WAYS.get(argument)
        try:
            return ways(self, known) if ways else []
        except CaseTrackError:
            # Completion returns no list on errors; the call itself reports the error.
            return []

    def collection_names(self, _known: Mapping[str, str], /) -> list[Option]:
        """Return the names of the collections, those changed last first."""
        return [Option(i.name, i.id) for i in self._session.infos()]

    def collection_ids(self, _known: Mapping[str, str], /) -> list[Option]:
        """Return the ids of the collections, those changed last first."""
        return [Option(i.id, i.name) for i in self._session.infos()]

    def document_names(self, known: Mapping[str, str], /) -> list[Option]:
        """Return the document names of a prompt's collection; paths where several share a name.

        Documents that another argument already names are left out.
        """
        documents = self._documents(known.get(self._edition.noun))
        names = Counter(document.name for document in documents)
        taken = {known.get("document_a"), known.get("document_b")}
        options = [
            Option(d.name if names[d.name] == 1 else d.path, d.document_id) for d in documents
        ]
        return [option for option in options if option.value not in taken]

    def document_ids(self, known: Mapping[str, str], /) -> list[Option]:
        """Return the ids of the documents of an address's collection."""
        collection = known.get("collection_id")
        if not collection:
            return []
        return [Option(d.document_id, d.name) for d in self._documents(collection)]

    def pages(self, known: Mapping[str, str], /) -> list[Option]:
        """Return the page numbers of an address's document."""
        collection, document = known.get("collection_id"), known.get("document_id")
        if not collection or not document:
            return []
        count = self._session.library.get(collection).document(document).page_count
        return [Option(str(number), "") for number in range(1, count + 1)]

    def _documents(self, collection: str | None) -> list[Document]:
        target: Collection = self._session.collection(collection or None)
        return target.documents(sort_by="name")


_WAYS: dict[str, Callable[[Completer, Mapping[str, str]], list[Option]]] = {
    "collection": Completer.collection_names,
    "case": Completer.collection_names,
    "document": Completer.document_names,
    "file": Completer.document_names,
    "document_a": Completer.document_names,
    "document_b": Completer.document_names,
    "collection_id": Completer.collection_ids,
    "document_id": Completer.document_ids,
    "page": Completer.pages,
}


def matching(options: Iterable[Option], typed: str, /) -> list[str]:
    """Return the values that match the typed text: prefixes first, then other matches.

    Letter case is ignored. Value and display name are compared.
    """
    wanted = typed.strip().casefold()
    beginning, within = [], []
    for option in options:
        texts = [option.value.casefold(), option.name.casefold()]
        if any(text.startswith(wanted) for text in texts):
            beginning.append(option.value)
        elif any(wanted in text for text in texts):
            within.append(option.value)
    return list(dict.fromkeys([*beginning, *within]))


def handlers(session: Session, choice: ToolChoice, edition: Edition, /) -> dict[str, Handler]:
    """Return the handlers of the protocol's completion requests, by method."""
    completer = Completer(session, choice, edition)

    async def complete(_ctx: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
        look = partial(in_thread, partial(completer.options, params))
        options = await with_protocol_errors(
            "completion/complete", look, lambda _error: types.INTERNAL_ERROR
        )
        values = matching(options, params.argument.value)
        return types.CompleteResult(
            completion=types.Completion(
                values=sendable(values[:MOST]), total=len(values), has_more=len(values) > MOST
            )
        )

    return {"completion/complete": complete}
