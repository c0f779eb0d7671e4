"""The sides of a case in its caption (``ROE v. ACME, INC.``), and the registrant of a report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from casetrack.graph.document.anchored_names.companies import walk_left, walk_right
from casetrack.graph.document.anchored_names.facts import Anchor, Term, Where
from casetrack.graph.document.titles import role
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.extract.spans import NameKind
    from casetrack.graph.document.anchored_names.terms import Candidate

_SIDE = (
    r"(?:Plaintiff|Defendant|Petitioner|Respondent|Appellant|Appellee|Claimant|Applicant|"
    r"Complainant|"
    r"Debtor|Movant|Intervenor|Kläger(?:in)?|Beklagte[r]?|Antragsteller(?:in)?|"
    r"Antragsgegner(?:in)?)"
)
_SIDES: Final = re.compile(
    rf"[\s,()]{{1,12}}(?:the\s+|Third[- ]Party\s+|Counter)?({_SIDE}(?:s)?|{_SIDE.upper()}S?)\b"
)
_VERSUS: Final = re.compile(
    r"(?<=[\s,).])(?:v\.|vs\.?|V\.|VS\.|-v-|- v -|versus|VERSUS|–?\s?gegen)(?=[\s,])"
)
_REACH = 160
_REGISTRANT: Final = re.compile(r"\(\s*Exact\s+name\s+of\s+(?:the\s+)?(registrant)", re.IGNORECASE)


def captions(chunk: int, text: str, candidates: Sequence[Candidate], /) -> Iterator[Anchor | Term]:
    """Yield the parties in the caption of the chunk at position *chunk*, and their roles."""
    for label in _REGISTRANT.finditer(text):
        owner = _name_before(text, label.start(), candidates)
        if owner is not None:
            where = Where(chunk, *owner[:2])
            yield Anchor(where, text[owner[0] : owner[1]], "organization", "title block")
            at = Where(chunk, *label.span(1))
            yield Term(at, label[1], where, "registrant", is_name=False)
    if not re.search(_SIDE, text, re.IGNORECASE):
        return
    for versus in _VERSUS.finditer(text):
        named = False
        for side in _SIDES.finditer(
            text, max(0, versus.start() - _REACH), min(len(text), versus.end() + _REACH)
        ):
            owner = _name_before(text, side.start(), candidates)
            if owner is None:
                continue
            named = True
            where = Where(chunk, owner[0], owner[1])
            yield Anchor(where, text[owner[0] : owner[1]], owner[2], "caption")
            part = role(side[1]) or role(side[1].title())
            if part and not fold(side[1]).endswith("s"):
                yield Term(
                    Where(chunk, side.start(1), side.end(1)), side[1], where, part, is_name=False
                )
        if named:
            break


def _name_before(
    text: str, at: int, candidates: Sequence[Candidate]
) -> tuple[int, int, NameKind | None] | None:
    end = len(text[:at].rstrip(" ,(\n"))
    for known in candidates:
        if known.start < end <= known.end + 1:
            return known.start, known.end, known.kind
    start = walk_left(text, max(0, end - 90), end)
    if start is None or end - start < 4 or walk_right(text, start, end) != end:
        return None
    return start, end, None
