"""Reads HTML and XHTML files, and web archives (MHTML): one page, in the order of the text.

A text longer than :data:`casetrack.parse.text.plain.PART_CHARS` is parted into several pages
between paragraphs, so that what was read before a limit is kept.

Nothing a page names is fetched: no pictures, frames, styles or scripts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import ParseFailed
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, FileHead, Reading, ReadOptions
from casetrack.parse.encoding import NotText, looks_like_text
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_text
from casetrack.parse.text.plain import PART_CHARS
from casetrack.parse.web.html_blocks import html_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from casetrack.parse.base import Page
    from casetrack.parse.links import LinkTargets
    from casetrack.parse.web.html_blocks import HtmlBlock, HtmlDocument

_ARCHIVES = (".mht", ".mhtml")
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})


class HtmlReader:
    """HTML, XHTML and MHTML; lines are those of the text as shown, not of its source."""

    name = "HTML"
    extensions: tuple[str, ...] = (".html", ".htm", ".xhtml", ".xht", *_ARCHIVES)

    def accepts(self, file: FileHead, /) -> bool:
        """Accept whatever is text: browsers show that too."""
        return file.mark is None and looks_like_text(file.head)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Decode and parse the file; see :class:`casetrack.parse.base.Reader`."""
        data, encoding = path.read_bytes(), None
        if path.suffix.lower() in _ARCHIVES:
            data, encoding = _archived_page(data, path)
        try:
            document, blocks, is_whole = html_parts(data, encoding=encoding)
        except NotText as error:
            raise ParseFailed(path, self.name, str(error)) from error
        info = _info(document, pages=1 if is_whole else 0)
        warnings = list(document.warnings)
        return Reading(info, _pages(blocks, document.targets, warnings), warnings)


def _info(document: HtmlDocument, *, pages: int) -> DocumentInfo:
    return DocumentInfo(
        "html",
        pages,
        title=document.title,
        author=document.author,
        created_at=document.created_at,
        modified_at=document.modified_at,
        properties=tuple((k, " ".join(clean_text(v).split())) for k, v in document.properties),
    )


def _pages(
    blocks: Iterator[HtmlBlock], targets: LinkTargets, warnings: list[str]
) -> Iterator[Page]:
    builder = PageBuilder(1, keep_indent=True)
    for block in blocks:
        if builder.length and builder.length + sum(map(len, block.lines)) > PART_CHARS:
            yield builder.build()
            # Where long texts are parted their author did not say.
            builder = PageBuilder(builder.number + 1, keep_indent=True, is_estimated=True)
        add_blocks(builder, [block])
    warnings += targets.warnings()
    yield builder.build()


def add_blocks(builder: PageBuilder, blocks: Iterable[HtmlBlock], /) -> None:
    """Add blocks to a page, whose builder should keep the indent of lines."""
    for block in blocks:
        lines = [SourceLine(line) for line in block.lines]
        builder.paragraph(lines, kind=block.kind, level=block.level, header=block.header)


def _archived_page(data: bytes, path: Path) -> tuple[bytes, str | None]:
    """Return the first page in a web archive (RFC 2557), and its declared encoding."""
    import email
    import email.policy

    message = email.message_from_bytes(data, policy=email.policy.compat32)
    for part in message.walk():
        if part.get_content_type() in _PAGE_TYPES:
            body = part.get_payload(decode=True)
            if isinstance(body, bytes) and body:
                return body, part.get_content_charset()
    if not message.is_multipart() and not message.get("content-type"):
        # Some browsers give a plain page this extension.
        return data, None
    raise ParseFailed(path, "Web archive", "it holds no page")
