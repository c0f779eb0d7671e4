"""Marks of star pages in court opinions: pages of a reporter within the text of another print."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.parse.web import controls

if TYPE_CHECKING:
    from casetrack.parse.web.dom import Node

_CLASSES = frozenset(
    "star-pagination star_pagination star-page starpage page-label page-number gsl_pagenum"
    " gsl_pagenum2".split()
)
_STARRED = re.compile(r"\[?\*{1,3}\s?(\d{1,5})\]?")
_BARE = re.compile(r"\[?(\d{1,5})\]?")


def star_page(node: Node, /) -> str | None:
    """Return the page that an inline element marks; ``None`` for one that marks none.

    Elements of the class ``page-label`` or ``page-number`` are one only with a star: in books and
    at the foot of web pages these are other numbers.
    """
    if node.tag != "page-number" and not node.attributes:
        return None
    classes = set(node.get("class").lower().split())
    if node.tag == "page-number":
        classes.add(node.tag)
    if not classes & _CLASSES:
        return None
    text = "".join(controls.texts(node)).strip()
    found = _STARRED.fullmatch(text)
    if found is None and any("star" in name or name.startswith("gsl") for name in classes):
        found = _BARE.fullmatch(text)
    return found[1] if found else None
