"""The parsed parts of a Word document that its text is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.drawn.frame import graphics_of
from casetrack.parse.word.lists import Numbering
from casetrack.parse.word.styles import Styles, W, is_on

if TYPE_CHECKING:
    from casetrack.parse.package import Package

_SIDE_PARTS = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}


@dataclass(slots=True)
class Parts:
    """The parsed parts of a document.

    Attributes
    ----------
    body
        Root of the text.
    side_texts
        Footnotes, endnotes and comments by kind and id.
    heads
        Headers and footers by the id of their relation.
    links
        Targets of links outside of the document by the id of their relation.
    graphics
        Charts and diagrams by the name of their part; what cannot be read is ``None``.
    has_even_heads
        Whether pages of even number have headers and footers of their own.
    unstable_fields
        Names of fields whose results are left out.
    left_out_fields
        Those of them that were met.
    warnings, missing
        For the reading.
    """

    body: Any
    styles: Styles
    numbering: Numbering
    side_texts: dict[tuple[str, str], Any] = field(default_factory=dict)
    heads: dict[str, Any] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    graphics: dict[str, Any] = field(default_factory=dict)
    has_even_heads: bool = False
    unstable_fields: frozenset[str] = frozenset()
    left_out_fields: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, package: Package, /) -> Parts:
        """Read them; damage beside the body is noted as missing.

        Raises
        ------
        ParseFailed
            The body cannot be read.
        """
        main = next((t for k, t in package.relations("").values() if k == "officeDocument"), None)
        if main is None or main not in package:
            main = "word/document.xml"
        root = package.xml(main)
        body = root.find(f"{W}body")
        if body is None:
            raise package.failed("it has no document body")
        related = package.relations(main)
        graphics: dict[str, Any] = {}
        by_kind = dict(related.values())
        missing: list[str] = []

        def part(target: str, what: str) -> Any:
            try:
                if target not in package:
                    return None
                found = package.xml(target)
                graphics.update(graphics_of(package, target, found, missing))
            except ParseFailed as error:
                missing.append(f"The {what} cannot be read: {error.message}")
                return None
            return found

        parts = cls(
            body,
            Styles(part(by_kind.get("styles", ""), "styles")),
            Numbering(part(by_kind.get("numbering", ""), "numbers of lists")),
            graphics=graphics,
            missing=missing,
        )
        graphics.update(graphics_of(package, main, root, missing))
        for name, kind in _SIDE_PARTS.items():
            texts = part(by_kind.get(name, ""), name)
            for text in () if texts is None else texts.iter(f"{W}{kind}"):
                parts.side_texts[kind, text.get(f"{W}id", "")] = text
        for identity, (kind, target) in related.items():
            if kind in {"header", "footer"}:
                parts.heads[identity] = part(target, kind)
        parts.links = package.links(main)
        parts.has_even_heads = is_on(
            part(by_kind.get("settings", ""), "settings"), "evenAndOddHeaders"
        )
        if body.find(f".//{W}altChunk") is not None:
            parts.missing.append("A file inserted as a whole (altChunk) was left out.")
        return parts
