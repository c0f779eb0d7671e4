"""Places of what a question cites: the pages of the thing itself, and the passages that cite it.

What a question cites is read in :mod:`citations`. Here it is looked up: by the
keys of the references that were found when the documents were read, by the names of the cases that
they cite, and by how a citation is written, in the passages that hold all of its words. A short
name alone ("Daubert") is a citation where the collection cites one case of that name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from casetrack.base.records.reading import AskedCitation
from casetrack.base.words.lists import ABBREVIATED
from casetrack.extract.language import is_structural
from casetrack.graph.cited import Cited, distinctive, party_words, same_word
from casetrack.search.cited_sources import SourcePlaces, opinion_called, sources_in
from casetrack.search.evidence import LOOKED_AT, Verdict
from casetrack.search.question.read import blanked, read
from casetrack.search.question.words import part, terms_of, words_of
from casetrack.search.scores import lexical_at
from casetrack.store.index.scope import among, scope_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.base.records.reading import Reading
    from casetrack.base.records.search import Evidence
    from casetrack.graph.cited import CitedAt, CitedCase
    from casetrack.search.ranking import Ranked
    from casetrack.store.index.index import Index
    from casetrack.store.index.scope import Place, Scope
    from casetrack.store.workspace import State

# Which of the authorities that a collection cites a question means: by key and by name.

SHORTEST_NAME = 4
"""A shorter word is no name of a case by itself."""
_LONGEST_CASE = 150
"""Pages that a decision may run to, as in :mod:`casetrack.extract.references.antecedents`."""
_NEAR_NAME = 0.8
"""How much alike two names are, as :mod:`difflib` measures it, that are one but for a slip."""
_PUBLIC = frozenset("united states state people commonwealth government county city".split()).union(
    *(name.lower().replace("-", " ").split() for name in ABBREVIATED.values())
)
"""Parties by which no case is called."""


@dataclass(frozen=True, slots=True)
class Means:
    """Tells which keys a citation of a question means.

    Attributes
    ----------
    known
        What the documents cite.
    """

    known: Cited

    def of(self, citation: AskedCitation) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the keys of what a citation means, and of what it is a part of."""
        known = self.known
        if citation.kind in {"case", "name"}:
            return self._keys_of_case(citation), ()
        if citation.kind == "statute" and not citation.keys:
            # "Section 1983" is a law where the files cite one law with that section alone.
            laws = known.keys_ending("regulation:usc-", f"-{citation.number}")
            return (known.keys(starting=laws), ()) if len(laws) == 1 else ((), ())
        keys = known.keys(starting=citation.keys)
        shorter = {key.rsplit("-", n)[0] for key in citation.keys for n in (1, 2)}
        wider = tuple(k for k in known.keys(starting=shorter) if k in shorter) if not keys else ()
        return keys, tuple(k for k in wider if k.count("-") > 1)

    def _keys_of_case(self, citation: AskedCitation) -> tuple[str, ...]:
        known = self.known
        left, right = citation.parties
        if citation.number:
            return self._short_form(citation)
        if keys := known.keys(starting=citation.keys):
            return keys
        if not left:
            return ()
        if citation.kind == "name":
            cases = [c for c in known.cases_with(left[0]) if is_called(c.name, left[0])]
            return tuple(dict.fromkeys(case.key for case in cases))
        cases = self._named(left, right)
        if not cases and (slip := self._spelt(left, right)):
            cases = self._named(*slip)
        return tuple(dict.fromkeys(case.key for case in cases))

    def _short_form(self, citation: AskedCitation) -> tuple[str, ...]:
        """Return the case that "Daubert, 509 U.S. at 593" means: it has begun before that page."""
        (start,) = citation.keys
        page = int(citation.number)
        begun = {
            key: int(key.rsplit("-", 1)[1])
            for key in self.known.keys(starting=(start,))
            if key.rsplit("-", 1)[1].isdigit() and key.rsplit("-", 1)[0] == start
        }
        fits = {k: p for k, p in begun.items() if p <= page <= p + _LONGEST_CASE}
        if citation.parties[0]:
            named = {case.key for case in self.known.cases_with(citation.parties[0][0])}
            fits = {k: p for k, p in fits.items() if k in named} or fits
        return (max(fits, key=lambda k: fits[k]),) if fits else ()

    def _named(self, left: Sequence[str], right: Sequence[str]) -> list[CitedCase]:
        """Return the cases whose parties are called so: those with most of the words."""
        first, second = _telling(left), _telling(right)
        if not first or (right and not second):
            return []
        best: list[CitedCase] = []
        most = 0
        stem = first[0].split("'")[0][:SHORTEST_NAME]
        for case in self.known.cases_with(stem):
            one, other = distinctive(case.name)
            if bool(second) != bool(other):
                continue
            if not _has(one, first[0]) or (second and not _has(other, second[0])):
                continue
            shared = sum(_has(one, w) for w in first) + sum(_has(other, w) for w in second)
            if shared > most:
                best, most = [], shared
            if shared == most:
                best.append(case)
        return best

    def _spelt(
        self, left: Sequence[str], right: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return the names of parties with one letter put right where that makes them known."""
        from difflib import get_close_matches

        sides = (_telling(left), _telling(right))
        for side, other in ((0, 1), (1, 0)):
            if not sides[other]:
                continue
            stem = sides[other][0].split("'")[0][:SHORTEST_NAME]
            # The party that is spelt right leads to the other one.
            words = {
                words[0]: words
                for case in self.known.cases_with(stem)
                if (parties := distinctive(case.name))
                and _has(parties[other], sides[other][0])
                and (words := parties[side])
            }
            if sides[side] and (
                near := get_close_matches(sides[side][0], words, n=1, cutoff=_NEAR_NAME)
            ):
                put = [left, right]
                put[side] = (near[0],)
                return tuple(put[0]), tuple(put[1])
        return None


def _telling(words: Sequence[str]) -> tuple[str, ...]:
    return party_words(" ".join(words))


def _has(words: Sequence[str], word: str) -> bool:
    return any(same_word(known, word) for known in words)


def is_called(name: str, word: str, /) -> bool:
    """Return whether a case is called by a word for short: its first party, or who is no state."""
    left, right = distinctive(name)
    if left and not _PUBLIC.issuperset(left):
        return left[0] == word
    return bool(right) and right[0] == word


def as_written(citation: AskedCitation, /) -> tuple[tuple[tuple[str, ...], ...], str]:
    """Return how the names of a case stand in texts: in a sentence, or one below the other."""
    left, right = (_telling(side) for side in citation.parties)
    if not left:
        return (), ""
    first = re.escape(left[0])
    if not right:
        before = r"(?:in\s+re|ex\s+parte|matter\s+of)"
        return (terms_of(left[0]),), rf"(?i)\b{before}:?\s+(?:the\s+)?{first}\b"
    second = re.escape(right[0])
    pattern = rf"(?is)\b{first}\b.{{0,160}}?\sv(?:s|ersus)?\.?\s.{{0,60}}?\b{second}\b"
    return ((*terms_of(left[0]), *terms_of(right[0])),), pattern


AT_PIN, CITES, CITES_MORE = 2, 3, 4
"""How near a passage is: it cites the very page or line; it cites the authority; or one of which
the authority is only a part."""
MOST = 100
"""At most so many passages come first; of more, those with the words of the question."""
_READ = 200
"""At most so many passages are read to see whether they write a citation."""
_FEW_WORDS = 3
"""A question of so few words may be a name in small letters."""
_OWN_SHARE = 0.25
"""Share of the passages with a word in which it must be the name of a case, to be one."""
_SURE, _LIKELY = 0.95, 0.5
"""The relevance, at least, of a passage that cites what is asked for: where nothing else is asked,
and where something is."""
_ALSO_WRITTEN = frozenset(("rule", "constitution", "record", "docket number"))
"""What texts also cite in ways that are no reference by themselves, such as "Rule 12(b)(6)"."""
_KEY = re.compile(r"[a-z]+:[^\W_]+(?:-[^\W_]+)*")
_AFTER = 30
"""Characters behind a citation in which its pin cite stands."""


@dataclass(slots=True)
class CitationMatches:
    """What of a question's citations is there.

    Attributes
    ----------
    cited
        Those that are, with the parts of the question that name them.
    places
        Live places in the scope, each with how near it is: 0 is the nearest.
    notes
        What the user should know.
    """

    cited: list[AskedCitation] = field(default_factory=list)
    places: dict[Place, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, place: Place, far: int) -> None:
        """Keep a place; of two reasons the nearer counts."""
        self.places[place] = min(far, self.places.get(place, far))

    def names(self, text: str, /) -> bool:
        """Return whether *text* is a word of the question that names what was found."""
        return any(text in c.part.text for c in self.cited)


def find_cited(state: State, reading: Reading, scope: Scope, /) -> CitationMatches:
    """Look up what a question cites.

    Parameters
    ----------
    state
        The collection.
    reading
        The question.
    scope
        What is searched.
    """
    found = CitationMatches()
    asked = list(reading.citations)
    if any(c.kind == "id" for c in asked):
        said = next(c.part.text.strip() for c in asked if c.kind == "id")
        found.notes.append(
            f"\u201c{said}\u201d means what is cited right before it, and nothing stands before it "
            "in a question; it was searched for by its words. Name the authority to find its "
            "places."
        )
    if not scope.chunk_count:
        return found
    look = _Look(state, scope)
    for citation in (*asked, *look.short_names(reading)):
        if citation.kind == "id":
            continue
        places = look.places_of(citation)
        if places:
            found.cited.append(citation)
            for place, far in places.items():
                found.add(place, far)
        elif citation.kind not in {"name", "bates", "exhibit"} and (
            citation.keys or citation.pattern
        ):
            found.notes.append(
                f"No passage that was searched cites \u201c{citation.part.text}\u201d; what "
                "follows was found by its words."
            )
    if len(found.places) > MOST:
        every = list(found.places)
        scores = lexical_at(scope, reading.terms, every)
        best = sorted(range(len(every)), key=lambda n: (found.places[every[n]], -scores[n]))
        found.places = {every[n]: found.places[every[n]] for n in best[:MOST]}
    return found


def with_cited(
    verdict: Verdict, ranked: Sequence[Ranked], found: CitationMatches, reading: Reading, /
) -> Verdict:
    """Return the verdict on a search that found what the question cites.

    The words of a passage do not tell that it cites an authority. Where a question is nothing but
    citations, their places answer it; where it says more, they may.
    """
    if not found.places or not ranked:
        return verdict
    rest = blanked(reading.query, reading.dropped + tuple(c.part for c in found.cited))
    only = not any(w.terms and not is_structural(w.text) for w in words_of(rest))
    results: list[tuple[float, Evidence]] = []
    for hit, given in zip(ranked, verdict.results, strict=True):
        if "citation" in hit.signals:
            relevance, evidence = given
            least = (
                (_SURE if found.places.get(hit.place) != CITES_MORE else _LIKELY)
                if only
                else _LIKELY
            )
            is_strong = evidence == "strong" or least == _SURE
            results.append((max(relevance, least), "strong" if is_strong else "weak"))
        else:
            results.append(given)
    best = max(results[:LOOKED_AT], key=lambda r: r[0])
    if best[0] <= verdict.relevance:
        return replace(verdict, results=tuple(results))
    return Verdict(*best, tuple(results))


def cited_in(state: State, /) -> Cited:
    """Return what the documents of a state cite; kept with :meth:`State.once`."""
    return Cited.of(state.workspace.folder, state.snapshot)


def keys_named(state: State, authority: str, /) -> tuple[str, ...]:
    """Return the keys of the authorities that a name, a citation or a key means.

    Only those that the documents cite, as far as the references of their passages tell.
    """
    known = state.once(cited_in)
    if _KEY.fullmatch(authority):
        return known.keys(starting=(authority,))
    look = _Look(state, scope_of(state.index))
    reading = read(authority)
    asked = [c for c in reading.citations if c.kind != "id"] or look.short_names(reading)
    found = (key for citation in asked for key in look.keys_of(citation))
    return tuple(dict.fromkeys(found))


def documents_citing(state: State, keys: Sequence[str], /) -> set[str]:
    """Return the ids of the documents whose passages cite one of *keys*."""
    index = state.index
    places = index.places([at.chunk_id for at in state.once(cited_in).at(keys)])
    return {_document_at(index, place) for place in places.values()}


def documents_holding(state: State, terms: Sequence[str], /) -> set[str]:
    """Return the ids of the documents that hold all index terms, wherever in them."""
    scope = scope_of(state.index)
    found: set[str] | None = None
    for term in terms:
        here = {_document_at(scope.index, place) for place in scope.holding([term])}
        found = here if found is None else found & here
    return found or set()


def _document_at(index: Index, place: Place) -> str:
    part_ = index.segments[place[0]]
    return part_.documents[int(part_.data.column("revision")[place[1]])] or ""


class _Look:
    """Looks up citations in one scope."""

    def __init__(self, state: State, scope: Scope) -> None:
        self._state = state
        self._scope = scope

    @property
    def _known(self) -> Cited:
        return self._state.once(cited_in)

    @property
    def _means(self) -> Means:
        return Means(self._known)

    # --- what is cited ------------------------------------------------------------------------

    def keys_of(self, citation: AskedCitation) -> tuple[str, ...]:
        """Return the keys of what a citation means."""
        return (
            citation.keys
            if citation.kind == "name" and citation.keys
            else self._means.of(citation)[0]
        )

    def places_of(self, citation: AskedCitation) -> dict[Place, int]:
        """Return the places of one citation, each with how near it is."""
        keys, wider = self._means.of(citation)
        found = SourcePlaces(self._state, self._scope).of(citation, keys)
        for place, spans in self._citing(keys).items():
            far = AT_PIN if self._has_pin(place, spans, citation.pin) else CITES
            found[place] = min(far, found.get(place, far))
        if not keys or citation.kind in _ALSO_WRITTEN:
            for place in self._written(citation):
                found.setdefault(place, CITES)
        if not found:
            found = dict.fromkeys(self._citing(wider), CITES_MORE)
        return found

    # --- where it is --------------------------------------------------------------------------

    def _citing(self, keys: Sequence[str]) -> dict[Place, list[CitedAt]]:
        """Return the live places in the scope that cite one of *keys*, with the spans there."""
        if not keys:
            return {}
        by_chunk: dict[str, list[CitedAt]] = {}
        for span in self._known.at(keys):
            by_chunk.setdefault(span.chunk_id, []).append(span)
        places = self._scope.index.places(list(by_chunk)) if by_chunk else {}
        kept = set(self._inside(places.values()))
        return {place: by_chunk[i] for i, place in places.items() if place in kept}

    def _inside(self, places: Iterable[Place]) -> Iterator[Place]:
        import numpy as np

        by_segment: dict[int, list[int]] = {}
        for number, row in places:
            by_segment.setdefault(number, []).append(row)
        for number, rows in by_segment.items():
            fits = among(np.array(rows, dtype=np.intp), self._scope.rows[number])
            yield from ((number, row) for row, fit in zip(rows, fits.tolist(), strict=True) if fit)

    def _written(self, citation: AskedCitation) -> Iterator[Place]:
        """Yield the places that write a citation so."""
        spellings, pattern = citation.spellings, citation.pattern
        if not pattern and citation.kind == "case" and citation.parties[0]:
            spellings, pattern = as_written(citation)
        if not pattern:
            return
        places: dict[Place, None] = {}
        for terms in spellings:
            for place in self._scope.holding(terms):
                places[place] = None
                if len(places) >= _READ:
                    break
        written = re.compile(pattern)
        for place, text in self._scope.index.texts(places).items():
            if written.search(text):
                yield place

    def _has_pin(self, place: Place, spans: Sequence[CitedAt], pin: Sequence[str]) -> bool:
        """Return whether a place cites the very page."""
        if not pin or not pin[0].isdigit():
            return False
        (posting,) = self._scope.index.segments[place[0]].data.terms.find([pin[0]])
        if posting is None or place[1] not in posting.rows:
            return False
        text = self._scope.index.texts([place])[place]
        at = re.compile(rf"(?:\bat\s+(?:\d[\d, -]*[, ])?|,\s*)\*?{pin[0]}(?!\d)")
        return any(at.search(text, s.start, s.end + _AFTER) for s in spans)

    # --- short names --------------------------------------------------------------------------

    def short_names(self, reading: Reading) -> list[AskedCitation]:
        """Return the names in a question that are short for a case which the collection cites."""
        asked = reading.query
        taken = [c.part for c in reading.citations]
        words = [w for w in words_of(asked) if w.terms and not is_structural(w.text)]
        candidates = [
            word
            for n, word in enumerate(words)
            if len(word.text) >= SHORTEST_NAME
            and word.text.isalpha()
            and "&" not in asked[max(0, word.start - 2) : word.end + 2]
            and not any(t.start < word.end and word.start < t.end for t in taken)
            and (len(words) <= _FEW_WORDS or (word.text[0].isupper() and word.start > 0))
        ]
        if not candidates or (not (alone := len(words) == 1) and not self._known.names_cases):
            return []
        found = []
        for word in candidates:
            name, where = word.text.lower(), part(asked, word.start, word.end)
            if keys := self._short_name(name, word.terms[0], alone=alone):
                found.append(AskedCitation(where, "name", keys))
            elif alone and opinion_called(self._state.once(sources_in).documents, name):
                found.append(AskedCitation(where, "name", parties=((name,), ())))
        return found

    def _short_name(self, word: str, term: str, *, alone: bool) -> tuple[str, ...]:
        cases = [c for c in self._known.cases_with(word) if is_called(c.name, word)]
        told = {tuple(party[:1] for party in distinctive(case.name)) for case in cases}
        if not cases or len(told) > 1:
            return ()
        keys = tuple(dict.fromkeys(case.key for case in cases))
        citing = len(self._citing(keys))
        if alone:
            return keys if citing else ()
        held = sum(
            self._scope.frequency(n, part_.data.terms.find([term])[0])
            for n, part_ in enumerate(self._scope.index.segments)
        )
        return keys if citing and citing >= _OWN_SHARE * held else ()
