"""An open OpenDocument file: its parts, styles and embedded objects."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.opendocument.names import DRAW, OFFICE, STYLE, points
from casetrack.parse.opendocument.styles import Styles

if TYPE_CHECKING:
    from casetrack.parse.opendocument.container import Container


_UNSEEN = frozenset({"none", "printer"})


@dataclass(slots=True)
class OpenDocument:
    """What the pages are made from.

    Attributes
    ----------
    body
        The element that holds the text or the slides.
    styles, master_styles
        Those of the content, and those of headers, footers and master pages.
    masters
        Master pages by name.
    layers_off
        Names of drawing layers that the screen does not show.
    warnings, missing
        Grow while the document is read.
    """

    container: Container
    body: Any
    styles: Styles
    master_styles: Styles
    masters: dict[str, Any]
    warnings: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    layers_off: frozenset[str] = frozenset()
    _layouts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, container: Container, kind: str, /) -> OpenDocument:
        """Read the parts.

        Parameters
        ----------
        container
            The open file.
        kind
            Name of the body's element: ``text``, ``presentation`` or ``drawing``.
        """
        content = container.root("content.xml")
        if content is None:
            raise container.failed("the part content.xml is missing")
        body = content.find(f"{OFFICE}body/{OFFICE}{kind}")
        if body is None:
            raise container.failed(f"it has no {kind} in it")
        warnings: list[str] = []
        try:
            common = container.root("styles.xml")
        except ParseFailed as error:
            # Styles decide on headings and breaks; the words stand without them.
            warnings.append(f"The document's styles cannot be read: {error.message}")
            common = None
        found = cls(container, body, Styles(content, common), Styles(common, common), {}, warnings)
        if common is not None:
            for master in common.iterfind(f"{OFFICE}master-styles/{STYLE}master-page"):
                found.masters[master.get(f"{STYLE}name", "")] = master
            layers = common.iterfind(f"{OFFICE}master-styles/{DRAW}layer-set/{DRAW}layer")
            off = (e.get(f"{DRAW}name") for e in layers if e.get(f"{DRAW}display") in _UNSEEN)
            found.layers_off = frozenset(filter(None, off))
            for layout in common.iterfind(f"{OFFICE}automatic-styles/{STYLE}page-layout"):
                found._layouts[layout.get(f"{STYLE}name", "")] = layout
        return found

    def page_size(self, master: Any, /) -> tuple[float | None, float | None]:
        """Return width and height in points of pages of a master."""
        name = "" if master is None else master.get(f"{STYLE}page-layout-name", "")
        layout = self._layouts.get(name)
        facts = None if layout is None else layout.find(f"{STYLE}page-layout-properties")
        if facts is None:
            return None, None
        sizes = {key.rpartition("}")[2]: value for key, value in facts.attrib.items()}
        return points(sizes.get("page-width")), points(sizes.get("page-height"))

    def warn(self, text: str, /) -> None:
        """Add a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def miss(self, text: str, /) -> None:
        """Add something that could not be read, once."""
        if text not in self.missing:
            self.missing.append(text)

    def embedded(self, name: str, /) -> Any:
        """Return the root of an embedded object, ``None`` where it cannot be read."""
        part = posixpath.join(name.removeprefix("./"), "content.xml")
        try:
            return self.container.root(part)
        except ParseFailed as error:
            self.miss(f"An embedded object cannot be read: {error.message}")
            return None
