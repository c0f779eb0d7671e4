"""Places of a question's citations: pages of the cited source, and passages that cite it.

Citations are read in :mod:`citations`. Here they are looked up: by the keys of references found in
the documents, by the names of cited cases, and by written form in the passages with all of its
words. A short name alone ("Daubert") is a citation if the collection cites one case of that name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass, field, replace
from casetrack.base.records.reading import AskedCitation
from casetrack.base.words.lists import ABBREVIATED
from casetrack.extract.language import is_structural
from casetrack.graph.cited import Cited, distinctive, party_words, same_word
from casetrack.search.asked_words import term_frequency
from casetrack.search.cited_sources import SourcePlaces, opinion_called
from casetrack.search.evidence import LOOKED_AT, Verdict
from casetrack.search.question.read import blanked, read
from casetrack.search.question.words import part, terms_of, words_of
from casetrack.search.scores import lexical_at
from casetrack.store.index.scope import among, scope_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.base.records.reading import Reading
    from casetrack.graph.cited import CitedAt, CitedCase
    from casetrack.search.ranking import Ranked
    from casetrack.store.index.scope import Place, Scope
    from casetrack.store.workspace import State

# Resolution of a question's citation among the cited authorities: by key and by name.

SHORTEST_NAME = 4
"""Minimum length of a word that names a case by itself."""
_LONGEST_CASE = 150
"""Maximum number of pages of a decision, as in :mod:`casetrack.extract.references.antecedents`."""
_NEAR_NAME = 0.8
"""Minimum similarity (:mod:`difflib`) of two names that differ by a typing error."""
_PUBLIC = frozenset("united states state people commonwealth government county city".split()).union(
    *(name.lower().replace("-", " ").split() for name in ABBREVIATED.values())
)
"""Parties that do not identify a case."""


@dataclass(frozen=True, slots=True)
class KeyResolver:
    """Resolves a citation of a question to keys."""

    known: Cited

    def of(self, citation: AskedCitation) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the keys that a citation means, and the keys of larger units that contain it."""
        known = self.known
        if citation.kind in {"case", "name"}:
            return self._keys_of_case(citation), ()
        if citation.kind == "statute" and not citation.keys:
            # "Section 1983" is a law if the files cite only one law with that section.
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
        if not cases and (slip := self._corrected(left, right)):
            cases = self._named(*slip)
        return tuple(dict.fromkeys(case.key for case in cases))

    def _short_form(self, citation: AskedCitation) -> tuple[str, ...]:
        """Return the case of "Daubert, 509 U.S. at 593": the last one starting before that page."""
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
        """Return the cases with most words of the parties' names."""
        first, second = _distinctive_words(left), _distinctive_words(right)
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

    def _corrected(
        self, left: Sequence[str], right: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return the names of parties with a typing error corrected to a known name."""
        from difflib import get_close_matches

        sides = (_distinctive_words(left), _distinctive_words(right))
        for side, other in ((0, 1), (1, 0)):
            if not sides[other]:
                continue
            stem = sides[other][0].split("'")[0][:SHORTEST_NAME]
            # The party that is spelled correctly leads to the other one.
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


def _distinctive_words(words: Sequence[str]) -> tuple[str, ...]:
    return party_words(" ".join(words))


def _has(words: Sequence[str], word: str) -> bool:
    return any(same_word(known, word) for known in words)


def is_called(name: str, word: str, /) -> bool:
    """Return whether a case's short name is *word*: its first party that is not a government."""
    left, right = distinctive(name)
    if left and not _PUBLIC.issuperset(left):
        return left[0] == word
    return bool(right) and right[0] == word


def as_written(citation: AskedCitation, /) -> tuple[tuple[tuple[str, ...], ...], str]:
    """Return the index terms and the pattern of a case name, on one line or two."""
    left, right = (_distinctive_words(side) for side in citation.parties)
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
"""Distance of a passage that cites the very page or line; the authority; a larger unit."""
MOST = 100
"""Maximum number of passages that come first, chosen by the words of the question."""
_READ = 200
"""Maximum number of passages that are read for a written citation."""
_FEW_WORDS = 3
"""A question with at most this many words may be a lower-case name."""
_OWN_SHARE = 0.25
"""Minimum share of the passages with a word in which it is the name of a case."""
_SURE, _LIKELY = 0.95, 0.5
"""Minimum relevance of a citing passage: if nothing else is asked, and otherwise."""
_ALSO_WRITTEN = frozenset(("rule", "constitution", "record", "docket number"))
"""Authorities that texts also cite in forms that are no references, such as "Rule 12(b)(6)"."""
_KEY = re.compile(r"[a-z]+:[^\W_]+(?:-[^\W_]+)*")
_AFTER = 30
"""Number of characters after a citation that may contain its pin cite."""


@dataclass(slots=True)
class CitationMatches:
    """The citations of a question that were found."""

    # The citations with their parts of the question.
    cited: list[AskedCitation] = field(default_factory=list)
    # Live places in the scope with their distance, 0 for the nearest.
    places: dict[Place, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, place: Place, far: int) -> None:
        """Add a place; the smaller distance counts."""
        self.places[place] = min(far, self.places.get(place, far))

    def names(self, text: str, /) -> bool:
        """Return whether *text* is part of a citation that was found."""
        return any(text in c.part.text for c in self.cited)


def find_cited(state: State, reading: Reading, scope: Scope, /) -> CitationMatches:
    """Look up the citations of a question in a scope."""
    matches = CitationMatches()
    asked = list(reading.citations)
    if any(c.kind == "id" for c in asked):
        written = next(c.part.text.strip() for c in asked if c.kind == "id")
        matches.notes.append(
            f"\u201c{written}\u201d refers to the previous citation, but the question has none; "
            "the search used its words. Name the authority to find its citations."
        )
    if not scope.chunk_count:
        return matches
    look = _CitationLookup(state, scope)
    for citation in (*asked, *look.short_names(reading)):
        if citation.kind == "id":
            continue
        places = look.places_of(citation)
        if places:
            matches.cited.append(citation)
            for place, far in places.items():
                matches.add(place, far)
        elif citation.kind not in {"name", "bates", "exhibit"} and (
            citation.keys or citation.pattern
        ):
            matches.notes.append(
                f"No searched passage cites \u201c{citation.part.text}\u201d; the results match "
                "its words."
            )
    if len(matches.places) > MOST:
        every = list(matches.places)
        scores = lexical_at(scope, reading.terms, every)
        best = sorted(range(len(every)), key=lambda n: (matches.places[every[n]], -scores[n]))
        matches.places = {every[n]: matches.places[every[n]] for n in best[:MOST]}
    return matches


def with_cited(
    verdict: Verdict, ranked: Sequence[Ranked], matches: CitationMatches, reading: Reading, /
) -> Verdict:
    """Return the verdict, adjusted for passages that cite the question's authorities.

    The words of a passage do not show that it cites an authority. If a question consists only of
    citations, their places answer it; if it has more words, they may.
    """
    if not matches.places or not ranked:
        return verdict
    rest = blanked(reading.query, reading.dropped + tuple(c.part for c in matches.cited))
    only = not any(w.terms and not is_structural(w.text) for w in words_of(rest))
    results = list(verdict.results)
    for number, hit in enumerate(ranked):
        if "citation" in hit.signals:
            is_sure = only and matches.places.get(hit.place) != CITES_MORE
            results[number] = max(results[number], _SURE if is_sure else _LIKELY)
    whole = max(verdict.relevance, *results[:LOOKED_AT])
    return replace(verdict, relevance=whole, results=tuple(results))


def cited_in(state: State, /) -> Cited:
    """Return the citations of a state's documents; kept with :meth:`State.once`."""
    return Cited.of(state.workspace.folder, state.snapshot)


def keys_named(state: State, authority: str, /) -> tuple[str, ...]:
    """Return the keys of the cited authorities that a name, a citation or a key means."""
    known = state.once(cited_in)
    if _KEY.fullmatch(authority):
        return known.keys(starting=(authority,))
    look = _CitationLookup(state, scope_of(state.index))
    reading = read(authority)
    asked = [c for c in reading.citations if c.kind != "id"] or look.short_names(reading)
    cited_keys = (key for citation in asked for key in look.keys_of(citation))
    return tuple(dict.fromkeys(cited_keys))


def documents_citing(state: State, keys: Sequence[str], /) -> set[str]:
    """Return the ids of the documents whose passages cite one of *keys*."""
    index = state.index
    places = index.places([at.chunk_id for at in state.once(cited_in).at(keys)])
    return {index.document_at(place) for place in places.values()}


def documents_holding(state: State, terms: Sequence[str], /) -> set[str]:
    """Return the ids of the documents that contain all index terms, in any passages."""
    scope = scope_of(state.index)
    documents: set[str] | None = None
    for term in terms:
        with_term = {scope.index.document_at(place) for place in scope.holding([term])}
        documents = with_term if documents is None else documents & with_term
    return documents or set()


class _CitationLookup:
    """Looks up citations in one scope."""

    def __init__(self, state: State, scope: Scope) -> None:
        self._state = state
        self._scope = scope

    @property
    def _known(self) -> Cited:
        return self._state.once(cited_in)

    @property
    def _means(self) -> KeyResolver:
        return KeyResolver(self._known)

    # --- resolution ---------------------------------------------------------------------------

    def keys_of(self, citation: AskedCitation) -> tuple[str, ...]:
        """Return the keys that a citation means."""
        return (
            citation.keys
            if citation.kind == "name" and citation.keys
            else self._means.of(citation)[0]
        )

    def places_of(self, citation: AskedCitation) -> dict[Place, int]:
        """Return the places of one citation with their distance."""
        keys, wider = self._means.of(citation)
        places = SourcePlaces(self._state, self._scope).of(citation, keys)
        for place, spans in self._citing(keys).items():
            far = AT_PIN if self._has_pin(place, spans, citation.pin) else CITES
            places[place] = min(far, places.get(place, far))
        if not keys or citation.kind in _ALSO_WRITTEN:
            for place in self._written(citation):
                places.setdefault(place, CITES)
        if not places:
            places = dict.fromkeys(self._citing(wider), CITES_MORE)
        return places

    # --- places -------------------------------------------------------------------------------

    def _citing(self, keys: Sequence[str]) -> dict[Place, list[CitedAt]]:
        """Return the live places in the scope that cite one of *keys*, with the spans."""
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
        """Yield the places that contain the written citation."""
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
        """Return whether a place cites the page of the pin cite."""
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
        """Return the words of a question that are short names of cited cases."""
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
        citations = []
        for word in candidates:
            name, where = word.text.lower(), part(asked, word.start, word.end)
            if keys := self._short_name(name, word.terms[0], alone=alone):
                citations.append(AskedCitation(where, "name", keys))
            elif alone and opinion_called(self._state.snapshot.documents.table, name):
                citations.append(AskedCitation(where, "name", parties=((name,), ())))
        return citations

    def _short_name(self, word: str, term: str, *, alone: bool) -> tuple[str, ...]:
        cases = [c for c in self._known.cases_with(word) if is_called(c.name, word)]
        parties_of_cases = {tuple(party[:1] for party in distinctive(case.name)) for case in cases}
        if not cases or len(parties_of_cases) > 1:
            return ()
        keys = tuple(dict.fromkeys(case.key for case in cases))
        citing = len(self._citing(keys))
        if alone:
            return keys if citing else ()
        held = term_frequency(self._scope, term)
        return keys if citing and citing >= _OWN_SHARE * held else ()
