"""HTML bodies of mails as paragraphs."""

from __future__ import annotations

from casetrack.parse.mail.model import BodyBlock
from casetrack.parse.mail.quotes import mark_quotes


def html_body(
    source: str | bytes, charset: str | None = None, /
) -> tuple[list[BodyBlock], tuple[str, ...]]:
    """Return the blocks of an HTML body, and warnings."""
    from casetrack.parse.encoding import NotText
    from casetrack.parse.web.html_blocks import html_blocks

    try:
        document = html_blocks(source, encoding=charset)
    except NotText:
        return [], ("The HTML body holds binary data and was left out.",)
    blocks = [BodyBlock(b.lines, b.kind, b.level, b.header) for b in document.blocks]
    return mark_quotes(blocks), document.warnings
