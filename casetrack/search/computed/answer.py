"""Computes the answer to a question for a list, a count, a sum or an extreme, or declines.

An answer is computed only from a set that the collection certainly has: documents of a type,
numbered papers, entities, invoices with one total each, or the rows of one table. A question with
a narrowing that is not certain is declined: a false list or sum is worse than none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import See
from casetrack.search.computed.asked import (
    DOCUMENTS,
    ENTITIES,
    LISTS,
    PAPERS,
    REFERENCES,
    TYPES,
    asked_set,
)
from casetrack.search.computed.documents import documents_answer
from casetrack.search.computed.names import names_answer
from casetrack.search.computed.papers import papers_answer
from casetrack.search.computed.parts import counted

if TYPE_CHECKING:
    from casetrack.base.records.reading import QuestionForm
    from casetrack.base.records.search import ComputedAnswer
    from casetrack.search.computed.parts import Source

FOLLOW_UP = "The question refers to an earlier one, which a search does not know: ask it in full."
_LACKING = f"Nothing was computed: the map lacks {{}}. {See('statistics')} reads them."
_MONEY = frozenset(LISTS.words("money"))
_DATES = frozenset(LISTS.words("dates"))


def answered(source: Source, text: str, /) -> tuple[ComputedAnswer | None, str]:
    """Return the computed answer, or a note about the question; both may be missing.

    *text* is the question without instructions. Without a complete map, nothing is computed.
    """
    reading = source.reading
    if reading.form == "follow-up":
        return None, FOLLOW_UP
    if reading.form == "role":
        from casetrack.search.computed.signers import signers_answer

        return (None, "") if source.graph.lacking else signers_answer(source, text)
    if lacking := source.graph.lacking:
        return None, _LACKING.format(counted(lacking, "passage"))
    asked = asked_set(reading, text)
    from casetrack.search.computed.sheets import sheets_answer

    if reading.form == "computation":
        return (sheets_answer(source, asked) if asked else None), ""
    if asked is None:
        return None, _advice(tuple(text.lower().strip(" ?.!").split()), reading.form)
    answers = (documents_answer, sheets_answer, papers_answer, names_answer)
    made = next(filter(None, (answer(source, asked) for answer in answers)), None)
    if made is None:
        return None, _advice((*asked.words, *asked.measure), reading.form, asked.by)
    kind = ENTITIES.get(asked.name) if asked.form == "list" else None
    return made, f"Other names are less certain: {See('entities', kind=kind)}." if kind else ""


def _advice(words: tuple[str, ...], form: QuestionForm, by: str = "value") -> str:
    """Return the operation that lists a set which was not computed; empty without one."""
    what = {"list": "list", "count": "count", "sum": "sum", "extreme": "comparison"}[form]
    is_money = form == "sum" or (form == "extreme" and not _MONEY.isdisjoint(words))
    named = "" if is_money and by == "value" else words[-1] if words else ""
    if named in TYPES:
        how = f"the documents of this type: {See('by-type', TYPES[named])}"
    elif named in ENTITIES:
        how = f"these names: {See('entities', kind=ENTITIES[named])}"
    elif named in REFERENCES:
        how = f"these references: {See('references', kind=REFERENCES[named])}"
    elif named in DOCUMENTS | PAPERS:
        how = f"all documents: {See('documents')}"
    elif named in _DATES:
        how = f"dated events: {See('timeline')}"
    elif named in LISTS.groups("formats")["eml msg"]:
        how = f"who sent mails to whom: {See('correspondence')}"
    elif is_money or named in _MONEY:
        how = f"amounts sorted by size: {See('amounts', sort='value')}"
    else:
        return ""
    return f"No {what} was computed, because the set is not certain. For {how}."
