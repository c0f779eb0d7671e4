"""Learns the names of a document from where they are sure, and finds them in all of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from casetrack.extract.spans import NameSpan
from casetrack.graph.document.sure.counterparts import counterpart
from casetrack.graph.document.sure.cuts import is_noun, is_town, names_function
from casetrack.graph.document.sure.edges import (
    end_of_place,
    initials_of_things,
    is_qualified,
    state_behind,
    unions,
    with_article,
)
from casetrack.graph.document.sure.facts import Where
from casetrack.graph.document.sure.find import find_sure
from casetrack.graph.document.sure.known import Known, know
from casetrack.graph.document.sure.spread import Spreader, vocabulary
from casetrack.graph.document.titles import is_part
from casetrack.graph.entities.text import fold, slug, surface

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from casetrack.base.records.graph.kinds import FoundBy
    from casetrack.extract.spans import NameKind
    from casetrack.graph.document.facts import ChunkFacts, DocumentFacts
    from casetrack.graph.document.sure.facts import Sure
    from casetrack.graph.document.sure.forms import Form
    from casetrack.graph.document.sure.spread import Vocabulary

TERM_CONFIDENCE = 0.9
_DEFINED, _SPREAD = 0.97, 0.9
"""Confidence in a name where the text makes it sure, and where it is written again."""


_PARTIES: Final = frozenset("fund trust board commission partnership corporation plan".split())
"""Words for a party, where they stand behind an article, though never in small letters."""
_NAMES_ANOTHER: Final = re.compile(
    r"\A[ \n](?:of|for)[ \n].*[A-Z]|\b(?:Fund|Trust|Bank|Foundation|Management)(?: \d)?\Z",
    re.DOTALL,
)
"""What makes a name of its own of a short name before: Oakham Growth Fund."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A place that says by a common word who is meant: "the Buyer"; *owner* is a surface."""

    chunk: int
    start: int
    end: int
    owner: str
    role: str
    found_by: FoundBy


@dataclass(frozen=True, slots=True)
class Learned:
    """A document's names, as the tagger and the document itself have them.

    Attributes
    ----------
    chunks
        The chunks, each with all its names in order.
    found_by
        How each name of each chunk was found.
    bound
        Places of terms that stand for somebody.
    called
        The name of a place that is not written like one, such as a mail address.
    again
        Places of signers whose names are printed again below.
    known
        What the document makes sure: kinds, who is the same, evidence, addresses.
    small
        Words that it has in small letters.
    """

    chunks: tuple[ChunkFacts, ...]
    found_by: tuple[tuple[FoundBy, ...], ...]
    bound: tuple[Bound, ...]
    called: dict[Where, str]
    again: frozenset[Where]
    known: Known
    small: Collection[str] = ()


@dataclass(slots=True)
class _Found:
    """A name that may stand at a place; *rank*: what counts first where two want it."""

    start: int
    end: int
    kind: NameKind
    confidence: float
    found_by: FoundBy
    rank: int
    form: Form | None = field(default=None)


def learn(document: DocumentFacts, chunks: Sequence[ChunkFacts], /) -> Learned:
    """Return the names of a document at all their places.

    Parameters
    ----------
    document
        What the ledger knows of it.
    chunks
        Its chunks, in order, with what the tagger found in them.
    """
    sure, tagged = find_sure(document, chunks)
    words = vocabulary(c.text for c in chunks)
    tagged = _without_things(tagged, sure, chunks, words)
    known = know(sure, tagged, words.small)
    known.roles.update(counterpart(sure, known, chunks[0].text if chunks else ""))
    spreader = Spreader(known.forms, words)
    defined = _defined_places(sure, known)
    new, how, bound = [], [], []
    broken: dict[Where, str] = {}
    for number, chunk in enumerate(chunks):
        found = [_Found(s.start, s.end, s.kind, s.confidence, "tagged", 2) for s in tagged[number]]
        found += defined.get(number, [])
        for hit in spreader.find(chunk.text):
            form = known.forms[hit.form]
            found.append(_Found(hit.start, hit.end, form.kind, _SPREAD, "spread", 1, form))
        names, terms = _resolved(chunk.text, found)
        _add_articles(chunk.text, names)
        names = _with_places(chunk.text, names)
        for f in names:
            text = chunk.text[f.start : f.end]
            # Broken at a line's end, or with a hyphen more or less: called as it is elsewhere.
            if f.form is not None and slug(text) != slug(f.form.text) and _letters_of(text, f.form):
                broken[Where(number, f.start, f.end)] = f.form.text
        spans = tuple(
            NameSpan(f.start, f.end, chunk.text[f.start : f.end], f.kind, f.confidence)
            for f in names
        )
        new.append(replace(chunk, names=spans))
        how.append(tuple(f.found_by for f in names))
        bound += [
            Bound(number, f.start, f.end, f.form.owner, f.form.role, f.found_by)
            for f in terms
            if f.form is not None
        ]
    return Learned(
        tuple(new),
        tuple(how),
        tuple(bound),
        {n.where: n.called for n in sure.names if n.called} | broken,
        frozenset(n.where for n in sure.names if n.again),
        known,
        words.small,
    )


def _without_things(
    tagged: list[list[NameSpan]], sure: Sure, chunks: Sequence[ChunkFacts], words: Vocabulary
) -> list[list[NameSpan]]:
    """Leave out things, functions, and common words for a party; towns become places."""
    things = initials_of_things(c.text for c in chunks)
    things -= {t.text for t in sure.terms}
    plain = words.things & (words.small | _PARTIES)

    known = {surface(n.text) for n in sure.names}

    def is_firm(span: NameSpan) -> bool:
        return span.kind == "organization" and surface(span.text) not in known

    firms = [(c.text, s) for c, ss in zip(chunks, tagged, strict=True) for s in ss if is_firm(s)]
    towns = {s.text for text, s in firms if is_town(text, s)}
    nouns = {s.text for text, s in firms if is_noun(text, s)}

    def is_thing(text: str, span: NameSpan) -> bool:
        if span.text in nouns or (is_firm(span) and names_function(text, span)):
            return True
        is_word = span.kind == "organization" and span.text.istitle() and span.text.isalpha()
        is_plain = is_word and span.text.lower() in plain
        return span.text in things or is_qualified(span.text) or is_plain

    return [
        [
            replace(s, kind="location") if is_firm(s) and s.text in towns else s
            for s in spans
            if not is_thing(chunk.text, s)
        ]
        for chunk, spans in zip(chunks, tagged, strict=True)
    ]


def _with_places(text: str, names: Sequence[_Found]) -> list[_Found]:
    """Add the states behind towns in addresses, and U.S. wherever it is no part of a name."""
    result: list[_Found] = []
    new = [_Found(*place, "location", _SPREAD, "tagged", 2) for place in unions(text)]
    for found in names:
        if found.kind == "location":
            if text[max(0, found.start - 4) : found.start].lower() == "non-":
                continue
            found.end = end_of_place(text, found.start, found.end)
            state = state_behind(text, found.end)
            if state is not None:
                new.append(_Found(*state, "location", found.confidence, "tagged", 2))
        if not result or found.start >= result[-1].end:
            result.append(found)
    result += [n for n in new if all(n.end <= f.start or f.end <= n.start for f in result)]
    return sorted(result, key=lambda f: (f.start, f.end))


def _add_articles(text: str, names: Sequence[_Found]) -> None:
    """Begin the names of organisations with "The" where that is large inside a sentence."""
    last = 0
    for found in names:
        if found.kind == "organization" and not is_part(text[found.start : found.end]):
            found.start = max(last, with_article(text, found.start))
        last = found.end


def _letters_of(text: str, form: Form) -> bool:
    """Return whether a text has the letters of a form, whatever parts them."""
    return slug(text).replace("-", "") == slug(form.text).replace("-", "")


def _defined_places(sure: Sure, known: Known) -> dict[int, list[_Found]]:
    found: dict[int, list[_Found]] = {}
    for name in sure.names:
        kind = known.kinds.get(surface(name.called or name.text))
        if kind is not None and name.where not in known.dropped:
            place = found.setdefault(name.where.chunk, [])
            # A legal form makes a name sure, and yet is no place that says who somebody is.
            how: tuple[FoundBy, int] = ("defined", 0)
            if name.evidence == "legal form":
                how = ("spread", 1)
            place.append(_Found(name.where.start, name.where.end, kind, _DEFINED, *how))
    by_term = {(f.text, f.owner): f for f in known.forms if f.manner in {"term", "short"}}
    for term, owner in known.terms:
        form = by_term.get((term.text, owner))
        if form is not None:
            place = found.setdefault(term.where.chunk, [])
            where = term.where
            place.append(_Found(where.start, where.end, form.kind, _DEFINED, "defined", 0, form))
    return found


def _resolved(text: str, found: list[_Found]) -> tuple[list[_Found], list[_Found]]:
    """Return the names that stand, in order, and the terms; what shares a place is settled."""
    sure = sorted((f for f in found if f.rank < 2), key=lambda f: (f.start, -f.end, f.rank))
    kept: list[_Found] = []
    for each in sure:
        if kept and each.start < kept[-1].end:
            last = kept[-1]
            if (each.start, each.end) == (last.start, last.end) and last.form is None:
                last.form = each.form
            # The longest counts; where the text defines one of two, that one does.
            if each.rank < last.rank and each.end - each.start >= last.end - last.start:
                kept[-1] = each
            continue
        kept.append(each)
    tagged = [f for f in found if f.rank == 2]
    names = list(kept)
    result: list[_Found] = []
    for tag in tagged:
        inside = [f for f in names if f.start < tag.end and tag.start < f.end]
        if not inside:
            result.append(tag)
            continue
        same = next((f for f in inside if (f.start, f.end) == (tag.start, tag.end)), None)
        if same is not None:
            if same.rank == 1 and not _is_term(same):
                same.found_by, same.confidence = "tagged", max(same.confidence, tag.confidence)
            continue
        if _is_longer_name(text, tag, inside):
            names = [f for f in names if f not in inside]
            result.append(tag)
    terms = [f for f in names if _is_term(f)]
    result += [f for f in names if not _is_term(f)]
    return sorted(result, key=lambda f: (f.start, f.end)), terms


def _is_term(found: _Found) -> bool:
    return found.form is not None and found.form.manner == "term"


def _is_longer_name(text: str, tag: _Found, inside: Sequence[_Found]) -> bool:
    """Return whether a tagged name is one of its own, though sure ones stand in it."""
    if any(f.start < tag.start or f.end > tag.end or f.found_by == "defined" for f in inside):
        return False
    if len(inside) > 1:
        return False
    only = inside[0]
    is_short = only.form is not None and (
        only.form.manner in {"short", "term"}
        or (only.form.manner == "full" and " " not in only.form.text)
    )
    if is_short and only.start == tag.start and not _NAMES_ANOTHER.search(text[only.end : tag.end]):
        # "GSK Affiliates" are GSK's; "Theravance Biopharma" would have been sure by itself.
        return False
    rest = (text[tag.start : only.start] + text[only.end : tag.end]).strip(" .,;:-–\n'’s")
    if fold(rest) in {"the", "such", "each", "said"} or only.form is None:
        return False
    return any(c.isupper() for c in rest)
