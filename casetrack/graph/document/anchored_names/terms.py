"""Defined terms, short names and other names in a document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.words.lists import TITLES
from casetrack.extract.card.unnamed import is_unnamed_between
from casetrack.graph.document.anchored_names.companies import (
    describes,
    is_body,
    walk_left,
    walk_right,
)
from casetrack.graph.document.anchored_names.definitions import (
    AN_INDIVIDUAL,
    ARTICLE,
    AS_PART,
    ASIDE,
    BARE,
    BREAK,
    CALLED,
    CLAUSE,
    CLAUSE_REACH,
    DESCRIBED,
    DESCRIBER,
    DESCRIBES,
    FRONT,
    FURTHER,
    GROUP,
    INSIDE,
    LETTERED,
    MEANS,
    NEXT_PART,
    NOT_A_TERM,
    OTHER_NAME,
    QUOTED,
    QUOTES,
    REACH,
    THINGS,
    TICKER,
    UNQUOTED,
    VAGUE,
    WITH_ITS_OWN,
    is_thing,
    resembles,
)
from casetrack.graph.document.anchored_names.facts import Anchor, Term, Where
from casetrack.graph.document.titles import is_office, is_part, role
from casetrack.graph.entities.lexicon import HONORIFICS
from casetrack.graph.entities.locations import is_known_place, is_state, location_key
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.extract.spans import NameKind
    from casetrack.graph.document.anchored_names.facts import Evidence


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name that may own a term; *has_form*: it has a legal form."""

    start: int
    end: int
    kind: NameKind | None
    has_form: bool


class TermReader:
    """Reads the defined terms of one chunk (position *chunk*) with non-overlapping candidates."""

    def __init__(self, chunk: int, text: str, candidates: Sequence[Candidate], /) -> None:
        self._chunk = chunk
        # Two typewriter marks are one quotation mark; offsets stay.
        self._text = text = text.replace("``", " “").replace("''", "” ")
        self._known = list(candidates)
        self._clauses = [m.end() for m in CLAUSE.finditer(text)]
        self._last = 0
        self.names: list[Anchor] = []
        self.terms: list[Term] = []

    def read(self) -> None:
        """Fill ``names`` and ``terms``."""
        if "(" in self._text:
            for match in INSIDE.finditer(self._text):
                self._read_parentheses(match)
        if any(part in self._text for part in ("ereinafter", "ereafter", "olgend", "achstehend")):
            for match in BARE.finditer(self._text):
                if self._inside_parentheses(match.start()):
                    continue
                group = match.lastindex or 1
                spans = [(match.start(group), match.end(group))]
                further = FURTHER.match(self._text, match.end())
                while further is not None:
                    spans.append((further.start(1), further.end(1)))
                    further = FURTHER.match(self._text, further.end())
                self._assign(match.start(), spans, strict=False)
        self._read_means()
        self._read_described()
        self._read_parts()
        self._read_other_names()

    def _add(self, name: Candidate) -> Candidate:
        """Add a name, which replaces known names inside it."""
        self._known = [k for k in self._known if k.end <= name.start or k.start >= name.end]
        self._known.append(name)
        self._known.sort(key=lambda k: k.start)
        return name

    def _add_name(self, name: Candidate, evidence: Evidence) -> None:
        kind = name.kind
        if kind is None and AN_INDIVIDUAL.match(self._text, name.end):
            kind = "person"
        where = Where(self._chunk, name.start, name.end)
        if not any(n.where == where for n in self.names):
            text = self._text[name.start : name.end]
            self.names.append(Anchor(where, text, kind, evidence))

    # --- terms -------------------------------------------------------------------------------

    def _inside_parentheses(self, at: int) -> bool:
        opened = self._text.rfind("(", max(0, at - 80), at)
        return opened >= 0 and self._text.find(")", opened, at) < 0

    def _read_parentheses(self, match: re.Match[str]) -> None:
        group = 1 if match[1] is not None else 2
        inside, base = match[group], match.start(group)
        ticker = TICKER.match(self._text, match.start())
        if ticker:
            if len(ticker[1]) > 2:
                self._assign(
                    match.start(), [(ticker.start(1), ticker.end(1))], strict=True, ticker=True
                )
            return
        quoted = list(QUOTED.finditer(inside))
        if not quoted:
            plain = UNQUOTED.fullmatch(inside)
            # Without quotes, accept initials and roles, not "(Delaware)", and a name only if it
            # consists of its owner's words: "Oakham Dairy Group (Oakham Dairy)".
            if plain and (
                plain[1].isupper()
                or is_part(plain[1])
                or not (is_known_place(key := location_key(plain[1])) or is_state(key))
            ):
                span = (base + plain.start(1), base + plain.end(1))
                self._assign(match.start(), [span], strict=True)
            return
        spans = []
        intro_start = 0
        for term in quoted:
            intro = inside[intro_start : term.start()]
            intro_start = term.end()
            if GROUP.search(intro) and not (
                WITH_ITS_OWN.search(intro) or self._with_its_own(match.start())
            ):
                continue
            if NOT_A_TERM.search(intro):
                continue
            group = term.lastindex or 1
            spans.append((base + term.start(group), base + term.end(group)))
        self._assign(match.start(), spans, strict=False)

    def _with_its_own(self, at: int) -> bool:
        return bool(WITH_ITS_OWN.search(self._text, max(0, at - 90), at))

    def _assign(
        self, at: int, spans: Sequence[tuple[int, int]], /, *, strict: bool, ticker: bool = False
    ) -> None:
        """Assign the terms at *spans* to the name before *at*; *strict*: directly before it."""
        text = self._text
        wanted = []
        for span in spans:
            start, end = _trimmed(text, *span)
            word = text[start:end]
            words = word.split()
            if words and not {fold(word), fold(words[-1])} & VAGUE:
                wanted.append((start, end, word))
        if not wanted:
            return
        owner = self._owner(at, [w for _, _, w in wanted], strict=strict, ticker=ticker)
        word = wanted[0][2]
        if owner is None or is_office(self._text, word, owner.start):
            return
        is_word = word.isalpha() and not (word.isupper() or is_part(word))
        if strict and not ticker and is_word and not text.startswith(word, owner.start):
            # "Oakham America, Inc. (America)" is a place, "(Oakham)" a short name.
            return
        self._last = at
        in_clause = any(owner.start - CLAUSE_REACH <= c <= owner.start + 1 for c in self._clauses)
        self._add_name(owner, "party clause" if in_clause else "definition")
        for start, end, word in wanted:
            if start >= owner.end or end <= owner.start:
                self._define(owner, start, end, word)

    def _define(self, owner: Candidate, start: int, end: int, word: str) -> None:
        whole = self._text[owner.start : owner.end]
        alike = resembles(word, whole)
        # "Tiger Parent" is a short name of Tiger Parent Corporation.
        part = role(word) if is_part(word) and not (alike and " " in word) else None
        last = fold(word.rsplit(maxsplit=1)[-1])
        # An article precedes a role, a body or a thing, and no name: "(the “Rescue Financing”)".
        has_article = ARTICLE.search(self._text, max(0, start - 8), start) is not None
        thing = not alike and (
            last in THINGS or (has_article and part is None and not is_body(last))
        )
        if describes(word):
            return
        if thing or (not alike and part is None and not word[0].isupper()):
            return
        where = Where(self._chunk, start, end)
        if all(t.where != where for t in self.terms):
            owned = Where(self._chunk, owner.start, owner.end)
            if part is None and LETTERED.fullmatch(word):
                part = word.lower()
            is_name = part is None and (
                alike or word.isupper() or " " in word or not word.istitle()
            )
            quoted = self._text[start - 1 : start] in {*QUOTES} or (
                self._text[end : end + 1] in {*QUOTES}
            )
            self.terms.append(Term(where, word, owned, part or "", is_name=is_name, quoted=quoted))

    def _owner(
        self, at: int, words: Sequence[str], /, *, strict: bool, ticker: bool
    ) -> Candidate | None:
        text = self._text
        low = at - REACH if ticker else max(self._last, at - REACH)
        near = [k for k in self._known if low <= k.start and k.end <= at]
        if any(HONORIFICS.get(fold(w.split()[0].rstrip("."))) for w in words):
            near = [k for k in near if not k.has_form]  # "Ms. Roe" is no company
        touching = [k for k in near if not ASIDE.sub("", self._text[k.end : at]).strip(" ,\n")]
        alike = [k for k in near if any(resembles(w, self._text[k.start : k.end]) for w in words)]
        if strict:
            owners = [k for k in touching if ticker or k in alike or any(map(is_part, words))]
            return owners[-1] if owners else None
        if alike:
            close = [k for k in alike if not BREAK.search(self._text, k.end, at)]
            # The heading above may name the agreement after its parties.
            paragraph = text.rfind("\n\n", 0, at)
            close = [k for k in close if k.start > paragraph] or close
            close = [k for k in close if k.has_form] or close
            if close:
                return close[-1] if close[-1] in touching else close[0]
        if not touching:
            read = self._read_owner(at, words, nearest=True)
            if read is not None:
                return read
        # "Acme Inc. and ______ (“Buyer”)": the term belongs to the party without a name.
        near = [k for k in near if not is_unnamed_between(self._text, k.end, at)]
        fitting = [k for k in near if self._fits(k, at)]
        # In a letter the addressee is above; names in the same paragraph come first.
        paragraph = text.rfind("\n\n", 0, at)
        fitting = [k for k in fitting if k.start > paragraph] or fitting
        # "Acme and Bolt, as guarantors, and Dune Bank, as trustee (…)": the last name starts a new
        # group.
        new_group = [
            k
            for k in near
            if self._text[max(0, k.start - 6) : k.start].endswith((", and ", "; and "))
        ]
        if new_group and fitting and new_group[-1].start > fitting[0].start:
            fitting = new_group[-1:]
        parts = any(map(is_part, words))
        if fitting and (parts or any(w[0].isupper() for w in words)):
            first = next((k for k in fitting if k in touching), fitting[0])
            named = [n.where.start for n in self.names if n.evidence == "party clause"]
            in_clause = self._chunk < FRONT and any(
                first.start - CLAUSE_REACH <= c <= first.start for c in self._clauses
            )
            is_party = first.has_form or first.kind is not None or first.start in named or in_clause
            if parts or (is_party and (first in touching or self._is_described(first, at))):
                return first
            if first.start in named:
                return first
        return self._read_owner(at, words, nearest=False)

    def _fits(self, name: Candidate, at: int) -> bool:
        between = self._text[name.end : at]
        if between.strip(" ,\n") and not DESCRIBES.match(between):
            return False
        if BREAK.search(between):
            return False
        before = self._text[max(0, name.start - 24) : name.start]
        return not (DESCRIBER.search(before) and not re.search(r"between\s*$|among\s*$", before))

    def _is_described(self, name: Candidate, at: int) -> bool:
        return bool(
            re.match(
                r"\s*,?\s*(?:an?|the|having|with|whose|located|organi[sz]ed|incorporated|acting|"
                r"through)\b",
                self._text[name.end : at],
            )
        )

    def _read_owner(self, at: int, words: Sequence[str], *, nearest: bool) -> Candidate | None:
        """Return a new name: capitalised words before the term."""
        text = self._text
        called = CALLED.search(text, max(self._last, at - 60), at)
        ends = [called.start() if called else at]
        described = re.search(
            r",\s+(?:an?|having|with|whose|located|organi[sz]ed|residing|acting)\s[^.;()]{3,240}$",
            text[max(self._last, at - REACH) : at],
        )
        if described and not nearest:
            ends.append(max(self._last, at - REACH) + described.start())
        for stop in ends:
            end = len(text[:stop].rstrip(" ,\n"))
            start = walk_left(text, max(self._last, end - 90), end)
            if start is None or end - start < 3:
                continue
            if any(k.start < end and start < k.end for k in self._known):
                continue
            name = text[start:end]
            alike = any(resembles(w, name) for w in words)
            in_clause = any(start - 3 <= c <= start + 5 for c in self._clauses)
            after_and = bool(
                re.search(r"\b(?:and|AND|und)\s+(?:the\s+)?$", text[max(0, start - 9) : start])
            )
            titled = name.split()[0].strip(".") in {"Dr", *TITLES.words("address", "german")}
            named = alike or titled or ((in_clause or after_and) and any(map(is_part, words)))
            if (
                named
                and len({c for c in name if c.isalpha()}) > 1
                and not is_part(name)
                and not is_thing(name)
            ):
                kind: NameKind | None = "person" if AN_INDIVIDUAL.match(text, end) else None
                return self._add(Candidate(start, end, kind, has_form=False))
        return None

    # --- other forms -------------------------------------------------------------------------

    def _read_means(self) -> None:
        if "mean" not in self._text and "refer" not in self._text and "bedeutet" not in self._text:
            return
        for match in MEANS.finditer(self._text):
            owner = next((k for k in self._known if 0 <= k.start - match.end() <= 1), None)
            if owner is None or not owner.has_form:
                continue
            self._add_name(owner, "definition")
            start, end = _trimmed(self._text, match.start(1), match.end(1))
            if fold(self._text[start:end]) not in VAGUE:
                self._define(owner, start, end, self._text[start:end])

    def _read_described(self) -> None:
        """Read "Oakham Savings, a Maine banking corporation": a firm without a legal form."""
        for match in DESCRIBED.finditer(self._text):
            at = match.start()
            start = walk_left(self._text, max(0, at - 90), at)
            if start is None or at - start < 4 or is_part(self._text[start:at]):
                continue
            if " " not in self._text[start:at] and not self._text[start:at].isupper():
                continue
            if any(k.start < at and start < k.end and k.kind for k in self._known):
                continue
            name = self._text[start:at]
            if not is_thing(name) and not is_known_place(location_key(name)):
                self._add_name(
                    self._add(Candidate(start, at, "organization", has_form=False)), "definition"
                )

    def _read_parts(self) -> None:
        """Read "Acme, Inc., as Borrower"."""
        if " as " not in self._text and "\nas " not in self._text:
            return
        for match in AS_PART.finditer(self._text):
            if not is_part(match[1]):
                continue
            owner = next((k for k in reversed(self._known) if k.end <= match.start() + 1), None)
            if owner is None or self._text[owner.end : match.start()].strip(" ,."):
                owner = self._line_before(match.start())
            part: re.Match[str] | None = match
            while owner is not None and part is not None and is_part(part[1]):
                self._add_name(owner, "party clause")
                self._define(owner, part.start(1), part.end(1), part[1])
                part = NEXT_PART.match(self._text, part.end())

    def _line_before(self, at: int) -> Candidate | None:
        """Return the name that fills the line ending at *at*."""
        end = len(self._text[:at].rstrip(" ,\n"))
        start = self._text.rfind("\n", 0, end) + 1
        if end - start < 4 or walk_left(self._text, start, end) != start:
            return None
        return self._add(Candidate(start, end, None, has_form=False))

    def _read_other_names(self) -> None:
        for owner in list(self._known):
            match = OTHER_NAME.match(self._text, owner.end)
            if match is None:
                continue
            start = match.end()
            known = next((k for k in self._known if start <= k.start <= start + 1), None)
            end = known.end if known else walk_right(self._text, start, start + 80)
            start = known.start if known else start
            # One word before the next cell of a row may be cut: "Oak LLC, dba Santa | Santa Ana".
            is_cut = end is not None and self._text[end : end + 2] == " |"
            is_cut = is_cut and " " not in self._text[start:end]
            if end is not None and end - start > 2 and not is_cut:
                self._add_name(owner, "definition")
                where = Where(self._chunk, start, end)
                owned = Where(self._chunk, owner.start, owner.end)
                self.terms.append(Term(where, self._text[start:end], owned))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a term's span without articles and marks around it."""
    while start < end and text[start] in " ,.\n'’‘":
        start += 1
    while end > start and text[end - 1] in " ,;:\n'’‘":
        end -= 1
    if text[end - 1 : end] == "." and "." not in text[start : end - 1]:
        end -= 1
    article = re.match(r"(?:the|The|THE|der|die|das)\s+", text[start:end])
    return (start + article.end(), end) if article else (start, end)


def terms_of(chunk: int, text: str, candidates: Sequence[Candidate], /) -> Iterator[Anchor | Term]:
    """Yield the names and terms in a chunk's clauses and definitions."""
    reader = TermReader(chunk, text, candidates)
    reader.read()
    yield from reader.names
    yield from reader.terms
