"""Learns the names of a document from where they are sure, and finds them in all of it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from casetrack.extract.spans import NameSpan
from casetrack.graph.document.anchored_names.boundaries import (
    end_of_place,
    initials_of_things,
    is_qualified,
    state_behind,
    unions,
    with_article,
)
from casetrack.graph.document.anchored_names.counterparts import counterpart
from casetrack.graph.document.anchored_names.cuts import (
    ABBREVIATIONS,
    is_noun,
    is_town,
    medicines,
    names_function,
)
from casetrack.graph.document.anchored_names.facts import Where
from casetrack.graph.document.anchored_names.find import find_sure
from casetrack.graph.document.anchored_names.known import Known, know
from casetrack.graph.document.anchored_names.spread import Spreader, vocabulary
from casetrack.graph.document.titles import is_part
from casetrack.graph.entities.lexicon import COMMON_FIRST_WORDS, GIVEN_NAMES
from casetrack.graph.entities.organizations import is_chain, is_company, read_organization
from casetrack.graph.entities.text import fold, slug, surface

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from casetrack.base.records.graph.entities import FoundBy
    from casetrack.extract.spans import NameKind
    from casetrack.graph.document.anchored_names.facts import Form, Sure
    from casetrack.graph.document.anchored_names.spread import Vocabulary
    from casetrack.graph.document.facts import ChunkFacts, DocumentFacts

# What a spelling names in a document, where the tagger says several things or the wrong one.

KINDS: tuple[NameKind, ...] = ("person", "organization", "location")
_ACTS = re.compile(
    r"\s(?:shall|will|may|must|has|had|agree[sd]?|undertakes?|undertook|warrants?|did|does|says|said|"
    r"sent|paid|pays|claims|denies|denied|failed|delivered|supplied|accepts|accepted|argues|wrote|"
    r"hat|wird|muss|darf|liefert|verpflichtet)\b"
)
_PLACED = re.compile(r"\b(?:in|at|near|around|outside|nach)\s$", re.IGNORECASE)

_PAPERS = frozenset(
    "act acts law laws agreement agreements regulation regulations code exhibit schedule amendment "
    "lease indenture statute ordinance document documents gesetz vertrag".split()
)
"""What names of organisations never end with, folded."""
_OFTEN = 2.5
_PLURAL = re.compile(r"[A-Z]{2,5}s")
"""An abbreviation in the plural, as no organization has one: BLAs."""
_CUT = re.compile(r"\w+&\w+")
_POSSESSED = re.compile(r"['’´`]s\b")
_COMMA = re.compile(r"\s?,\s{1,3}")
_POSTCODE = re.compile(r",?\s{1,2}(?:[A-Z]{1,2}\d|[A-Z]{2}\s\d{5}|\d{4,5}\b)")
_POSTCODE_BEFORE = re.compile(r"\b\d{4,5}\s$")


def kinds_of(
    weights: Mapping[str, Mapping[str, float]], learned: Learned, titled: Collection[str], /
) -> dict[str, NameKind]:
    """Return the kind of each spelling.

    What the document makes sure counts first, then most confidence. A name with a legal form is an
    organisation, whatever else was seen in it.
    So is a single word taken for a place that acts ("Tidewell shall"), never stands behind *in* or
    *at*, and begins the name of exactly one organisation of the document.

    Parameters
    ----------
    weights
        Confidences by spelling and kind, summed.
    learned
        The document's names.
    titled
        Spellings with a title before them at some place: "Mr Roe".

    Returns
    -------
    dict
        What has no kind is no name: a single word that only the tagger takes for a person, time
        and again, though nobody in the document bears it; and names of laws and papers.
    """
    chunks = learned.chunks
    kinds: dict[str, NameKind] = {}
    for found, sums in weights.items():
        # Rounded, since sums of the same numbers in another order differ in the last bits.
        kinds[found] = max(KINDS, key=lambda k: (round(sums.get(k, -1.0), 6), -KINDS.index(k)))
    for text in {span.text for chunk in chunks for span in chunk.names}:
        if is_company(text):
            kinds[surface(text)] = "organization"
    kinds |= {found: kind for found, kind in learned.known.kinds.items() if found in kinds}
    _set_right(kinds, learned)
    _leave_out(kinds, weights, learned, titled)
    starts: dict[str, set[tuple[str, ...]]] = {}
    for found, kind in kinds.items():
        form = read_organization(found) if kind == "organization" else None
        if form is not None and len(form.base) > 1:
            starts.setdefault(form.base[0], set()).add(form.base)
    doubtful = {
        found
        for found, kind in kinds.items()
        if kind == "location" and found in starts and found not in COMMON_FIRST_WORDS
    }
    if doubtful:
        for found in _acting(chunks, doubtful):
            if is_chain(sorted(starts[found])):
                kinds[found] = "organization"
    return kinds


def _set_right(kinds: dict[str, NameKind], learned: Learned) -> None:
    """Make single words that only the tagger took for persons what the sure names say they are.

    A word of an organisation's name that is no word of a person's name in full is the organisation.
    """
    firms: set[str] = set()
    people: set[str] = set()
    for found, kind in kinds.items():
        words = found.split()
        if kind == "organization" and (found in learned.known.kinds or is_company(found)):
            form = read_organization(found)
            firms.update(form.base if form else ())
        elif kind == "person" and len(words) > 1:
            people.update(words)
    bearers = Counter(
        found.rpartition(" ")[2]
        for found, kind in kinds.items()
        if kind == "person" and " " in found
    )
    named = {w for f, k in kinds.items() if k == "organization" and " " in f for w in f.split()}
    for found, kind in kinds.items():
        if kind == "organization" and found not in learned.known.kinds and found not in named:
            # Only one person of the document is called so, and no firm.
            kinds[found] = "person" if bearers[found] == 1 else kind
            continue
        alone = kind == "person" and " " not in found and found not in learned.known.kinds
        if alone and found in firms - people and found not in GIVEN_NAMES:
            kinds[found] = "organization"


def _leave_out(
    kinds: dict[str, NameKind],
    weights: Mapping[str, Mapping[str, float]],
    learned: Learned,
    titled: Collection[str],
) -> None:
    """Leave out what nothing in the document bears out."""
    known = learned.known
    bearers = {w for found, kind in kinds.items() if kind == "person" for w in found.split()[1:]}
    bearers |= {
        found.split()[0] for found, kind in kinds.items() if kind == "person" and " " in found
    }
    loud = {surface(s.text) for c in learned.chunks for s in c.names if s.text.isupper()}
    loud -= {surface(s.text) for c in learned.chunks for s in c.names if not s.text.isupper()}
    is_mail = any("mail head" in e for e in known.evidence.values())
    # A story has heroes; in papers of firms such a word is a product, time and again.
    has_firms = any("legal form" in e for e in known.evidence.values())
    for found, kind in list(kinds.items()):
        if found in known.kinds:
            continue
        last = found.rpartition(" ")[2]
        if kind == "organization" and last in _PAPERS:
            del kinds[found]
        if kind != "person" or " " in found or found in bearers | GIVEN_NAMES.keys():
            continue
        if found in loud and found not in titled:
            kinds[found] = "organization"
            continue
        if is_mail or not has_firms or found in titled or sum(weights[found].values()) < _OFTEN:
            continue
        if weights[found].get("organization", 0.0) > 0:
            kinds[found] = "organization"
        else:
            del kinds[found]


def _acting(chunks: Sequence[ChunkFacts], doubtful: set[str]) -> set[str]:
    """Return those of the spellings that act somewhere and are placed nowhere."""
    acting: set[str] = set()
    placed: set[str] = set()
    for chunk in chunks:
        for span in chunk.names:
            found = surface(span.text)
            if found in doubtful:
                if _ACTS.match(chunk.text, span.end):
                    acting.add(found)
                if _PLACED.search(chunk.text, max(0, span.start - 10), span.start):
                    placed.add(found)
    return acting - placed


def is_placed(chunk: ChunkFacts, position: int, /) -> bool:
    """Return whether a name stands where the name of a town does.

    That is behind a word such as *in*, but not where something of its own follows ("in Tidewell's
    letter"), beside a postcode, or beside another place with nothing but a comma between.

    Parameters
    ----------
    chunk
        The chunk.
    position
        Of the name among the chunk's.
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
    repeats: frozenset[Where]
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
        frozenset(n.where for n in sure.names if n.is_repeat),
        known,
        words.small,
    )


def _without_things(
    tagged: list[list[NameSpan]], sure: Sure, chunks: Sequence[ChunkFacts], words: Vocabulary
) -> list[list[NameSpan]]:
    """Leave out things, functions, and common words for a party; towns become places."""
    things = initials_of_things(c.text for c in chunks)
    things = (things | ABBREVIATIONS) - {t.text for t in sure.terms}
    plain = words.things & (words.small | _PARTIES)

    known = {surface(n.text) for n in sure.names}
    products = set(map(surface, medicines([c.text for c in chunks]))) - known

    def is_firm(span: NameSpan) -> bool:
        return span.kind == "organization" and surface(span.text) not in known

    firms = [(c.text, s) for c, ss in zip(chunks, tagged, strict=True) for s in ss if is_firm(s)]
    towns = {s.text for text, s in firms if is_town(text, s)}
    nouns = {s.text for text, s in firms if is_noun(text, s)}

    def is_thing(text: str, span: NameSpan) -> bool:
        if span.text in nouns or (is_firm(span) and names_function(text, span)):
            return True
        is_product = surface(span.text) in products
        if is_product or (span.kind == "organization" and _PLURAL.fullmatch(span.text)):
            return True
        around = text[max(0, span.start - 4) : span.end + 4]
        if "&" in around and any(t in things for t in _CUT.findall(around) if span.text in t):
            return True
        is_word = span.kind == "organization" and span.text.istitle() and span.text.isalpha()
        is_plain = is_word and span.text.lower() in plain
        return span.text.rstrip(".") in things or is_qualified(span.text) or is_plain

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
