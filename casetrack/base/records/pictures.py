"""A page to look at, in a notebook or as a file."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as a picture, with the passage marked that it was asked for; a notebook shows it.

    Attributes
    ----------
    png
        The picture.
    citation
        The source of the passage, or the document and its page.
    document, page
        What it shows; *page* counts from 1.
    is_text
        Whether it shows stored text instead of the page as it looks.
    notes
        What who looks at it must know, in sentences.

    Examples
    --------
    >>> picture = collection.read.page_image(collection.search("termination")[0])  # doctest: +SKIP
    >>> picture.save("termination.png")  # doctest: +SKIP
    """

    png: bytes = field(repr=False)
    citation: str
    document: str
    page: int
    is_text: bool = False
    notes: tuple[str, ...] = ()

    def save(self, path: str | Path, /) -> Path:
        """Write it as a PNG file, and return its absolute path.

        Raises
        ------
        OSError
            It cannot be written.
        """
        target = Path(path).expanduser().absolute()
        target.write_bytes(self.png)
        return target

    def to_pil(self) -> Image:
        """Return it as an image of Pillow."""
        from PIL import Image

        with Image.open(io.BytesIO(self.png)) as opened:
            opened.load()
            return opened.copy()

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        return self.png, {"alt": ". ".join([self.citation, *self.notes])}
