"""Paragraphs of a mail's text, with quotations from earlier mails marked."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.parse.mail.page import BodyBlock, Mail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.parse.base import ParagraphKind
    from casetrack.parse.links import LinkTargets

_MARKED = re.compile(r"\s{0,3}>")
_WROTE = re.compile(
    r"\s*(?=.*\d)(?:on|am|le|el|il|op|em|den|dnia|le|w dniu)\b.{4,300}"
    r"(?:wrote|writes|schrieb[^:]{0,80}|a écrit|escribió|ha scritto|schreef[^:]{0,80}|escreveu|"
    r"skrev[^:]{0,80}|napisał\(?a?\)?)\s?:\s*$",
    re.IGNORECASE | re.DOTALL,
)
_ORIGINAL = re.compile(
    r"\s*-{2,}\s*(?:original message|original appointment|forwarded message|"
    r"forwarded by .{1,200}|"
    r"urspr(?:ü|ue)ngliche nachricht|weitergeleitete nachricht|message d'origine|"
    r"message transféré|mensaje original|messaggio originale|oorspronkelijk bericht|"
    r"mensagem original)\s*-{2,}|\s*begin forwarded message:\s*$",
    re.IGNORECASE,
)
_FROM = re.compile(r"\s*\*?(?:from|von|de|da|van|från|fra|od)\s?:\*?\s*\S", re.IGNORECASE)
_OTHER = re.compile(
    r"\s*\*?(?:sent|date|to|cc|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|para|"
    r"asunto|inviato|a|oggetto|verzonden|aan|onderwerp|data|assunto|skickat|till|ämne)\s?:",
    re.IGNORECASE,
)
_HEAD_LINES = 6
_FLOWED_QUOTE = re.compile(r">*")


def text_blocks(
    text: str, /, *, is_flowed: bool = False, joins_words: bool = False
) -> list[BodyBlock]:
    """Return the paragraphs of plain text, separated by blank lines; *is_flowed* as in RFC 3676."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if is_flowed:
        lines = _unflow(lines, joins_words=joins_words)
    blocks: list[BodyBlock] = []
    group: list[str] = []
    kind: ParagraphKind = "body"
    for line in [*lines, ""]:
        own: ParagraphKind = "quote" if _MARKED.match(line) else "body"
        if group and (not line.strip() or own != kind):
            blocks.append(BodyBlock(tuple(group), kind))
            group = []
        if line.strip():
            group.append(line)
            kind = own
    return mark_quotes(blocks)


def _unflow(lines: list[str], *, joins_words: bool) -> list[str]:
    out: list[str] = []
    depth = 0
    is_open = False
    for line in lines:
        marks = _FLOWED_QUOTE.match(line)
        own = marks.end() if marks else 0
        rest = line[own:].removeprefix(" ")
        is_soft = rest.endswith(" ") and rest != "-- "
        shown = rest[:-1] if is_soft and joins_words else rest
        if is_open and own == depth and rest != "-- ":
            out[-1] += shown
        else:
            out.append(f"{'>' * own} {shown}" if own else shown)
        depth, is_open = own, is_soft
    return out


def mark_quotes(blocks: Sequence[BodyBlock], /) -> list[BodyBlock]:
    """Return the blocks with quotations marked: by signs, else all after an earlier mail's head."""
    out: list[BodyBlock] = []
    for i, block in enumerate(blocks):
        if _opens_original(blocks, i):
            before, rest = _split_original(block)
            out += [before] if before else []
            out += [_quoted(item) for item in (rest, *blocks[i + 1 :])]
            break
        following = blocks[i + 1] if i + 1 < len(blocks) else None
        if block.kind == "body" and _WROTE.match(" ".join(block.lines)):
            out.append(_quoted(block))
            if following is not None and following.kind == "body":
                out += [_quoted(item) for item in blocks[i + 1 :]]
                break
            continue
        out.append(block)
    return out


def _quoted(block: BodyBlock) -> BodyBlock:
    return replace(block, kind="quote") if block.kind in {"body", "list"} else block


def _opens_original(blocks: Sequence[BodyBlock], at: int) -> bool:
    if blocks[at].kind != "body":
        return False
    lines = blocks[at].lines
    if any(_ORIGINAL.match(line) for line in lines):
        return True
    if not any(_FROM.match(line) for line in lines):
        return False
    head = [line for block in blocks[at : at + _HEAD_LINES] for line in block.lines]
    return _head_at(head) is not None


def _head_at(lines: Sequence[str]) -> int | None:
    """Return the index of the head of an earlier mail: From, then two more fields."""
    for i, line in enumerate(lines):
        if _FROM.match(line):
            others = {
                match[0].strip().lower()
                for other in lines[i + 1 : i + _HEAD_LINES]
                if (match := _OTHER.match(other))
            }
            if len(others) >= 2:
                return i
    return None


def _split_original(block: BodyBlock) -> tuple[BodyBlock | None, BodyBlock]:
    for i, line in enumerate(block.lines):
        if _ORIGINAL.match(line) or _FROM.match(line):
            if not i:
                break
            return replace(block, lines=block.lines[:i]), replace(block, lines=block.lines[i:])
    return None, block


# HTML bodies of mails as paragraphs.


def html_body(
    source: str | bytes, charset: str | None, mail: Mail, targets: LinkTargets, /
) -> list[BodyBlock]:
    """Return the blocks of an HTML body; add warnings to *mail* and links to *targets*."""
    from casetrack.parse.encoding import NotText
    from casetrack.parse.web.reader import html_blocks

    try:
        document = html_blocks(source, encoding=charset, targets=targets)
    except NotText:
        mail.warn("The HTML body contains binary data and was omitted.")
        return []
    for warning in document.warnings:
        mail.warn(warning)
    blocks = [BodyBlock(b.lines, b.kind, b.level, b.header) for b in document.blocks]
    return mark_quotes(blocks)


def link_blocks(blocks: list[BodyBlock], mail: Mail, targets: LinkTargets, /) -> list[BodyBlock]:
    """Return link targets that the *blocks* of a mail do not show, for its end."""
    lines = targets.unshown_lines("\n".join(line for block in blocks for line in block.lines))
    for warning in targets.warnings():
        mail.warn(warning)
    return [BodyBlock((line,), "quote") for line in lines]
