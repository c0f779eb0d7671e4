"""Scores citations in texts with known legal citations.

A file of pairs is a JSON list of objects ``text``, ``kwargs`` (``clean_steps`` for texts with
markup, ``remove_ambiguous``) and ``expected``: per citation ``class``, ``groups``, ``metadata``,
``year``, ``corrected_reporter``, ``corrected_citation`` and ``matched_text``.

A text is right when exactly the expected citations are returned, in their order, with the same
kind, groups, corrected abbreviation and citation, year and details (:data:`DETAILS`), **and** each
of them except the unknown ones is a reference of :class:`References` at that place.

*Normal forms*: white space collapsed, commas of citations dropped; page ``___`` is no page; a date
of filing is not part of the citation; a citation of a law ends at the first parenthesis;
``matched_text`` and the corrected citation of short forms are not compared, because the pairs have
values from a factory in them ("Id.," for "Id.", "1 U.S. 2" for "1 U. S., at 2").
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.extract.references.citations import Citation, find_citations
from casetrack.extract.references.finder import References

if TYPE_CHECKING:
    from pathlib import Path

DETAILS = ("pin_cite", "court", "plaintiff", "defendant", "antecedent_guess", "volume", "year")
_KINDS = {"FullCaseCitation": "case", "FullLawCitation": "law", "FullJournalCitation": "journal"}
_KINDS |= {"ShortCaseCitation": "short", "IdCitation": "id", "SupraCitation": "supra"}
_KINDS |= {"ReferenceCitation": "reference", "UnknownCitation": "unknown"}


@dataclass(frozen=True, slots=True)
class Score:
    """Number of right texts; *misses* describes the errors of the others."""

    right: int
    total: int
    misses: tuple[str, ...]

    @property
    def share(self) -> float:
        """Share of right texts."""
        return self.right / self.total


def score(path: Path) -> Score:
    """Score the file of pairs at *path*."""
    pairs = json.loads(path.read_text(encoding="utf-8"))
    misses = tuple(miss for pair in pairs if (miss := compare(pair)))
    return Score(len(pairs) - len(misses), len(pairs), misses)


def compare(pair: dict[str, Any]) -> str:
    """Describe the errors in the citations of *pair*; empty when all are right."""
    text = plain(pair)
    citations = find_citations(text)
    if pair["kwargs"].get("remove_ambiguous"):
        citations = tuple(c for c in citations if not c.ambiguous)
    expected = pair["expected"]
    wanted, got = [_expected_form(e) for e in expected], [_form(c) for c in citations]
    if wanted != got:
        return f"{text!r}: expected {wanted}, found {got}"
    spans = References().find(text)
    for citation in citations:
        inside = any(s.start <= citation.core < s.end for s in spans)
        if citation.kind != "unknown" and not inside:
            return f"{text!r}: no reference at {citation.written!r}"
    return ""


def plain(pair: dict[str, Any]) -> str:
    """Return the text of *pair* as a reader would give it: without markup."""
    steps = pair["kwargs"].get("clean_steps")
    if not steps:
        return str(pair["text"])
    from eyecite.clean import clean_text

    return str(clean_text(pair["text"], steps))


def _expected_form(expected: dict[str, Any]) -> dict[str, Any]:
    details = expected["metadata"]
    kind = _KINDS[expected["class"]]
    return {
        "kind": kind,
        "groups": _normal_groups(expected["groups"]),
        "reporter": expected.get("corrected_reporter"),
        "citation": _normal_citation(
            kind,
            expected.get("corrected_citation"),
            expected["groups"],
            expected.get("corrected_reporter"),
        ),
        "year": expected.get("year"),
        "details": {k: _normal(str(details[k])) for k in DETAILS if k in details},
    }


def _form(citation: Citation) -> dict[str, Any]:
    year = citation.details.get("year_number")
    return {
        "kind": citation.kind,
        "groups": _normal_groups(citation.groups),
        "reporter": citation.reporter,
        "citation": _normal_citation(
            citation.kind, citation.corrected, citation.groups, citation.reporter
        ),
        "year": int(year) if year else None,
        "details": {k: _normal(citation.details[k]) for k in DETAILS if k in citation.details},
    }


def _normal_groups(groups: Any) -> dict[str, str | None]:
    return {k: _normal(v) if isinstance(v, str) else v for k, v in groups.items() if v is not None}


def _normal_citation(
    kind: str, citation: str | None, groups: Any, reporter: str | None
) -> str | None:
    """Return the citation for comparison, for full ones: those of short forms are made up."""
    if citation is None or kind == "short":
        return None
    if kind == "law":
        # The pairs have the pin cite and the publisher in it, which are compared as details.
        citation = re.sub(r"(?<=\d)\(\w{1,4}\).*|\s\(.*", "", citation)
    if kind in {"case", "journal"} and "(" in citation and "date_filed" in groups:
        citation = f"{groups['volume']} {reporter} {groups['page']}"
    return re.sub(r" (?:None|_+)$", " -", _normal(citation.replace(",", "")))


def _normal(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
