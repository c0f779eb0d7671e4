"""Shared parts of the tests of readers: pages as plain values, and Office containers."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from casetrack.parse import detect
from casetrack.parse.base import Page, Reading, ReadOptions

RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def opened(path: Path, content: str | bytes) -> Reading:
    """Write a file and begin to read it."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return detect(path).read(path)


def read(path: Path, options: ReadOptions | None = None) -> tuple[Reading, list[Page]]:
    reading = detect(path).read(path, options or ReadOptions())
    return reading, list(reading.pages)


def blocks(page: Page) -> list[tuple[str, int | None, str]]:
    """Return kind, level and text of each paragraph."""
    return [(p.kind, p.level, page.text[p.start : p.end]) for p in page.paragraphs]


def texts(page: Page) -> list[str]:
    return [text for _, _, text in blocks(page)]


def seen(page: Page) -> list[str]:
    """Return the text of each paragraph without hidden text."""
    starts = {span.start for span in page.hidden}
    return [page.text[p.start : p.end] for p in page.paragraphs if p.start not in starts]


def hidden(page: Page) -> list[tuple[str, str]]:
    """Return kind and text of the hidden parts, without the part before the first colon."""
    return [
        (span.kind, page.text[span.start : span.end].partition(": ")[2]) for span in page.hidden
    ]


def lines_of(page: Page) -> list[str]:
    return [page.text[line.start : line.end] for line in page.lines]


def numbers(text: str) -> list[str]:
    """Return the numbers that a message names."""
    return re.findall(r"\d+", text)


def rezipped(
    path: Path, change: Callable[[str, bytes], bytes | None], added: Mapping[str, bytes] = {}
) -> Path:
    """Rewrite a container: *change* each part (``None`` drops it), then add parts."""
    with zipfile.ZipFile(path) as source:
        parts = {name: change(name, source.read(name)) for name in source.namelist()} | {**added}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in parts.items():
            if data is not None:
                target.writestr(name, data)
    return path


def related(path: Path, owner: str, **parts: tuple[str, str]) -> Path:
    """Add parts that *owner* is related to, by kind: name and XML. The relation is ``x<kind>``."""
    folder, _, name = owner.rpartition("/")
    rels = f"{folder}/_rels/{name}.rels"
    closing = b"</Relationships>"
    result = [f'<Relationships xmlns="{PACKAGE}">'.encode() + closing]
    rezipped(path, lambda part, data: result.append(data) if part == rels else data)
    lines = b""
    for kind, (part, _) in parts.items():
        known = "x" * (1 + result[-1].count(f'Id="x{kind}"'.encode()))
        lines += f'<Relationship Id="{known}{kind}" Type="{RELATION}/{kind}" '.encode()
        lines += f'Target="/{part}"/>'.encode()
    content = {part: xml.encode() for part, xml in parts.values()}
    content[rels] = result[-1].replace(closing, lines + closing)
    return rezipped(path, lambda _, data: data, content)


def added(path: Path, owner: str, closing: str, xml: str, **parts: tuple[str, str]) -> Path:
    """Put XML before the first *closing* of a part, and relate the part to others."""
    old, new = closing.encode(), (xml + closing).encode()
    rezipped(path, lambda part, data: data.replace(old, new, 1) if part == owner else data)
    return related(path, owner, **parts)
