"""The table of authorities of a brief."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from casetrack.base.errors import UsageError
from casetrack.base.numerals import roman
from casetrack.editions.legal.check.check import draft_place
from casetrack.editions.legal.own_table import (
    number_of,
    own_entries,
    own_tables,
    page_numbers,
    sort_key,
)
from casetrack.editions.legal.records.authorities import (
    AUTHORITY_SECTIONS,
    Authority,
    TableDifference,
    TableOfAuthorities,
    Uncounted,
)
from casetrack.extract.papers.text import TextPage, WholeText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from casetrack.editions.legal.drafts import Draft
    from casetrack.editions.legal.own_table import OwnTable, PageNumbers
    from casetrack.editions.legal.records.authorities import AuthoritySection
    from casetrack.editions.legal.records.check import DraftPlace
    from casetrack.extract.papers.text import AuthorityKind, LegalCitation

    ReadCitations = Callable[[WholeText], Sequence[LegalCitation]]

USUAL_PASSIM = 5
"""Number of pages from which courts accept *passim*."""

_SECTIONS: dict[AuthorityKind, AuthoritySection] = {
    "case": "Cases",
    "constitution": "Constitutional Provisions",
    "statute": "Statutes",
    "rule": "Rules",
    "regulation": "Regulations",
    "journal": "Other Authorities",
    "other": "Other Authorities",
}
"""Documents of the record are not authorities."""
_LONGEST = 300
"""Maximum characters of an entry: about six lines."""
_CERTIFICATE = re.compile(
    r"^\W*CERTIFICATE OF (?:COMPLIANCE|SERVICE)\b(?s:.{0,3000})", re.MULTILINE
)
"""The certificates at the end; their rules are in no table."""
_SHORTEST = 10
"""Minimum pages of a brief before an appendix with its own page numbers."""
_SHORT = frozenset(("short", "id", "supra", "name"))
_CASE_NAME = re.compile(r",?\s+(?=(?:\d|No\.|\[|\(|slip\b|---|___))")


def table_of_authorities(
    draft: Draft,
    /,
    *,
    passim: int = USUAL_PASSIM,
    compare: bool = False,
    read: ReadCitations | None = None,
) -> TableOfAuthorities:
    """Return the authorities that a brief cites, in the order of courts, with the citing pages.

    A citation counts for the pages of its first and last characters. Short forms, *Id.* and *supra*
    count for their authority. The brief's own tables and margin comments are excluded. Documents of
    the record and the opinion itself are not authorities.

    Parameters
    ----------
    passim
        Number of pages from which an authority is listed as *passim*; 0 for never.
    compare
        Whether to compare with the brief's own table.
    read
        Reads the citations of a text; default: :func:`read_citations`.

    Raises
    ------
    UsageError
        *passim* is negative or 1.
    """
    if passim < 0 or passim == 1:
        raise UsageError(
            f"passim must be 0 or at least 2, not {passim}.",
            hint="Use a number of pages, such as 5, or 0 to list all pages.",
        )
    from casetrack.editions.legal.extract.citations import citations_notes, read_citations

    read = read or read_citations
    tables = own_tables(draft.whole.text)
    numbers = page_numbers(draft.whole.pages)
    spans = [*((t.start, t.end) for t in tables), *draft.margin_comments]
    spans += [(m.start(), m.end()) for m in _CERTIFICATE.finditer(draft.whole.text)]
    appendix = _appendix(draft, numbers)
    spans += [(draft.whole.starts[at], len(draft.whole.text)) for at in appendix]
    every = read(draft.without(spans))
    counted = [c for c in every if c.kind in _SECTIONS]
    settled = [c for c in counted if c.resolved and c.key]
    leaders = _one_key(settled)
    own_keys = {leaders.get(key, key) for key in _own_keys(draft)}
    settled = [c for c in settled if leaders[c.key] not in own_keys]
    groups: defaultdict[str, list[LegalCitation]] = defaultdict(list)
    for citation in settled:
        groups[leaders[citation.key]].append(citation)
    items = [_authority(cited, draft, numbers, passim) for cited in groups.values()]
    order = {section: n for n, section in enumerate(AUTHORITY_SECTIONS)}
    items.sort(key=lambda a: (order[a.section], sort_key(a.section, a.name, a.name_end), a.key))
    own = [table for table in tables if table.kind == "authorities"]
    differences = None
    if compare and own:
        by_leader = {leaders[a.key]: a for a in items}
        by_key = {key: by_leader[leader] for key, leader in leaders.items()}
        body = _Body(draft, draft.without(spans), numbers)
        differences = _differences(own, read, by_key, items, passim, body)
    return TableOfAuthorities(
        draft_name=draft.name,
        draft_path=draft.document.document_id if draft.document else str(draft.path),
        pages=len(draft.whole.pages),
        page_numbers="printed" if numbers.are_printed else "file",
        passim=passim,
        authorities=tuple(items),
        uncounted=tuple(
            Uncounted(
                c.text, _place(draft, c, numbers), c.note or "CaseTrack found several candidates."
            )
            for c in counted
            if not (c.resolved and c.key)
        ),
        has_own_table=bool(own),
        differences=differences,
        notes=(
            *draft.notes,
            *citations_notes(),
            *(
                f"Page {at + 1} of the file has the number 1 again; from there on, citations are "
                "not counted."
                for at in appendix
            ),
            *_notes(draft, numbers, items, compare=compare, own=own),
        ),
    )


def _appendix(draft: Draft, numbers: PageNumbers) -> list[int]:
    """Return the index of the page on which the page numbers begin again, if there is one."""
    last = 0
    for at, page in enumerate(draft.whole.pages if numbers.are_printed else ()):
        kind, value = number_of(numbers.labels[page.number]) or ("", 0)
        if kind == "arabic":
            if value == 1 and last >= _SHORTEST:
                return [at]
            last = value
    return []


# --- who is who -------------------------------------------------------------------------------


def _one_key(citations: Iterable[LegalCitation]) -> dict[str, str]:
    """Return the key of the authority by citation key: parallel citations share one."""
    leader: dict[str, str] = {}

    def find(key: str) -> str:
        while leader.setdefault(key, key) != key:
            key = leader[key]
        return key

    for citation in citations:
        first = find(citation.key)
        for key in citation.keys:
            leader[find(key)] = first
    return {key: find(key) for key in leader}


def _own_keys(draft: Draft) -> Iterator[str]:
    """Yield the keys of a draft that is an opinion; it is not an authority for itself."""
    from casetrack.extract.papers.caption import read_caption
    from casetrack.graph.paper_sources import keys_in

    for own in read_caption(draft.whole, name=draft.name).own_citations or ():
        yield from keys_in(own)


def _authority(
    cited: Sequence[LegalCitation], draft: Draft, numbers: PageNumbers, passim: int
) -> Authority:
    # The most complete citation; the first one of equal ones.
    best = max(cited, key=lambda c: (c.form == "full", bool(c.name), bool(c.court)))
    places = tuple(_place(draft, c, numbers) for c in sorted(cited, key=lambda c: c.start))
    ends = (draft_place(draft.whole, c.end - 1, c.end) for c in cited)
    pages = sorted({p.page for p in (*places, *ends)})
    listed = "passim" if passim and len(pages) >= passim else numbers.listed(pages)
    # An act with its number and its page in the Statutes at Large is listed as written.
    acts = [c.text for c in cited if c.kind == "statute" and len(c.keys) > 1]
    written = max((t for t in acts if ", " in t), key=len, default=best.name or best.text)
    name = _with_court(" ".join(written.split()), best)
    if len(name) > _LONGEST:
        name = f"{name[:_LONGEST].rsplit(' ', 1)[0]} \u2026"
    section = _SECTIONS[best.kind]
    return Authority(
        section=section,
        name=name,
        name_end=_name_end(name) if section == "Cases" else 0,
        key=best.key,
        pages=tuple(numbers.labels[page] for page in pages),
        listed=listed,
        places=places,
        is_complete=best.form not in _SHORT,
    )


def _with_court(name: str, citation: LegalCitation) -> str:
    """Return a name with the court before the year, as in a table of authorities."""
    year = f"({citation.year})"
    if not citation.court or not name.endswith(year):
        return name
    return f"{name.removesuffix(year)}({citation.court} {citation.year})"


def _name_end(name: str) -> int:
    """Return the end of the name of a case: before its volume, docket number or court."""
    match = _CASE_NAME.search(name)
    return match.start() if match is not None else len(name)


def _place(draft: Draft, citation: LegalCitation, numbers: PageNumbers) -> DraftPlace:
    place = draft_place(draft.whole, citation.start, citation.end)
    return replace(place, printed=numbers.labels[place.page] if numbers.are_printed else "")


# --- comparison with the brief's own table ----------------------------------------------------


@dataclass(frozen=True)
class _Body:
    """The text of a brief without its tables, to make sure that an authority is not on a page."""

    draft: Draft
    whole: WholeText
    numbers: PageNumbers

    @cached_property
    def text(self) -> str:
        """The words of all pages."""
        return _plain(self.whole.text)

    def lacks(self, authority: Authority, place: DraftPlace, wanted: Sequence[str]) -> bool:
        """Return whether a citation by name is on none of the *wanted* pages, near no page end."""
        written = self.draft.whole.text[place.start : place.end]
        page = next(page for page in self.whole.pages if page.number == place.page)
        is_inner = _EDGE < place.char_start < len(page.text) - _EDGE
        named = not _BACK.match(written) and _marks(authority.name) & _tokens(written)
        return bool(is_inner and named) and self.numbers.labels[place.page] not in wanted

    def may_hold(self, authority: Authority, label: str) -> bool:
        """Return whether a page may cite an authority: by a word of its name, or by *id.*."""
        at = {n: i for i, n in enumerate(self.numbers.labels.values())}.get(label)
        marks = _marks(authority.name)
        if at is None or len(marks) < 2:
            return True
        texts = [page.text for page in self.whole.pages]
        ends = [text[-_EDGE:] for text in texts[max(0, at - 1) : at]]
        near = " ".join([*ends, texts[at], *(text[:_EDGE] for text in texts[at + 1 : at + 2])])
        return bool(_BACK.search(texts[at]) or marks & _tokens(near))


_EDGE = 300
"""Characters at the ends of a page, whose citations may count for the next page."""
_BACK = re.compile(r"\b(?:[Ii]d\.|[Ii]bid|supra\b)")
_COMMON = frozenset("united states state city county board department company commission".split())


def _tokens(text: str) -> set[str]:
    return set(_plain(text).split())


def _marks(name: str) -> set[str]:
    """Return the words and numbers of a name that identify it on a page."""
    return {w for w in _tokens(name) if len(w) > 3 and w not in _COMMON and not _YEAR.fullmatch(w)}


_YEAR = re.compile(r"(?:1[789]|20)\d\d")
_MAY_BE_CODIFIED = re.compile(r"\bAct\b|\bStat\.")
"""An act and its page in the Statutes at Large, which a table may list by the code."""
_SECTION = re.compile(r"§{1,2}\s?(\d{2,})")


def _is_absent(name: str, name_end: int, text: str) -> bool:
    """Return whether neither the place nor a word of the name of a case or code is in *text*."""
    if _MAY_BE_CODIFIED.search(name):
        return False
    if section := _SECTION.search(name):
        return re.search(rf"\b{section[1]}", text) is None
    reported = _plain(re.split(r",\s\d+|\(", name[name_end:].lstrip(", "))[0])
    if not name_end or not re.fullmatch(r"\d+ .+ \d+", reported) or reported in text:
        return False
    return not any(word in text for word in _marks(name[:name_end]))


def _differences(
    own: Sequence[OwnTable],
    read: ReadCitations,
    by_key: Mapping[str, Authority],
    items: Sequence[Authority],
    passim: int,
    body: _Body,
) -> tuple[TableDifference, ...]:
    """Compare the entries of the brief's own table with the counted citations.

    Silent unless sure: an authority is missing if no word of its name and no number is there.
    """
    listed: dict[str, tuple[str, ...]] = {}
    gone: list[TableDifference] = []
    text = body.draft.whole.text
    entries = _plain(" ".join(text[table.start : table.end] for table in own))
    for entry in (e for table in own for e in own_entries(text, table)):
        inside = read(WholeText((TextPage(1, entry.words),)))
        keys = dict.fromkeys(key for c in inside for key in (c.key, *c.keys))
        cited = [by_key[key].key for key in keys if key in by_key] or _named_authorities(
            entry.words, items
        )
        for key in dict.fromkeys(cited):
            listed[key] = (*listed.get(key, ()), *entry.pages)
        if not cited and _is_absent(entry.words, _name_end(entry.words), body.text):
            pages = ", ".join(entry.pages)
            message = f"{entry.words} is listed ({pages}); CaseTrack found no citation of it."
            gone.append(TableDifference("citation not found", entry.words, message, pages))
    missing = [
        TableDifference(
            "entry not found",
            a.name,
            f"{a.name}: CaseTrack found it on {_page_list(a.pages)} and no entry in the table.",
            counted=a.listed,
        )
        for a in items
        if a.key not in listed and a.is_complete and _is_absent(a.name, a.name_end, entries)
    ]
    other = [
        difference
        for a in items
        if a.key in listed
        and body.numbers.are_printed
        and a.section in {"Cases", "Other Authorities"}
        and (difference := _other_pages(a, listed[a.key], passim, body)) is not None
    ]
    return (*missing, *gone, *other)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _named_authorities(words: str, items: Iterable[Authority]) -> list[str]:
    """Return the keys of authorities that an entry names without a readable citation."""
    plain = words.casefold()
    names = ((a.key, a.name[: a.name_end or None].casefold()) for a in items)
    return [key for key, name in names if name in plain or (plain and plain in name)]


def _other_pages(
    authority: Authority, listed: Sequence[str], passim: int, body: _Body
) -> TableDifference | None:
    if any(page.casefold() == "passim" for page in listed):
        few = len(authority.pages) < max(passim, 2)
        if not few or authority.listed == "passim" or passim == 0:
            return None
        wanted, lacking = authority.pages, []
    else:
        wanted = tuple(_expanded(listed))
        lacking = list(
            dict.fromkeys(
                body.numbers.labels[place.page]
                for place in authority.places
                if body.lacks(authority, place, wanted)
            )
        )
    excess = [p for p in wanted if p not in authority.pages and not body.may_hold(authority, p)]
    parts = []
    if lacking:
        parts.append(f"also found on {_page_list(lacking)}")
    if excess:
        parts.append(f"listed and not found on {_page_list(excess)}")
    if not parts:
        return None
    message = f"{authority.name}: {'; '.join(parts)} (by CaseTrack)."
    return TableDifference(
        "other pages", authority.name, message, ", ".join(listed), ", ".join(authority.pages)
    )


def _expanded(listed: Iterable[str]) -> list[str]:
    """Return the pages of a list, with ranges expanded."""
    pages: list[str] = []
    for part in listed:
        first, _, last = re.sub(r"[\u2013\u2014]", "-", part).partition("-")
        one, two = number_of(first), number_of(last)
        if one is None or two is None or one[0] != two[0] or not one[1] <= two[1]:
            pages.append(part)
            continue
        values = range(one[1], two[1] + 1)
        pages += [roman(v) if one[0] == "roman" else str(v) for v in values]
    return pages


def _page_list(pages: Sequence[str]) -> str:
    return f"page {pages[0]}" if len(pages) == 1 else f"pages {', '.join(pages)}"


# --- notes -------------------------------------------------------------------------------------


def _notes(
    draft: Draft,
    numbers: PageNumbers,
    items: Sequence[Authority],
    *,
    compare: bool,
    own: Sequence[OwnTable],
) -> list[str]:
    notes = []
    if not items:
        notes.append("CaseTrack found no citation in this file.")
    if draft.is_estimated:
        notes.append(
            "This file has no page breaks, so the page numbers are estimates. Save it as PDF in "
            "its program, and create the table from the PDF."
        )
    if items and not numbers.are_printed:
        notes.append(
            "The pages have no printed numbers; they are counted from the first page of the file."
        )
    if numbers.inferred:
        notes.append(
            f"{_file_pages(numbers.inferred)} without a printed number: counted from others."
        )
    if numbers.unknown:
        notes.append(
            f"{_file_pages(numbers.unknown)} without a printed number: listed in brackets, by "
            "position in the file."
        )
    if draft.margin_comments:
        notes.append("Citations in margin comments are not counted.")
    short = [a for a in items if not a.is_complete]
    if short:
        names = "; ".join(a.name for a in short)
        notes.append(f"CaseTrack found no full citation outside of the tables: {names}.")
    if compare and own:
        notes.append("CaseTrack found these differences; check each in the brief.")
    if compare and not own:
        notes.append("CaseTrack found no table of authorities in the brief to compare with.")
    return notes


def _file_pages(pages: Sequence[int]) -> str:
    if len(pages) == 1:
        return f"Page {pages[0]} of the file is"
    return f"Pages {', '.join(map(str, pages))} of the file are"
