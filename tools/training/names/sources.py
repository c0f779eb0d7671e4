"""Reads the collections of sentences with marked names and makes natural text of them.

All kinds are mapped to those of the program. ``misc`` are names of other things (works, products,
nationalities) where a collection marks them; ``party`` and ``bank`` are the role words of the loan
agreements ("Borrower", "Bank").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLASSES = ("person", "organization", "location", "misc", "party", "bank")
KINDS = {
    "PER": "person", "ORG": "organization", "LOC": "location", "MISC": "misc",
    "person": "person", "location": "location", "corporation": "organization",
    "group": "organization", "product": "misc", "creative-work": "misc",
}  # fmt: skip
FILES = {
    "fin5": ("FIN5.txt",),
    "wikigold": ("wikigold.conll",),
    "pud": ("pud.iob2",),
    "ewt": ("ewt-dev.iob2",),
    "wnut": ("wnut17train.conll", "emerging.dev.conll"),
    "btc-g": ("btc-g.conll",),
    "btc": ("btc-a.conll", "btc-b.conll", "btc-e.conll", "btc-f.conll", "btc-h.conll"),
}
MARKS_MISC = frozenset({"fin5", "wikigold", "wnut"})
ROLES = re.compile(r"(the )?(borrower|lender|bank|(remarketing|paying) agent)s?", re.IGNORECASE)
LEGAL = re.compile(r"(,)? ?(inc|llc|l\.l\.c|llp|corp|ltd|co|limited)\b\.?", re.IGNORECASE)

TAIL = re.compile(r"([,;:!?…]|(?<=[a-z]{3})\.|['’]s?)+$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as written, and its names as (start, end, kind)."""

    text: str
    names: tuple[tuple[int, int, str], ...]
    tokens: tuple[str, ...] = ()


def read(folder: Path, source: str, /, *, tokenised: bool = False) -> list[Sentence]:
    """Return the sentences of a source, with one space around every token if *tokenised*."""
    return [
        _sentence(tokens, tags, text, source, tokenised=tokenised)
        for name in FILES[source]
        for tokens, tags, text in _blocks(folder / name)
    ]


def read_filings(path: Path, /) -> list[list[Sentence]]:
    """Return the sentences of each filing of ``ner-eval``: to measure, never to train on."""
    documents: list[list[Sentence]] = []
    kinds = {"PER": "person", "ORG": "organization", "LOC": "location", "MISC": "misc"}
    for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
        rows = [line.rsplit(" ", 1) for line in block.split("\n") if " " in line]
        if rows and rows[0][0] == "-DOCSTART-":
            documents.append([])
            rows = rows[1:]
        if not rows:
            continue
        tokens = [(t.replace('"', "") or '"').strip() if t.startswith('"') else t for t, _ in rows]
        text, spans = _joined(tokens, _spaces(tokens, dashes=False))
        names = _entities([tag for _, tag in rows])
        marks = tuple((spans[a][0], spans[b][1], kinds[k]) for a, b, k in names)
        documents[-1].append(Sentence(text, marks, tuple(tokens)))
    return documents


def read_documents(path: Path, /) -> list[list[Sentence]]:
    """Return the sentences of each document of a collection that parts them by ``-DOCSTART-``."""
    documents: list[list[Sentence]] = [[]]
    for tokens, tags, _ in _blocks(path, heads=True):
        if tokens[0] == "-DOCSTART-":
            documents.append([])
        else:
            documents[-1].append(_sentence(tokens, tags, None, path.stem, tokenised=False))
    return documents


def _blocks(
    path: Path, *, heads: bool = False
) -> Iterator[tuple[list[str], list[str], str | None]]:
    tokens: list[str] = []
    tags: list[str] = []
    text: str | None = None
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    for line in [*lines, ""]:
        if line.startswith("# "):
            text = line[9:] if line.startswith("# text = ") else text
            continue
        parts = line.split("\t") if "\t" in line else line.split()
        if len(parts) < 2 or not parts[0].strip():
            if tokens and (heads or tokens[0] != "-DOCSTART-"):
                yield tokens, tags, text
            tokens, tags, text = [], [], None
            continue
        token, tag = (parts[1], parts[2]) if path.suffix == ".iob2" else (parts[0], parts[-1])
        if path.suffix == ".iob2" and not parts[0].isdigit():
            continue
        tokens.append(token.strip())
        tags.append(tag.strip() if len(tag.strip()) > 2 else "O")


def _sentence(
    tokens: list[str], tags: list[str], text: str | None, source: str, *, tokenised: bool
) -> Sentence:
    if tokenised:
        text, spans = _joined(tokens, [True] * len(tokens))
    elif text is not None and (aligned := _aligned(tokens, text)):
        spans = aligned
    else:
        text, spans = _joined(tokens, _spaces(tokens, dashes=source == "fin5"))
    names = []
    for first, last, tag in _entities(tags):
        kind, start, end = KINDS.get(tag), spans[first][0], spans[last][1]
        if text[start] == "@" or tokens[first - 1 if first else 0] == "@":
            continue
        while start < end and not text[start].isalnum():
            start += 1
        if source.startswith("btc") and (tail := TAIL.search(text, start, end)):
            end = tail.start()
        if kind is None or start >= end:
            continue
        if source == "fin5":
            kind = _role(text[start:end], kind)
            if kind == "organization" and (more := LEGAL.match(text, end)):
                end = more.end()
        names.append((start, end, kind))
    return Sentence(text, tuple(names), tuple(tokens))


def _role(text: str, kind: str) -> str:
    if ROLES.fullmatch(text):
        return "party" if kind == "person" else "bank"
    return kind


def _entities(tags: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield first and last token and kind; tags are IOB1 or IOB2."""
    start, before = 0, ""
    for i, tag in enumerate([*tags, "O"]):
        kind = tag[2:]
        if before and (kind != before or tag.startswith("B-")):
            yield start, i - 1, before
            before = ""
        if kind and not before:
            start, before = i, kind


def _aligned(tokens: list[str], text: str) -> list[tuple[int, int]] | None:
    spans, at = [], 0
    for token in tokens:
        position = text.find(token, at)
        if not 0 <= position <= at + 3:
            return None
        at = position + len(token)
        spans.append((position, at))
    return spans


def _joined(tokens: list[str], spaces: list[bool]) -> tuple[str, list[tuple[int, int]]]:
    parts, spans, at = [], [], 0
    for token, space in zip(tokens, spaces, strict=True):
        if space and at:
            parts.append(" ")
            at += 1
        spans.append((at, at + len(token)))
        parts.append(token)
        at += len(token)
    return "".join(parts), spans


_CLOSES = tuple(".,;:!?)]}%”’…")
_OPENS = tuple("([{$£€“‘@#")
_CLITICS = {"'s", "n't", "'m", "'re", "'ve", "'ll", "'d", "’s", "n’t", "’m", "’re", "’ve", "’ll"}


def _spaces(tokens: list[str], *, dashes: bool) -> list[bool]:
    """Return for each token whether natural text has a space before it."""
    spaces, is_open = [], False
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else ""
        space = not before.endswith(_OPENS) and not token.startswith(_CLOSES)
        if token.lower() in _CLITICS or (dashes and token == "s" and before in {"'", "’"}):
            space = False
        if token in {"'", "’"} and dashes:
            space = False
        if token[:1] in ".:" and len(token) > 1 and token[1].isalnum():
            space = True
        if token in {"@", "#"} or token.startswith(("#", "@")):
            space = True
        if '"' in token:
            if token.startswith('"'):
                space = not is_open and not before.endswith(_OPENS)
            is_open = not is_open if token.count('"') % 2 else is_open
        elif before.endswith('"') and is_open:
            space = False
        if dashes and "-" in {token, before}:
            space = False
        if dashes and token.isdigit() and before == "." and i > 1 and tokens[i - 2].isdigit():
            space = False
        spaces.append(space)
    return spaces
