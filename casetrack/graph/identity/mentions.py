"""Finds mentions of agreements and amendments, with their dates and numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.numerals import roman_value
from casetrack.base.words import WordLists
from casetrack.base.words.lists import any_month
from casetrack.extract.references.statutes import title_start
from casetrack.graph.identity.facts import Description, days_of
from casetrack.graph.identity.titles import RESTATED, number_key, numbers_in, title_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.graph.identity.facts import Joined, Kind

_LISTS = WordLists(__file__)

_NOUN_WORDS = _LISTS.phrases("noun_words")


def _either_case(words: tuple[str, ...]) -> str:
    ordered = sorted({w for word in words for w in (word, word.upper())}, key=len, reverse=True)
    firsts = "".join(sorted({w[0] for w in ordered}))
    rest = "|".join(re.escape(w[1:]).replace(r"\ ", r"\s+") for w in ordered)
    return rf"[{firsts}](?<![\w-].)(?:{rest})"


_NOUN = re.compile(
    rf"(?:{_either_case(_NOUN_WORDS)}(?:e?s)?|[A-ZÄÖÜ](?<![\w-].)(?:[a-zäöüß-]{{2,24}}(?:vertrag|vereinbarung|abkommen)(?:e?s)?|[A-ZÄÖÜ-]{{2,24}}(?:VERTRAG|VEREINBARUNG|ABKOMMEN)))(?![\w-])"
)
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth"
).split()
_CARDINALS = "one two three four five six seven eight nine ten eleven twelve".split()
_GERMAN = "erste zweite dritte vierte funfte sechste siebte achte neunte zehnte".split()
_SUPPLEMENTS = ("addend", "supplement", "ergan", "ergän", "joinder")
_CHANGE = re.compile(_LISTS.text("change"), re.VERBOSE)
_TO = _LISTS.pattern("to")
_THIS = _LISTS.pattern("this")
_TERM = _LISTS.pattern("term")
_CALLED = _LISTS.pattern("called")
_AFTER = _LISTS.pattern("after")
_MONTH = re.compile(rf"(?:{any_month()})\b")
_DATE_LINK = _LISTS.pattern("date_link")
_DATE_CUE = _LISTS.pattern("date_cue")
_BREAK = re.compile(r"[;!?]|\.\s+(?=[A-Z“\"(])|\n\s*\n")
_ABBREVIATED = _LISTS.pattern("abbreviated")
_QUOTED = re.compile(r"[(\[][^()\[\]]{0,70}[\"“„]$")
_REFERENCE = _LISTS.pattern("reference")
_LEADING = re.compile(r"(?:(?i:au|aux|du|de|des|dem|zum|zur|vom|to|al|la|le|les|les|del)\s+)*")
_GOES_ON = re.compile(r"(?i:dated|as\s+of|vom|du|effective|made|date)\b")
_FAR = 360


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention of an agreement, or of a change to one."""

    # The title, code points in the joined text.
    start: int
    end: int
    of: Description
    is_this: bool  # Whether it is the document itself: "This Agreement"
    term: str = ""  # The defined term for it: "Original Agreement"; may be empty
    # For a change, the start of the mention of its base: "Amendment No. 1 *to the Lease*".
    base: int = -1


def find_mentions(joined: Joined, start: int, end: int, /) -> list[Mention]:
    """Return the agreements and changes mentioned in ``joined.text[start:end]``, in order."""
    text = joined.text
    changes = list(_changes(text, start, end))
    covered = [(m.start, m.end) for m in changes]
    plain = [
        m
        for m in _agreements(text, start, end)
        if not any(a < m.end and m.start < b for a, b in covered)
    ]
    mentions = sorted([*changes, *plain], key=lambda m: m.start)
    finished = []
    for i, mention in enumerate(mentions):
        stop = mentions[i + 1].start if i + 1 < len(mentions) else end
        finished.append(_with_surroundings(joined, mention, min(stop, mention.end + _FAR)))
    return [_based(text, mention, finished[i + 1 : i + 2]) for i, mention in enumerate(finished)]


def _agreements(text: str, start: int, end: int) -> Iterator[Mention]:
    for match in _NOUN.finditer(text, start, end):
        at = title_start(text, match.start(), words=9)
        lead = _LEADING.match(text, at, match.start())
        at = lead.end() if lead else at
        stop = match.end()
        after = _AFTER.match(text, stop) if at == match.start() else None
        if after and not _MONTH.match(after["what"]):
            stop = after.start("what") + len(_trimmed(after["what"]))
        title = text[at:stop]
        if _QUOTED.search(text, max(0, at - 80), at):
            continue  # the defined term of the preceding mention
        yield Mention(
            at,
            stop,
            Description("agreement", title_words(title), bool(RESTATED.search(title))),
            bool(_THIS.search(text, max(0, at - 24), at)),
        )


def _trimmed(what: str) -> str:
    words = what.split(" ")
    while words and words[-1] in {"of", "and", "the", "for"}:
        words.pop()
    return " ".join(words)


def _changes(text: str, start: int, end: int) -> Iterator[Mention]:
    for match in _CHANGE.finditer(text, start, end):
        ordinal = _ordinal(match["ordinal"]) or _ordinal(match["number"])
        word = match["word"].casefold()
        kind: Kind = "supplement" if word.startswith(_SUPPLEMENTS) else "amendment"
        if text[match.end() :].lstrip()[:12].casefold().startswith("and restate"):
            continue
        is_this = bool(_THIS.search(text, max(0, match.start() - 24), match.start()))
        yield Mention(match.start(), match.end(), Description(kind, ordinal=ordinal), is_this)


def _ordinal(written: str | None) -> int | None:
    if not written:
        return None
    low = written.casefold().strip(". ").replace("ü", "u")
    digits = re.match(r"\d+", low)
    if digits:
        return int(digits[0])
    if low in _ORDINALS:
        return _ORDINALS.index(low) + 1
    if low in _CARDINALS:
        return _CARDINALS.index(low) + 1
    german = next((i for i, w in enumerate(_GERMAN) if low.startswith(w)), None)
    return german + 1 if german is not None else roman_value(low)


def _with_surroundings(joined: Joined, mention: Mention, stop: int) -> Mention:
    """Return a mention with the date, numbers and defined term that follow it."""
    text = joined.text
    stop = _sentence_end(text, mention.end, stop)
    dates: tuple[str, ...] = ()
    last = mention.end
    for date in joined.dates_within(mention.end, stop):
        between = text[last : date.start]
        if not dates and not (_DATE_LINK.match(between) and _DATE_CUE.search(between)):
            break
        if dates and not re.fullmatch(
            r"[\s,(]*(?:and\s+)?(?:effective|with\seffect)\s+(?:as\s+of|from|on)?\s*", between
        ):
            break
        dates += tuple(d for d in days_of(date) if d not in dates)
        last = date.end
    reach = text[mention.end : stop]
    term = _TERM.search(reach) or _CALLED.match(reach)
    numbers = tuple(
        number
        for at, number in numbers_in(
            text, max(mention.start, mention.end - 40), min(stop, mention.end + 60)
        )
        if at >= mention.start
    )
    reference = _REFERENCE.match(text, mention.end, mention.end + 60)
    if mention.of.kind == "agreement" and reference and not numbers:
        numbers = tuple(f"contract:{n}" for n in [number_key(reference["id"])] if n)
    return replace(
        mention,
        of=replace(mention.of, dates=dates, numbers=numbers),
        term=" ".join(term["term"].split()).strip(" ,.") if term else "",
    )


def _sentence_end(text: str, start: int, stop: int) -> int:
    for gap in _BREAK.finditer(text, start, stop):
        if _ABBREVIATED.search(text, max(0, gap.start() - 8), gap.start() + 1):
            continue
        if not (gap[0].isspace() and _GOES_ON.match(text, gap.end())):
            return gap.start()
    return stop


def _based(text: str, mention: Mention, following: list[Mention]) -> Mention:
    """Return a change with the position of the agreement that it names as its base."""
    if mention.of.kind == "agreement" or not following:
        return mention
    between = text[mention.end : following[0].start]
    if len(between) < 160 and _TO.fullmatch(between):
        return replace(mention, base=following[0].start)
    return mention
