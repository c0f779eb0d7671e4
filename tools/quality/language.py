"""Count constructions that make technical English hard to read: ``python -m quality.language``.

Texts are docstrings, comments and messages of the program, message tables, and documentation. The
command lists the places in the given files or folders, or checks all limits.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CHECKOUT = Path(__file__).parents[2]
LIMITS = {
    "documentation": (12, ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs")),
    "messages": (12, ("casetrack",)),
    "code": (20, ("casetrack",)),
}
"""Highest number of constructions per 10,000 words, and where the texts are, by kind."""

_VERB = "is|was|are|were|has|had|stands?|lies|came|comes|can|could|may"
_WHO = "the|a|an|it|they|this|that|nobody|somebody"
CONSTRUCTIONS = {
    "name the thing, no what-clause": rf"what(?:ever)? (?:{_VERB}|{_WHO})\b(?![^.?!\n]*\?)",
    "is, appears, is stored": r"(?:stands?|stood|standing)\b(?! (?:for|by|out|up|alone as))",
    "is stored, is located": r"(?:lies|lay|lain)|lie (?:in|on|beside|below|under|outside|there)",
    "report, return, show, describe": r"(?:told|tells?|telling)",
    "states, is reported": r"(?:is|are|was|were) said|said to be|says (?:of|so|how|what|whether)",
    "its own X, a separate X": r"of (?:its|their|one's|your|my|his|her|our|a user's) own",
    "again, rebuild, re-read": r"anew",
    "the user, the caller, no one": r"(?:whoever|whosoever|whichever of|nobody|somebody)",
    "next to, in addition to": r"besides?",
    "prevents, maintains, is related, uses": r"holds? off|keeps? well|hangs? together|goes? by",
    "text, message, label": r"(?:worded|wordings?|a word for|in words)",
}
"""Regular expression of each construction, by its replacement."""
_RULES = {
    advice: re.compile(rf"\b(?:{rule})\b", re.IGNORECASE) for advice, rule in CONSTRUCTIONS.items()
}
_RULES["the caller that …, the user who …"] = re.compile(
    r"(?:^|[.:;] )Who (?!is\b|are\b|did\b|does\b|was\b|wrote\b)\w+"
)

Text = tuple[int, str]


def code_texts(source: str) -> Iterator[Text]:
    """Yield line and text of docstrings and comments of a module."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield from enumerate(text.splitlines(), node.lineno)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def messages_of(source: str) -> Iterator[Text]:
    """Yield line and text of the sentences among the strings of a module."""
    tree = ast.parse(source)
    docstrings = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in docstrings:
                if re.search(r"\w+ \w+ \w+ \w+.*[.:]", text):
                    yield node.lineno, text


def table_texts(source: str) -> Iterator[Text]:
    """Yield the sentences of a message table in TOML; word lists have none."""

    def strings(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for member in value.values():
                yield from strings(member)

    for text in strings(tomllib.loads(source)):
        line = source.count("\n", 0, max(source.find(text[:40]), 0)) + 1
        yield from enumerate(text.splitlines(), line)


def template_texts(source: str) -> Iterator[Text]:
    """Yield the lines of a page template without its tags and expressions."""
    plain = re.sub(r"{[{%#].*?[}%#]}|<[^>]*>", " ", source)
    yield from enumerate(plain.splitlines(), 1)


def page_texts(source: str) -> Iterator[Text]:
    """Yield the lines of a page in Markdown outside of its blocks of code."""
    is_block = False
    for number, line in enumerate(source.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_block = not is_block
        elif not is_block:
            yield number, line


READERS = {
    "documentation": {".md": page_texts},
    "messages": {".py": messages_of, ".toml": table_texts, ".html": template_texts},
    "code": {".py": code_texts},
}


def texts(kind: str, paths: Iterable[Path]) -> Iterator[tuple[Path, int, str]]:
    """Yield file, line and text of one kind below some paths."""
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if reader := READERS[kind].get(file.suffix):
                for line, text in reader(file.read_text(encoding="utf-8")):
                    yield file, line, text


def places(kind: str, paths: Iterable[Path]) -> tuple[int, list[str]]:
    """Return the number of words, and one line for each construction."""
    words, lines = 0, []
    for file, line, text in texts(kind, paths):
        words += len(text.split())
        for advice, rule in _RULES.items():
            lines += (f"{file}:{line}: {m[0]!r}: {advice}" for m in rule.finditer(text))
    return words, lines


def main() -> int:
    """Check the limits, or list the places in the files that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="list the places in these")
    given = parser.parse_args().paths
    failed = False
    for kind, (limit, names) in LIMITS.items():
        words, lines = places(kind, given or [CHECKOUT / name for name in names])
        rate = len(lines) * 10_000 / max(words, 1)
        failed |= rate > limit
        print(f"{kind}: {rate:.1f} per 10,000 words, limit {limit} ({words:,} words)")
        if given:
            print(*lines, sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
