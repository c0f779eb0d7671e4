"""The check of a draft: what was found of each of its citations and quotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from casetrack.base.records.graph.entities import Quote
from casetrack.base.records.shape import HIDDEN, Record, Share

Verdict = Literal[
    "altered",
    "not_in_source",
    "wrong_page",
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
"""``wrong``: CaseTrack did not find the words or the page as the draft gives them; ``look``: a
person has to decide; ``open``: CaseTrack found nothing to compare; ``right``: found as given. None
judges the draft: each finding reports what was looked for and what was found."""

_VERDICTS: dict[Verdict, tuple[Weight, str]] = {
    "altered": ("wrong", "found with differences"),
    "not_in_source": ("wrong", "not found by CaseTrack in the cited source"),
    "wrong_page": ("wrong", "not found by CaseTrack at the cited place"),
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
"""Verdicts in words."""

_SURE = 0.9

EditKind = Literal["keep", "replace", "insert", "delete"]


@dataclass(frozen=True, slots=True)
class Edit(Record):
    """A piece of a quotation beside the same piece of its source.

    The pieces of a finding, one after the other, make up its words in the draft and the words of
    the source, sign by sign.

    Attributes
    ----------
    kind
        ``keep``: the same words; ``replace``: others; ``insert``: words that the source does not
        have; ``delete``: words of the source that the draft leaves out.
    draft, source
        What stands there in the draft, and in the source; empty where nothing does.
    allowed
        Why a difference is none that counts ("brackets", "ellipsis", "capital letter", ...); empty
        where it counts, and where there is none.
    """

    kind: EditKind
    draft: str
    source: str
    allowed: str = ""

    @property
    def counts(self) -> bool:
        """Whether it changes what is quoted."""
        return self.kind != "keep" and not self.allowed


def in_marks(edits: Sequence[Edit], /, *, kept: int = 60) -> list[tuple[EditKind, str]]:
    """Return a quotation with its differences in marks: ``[-left out-]``, ``{+put in+}``.

    Parameters
    ----------
    kept
        Characters that are shown beside a difference of what is the same, on either side.

    Returns
    -------
    list of (kind, text)
        In order; each text with its marks and the blanks around it.
    """
    found: list[tuple[EditKind, str]] = []
    for n, edit in enumerate(edits):
        if not edit.counts:
            ends = (n == 0, n == len(edits) - 1)
            found.append(("keep", _cut(edit.draft, kept, *ends)))
            continue
        if source := " ".join(edit.source.split()):
            found.append(("delete", f"[-{source}-]"))
        if draft := " ".join(edit.draft.split()):
            found.append(("insert", f"{{+{draft}+}}"))
        if (edit.draft or edit.source)[-1:].isspace() and n < len(edits) - 1:
            found.append(("keep", " "))
    return found


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
    """Where something stands in the draft.

    Attributes
    ----------
    start, end
        Code points into the text of the whole draft: its pages joined by one line break.
    page
        1-based; where it begins.
    char_start, char_end
        Code points into the text of that page; the end is that of the page where it goes on on
        the next.
    line
        1-based line of the page.
    printed
        The number printed on the page, where it is known.
    """

    start: Annotated[int, HIDDEN]
    end: Annotated[int, HIDDEN]
    page: int
    char_start: int
    char_end: int
    line: int
    printed: str = ""

    @property
    def citation(self) -> str:
        """``p. 3, l. 12``."""
        printed = f" ({self.printed})" if self.printed and self.printed != str(self.page) else ""
        return f"p. {self.page}{printed}, l. {self.line}"


@dataclass(frozen=True, slots=True)
class Finding(Record):
    """What the file says of one citation or one quotation of a draft.

    Attributes
    ----------
    number
        Its place in the order of the draft, from 1.
    what
        Whether a citation or a quotation is judged.
    verdict
        What was found.
    text
        The words in the draft: ``draft_text[place.start:place.end]``.
    place
        Where they stand in the draft.
    cited
        The citation as the draft has it; of a quotation the one it is ascribed to, or empty.
    authority
        What is cited, in full; empty where it is not known.
    said
        The finding as one sentence.
    pin, found_pin
        The page, paragraph or line that the draft names, and the one where it was found.
    sources
        The place in the file: one quote for each passage that it runs through, in order; together
        they are the words of the source.
    edits
        The quotation beside its source, piece by piece; empty where no source was compared.
    notes
        What was allowed, and what else a reader should know.
    confidence
        How sure it is that the draft says this and means this source, 0 to 1.
    """

    JSON = ("number", "what", "verdict", "weight", "said", "text", "place", "cited")

    number: int
    what: Literal["citation", "quotation"]
    verdict: Verdict
    text: str
    place: DraftPlace
    cited: str
    authority: str
    said: str
    pin: str = ""
    found_pin: str = ""
    sources: tuple[Quote, ...] = ()
    edits: tuple[Edit, ...] = ()
    notes: tuple[str, ...] = ()
    confidence: Share = 1.0

    @property
    def weight(self) -> Weight:
        """How much it matters."""
        return _VERDICTS[self.verdict][0]

    @property
    def is_sure(self) -> bool:
        """Whether a difference is shown in the source, and both are certainly the ones meant."""
        return self.verdict in {"altered", "wrong_page"} and self.confidence >= _SURE

    @property
    def title(self) -> str:
        """The verdict in words."""
        return TITLES[self.verdict]


@dataclass(frozen=True, slots=True)
class CiteCheck(Record):
    """Every citation and every quotation of a draft, held against a case.

    Attributes
    ----------
    draft_name, draft_path
        The draft; its path, or its id where it is a document of the case.
    case
        Name of the case.
    pages
        Pages of the draft.
    citations, quotations
        How many of each were judged.
    findings
        In the order of the draft.
    notes
        What holds for the whole: text from a scan, citations read less exactly, nothing cited.
    show
        Which findings an answer lists.
    """

    JSON = ("draft_name", "draft_path", "case", "pages", "citations", "quotations", "counts")

    draft_name: str
    draft_path: str
    case: str
    pages: int
    citations: int
    quotations: int
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    show: Annotated[Literal["problems", "all"], HIDDEN] = "problems"

    @property
    def counts(self) -> dict[str, int]:
        """How many findings there are of each verdict."""
        found = Counter(f.verdict for f in self.findings)
        return {verdict: found[verdict] for verdict in TITLES if found[verdict]}

    @property
    def worst_first(self) -> tuple[Finding, ...]:
        """The findings, differences first, each kind in the order of the draft."""
        order = {weight: n for n, weight in enumerate(("wrong", "look", "open", "right"))}
        return tuple(sorted(self.findings, key=lambda f: (order[f.weight], f.number)))

    @property
    def problems(self) -> tuple[Finding, ...]:
        """The differences and what a person has to decide, differences first."""
        return tuple(f for f in self.worst_first if f.weight in {"wrong", "look"})

    @property
    def shown(self) -> tuple[Finding, ...]:
        """The findings that an answer lists, differences first."""
        return self.worst_first if self.show == "all" else self.problems
