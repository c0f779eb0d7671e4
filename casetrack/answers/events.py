"""What a text says happened on a date, and how much that stands out."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.answers.sentence import sentence_around, shortened

if TYPE_CHECKING:
    from casetrack.records import Chunk

_WIDTH = 240
_HEAD = 600
_HEAD_WORDS = 8
_PRECISION_WEIGHTS = {
    "day": 1.0,
    "range": 0.85,
    "week": 0.8,
    "month": 0.7,
    "quarter": 0.55,
    "half": 0.5,
    "year": 0.25,
}
_DEEDS = re.compile(
    r"""\b(?:
    sign(?:ed|s|ing|ature)|execut(?:ed|ion)|enter(?:ed)?\ into|dated|effective|commenc\w+|
    deliver(?:ed|y|ies|s)|complet(?:ed|ion)|accept(?:ed|ance)|hand(?:ed)?\ over|install(?:ed|ation)|
    terminat\w+|cancel\w+|expir\w+|renew\w+|extend(?:ed|s)?|extension|amend(?:ed|ment)|
    due|payable|paid|pay(?:s|ment)?|invoic\w+|remitt\w+|deadline|no\ later\ than|
    approv(?:ed|al|es)|resolv(?:ed|es)|resolution|adopted|authoris\w+|authoriz\w+|agreed|
    fil(?:ed|ing)|served?|issued|notified|notice\ (?:was|is|of)|notif(?:y|ied)|claim(?:ed|s)?|
    sued|settle(?:d|ment)|judg(?:e)?ment|order(?:ed)?|hearing|trial|ruled|held|determin(?:ed|ation)|
    met|meeting|visit(?:ed)?|inspect(?:ed|ion)|interview(?:ed)?|report(?:ed|s)?|wrote|sent|received|
    appoint(?:ed|ment)|resign(?:ed|ation)|dismissed|hired|joined|died|born|founded|incorporated|
    acquir(?:ed|es)|sold|purchas(?:ed|e)|transferr?ed|launch(?:ed)?|opened|closed|began|begins|
    begun|start(?:ed|s)?|end(?:ed|s)|fail(?:ed|ure)|lost|found|discovered|detected|occurred|
    happened|repaired|replaced|submitted|offered|proposed|published|released|breach\w*|
    unterzeichnet|unterschrieben|geliefert|lieferung|liefertermin|gekündigt|kündigung|fällig|
    bezahlt|zahlung|genehmigt|eingereicht|zugestellt|vereinbart|beginnt|endet|begann|abnahme|frist|
    signé\w*|livré\w*|résilié\w*|payé\w*|échéance|approuvé\w*|déposé\w*|conclu\w*|
    firmad\w+|entregad\w+|rescindid\w+|pagad\w+|vencimiento|aprobad\w+|presentad\w+
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
_STRONG = re.compile(
    r"""\b(?:signed|executed|entered\ into|effective|commence\w*|terminat\w+|expir\w+|deadline|
    approv(?:ed|es)|resolved|paid|payable|due|filed|served|delivered|amended|settled|
    no\ later\ than|judgment|hearing|breach\w*|lost|occurred|notified|claimed|submitted|issued|
    completed|accepted|unterzeichnet|gekündigt|fällig|liefertermin|signé\w*|résilié\w*|firmad\w+|rescindid\w+)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_NOISE_BEFORE = re.compile(
    r"(?:©|\(c\)|copyright|all rights reserved|printed(?: on)?|print date|page \d+(?: of \d+)?"
    r"|downloaded(?: on)?|last saved|file name|rev(?:ision|\.)?|version|v)[\s:,.–-]*$",
    re.IGNORECASE,
)
_NOISE_SENTENCE = re.compile(r"©|\bcopyright\b|all rights reserved", re.IGNORECASE)
_BEFORE_YEAR = re.compile(
    r"\b(?:in|since|until|till|by|during|from|before|after|of|year|to|seit|im Jahr|bis|en|depuis|"
    r"desde)\s*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the text says of a date: in words, and how much it says, 0..1."""

    description: str
    says: float


def read_event(chunk: Chunk, start: int, end: int, precision: str, /) -> Reading | None:
    """Read what a passage says of the date at ``text[start:end]``; ``None`` where it is no event.

    Years of copyright, print dates, version dates and years that only head a column are none.
    """
    text = chunk.text
    low, high = sentence_around(text, start, end)
    sentence = text[low:high]
    if _NOISE_BEFORE.search(text[max(low, start - 40) : start]) or _NOISE_SENTENCE.search(sentence):
        return None
    words = _WORD.findall(text[low:start] + " " + text[end:high])
    in_table = " | " in sentence
    deed = _says(sentence)
    if precision == "year" and (in_table or not deed or not _BEFORE_YEAR.search(text[low:start])):
        return None
    if in_table:
        return _cell(text, (low, high), (start, end), precision)
    at_head = chunk.provenance.chunk_index == 0 and start < _HEAD and len(words) <= _HEAD_WORDS
    if len(words) < 3 or (at_head and not deed):
        return _bare(chunk, start, end, (low, high))
    return Reading(
        shortened(text, low, high, (start, end), _WIDTH), deed * (1.0 if len(words) > 5 else 0.8)
    )


def _cell(
    text: str, row: tuple[int, int], place: tuple[int, int], precision: str
) -> Reading | None:
    """Read a row of a table; a month or quarter that only heads its row is no event."""
    before = text[row[0] : place[0]]
    first = "|" not in before.lstrip("| ")
    if first and precision not in {"day", "range"}:
        return None
    after = text.find("|", place[1], row[1])
    cell = text[row[0] + before.rfind("|") + 1 : row[1] if after < 0 else after]
    says = 0.6 if _DEEDS.search(cell) else 0.3 * _says(text[row[0] : row[1]])
    return Reading(shortened(text, *row, place, _WIDTH), says)


def _says(sentence: str) -> float:
    if _STRONG.search(sentence):
        return 1.0
    return 0.7 if _DEEDS.search(sentence) else 0.0


def _bare(chunk: Chunk, start: int, end: int, line: tuple[int, int]) -> Reading:
    """Say of a date that stands alone under what it stands: the head of a letter, or a heading."""
    own = shortened(chunk.text, *line, (start, end), _WIDTH)
    source = chunk.provenance
    if source.chunk_index == 0:
        return Reading(f"{own}: date at the head of {source.document_name}", 0.6)
    under = source.heading_path[-1].strip("# ") if source.heading_path else source.document_name
    return Reading(f"{under}: {own}" if under not in own else own, 0.15)


def date_weight(
    precision: str, places: int, documents: int, /, *, beside: int, says: float
) -> float:
    """Return how much a date stands out, 0..1.

    Parameters
    ----------
    precision
        Of the date; a day weighs more than a year.
    places, documents
        How often it is given, and by how many documents.
    beside
        Names, sums and references near it.
    says
        How much its sentence says, 0..1.
    """
    weight = (
        0.25 * _PRECISION_WEIGHTS.get(precision, 0.25)
        + 0.35 * min(says, 1.0)
        + 0.2 * min(math.log2(max(documents, 1)) / 3, 1.0)
        + 0.1 * min(math.log2(max(places, 1)) / 4, 1.0)
        + 0.1 * min(beside, 4) / 4
    )
    return min(weight, 1.0)
