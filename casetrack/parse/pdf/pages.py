"""Produces the pages of a PDF: text or pictures of text, without running lines."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.base.provenance import Box, PrintedPlace
from casetrack.parse.embedded import attach
from casetrack.parse.labels import number_list
from casetrack.parse.layout.assemble import lay_out
from casetrack.parse.layout.blocks import BlockFinder, TextProfile, outline_key
from casetrack.parse.layout.footnotes import find_notes
from casetrack.parse.layout.lines import TextLine, Vocabulary, join_line_ends, visual_lines
from casetrack.parse.layout.running import RunningLines, Split, page_number
from casetrack.parse.layout.tables_model import ColumnCarry, Rule
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_title, hidden_mark
from casetrack.parse.pdf.annotations import Annotations
from casetrack.parse.pdf.extract import Extract, Flow, cutter, extract, layers_off
from casetrack.parse.pdf.ligatures import complete_maps
from casetrack.parse.pdf.open import check_memory, failures, silenced, words_of
from casetrack.parse.pdf.scans import ScanReader, merge, need_of, remove_unmapped
from casetrack.parse.pdf.tagged import Structure
from casetrack.parse.printed.paper import NumberedPaper, printed_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from casetrack.parse.base import ExtractionMethod, Page, ParagraphKind, Reading, ReadOptions
    from casetrack.parse.layout.segments import Segment

# Extracts embedded files of a PDF: its name tree, and attachment annotations.

_MIB = 1024 * 1024
_MAX_NAMES = 20_000


class EmbeddedFiles:
    """Copies the embedded files of one document once, together within ``limits.unpacked_mb``."""

    def __init__(self, document: Any, reading: Reading, options: ReadOptions, /) -> None:
        self._document = document
        self._reading = reading
        self._options = options
        self._room = options.limits.unpacked_mb * _MIB
        self._taken: set[int] = set()

    def take_named(self) -> None:
        """Copy the files of the document's name tree."""
        if self._options.spool is None:
            return
        pymupdf = silenced()
        mupdf = pymupdf.mupdf
        try:
            pdf = pymupdf._as_pdf_document(self._document)
            tree = mupdf.pdf_load_name_tree(pdf, pymupdf.PDF_NAME("EmbeddedFiles"))
            count = mupdf.pdf_dict_len(tree) if tree.m_internal else 0
        except failures() as error:
            check_memory(error)
            text = f"The list of embedded files is damaged: {words_of(error)}."
            self._reading.missing.append(text)
            return
        for i in range(min(count, _MAX_NAMES)):
            name = mupdf.pdf_to_name(mupdf.pdf_dict_get_key(tree, i))
            self._take(mupdf.pdf_dict_get_val(tree, i), name)

    def take_attached(self, page: Any, /) -> None:
        """Copy the files in annotations of a page."""
        if self._options.spool is None:
            return
        pymupdf = silenced()
        kind = pymupdf.PDF_ANNOT_FILE_ATTACHMENT
        try:
            if not any(entry[1] == kind for entry in page.annot_xrefs()):
                return
            holders = [
                pymupdf.mupdf.pdf_dict_get(
                    pymupdf.mupdf.pdf_annot_obj(annotation.this), pymupdf.PDF_NAME("FS")
                )
                for annotation in page.annots(types=[kind])
            ]
        except failures() as error:
            check_memory(error)
            text = f"Files attached to page {page.number + 1} were not read: {words_of(error)}."
            self._reading.missing.append(text)
            return
        for holder in holders:
            self._take(holder, "")

    def _take(self, holder: Any, key: str) -> None:
        pymupdf = silenced()
        mupdf = pymupdf.mupdf
        name = key
        try:
            stream = self._stream(holder)
            if stream is None:
                return
            for entry in ("F", "UF"):
                text = mupdf.pdf_dict_get(holder, pymupdf.PDF_NAME(entry))
                name = mupdf.pdf_to_text_string(text) or name
            # One byte over the limit: a stream may unpack to any size.
            limited = mupdf.fz_open_null_filter(mupdf.pdf_open_stream(stream), self._room + 1, 0)
            data = pymupdf.JM_BinFromBuffer(mupdf.fz_read_all(limited, 4096))
        except failures() as error:
            check_memory(error)
            shown = clean_title(name) or "without a name"
            text = f"The embedded file {shown} is damaged and was not read: {words_of(error)}."
            self._reading.missing.append(text)
            return
        if len(data) > self._room:
            most = self._options.limits.unpacked_mb
            text = f"The embedded files unpack to more than {most:,} MB (unpacked_mb)"
            self._reading.missing.append(f"{text}; {clean_title(name)} was not read.")
            return
        self._room -= len(data)
        attach(self._reading, self._options, name, data)

    def _stream(self, holder: Any) -> Any | None:
        """Return the stream of a file specification that was not copied yet."""
        pymupdf = silenced()
        mupdf = pymupdf.mupdf
        for entry in ("F", "UF"):
            stream = mupdf.pdf_dict_getl(holder, pymupdf.PDF_NAME("EF"), pymupdf.PDF_NAME(entry))
            if stream.m_internal and mupdf.pdf_is_stream(stream):
                number = mupdf.pdf_to_num(stream)
                if number in self._taken:
                    return None
                self._taken.add(number)
                return stream
        return None


_SAMPLE_PAGES, _SCANNED_SEGMENTS = 64, 2000
_MOST_HIDDEN = 200
_SHORT_RULE, _THIN_RULE = 0.5, 3.0


class PdfPages:
    """The pages of one document, produced one by one; the *document* is closed at the end."""

    def __init__(self, path: Path, document: Any, options: ReadOptions, /) -> None:
        self._path = path
        self._document = document
        self._options = options
        self._kept: dict[int, Extract] = {}
        self._words = Vocabulary()
        self._running = RunningLines()
        self._paper = NumberedPaper()
        self._scans = ScanReader(options)
        self._annotations = Annotations(document, path)
        self._failed: dict[str, list[int]] = {}
        self._hidden_cut: list[int] = []
        self._layers_off = layers_off(document)
        self._structure = Structure(document, path, options.passwords)
        self._carry = ColumnCarry()
        self._scanned: list[Segment] = []
        self._bookmarks: dict[int, list[str]] = {}
        self._has_text = False
        self._is_numbered = False

    def read(self, reading: Reading, /) -> Iterator[Page]:
        """Produce the pages; add attachments and unreadable content to *reading*."""
        count = self._document.page_count
        embedded = EmbeddedFiles(self._document, reading, self._options)
        try:
            embedded.take_named()
            complete_maps(self._document)
            profile = self._sample(count)
            finder = BlockFinder(profile, self._outline(reading))
            for index in range(count):
                raw = self._kept.pop(index, None) or self._extract(index)
                if raw.failure is None:
                    embedded.take_attached(self._document[index])
                yield self._page(index + 1, raw, finder)
        finally:
            self._report(reading)
            self._document.close()
        if sum(map(len, self._failed.values())) == count:
            raise ParseFailed(
                self._path, "PDF", f"no page could be read: {next(iter(self._failed))}"
            )

    def _sample(self, count: int) -> TextProfile:
        """Read pages distributed over the document: font sizes, words, lines at the edges."""
        # Evenly spread; all pages of a short document.
        taken = min(count, _SAMPLE_PAGES)
        sampled = sorted({i * count // taken for i in range(taken)})
        pages: list[list[Segment]] = []
        for index in sampled:
            raw = self._kept[index] = extract(
                self._document, index, self._layers_off, self._structure
            )
            for flow in raw.flows:
                self._paper.learn(flow.segments)
        for index in sampled:
            raw = self._kept[index]
            self._take_numbers(raw, index)
            pages.append(list(raw.segments))
            for s in pages[-1]:
                self._words.add(s.text)
            if raw.chars:
                self._running.learn(index + 1, _upright(raw.flows), raw.height)
        return TextProfile.of(*pages)

    def _extract(self, index: int) -> Extract:
        raw = extract(self._document, index, self._layers_off, self._structure)
        self._take_numbers(raw, index)
        return raw

    def _take_numbers(self, raw: Extract, index: int) -> None:
        flows: list[Flow] = []
        for flow in raw.flows:
            texts, parts = self._paper.take(flow.segments, cutter(self._document, index))
            flows += [Flow(text, flow.is_upright) for text in texts]
            raw.numbered += parts
        raw.flows = flows

    def _outline(self, reading: Reading) -> dict[tuple[int, str], int]:
        try:
            entries = self._document.get_toc(simple=True)
        except failures() as error:
            check_memory(error)
            text = f"The outline is damaged and was left out: {words_of(error)}"
            reading.warnings.append(text)
            return {}
        for _, title, page in entries:
            self._bookmarks.setdefault(max(page, 1), []).append(title)
        return {
            (page, outline_key(title)): max(level, 1) for level, title, page in reversed(entries)
        }

    def _page(self, number: int, raw: Extract, finder: BlockFinder) -> Page:
        if raw.failure is not None:
            self._failed.setdefault(raw.failure, []).append(number)
            self._carry.clear()
            return PageBuilder(number).build()
        need = need_of(raw)
        recognized = None
        if need is not None:
            page = self._document[number - 1]
            recognized = self._scans.read(page, number, raw, need)
            if need == "fonts":
                raw.flows, raw.loose, raw.words, raw.chars = [], [], [], 0
                raw.concealed = [one for one in raw.concealed if one[0] != "invisible"]
            elif need == "lines" and recognized is not None:
                remove_unmapped(raw, recognized)
        is_ocr = recognized is not None and bool(recognized.flow.segments)
        method: ExtractionMethod = "Native"
        if recognized is not None and is_ocr:
            is_turned = self._document[number - 1].rotation != 0
            method = "Hybrid" if raw.chars else "Ocr"
            raw.flows = merge(raw.flows, recognized, is_turned=is_turned)
            raw.words += recognized.words
            self._take_numbers(raw, number - 1)
            if method == "Ocr":
                finder = self._finder_of_scans(recognized.flow.segments, finder)
        finder.page = number
        split = self._running.split(number, _upright(raw.flows), raw.height)
        self._keep_if_alone(raw, split)
        builder = PageBuilder(
            number,
            method=method,
            width=raw.width or None,
            height=raw.height or None,
            header=split.header,
            footer=split.footer,
            ocr_engine=recognized.engine if recognized is not None else None,
        )
        self._fill(builder, raw, split, finder)
        end = builder.length
        for remark in self._annotations.on(number - 1, raw.segments, raw.words):
            lines = [
                SourceLine(
                    hidden_mark("hidden", line, is_labelled=True) if remark.is_hidden else line,
                    box=remark.box,
                )
                for line in remark.lines
            ]
            builder.paragraph(lines, kind=remark.kind)
        self._add_hidden(builder, raw.concealed)
        self._has_text = self._has_text or not builder.is_empty
        self._add_bookmarks(builder, raw)
        page = replace(builder.build(), words=tuple(raw.words))
        if method == "Ocr" and len(page.text) > end:
            page = replace(page, method="Hybrid")
        if raw.numbered:
            # Later additions to the paper are not on its numbered lines.
            own = replace(page, lines=tuple(line for line in page.lines if line.end <= end))
            return replace(page, printed=printed_on(own, raw.numbered))
        label = split.page_label
        # Labels are stored from the first page on whose number differs from its position.
        self._is_numbered = self._is_numbered or label not in {None, str(number)}
        if label is None or not self._is_numbered or not page.text:
            return page
        return replace(page, printed=(PrintedPlace("page", label, 0, len(page.text)),))

    def _finder_of_scans(self, segments: Sequence[Segment], finder: BlockFinder) -> BlockFinder:
        """Return a finder with the text sizes of this and earlier scans."""
        self._scanned = [*self._scanned[-_SCANNED_SEGMENTS:], *segments]
        return BlockFinder(TextProfile.of(self._scanned), finder.outline)

    @staticmethod
    def _keep_if_alone(raw: Extract, split: Split) -> None:
        """Keep running lines in the text of a page without other text, except page numbers."""
        if any(id(s) not in split.left_out for s in raw.segments):
            return
        texts = [text for text in (split.header, split.footer) if text]
        if any(page_number(text) is None for text in texts):
            split.left_out.clear()
            split.head, split.foot = [], []
            split.header = split.footer = None

    def _fill(self, builder: PageBuilder, raw: Extract, split: Split, finder: BlockFinder) -> None:
        """Add a page's paragraphs; running lines keep their place when they first appear."""
        flows = [[s for s in flow.segments if id(s) not in split.left_out] for flow in raw.flows]
        notes: list[list[Segment]] = []
        if flows:
            page = self._document[builder.number - 1]
            short_rules = partial(_short_rules, page, raw.rules)
            notes = find_notes(flows[0], raw.marks, finder.profile.body_size, short_rules)
            noted = {id(s) for note in notes for s in note}
            flows[0] = [s for s in flows[0] if id(s) not in noted]
        numbering = _Numbering(builder)
        for row in split.head:
            numbering.add(visual_lines(row, 0))
        flows = [flow for flow in flows if flow]
        blocks, lines = lay_out(
            flows, raw.loose, finder, self._words, rules=raw.rules, carry=self._carry
        )
        numbering.count(lines)
        for block in blocks:
            numbering.add(block.lines, kind=block.kind, level=block.level, header=block.header)
        for note in notes:
            note_lines = visual_lines(note, 0)
            join_line_ends(note_lines, self._words)
            numbering.add(note_lines, kind="footnote")
        for row in split.foot:
            numbering.add(visual_lines(row, 0))

    def _add_bookmarks(self, builder: PageBuilder, raw: Extract) -> None:
        titles = self._bookmarks.get(builder.number, ())[:_MOST_HIDDEN]
        shown = "".join(_bare(segment.text) for segment in raw.segments) if titles else ""
        for title in dict.fromkeys(titles):
            if _bare(title) not in shown:
                builder.paragraph([SourceLine(f"Bookmark: {title}")], kind="quote")

    def _add_hidden(
        self, builder: PageBuilder, concealed: Sequence[tuple[str, str, Box | None]]
    ) -> None:
        """Add hidden text at the end of its page, a paragraph for each kind."""
        by_kind: dict[str, list[SourceLine]] = {}
        for kind, text, box in concealed[:_MOST_HIDDEN]:
            lines = by_kind.setdefault(kind, [])
            lines.append(SourceLine(hidden_mark(kind, text, is_labelled=bool(lines)), box=box))
        for lines in by_kind.values():
            builder.paragraph(lines, kind="quote")
        if len(concealed) > _MOST_HIDDEN:
            self._hidden_cut.append(builder.number)

    def _report(self, reading: Reading) -> None:
        for reason, numbers in self._failed.items():
            subject = f"{'Pages' if len(numbers) > 1 else 'Page'} {number_list(numbers)}"
            reading.missing.append(f"{subject} could not be read: {reason}.")
        self._scans.report(reading)
        self._annotations.report(reading)
        if self._hidden_cut:
            pages = self._hidden_cut
            subject = f"page{'s' if len(pages) > 1 else ''} {number_list(pages)}"
            reading.missing.append(
                f"Only the first {_MOST_HIDDEN} lines of hidden text were read on {subject}."
            )
        if not (self._has_text or reading.missing or reading.warnings):
            reading.warnings.append("All pages are blank.")


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


class _Numbering:
    """Adds paragraphs to a page, with lines numbered in page order."""

    def __init__(self, builder: PageBuilder) -> None:
        self._builder = builder
        self._numbers: dict[int, int] = {}
        # Kept, so that an identity belongs to one line only.
        self._lines: list[TextLine] = []

    def count(self, lines: Sequence[TextLine]) -> None:
        """Assign numbers to lines in advance, so that an emptied line keeps its number."""
        for line in lines:
            if id(line) not in self._numbers:
                self._lines.append(line)
                self._numbers[id(line)] = len(self._lines)

    def add(
        self,
        lines: Sequence[TextLine],
        *,
        kind: ParagraphKind = "body",
        level: int | None = None,
        header: str | None = None,
    ) -> None:
        self.count(lines)
        self._builder.paragraph(
            [
                SourceLine(line.text, self._numbers[id(line)], line.box, confidence=line.confidence)
                for line in lines
            ],
            kind=kind,
            level=level,
            header=header,
        )


def _short_rules(page: Any, rules: Sequence[Rule]) -> list[tuple[float, float, float]]:
    """Return height and ends of horizontal lines over a part of an unrotated page's width."""
    if page.rotation:
        return []
    most = _SHORT_RULE * page.rect.width
    return [
        (rule.y1, rule.x0, rule.x1)
        for rule in rules
        if rule.y1 - rule.y0 < _THIN_RULE < rule.x1 - rule.x0 < most
    ]


def _upright(flows: Sequence[Flow]) -> list[Segment]:
    return [s for flow in flows if flow.is_upright for s in flow.segments]
