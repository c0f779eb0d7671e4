"""What *id.*, *supra* and short forms point back to, over all texts of a document.

The rules are those of legal writing. *Id.* means the authority cited immediately before, if that is
one and its page fits; a short form the one case of its reporter and volume, or of its name; *supra*
the one case of its name. Where several could be meant nothing is: the place stays open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.extract.references.matches import ReferenceMatch, slug

if TYPE_CHECKING:
    from casetrack.extract.references.citations import Citation

Place = tuple[int, int]
_MAX_PAGES = 150
"""Pages that a decision may run to; a pin cite further on is of another one (as in eyecite)."""
_MOST = 1000
_PARALLEL = re.compile(r"[\s,\d\-–—\[\]()*&¶atp.n_]{0,40}")
_PIN = re.compile(r"(?:at\s+)?(?:pp?\.\s*)?\*?(\d+)")
_NAME_PARTS = ("plaintiff", "defendant", "antecedent_guess")


@dataclass(frozen=True, slots=True)
class Cited:
    """Something cited at a place.

    Attributes
    ----------
    key, name
        Of what is cited; *key* is empty where it is open.
    parties
        Names that a later *supra* may use.
    volume, reporter
        For later short forms.
    pages
        First pages in the reporters that it stands in; none for laws.
    several
        Whether it is the last of several authorities cited together.
    authority
        Whether it is one that *id.* may mean.
    """

    key: str
    name: str = ""
    parties: tuple[str, ...] = ()
    volume: str = ""
    reporter: str = ""
    pages: tuple[int, ...] = ()
    several: bool = False
    authority: bool = True


class Antecedents:
    """What a document has cited so far, by place; the oldest is forgotten after a thousand."""

    def __init__(self) -> None:
        self._cited: dict[Place, Cited] = {}

    def before(self, place: Place, /) -> list[Cited]:
        """Return what was cited before *place*, in order of place."""
        return [cited for at, cited in sorted(self._cited.items()) if at < place]

    def forget(self, place: Place, /) -> None:
        """Take back what was noted at *place*, if anything."""
        self._cited.pop(place, None)

    def note(self, place: Place, cited: Cited, /) -> None:
        """Keep *cited*; the same place counts once."""
        self._cited[place] = cited
        if len(self._cited) > _MOST:
            del self._cited[min(self._cited)]


def resolve(
    text: str,
    items: list[tuple[ReferenceMatch, Citation | None]],
    cited: list[Cited],
    /,
) -> list[tuple[ReferenceMatch, Cited]]:
    """Resolve the citations of one text.

    Parameters
    ----------
    text
        The text.
    items
        Its references in order of place, those of eyecite with their citation.
    cited
        What stood before it in the document, in order; grows by what is found.

    Returns
    -------
    list
        The references with their final keys, and what each of them cites.
    """
    resolved: list[tuple[ReferenceMatch, Cited]] = []
    previous_end = 0
    for found, citation in items:
        if citation is None:
            authority = found.type in {"case", "regulation"}
            made = found
            what = Cited(found.key if found.resolved else "", found.name, authority=authority)
        elif citation.kind in {"case", "law", "journal"}:
            made, what = found, _full(found, citation, text[previous_end : found.start], cited)
        else:
            target = _target(citation, text[max(0, found.start - 3) : found.start], cited)
            made = _pointed(found, target)
            what = replace(target, several=False) if target else Cited("", authority=False)
        if resolved and what.authority and what.key:
            what = replace(what, several=_is_joined(text[previous_end : found.start], cited, what))
        cited.append(what)
        resolved.append((made, what))
        previous_end = found.end
    return resolved


def _is_joined(between: str, cited: list[Cited], what: Cited) -> bool:
    last = cited[-1] if cited else None
    if last is None or not last.key or not last.authority or last.key == what.key:
        return False
    return ";" in between and not re.search(r"\w{3,}\.\s+[A-Z]", between)


def _full(found: ReferenceMatch, citation: Citation, between: str, cited: list[Cited]) -> Cited:
    page = citation.groups.get("page") or ""
    pages = (int(page),) if page.isdigit() else ()
    parties = tuple(citation.details[n] for n in _NAME_PARTS if n in citation.details)
    what = Cited(
        found.key if found.resolved else "",
        found.name,
        parties,
        citation.groups.get("volume") or "",
        citation.reporter or "",
        pages,
    )
    last = cited[-1] if cited else None
    nameless = citation.kind == "case" and citation.start == citation.core
    if last is None or not last.pages or not nameless or not _PARALLEL.fullmatch(between):
        return what
    # Another reporter of the same decision: later words mean the first one.
    return replace(what, key=last.key, name=last.name, pages=last.pages + pages)


def _target(citation: Citation, before: str, cited: list[Cited]) -> Cited | None:
    if citation.kind == "id":
        last = cited[-1] if cited else None
        if last is None or not last.key or not last.authority:
            return None
        if last.several and ";" not in before:
            return None
        return last if _page_fits(last, citation.details.get("pin_cite")) else None
    names = [citation.details[n] for n in _NAME_PARTS if n in citation.details]
    if citation.kind == "short":
        volume = citation.groups.get("volume")
        same = [c for c in cited if c.key and (c.volume, c.reporter) == (volume, citation.reporter)]
        keys = {c.key for c in same}
        if len(keys) == 1:
            return same[0]
        return _of_name(same, names)
    return _of_name([c for c in cited if c.parties], names)


def _of_name(cited: list[Cited], names: list[str]) -> Cited | None:
    fitting: dict[str, Cited] = {}
    for name in names:
        words = re.compile(rf"(?<!\w){re.escape(name.strip(' .,'))}(?!\w)")
        for one in cited:
            if one.key and any(words.search(party) for party in one.parties):
                fitting.setdefault(one.key, one)
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _page_fits(cited: Cited, pin: str | None) -> bool:
    if not pin or not cited.pages:
        return True
    match = _PIN.match(pin.strip(" ,"))
    if not match:
        return False
    return any(page <= int(match[1]) <= page + _MAX_PAGES for page in cited.pages)


def _pointed(found: ReferenceMatch, target: Cited | None) -> ReferenceMatch:
    if target is None:
        return replace(found, resolved=False, confidence=0.4)
    type_ = target.key.split(":", 1)[0]
    return ReferenceMatch(found.start, found.end, type_, target.key, target.name, 0.85)  # type: ignore[arg-type]


def match_of(citation: Citation, text: str, /) -> ReferenceMatch:
    """Return the place of *citation*, with a key of its own as long as it is not resolved."""
    start, end = citation.start, citation.end
    name = " ".join(text[start:end].split())
    if citation.kind == "law":
        # What a publisher adds in parentheses is no part of the law.
        key = "regulation:" + slug(citation.corrected or name)
        return ReferenceMatch(start, end, "regulation", key, name, 0.95)
    if citation.kind == "journal":
        return ReferenceMatch(
            start, end, "document", "document:" + slug(_plain(citation)), name, 0.95
        )
    if citation.kind == "case":
        key = "case:" + slug(_plain(citation))
        shown = _shown(citation)
        bare = "." not in citation.written and start == citation.core
        # "1 Grant 2" is as often a line of a table as a reporter, volume 1, page 2.
        doubtful = bare and "year" not in citation.details
        confidence = 0.5 if doubtful else 0.97
        return ReferenceMatch(
            start, end, "case", key, shown, confidence, resolved=not citation.ambiguous
        )
    return ReferenceMatch(start, end, "case", "case:" + slug(name), name, 0.4, resolved=False)


def _plain(citation: Citation) -> str:
    return (citation.corrected or citation.written).replace(".", "")


def _shown(citation: Citation) -> str:
    plaintiff, defendant = (citation.details.get(n) for n in ("plaintiff", "defendant"))
    parties = ""
    if plaintiff and defendant:
        parties = f"{plaintiff} v. {defendant}"
    elif defendant and citation.start < citation.core:
        parties = f"In re {defendant}"
    written = " ".join((citation.corrected or citation.written).split())
    return f"{parties}, {written}" if parties else written
