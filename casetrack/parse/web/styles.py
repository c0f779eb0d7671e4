"""Rules of style sheets that may hide elements of an HTML document (CSS 2.1, chapter 5).

Evaluates selectors of tags, classes, ids and attributes, alone or nested; other selectors, and
rules for printers or other window sizes, apply to no element.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

_SHEET = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|noscript|template)\b.*?(?:</\1|\Z)"
    r"|<style\b(?P<attributes>[^>]{0,2000})>(?P<css>.*?)(?:</style|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_LINK = re.compile(r"<link\b[^>]{0,2000}\bstylesheet\b[^>]{0,2000}", re.IGNORECASE)
_HREF = re.compile(r"""\bhref\s*=\s*["']?([^"'>\s]*)""", re.IGNORECASE)
_IMPORT = re.compile(r"@import\b", re.IGNORECASE)
_MEDIA = re.compile(r"""\bmedia\s*=\s*["']?([^"'>]*)""", re.IGNORECASE)
_SHOWN_MEDIA = re.compile(r"\s*(?:(?:only\s+)?(?:all|screen))?\s*", re.IGNORECASE)
_TEST = re.compile(
    r"\[\s*([\w-]+)\s*(?:([~|^$*]?=)\s*(?:\"([^\"\n]*)\"|'([^'\n]*)'|([\w-]+))\s*([iIsS]\s*)?)?\]"
)
"""A test of an attribute: its name, the operator, the value in one of three forms, the flag."""
_NO_RULE = re.compile(
    rf"(?P<test>{_TEST.pattern})|"
    r"/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|<!--|-->|<!\[CDATA\[|\]\]>",
    re.DOTALL,
)
_BRACE = re.compile("[{}]")
_PROPERTY = re.compile(
    r"(?:^|;)\s*(display|visibility|opacity|font-size|color|background(?:-color|-image)?|mso-hide"
    r"|text-indent|left|top|clip|clip-path|height|max-height|overflow|transform)"
    r"\s*:\s*([^;!]*)(!\s*important)?",
    re.IGNORECASE,
)
_DISPLAY = re.compile(
    r"none|block|contents|flex|flow|grid|inherit|initial|inline|list-item|revert|ruby|table|unset"
    r"|-webkit-",
    re.IGNORECASE,
)
"""Browsers ignore a declaration with another value."""
_COMPOUND = re.compile(
    r"(?P<tag>[a-z][\w-]*|\*)?(?P<marks>(?:[.#][\w-]+|\[[\da-f]+\])*)", re.IGNORECASE
)
_MARK = re.compile(r"[.#][\w-]+|\[[\da-f]+\]")
_COMBINED = re.compile(r"\s*(>)\s*|\s+")
_MAX_CSS = 1 << 21
_MAX_PARTS, _MAX_NESTED = 8, 3


_NO_MARKS = frozenset[str]()


class Element(Protocol):
    """An element of a document, with its :meth:`Styles.marks`."""

    @property
    def tag(self) -> str:
        """In lower case."""

    @property
    def marks(self) -> frozenset[str]:
        """Its classes, its id, and the tests that its attributes pass."""


class _Part(NamedTuple):
    """A tag with classes, ids and tests; *is_child*: the part before matches its parent."""

    tag: str
    marks: frozenset[str]
    is_child: bool


class _Rule(NamedTuple):
    parts: tuple[_Part, ...]
    weight: tuple[int, int, int]
    declared: tuple[tuple[str, str, bool], ...]


@dataclass(slots=True)
class Styles:
    """The style sheets of a document; *is_whole* means that all are in its file."""

    is_whole: bool = True
    _rules: dict[str, list[tuple[int, _Rule]]] = field(default_factory=dict)
    _tests: set[str] = field(default_factory=set)

    @property
    def has_rules(self) -> bool:
        """Whether any rule may apply to an element."""
        return bool(self._rules)

    @classmethod
    def of(cls, text: str, linked: str | None = None, /) -> Styles:
        """Read the style sheets of an HTML text, and the *linked* ones if known."""
        is_whole = linked is not None or _LINK.search(text) is None
        styles = cls(is_whole and not any(map(_IMPORT.search, (text, linked or ""))))
        sheets = [linked] if linked else []
        for sheet in _SHEET.finditer(text):
            if sheet["css"]:
                media = _MEDIA.search(sheet["attributes"])
                if media is None or _SHOWN_MEDIA.fullmatch(media[1]):
                    sheets.append(sheet["css"])
        for number, rule in enumerate(rule for css in sheets for rule in _parsed(css)):
            key = next(iter(sorted(rule.parts[-1].marks)), rule.parts[-1].tag)
            styles._rules.setdefault(key, []).append((number, rule))
            styles._tests.update(m for p in rule.parts for m in p.marks if m[0] == "[")
        return styles

    def marks(self, attributes: Mapping[str, str], /) -> frozenset[str]:
        """Return the classes, the id and the passed tests of an element in selector form."""
        if not attributes:
            return _NO_MARKS
        names = [f".{name}" for name in attributes.get("class", "").split()]
        names += [f"#{attributes['id']}"] if attributes.get("id") else []
        return frozenset([*names, *(t for t in self._tests if _passes(t, attributes))])

    def style(self, own: str, chain: Sequence[Element], /) -> str:
        """Return the declarations for the last element of *chain*; *own* is its attribute."""
        near = [r for key in (chain[-1].tag, "*") for r in self._rules.get(key, ())]
        near += [r for mark in chain[-1].marks for r in self._rules.get(mark, ())]
        matching = [(r.weight, n, r) for n, r in near if _matches(r.parts, chain)]
        in_order = [d for *_, rule in sorted(matching) for d in rule.declared]
        if not in_order and ";" not in own:
            return own
        declared: dict[str, tuple[bool, str]] = {}
        for name, value, is_important in (*in_order, *_declared(own)):
            if is_important or not declared.get(name, (False, ""))[0]:
                declared.pop(name, None)
                declared[name] = is_important, value
        return ";".join(f"{name}:{value}" for name, (_, value) in declared.items())


def linked(text: str, read: Callable[[str], str | None], /) -> str | None:
    """Return the linked style sheets of an HTML text; ``None`` unless *read* returns all."""
    targets = [_HREF.search(link[0]) for link in _LINK.finditer(text)]
    sheets = [read(html.unescape(target[1])) if target else None for target in targets]
    return None if None in sheets else "\n".join(filter(None, sheets))


@functools.lru_cache(maxsize=8)
def _parsed(css: str) -> tuple[_Rule, ...]:
    """Return the rules of a style sheet, cached: all sections of a book have the same one."""
    rules = []
    for selectors, declarations in _rules(_NO_RULE.sub(_coded, css[:_MAX_CSS])):
        declared = _declared(declarations)
        for parts in filter(None, map(_parts, selectors.split(","))) if declared else ():
            ids = sum(mark[0] == "#" for part in parts for mark in part.marks)
            classes = sum(len(part.marks) for part in parts) - ids
            tags = sum(part.tag not in {"", "*"} for part in parts)
            rules.append(_Rule(parts, (ids, classes, tags), declared))
    return tuple(rules)


def _coded(match: re.Match[str]) -> str:
    """Encode an attribute test as one mark; remove comments and quoted texts."""
    return f"[{match['test'].encode().hex()}]" if match["test"] else " "


def _passes(mark: str, attributes: Mapping[str, str]) -> bool:
    """Return whether attributes pass a test (Selectors 4, chapter 6)."""
    test = _TEST.fullmatch(bytes.fromhex(mark[1:-1]).decode())
    if test is None or (own := attributes.get(test[1].lower())) is None:
        return False
    value = next((text for text in test.group(3, 4, 5) if text is not None), "")
    if (test[6] or "").strip().lower() == "i":
        own, value = own.lower(), value.lower()
    whole = {"~=": own.split(), "|=": (own, own.partition("-")[0]), "=": (own,)}
    if test[2] in whole:
        return value in whole[test[2]]
    parts = {"^=": own.startswith, "$=": own.endswith, "*=": own.__contains__}
    return not test[2] or (bool(value) and parts[test[2]](value))


def _declared(text: str) -> tuple[tuple[str, str, bool], ...]:
    """Return the declarations that may hide something: property, value, whether important."""
    items = [(n.lower(), value.strip(), bool(mark)) for n, value, mark in _PROPERTY.findall(text)]
    return tuple(one for one in items if one[0] != "display" or _DISPLAY.match(one[1]))


def _rules(css: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the selectors and declarations of the rules for screens."""
    at = 0
    while (opening := css.find("{", at)) >= 0:
        prelude = css[at:opening].rpartition(";")[2].strip()
        if prelude.startswith("@"):
            end = _block_end(css, opening)
            name, _, query = prelude.partition(" ")
            if name.lower() == "@media" and depth < _MAX_NESTED and _SHOWN_MEDIA.fullmatch(query):
                yield from _rules(css[opening + 1 : end], depth + 1)
        else:
            end = css.find("}", opening)
            end = len(css) if end < 0 else end
            yield prelude, css[opening + 1 : end]
        at = end + 1


def _block_end(css: str, opening: int) -> int:
    depth = 0
    for brace in _BRACE.finditer(css, opening):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(css)


def _parts(selector: str) -> tuple[_Part, ...]:
    """Return the parts of a selector; none of an unsupported one."""
    pieces = _COMBINED.split(selector.strip())
    if len(pieces) > 2 * _MAX_PARTS:
        return ()
    parts = []
    for number, piece in enumerate(pieces[::2]):
        compound = _COMPOUND.fullmatch(piece)
        if compound is None or not piece:
            return ()
        is_child = number > 0 and pieces[2 * number - 1] == ">"
        tag = (compound["tag"] or "").lower()
        parts.append(_Part(tag, frozenset(_MARK.findall(compound["marks"])), is_child))
    return tuple(parts)


def _matches(parts: tuple[_Part, ...], chain: Sequence[Element]) -> bool:
    """Return whether a selector matches the last element of a chain of nested ones."""
    places = [len(chain) - 1] if _fits(parts[-1], chain[-1]) else []
    for part, below in zip(reversed(parts[:-1]), reversed(parts), strict=False):
        if not places:
            return False
        if below.is_child:
            places = [p - 1 for p in places if p and _fits(part, chain[p - 1])]
        else:
            places = [p for p in range(max(places)) if _fits(part, chain[p])]
    return bool(places)


def _fits(part: _Part, element: Element) -> bool:
    return part.tag in {"", "*", element.tag} and part.marks <= element.marks
