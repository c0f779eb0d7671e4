"""Errors about documents, chunks and what is found in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors.base import CaseTrackError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class DocumentNotFound(UsageError):
    """No document of the collection has this name, path or id."""

    code = "document_not_found"

    def __init__(self, name: str, near: Sequence[tuple[str, str]] = ()) -> None:
        self.name = name
        self.near = tuple(near)
        if near:
            lines = "\n".join(f"  - {n} (ID: {i})" for n, i in near)
            super().__init__(
                f'Document not found: "{name}". Did you mean:\n{lines}\nUse the full name or ID.'
            )
        else:
            super().__init__(
                f'Document not found: "{name}".',
                hint="List what is there with `casetrack documents`.",
            )


class AmbiguousName(UsageError):
    """A name fits several documents or collections."""

    code = "ambiguous_name"

    def __init__(self, kind: str, name: str, matches: Sequence[tuple[str, str]]) -> None:
        lines = "\n".join(f"  - {n} (ID: {i})" for n, i in matches)
        super().__init__(
            f'{len(matches)} {kind}s are called "{name}":\n{lines}', hint="Use the ID of one."
        )


class ChunkNotFound(UsageError):
    """No live chunk has this id."""

    code = "chunk_not_found"

    def __init__(self, chunk_id: str) -> None:
        super().__init__(
            f"Chunk not found: {chunk_id}",
            hint="Chunk ids come from a search result; "
            "the document may have been deleted or changed since.",
        )


class FileExcluded(CaseTrackError):
    """The user has taken a file out of a collection for good; only by its own name it comes back.

    Parameters
    ----------
    path
        Of the file.
    """

    code = "excluded"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} was taken out of this collection for good.",
            hint="To have it again, take in this very file by its name.",
        )


class DuplicateDocument(CaseTrackError):
    """The same bytes are in the collection already.

    Parameters
    ----------
    path
        Of the file.
    document_name, document_id
        The document that has them.
    known_path
        Where that document was read; the same path means that the file has not changed since.
    """

    code = "duplicate"

    def __init__(
        self, path: Path | str, document_name: str, document_id: str, known_path: str | None = None
    ) -> None:
        self.document_id = document_id
        self.document_name = document_name
        self.known_path = known_path
        super().__init__(
            f"{path} is in the collection already and has not changed (SHA256 matches existing "
            f"document ID: {document_id})."
            if str(path) == known_path
            else f"Duplicate document: {path} has the same content as "
            f'"{document_name}" (SHA256 matches existing document ID: {document_id}).',
            hint="Nothing was added. Use `--force` to ingest it anyway.",
        )


class EntityNotFound(UsageError):
    """The documents mention nobody and nothing of this name.

    Parameters
    ----------
    name
        What the user asked for.
    near
        ``(name, kind)`` of entities with a similar name.
    kind
        Kind that was asked for, or ``any``.
    """

    code = "entity_not_found"

    def __init__(
        self, name: str, near: Sequence[tuple[str, str]] = (), *, kind: str = "any"
    ) -> None:
        self.name = name
        self.near = tuple(near)
        what = "" if kind == "any" else f" ({kind})"
        if near:
            lines = "\n".join(f"  - {n} ({k})" for n, k in near)
            super().__init__(
                f'Entity not found: "{name}"{what}. Did you mean:\n{lines}\nUse the full name.'
            )
        else:
            super().__init__(
                f'Entity not found: "{name}"{what}.',
                hint="List who and what is mentioned with `casetrack entities`, "
                "or look for the words themselves with `casetrack search`.",
            )


class ReferenceNotFound(UsageError):
    """The documents refer to nothing of this name.

    Parameters
    ----------
    name
        What the user asked for.
    near
        ``(name, type)`` of references with a similar name.
    """

    code = "reference_not_found"

    def __init__(self, name: str, near: Sequence[tuple[str, str]] = ()) -> None:
        self.name = name
        self.near = tuple(near)
        if near:
            lines = "\n".join(f"  - {n} ({t})" for n, t in near)
            super().__init__(
                f'Reference not found: "{name}". Did you mean:\n{lines}\nUse the full name.'
            )
        else:
            super().__init__(
                f'Reference not found: "{name}".',
                hint="List what is referred to with `casetrack references`, "
                "or look for the words themselves with `casetrack search`.",
            )


class AuthorityNotCited(UsageError):
    """No document of a case file cites an authority.

    Parameters
    ----------
    name
        What the user asked for.
    case
        The case file.
    """

    code = "authority_not_cited"

    def __init__(self, name: str, case: str) -> None:
        self.name = name
        super().__init__(
            f'No document of "{case}" cites "{name}".',
            hint='List what is cited with `casetrack query "SELECT name, citation_count FROM '
            'authorities"`. Or look for its words with `casetrack search`.',
        )


class AuthorityUnclear(UsageError):
    """A name fits several authorities that the documents cite.

    Parameters
    ----------
    name
        What the user asked for.
    matches
        Name and id of each.
    """

    code = "authority_unclear"

    def __init__(self, name: str, matches: Sequence[tuple[str, str]]) -> None:
        self.matches = tuple(matches)
        lines = "\n".join(f"  - {n} (ID: {i})" for n, i in matches[:10])
        more = f"\n  and {len(matches) - 10} more" if len(matches) > 10 else ""
        super().__init__(
            f'{len(matches)} authorities are called "{name}":\n{lines}{more}',
            hint="Name one by its reporter, such as 509 U.S. 579, or by its ID.",
        )
