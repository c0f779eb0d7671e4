"""HTML bodies of mails as paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.parse.mail.model import BodyBlock, Mail
from casetrack.parse.mail.quotes import mark_quotes

if TYPE_CHECKING:
    from casetrack.parse.links import LinkTargets


def html_body(
    source: str | bytes, charset: str | None, mail: Mail, targets: LinkTargets, /
) -> list[BodyBlock]:
    """Return the blocks of an HTML body; warnings are for the *mail*, *targets* takes the links."""
    from casetrack.parse.encoding import NotText
    from casetrack.parse.web.html_blocks import html_blocks

    try:
        document = html_blocks(source, encoding=charset, targets=targets)
    except NotText:
        mail.warn("The HTML body holds binary data and was left out.")
        return []
    for warning in document.warnings:
        mail.warn(warning)
    blocks = [BodyBlock(b.lines, b.kind, b.level, b.header) for b in document.blocks]
    return mark_quotes(blocks)


def link_blocks(blocks: list[BodyBlock], mail: Mail, targets: LinkTargets, /) -> list[BodyBlock]:
    """Return the targets of links that the *blocks* of a mail do not show, for its end."""
    lines = targets.behind("\n".join(line for block in blocks for line in block.lines))
    for warning in targets.warnings():
        mail.warn(warning)
    return [BodyBlock((line,), "quote") for line in lines]
