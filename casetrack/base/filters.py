"""What a user narrows a search by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.arguments import several

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from casetrack.base.arguments import DocumentRef


@dataclass(frozen=True, slots=True)
class Filter:
    """What documents are to be searched; all of it must hold.

    Attributes
    ----------
    documents
        One document or several, each by name, path or id, or itself.
    kinds
        Types or formats; one of them is enough.
    since, until
        First and last day, as a date or text such as ``2024-03-12``, ``2024-03`` or ``2024``; of
        a moment, such as ``2024-03-12T10:30:00Z``, its day.
    sources
        Sources (``git:platform``) or their kinds (``git``); one of them is enough. A file that was
        named by its path has the source ``filesystem``.
    paths
        Patterns as in ``.gitignore`` (``docs/**``, ``*.md``, ``!tests/``), of which the last that
        fits decides; each may begin at any folder, with a slash only at the first.
    languages
        Codes (``de``) or English names (``German``), of source code ``Python`` and the like; one
        of them is enough.
    mentions
        Ids of the view ``entities``, such as ``person:ann-lee``: only passages that mention all
        of them.
    """

    documents: Iterable[DocumentRef] | DocumentRef | None = None
    kinds: Iterable[str] | str | None = None
    since: str | date | None = None
    until: str | date | None = None
    sources: Iterable[str] | str | None = None
    paths: Iterable[str] | str | None = None
    languages: Iterable[str] | str | None = None
    mentions: Iterable[str] | str | None = None

    def fixed(self) -> Filter:
        """Return the same with what may be passed over once only, or changed, as tuples."""

        def fixed(given: Iterable[str] | str | None) -> tuple[str, ...] | None:
            return None if given is None else several(given)

        return replace(
            self,
            kinds=fixed(self.kinds),
            sources=fixed(self.sources),
            paths=fixed(self.paths),
            languages=fixed(self.languages),
            mentions=fixed(self.mentions),
        )
