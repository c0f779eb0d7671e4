"""Writes the findings of a check into a copy of a DOCX, as comments on the words.

Words are compared by letters and digits only, because runs and blanks differ between file and text.
A run is split where words begin or end inside it. A comment on words of a footnote is placed at its
reference mark, as in Word.
"""

from __future__ import annotations

import copy
import unicodedata
import zipfile
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from docx.oxml.ns import qn

from casetrack.api.viewer.kept import AUTHOR, INITIALS, clean
from casetrack.base.errors import FileNotFound, Opt, ParseFailed, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from docx.document import Document

    from casetrack.editions.legal.drafts import Draft
    from casetrack.editions.legal.records.check import CiteCheck, Finding

_CONTEXT = 60
"""Number of letters of context on each side to distinguish equal words."""
_LONGEST = 1_500
_ELEMENT = Any
"""An element of lxml, which only readers import."""


@dataclass(frozen=True, slots=True)
class Commented:
    """A copy of a draft with comments."""

    content: bytes
    placed: int  # Number of comments on findings
    # Findings not located in the file; the general comment lists them.
    unplaced: tuple[Finding, ...] = ()


def commented_copy(draft: Draft, check: CiteCheck, /, *, everything: bool = False) -> Commented:
    """Return a copy of a DOCX draft with comments on findings, by default not on correct ones."""
    document = _opened(draft)
    findings = [f for f in check.findings if everything or f.weight != "right"]
    body = _Letters(_runs(document.element.body))
    notes = _notes(document)
    whole = _letters_only(draft.whole.text)
    places: list[tuple[Finding, int, int]] = []
    at_notes: list[tuple[Finding, _ELEMENT]] = []
    unplaced: list[Finding] = []
    for finding in findings:
        place = body.find(finding, whole)
        if place is not None:
            places.append((finding, *place))
        elif (
            sign := next((s for s, n in notes if n.find(finding, whole) is not None), None)
        ) is not None:
            at_notes.append((finding, sign))
        else:
            unplaced.append(finding)
    runs = body.cut(edge for _, start, end in places for edge in (start, end))
    for finding, start, end in places:
        first, last = body.run_at(runs, start), body.run_at(runs, end - 1)
        _comment(document, first, last, _comment_text(finding))
    for finding, sign in at_notes:
        _comment(document, sign, sign, f"In the footnote: {_comment_text(finding)}")
    if runs:
        _comment(document, runs[0], runs[0], _summary(check, unplaced))
    from casetrack.api.viewer.kept import packed

    return Commented(packed(document), len(places) + len(at_notes), tuple(unplaced))


def _opened(draft: Draft) -> Document:
    import docx
    from docx.opc.exceptions import OpcError

    if draft.path.suffix.lower() != ".docx":
        raise UsageError(
            f"{draft.name} is not a DOCX file; comments can only be added to a copy of a DOCX.",
            hint=f"Use the DOCX of this draft, or write a page with {Opt('html')}.",
        )
    if not draft.path.is_file():
        raise FileNotFound(draft.path)
    try:
        return docx.Document(str(draft.path))
    except (OpcError, KeyError, ValueError, SyntaxError, zipfile.BadZipFile) as error:
        reason = f"it cannot be opened to add comments: {error}"
        raise ParseFailed(draft.path, "DOCX", reason) from error


# --- texts of comments -------------------------------------------------------------------------


def _comment_text(finding: Finding) -> str:
    lines = [f"{finding.title.upper()}. {finding.said}"]
    changed = [e for e in finding.edits if e.kind != "keep"]
    for edit in changed:
        why = f" ({edit.allowed})" if edit.allowed else ""
        source = f"\u201c{edit.source}\u201d" if edit.source else "nothing"
        draft = f"\u201c{edit.draft}\u201d" if edit.draft else "nothing"
        lines.append(f"Source: {source}; draft: {draft}{why}.")
    lines += [f"Source: {quote.citation}" for quote in finding.sources[:1]]
    lines += finding.notes
    text = "\n".join(lines)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"


def _summary(check: CiteCheck, unplaced: Sequence[Finding]) -> str:
    """Return the comment on the draft as a whole."""
    from casetrack.editions.legal.records.check import TITLES

    counter = check.counts
    counts = ", ".join(f"{counter[v]} {title}" for v, title in TITLES.items() if v in counter)
    sizes = f"{check.citations} citations, {check.quotations} quotations"
    lines = [f"Checked against the case {check.case}: {sizes}{f' ({counts})' if counts else ''}."]
    lines += check.notes
    for finding in unplaced:
        where = f"\u201c{finding.text}\u201d ({finding.place.citation})"
        lines.append(f"Words not found in this file: {where}. {finding.said}")
    return "\n".join(lines)


def _comment(document: Document, first: _ELEMENT, last: _ELEMENT, text: str) -> None:
    from docx.text.run import Run

    ends = [Run(first, document), Run(last, document)]
    document.add_comment(ends, text=clean(text), author=AUTHOR, initials=INITIALS)


# --- places of words ---------------------------------------------------------------------------


def _runs(root: _ELEMENT) -> list[_ELEMENT]:
    """Return the runs of an element in reading order, without alternative drawings."""
    fallback = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
    return [
        run
        for run in root.iter(qn("w:r"))
        if not any(parent.tag == fallback for parent in run.iterancestors())
    ]


def _notes(document: Document) -> list[tuple[_ELEMENT, _Letters]]:
    """Return the runs with reference marks of notes, each with the letters of its note."""
    from docx.oxml import parse_xml

    notes: list[tuple[_ELEMENT, _Letters]] = []
    for kind in ("footnote", "endnote"):
        part = next(
            (r.target_part for r in document.part.rels.values() if r.reltype.endswith(f"/{kind}s")),
            None,
        )
        if part is None:
            continue
        by_id = {
            note.get(qn("w:id")): _Letters(_runs(note))
            for note in parse_xml(part.blob).iter(qn(f"w:{kind}"))
        }
        for sign in document.element.body.iter(qn(f"w:{kind}Reference")):
            note = by_id.get(sign.get(qn("w:id")))
            if note is not None:
                notes.append((sign.getparent(), note))
    return notes


def _pieces(run: _ELEMENT) -> Iterator[tuple[_ELEMENT, str]]:
    """Yield the children of a run, each with its text."""
    signs = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
    for child in run:
        yield child, (child.text or "") if child.tag == qn("w:t") else signs.get(child.tag, "")


@dataclass(frozen=True, slots=True)
class _LettersOnly:
    """The letters and digits of a text, with their positions."""

    letters: str
    at: tuple[int, ...]


def _letters_only(text: str) -> _LettersOnly:
    letters: list[str] = []
    at: list[int] = []
    for place, sign in enumerate(text):
        plain = sign if sign.isascii() else unicodedata.normalize("NFKC", sign)
        for letter in plain.casefold():
            if letter.isalnum():
                letters.append(letter)
                at.append(place)
    return _LettersOnly("".join(letters), tuple(at))


@dataclass
class _Letters:
    """The joined text of some runs."""

    runs: list[_ELEMENT]
    text: str = field(init=False)
    _starts: list[int] = field(init=False)
    _squeezed: _LettersOnly = field(init=False)

    def __post_init__(self) -> None:
        texts = ["".join(text for _, text in _pieces(run)) for run in self.runs]
        self._starts, length = [], 0
        for text in texts:
            self._starts.append(length)
            length += len(text)
        self.text = "".join(texts)
        self._squeezed = _letters_only(self.text)

    def find(self, finding: Finding, whole: _LettersOnly, /) -> tuple[int, int] | None:
        """Return the span of a finding in the text of the runs.

        If the words occur several times, the place with the most similar context is used.
        """
        words = _letters_only(finding.text).letters
        if not words:
            return None
        start = bisect_right(whole.at, finding.place.start - 1)
        before = whole.letters[max(0, start - _CONTEXT) : start]
        after = whole.letters[start + len(words) : start + len(words) + _CONTEXT]
        best, most = None, -1
        for place in _all(self._squeezed.letters, words):
            end = place + len(words)
            lead = self._squeezed.letters[max(0, place - _CONTEXT) : place]
            trail = self._squeezed.letters[end : end + _CONTEXT]
            same = _common(before[::-1], lead[::-1]) + _common(after, trail)
            if same > most:
                best, most = place, same
        if best is None:
            return None
        first, last = self._squeezed.at[best], self._squeezed.at[best + len(words) - 1]
        return self._with_signs(finding.text, first, last + 1)

    def _with_signs(self, words: str, start: int, end: int) -> tuple[int, int]:
        """Extend a place by the signs at the start and end of the words."""
        plain = [c.isalnum() for c in words]
        lead = words[: plain.index(True)]
        trail = words[len(plain) - plain[::-1].index(True) :]
        for sign in (c for c in reversed(lead) if not c.isspace()):
            at = len(self.text[:start].rstrip()) - 1
            if at < 0 or self.text[at] != sign:
                break
            start = at
        for sign in (c for c in trail if not c.isspace()):
            at = len(self.text) - len(self.text[end:].lstrip())
            if at >= len(self.text) or self.text[at] != sign:
                break
            end = at + 1
        return start, end

    def cut(self, edges: Iterable[int], /) -> list[_ELEMENT]:
        """Split the runs at places of the text; return the new runs in order."""
        wanted = sorted(set(edges))
        runs: list[_ELEMENT] = []
        starts: list[int] = []
        for run, start, end in zip(
            self.runs, self._starts, [*self._starts[1:], len(self.text)], strict=True
        ):
            at, rest = start, run
            for edge in wanted:
                if at < edge < end:
                    runs.append(rest)
                    starts.append(at)
                    rest, at = _split(rest, edge - at), edge
            runs.append(rest)
            starts.append(at)
        self._starts = starts
        return runs

    def run_at(self, runs: Sequence[_ELEMENT], place: int, /) -> _ELEMENT:
        """Return the run of a character; *runs* is the result of :meth:`cut`."""
        return runs[bisect_right(self._starts, place) - 1]


def _split(run: _ELEMENT, offset: int) -> _ELEMENT:
    """Split a run before a character of its text; return the second part."""
    right = copy.deepcopy(run)
    position = 0
    for (child, text), (twin, _) in zip(list(_pieces(run)), list(_pieces(right)), strict=True):
        if child.tag == qn("w:rPr"):
            continue
        cut = offset - position
        position += len(text)
        if cut >= len(text) and (text or cut > 0):
            right.remove(twin)
        elif cut <= 0:
            run.remove(child)
        else:
            _set(child, text[:cut])
            _set(twin, text[cut:])
    run.addnext(right)
    return right


def _set(element: _ELEMENT, text: str) -> None:
    element.text = text
    element.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")


def _all(text: str, words: str) -> Iterator[int]:
    at = text.find(words)
    while at >= 0:
        yield at
        at = text.find(words, at + 1)


def _common(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
