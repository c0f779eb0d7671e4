"""Equations of Word documents on one line: ``x=(a+b)/2``, ``e^(2x)``, ``a_i``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
"""Namespace of Office Math, as lxml writes it before names."""

_MAX_DEPTH = 60


def equation_text(element: Any, /) -> str:
    """Return an equation's text; what is nested too deeply is given without its structure."""
    return _text(element, 0)


def _text(element: Any, depth: int) -> str:
    name = _name(element)
    if name == "t":
        return element.text or ""
    if depth > _MAX_DEPTH:
        return " ".join(t.text or "" for t in element.iter(f"{M}t"))
    write = _WRITERS.get(name)
    if write is not None:
        return write({_name(c): _text(c, depth + 1) for c in element}, element)
    if name == "d":
        return _brackets(element, depth)
    if name in {"m", "eqArr"}:
        return f"[{'; '.join(_text(c, depth + 1) for c in element if _name(c) in {'mr', 'e'})}]"
    separator = ", " if name == "mr" else " " if name == "oMathPara" else ""
    return separator.join(text for c in element if (text := _text(c, depth + 1)))


def _name(element: Any) -> str:
    tag = element.tag
    return tag[len(M) :] if isinstance(tag, str) and tag.startswith(M) else ""


def _group(text: str | None) -> str:
    """Put brackets around what is more than one sign, number or word."""
    text = (text or "").strip()
    return text if len(text) <= 1 or text.isalnum() else f"({text})"


def _property(element: Any, holder: str, name: str, default: str) -> str:
    found = element.find(f"{M}{holder}/{M}{name}")
    return default if found is None else str(found.get(f"{M}val", ""))


def _scripts(found: dict[str, str], base: str) -> str:
    low, high = found.get("sub", "").strip(), found.get("sup", "").strip()
    return base + (f"_{_group(low)}" if low else "") + (f"^{_group(high)}" if high else "")


def _fraction(found: dict[str, str], _: Any) -> str:
    return f"{_group(found.get('num'))}/{_group(found.get('den'))}"


def _scripted(found: dict[str, str], _: Any) -> str:
    return _scripts(found, _group(found.get("e")))


def _root(found: dict[str, str], _: Any) -> str:
    degree = found.get("deg", "").strip()
    return f"{f'{_group(degree)}-' if degree else ''}√{_group(found.get('e'))}"


def _big(found: dict[str, str], element: Any) -> str:
    sign = _property(element, "naryPr", "chr", "∫")
    return f"{_scripts(found, sign)} {found.get('e', '')}"


def _brackets(element: Any, depth: int) -> str:
    first, last = (_property(element, "dPr", n, d) for n, d in (("begChr", "("), ("endChr", ")")))
    between = _property(element, "dPr", "sepChr", "|")
    return f"{first}{between.join(_text(c, depth + 1) for c in element if _name(c) == 'e')}{last}"


def _function(found: dict[str, str], _: Any) -> str:
    return f"{found.get('fName', '')} {_group(found.get('e'))}".strip()


def _limit(found: dict[str, str], element: Any) -> str:
    sign = "_" if _name(element) == "limLow" else "^"
    return f"{found.get('e', '')}{sign}{_group(found.get('lim'))}"


_WRITERS: dict[str, Callable[[dict[str, str], Any], str]] = {
    "f": _fraction,
    "sSub": _scripted,
    "sSup": _scripted,
    "sSubSup": _scripted,
    "sPre": _scripted,
    "rad": _root,
    "nary": _big,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
}
