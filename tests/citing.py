"""Handwritten briefs and their citations, for tests of tables alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.editions.legal.drafts import Draft
from casetrack.extract.papers.text import LegalCitation, PrintedPlace, TextPage, WholeText

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DAUBERT = "Daubert v. Merrell Dow Pharmaceuticals, Inc., 509 U.S. 579 (1993)"
AUTHORITIES: dict[str, dict[str, Any]] = {
    DAUBERT: {"kind": "case", "key": "case:509-us-579"},
    "Daubert, 509 U.S. at 593": {"kind": "case", "key": "case:509-us-579", "form": "short"},
    "In re Zyprexa, 1 F.4th 2 (2d Cir. 2021)": {"kind": "case", "key": "case:1-f4th-2"},
    "U.S. v. Nixon, 418 U.S. 683 (1974)": {"kind": "case", "key": "case:418-us-683"},
    "28 U.S.C. \u00a7 1331": {"kind": "statute", "key": "usc-28-1331"},
    "5 U.S.C. \u00a7 706": {"kind": "statute", "key": "usc-5-706"},
    "Fed. R. Civ. P. 12(b)(6)": {"kind": "rule", "key": "rule:frcp-12-b-6"},
    "17 C.F.R. \u00a7 240.10b-5": {"kind": "regulation", "key": "cfr-17-240-10b-5"},
    "U.S. Const. amend. XIV": {"kind": "constitution", "key": "us-amend-14"},
    "Dkt. 12 at 3": {"kind": "record", "key": "record:dkt-12"},
}


def draft_of(*pages: str, labels: Iterable[str | None] = (), **more: Any) -> Draft:
    """Return a paper of these pages, with the numbers printed on them."""
    printed = {n: label for n, label in enumerate(labels) if label is not None}
    return Draft(
        "Brief.pdf",
        Path("/briefs/Brief.pdf"),
        WholeText(
            tuple(
                TextPage(n + 1, text, _printed(text, printed.get(n)))
                for n, text in enumerate(pages)
            )
        ),
        **more,
    )


def _printed(text: str, label: str | None) -> tuple[PrintedPlace, ...]:
    return (PrintedPlace("page", label, 0, len(text)),) if label is not None else ()


def citations_of(
    whole: WholeText, known: Mapping[str, Mapping[str, Any]] = AUTHORITIES
) -> tuple[LegalCitation, ...]:
    """Return the citations of a paper: every place that holds one of the *known* ones."""
    text, result = whole.text, []
    for words, facts in known.items():
        at = text.find(words)
        while at >= 0:
            message = {"form": "full", "name": words} | facts
            result.append(LegalCitation(at, at + len(words), words, **message))
            at = text.find(words, at + 1)
    return tuple(sorted(result, key=lambda c: c.start))
