"""Redactions: search for covered words in a file, and copies without them.

A black box hides words only visually. :func:`hidden_text` finds invisible words of a page,
redaction marks that were not applied, and words of earlier versions in the file. :func:`redact`
removes words from a copy; another library then searches the written file, which is deleted if any
are left.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from casetrack.base.errors import FileNotFound, OcrUnavailable, UnsupportedFormat, UsageError
from casetrack.base.files import sha256_of
from casetrack.base.provenance import Box
from casetrack.base.records.table import RowList
from casetrack.base.words import WordLists
from casetrack.editions.legal.operation import (
    ADDS,
    READS,
    Arg,
    Names,
    Passwords,
    PathRef,
    Paths,
    operation,
)
from casetrack.editions.legal.records.load_files import HiddenText, RedactedCopy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.config import OcrSettings
    from casetrack.editions.legal.paper.blackout import Area
    from casetrack.editions.legal.paper.proof import Findings
    from casetrack.parse.ocr.engine import Picture, RecognizedPage

    Areas = Iterable[Area | str]
else:
    Areas = Names

_LISTS = WordLists(__file__)
_PATTERNS = _LISTS.pairs("patterns")
KINDS = {kind: (words, _PATTERNS[kind]) for kind, words in _LISTS.pairs("kinds").items()}
"""Kinds of numbers, each with its label and pattern."""
_UNPROVED = "fonts and outlines that show other words than the text (OCR is not available)"
_CARD_DIGITS = (13, 19)
_AREA = re.compile(r"(\d+)" + r"[:,]\s*(-?\d+(?:\.\d+)?)" * 4)


def hidden_text(path: Path, /, *, passwords: Sequence[str] = ()) -> list[HiddenText]:
    """Return the hidden text of a PDF or DOCX in the order of the pages."""
    path = path.resolve()
    if not path.is_file():
        raise FileNotFound(path)
    if path.suffix.lower() == ".docx":
        from casetrack.editions.legal.paper.hidden_runs import hidden_runs

        return [
            HiddenText(str(path), None, paragraph, text, cover)
            for paragraph, text, cover in hidden_runs(path)
        ]
    if path.suffix.lower() != ".pdf":
        raise UnsupportedFormat(path, ["pdf", "docx"], code=False)
    from casetrack.editions.legal.paper.covered import in_pdfium, read_sheet
    from casetrack.editions.legal.paper.hidden_runs import words_of_earlier_versions
    from casetrack.editions.legal.paper.pdf import opened

    hidden = []
    from casetrack.editions.legal.paper.parts import text_of_parts

    seen = {path.name.lower(), *re.findall(r"\w+", path.name.lower())}
    with opened(path, passwords) as document, in_pdfium(path, passwords) as sheets:
        for number in range(1, len(sheets) + 1):
            sheet = read_sheet(sheets, number)
            hidden += [
                HiddenText(str(path), number, None, one.text, one.cover, one.box, one.is_certain)
                for one in sheet.covered
            ]
            seen.update(re.findall(r"\w+", sheet.visible.lower()))
        hidden += [
            HiddenText(str(path), number, None, text, "earlier version")
            for number, text in words_of_earlier_versions(path, document, passwords)
        ]
        hidden += [
            HiddenText(str(path), None, None, text, cover, None, is_hidden)
            for cover, text, is_hidden in text_of_parts(document, seen)
        ]
    return hidden


@operation("redactions", READS, alone=True)
def redactions(
    files: Annotated[Paths, Arg("PDFs and Word files (.docx).", "FILE")],
    /,
    *,
    passwords: Passwords = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> RowList[HiddenText]:
    """Find words in files that are invisible but can be copied."""
    hidden, paths, tried = [], [Path(file) for file in files], tuple(passwords)
    for done, path in enumerate(paths):
        if progress is not None:
            progress(path.name, done, len(paths))
        hidden += hidden_text(path, passwords=tried)
    return RowList(hidden, of=HiddenText)


@operation(
    "redaction findings", READS, tool="check_redactions", sets=("legal",), most=1000, concise=False
)
def check_redactions(
    _case: Collection,
    file: Annotated[PathRef, Arg(mcp="file_path", note="Absolute: a PDF or Word file")],
    /,
) -> RowList[HiddenText]:
    """Find words of a file that its pages do not show but that can be copied."""
    # Rectangles are for drawing.
    return RowList([replace(one, box=None) for one in redactions([file])], of=HiddenText)


@operation("redact", ADDS, alone=True)
def redact(
    path: Annotated[PathRef, Arg(cli="FILE")],
    target: Annotated[PathRef, Arg(cli="--to PATH")],
    /,
    *,
    words: Annotated[Names, Arg(cli="--words -w TEXT")] = (),
    kinds: Annotated[Names, Arg(cli="--kind KIND")] = (),
    areas: Annotated[Areas, Arg(cli="--area PAGE:X0,Y0,X1,Y1")] = (),
    match_case: Annotated[bool, Arg(cli="--match-case")] = False,
    inside_words: Annotated[bool, Arg(cli="--inside-words")] = False,
    label: Annotated[str, Arg(cli="--label TEXT")] = "",
    replace: Annotated[bool, Arg(cli="--force")] = False,
    ocr: OcrSettings | None = None,
    models_dir: Path | None = None,
    passwords: Passwords = (),
) -> RedactedCopy:
    """Write a copy of a PDF without some words, kinds of numbers and areas.

    Notes and form fields become part of the pages first, so their text is searched too. Bookmarks,
    properties, attached files, links and scripts are removed.

    Parameters
    ----------
    path
        A PDF; it is not changed.
    target
        The copy, or a folder for it.
    words
        A name or phrase; may be repeated.
    kinds
        ssn, ein, email, phone, card, iban or account; may be repeated.
    areas
        A rectangle in points (1/72 inch) from the top left, ``PAGE:X0,Y0,X1,Y1``; may be repeated.
    match_case
        Match letter case.
    inside_words
        Also match parts of longer words.
    label
        Text in white on the black areas.
    replace
        Replace an existing copy.
    ocr, models_dir
        Settings of the OCR for pages with pictures; ``None``: no OCR.

    Raises
    ------
    UsageError
        Nothing is selected or found, a page does not exist, the target cannot be written, or the
        copy would still contain selected words; it is then deleted.
    FileError
        The file is not a PDF, is protected or damaged.
    """
    patterns = list(_patterns(words, kinds, match_case=match_case, inside_words=inside_words))
    given = [_area(each) if isinstance(each, str) else each for each in areas]
    if not patterns and not given:
        raise UsageError(
            "Nothing to redact was named.", hint="Name words, kinds of numbers, or areas of a page."
        )
    from casetrack.editions.legal.paper import blackout, pdf
    from casetrack.editions.legal.paper.covered import PICTURES, in_pdfium, read_sheet
    from casetrack.editions.legal.paper.flat import flattened
    from casetrack.editions.legal.paper.letters import plain_signs
    from casetrack.editions.legal.paper.proof import check_copy

    path, passwords = Path(path).resolve(), tuple(passwords)
    with pdf.opened(path, passwords) as document:
        target = pdf.target_for(path, Path(target), replace=replace)
        _check_pages(path, given, document.page_count)
        marked = blackout.marked_areas(document)
        flat = flattened(document)
        with in_pdfium(flat.tobytes()) as sheets:
            read = {number: read_sheet(sheets, number) for number in range(1, len(sheets) + 1)}
        shapes = [number for number, sheet in read.items() if sheet.draws_shapes]
        covered = {number: sheet.covered for number, sheet in read.items() if sheet.covered}
        boxes = {
            number: [one.box for one in held if one.text not in PICTURES]
            for number, held in covered.items()
        }
        recognise = _recogniser(ocr, models_dir)
        all_areas, not_read, replaced = blackout.find_areas(
            flat, patterns, shapes=shapes, recognise=recognise
        )
        all_areas = [*given, *all_areas]
        # The copy drops content outside of its pages, in hidden layers and in earlier versions.
        lost = [] if all_areas else hidden_text(path, passwords=passwords)
        lost = [one for one in lost if any(any(at(plain_signs(one.text))) for _, at in patterns)]
        if not all_areas and not lost:
            unread = f" Pages {_listed(not_read)} could not be read." if not_read else ""
            raise UsageError(
                f"The pages of {path.name} do not contain the words or numbers.{unread}",
                hint="Check the spelling; --inside-words also finds parts of longer words. "
                "Compressed attached files are not searched.",
            )
        unseen: list[tuple[int | None, str]] = [
            (number, one.text) for number, held in covered.items() for one in held
        ]
        unseen += [(one.page, one.text) for one in lost]
        all_areas += marked
        boxes = {number: [] for number in replaced} | boxes
        blackout.redact_areas(flat, all_areas, covered=boxes, label=label)
        pdf.write_copy(flat, target)
    with pdf.opened(target) as written:
        left = blackout.leftovers(written, [a.text for a in all_areas] + [one.text for one in lost])
    checked = check_copy(target, all_areas, patterns, recognise=recognise)
    left += checked.left
    if left:
        target.unlink()
        raise UsageError(
            f"The copy was deleted, because words to redact in {path.name} were still in "
            f"{_listed(left[:3])}.",
            hint="Print the document to a new PDF and redact that.",
        )
    return RedactedCopy(
        str(path),
        str(target),
        sha256_of(path),
        sha256_of(target),
        len(all_areas),
        tuple(sorted({area.page for area in all_areas})),
        dict(Counter(area.why for area in all_areas)),
        () if recognise is None else tuple(shapes),
        tuple(sorted({*not_read, *checked.unread})),
        tuple(dict.fromkeys(f"{f'p. {n}: ' * bool(n)}“{text}”" for n, text in unseen)),
        tuple(f"p. {page}: “{text}”" for page, text in checked.covered),
        tuple(_proof(checked, has_areas=bool(all_areas))),
        (*([] if checked.recognised else [_UNPROVED]), *_other_forms(words, checked.texts)),
    )


def _area(text: str) -> Area:
    from casetrack.editions.legal.paper.blackout import Area

    match = _AREA.fullmatch(text.strip())
    corners = [float(value) for value in match.groups()[1:]] if match else []
    if match is None or corners[0] >= corners[2] or corners[1] >= corners[3]:
        raise UsageError(
            f"“{text}” is not a valid area.",
            hint="Write the page and two corners in points, such as 3:72,100,300,120.",
        )
    return Area(int(match[1]), Box(*corners), "", "area")


def _proof(checked: Findings, *, has_areas: bool) -> Iterator[str]:
    """Yield the passed checks of a copy without findings."""
    yield "PDFium reads none of the words in the text of a page"
    if has_areas:
        yield "no letter is in a black area"
    if not checked.covered:
        yield "every letter of the text is visible on its rendered page"
    if checked.recognised:
        yield f"OCR reads none of them on {_pages(checked.recognised)}"
    yield "no object of the file contains them, uncompressed, in UTF-8, UTF-16 or Latin-1"
    yield "no properties, bookmarks, attached files, links, notes, scripts or earlier versions"


def _other_forms(names: Iterable[str], pages: Sequence[str]) -> Iterator[str]:
    """Yield the parts of redacted names that pages still contain ("Ms. Munroe")."""
    from casetrack.editions.legal.paper.letters import phrase_pattern

    for name in names:
        parts = re.findall(r"\w{3,}", name)
        if len(name.split()) < 2 or not all(part[0].isupper() for part in parts):
            continue
        for part in dict.fromkeys(parts):
            pattern = phrase_pattern([part])
            held = [number for number, text in enumerate(pages, 1) if pattern.search(text)]
            if held:
                yield f"another form of {name}: “{part}” on {_pages(held)}"


def _pages(numbers: Sequence[int]) -> str:
    return f"page{'s' * (len(numbers) > 1)} {_listed(numbers)}"


def _patterns(
    words: Iterable[str], kinds: Iterable[str], *, match_case: bool, inside_words: bool
) -> Iterator[tuple[str, Callable[[str], Iterator[tuple[int, int]]]]]:
    from casetrack.editions.legal.paper.letters import phrase_pattern

    for phrase in words:
        if not any(letter.isalnum() for letter in phrase):
            raise UsageError(
                f"“{phrase}” has no letter or digit.", hint="Name words as in the document."
            )
        pattern = phrase_pattern([phrase], match_case=match_case, inside_words=inside_words)
        yield phrase, partial(_places, pattern)
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(
                f"“{kind}” is not a known kind of number.", hint=f"Known kinds: {', '.join(KINDS)}."
            )
        places = partial(_places, re.compile(KINDS[kind][1]))
        yield KINDS[kind][0], partial(_cards, places) if kind == "card" else places


def _places(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return (match.span(pattern.groups) for match in pattern.finditer(text))


def _cards(
    places: Callable[[str], Iterator[tuple[int, int]]], text: str
) -> Iterator[tuple[int, int]]:
    """Yield the numbers with a valid check digit of payment cards (ISO/IEC 7812-1, Luhn)."""
    least, most = _CARD_DIGITS
    for start, end in places(text):
        digits = [int(c) for c in text[start:end] if c.isdigit()]
        doubled = [d * 2 - 9 * (d > 4) for d in digits[-2::-2]]
        if least <= len(digits) <= most and (sum(doubled) + sum(digits[::-2])) % 10 == 0:
            yield start, end


def _check_pages(path: Path, areas: Sequence[Area], count: int) -> None:
    missing = sorted({area.page for area in areas if not 1 <= area.page <= count})
    if missing:
        raise UsageError(
            f"{path.name} has no page {_listed(missing)}.",
            hint=f"It has {count} page{'s' * (count != 1)}, counted from 1.",
        )


def _recogniser(
    ocr: OcrSettings | None, models_dir: Path | None
) -> Callable[[Picture, float], RecognizedPage] | None:
    if ocr is None:
        return None
    from casetrack.parse.ocr import read_image
    from casetrack.parse.ocr.choose import choose_engine

    try:
        choose_engine(ocr, models_dir)
    except OcrUnavailable:
        return None
    return lambda picture, dpi: read_image(picture, dpi, ocr, models_dir=models_dir)


def _listed(items: Sequence[object]) -> str:
    return ", ".join(map(str, items))
