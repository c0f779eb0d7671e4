"""Texts of a page with too little contrast to their background (WCAG 2.2, level AA)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headless import Browser

_FAINT = Path(__file__).with_name("contrast.js").read_text("utf-8")


def faint_texts(browser: Browser, /) -> list[str]:
    """Return the elements of the page that is shown whose text has too little contrast."""
    collected: list[str] = browser.js(_FAINT)
    return collected
