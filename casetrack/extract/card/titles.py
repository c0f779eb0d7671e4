"""Title of a document, and the document that it amends, from its cover."""

from __future__ import annotations

import re
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final

from casetrack.extract.card.facts import Found, clean, found_at, matched, of_property
from casetrack.extract.card.patterns import FILINGS, FORM, ISSUED, MAILS, NOT_TITLE, PERSON, pattern
from casetrack.extract.dates import find_dates
from casetrack.extract.papers.docket_sheet import is_docket_header

if TYPE_CHECKING:
    from casetrack.extract.card.cover import Cover, Line

CONTRACT_NOUN: Final = pattern("contract_noun")
_FIRM: Final = pattern("firm")
_AMENDS: Final = pattern("amends")
_BILLS: Final = (r"\b(?:\w*rechnung|invoices?|facture|factuur|factura|receipt)\b",)
_TITLE_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "minutes": (
        r"\b(?:minutes|protokoll|niederschrift|procès)\b",
        r"(?:meeting|versammlung|treffen|sitzung)\b",
    ),
    "invoice": _BILLS,
    "annual report": (r"\b(?:annual|geschäfts|jahres)\s?(?:financial )?(?:report|bericht)\b",),
    "order": (r"\b(?:order|bestellung|lieferschein)\b",),
    "form": (r"\b(?:form|application|consent|antrag|questionnaire|fragebogen)\b",),
}
"""Words of the title line of a kind, the surest first."""
_FORM_NAME: Final = pattern("form_name")
_NEAR_TOP, _BESIDE_DATE, _FEW, _BLOCK, _PROSE, _LONG, _LONGEST, _ROWS = 9, 12, 5, 6, 9, 14, 90, 2
_DOCUMENT: Final = pattern("document")
_END: Final = re.compile(
    r"[A-Z][\w’'-]+ (?:[A-Z]\.|de|van|von) [A-ZÄÖÜ][\w’'-]+$|(?i:(?:table of )?contents|inhalt\w*)$"
)
"""Lines below which no title is expected: names of officials, the table of contents."""
_LETTERS: Final = 0.35
"""Minimum share of letters in a title."""
BETWEEN: Final = pattern("between")
_COURT_OR_PART: Final = re.compile(
    r"(?i)(?:in\s+the\s+)?(?:[A-Z.]+\s+){0,5}court(?:\s+(?:of|for)\s.*)?|(?:on\s+)?appeals?\s+from\s.*|for\s+the\s+.*(?:district|circuit)\b.*"
    r"|(?:\w+\s+){1,2}district\s+of\s+.*|[IVX]{1,4}\.\s.*|(?:and|or|of|by|versus)\s.*|(?!(?:19|20)\d\d\s)\d{3,}\s.*"
)
_AGENCY: Final = pattern("agency")
_PAGE_TITLE: Final = re.compile(r"\s*(?P<headline>\S.{11,})\s[|–—-]\s(?P<v>\S.+)")
_RELEASED: Final = re.compile(r"(?i)\W*for\s+immediate\s+release\W*$")
_TOWN: Final = re.compile(r"\w+(?: \w+)?, [\w.]+(?: [\w.]+)?")
_LABELLED: Final = re.compile(r"(?:[A-Z][\w/.]*\s?){1,3}:(?:\s|$)")
_ADDRESS: Final = re.compile(
    r"^[A-Z][\w .-]+, [A-Z]{2}$"
    r"|,.*\b(?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]{2},? \d{5}|\d{5} [A-ZÄÖÜ][a-zäöü]+)\b"
)
OPEN_END: Final = re.compile(
    r"(?i)(?:(?:^|\s+)(?:of|and|for|the|to|in|on|with|an?|by|from|dated|und|der|die|für))+\s*$"
)


def read_title(cover: Cover, kind: str, /) -> Found | None:
    """Return the title that a document of a kind states for itself."""
    if cover.format in MAILS:
        return of_property("title", cover.properties.get("subject") or cover.title, "subject")
    if kind in {"correspondence", "memo"}:
        about = re.search(
            r"^\W*(?:Re|RE|Betreff|Subject|SUBJECT|[Ss]ubj|Objet|Asunto|Oggetto)\s*:\s*"
            r"(?P<v>[^\n]{4,140}(?:\n(?!\s*\n|[^\n]*[:,]\s*\n|Dear\b)[^\n]{3,100}){0,2})",
            cover.text,
            re.MULTILINE,
        )
        if about:
            return matched(cover, "title", about, 0.8, "subject line")
    if kind in {"contract", "policy"} and (named := _contract_title(cover)):
        return named
    if kind in FILINGS | {"form"} and (form := _form_title(cover)):
        return form
    own = None if NOT_TITLE.match(cover.title or "") else cover.title
    for name in (own or "", (own or "").rpartition(" | ")[0]):  # "Headline | Publisher"
        at = re.search(r"\s+".join(map(re.escape, name.split())), cover.text, re.IGNORECASE)
        if at and " " in name and not _AGENCY.fullmatch(name):
            return found_at(cover, "title", *at.span(), 0.95, "title in the text and the file")
    if kind == "correspondence":
        return None
    own = None if re.fullmatch(r"\S*[_\d]\S*", own or "") else own  # the name of a file
    line = _headline(cover, kind)
    words = re.findall(r"[^\W\d_]{2,}", own or "")
    if line and line.evidence == "first line" and len(words) > 1:
        # The words of the file's name confirm the file's title.
        line = None if re.search(r"[\W_]+".join(words), cover.name) else line
    if line:
        is_piece = kind == "contract" and not CONTRACT_NOUN.search(line.value)
        return None if is_piece and line.evidence == "first line" else line
    return of_property("title", own, "title of the file")


def page_title(cover: Cover, /) -> re.Match[str] | None:
    """Return the first line if it is "Headline - Publisher", and a line repeats the headline."""
    match = _PAGE_TITLE.match(cover.text) if cover.lines else None
    is_title = match and any(line.text == match["headline"] for line in cover.lines[1:])
    return match if is_title else None


def is_titled(text: str, /) -> bool:
    """Return whether every longer word of a line is capitalised, and it ends no sentence."""
    words = [w for w in re.findall(r"[^\W\d_]+", text) if len(w) > 3]
    return all(w[0].isupper() for w in words) and not text.rstrip().endswith((".", ",", ";"))


def is_day(text: str, /) -> bool:
    """Return whether a line has little more than a date."""
    return any(len(date.text) > len(text) - _BESIDE_DATE for date in find_dates(text))


def read_base(cover: Cover, kind: str, /) -> Found | None:
    """Return the contract that an amendment, waiver or joinder belongs to."""
    if kind != "contract":
        return None
    title = _contract_title(cover)
    low = title.start if title else 0
    match = _AMENDS.search(cover.text, max(0, low - 5), min(len(cover.text), low + 700))
    if match is None or (
        title
        and match.start() > title.end + 30
        and not re.search(r"amend|waiver|supplement|joinder", title.value, re.IGNORECASE)
    ):
        return None
    named = match if CONTRACT_NOUN.search(match["v"]) else None
    return matched(cover, "base", named, 0.8, "title of the amendment")


def is_firm(cover: Cover, line: str, /) -> bool:
    """Return whether a line is the name of a firm, also one whose legal form is elsewhere."""
    if firm := _FIRM.match(line):  # two firms on a line are the names of two columns
        return firm[0] == line
    full = rf"(?<!\w){re.escape(line)},? (?:{FORM})(?!\w)"
    is_short = line.replace(" ", "").isalpha() and len(line.split()) <= _BLOCK
    return is_short and is_titled(line) and re.search(full, cover.text) is not None


def _is_no_title(cover: Cover, line: str) -> bool:
    """Return whether a line names no document: an organization, a part, a date, a header."""
    day = next((d for d in find_dates(line) if d.precision == "day" and d.start < 1), None)
    is_other = NOT_TITLE.match(line) or _COURT_OR_PART.fullmatch(line) or day or is_day(line)
    is_other = is_other or sum(c.isalpha() for c in line) < _LETTERS * len(line) or "\ufffd" in line
    agency = _AGENCY.match(line)
    is_agency = agency and line[agency.end() :][:2] in {"", " ("} and not _DOCUMENT.search(line)
    is_other = bool(is_other or is_agency or is_docket_header(line) or _ADDRESS.search(line))
    return is_other or is_firm(cover, line) or _is_word(cover, line)


def _is_word(cover: Cover, line: str) -> bool:
    """Return whether a line is one word that is no kind of document, as a name or a part is."""
    word = clean(line).casefold()
    is_known = _DOCUMENT.search(word) or word in f"{cover.title} {cover.name}".casefold()
    return " " not in word and not is_known


def _headline(cover: Cover, kind: str) -> Found | None:
    """Return the first heading, else the first lines that look like a title."""
    for words in _TITLE_WORDS.get(kind, ()):
        for line in cover.lines[:14]:
            is_plain = len(line.text) < 110 and not re.search(
                r"http|^\W*-|^[*•]\s|^\d+\W|\d+ ?min\b", line.text
            )
            if is_plain and re.match(rf"[^(:]{{0,60}}(?:{words})", line.text, re.IGNORECASE):
                return found_at(cover, "title", line.start, line.end, 0.85, "title line")
    if kind in ISSUED - FILINGS and (block := _capitals(cover)):
        return block
    if dated := _dated(cover):
        return dated
    if heading := _heading(cover):
        return heading
    if page := page_title(cover):
        return found_at(cover, "title", *page.span("headline"), 0.85, "title of the page")
    return None if kind in {"invoice", "order"} else _first_line(cover)


def _dated(cover: Cover) -> Found | None:
    """Return the words before the date in the first line: "Weekly Market Report, May 3, 2024"."""
    for line in cover.lines[:1]:
        day = next((d for d in find_dates(line.text) if d.precision == "day"), None)
        name = clean(line.text[: day.start]) if day else ""
        is_stamp = is_docket_header(line.text) or ":" in name or _is_no_title(cover, name)
        if len(name.split()) > 2 and is_titled(name) and not is_stamp:
            return found_at(cover, "title", line.start, line.start + len(name), 0.75, "first line")
    return None


def _heading(cover: Cover) -> Found | None:
    """Return the first heading that names the document, or a line above it that does."""
    for heading in cover.headings[:4]:
        name = clean(heading)
        if _is_word(cover, name):
            return None  # the parts of the document have begun
        is_prose = _is_sentence(name) and len(name.split()) > _LONG
        if len(name) < 4 or re.match(r"\d+[.)]?\s", name) or is_prose or _is_no_title(cover, name):
            continue
        words = r"\s+".join(map(re.escape, name.split()))
        at = re.search(rf"(?m)^\W*(?P<v>{words})", cover.text[:2500])
        if at is None:
            continue
        above = [line for line in cover.lines if line.start < at.start("v")]
        is_below = any(_is_sentence(line.text) for line in above) and len(above) > _NEAR_TOP // 2
        is_below |= bool(above) and cover.page(at.start("v")) > cover.page(0)
        if is_below or sum(" | " in line.text for line in above) > _ROWS:
            return None
        for line in above[:_NEAR_TOP]:
            is_short = len(line.text) < _LONGEST and is_titled(line.text)
            if is_short and _DOCUMENT.search(line.text) and not _is_no_title(cover, line.text):
                return found_at(cover, "title", line.start, line.end, 0.85, "title line")
        start, end = at.span("v")
        return found_at(
            cover, "title", start, _named_below(cover, start, end), 0.85, "first heading"
        )
    return None


def _named_below(cover: Cover, start: int, end: int) -> int:
    """Return the end of a title with the kind of the document below it: "Funding", "Guidelines"."""
    page = cover.page(start)
    rest = (line for line in cover.lines if line.start >= end and cover.page(line.start) == page)
    below = [line.text for line in islice(rest, 2)]
    if not below or _DOCUMENT.search(cover.text[start:end]) or _is_sentence(below[-1]):
        return end  # prose below it: the heading of a part
    is_kind = _DOCUMENT.search(below[0]) and is_titled(below[0])
    is_kind = is_kind and not _is_no_title(cover, below[0])
    return cover.text.find(below[0], end) + len(below[0]) if is_kind else end


def _is_sentence(text: str) -> bool:
    """Return whether a line is prose: long, with a period or most of its words in lower case."""
    words = text.split()
    is_mostly = sum(w.islower() for w in words) > len(words) / 2 or words[-1].endswith(".")
    return len(words) >= _PROSE and is_mostly and "v." not in words  # as in a caption


def _first_line(cover: Cover) -> Found | None:
    """Return the first lines above prose and tables that look like a title."""
    first = next((n for n, x in enumerate(cover.lines[:40]) if _RELEASED.match(x.text)), 0)
    pairs = pairwise(cover.lines[:9])
    is_numbered = any(a.text.startswith("1 ") and b.text.startswith("2 ") for a, b in pairs)
    size = 0 if is_numbered else 14  # the lines of pleading paper
    rows = words = 0
    for number, line in enumerate(cover.lines[first : first + size], first):
        letters = sum(c.isalpha() for c in line.text)
        below = " ".join(x.text for x in cover.lines[number + 1 : number + 2])
        is_row = (line.text.startswith("| ") and number > 0) or (
            " | " in line.text and " | " in below
        )
        rows += is_row or " | " in line.text
        words += line.text.isalpha() and _is_word(cover, line.text)
        is_below = cover.page(line.start) > cover.page(0) and number > 0
        if is_below or rows > 1 or words > 1 or _END.match(line.text) or _is_sentence(line.text):
            break
        if (
            letters < _FEW
            or is_row
            or len(re.findall(r" \| | {4,}", line.text)) > 1  # the head of a table
            or (line.text.isupper() and line.text.endswith(","))  # a party
            or _is_label(cover, number)
            or len(line.text) > 140
            or _is_no_title(cover, line.text)
        ):
            continue
        end = line.end
        for further in cover.lines[number + 1 : number + 3]:
            is_next = not cover.text[end : further.start].count("\n") > 1 and not re.search(
                r"[@\d]|[.:]$", further.text
            )
            following = further.text.split()
            if not is_next or len(following) > 8 or PERSON.fullmatch(further.text):
                break
            if not (
                line.text.rstrip().endswith((",", "-", "–", "—", ":"))
                or OPEN_END.search(cover.text[line.start : end])
                or following[0][0].islower()
            ):
                break
            end = further.end
        end = _named_below(cover, line.start, end)
        return found_at(cover, "title", line.start, end, 0.7, "first line")
    return None


def _is_label(cover: Cover, number: int) -> bool:
    """Return whether a line and one next to it are labels with values, as of a form."""
    near = cover.lines[max(0, number - 1) : number + 2]
    return sum(_LABELLED.match(line.text) is not None for line in near) > 1 and bool(
        _LABELLED.match(cover.lines[number].text)
    )


def _capitals(cover: Cover) -> Found | None:
    """Return the first lines in capitals that are a headline."""
    block: list[Line] = []
    for line in cover.lines[:_NEAR_TOP]:
        text = line.text
        # "COLLEGE (LSUC)" is above a headline, "ELM, OHIO" below it.
        is_other = NOT_TITLE.match(text) or text.endswith(")") or _TOWN.fullmatch(text)
        if text.isupper() and not is_other:
            block.append(line)
        elif sum(len(one.text.split()) for one in block) > _PROSE:
            return found_at(cover, "title", block[0].start, block[-1].end, 0.8, "headline")
        else:
            block = []
    return None


def _contract_title(cover: Cover) -> Found | None:
    """Return the lines above the party clause or the date that name the contract."""
    lines = list(enumerate(cover.lines[:40]))
    # A title in capitals near the top comes before the name of the file and a running head.
    lines.sort(key=lambda pair: not (pair[1].text.isupper() and pair[0] < _NEAR_TOP))
    for number, line in lines:
        text = line.text
        if (
            len(text) > 160
            or not CONTRACT_NOUN.search(text)
            or NOT_TITLE.match(text)
            or text.rstrip().endswith(",")
            or text[0].islower()
            or "...." in text
            or text.count("“") != text.count("”")
        ):
            continue
        words = [w for w in re.findall(r"[^\W\d_]+", text) if len(w) > 3]
        if (
            not words
            or sum(w[0].isupper() for w in words) < 0.75 * len(words)
            or re.match(r"(?:this|the)\b.*\b(?:is|dated|made)\b", text, re.IGNORECASE)
        ):
            continue
        start, end = line.start, line.end
        start += 5 if text.startswith("THIS ") else 0
        above = cover.lines[number - 1] if number else None
        if above and cover.text[above.end : start].count("\n") == 1:
            is_part = bool(OPEN_END.search(above.text) or re.match(r"(?i:and|for|to|of)\s", text))
            is_part = is_part or (len(text.split()) == 1 and len(above.text.split()) < 5)
            is_part = is_part or (text.isupper() and above.text.isupper())
            is_part = is_part and not _FIRM.search(above.text)
            if is_part and not NOT_TITLE.match(above.text) and is_titled(above.text):
                start = above.start
        for after in cover.lines[number + 1 : number + 8]:
            if NOT_TITLE.match(after.text):
                break
            gap = cover.text[end : after.start].count("\n")
            if (
                gap == 1
                and text.isupper()
                and after.text.isupper()
                and not BETWEEN.match(after.text)
            ):
                end = after.end
                continue
            held = (
                CONTRACT_NOUN.match(after.text.split()[-1])
                or re.match(r"(?:and|to|of|for)\b", after.text, re.IGNORECASE)
                or OPEN_END.search(cover.text[start:end])
            )
            if (
                gap > 2
                or not held
                or len(after.text) > 90
                or after.text.casefold() in text.casefold()
                or not is_titled(after.text)
                or BETWEEN.match(after.text)
                or (text.isupper() and not after.text.isupper())
            ):
                break
            end = after.end
        end -= len(cover.text[start:end]) - len(OPEN_END.sub("", cover.text[start:end]))
        return found_at(cover, "title", start, end, 0.85, "title line")
    return None


def _form_title(cover: Cover) -> Found | None:
    match = _FORM_NAME.search(cover.text)
    if match is None:
        return None
    group = next(g for g in "vtuw" if match[g])
    return found_at(cover, "title", *match.span(group), 0.9, "form")
