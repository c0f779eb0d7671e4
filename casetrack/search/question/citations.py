"""Citations in a question: cases, laws, rules, docket numbers, places of the record.

Users type them in many ways: without dots and signs, in lower case, ``ss`` for a section sign,
"vs." for "v.". Only the written form is read here; :mod:`casetrack.search.cited` looks it up in the
collection. Keys are those of :mod:`casetrack.extract.references`. A question without a number, a
"v." or a few other words is skipped.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.records.reading import AskedCitation
from casetrack.extract.references.matches import slug
from casetrack.search.question.cited_laws import (
    appeals,
    bates,
    case_numbers,
    codes,
    constitutions,
    lone_sections,
    papers,
    record,
    rules,
    state_laws,
    transcripts,
)
from casetrack.search.question.words import may_cite, part, terms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_I = re.IGNORECASE
_RANGE = r"\d+(?:\s?[-\u2013\u2014]\s?\d+)?"
_AT = rf"(?:,?\s+at\s+(?:pp?\.\s?)?\*?(?P<at>{_RANGE}))"
_REPORTERS = {
    "us": "us", "sct": "s-ct", "led": "l-ed", "led2d": "l-ed-2d", "f": "f", "f2d": "f2d",
    "f3d": "f3d", "f4th": "f4th", "fsupp": "f-supp", "fsupp2d": "f-supp-2d",
    "fsupp3d": "f-supp-3d", "fappx": "f-appx", "frd": "frd", "br": "br", "wl": "wl",
}  # fmt: skip
"""Frequent reporters as written in keys, by their letters and digits alone."""
_REPORTER = re.compile(
    r"(?<![\w.])(?P<volume>\d{1,4})\s+(?P<reporter>[A-Za-z][A-Za-z0-9.'\u2019 ]{0,24}?)[\s,]+"
    rf"(?:(?:at\s+)\*?(?P<short>{_RANGE})"
    rf"|(?P<page>\d{{1,8}})(?:,\s*(?P<pin>{_RANGE})(?!\s?[A-Z]))?)"
    rf"{_AT}?(?!\w)",
    _I,
)
_VERSUS = re.compile(r"(?<=[\w.,)'\u2019])\s+(?:v|vs|versus)\.?\s+(?=\w)", _I)
_ONE_PARTY = re.compile(
    r"(?<!\w)(?:in\s+re|ex\s+parte|in\s+the\s+matter\s+of|(?-i:Matter\s+of(?=\s[A-Z])))\s+"
    r"(?P<name>[^\W_][\w.,&'\u2019 -]{1,60})",
    _I,
)
_SUPRA = re.compile(
    r"(?P<name>[A-Z][\w.&'\u2019-]*(?:\s[A-Z&][\w.&'\u2019-]*){0,4}),?\s+supra\b"
    rf"(?:,?\s+note\s+\d+)?,?{_AT}?"
)
_ID = re.compile(rf"(?<!\w)(?:(?:Id\.|[Ii]bid\.?)(?!\w){_AT}?|id\.,?\s+at\s+\d+)")
_LONE_ID = re.compile(rf"\s*(?:ib)?id\.?{_AT}?\s*[.?]?\s*", _I)
_WORD = re.compile(r"[^\W_]+(?:[.'\u2019&-][^\W_]+)*\.?")
_MOST_WORDS = 8
_STOPS = frozenset(
    "what which who whom whose when where why how does do did is are was were be been say says "
    "said cite cites citing cited about under in on at by from with without for to into case cases "
    "decision opinion holding held hold standard test apply applies applied discuss discusses "
    "discussed documents document passages show find me all any that this these those it its rule "
    "rules mean means see also and or".split()
)


def citations_of(query: str, /) -> tuple[AskedCitation, ...]:
    """Return the citations of a question in order, without overlaps.

    >>> [c.kind for c in citations_of("Does 42 usc ss 1983 apply after Smith v. Jones?")]
    ['statute', 'case']
    >>> citations_of("What are the termination provisions?")
    ()
    """
    if not may_cite(query):
        return ()
    taken: list[AskedCitation] = []
    for find in _FINDERS:
        for citation in find(query):
            inside = citation.part
            if not any(t.part.start < inside.end and inside.start < t.part.end for t in taken):
                taken.append(citation)
    taken = _joined(query, sorted(taken, key=lambda c: c.part.start))
    # An Id. after another citation of the question means that one.
    return tuple(c for n, c in enumerate(taken) if c.kind != "id" or n == 0)


def _joined(query: str, citations: Sequence[AskedCitation]) -> list[AskedCitation]:
    """Join the name of a case with the reporter directly after it into one citation."""
    joined: list[AskedCitation] = []
    for cited in citations:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.kind == cited.kind == "case"
            and any(last.parties)
            and cited.keys
        ):
            between = query[last.part.end : cited.part.start]
            if not between.strip(" ,"):
                whole = part(query, last.part.start, cited.part.end)
                joined[-1] = replace(cited, part=whole, parties=last.parties)
                continue
        joined.append(cited)
    return joined


def _reporters(query: str) -> Iterator[AskedCitation]:
    for match in _REPORTER.finditer(query):
        letters = re.sub(r"[\W_]", "", match["reporter"]).lower()
        known = _REPORTERS.get(letters)
        if known is None:
            yield from _other_reporter(query, match)
            continue
        pin = match["short"] or match["pin"] or match["at"] or ""
        # "509 U.S. at 593" has a place, and no first page.
        key = (
            slug(match["volume"], known)
            if match["short"]
            else slug(match["volume"], known, match["page"])
        )
        terms = (
            [] if match["short"] else [match["volume"], *terms_of(match["reporter"]), match["page"]]
        )
        reporter = r"\W{0,2}".join(re.escape(c) for c in letters)
        yield AskedCitation(
            part(query, _name_before(query, match.start()), match.end()),
            "case",
            (f"case:{key}",),
            parties=_party_before(query, match.start()),
            number=_first(match["short"]) if match["short"] else "",
            pin=_ends(pin),
            spellings=(tuple(terms),) if terms else (),
            pattern=rf"(?i)(?<!\d){match['volume']}\s+{reporter}\W{{0,3}}{match['page']}(?!\d)"
            if terms
            else "",
        )


def _other_reporter(query: str, match: re.Match[str]) -> Iterator[AskedCitation]:
    """Read a less frequent reporter; most matches are none."""
    from casetrack.extract.references.citations import find_citations, has_citation_signs

    if match["reporter"][0].islower() or not has_citation_signs(match[0]):
        return
    for citation in find_citations(match[0]):
        if citation.kind == "case" and citation.corrected and not citation.ambiguous:
            key = "case:" + slug(citation.corrected.replace(".", ""))
            pin = match["pin"] or match["at"] or ""
            yield AskedCitation(
                part(query, match.start(), match.end()), "case", (key,), pin=_ends(pin)
            )


def _name_before(query: str, at: int) -> int:
    name = _BEFORE_REPORTER.search(query, 0, at)
    return name.start("name") if name else at


def _party_before(query: str, at: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the short name before a reporter: "Daubert, 509 U.S. at 593"."""
    name = _BEFORE_REPORTER.search(query, 0, at)
    return ((name["name"].lower(),), ()) if name else ((), ())


_BEFORE_REPORTER = re.compile(r"(?<!v\. )(?<!v )(?P<name>[A-Z][\w'\u2019-]+),\s+$")


def _versus(query: str) -> Iterator[AskedCitation]:
    for match in _VERSUS.finditer(query):
        left = list(_WORD.finditer(query, 0, match.start()))[-_MOST_WORDS:]
        right = list(_WORD.finditer(query, match.end()))[:_MOST_WORDS]
        left, right = _run(list(reversed(left)), query), _run(right, query)
        if not left or not right:
            continue
        yield AskedCitation(
            part(query, left[-1].start(), right[-1].end()),
            "case",
            parties=(_lower(left), _lower(right)),
        )


def _run(words: list[re.Match[str]], query: str) -> list[re.Match[str]]:
    """Return the words of a name from the "v." on, up to the first other word."""
    run: list[re.Match[str]] = []
    capitals = bool(words) and words[0][0][0].isupper()
    for word in words:
        text = word[0].lower().strip(".")
        small = capitals and word[0][0].islower() and text not in {"of", "the", "and", "de", "for"}
        if run and (text in _STOPS - {"and"} or small):
            break
        if run and re.search(
            r"[?!;:()\"\u201c\u201d]|\.\s|,\s*(?=\d)", _between(query, run[-1], word)
        ):
            break
        if word[0][0].isdigit() and run:
            break
        run.append(word)
    while run and run[-1][0].lower() in {"of", "the", "and", "for"} | _STOPS:
        run.pop()
    return run


def _between(query: str, one: re.Match[str], other: re.Match[str]) -> str:
    start, end = sorted((one.span(), other.span()))
    # The dot of an abbreviation belongs to its word.
    return query[start[1] : end[0]]


def _lower(words: Sequence[re.Match[str]]) -> tuple[str, ...]:
    return tuple(w[0].lower().replace("\u2019", "'").rstrip(".'") for w in words)


def _one_party(query: str) -> Iterator[AskedCitation]:
    for match in _ONE_PARTY.finditer(query):
        words = _run(list(_WORD.finditer(query, match.start("name"), match.end("name"))), query)
        if words:
            yield AskedCitation(
                part(query, match.start(), words[-1].end()), "case", parties=(_lower(words), ())
            )


def _supra(query: str) -> Iterator[AskedCitation]:
    for match in _SUPRA.finditer(query):
        words = tuple(match["name"].lower().split())
        where = part(query, match.start(), match.end())
        yield AskedCitation(where, "name", parties=(words, ()), pin=_ends(match["at"] or ""))


def _ids(query: str) -> Iterator[AskedCitation]:
    for match in _ID.finditer(query):
        yield AskedCitation(part(query, match.start(), match.end()), "id")
    if _LONE_ID.fullmatch(query):
        yield AskedCitation(part(query, 0, len(query)), "id")


_FINDERS: tuple[Callable[[str], Iterator[AskedCitation]], ...] = (
    *(case_numbers, transcripts, record, papers, codes, rules, constitutions, state_laws),
    *(_supra, _reporters, _versus, _one_party, appeals, bates, lone_sections, _ids),
)
"""Readers of citations, the most certain first."""


def _ends(pin: str) -> tuple[str, ...]:
    if not pin:
        return ()
    first, last = (re.split(r"\s?[-\u2013\u2014]\s?", pin) * 2)[:2]
    if len(last) < len(first):  # "593-94"
        last = first[: len(first) - len(last)] + last
    return first, last


def _first(pin: str) -> str:
    return _ends(pin)[0] if pin else ""
