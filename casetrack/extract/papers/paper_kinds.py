"""What kind of paper a title names: the first words of it that name one."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.base.records.papers import LegalType


@dataclass(frozen=True, slots=True)
class PaperKind:
    """A kind, the same more closely, and the words of the title that told it."""

    legal_type: LegalType
    detail: str | None
    words: str
    start: int


@functools.cache
def _rules() -> tuple[tuple[LegalType, str | None, re.Pattern[str]], ...]:
    raw = tomllib.loads((Path(__file__).parent / "paper_kinds.toml").read_text("utf-8"))
    return tuple(
        (r["kind"], r.get("detail"), re.compile(rf"(?:{'|'.join(r['any'])})", re.IGNORECASE))
        for r in raw["rule"]
    )


@functools.cache
def _any() -> re.Pattern[str]:
    """Words without which nothing names a paper; most lines have none of them."""
    return re.compile(
        r"exh|notice|propos|stipul|order|judg|decree|opinion|decision|memorand|report|recommend"
        r"|curiam|findings|statement|reasons|appeal|petition|statement|sheet|appearance|certificate"
        r"|proof|affid|summons|subpoena|waiver|substitut|designation|verdict|instruction|demand"
        r"|suggestion|bill|agreement|docket|interrog|request|disclosure|privilege|declar|affirm"
        r"|verification|appendix|excerpts|record|deposition|examination|transcript|proceedings"
        r"|answer|reply|response|defen[cs]|objection|opposition|brief|authorit|skeleton|minutes"
        r"|chambers|motion|application|demurrer|mandate|writ|warrant|ruling|complaint|indictment"
        r"|information|claim|urteil|namen|beschlu|klage|list",
        re.IGNORECASE,
    )


def kind_of_title(title: str, /) -> PaperKind | None:
    """Return what kind of paper a title names; ``None`` where it names none.

    Parameters
    ----------
    title
        On one line.
    """
    if not _any().search(title):
        return None
    title = title.replace("'", "’")
    for begin in _word_starts(title):
        for kind, detail, pattern in _rules():
            found = pattern.match(title, begin)
            if found and found.end() > begin:
                return PaperKind(kind, detail, found.group().strip(), begin)
    return None


def _word_starts(title: str) -> list[int]:
    return [m.start() for m in re.finditer(r"(?<![\w’'-])[\w\[(§]", title)]
