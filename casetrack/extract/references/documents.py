"""References to other documents: agreements, amendments, invoices, letters, reports, files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug
from casetrack.extract.references.sections import is_alone, starts_line
from casetrack.extract.references.statutes import DATE, iso_date, title_start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.extract.spans import ReferenceType

_LISTS = WordLists(__file__)

_AGREEMENT_WORD = re.compile(_LISTS.text("agreement_word"), re.VERBOSE)
_GERMAN_WORD = re.compile(r"\b[A-ZÄÖÜ][a-zäöü]{2,20}(?:vertrag|vereinbarung|schreiben)(?:e?s)?\b")
_REPORTS = frozenset(
    "report reports study survey assessment determination audit findings bericht gutachten".split()
)
_DATED = re.compile(
    rf",?\s{{1,3}}(?:(?:was\s)?(?:dated|made|executed|entered\sinto)\s{{1,3}}(?:effective\s)?(?:as\s{{1,3}}of\s{{1,3}}|on\s)?|(?:as\s)?of\s{{1,3}}|from\s|vom\s|,\s)"
    rf"(?:the\s)?(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?\s)?{DATE}"
)
_PERIOD = _LISTS.pattern("period")
_PLAIN = frozenset("agreement agreements contract lease deed indenture guarantee guaranty".split())
_WEAK = frozenset(_LISTS.words("weak"))
_KINDS = _LISTS.phrases("kinds")
_ID = (
    r"(?:[A-Z]{1,6} |[A-Za-z]{1,6}[-/])?(?:[A-Za-z]{1,4}[-/])*[A-Za-z]{0,3}\d\w*(?:[-/.]\w*\d\w*)*"
)


def _any_of(words: tuple[str, ...]) -> str:
    """Expression for *words* that begins with the set of their first letters, which is fast."""
    first = "".join(sorted({word[0] for word in words}))
    rest = "|".join(
        re.escape(word[1:]).replace(r"\ ", r"\s")
        for word in sorted(set(words), key=len, reverse=True)
    )
    return rf"[{first}](?<![\w-].)(?:{rest})"


_NUMBERED = re.compile(
    rf"{_any_of(_KINDS)}(?P<many>s|en|e|n)?\s"
    rf"(?P<mark>(?:No\.?|Nr\.?|Number|number|no\.|Nos\.|Ref\.?)\s{{0,2}}|\#\s?|№\s?)?(?::\s?)?(?P<id>{_ID})(?![\w])"
)
_NEXT_ID = re.compile(rf"\s?(?:,|\band\b|\bor\b|&|\bund\b|,\s?and\b)\s(?P<id>{_ID})(?![\w%])")
_MEASURE = _LISTS.pattern("measure")
_NEEDS_MARK = _LISTS.pattern("needs_mark")
_ORDINALS = (
    "First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Eleventh Twelfth".split()
)
_ORDINAL = re.compile(
    rf"(?P<ordinal>{_any_of(tuple(_ORDINALS))})\s(?P<kind>Amendment|Addendum|Supplement)(?![\w-])(?!\s(?:right|freedom))"
)
_FORM = _LISTS.pattern("form")
_QUOTED = re.compile(r"[“\"„]([^“”\"„\n]{6,140})[”\"“]")
_BEFORE_QUOTE = _LISTS.pattern("before_quote")
_AFTER_QUOTE = re.compile(r"\s(?P<noun>report|study|paper|memorandum|memo|presentation|Bericht)\b")
_EXTENSIONS = (
    "pdf|docx?|docm|xlsx?|xlsm|csv|pptx?|txt|eml|msg|ods|odt|rtf|zip|html?|json|xml"
    "|png|jpe?g|tiff?|md|dwg|mpp|vsdx"
)
_FILE_END = re.compile(rf"\.(?i:{_EXTENSIONS})(?![\w/])")
_FILE_WORD = re.compile(r"[A-Z0-9][\w&-]{0,30}")
_NOT_IN_FILE = frozenset(
    "See The In File Attachment Annex Refer Open From To Sheet Cf Siehe Our Your And "
    "Document This A An Of".split()
)
_FILE_LENGTH = 120


def find_documents(text: str, /, *, keep_headings: bool = False) -> Iterator[ReferenceMatch]:
    """Yield references to documents and reports, not in order, possibly overlapping."""
    for match in _all(text):
        if keep_headings or not is_alone(text, match.start, match.end):
            yield match


def _all(text: str) -> Iterator[ReferenceMatch]:
    yield from _files(text)
    yield from _numbered(text)
    if "Form " in text or "Forms " in text:
        for match in _FORM.finditer(text):
            form = match["form"].replace("10K", "10-K").replace("10Q", "10-Q")
            key = "report:" + slug("form", form, match["ended"] or match["year"] or "")
            yield _found(match.start(), match.end(), key, text, 0.9)
    ordinals = (
        _ORDINAL.finditer(text)
        if "mendment" in text or "ddendum" in text or "upplement" in text
        else ()
    )
    for match in ordinals:
        number = str(_ORDINALS.index(match["ordinal"]) + 1)
        key = "document:" + slug(match["kind"], number)
        yield _found(match.start(), match.end(), key, text, 0.85)
    if "“" in text or '"' in text or "„" in text:
        yield from _quoted(text)
    yield from _named(text)


def _found(start: int, end: int, key: str, text: str, confidence: float) -> ReferenceMatch:
    kind: ReferenceType = "report" if key.startswith("report:") else "document"
    return ReferenceMatch(start, end, kind, key, one_line(text[start:end]), confidence)


def _files(text: str) -> Iterator[ReferenceMatch]:
    for match in _FILE_END.finditer(text):
        start = _file_start(text, match.start())
        name = text[start : match.end()]
        if name[0].isalnum() and "://" not in text[max(0, start - 4) : start]:
            yield ReferenceMatch(
                start, match.end(), "document", "document:" + slug(name), name, 0.95
            )


def _file_start(text: str, end: int) -> int:
    left = max(0, end - _FILE_LENGTH)
    line = text[left:end].rsplit("\n", 1)[-1]
    words = line.split(" ")
    stem = words.pop()
    kept = re.search(r"[\w()&+.-]+$", stem[-100:])
    if kept is None:
        return end
    start = end - len(kept[0])
    if len(kept[0]) < len(stem):
        return start + len(kept[0]) - len(kept[0].lstrip("(.-+&"))
    while words and _FILE_WORD.fullmatch(words[-1]) and words[-1] not in _NOT_IN_FILE:
        start -= len(words.pop()) + 1
    return start


def _numbered(text: str) -> Iterator[ReferenceMatch]:
    for match in _NUMBERED.finditer(text):
        written = text[match.start() : match.start("mark" if match["mark"] else "id")]
        kind = one_line(written.rstrip(" :\n\t").removesuffix(match["many"] or ""))
        number = match["id"]
        alone = not _NEXT_ID.match(text, match.end("id"))
        if match["many"] and alone and not match["mark"]:
            # "Amendments 61" is a line of a table of contents.
            continue
        if not _is_number_of_document(kind, number, match["mark"], text, match.end("id")):
            continue
        type_: ReferenceType = "document"
        if kind.endswith(("Report", "Bericht")):
            type_ = "report"
        key = f"{type_}:{slug(_kind_in_key(kind))}"
        end = match.start("id") + len(number)
        yield _found(match.start(), end, f"{key}-{slug(number)}", text, 0.95)
        several = bool(match["many"]) or (match["mark"] or "").startswith("Nos")
        while (more := _NEXT_ID.match(text, end)) and (several or not number.isdigit()):
            if _shape(more["id"]) != _shape(number):
                break
            end = more.end()
            name = f"{kind} {more['id']}"
            yield ReferenceMatch(
                more.start("id"), end, type_, f"{key}-{slug(more['id'])}", name, 0.9
            )


def _shape(number: str) -> tuple[str, bool]:
    letters = re.match(r"[A-Za-z]*", number)
    return (letters[0] if letters else "", "-" in number)


def _is_number_of_document(kind: str, number: str, mark: str | None, text: str, end: int) -> bool:
    if not number or _MEASURE.match(text, end):
        return False
    if mark:
        return True
    if re.fullmatch(r"[a-z]{1,6} .*", number):
        return False
    mixed = bool(re.search(r"[A-Z]", number)) and "-" in number
    if mixed:
        return True
    if _NEEDS_MARK.search(kind) and kind not in {"Purchase Order", "Change Order", "Work Order"}:
        return False
    if re.fullmatch(r"(?:19|20)\d\d", number) and kind != "Invoice":
        return False
    return kind[0].isupper() or len(number) > 3


def _kind_in_key(kind: str) -> str:
    plain = kind.casefold()
    return {"po": "purchase order", "p.o.": "purchase order", "sow": "statement of work"}.get(
        plain, plain.removeprefix("tax ")
    )


def _quoted(text: str) -> Iterator[ReferenceMatch]:
    for match in _QUOTED.finditer(text):
        title = match[1].strip(" ,.")
        if " " not in title or not title[0].isalnum():
            continue
        before = _BEFORE_QUOTE.search(text, max(0, match.start() - 40), match.start())
        after = None if before else _AFTER_QUOTE.match(text, match.end())
        noun = before or after
        if noun is None:
            continue
        type_: ReferenceType = "document"
        if noun["noun"].lower() in {"report", "study", "bericht"}:
            type_ = "report"
        start = before.start() if before else match.start()
        end = after.end() if after else match.end()
        name = one_line(title)
        yield ReferenceMatch(start, end, type_, f"{type_}:{slug(name)}", name, 0.85)


def _named(text: str) -> Iterator[ReferenceMatch]:
    matches = list(_AGREEMENT_WORD.finditer(text))
    if "vertrag" in text or "vereinbarung" in text or "schreiben" in text:
        matches += _GERMAN_WORD.finditer(text)
    for match in matches:
        word = match[0]
        start = title_start(text, match.start()) if word[0].isupper() else match.start()
        dated = _DATED.match(text, match.end())
        body = one_line(text[start : match.end()])
        plain = word.lower()
        type_: ReferenceType = "report" if plain in _REPORTS else "document"
        if dated and (start < match.start() or plain not in {"plan", "claim", "order", "policy"}):
            day = iso_date(dated)
            yield _found(start, dated.end(), f"{type_}:{slug(body, day)}", text, 0.9)
            continue
        period = (
            _PERIOD.match(text, match.end()) if type_ == "report" and word[0].isupper() else None
        )
        if period and start < match.start():
            key = slug(body, period["period"])
            yield _found(start, period.end(), f"{type_}:{key}", text, 0.9)
            continue
        if start == match.start() or body.isupper() or starts_line(text, start):
            continue
        if not plain.endswith("s") or plain == "minutes":
            plain_title = _is_title(body, plain)
        else:
            plain_title = False
        if plain_title:
            key = _year_last(body)
            yield _found(start, match.end(), f"{type_}:{key}", text, 0.6)


def _is_title(body: str, plain: str) -> bool:
    """Return whether a name in capitals without a date identifies a document."""
    words = [word.casefold() for word in body.split()[:-1]]
    if plain not in _PLAIN and plain not in {"report", "determination", "minutes", "assessment"}:
        return False
    return not all(word in _WEAK or len(word) < 3 or word in {"and", "the"} for word in words)


def _year_last(body: str) -> str:
    """Key of "2023 Annual Report": the year goes to the end."""
    year = re.match(r"((?:19|20)\d\d)\s", body)
    return slug(body[year.end() :], year[1]) if year else slug(body)
