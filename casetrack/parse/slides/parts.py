"""Parts of a presentation: slides in order, the layouts and masters behind them, shared names."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.drawn.names import A, R, integer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.parse.package import Package

KIND = "PPTX"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
EMU_PER_POINT = 12700
LINKS = (f"{A}hlinkClick", f"{A}hlinkHover", f"{A}hlinkMouseOver")
_NUMBERED_SLIDE = re.compile(r"ppt/slides/slide(\d{1,6})\.xml$")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A slide, layout, master or notes page: its part, root element and relations."""

    part: str
    root: Any
    relations: dict[str, tuple[str, str]]

    def target(self, kind: str, /) -> str | None:
        """Return the first part that is related as *kind*."""
        return next((t for k, t in self.relations.values() if k == kind), None)

    @property
    def has_links(self) -> bool:
        """Whether a shape or a text of it is a link."""
        return next(self.root.iter(*LINKS), None) is not None

    def targets(self, kind: str, /) -> list[str]:
        """Return all parts that are related as *kind*."""
        return [t for k, t in self.relations.values() if k == kind]

    @property
    def shapes(self) -> Any:
        """The tree of its shapes; empty where there is none."""
        tree = self.root.find(f"{P}cSld/{P}spTree")
        return () if tree is None else tree


@dataclass(frozen=True, slots=True)
class SlideParts:
    """A slide with what it inherits from."""

    slide: Sheet
    layout: Sheet | None
    master: Sheet | None
    defaults: Any
    """The ``p:defaultTextStyle`` of the presentation."""

    @property
    def is_hidden(self) -> bool:
        """Whether the show leaves it out."""
        return self.slide.root.get("show") in {"0", "false", "off"}

    def sheets_shown(self) -> Iterator[Sheet]:
        """Yield master and layout as far as their own shapes show on the slide."""
        if self.slide.root.get("showMasterSp") in {"0", "false"} or self.layout is None:
            return
        if self.master is not None and self.layout.root.get("showMasterSp") not in {"0", "false"}:
            yield self.master
        yield self.layout


@dataclass(slots=True)
class Presentation:
    """An open presentation.

    Attributes
    ----------
    slide_parts
        Part of each slide in presentation order; ``None`` where the file names none.
    width, height
        Of a slide, in points.
    """

    package: Package
    main: Sheet
    slide_parts: list[str | None]
    width: float | None
    height: float | None
    _sheets: dict[str, Sheet | None] = field(default_factory=dict)

    @classmethod
    def of(cls, package: Package, /) -> Presentation:
        """Read the main part."""
        main = next((t for k, t in package.relations("").values() if k == "officeDocument"), None)
        if main is None or main not in package:
            main = "ppt/presentation.xml"
        root = package.xml(main)
        if root.tag != f"{P}presentation":
            raise package.failed("it has no presentation in it")
        sheet = Sheet(main, root, package.relations(main))
        size = root.find(f"{P}sldSz")
        order = _slide_order(package, sheet)
        return cls(package, sheet, order, _points(size, "cx"), _points(size, "cy"))

    def slide(self, part: str, /) -> SlideParts:
        """Parse a slide and what is behind it.

        Raises
        ------
        ParseFailed
            The slide itself cannot be read; a broken layout or master only leaves it bare.
        """
        slide = self.sheet(part)
        layout = self._shared(slide.target("slideLayout"))
        master = self._shared(None if layout is None else layout.target("slideMaster"))
        return SlideParts(slide, layout, master, self.main.root.find(f"{P}defaultTextStyle"))

    def sheet(self, part: str, /) -> Sheet:
        """Parse a part and its relations."""
        root = self.package.xml(part)
        return Sheet(part, root, self.package.relations(part))

    def _shared(self, part: str | None) -> Sheet | None:
        if part is None or part not in self.package:
            return None
        if part not in self._sheets:
            try:
                self._sheets[part] = self.sheet(part)
            except ParseFailed:
                # Layouts give positions and bullets; a slide's words do not depend on them.
                self._sheets[part] = None
        return self._sheets[part]


def _slide_order(package: Package, main: Sheet) -> list[str | None]:
    listed: list[str | None] = []
    for entry in main.root.iterfind(f"{P}sldIdLst/{P}sldId"):
        kind, target = main.relations.get(entry.get(f"{R}id", ""), ("", ""))
        listed.append(target if kind == "slide" else None)
    if any(listed):
        return listed
    # A damaged list: the names of the parts tell the order in which they were made.
    found = [(m, name) for name in package.names if (m := _NUMBERED_SLIDE.fullmatch(name))]
    return [posixpath.normpath(name) for _, name in sorted(found, key=lambda x: int(x[0][1]))]


def _points(size: Any, name: str) -> float | None:
    value = None if size is None else integer(size.get(name))
    return value / EMU_PER_POINT if value and value > 0 else None
