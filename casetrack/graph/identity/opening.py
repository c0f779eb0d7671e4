"""The self-description of an agreement, letter, order or invoice in its opening."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.graph.identity.facts import Description, days_of
from casetrack.graph.identity.titles import numbers_in, title_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.graph.identity.facts import Joined, Kind
    from casetrack.graph.identity.mentions import Mention

_LISTS = WordLists(__file__)
OPENING = 4500
"""Number of code points at the start that contain the self-description."""
_TITLE = 1600
_LINE_BREAK = re.compile(r"\n|[ \t\u00a0]{3,}")
_LETTER = _LISTS.pattern("letter")
_PART = _LISTS.pattern("part")
_PART_TO = re.compile(r"^\W{0,4}(?:to|zum|zur|of|à|au)\b", re.IGNORECASE)
_HEADS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "invoice",
        re.compile(
            r"(?:(?:TAX|COMMERCIAL|PRO[\s-]?FORMA|FINAL|INTERIM|SALES)\s+)?(?:INVOICE|RECHNUNG|FACTURE|FACTURA|FATTURA|FAKTURA|CREDIT\s+(?:NOTE|MEMO)|GUTSCHRIFT)(?:\W.*)?$",
            re.IGNORECASE,
        ),
    ),
    (
        "order",
        re.compile(
            r"(?:(?:PURCHASE|SALES|WORK|TASK|SERVICE|CALL-OFF|DELIVERY|RELEASE|BLANKET|CHANGE|VARIATION)\s+ORDER|ORDER(?:\s+FORM|\s+CONFIRMATION|\s+ACKNOWLEDGE?MENT)?|STATEMENT\s+OF\s+WORK"
            r"|BESTELLUNG|AUFTRAG(?:SBESTÄTIGUNG)?|BON\s+DE\s+COMMANDE|PEDIDO|DELIVERY\s+NOTE|LIEFERSCHEIN)(?:\W.*)?$",
            re.IGNORECASE,
        ),
    ),
    (
        "notice",
        re.compile(
            r"(?:(?:FORMAL|WRITTEN|FINAL|FIRST|SECOND)\s+)?NOTICE(?:\s+(?:OF|TO|UNDER|PURSUANT)\b.*)?$|(?:TERMINATION|RENEWAL|BREACH|DEFAULT)\s+NOTICE.*$|KÜNDIGUNG.*$",
            re.IGNORECASE,
        ),
    ),
)
_CHANGE_ORDER = _LISTS.pattern("change_order")
_OWN_DATE = _LISTS.pattern("own_date")
_OWN_TYPE: dict[Kind, tuple[str, ...]] = {
    "invoice": ("invoice", "credit"),
    "order": ("order",),
    "agreement": ("contract",),
    "restatement": ("contract",),
}
_UNDER = _LISTS.pattern("under")


@dataclass(frozen=True, slots=True)
class Opening:
    """The self-description of a document."""

    description: Description
    label: str = ""  # Of a schedule or exhibit
    # The span of the self-description; code points in the joined text.
    start: int = 0
    end: int = 0
    # Position of the document that it changes or belongs to; -1 if the title names none.
    base: int = -1


def read_opening(joined: Joined, mentions: Sequence[Mention], /) -> Opening:
    """Return the self-description in an opening; *mentions* are the agreements named in it."""
    text = joined.text[:OPENING]
    part = _part(text)
    head = _head(text)
    own = next((m for m in mentions if m.is_this or _is_title(joined.text, m)), None)
    if part and "." in part.label:
        # An exhibit of a filing is a separate document.
        own = own or next((m for m in mentions if m.is_this), None)
        if own is None and head is None:
            return replace(
                part, description=replace(part.description, dates=_own_dates(joined, mentions))
            )
    elif part and (own is None or own.start > part.start or part.start < 80):
        at = _own_of_part(joined.text, mentions, part)
        if at is not None:
            return at
    if head and head.description.kind != "notice" and _LETTER.search(text):
        head = None  # the subject of a letter
    if head and (own is None or head.start <= own.start or own.start - head.start > 400):
        described_self = head
    elif own is not None and not _LETTER.search(text[: own.start]):
        described_self = _of_agreement(joined, mentions, own)
    elif _LETTER.search(text):
        described_self = Opening(Description("letter"))
    else:
        return Opening(Description(dates=()))
    described = described_self.description
    dates = described.dates or _own_dates(joined, mentions)
    if part and "." in part.label:
        described_self = replace(described_self, label=part.label)
    return replace(
        described_self,
        description=replace(
            described, dates=dates, numbers=_own_numbers(text, described, mentions)
        ),
    )


def _is_title(text: str, mention: Mention) -> bool:
    """Return whether a mention looks like a title: a separate, capitalised line near the top."""
    if mention.start > _TITLE:
        return False
    begin = max(
        (m.end() for m in _LINE_BREAK.finditer(text, max(0, mention.start - 300), mention.start)),
        default=-1,
    )
    if begin < 0:
        begin = 0 if mention.start <= 300 else mention.start
    stop = _LINE_BREAK.search(text, mention.end)
    line = text[begin : stop.start() if stop else len(text)].strip()
    if text[begin : mention.start].strip(' \t*#_"“') and not mention.of.ordinal:
        before = text[begin : mention.start].split()
        if any(w[0].islower() for w in before if w[0].isalpha()):
            return False
    if len(line) > 160 or line.endswith((",", ";")):
        return False
    words = [w for w in re.findall(r"[^\W\d_]+", line) if len(w) > 3]
    return bool(words) and sum(w[0].isupper() for w in words) >= 0.75 * len(words)


def _of_agreement(joined: Joined, mentions: Sequence[Mention], own: Mention) -> Opening:
    described = own.of
    end, base = own.end, own.base
    same = [m for m in mentions if m.is_this and m.of.kind == described.kind]
    if described.kind == "agreement":
        kind: Kind = "restatement" if described.restated else "agreement"
        # "AMENDMENT" alone above "This Amendment No. 2 to the Lease": the sentence has more detail.
        fuller = next((m for m in same if m.of.title), None)
        title = described.title or (fuller.of.title if fuller else ())
        restated = described.restated or any(m.of.restated for m in same)
        dates = described.dates + tuple(
            d for m in same for d in m.of.dates if d not in described.dates
        )
        described = replace(
            described,
            kind="restatement" if restated else kind,
            title=title,
            restated=restated,
            dates=dates,
        )
    else:
        ordinal = described.ordinal or next((m.of.ordinal for m in same if m.of.ordinal), None)
        dates = tuple(dict.fromkeys(d for m in (own, *same) for d in m.of.dates))
        if base < 0:
            base = next((m.base for m in same if m.base >= 0), -1)
        described = replace(described, ordinal=ordinal, dates=dates)
    described = replace(described, dates=described.dates or _own_dates(joined, mentions))
    return Opening(described, "", own.start, end, base)


def _part(text: str) -> Opening | None:
    match = _PART.search(text[:700])
    if not match or len(text[: match.start()].split()) > 40:
        return None
    kind: Kind = "exhibit" if match["word"].casefold() == "exhibit" else "schedule"
    return Opening(Description(kind), match["label"].casefold(), match.start("word"), match.end())


def _own_of_part(text: str, mentions: Sequence[Mention], part: Opening) -> Opening | None:
    """Return a schedule or exhibit with the agreement that it belongs to, if stated."""
    first = next((m for m in mentions if m.start >= part.end), None)
    if first is not None and not first.is_this:
        between = text[part.end : first.start]
        if len(between) < 200 and (
            _PART_TO.match(between)
            or re.search(
                r"\b(?:to|zum|zur|of|à)\s+(?:the\s+|that\s+certain\s+)?$", between, re.IGNORECASE
            )
        ):
            return replace(part, base=first.start)
    if first is not None and (first.is_this or _is_title(text, first)):
        return None  # an agreement that is an exhibit of a filing
    return part


def _head(text: str) -> Opening | None:
    at = 0
    for number, line in enumerate(text[:_TITLE].split("\n")):
        stripped = line.strip(" \t*#_|-–—:")
        if number > 40:
            break
        if 4 <= len(stripped) <= 90 and stripped[0].isupper():
            for kind, pattern in _HEADS:
                match = pattern.match(stripped)
                if match and _reads_as_title(stripped):
                    start = at + line.index(stripped)
                    end = start + len(stripped)
                    if changed := _CHANGE_ORDER.match(stripped):
                        ordinal = int(changed["number"]) if changed["number"] else None
                        return Opening(Description("amendment", ordinal=ordinal), "", start, end)
                    words = title_words(re.split(r"[\d#:]", stripped, maxsplit=1)[0])
                    return Opening(Description(kind, words), "", start, end)
        at += len(line) + 1
    return None


def _reads_as_title(line: str) -> bool:
    words = [w for w in re.findall(r"[^\W\d_]+", line) if len(w) > 3]
    return bool(words) and all(w[0].isupper() for w in words[:3]) and not line.endswith((".", ","))


def _own_dates(joined: Joined, mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return the dates in the opening that do not belong to another document."""
    text, own_dates = joined.text, dict[str, None]()
    others = [m for m in mentions if not m.is_this and (m.of.dates or m.base >= 0)]
    of_others = {d for m in others if m.of.dates and not _is_title(text, m) for d in m.of.dates}
    for date in joined.dates_within(0, OPENING // 2):
        before = text[max(0, date.start - 60) : date.start]
        is_alone = _is_separate(text, date.start, date.end)
        if is_alone or _OWN_DATE.search(before):
            own_dates.update(dict.fromkeys(d for d in days_of(date) if d not in of_others))
    return tuple(own_dates)[:6]


def _is_separate(text: str, start: int, end: int) -> bool:
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    return len(text[begin:start].strip()) <= 24 and not text[end:stop].strip(" .,")


def _own_numbers(text: str, described: Description, mentions: Sequence[Mention]) -> tuple[str, ...]:
    kinds = _OWN_TYPE.get(described.kind, ())
    others = {number for m in mentions if not m.is_this and m.of.dates for number in m.of.numbers}
    for at, number in numbers_in(text, 0, OPENING):
        if (
            number.partition(":")[0] in kinds
            and number not in others
            and not _UNDER.search(text, max(0, at - 40), at)
        ):
            return (number,)
    return described.numbers
