"""Learns the names of a document from places with strong evidence, and finds all their places."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists
from casetrack.extract.spans import NameSpan
from casetrack.graph.document.anchored_names.boundaries import (
    end_of_place,
    initials_of_things,
    is_qualified,
    state_behind,
    unions,
    with_article,
)
from casetrack.graph.document.anchored_names.cuts import (
    ABBREVIATIONS,
    is_noun,
    is_town,
    medicines,
    names_function,
)
from casetrack.graph.document.anchored_names.facts import Where
from casetrack.graph.document.anchored_names.find import find_anchors
from casetrack.graph.document.anchored_names.known import Known, know
from casetrack.graph.document.anchored_names.occurrences import NameFinder, vocabulary
from casetrack.graph.document.titles import is_part
from casetrack.graph.entities.lexicon import COMMON_FIRST_WORDS, GIVEN_NAMES
from casetrack.graph.entities.locations import is_known_place, is_place, location_key
from casetrack.graph.entities.organizations import is_chain, is_company, read_organization
from casetrack.graph.entities.text import fold, slug, surface

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from casetrack.base.records.graph.entities import FoundBy
    from casetrack.extract.spans import NameKind
    from casetrack.graph.document.anchored_names.facts import Anchors, Form
    from casetrack.graph.document.anchored_names.occurrences import Vocabulary
    from casetrack.graph.document.facts import ChunkFacts, DocumentFacts

# The kind of each spelling in a document, if the tagger is inconsistent or wrong.

_LISTS = WordLists(__file__)
KINDS: tuple[NameKind, ...] = ("person", "organization", "location")
_ACTS = _LISTS.pattern("acts")
_PLACED = re.compile(r"\b(?:in|at|near|around|outside|nach)\s$", re.IGNORECASE)

_PAPERS = frozenset(
    "act acts law laws agreement agreements regulation regulations code exhibit schedule amendment "
    "lease indenture statute ordinance document documents gesetz vertrag".split()
)
"""Last words that no organisation has, folded."""
_SEGMENT = _LISTS.pattern("segment")
_TITLE_OF_PAPER = _LISTS.pattern("title_of_paper")
_OFTEN = 2.5
_STREETS = frozenset(
    "street st avenue ave road rd drive boulevard lane parkway highway floor suite plaza".split()
)
"""Last words of parts of addresses, folded."""
_STATE = 3
"""Letters of a longest abbreviation of a state or country."""
_LETTERED = re.compile(r"[A-Z][a-z]+[A-Z]+|[A-Z]{2,}[a-z]+")
"""A word that no person has alone: MoJ, XCelsius."""
_PLURAL = re.compile(r"[A-Z]{2,5}s")
"""A plural abbreviation, which no organisation has: BLAs."""
_CUT = re.compile(r"\w+&\w+")
_POSSESSED = re.compile(r"['’´`]s\b")
_COMMA = re.compile(r"\s?,\s{1,3}")
_POSTCODE = re.compile(r",?\s{1,2}(?:[A-Z]{1,2}\d|[A-Z]{2}\s\d{5}|\d{4,5}\b)")
_POSTCODE_BEFORE = re.compile(r"\b\d{4,5}\s$")


def kinds_of(
    weights: Mapping[str, Mapping[str, float]], learned: Learned, titled: Collection[str], /
) -> dict[str, NameKind]:
    """Return the kind of each spelling; spellings without a kind are no names.

    Evidence of the document counts first, then the highest confidence: *weights* has the sums by
    spelling and kind. A name with a legal form is an organisation. So is a single word tagged as a
    place that acts ("Tidewell shall"), never follows *in* or *at*, and starts the name of exactly
    one organisation. Left out are names of laws and papers, and single words that only the tagger
    takes for a person, unless they are *titled* at some place ("Mr Roe").
    """
    chunks = learned.chunks
    kinds: dict[str, NameKind] = {}
    for entry, sums in weights.items():
        # Rounded, since sums of the same numbers in another order differ in the last bits.
        kinds[entry] = max(KINDS, key=lambda k: (round(sums.get(k, -1.0), 6), -KINDS.index(k)))
    for text in {span.text for chunk in chunks for span in chunk.names}:
        if is_company(text):
            kinds[surface(text)] = "organization"
    kinds |= {
        entry: "location"
        for entry, sums in weights.items()
        if "location" in sums and is_known_place(location_key(entry))
    }
    kinds |= {entry: kind for entry, kind in learned.known.kinds.items() if entry in kinds}
    _correct_kinds(kinds, learned)
    _remove_unsupported(kinds, weights, learned, titled)
    starts: dict[str, set[tuple[str, ...]]] = {}
    for entry, kind in kinds.items():
        form = read_organization(entry) if kind == "organization" else None
        if form is not None and len(form.base) > 1:
            starts.setdefault(form.base[0], set()).add(form.base)
    doubtful = {
        entry
        for entry, kind in kinds.items()
        if kind == "location" and entry in starts and entry not in COMMON_FIRST_WORDS
    }
    if doubtful:
        for entry in _acting(chunks, doubtful):
            if is_chain(sorted(starts[entry])):
                kinds[entry] = "organization"
    return kinds


def _correct_kinds(kinds: dict[str, NameKind], learned: Learned) -> None:
    """Correct the kind of single words tagged as persons, using names with evidence.

    A word of an organisation's name that is in no full name of a person is the organisation.
    """
    firms: set[str] = set()
    people: set[str] = set()
    for entry, kind in kinds.items():
        words = entry.split()
        if kind == "organization" and (entry in learned.known.kinds or is_company(entry)):
            form = read_organization(entry)
            firms.update(form.base if form else ())
        elif kind == "person" and len(words) > 1:
            people.update(words)
    bearers = Counter(
        entry.rpartition(" ")[2]
        for entry, kind in kinds.items()
        if kind == "person" and " " in entry
    )
    named = {w for f, k in kinds.items() if k == "organization" and " " in f for w in f.split()}
    for entry, kind in kinds.items():
        if kind == "organization" and entry not in learned.known.kinds and entry not in named:
            # Only one person of the document has this surname, and no firm has this word.
            kinds[entry] = "person" if bearers[entry] == 1 else kind
            continue
        alone = kind == "person" and " " not in entry and entry not in learned.known.kinds
        if alone and entry in firms - people and entry not in GIVEN_NAMES:
            kinds[entry] = "organization"


def _remove_unsupported(
    kinds: dict[str, NameKind],
    weights: Mapping[str, Mapping[str, float]],
    learned: Learned,
    titled: Collection[str],
) -> None:
    """Remove kinds that nothing in the document supports."""
    known = learned.known
    bearers = {w for entry, kind in kinds.items() if kind == "person" for w in entry.split()[1:]}
    bearers |= {
        entry.split()[0] for entry, kind in kinds.items() if kind == "person" and " " in entry
    }
    loud = {surface(s.text) for c in learned.chunks for s in c.names if s.text.isupper()}
    loud -= {surface(s.text) for c in learned.chunks for s in c.names if not s.text.isupper()}
    is_mail = any("mail head" in e for e in known.evidence.values())
    # Fiction has heroes; in business papers such a frequent word is a product, a German one a noun.
    has_firms = any("legal form" in e for e in known.evidence.values())
    for entry, kind in list(kinds.items()):
        if entry in known.kinds:
            continue
        last = entry.rpartition(" ")[2]
        is_loud = " " not in entry and entry in loud and len(entry) > _STATE
        is_address = last in _STREETS or any(map(str.isdigit, entry)) or is_loud
        if kind == "location" and is_address and not is_place(entry):
            del kinds[entry]
        if kind == "organization" and last in _PAPERS:
            del kinds[entry]
        if kind != "person" or " " in entry or entry in bearers | GIVEN_NAMES.keys():
            continue
        if entry in loud and entry not in titled:
            kinds[entry] = "organization"
            continue
        is_often = sum(weights[entry].values()) >= _OFTEN
        is_likely = not is_often and learned.language != "de"
        if is_mail or not has_firms or entry in titled or is_likely:
            continue
        if is_often and weights[entry].get("organization", 0.0) > 0:
            kinds[entry] = "organization"
        else:
            del kinds[entry]


def _acting(chunks: Sequence[ChunkFacts], doubtful: set[str]) -> set[str]:
    """Return the spellings that act somewhere and never appear as a place."""
    acting: set[str] = set()
    placed: set[str] = set()
    for chunk in chunks:
        for span in chunk.names:
            entry = surface(span.text)
            if entry in doubtful:
                if _ACTS.match(chunk.text, span.end):
                    acting.add(entry)
                if _PLACED.search(chunk.text, max(0, span.start - 10), span.start):
                    placed.add(entry)
    return acting - placed


def is_placed(chunk: ChunkFacts, position: int, /) -> bool:
    """Return whether a name is in the position of a town.

    That is after a word such as *in* (but not "in Tidewell's letter"), next to a postcode, or next
    to another place with only a comma between. *position* is that of the name among the chunk's
    names.
    """
    text, names = chunk.text, chunk.names
    span = names[position]
    if _PLACED.search(text, max(0, span.start - 10), span.start):
        return not _POSSESSED.search(text, span.end - 2, span.end + 2)
    if _POSTCODE.match(text, span.end) or _POSTCODE_BEFORE.search(
        text, max(0, span.start - 7), span.start
    ):
        return True
    pairs = ((position - 1, position), (position, position + 1))
    return any(
        left >= 0
        and right < len(names)
        and names[left].kind == names[right].kind == "location"
        and bool(_COMMA.fullmatch(text, names[left].end, names[right].start))
        for left, right in pairs
    )


TERM_CONFIDENCE = 0.9
_DEFINED, _OCCURRENCE = 0.97, 0.9
"""Confidence in a name with evidence, and in its other places."""


_PARTIES: Final = frozenset("fund trust board commission partnership corporation plan".split())
"""Words for a party after an article, even if they never occur in lower case."""
_NAMES_ANOTHER = _LISTS.pattern("names_another")


@dataclass(frozen=True, slots=True)
class Bound:
    """A place with a defined term: "the Buyer"; *owner* is a surface form."""

    chunk: int
    start: int
    end: int
    owner: str
    role: str
    found_by: FoundBy


@dataclass(frozen=True, slots=True)
class Learned:
    """The names of a document from the tagger and from its own evidence."""

    chunks: tuple[ChunkFacts, ...]  # The chunks, each with all its names in order
    found_by: tuple[tuple[FoundBy, ...], ...]  # How each name of each chunk was found
    bound: tuple[Bound, ...]  # Places of defined terms
    # The name at a place that is not written as a name, such as a mail address.
    called: dict[Where, str]
    repeats: frozenset[Where]  # Places of signers whose names are printed again below
    known: Known  # Evidence of the document: kinds, aliases, addresses
    small: Collection[str] = ()  # Words that occur in lower case
    language: str | None = None  # ISO 639-1


@dataclass(slots=True)
class _Span:
    """A candidate name at a place; a lower *rank* has priority."""

    start: int
    end: int
    kind: NameKind
    confidence: float
    found_by: FoundBy
    rank: int
    form: Form | None = field(default=None)


def learn(document: DocumentFacts, chunks: Sequence[ChunkFacts], /) -> Learned:
    """Return the names of a document at all their places; *chunks* have the tagger's names."""
    anchors, tagged = find_anchors(document, chunks)
    words = vocabulary(c.text for c in chunks)
    tagged = _without_things(tagged, anchors, chunks, words)
    known = know(anchors, tagged, words.small)
    name_finder = NameFinder(known.forms, words)
    defined = _defined_places(anchors, known)
    new, how, bound = [], [], []
    broken: dict[Where, str] = {}
    for number, chunk in enumerate(chunks):
        places = [_Span(s.start, s.end, s.kind, s.confidence, "tagged", 2) for s in tagged[number]]
        places += defined.get(number, [])
        for hit in name_finder.find(chunk.text):
            form = known.forms[hit.form]
            places.append(_Span(hit.start, hit.end, form.kind, _OCCURRENCE, "spread", 1, form))
        names, terms = _resolved(chunk.text, places)
        _add_articles(chunk.text, names)
        names = _with_places(chunk.text, names)
        for f in names:
            text = chunk.text[f.start : f.end]
            # Broken at a line end, or with another hyphen: use the name as written elsewhere.
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
        {n.where: n.called for n in anchors.names if n.called} | broken,
        frozenset(n.where for n in anchors.names if n.is_repeat),
        known,
        words.small,
    )


def _without_things(
    tagged: list[list[NameSpan]], anchors: Anchors, chunks: Sequence[ChunkFacts], words: Vocabulary
) -> list[list[NameSpan]]:
    """Remove things, functions, and common words for a party; correct towns to places."""
    things = initials_of_things(c.text for c in chunks)
    things = (things | ABBREVIATIONS) - {t.text for t in anchors.terms}
    plain = words.things & (words.small | _PARTIES)

    known = {surface(n.text) for n in anchors.names}
    products = set(map(surface, medicines([c.text for c in chunks]))) - known

    def is_firm(span: NameSpan) -> bool:
        return span.kind == "organization" and surface(span.text) not in known

    def without_firm(span: NameSpan) -> NameSpan:
        """Return a person without the letters of a firm behind the name: "Ann Roe GSA"."""
        name, _, last = span.text.rpartition(" ")
        if span.kind != "person" or " " not in name or last not in letters:
            return span
        return replace(span, end=span.start + len(name), text=name)

    letters = {s.text for ss in tagged for s in ss if s.kind == "organization" and s.text.isupper()}
    firms = [(c.text, s) for c, ss in zip(chunks, tagged, strict=True) for s in ss if is_firm(s)]
    towns = {s.text for text, s in firms if is_town(text, s)}
    nouns = {s.text for text, s in firms if is_noun(text, s)}
    nouns |= {s.text for text, s in firms if _SEGMENT.match(text, s.end)}
    nouns |= {s.text for text, s in firms if _TITLE_OF_PAPER.match(text, s.end)} - {
        s.text for text, s in firms if not _TITLE_OF_PAPER.match(text, s.end)
    }

    def is_thing(text: str, span: NameSpan) -> bool:
        is_part = span.text.count("(") != span.text.count(")")
        if is_part or span.text in nouns or (is_firm(span) and names_function(text, span)):
            return True
        is_product = surface(span.text) in products
        form = _PLURAL if span.kind == "organization" else _LETTERED
        if is_product or (span.kind != "location" and form.fullmatch(span.text)):
            return True
        around = text[max(0, span.start - 4) : span.end + 4]
        if "&" in around and any(t in things for t in _CUT.findall(around) if span.text in t):
            return True
        is_word = span.kind == "organization" and span.text.istitle() and span.text.isalpha()
        is_plain = is_word and span.text.lower() in plain
        parts = span.text.rstrip(".").split(" and ")
        return all(part in things for part in parts) or is_qualified(span.text) or is_plain

    return [
        [
            replace(s, kind="location") if is_firm(s) and s.text in towns else without_firm(s)
            for s in spans
            if not is_thing(chunk.text, s)
        ]
        for chunk, spans in zip(chunks, tagged, strict=True)
    ]


def _with_places(text: str, names: Sequence[_Span]) -> list[_Span]:
    """Add the states after towns in addresses, and U.S. unless it is part of a name."""
    result: list[_Span] = []
    new = [_Span(*place, "location", _OCCURRENCE, "tagged", 2) for place in unions(text)]
    for name in names:
        if name.kind == "location":
            if text[max(0, name.start - 4) : name.start].lower() == "non-":
                continue
            name.end = end_of_place(text, name.start, name.end)
            state = state_behind(text, name.end)
            if state is not None:
                new.append(_Span(*state, "location", name.confidence, "tagged", 2))
        if not result or name.start >= result[-1].end:
            result.append(name)
    result += [n for n in new if all(n.end <= f.start or f.end <= n.start for f in result)]
    return sorted(result, key=lambda f: (f.start, f.end))


def _add_articles(text: str, names: Sequence[_Span]) -> None:
    """Extend names of organisations by a capitalised "The" inside a sentence."""
    last = 0
    for name in names:
        if name.kind == "organization" and not is_part(text[name.start : name.end]):
            name.start = max(last, with_article(text, name.start))
        last = name.end


def _letters_of(text: str, form: Form) -> bool:
    """Return whether a text has the letters of a form, ignoring separators."""
    return slug(text).replace("-", "") == slug(form.text).replace("-", "")


def _defined_places(anchors: Anchors, known: Known) -> dict[int, list[_Span]]:
    places: dict[int, list[_Span]] = {}
    for name in anchors.names:
        kind = known.kinds.get(surface(name.called or name.text))
        if kind is not None and name.where not in known.dropped:
            place = places.setdefault(name.where.chunk, [])
            # A legal form is evidence for a name, but not a place that defines it.
            how: tuple[FoundBy, int] = ("defined", 0)
            if name.evidence == "legal form":
                how = ("spread", 1)
            place.append(_Span(name.where.start, name.where.end, kind, _DEFINED, *how))
    by_term = {(f.text, f.owner): f for f in known.forms if f.manner in {"term", "short"}}
    for term, owner in known.terms:
        form = by_term.get((term.text, owner))
        if form is not None:
            place = places.setdefault(term.where.chunk, [])
            where = term.where
            place.append(_Span(where.start, where.end, form.kind, _DEFINED, "defined", 0, form))
    return places


def _resolved(text: str, places: list[_Span]) -> tuple[list[_Span], list[_Span]]:
    """Return the names, in order, and the terms, after conflicts are resolved."""
    anchors = sorted((f for f in places if f.rank < 2), key=lambda f: (f.start, -f.end, f.rank))
    kept: list[_Span] = []
    for each in anchors:
        if kept and each.start < kept[-1].end:
            last = kept[-1]
            if (each.start, each.end) == (last.start, last.end) and last.form is None:
                last.form = each.form
            # The longest wins; if the text defines one of two, the defined one wins.
            if each.rank < last.rank and each.end - each.start >= last.end - last.start:
                kept[-1] = each
            continue
        kept.append(each)
    tagged = [f for f in places if f.rank == 2]
    names = list(kept)
    result: list[_Span] = []
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


def _is_term(candidate: _Span) -> bool:
    return candidate.form is not None and candidate.form.manner == "term"


def _is_longer_name(text: str, tag: _Span, inside: Sequence[_Span]) -> bool:
    """Return whether a tagged name is separate from the known names that it contains."""
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
        # "GSK Affiliates" are GSK's; "Theravance Biopharma" would have its own evidence.
        return False
    rest = (text[tag.start : only.start] + text[only.end : tag.end]).strip(" .,;:-–\n'’s")
    if fold(rest) in {"the", "such", "each", "said"} or only.form is None:
        return False
    return any(c.isupper() for c in rest)
