"""Signers in signature blocks, and names in title blocks and invoice heads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists
from casetrack.base.words.lists import any_title
from casetrack.graph.document.anchored_names.companies import walk_left
from casetrack.graph.document.anchored_names.facts import Anchor, Where
from casetrack.graph.document.titles import is_part, job_title
from casetrack.graph.entities.lexicon import GIVEN_NAMES
from casetrack.graph.entities.persons import read_person
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.graph.document.anchored_names.terms import Candidate

_LISTS = WordLists(__file__)
_WORD = r"[^\W\d_][^\W\d_'’]*(?:[-'’][^\W\d_]+)*"
_PERSON: Final = re.compile(
    rf"(?:(?:{any_title('address', 'academic')})\.? )?(?:{_WORD}\.?)"
    rf"(?: (?:(?:van|von|de|der|den|la|di|da|del) )*"
    rf"(?:[\"“(]\w+[\"”)] )?{_WORD}\.?){{1,4}}?(?:,? (?:Jr|Sr|II|III|IV|Esq)\b\.?)?"
    r"(?=\s*(?:$|[\n,;:/|_()\[]|\s{2}|[-–—]|\b(?:By|Name|Title|Its|Date|Print|Printed|Signature|"
    r"per|Per)\b))"
)
_SIGNED: Final = re.compile(r"/[sS]/\s*[_ ]*")
_NAMED = _LISTS.pattern("named")
_BY: Final = re.compile(r"(?:^|\n)[ \t]*(?:By|BY|Per|By its|Durch)[ \t]*:?[ \t]*(?=[/_\n]|\w|$)")
_SIGNED_LINE: Final = re.compile(r"\n[ \t_]*/[sS]/")
_WITNESS = frozenset("witness signature signatures date name title print printed its by".split())
_BLOCK = 420


def signatures(chunk: int, text: str, candidates: Sequence[Candidate], /) -> Iterator[Anchor]:
    """Yield the signers of the chunk at position *chunk*, and the organisations they sign for."""
    starts = [m.end() for p in (_SIGNED, _NAMED) for m in p.finditer(text)]
    seen: dict[tuple[str, ...], int] = {}
    # Backward: the printed name, followed by its title, is the one that counts.
    for start in sorted(starts, reverse=True):
        span = _person_at(text, start)
        if span is None:
            continue
        form = read_person(text[span[0] : span[1]])
        key = (form.surname or form.bare, *(g[0] for g in form.given[:1])) if form else ()
        again = key in seen and seen[key] - start < _BLOCK
        seen[key] = start
        yield Anchor(
            Where(chunk, *span), text[span[0] : span[1]], "person", "signature", is_repeat=again
        )
    if starts:
        for match in (*_BY.finditer(text), *_SIGNED_LINE.finditer(text)):
            above = _line_above(chunk, text, match.start(), candidates)
            if above is not None:
                yield above


def _person_at(text: str, start: int) -> tuple[int, int] | None:
    match = _PERSON.match(text, start)
    if match is None:
        return None
    # In "Name: Ann Roe Age: 45" the last word is the next label.
    found = match[0].rpartition(" ")[0] if text[match.end() :][:1] == ":" else match[0]
    words = found.split()
    is_name = all(
        w[0].isupper() or fold(w) in {"van", "von", "de", "der", "la", "di", "da", "del", "den"}
        for w in words
    )
    if (
        not (words and is_name)
        or job_title(found)
        or is_part(found)
        or any(fold(w.rstrip(":.")) in _WITNESS for w in words)
    ):
        return None
    half = len(words) // 2
    if half > 1 and [fold(w) for w in words[:half]] == [fold(w) for w in words[half : 2 * half]]:
        # Signed and printed on one line: the first of the two.
        first = [m.end() for m in re.finditer(r"\S+", found)][half - 1]
        return match.start(), match.start() + first
    return match.start(), match.start() + len(found)


def _line_above(chunk: int, text: str, at: int, candidates: Sequence[Candidate]) -> Anchor | None:
    """Return the name that fills the line above a signature, or a known name in it."""
    end = len(text[: at + 1].rstrip())
    start = text.rfind("\n", 0, end) + 1
    line = text[start:end]
    for known in candidates:
        if start <= known.start and known.end <= end:
            name = text[known.start : known.end]
            return Anchor(Where(chunk, known.start, known.end), name, known.kind, "signature")
    if not 3 < len(line) < 60 or ":" in line or is_part(line) or len(line.split()) > 7:
        return None
    if walk_left(text, start, end) != start or any(fold(w) in _WITNESS for w in line.split()):
        return None
    return Anchor(Where(chunk, start, end), line, None, "signature")


def is_given(name: str, /) -> bool:
    """Return whether a name of two to four words starts with a given name."""
    words = name.split()
    return 1 < len(words) < 5 and fold(words[0]) in GIVEN_NAMES
