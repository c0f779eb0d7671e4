"""Cuts a number format into sections and tokens."""

from __future__ import annotations

import re
from typing import NamedTuple


class Token(NamedTuple):
    """A piece of a section.

    *kind* is one of ``literal``, ``digit`` (``0 # ?``), ``point``, ``comma``, ``percent``,
    ``exponent``, ``slash``, ``general``, ``text`` (``@``), ``date``, ``elapsed``, ``half`` (AM/PM),
    ``fraction`` (of seconds), ``condition``, ``language``. *shown* is what a literal shows.
    """

    kind: str
    text: str
    shown: str = ""
    number: float = 0.0


_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d*)?(?:E[+-]?\d+)?)", re.IGNORECASE)
_HALF = re.compile(r"AM/PM|A/P", re.IGNORECASE)
_DATE = re.compile(r"y+|m+|d+|h+|s+|e+|b+|g+|a{3,4}(?![a-z])", re.IGNORECASE)
_CURRENCY = re.compile(r"\$([^-]*)(?:-([0-9A-Fa-f]+))?", re.DOTALL)
_SIMPLE = {".": "point", ",": "comma", "%": "percent", "/": "slash", "@": "text"}


def split_sections(code: str, /) -> list[str]:
    """Split at semicolons outside quotes, brackets and escapes."""
    parts, start, at, end = [], 0, 0, len(code)
    while at < end:
        char = code[at]
        if char in "\\_*":
            at += 2
        elif char == '"':
            at = _after(code, at + 1, '"')
        elif char == "[":
            at = _after(code, at + 1, "]")
        else:
            if char == ";":
                parts.append(code[start:at])
                start = at + 1
            at += 1
    parts.append(code[start:])
    return parts


def _after(code: str, at: int, mark: str) -> int:
    found = code.find(mark, at)
    return len(code) if found < 0 else found + 1


def tokenize(section: str, /) -> list[Token]:
    """Return the tokens of one section; characters without a meaning stand for themselves."""
    tokens: list[Token] = []
    at, end = 0, len(section)
    while at < end:
        at = _next(section, at, tokens)
    return tokens


def _next(section: str, at: int, tokens: list[Token]) -> int:
    char = section[at]
    if char == '"':
        end = _after(section, at + 1, '"')
        tokens.append(_literal(section[at + 1 : end].rstrip('"')))
    elif char == "\\":
        end = at + 2
        tokens.append(_literal(section[at + 1 : end]))
    elif char == "_":
        # As wide as the next character: a space.
        end = at + 2
        tokens.append(Token("literal", "_", " "))
    elif char == "*":
        # Fills the cell with the next character; without a width there is nothing to fill.
        end = at + 2
    elif char == "[":
        end = _after(section, at + 1, "]")
        tokens.extend(_bracket(section[at + 1 : end].removesuffix("]")))
    elif char in "0#?":
        end = at + 1
        tokens.append(Token("digit", char))
    elif section[at : at + 7].lower() == "general":
        end = at + 7
        tokens.append(Token("general", "General"))
    elif char in "Ee" and section[at + 1 : at + 2] in {"+", "-"}:
        end = at + 2
        tokens.append(Token("exponent", section[at + 1]))
    elif char == "." and _fraction_follows(section, at, tokens):
        end = at + 1
        while section[end : end + 1] == "0":
            end += 1
        tokens.append(Token("fraction", section[at:end]))
    elif char in _SIMPLE:
        end = at + 1
        tokens.append(Token(_SIMPLE[char], char, char))
    else:
        end = _letters(section, at, tokens)
    return end


def _letters(section: str, at: int, tokens: list[Token]) -> int:
    for pattern, kind in ((_HALF, "half"), (_DATE, "date")):
        found = pattern.match(section, at)
        if found:
            # AM/PM makes a date format of its own, even without hours.
            tokens.append(Token("date", kind + found[0].lower() if kind == "half" else found[0]))
            return found.end()
    tokens.append(_literal(section[at]))
    return at + 1


def _fraction_follows(section: str, at: int, tokens: list[Token]) -> bool:
    """Tell whether the point at *at* parts seconds from their fraction."""
    if section[at + 1 : at + 2] != "0" or not tokens:
        return False
    last = tokens[-1]
    return last.kind in {"date", "elapsed"} and last.text[0] in "sS"


def _literal(text: str) -> Token:
    return Token("literal", text, text)


def _bracket(content: str) -> list[Token]:
    if content.startswith("$"):
        found = _CURRENCY.match(content)
        tokens = []
        if found and found[1]:
            tokens.append(_literal(found[1]))
        if found and found[2]:
            tokens.append(Token("language", found[2], number=int(found[2], 16) & 0xFFFF))
        return tokens
    if _ELAPSED.fullmatch(content):
        return [Token("elapsed", content)]
    found = _CONDITION.fullmatch(content.strip())
    if found:
        return [Token("condition", found[1], number=float(found[2]))]
    # Colours, and the shapes of digits in other scripts.
    return []
