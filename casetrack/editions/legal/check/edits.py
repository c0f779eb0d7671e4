"""The differences between a quotation and its source, with the rules that allow them."""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from casetrack.editions.legal.check.source import omission_rule
from casetrack.editions.legal.records.check import Edit, EditKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.editions.legal.check.alignment import Alignment, Unit
    from casetrack.editions.legal.check.source import SourceText

CAPITAL, BRACKETS, DOTS, SIC, HYPHEN, CLOSING = (
    "capital letter",
    "brackets",
    "ellipsis",
    "[sic]",
    "hyphen at the end of a line",
    "punctuation at the end",
)
_Sort = Literal["word", "punct"]
ONLY_PUNCTUATION = "Only punctuation differs."
_MARKS = re.compile(r"[\"“”„«»]|(?<!\w)[‘']|['’](?!\w)")
_LETTERS = re.compile(r"[\W_]+")
_BREAK = re.compile(r"[-\u2010\u00ad]\s?\n|\u00ad")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run of edits of one kind, with its spans in draft and source."""

    kind: EditKind
    draft: tuple[int, int] | None
    source: tuple[int, int] | None
    allowed: str = ""
    sort: _Sort = "word"
    units: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class QuotationEdits:
    """The edits between a quotation and its source."""

    start: int  # Code points of the source's text
    end: int
    edits: tuple[Edit, ...]  # Cover both texts without gaps
    notes: tuple[str, ...]  # Allowed differences
    # Units of the draft with an allowed difference.
    allowed: frozenset[int] = field(default_factory=frozenset)


def quotation_edits(
    quoted: str,
    units: Sequence[Unit],
    source: SourceText,
    source_part: Sequence[Unit],
    alignment: Alignment,
    /,
    *,
    cleaned_up: bool,
) -> QuotationEdits | None:
    """Return the edits of an alignment, or ``None`` if no word of the draft is in the source."""
    pieces = list(_pieces(quoted, units, source.text, source_part, alignment))
    if not any(p.source for p in pieces):
        return None
    judged = list(_with_rules(pieces, quoted, source, cleaned_up=cleaned_up))
    spans = [p.source for p in judged if p.source]
    start, end = spans[0][0], spans[-1][1]
    edits = tuple(_tiled(judged, quoted, source.text, start, end))
    allowances = [e.allowed for e in edits if e.allowed and e.allowed != CLOSING]
    notes = [f"Allowed: {', '.join(dict.fromkeys(allowances))}."] if allowances else []
    counted = [p for p in judged if p.kind != "keep" and not p.allowed]
    if counted and all(p.sort == "punct" for p in counted):
        notes.append(ONLY_PUNCTUATION)
    theirs = len(_MARKS.findall(source.text[start:end]))
    if len(_MARKS.findall(quoted)) < theirs and theirs > 1:
        notes.append("Inner quotation marks are omitted.")
    allowed = frozenset(n for p in judged if p.allowed for n in p.units)
    return QuotationEdits(start, end, edits, tuple(notes), allowed)


def _pieces(
    quoted: str, units: Sequence[Unit], text: str, source_part: Sequence[Unit], alignment: Alignment
) -> Iterator[_Piece]:
    for (step, unit_no), group in itertools.groupby(
        alignment.pairs, key=lambda p: (p.step, p.draft)
    ):
        pairs = list(group)
        unit = units[unit_no] if unit_no is not None else None
        others = [source_part[p.source] for p in pairs if p.source is not None]
        ours = (unit.start, unit.end) if unit else None
        theirs = (others[0].start, others[-1].end) if others else None
        number = () if unit_no is None else (unit_no,)
        both = [*others, *([unit] if unit else [])]
        sort: _Sort = "punct" if all(u.kind == "punct" for u in both) else "word"
        if step == "drop":
            for other in others:
                sort = "punct" if other.kind == "punct" else "word"
                yield _Piece("delete", None, (other.start, other.end), sort=sort)
        elif unit is None or ours is None:
            continue
        elif step == "add":
            yield _Piece("insert", ours, None, sort=sort, units=number)
        elif step == "skip":
            yield _skipped(quoted, unit, ours, theirs, number)
        elif step == "swap":
            yield _Piece("replace", ours, theirs, sort=sort, units=number)
        elif theirs is not None:
            why = _form_rule(quoted[slice(*ours)], text[slice(*theirs)], unit)
            yield _Piece("replace" if why else "keep", ours, theirs, why, units=number)


def _skipped(
    quoted: str,
    unit: Unit,
    ours: tuple[int, int],
    theirs: tuple[int, int] | None,
    number: tuple[int, ...],
) -> _Piece:
    if unit.kind == "ellipsis":
        return _Piece("replace" if theirs else "insert", ours, theirs, DOTS, units=number)
    why = SIC if "sic" in quoted[slice(*ours)].lower() and not unit.norm else BRACKETS
    return _Piece("replace" if theirs else "insert", ours, theirs, why, units=number)


def _form_rule(ours: str, theirs: str, unit: Unit) -> str:
    """Return the rule that allows a different form of the same word; empty if the form is equal."""
    if unit.kind == "bracketed":
        return "" if ours == theirs else BRACKETS
    if ours == theirs:
        return ""
    plain, other = _plain(ours), _plain(theirs)
    return CAPITAL if plain != other and plain.lower() == other.lower() else ""


def _plain(word: str) -> str:
    word = _LETTERS.sub("", _BREAK.sub("", word))
    return unicodedata.normalize("NFKC", word)


# --- allowed differences ------------------------------------------------------------------------


def _with_rules(
    pieces: list[_Piece], quoted: str, source: SourceText, *, cleaned_up: bool
) -> Iterator[_Piece]:
    """Yield the pieces with the rule that allows each difference; merge adjacent ones."""
    runs = [list(g) for _, g in itertools.groupby(pieces, key=_groups)]
    for n, run in enumerate(runs):
        if run[0].kind == "keep" or run[0].allowed:
            yield from _merged(run)
            continue
        near = [runs[k][0].allowed for k in (n - 1, n + 1) if 0 <= k < len(runs)]
        is_last = n == len(runs) - 1
        why = _rule_for(
            run, quoted, source, near, is_first=n == 0, is_last=is_last, clean=cleaned_up
        )
        if why:
            yield from (replace(p, allowed=why) for p in _merged(run))
        else:
            yield from _split_by_letters(run, quoted, source.text)


def _groups(piece: _Piece) -> tuple[str, str]:
    if piece.kind == "keep" or piece.allowed:
        return piece.kind, piece.allowed
    return "differs", ""


def _rule_for(
    run: list[_Piece],
    quoted: str,
    source: SourceText,
    near: list[str],
    *,
    is_first: bool,
    is_last: bool,
    clean: bool,
) -> str:
    """Return the rule that allows a run of differences; empty if no rule does."""
    ours = "".join(quoted[slice(*p.draft)] for p in run if p.draft)
    spans = [p.source for p in run if p.source]
    theirs = source.text[spans[0][0] : spans[-1][1]] if spans else ""
    if all(p.sort == "punct" for p in run):
        if is_last and all(p.kind == "insert" for p in run):
            return CLOSING
        dots = next((w for w in near if w in (DOTS, BRACKETS)), "")
        if dots or (is_first and all(p.kind == "insert" for p in run)):
            return dots or CLOSING
        if clean and not ours.strip() and set(theirs) <= set("[]\u2026. ()"):
            return "cleaned up"
    if ours and theirs:
        ends = [place for p in run if p.draft for place in p.draft]
        broken = _BREAK.search(quoted[ends[0] : ends[-1]]) or _BREAK.search(theirs)
        if broken and _plain(ours).lower() == _plain(theirs).lower():
            return HYPHEN
    if spans and not _LETTERS.sub("", ours):
        return omission_rule(source, spans[0][0], spans[-1][1])
    return ""


def _merged(run: list[_Piece]) -> Iterator[_Piece]:
    """Yield one piece for each kind of edit in a run."""
    for kind, group in itertools.groupby(run, key=lambda p: p.kind):
        yield _join(kind, list(group))


def _split_by_letters(run: list[_Piece], quoted: str, text: str) -> Iterator[_Piece]:
    """Yield a run of relevant differences; a single changed word is split by letters."""
    for kind, group in itertools.groupby(run, key=lambda p: p.kind):
        parts = list(group)
        if kind == "replace" and len(parts) == 1:
            yield from _letters(parts[0], quoted, text)
        else:
            yield _join(kind, parts)


def _join(kind: EditKind, parts: list[_Piece]) -> _Piece:
    ours = [p.draft for p in parts if p.draft]
    theirs = [p.source for p in parts if p.source]
    return _Piece(
        kind,
        (ours[0][0], ours[-1][1]) if ours else None,
        (theirs[0][0], theirs[-1][1]) if theirs else None,
        parts[0].allowed,
        "punct" if all(p.sort == "punct" for p in parts) else "word",
        tuple(n for p in parts for n in p.units),
    )


def _letters(piece: _Piece, quoted: str, text: str) -> Iterator[_Piece]:
    """Yield a changed word as its equal and its different letters."""
    if piece.draft is None or piece.source is None:
        yield piece
        return
    (d0, d1), (s0, s1) = piece.draft, piece.source
    ours, theirs = quoted[d0:d1], text[s0:s1]
    shortest = min(len(ours), len(theirs))
    head = next((n for n in range(shortest) if ours[n] != theirs[n]), shortest)
    most = shortest - head
    tail = next((n for n in range(most) if ours[-1 - n] != theirs[-1 - n]), most)
    if not ours.isalpha() or head + tail < 0.5 * max(len(ours), len(theirs)):
        yield piece
        return
    if head:
        yield _Piece("keep", (d0, d0 + head), (s0, s0 + head))
    ours_left, theirs_left = (d0 + head, d1 - tail), (s0 + head, s1 - tail)
    kind: EditKind = "replace"
    if ours_left[0] == ours_left[1]:
        kind = "delete"
    elif theirs_left[0] == theirs_left[1]:
        kind = "insert"
    yield _Piece(
        kind,
        ours_left if kind != "delete" else None,
        theirs_left if kind != "insert" else None,
        units=piece.units,
    )
    if tail:
        yield _Piece("keep", (d1 - tail, d1), (s1 - tail, s1))


def _tiled(pieces: list[_Piece], quoted: str, text: str, start: int, end: int) -> Iterator[Edit]:
    """Yield edits that cover both texts; text between two pieces belongs to the first."""
    ours_next = _nexts([p.draft for p in pieces], len(quoted))
    theirs_next = _nexts([p.source for p in pieces], end)
    ours_at, theirs_at = 0, start
    for n, piece in enumerate(pieces):
        ours_to = ours_next[n] if piece.draft else ours_at
        theirs_to = theirs_next[n] if piece.source else theirs_at
        yield Edit(piece.kind, quoted[ours_at:ours_to], text[theirs_at:theirs_to], piece.allowed)
        ours_at, theirs_at = ours_to, theirs_to


def _nexts(spans: list[tuple[int, int] | None], end: int) -> list[int]:
    """Return for each span the start of the next one."""
    starts, following = [], end
    for span in reversed(spans):
        starts.append(following)
        if span is not None:
            following = span[0]
    return starts[::-1]
