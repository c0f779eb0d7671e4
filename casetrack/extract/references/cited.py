"""Earlier citations of a document, and the meaning of *id.*, *supra* and short forms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.extract.references.matches import ReferenceMatch, one_line, slug

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.extract.references.citations import Citation

Place = tuple[int, int]
_MAX_PAGES = 150
"""Maximum pages of a decision; a later pin cite is of another one (as in eyecite)."""
_MOST = 1000
_NEAR = 3
"""Number of earlier cases in question if the last citation cannot have the page."""
_VOLUME_BEFORE = re.compile(r"\d\s$")
"""The volume of "4 id., at 66": another volume of the same work."""
PIN_OF_ID = re.compile(
    r"\w{2,4}\.?,?\s?(?:at\s(?:pp?\.\s?)?|pp?\.\s?|(?=\*))(?P<star>\*)?(?P<page>\d+)(?P<appendix>a\b)?"
)
"""The page of "Id., at 723-24", or of an appendix: "Id., at 181a"."""
PAGED_LAWS = ("regulation:stat-", "regulation:fed-reg-")
"""Keys of laws that are cited by page; codes and rules are cited by section."""
_UNPAGED = ("regulation:", "rule:", "constitution:")
_STAR_PAGED = re.compile(r"WL|LEXIS")
_BEGUN = re.compile(r"(?:-cong-rec|:(?:stat|fed-reg)-\d{1,4}|-l-rev|-l-j)-[a-z]?(\d{2,6})(?![a-z])")
"""The first page of a work in a series of volumes."""
_SHORT_PAPER = re.compile(r"record:.*\b(?:answer|br|compl|mot|obj|opp|reply)$")
"""Keys of briefs and pleadings, which no pin cite beyond their pages means."""
NAME_PARTS = ("plaintiff", "defendant", "antecedent_guess")
"""Fields of a party in a citation of eyecite."""


@dataclass(frozen=True, slots=True)
class Cited:
    """An earlier citation at a position."""

    # key, name: of the source; *key* is empty if unresolved.
    key: str
    name: str = ""
    parties: tuple[str, ...] = ()  # names for a later *supra*
    # volume, reporter: for later short forms.
    volume: str = ""
    reporter: str = ""
    pages: tuple[int, ...] = ()  # first pages in its reporters; none for laws
    several: bool = False  # whether it is the last of several authorities cited together
    authority: bool = True  # whether *id.* may mean it
    aliases: tuple[str, ...] = ()  # keys of its parallel citations, its own included
    # Whether it is in a remark on another citation, "(quoting ...)", which later text does not
    # mean.
    within: bool = False
    # Whether a law or part is only mentioned ("under Rule 56"): *id.* then means the case before.
    mentioned: bool = False
    # Whether it is in a block quotation: *id.* right after that means the citation before it.
    quoted: bool = False
    note: int | None = None  # Number of its footnote, in order
    # Whether it is the later history of the decision before it, "aff'd, ...", or its quoted source,
    # ", quoting ...".
    history: bool = False
    inner: tuple[int, ...] = ()  # first pages of the case in a remark on it, "(quoting ...)"


class Antecedents:
    """Earlier citations by position; at most the last thousand."""

    def __init__(self) -> None:
        self._cited: dict[Place, Cited] = {}

    def before(self, place: Place, /) -> list[Cited]:
        """Return the citations before *place*, in order."""
        return [cited for at, cited in sorted(self._cited.items()) if at < place]

    def forget(self, place: Place, /) -> None:
        """Remove the citations noted at *place*."""
        self._cited.pop(place, None)

    def note(self, place: Place, cited: Cited, /) -> None:
        """Keep *cited*; the same place counts once."""
        self._cited[place] = cited
        if len(self._cited) > _MOST:
            del self._cited[min(self._cited)]


def meant_by(citation: Citation, text: str, at: int, cited: list[Cited], /) -> Cited | None:
    """Return the source of a short form, an *id.* or a *supra*, or ``None`` if it is ambiguous.

    *at* is the start of the short form in *text*; *cited* are the earlier citations in order.
    """
    if citation.kind == "id":
        return _meant_by_id(citation, text, at, cited)
    names = [citation.name.text] if citation.name else []
    names += [citation.details[n] for n in NAME_PARTS if n in citation.details]
    if citation.kind == "short":
        volume = citation.groups.get("volume")
        same = [c for c in cited if c.key and (c.volume, c.reporter) == (volume, citation.reporter)]
        keys = {c.key for c in same}
        if len(keys) == 1:
            return same[0]
        return _of_name(same, names) or _of_page(same, citation.groups.get("page"))
    return _of_name([c for c in cited if c.parties], names)


def _meant_by_id(citation: Citation, text: str, at: int, cited: list[Cited]) -> Cited | None:
    pin = PIN_OF_ID.match(text, at)
    before = text[max(0, at - 3) : at]
    is_law = "§" in text[at : at + 12]
    last = next((c for c in reversed(cited) if not c.mentioned or (is_law and c.authority)), None)
    if citation.written.startswith("i") and _VOLUME_BEFORE.search(before):
        return None
    if last is None or not last.key or not last.authority or (last.several and ";" not in before):
        return _of_late_page(pin, cited)
    if pin and not _page_fits(last, pin):
        return _paged_before(last, pin, cited) or _of_late_page(pin, cited)
    # "Dkt. 4 (quoting B, 564 U.S. 552). Id. at 571": the page may be one of B.
    if pin and last.inner and not last.pages:
        inner = next((c for c in reversed(cited) if c.within and c.pages == last.inner), None)
        if inner and _page_fits(inner, pin):
            return inner if int(pin["page"]) > _MAX_PAGES else None
    return last


def _of_late_page(pin: re.Match[str] | None, cited: list[Cited]) -> Cited | None:
    """Return the last case that can have a page which few works reach, if it is the only one.

    Other cases before it only count if they are cited together with it.
    """
    cases = {c.key: c for c in cited if c.key and c.pages and c.authority and not c.mentioned}
    last = list(dict.fromkeys(c.key for c in reversed(cited) if c.key in cases))[:_NEAR]
    fitting = [cases[key] for key in last if pin and has_late_page(cases[key], pin)]
    return None if not fitting or (fitting[0].several and fitting[1:]) else fitting[0]


def has_late_page(cited: Cited, pin: re.Match[str], /) -> bool:
    """Return whether a case has the page of a pin cite, and few other works have so many pages."""
    page = 0 if pin["appendix"] else int(pin["page"])
    return page > _MAX_PAGES and any(page - _MAX_PAGES <= p <= page for p in cited.pages[:1])


def _paged_before(last: Cited, pin: re.Match[str], cited: list[Cited]) -> Cited | None:
    """Return the case before a law, which has no pages: "A, 1 U.S. 2 (citing § 4). Id. at 3"."""
    if not is_unpaged(last):
        return None
    paged = next((c for c in reversed(cited) if not c.mentioned and not is_unpaged(c)), None)
    return paged if paged and paged.pages and paged.authority and _page_fits(paged, pin) else None


def is_unpaged(cited: Cited, /) -> bool:
    """Return whether a source is cited by section."""
    return cited.key.startswith(_UNPAGED) and not cited.key.startswith(PAGED_LAWS)


def _of_page(same: list[Cited], page: str | None) -> Cited | None:
    if not page or not page.isdigit():
        return None
    begun = [(c.pages[-1], c) for c in same if c.pages and c.pages[-1] <= int(page)]
    first, case = max(begun, key=lambda pair: pair[0], default=(0, None))
    return case if case is not None and int(page) <= first + _MAX_PAGES else None


def _of_name(cited: list[Cited], names: list[str]) -> Cited | None:
    for name in names:
        # "Frischmann & Benesch, supra" names "Brett Frischmann & Susan Benesch, ...".
        parts = re.split(r",?\s(?:&|and)\s|,\s", name.strip(" .,"))
        joined = r"\b.{1,40}?\b".join(map(re.escape, parts))
        words = re.compile(rf"(?<!\w){joined}(?!\w)")
        of_name = (c for c in cited if c.key and any(map(words.search, c.parties)))
        fitting = {one.key: one for one in reversed(list(of_name))}
        if fitting:
            return next(iter(fitting.values())) if len(fitting) == 1 else None
    return None


def _page_fits(cited: Cited, pin: re.Match[str]) -> bool:
    if is_unpaged(cited) or (pin["appendix"] and not cited.key.startswith("record:")):
        return False
    if not cited.pages:
        if begun := _BEGUN.search(cited.key):
            return int(begun[1]) <= int(pin["page"])
        return not (_SHORT_PAPER.search(cited.key) and int(pin["page"]) > _MAX_PAGES)
    if pin["star"] or _STAR_PAGED.search(cited.reporter):
        return bool(_STAR_PAGED.search(cited.reporter))
    return any(page <= int(pin["page"]) <= page + _MAX_PAGES for page in cited.pages)


def known_case(match: ReferenceMatch, cited: list[Cited], /) -> Cited | None:
    """Return the one case cited before whose two sides *found* names."""
    sides = re.split(r"\svs?\.?\s", match.name)
    if len(sides) != 2:
        return None
    fitting: dict[str, Cited] = {}
    for one in cited:
        if one.key and len(one.parties) == 2 and one.volume:
            pairs = zip(sides, one.parties, strict=True)
            if all(_same_side(side, party) for side, party in pairs):
                fitting.setdefault(one.key, one)
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _same_side(side: str, party: str) -> bool:
    short, long = sorted((slug(side), slug(party)), key=len)
    return bool(short) and (long == short or long.startswith(short + "-"))


# Restatements and treatises. Keys: ``document:restatement-second-torts-402a``,
# ``document:treatise-wright-miller-federal-practice-and-procedure-1357``.

_SECTION = r"(?:§{1,2}|[Ss]ections?|ch\.|¶)\s?(?P<section>\d[\dA-Za-z]*(?:[.:\[-]\d+[A-Za-z]?\]?)*)"
_RESTATEMENT = re.compile(
    r"Restatement\s?(?:\((?P<series>First|Second|Third|Fourth)\)\s)?(?:of\s)?(?:the\s)?"
    rf"(?P<subject>(?:Law\s)?(?:[A-Z][\w’']+(?:\s(?:of|and|&|the))?[:,]?\s){{1,8}}?){_SECTION}(?:"
    rf"\s?\(\d\))?(?:,?\s(?:cmt|comment|reporter['’]s\snote|illus)s?\.?\s?[a-z\d]{{1,2}}(?!\w))?"
)
_KNOWN = (
    "Wright|Moore|Wigmore|Nimmer|Corbin|Williston|Prosser|McCarthy|Weinstein|Couch|Collier|Larson"
    "|LaFave|Farnsworth|Chisum|"
    "Areeda|Sutherland|Newberg|Rubenstein|Witkin|Appleman|Fletcher|Loss|Hazen|McCormick|Mueller"
    "|Dobbs|Tribe|Chemerinsky|Schwarzer|Siegel"
)
_AUTHORS = (
    r"(?P<authors>(?:[A-Z]\.\s?){0,3}[A-Z][\w'’-]+(?:(?:,\s|\s&\s|,?\sand\s)(?:[A-Z]\.\s?"
    r"|[A-Z][a-z]+\s)*[A-Z][\w'’-]+){0,3}(?:\set\sal\.)?(?:['’]s)?)"
)
_TREATISE = re.compile(
    rf"(?<![\w.])(?:(?P<volume>\d{{1,2}}[A-Z]?)\s)?{_AUTHORS},?\s(?:on\s)?(?P<title>[A-Z][\w’'-]*"
    rf"(?:\s(?:of|and|the|on|in|for|to|[A-Z&][\w’':-]*)){{0,9}}),?\s{_SECTION}(?:\.\d+)?"
    r"(?P<edition>,?\s?(?:at\s\d+\s?)?\((?:[^()]{0,40}\bed\.[^()]{0,20}|[^()]{0,20})(?:19"
    r"|20)\d\d(?:\s[^()]{0,12})?\))?"
)


def find_other_works(text: str, /) -> Iterator[ReferenceMatch]:
    """Yield Restatements and treatises, by section, as places of type ``document``."""
    if "Restatement" in text:
        for match in _RESTATEMENT.finditer(text):
            series = (match["series"] or "").lower()
            subject = re.sub(r"\bLaw\s|\bof\b|\bthe\b", " ", match["subject"])
            key = slug("restatement", series, subject, match["section"])
            yield _work(match.start(), match.end(), key, text)
    if "§" not in text:
        return
    for match in _TREATISE.finditer(text):
        known = re.search(rf"\b(?:{_KNOWN})\b", match["authors"])
        edition = match["edition"] or ""
        if not known and "ed." not in edition:
            continue
        authors = re.sub(r"\b[A-Z]\.\s?|\bet\sal\.|['’]s$", " ", match["authors"])
        key = slug("treatise", authors, match["title"], match["section"])
        end = match.start("edition") if edition else match.end()
        yield _work(match.start(), end, key, text)


WORK = "work-"
"""Start of the slug of an article, book, report or web page."""


def is_other_work(key: str, /) -> bool:
    """Whether *key* is that of a work of authors, and not of a paper of business."""
    return key.startswith(("document:restatement-", "document:treatise-", f"document:{WORK}"))


def _work(start: int, end: int, key: str, text: str) -> ReferenceMatch:
    return ReferenceMatch(start, end, "document", f"document:{key}", one_line(text[start:end]), 0.9)
