"""The cite check of a draft: a finding for each citation and quotation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from casetrack.base.records.passages import Quote
from casetrack.base.records.shape import HIDDEN, Record, Share

Verdict = Literal[
    "altered",
    "not_in_source",
    "wrong_page",
    "impossible",
    "name_differs",
    "year_differs",
    "court_differs",
    "reporter_differs",
    "item_not_found",
    "antecedent_not_found",
    "unclear",
    "source_not_in_case",
    "no_citation",
    "verbatim",
    "in_case",
]
"""The result of comparing a citation or a quotation with the case, differences first."""

Weight = Literal["wrong", "look", "open", "right"]
"""``wrong``: words or page not found as in the draft; ``look``: needs a decision; ``open``: nothing
to compare with; ``right``: found. None is a judgement of the draft.
"""

_VERDICTS: dict[Verdict, tuple[Weight, str]] = {
    "altered": ("wrong", "found with differences"),
    "not_in_source": ("wrong", "not found by CaseTrack in the cited source"),
    "wrong_page": ("wrong", "not found by CaseTrack at the cited place"),
    "impossible": ("wrong", "cannot exist as written"),
    "name_differs": ("look", "name differs"),
    "year_differs": ("look", "year differs"),
    "court_differs": ("look", "court differs"),
    "reporter_differs": ("look", "volume or page of the reporter differs"),
    "item_not_found": ("look", "item not found by CaseTrack"),
    "antecedent_not_found": ("open", "antecedent not found by CaseTrack"),
    "unclear": ("look", "not settled"),
    "source_not_in_case": ("open", "source not found by CaseTrack"),
    "no_citation": ("open", "citation of a quotation not found by CaseTrack"),
    "verbatim": ("right", "verbatim"),
    "in_case": ("right", "in the case"),
}
TITLES: dict[Verdict, str] = {verdict: title for verdict, (_, title) in _VERDICTS.items()}
"""Texts of the verdicts."""

_SURE = 0.9

EditKind = Literal["keep", "replace", "insert", "delete"]


@dataclass(frozen=True, slots=True)
class Edit(Record):
    """A piece of a quotation and the same piece of its source.

    The pieces of a finding cover its words in draft and source without gaps.
    """

    kind: EditKind  # ``insert``: only in the draft; ``delete``: only in the source
    draft: str
    source: str
    # Reason that allows a difference ("brackets", "ellipsis", "capital letter", ...).
    allowed: str = ""

    @property
    def counts(self) -> bool:
        """Whether it changes the quotation."""
        return self.kind != "keep" and not self.allowed


def in_marks(edits: Sequence[Edit], /, *, kept: int = 60) -> list[tuple[EditKind, str]]:
    """Return kind and text of a quotation's pieces, with marks: ``[-left out-]``, ``{+added+}``.

    *kept* is the number of equal characters shown on each side of a difference.
    """
    parts: list[tuple[EditKind, str]] = []
    for n, edit in enumerate(edits):
        if not edit.counts:
            ends = (n == 0, n == len(edits) - 1)
            parts.append(("keep", _cut(edit.draft, kept, *ends)))
            continue
        if source := " ".join(edit.source.split()):
            parts.append(("delete", f"[-{source}-]"))
        if draft := " ".join(edit.draft.split()):
            parts.append(("insert", f"{{+{draft}+}}"))
        if (edit.draft or edit.source)[-1:].isspace() and n < len(edits) - 1:
            parts.append(("keep", " "))
    return parts


def _cut(text: str, kept: int, is_first: bool, is_last: bool) -> str:
    flat = " ".join(text.split())
    if len(flat) > 2 * kept:
        head = "" if is_first else flat[:kept]
        tail = "" if is_last else flat[-kept:]
        flat = f"{head} \u2026 {tail}".strip() if head or tail else flat[: 2 * kept]
    before = " " if text[:1].isspace() else ""
    return f"{before}{flat}{' ' if text[-1:].isspace() and flat else ''}"


@dataclass(frozen=True, slots=True)
class DraftPlace(Record):
    """A place in the draft."""

    # Code points of the whole draft: its pages joined by one line break.
    start: Annotated[int, HIDDEN]
    end: Annotated[int, HIDDEN]
    page: int  # 1-based page of the start
    char_start: int  # Code points of the page
    char_end: int  # Code points of the page of the end
    line: int  # 1-based line of the page
    printed: str = ""  # Printed page number, if known

    @property
    def citation(self) -> str:
        """``p. 3, l. 12``."""
        printed = f" ({self.printed})" if self.printed and self.printed != str(self.page) else ""
        return f"p. {self.page}{printed}, l. {self.line}"


@dataclass(frozen=True, slots=True)
class Finding(Record):
    """The result for one citation or quotation of a draft."""

    JSON = ("number", "what", "verdict", "weight", "said", "text", "place", "cited")

    number: int  # From 1, in the order of the draft
    what: Literal["citation", "quotation"]
    verdict: Verdict
    text: str  # ``draft_text[place.start:place.end]``
    place: DraftPlace
    cited: str  # The citation in the draft; may be empty for quotations
    authority: str  # Full citation, if known
    said: str  # One sentence
    pin: str = ""  # Page, paragraph or line in the draft
    found_pin: str = ""  # Page, paragraph or line in the source
    sources: tuple[Quote, ...] = ()  # Place in the source, one quote per chunk
    edits: tuple[Edit, ...] = ()  # Pieces of the comparison; empty without a source
    notes: tuple[str, ...] = ()
    confidence: Share = 1.0  # Confidence of the reading and of the source, 0 to 1

    @property
    def weight(self) -> Weight:
        """Weight of the verdict."""
        return _VERDICTS[self.verdict][0]

    @property
    def is_sure(self) -> bool:
        """Whether a difference is certain: both source and quotation are known."""
        return self.verdict in {"altered", "wrong_page"} and self.confidence >= _SURE

    @property
    def title(self) -> str:
        """The text of the verdict."""
        return TITLES[self.verdict]


@dataclass(frozen=True, slots=True)
class CiteCheck(Record):
    """The findings for all citations and quotations of a draft."""

    JSON = ("draft_name", "draft_path", "case", "pages", "citations", "quotations", "counts")

    draft_name: str
    draft_path: str  # Id for a document of the case
    case: str
    pages: int
    citations: int
    quotations: int
    findings: tuple[Finding, ...] = ()  # In the order of the draft
    notes: tuple[str, ...] = ()  # Notes on the whole draft
    # The findings listed in answers.
    show: Annotated[Literal["problems", "all"], HIDDEN] = "problems"

    @property
    def counts(self) -> dict[str, int]:
        """Number of findings by verdict."""
        counter = Counter(f.verdict for f in self.findings)
        return {verdict: counter[verdict] for verdict in TITLES if counter[verdict]}

    @property
    def worst_first(self) -> tuple[Finding, ...]:
        """The findings, differences first, otherwise in the order of the draft."""
        order = {weight: n for n, weight in enumerate(("wrong", "look", "open", "right"))}
        return tuple(sorted(self.findings, key=lambda f: (order[f.weight], f.number)))

    @property
    def problems(self) -> tuple[Finding, ...]:
        """Differences and findings that need a decision, differences first."""
        return tuple(f for f in self.worst_first if f.weight in {"wrong", "look"})

    @property
    def shown(self) -> tuple[Finding, ...]:
        """The findings listed in an answer, differences first."""
        return self.worst_first if self.show == "all" else self.problems
