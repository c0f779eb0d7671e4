"""Review comments of slides, old ones and threads, with the names of their authors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.drawn.text import Block, plain_text
from casetrack.parse.slides.parts import P

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.parse.slides.parts import Presentation, SlideParts


class Comments:
    """Reads the comments of one presentation.

    Parameters
    ----------
    presentation
        The open file.
    missing
        Grows by what could not be read.
    """

    def __init__(self, presentation: Presentation, missing: list[str]) -> None:
        self._presentation, self._missing = presentation, missing
        self._authors: dict[str, str] | None = None

    def of(self, number: int, parts: SlideParts, /) -> list[Block]:
        """Return the comments of a slide as quotes."""
        blocks: list[Block] = []
        for part in parts.slide.targets("comments"):
            root = self._part(part, f"Comments on slide {number}")
            if root is not None:
                blocks += [b for comment in _named(root, "cm") for b in self._thread(comment)]
        return blocks

    def _thread(self, comment: Any) -> Iterator[Block]:
        yield from self._one(comment, "Comment")
        for reply in _named(comment, "reply"):
            yield from self._one(reply, "Reply")

    def _one(self, comment: Any, what: str) -> Iterator[Block]:
        text = comment.findtext(f"{P}text")
        if text is None:
            text = plain_text(next((c for c in comment if _local(c) == "txBody"), None))
        text = " ".join(text.split())
        author = self._names().get(comment.get("authorId", ""), "")
        if text:
            yield Block((f"{what} by {author}: {text}" if author else f"{what}: {text}",), "quote")

    def _names(self) -> dict[str, str]:
        if self._authors is None:
            self._authors = {}
            main = self._presentation.main
            for part in (*main.targets("commentAuthors"), *main.targets("authors")):
                root = self._part(part, "The names of comments' authors")
                for author in () if root is None else root:
                    name = " ".join(author.get("name", "").split())
                    self._authors[author.get("id", "")] = name
        return self._authors

    def _part(self, part: str, what: str) -> Any:
        try:
            return self._presentation.package.xml(part)
        except ParseFailed as error:
            self._missing.append(f"{what} cannot be read: {error.message}")
            return None


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _named(element: Any, name: str) -> Iterator[Any]:
    """Yield elements of that name; threads have a namespace of their own for each version."""
    return (e for e in element.iter() if _local(e) == name)
