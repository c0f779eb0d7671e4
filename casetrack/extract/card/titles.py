"""Title of a document, and the document that it amends, from its cover."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from casetrack.extract.card.facts import Found, clean, found_at, matched, of_property
from casetrack.extract.card.patterns import FILINGS, MAILS, NOT_TITLE, PERSON, pattern
from casetrack.extract.dates import find_dates
from casetrack.extract.papers.docket_sheet import is_docket_header

if TYPE_CHECKING:
    from casetrack.extract.card.cover import Cover

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
    "order": (r"\b(?:order|bestellung|lieferschein)\b",),
    "form": (r"\b(?:form|application|consent|antrag|questionnaire|fragebogen)\b",),
}
"""Words of the title line of a kind, the surest first."""
_FORM_NAME: Final = pattern("form_name")
_NEAR_TOP, _BESIDE_DATE, _FEW = 9, 12, 6
_BETWEEN: Final = pattern("between")
_COURT_OR_PART: Final = re.compile(
    r"(?i)(?:in\s+the\s+)?(?:[A-Z.]+\s+){0,5}court(?:\s+(?:of|for)\s.*)?|for\s+the\s+.*district\b.*"
    r"|[IVX]{1,4}\.\s.*"
)
_AGENCY: Final = pattern("agency")
_PAGE_TITLE: Final = re.compile(r"\s*(?P<headline>\S.{11,})\s[|–—-]\s(?P<v>\S.+)")
_RELEASED: Final = re.compile(r"(?i)\W*for\s+immediate\s+release\W*$")
_OPEN_END: Final = re.compile(
    r"(?i)(?:(?:^|\s+)(?:of|and|for|the|to|in|on|with|an?|by|from|dated|und|der|die|für))+\s*$"
)


def read_title(cover: Cover, kind: str, /) -> Found | None:
    """Return the title that a document of a kind states for itself."""
    if cover.format in MAILS:
        return of_property("title", cover.properties.get("subject") or cover.title, "subject")
    if kind == "correspondence":
        about = re.search(
            r"^\W*(?:Re|RE|Betreff|Subject|Objet|Asunto|Oggetto)\s*:\s*"
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
    if cover.title and not NOT_TITLE.match(cover.title) and len(cover.title.split()) > 1:
        at = re.search(r"\s+".join(map(re.escape, cover.title.split())), cover.text, re.IGNORECASE)
        if at:
            return found_at(cover, "title", *at.span(), 0.95, "title in the text and the file")
    if kind == "correspondence":
        return None
    own = None if NOT_TITLE.match(cover.title or "") else cover.title
    if line := _headline(cover, kind):
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


def _is_no_title(line: str) -> bool:
    """Return whether a line is an agency, a firm or a court, or the heading of a part."""
    return any(each.fullmatch(line) for each in (_AGENCY, _FIRM, _COURT_OR_PART))


def _headline(cover: Cover, kind: str) -> Found | None:
    """Return the first heading, else the first lines that look like a title."""
    for words in _TITLE_WORDS.get(kind, ()):
        for line in cover.lines[:14]:
            is_plain = len(line.text) < 110 and not re.search(
                r"http|^\W*-|^\d+\W|\d+ ?min\b", line.text
            )
            if is_plain and re.match(rf"[^(:]{{0,60}}(?:{words})", line.text, re.IGNORECASE):
                return found_at(cover, "title", line.start, line.end, 0.85, "title line")
    for heading in cover.headings[:2]:
        is_part = len(heading) < 4 or re.match(r"\d+[.)]?\s", heading)
        if is_part or NOT_TITLE.match(heading) or _is_no_title(heading.strip()):
            continue
        at = re.search(r"\s+".join(map(re.escape, clean(heading).split())), cover.text)
        if at and at.start() < 2500:
            return found_at(cover, "title", *at.span(), 0.85, "first heading")
    if page := page_title(cover):
        return found_at(cover, "title", *page.span("headline"), 0.85, "title of the page")
    first = next((n for n, x in enumerate(cover.lines[:40]) if _RELEASED.match(x.text)), 0)
    pairs = pairwise(cover.lines[:9])
    is_numbered = any(a.text.startswith("1 ") and b.text.startswith("2 ") for a, b in pairs)
    size = 0 if is_numbered else 14  # the lines of pleading paper
    for number, line in enumerate(cover.lines[first : first + size], first):
        letters = sum(c.isalpha() for c in line.text)
        if (
            letters < _FEW
            or len(re.findall(r" \| | {4,}", line.text)) > 1  # the head of a table
            or _is_no_title(line.text)
            or (line.text.isupper() and line.text.endswith(","))  # a party
            or NOT_TITLE.match(line.text)
            or is_docket_header(line.text)
            or len(line.text) > 140
            or letters < 0.35 * len(line.text)
            or is_day(line.text)
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
                or _OPEN_END.search(cover.text[line.start : end])
                or following[0][0].islower()
            ):
                break
            end = further.end
        return found_at(cover, "title", line.start, end, 0.7, "first line")
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
            is_part = bool(_OPEN_END.search(above.text) or re.match(r"(?i:and|for|to|of)\s", text))
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
                and not _BETWEEN.match(after.text)
            ):
                end = after.end
                continue
            held = (
                CONTRACT_NOUN.match(after.text.split()[-1])
                or re.match(r"(?:and|to|of|for)\b", after.text, re.IGNORECASE)
                or _OPEN_END.search(cover.text[start:end])
            )
            if (
                gap > 2
                or not held
                or len(after.text) > 90
                or after.text.casefold() in text.casefold()
                or not is_titled(after.text)
                or _BETWEEN.match(after.text)
                or (text.isupper() and not after.text.isupper())
            ):
                break
            end = after.end
        end -= len(cover.text[start:end]) - len(_OPEN_END.sub("", cover.text[start:end]))
        return found_at(cover, "title", start, end, 0.85, "title line")
    return None


def _form_title(cover: Cover) -> Found | None:
    match = _FORM_NAME.search(cover.text)
    if match is None:
        return None
    group = next(g for g in ("v", "t", "u") if match[g])
    return found_at(cover, "title", *match.span(group), 0.9, "form")
