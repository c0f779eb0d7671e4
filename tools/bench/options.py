"""The options of ``just bench``."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from bench.report import QUICK, Effort

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHECKOUT = Path(__file__).resolve().parent.parent.parent
_CACHE = _CHECKOUT / ".cache"
_PDFS = _CHECKOUT.parent / "shared" / "data" / "cuad" / "pdf"
_CHUNKS, _SIZES, _PAGES = 50_000, (10_000, 50_000, 200_000), 500
_QUICK_CHUNKS, _QUICK_SIZES, _QUICK_PAGES = 2000, (1000,), 6
_FEWEST_CHUNKS = 1000
_MOST_WITH_TOKENS = 200_000
"""Token matrices of a million chunks would take some 7 GB."""


def read_options(text: str, groups: Sequence[str], /) -> argparse.Namespace:
    """Return the complete and checked options; *text* describes the program.

    The result also has ``effort`` and ``has_tokens(chunks)``.
    """
    models = os.environ.get("CASETRACK_MODELS")
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=text)
    add = parser.add_argument
    add("--only", action="append", choices=groups, help="measure only this; may be repeated")
    add("--quick", action="store_true", help="everything, small: shows that it runs")
    add("--chunks", type=int, help=f"size of the synthetic collection [{_CHUNKS:,}]")
    add("--sizes", type=_sizes, help=f"sizes of the curve [{','.join(map(str, _SIZES))}]")
    add(
        "--tokens",
        action=argparse.BooleanOptionalAction,
        help=f"store token matrices [up to {_MOST_WITH_TOKENS:,} chunks]",
    )
    add("--pages", type=int, help=f"pages of the generated PDF [{_PAGES}]")
    add("--pdfs", type=Path, help="folder of PDFs to take in")
    add("--work", type=Path, default=_CACHE / "bench", help="folder for what is kept between runs")
    add("--keep", action="store_true", help="keep the collections of the curve")
    add("--models", type=Path, default=Path(models) if models else _CACHE / "models")
    add("--json", type=Path, metavar="FILE", help="also write all figures to this file")
    add("--compare", type=Path, metavar="FILE", help="print the change against such a file")
    add("--write", type=Path, metavar="FILE", help="put the table into this document")
    options = parser.parse_args()
    _complete(options, groups)
    if min(options.chunks, *options.sizes) < _FEWEST_CHUNKS:
        parser.error(f"a collection must have {_FEWEST_CHUNKS:,} chunks or more")
    return options


def _complete(options: argparse.Namespace, groups: Sequence[str]) -> None:
    quick = options.quick
    options.only = options.only or list(groups)
    options.chunks = options.chunks or (_QUICK_CHUNKS if quick else _CHUNKS)
    options.sizes = options.sizes or (_QUICK_SIZES if quick else _SIZES)
    options.pages = options.pages or (_QUICK_PAGES if quick else _PAGES)
    options.pdfs = options.pdfs or (None if quick else _PDFS)
    options.effort = QUICK if quick else Effort()
    # Other processes are started, and they need not have the same working folder.
    options.work, options.models = options.work.resolve(), options.models.resolve()
    choice = options.tokens

    def has_tokens(chunks: int) -> bool:
        return chunks <= _MOST_WITH_TOKENS if choice is None else bool(choice)

    options.has_tokens = has_tokens


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))
