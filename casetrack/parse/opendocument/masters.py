"""Headers and footers of text documents: which page has which, and where each stands first."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from casetrack.parse.drawn.text import Block
from casetrack.parse.opendocument.flow import Flow
from casetrack.parse.opendocument.names import STYLE, TEXT

if TYPE_CHECKING:
    from casetrack.parse.opendocument.document import OpenDocument

DEFAULT_MASTER = "Standard"


@dataclass(slots=True)
class Masters:
    """Follows the master pages from page to page.

    Attributes
    ----------
    name
        Of the current page's master.
    """

    document: OpenDocument
    name: str
    _seen: set[str] = field(default_factory=set)
    _is_first: bool = True

    def turn(self, chosen: str | None, /) -> None:
        """Go on to the next page.

        Parameters
        ----------
        chosen
            The master that the author chose for it, if any.
        """
        following = self.current
        after = None if following is None else following.get(f"{STYLE}next-style-name")
        self._is_first = chosen is not None or bool(after and after != self.name)
        self.name = chosen or after or self.name

    @property
    def current(self) -> Any:
        """The master page, ``None`` where the file has none of this name."""
        return self.document.masters.get(self.name)

    def running(self, what: str, number: int, /) -> tuple[list[Block], str | None]:
        """Return a page's header or footer.

        Parameters
        ----------
        what
            ``header`` or ``footer``.
        number
            Of the page.

        Returns
        -------
        tuple
            Its paragraphs where it stands for the first time, and its text where it stood before.
        """
        element = self._element(what, number)
        if element is None:
            return [], None
        flow = Flow(self.document.master_styles, self.document, {f"{TEXT}page-number": str(number)})
        blocks = [item for item in flow.walk(element) if isinstance(item, Block) and item.text]
        text = " | ".join(block.text for block in blocks)
        key = re.sub(r"\d+", "#", text)
        if not text or key in self._seen:
            return [], text or None
        self._seen.add(key)
        return [Block(block.lines, _plain(block)) for block in blocks], None

    def _element(self, what: str, number: int) -> Any:
        master = self.current
        if master is None:
            return None
        kinds = [what]
        if number % 2 == 0:
            kinds.insert(0, f"{what}-left")
        if self._is_first:
            kinds.insert(0, f"{what}-first")
        for kind in kinds:
            # A namespace of its own holds first pages in files of older versions.
            found = next((e for e in master if str(e.tag).rpartition("}")[2] == kind), None)
            if found is not None:
                return None if found.get(f"{STYLE}display") == "false" else found
        return None


def _plain(block: Block) -> Any:
    return "table" if block.kind == "table" else "body"
