"""Read PPTX: each slide is a page with its text in reading order, tables, charts and notes.

The slide's content is followed by the speaker's notes, after a paragraph ``Notes:``, and by
comments as quotes. Slide numbers, dates, footers and layout texts are in the text of the first
slide that shows them, and in the footer of later pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from casetrack.base.errors import FileEncrypted, ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Page, Reading, ReadOptions
from casetrack.parse.detect import OLE_MAGIC, ZIP_MAGIC
from casetrack.parse.drawn.text import Block, plain_text
from casetrack.parse.embedded import take_embedded
from casetrack.parse.package import Package
from casetrack.parse.page_builder import PageBuilder, SourceLine, whole_hidden
from casetrack.parse.passwords import decrypted
from casetrack.parse.slides.content import SlideContent, SlideText, hidden_warning
from casetrack.parse.slides.shapes import KIND, P, Presentation, SlideParts

# Review comments of slides, old ones and threads, with the names of their authors.


class Comments:
    """Reads the comments of one presentation; *missing* collects unreadable content."""

    def __init__(self, presentation: Presentation, missing: list[str]) -> None:
        self._presentation, self._missing = presentation, missing
        self._authors: dict[str, str] | None = None

    def of(self, number: int, parts: SlideParts, /) -> list[Block]:
        """Return the comments of a slide as quotes."""
        blocks: list[Block] = []
        for part in parts.slide.targets("comments"):
            root = self._part(part, f"Comments on slide {number}")
            if root is not None:
                blocks += [b for comment in _named(root, "cm") for b in self._thread(comment)]
        return blocks

    def _thread(self, comment: Any) -> Iterator[Block]:
        yield from self._one(comment, "Comment")
        for reply in _named(comment, "reply"):
            yield from self._one(reply, "Reply")

    def _one(self, comment: Any, what: str) -> Iterator[Block]:
        text = comment.findtext(f"{P}text")
        if text is None:
            text = plain_text(next((c for c in comment if _local(c) == "txBody"), None))
        text = " ".join(text.split())
        author = self._names().get(comment.get("authorId", ""), "")
        if text:
            yield Block((f"{what} by {author}: {text}" if author else f"{what}: {text}",), "quote")

    def _names(self) -> dict[str, str]:
        if self._authors is None:
            self._authors = {}
            main = self._presentation.main
            for part in (*main.targets("commentAuthors"), *main.targets("authors")):
                root = self._part(part, "The names of comments' authors")
                for author in () if root is None else root:
                    name = " ".join(author.get("name", "").split())
                    self._authors[author.get("id", "")] = name
        return self._authors

    def _part(self, part: str, what: str) -> Any:
        try:
            return self._presentation.package.xml(part)
        except ParseFailed as error:
            self._missing.append(f"{what} cannot be read: {error.message}")
            return None


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _named(element: Any, name: str) -> Iterator[Any]:
    """Yield elements of that name; each version of threads has its own namespace."""
    return (e for e in element.iter() if _local(e) == name)


class PptxReader:
    """PowerPoint presentations (Office Open XML)."""

    name = KIND
    extensions: tuple[str, ...] = (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm")

    def accepts(self, file: FileHead, /) -> bool:
        """Accept a container with a PowerPoint folder, a damaged one, or an encrypted document."""
        if file.head.startswith(ZIP_MAGIC):
            return not file.members or any(m.startswith("ppt/") for m in file.members)
        return file.head.startswith(OLE_MAGIC) and "EncryptedPackage" in file.members

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Open the container; see :class:`casetrack.parse.base.Reader`."""
        with ExitStack() as stack:
            content = stack.enter_context(decrypted(path, options, self.name))
            return read_pptx(path, options, content, keep=stack.pop_all())


def read_pptx(
    path: Path,
    options: ReadOptions,
    content: Path,
    /,
    *,
    file_format: str = "pptx",
    keep: ExitStack | None = None,
) -> Reading:
    """Read a presentation from *content*, such as a converted copy; *keep* is closed last."""
    with ExitStack() as stack:
        if keep is not None:
            stack.enter_context(keep)
        with content.open("rb") as file:
            if file.read(len(OLE_MAGIC)) == OLE_MAGIC:
                raise FileEncrypted(path)
        package = Package(path, KIND, content=content, limits=options.limits)
        stack.enter_context(package)
        presentation = Presentation.of(package)
        warnings: list[str] = []
        missing: list[str] = []
        facts = package.facts(warnings)
        info = DocumentInfo(
            file_format,
            len(presentation.slide_parts),
            facts.title,
            facts.author,
            facts.created_at,
            facts.modified_at,
            facts.properties,
        )
        embedded = Reading(info, iter(()), missing=missing)
        take_embedded(package, embedded, options)
        pages = _pages(presentation, warnings, missing, stack.pop_all())
        return Reading(info, pages, warnings, missing, embedded.attachments)


def _pages(
    presentation: Presentation, warnings: list[str], missing: list[str], stack: ExitStack
) -> Iterator[Page]:
    """Yield the slides, a broken one without text; raise ``ParseFailed`` if all are broken."""
    hidden: list[int] = []
    content, comments = SlideContent(presentation, missing), Comments(presentation, missing)
    failures: list[ParseFailed] = []
    with stack:
        for number, part in enumerate(presentation.slide_parts, start=1):
            text = SlideText()
            try:
                if part is None:
                    raise presentation.package.failed(f"the part of slide {number} is missing")
                slide = presentation.slide(part)
                text = content.read(number, slide)
                text.blocks += content.notes(slide)
                text.blocks += comments.of(number, slide)
                text.is_hidden = slide.is_hidden
                hidden += [number] if slide.is_hidden else []
            except ParseFailed as error:
                failures.append(error)
                missing.append(f"Slide {number} cannot be read: {error.message}")
            if len(failures) == len(presentation.slide_parts):
                raise failures[0]
            if number == len(presentation.slide_parts) and hidden:
                warnings.append(hidden_warning(hidden))
            yield _page(number, presentation, text)


def _page(number: int, presentation: Presentation, text: SlideText) -> Page:
    builder = PageBuilder(
        number,
        width=presentation.width,
        height=presentation.height,
        kind="slide",
        footer=" | ".join(text.feet),
    )
    for block in text.blocks:
        builder.paragraph(
            [SourceLine(line) for line in block.lines], kind=block.kind, level=block.level
        )
    page = builder.build()
    return replace(page, hidden=whole_hidden(page.text)) if text.is_hidden else page
