"""Whether what came back holds an answer and its place, in the structure and in the text.

An answer counts only with its place: the smallest entry that holds the words must also say which
document and where in it, by itself, by what stands directly above it, or by the entry of a source
that it points to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bench.asking.client import Answer

_NEAR = 1_500
"""In a text, how many characters around the answer its place may stand."""


@dataclass(frozen=True, slots=True)
class Part:
    """What must be found.

    Attributes
    ----------
    words
        Patterns that all match the entry.
    document, place
        Patterns of the document's name and of the place in it; ``None`` where none is asked for.
    picture
        Whether a picture must come with it.
    """

    words: tuple[str, ...]
    document: str | None = None
    place: str | None = None
    picture: bool = False


def page(number: int, /) -> str:
    """Return the pattern of a page's number in a citation or a field."""
    return rf"(?:\b(?:pp?\.|pages?|S\.)\s?{number}\b|\"page(?:_start|_number)?\":{number}\b)"


@dataclass(frozen=True, slots=True)
class Seen:
    """Whether an answer was there, and whether with its place."""

    answer: bool
    place: bool


def judged(part: Part, answer: Answer, /) -> Seen:
    """Return what the structure shows of a part, or the text where there is no structure."""
    if part.picture and not answer.pictures:
        return Seen(False, False)
    return in_text(part, answer.text) if answer.data is None else in_data(part, answer.data)


def in_text(part: Part, text: str, /) -> Seen:
    """Return what a text shows of a part."""
    plain = _plain(text)
    found = list(re.finditer(part.words[0], plain)) if _holds(part, plain) else []
    for match in found:
        around = plain[max(0, match.start() - _NEAR) : match.end() + _NEAR]
        if _holds(part, around) and _placed(part, around):
            return Seen(True, True)
    return Seen(bool(found), False)


def in_data(part: Part, data: Any, /) -> Seen:
    """Return what a structure shows of a part."""
    named = dict(_named(data))
    answer = False
    for entry, above in _entries(data):
        own = _line(entry)
        if not _holds(part, own):
            continue
        answer = True
        reach = [own, *above]
        reach += [named[key] for key in re.findall(r'"([^"\s]{4,64})"', own) if key in named]
        if _placed(part, "\n".join(reach)):
            return Seen(True, True)
    return Seen(answer, False)


def _holds(part: Part, text: str) -> bool:
    return all(re.search(pattern, text) for pattern in part.words)


def _placed(part: Part, text: str) -> bool:
    wanted = [pattern for pattern in (part.document, part.place) if pattern]
    return all(re.search(pattern, text) for pattern in wanted)


def _entries(node: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """Yield objects that hold no other object that matters, and single lines of lists.

    With each comes what its parents say of themselves: their fields that are no lists or objects.
    """
    if isinstance(node, dict):
        node = _with_names(node)
        own = {k: v for k, v in node.items() if not isinstance(v, dict | list)}
        inner = {k: v for k, v in node.items() if isinstance(v, dict | list)}
        yield own | {k: v for k, v in inner.items() if _flat(v)}, above
        for value in inner.values():
            yield from _entries(value, (*above, _line(own)))
        # A result whose words stand in one of its own fields and whose place in another.
        if not any(isinstance(v, list) and v and isinstance(v[0], dict) for v in inner.values()):
            yield node, above
    elif isinstance(node, list):
        for value in node:
            yield from _entries(value, above)
    else:
        yield node, above


def _with_names(node: dict[str, Any]) -> dict[str, Any]:
    """Return a table of columns and rows as rows that name their values."""
    columns, rows = node.get("columns"), node.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return node
    named = [dict(zip(columns, row, strict=False)) for row in rows if isinstance(row, list)]
    return node | {"rows": named or rows}


def _flat(value: Any) -> bool:
    """Whether a list or object holds nothing but plain values."""
    held = value.values() if isinstance(value, dict) else value
    return not any(isinstance(v, dict | list) for v in held)


def _named(node: Any) -> Iterator[tuple[str, str]]:
    """Yield what a structure keeps under a name: members of ``sources`` and the like, by key."""
    if isinstance(node, list):
        for value in node:
            yield from _named(value)
    elif isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, dict) and _is_id(key):
                yield key, _line(value)
            yield from _named(value)


def _is_id(key: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{4,}(-[0-9a-f]+)*|[a-z]?\d+", key) is not None


def _line(value: Any) -> str:
    from vocabulary import compact

    return _plain(value if isinstance(value, str) else compact(value))


def _plain(text: str) -> str:
    """Return a text on one line, without the marks that quote it."""
    return re.sub(r"(?:\\n|\s|\n> ?)+", " ", text.replace("\\u00a0", " "))


def parts_of(found: Mapping[Part, Seen], /) -> tuple[bool, bool]:
    """Return whether every part was there, and whether every one with its place."""
    return all(s.answer for s in found.values()), all(s.place for s in found.values())
