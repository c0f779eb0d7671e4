"""Issuer or author, and addressee of a document, from its cover and its file."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from casetrack.base.addresses import correspondents
from casetrack.extract.card.facts import Found, clean, found_at, matched, of_line, of_property
from casetrack.extract.card.patterns import FILINGS, MAILS, NOT_TITLE, PERSON, SALUTATION, pattern
from casetrack.extract.card.titles import is_titled, read_title
from casetrack.extract.dates import find_dates

if TYPE_CHECKING:
    from casetrack.base.records.documents import CardField
    from casetrack.extract.card.cover import Cover, Line

_FIRM: Final = pattern("firm")
_REGISTRANT: Final = pattern("registrant")
_CONFORMED: Final = re.compile(r"(?:COMPANY CONFORMED NAME:|<CONFORMED-NAME>)\s*(?P<v>[^\n<]+)")
_FILE_LINE: Final = pattern("file_line")
_ISSUER_LABEL: Final = pattern("issuer_label")
_ADDRESSEE_LABEL: Final = pattern("addressee_label")
_COPYRIGHT: Final = pattern("copyright")
_ABOUT: Final = pattern("about")
_WIRE: Final = re.compile(r"\d{4}\s*/\s*(?P<v>[A-Z][\w&.,'’ -]{2,50}?)\s*/")
_ANNOUNCES: Final = pattern("announces")
_TODAY: Final = pattern("today")
_CLOSING: Final = pattern("closing")
_COMMA: Final = re.compile(r"[A-ZÄÖÜ][\w’'-]+, [A-ZÄÖÜ]|[A-Z][\w.]+\s[A-Z]")
_SALUTED: Final = re.compile(r"(?i:herrn?|frau|mr\.?|ms\.?|mrs\.?|attn\.?)")
_MEETING: Final = pattern("meeting")
_BY: Final = re.compile(rf"^\W*[Bb]y:?[ \t]+(?P<v>{PERSON.pattern})\s*$", re.MULTILINE)
_OF_BODY: Final = re.compile(
    r"(?:versammlung|sitzung|meeting|minutes)\s+(?:des|der|of(?:\s+the)?)\s+(?P<v>[A-ZÄÖÜ][^\n,(]{2,70})"
)
_AGENCY: Final = pattern("agency")


def read_issuer(cover: Cover, kind: str, /) -> Found | None:
    """Return who issued or wrote a document of a kind; ``None`` for contracts."""
    if cover.format in MAILS:
        return of_property(
            "issuer", _mail_name(cover.properties.get("from") or cover.author), "sender"
        )
    if kind in FILINGS and (found := _registrant(cover)):
        return found
    if kind in {"press release", "results release"} and (found := _releases(cover)):
        return found
    if kind in {"invoice", "order", "proposal"}:
        return _labelled(cover, "issuer") or _letterhead(cover) or _first_firm(cover, 1500)
    if kind == "contract":
        return None
    if kind in {"paper", "specification", "report"} and (found := _authors(cover, kind)):
        return found
    if kind == "correspondence":
        head, to = _letterhead(cover), read_addressee(cover, kind)
        is_firm = head and (head.value.isupper() or _FIRM.search(head.value))
        is_own = is_firm and (to is None or head is None or head.start != to.start)
        return head if is_own else _signer(cover)
    if kind == "minutes" and (found := _body_of_minutes(cover)):
        return found
    found = matched(cover, "issuer", _ISSUER_LABEL.search(cover.text[:2500]), 0.8, "label")
    found = found or _agency(cover) or _owner(cover) or _first_firm(cover, 900)
    return found or of_property("issuer", _plausible(cover.author), "author of the file")


def read_addressee(cover: Cover, kind: str, /) -> Found | None:
    """Return to whom a document of a kind is addressed."""
    if cover.format in MAILS:
        return of_property("addressee", _mail_name(cover.properties.get("to")), "recipient")
    if kind in {"invoice", "order", "proposal"}:
        return _labelled(cover, "addressee")
    if kind in {"correspondence", "memo"}:
        labelled = re.search(
            r"^\W*(?:TO|To|An)\s*:\s*(?P<v>[^\n]{2,80})", cover.text[:2000], re.MULTILINE
        )
        if labelled:
            return matched(cover, "addressee", labelled, 0.9, "label")
        at = next(
            (n for n, line in enumerate(cover.lines[:40]) if SALUTATION.match(line.text)), None
        )
        if at is None:
            return None
        block: list[Line] = []
        for line in reversed(cover.lines[max(0, at - 9) : at]):
            if find_dates(line.text) or re.match(
                r"(?:re|betreff|subject|via|by)\b", line.text, re.IGNORECASE
            ):
                if block:
                    break
                continue
            block.append(line)
        if block:
            return of_line(cover, "addressee", block[-1], 0.75, "address block")
    return None


def _plausible(author: str | None) -> str | None:
    is_name = author and (PERSON.match(author) or _FIRM.match(author) or _COMMA.match(author))
    return author if is_name and not re.search(r"[@/()]", author or "") else None


def _mail_name(sender: str | None) -> str | None:
    return next((c.person for c in correspondents(sender or "")), sender)


def _registrant(cover: Cover) -> Found | None:
    if header := _CONFORMED.search(cover.text):
        return matched(cover, "issuer", header, 0.9, "header of the filing")
    label = _REGISTRANT.search(cover.text)
    if label is None:
        return _first_firm(cover, 2500)
    above = [
        line
        for line in cover.lines
        if line.end <= label.start() + 2 and sum(c.isalpha() for c in line.text) > 1
    ]
    for line in reversed(above[-4:]):
        if not _FILE_LINE.search(line.text):
            cells = [
                m for m in re.finditer(r"[^|]+", line.text) if sum(c.isalpha() for c in m[0]) > 1
            ]
            if cells:
                return found_at(
                    cover,
                    "issuer",
                    line.start + cells[0].start(),
                    line.start + cells[0].end(),
                    0.97,
                    "exact name of registrant",
                )
    return _first_firm(cover, 2500)


def _releases(cover: Cover) -> Found | None:
    text = cover.text
    head = next(
        (
            line
            for line in cover.lines[:6]
            if len(line.text) > 12 and not NOT_TITLE.match(line.text)
        ),
        None,
    )
    about = _ABOUT.search(text)
    if about:
        return matched(cover, "issuer", about, 0.9, "about section")
    wire = _WIRE.search(text[:1500])
    if wire and not re.search(r"press|wire|news|http|www", wire["v"], re.IGNORECASE):
        return matched(cover, "issuer", wire, 0.85, "dateline")
    today = _TODAY.search(text[:3000])
    if today:
        return matched(cover, "issuer", today, 0.8, "announcing sentence")
    if head and (named := _ANNOUNCES.match(head.text.lstrip("# "))):
        start = head.start + head.text.index(named["v"])
        return found_at(cover, "issuer", start, start + len(named["v"]), 0.75, "headline")
    return None


def _labelled(cover: Cover, field: CardField) -> Found | None:
    """Return the name behind a label such as "Bill to:", or on one of the next lines."""
    for label in (_ISSUER_LABEL if field == "issuer" else _ADDRESSEE_LABEL).finditer(
        cover.text[:3500]
    ):
        high = label.end() + 160
        for piece in re.finditer(r"[^\n|]+", cover.text[label.start("v") : high]):
            value = re.sub(r"^\s*(?:ATTN|Attention|Name|c/o)\s*[:.]?\s*", "", piece[0])
            if _is_name(value):
                start = label.start("v") + piece.start() + len(piece[0]) - len(value)
                named = re.split(r"\s{3,}|,?\s+(?:Order|Invoice|Date|Phone)\b", value)[0]
                return found_at(cover, field, start, start + len(named), 0.85, "label")
    return None


def _is_name(text: str) -> bool:
    value = clean(text)
    letters = sum(c.isalpha() for c in value)
    return (
        letters >= 3
        and letters > 0.6 * len(value.replace(" ", ""))
        and value[0].isalnum()
        and not re.search(
            r":|\b(?:amount|total|nummer|number|date|address|ship to|bill to|invoice|due)\b",
            value,
            re.IGNORECASE,
        )
        and len(value) < 80
        and not _SALUTED.fullmatch(value)
    )


def _first_firm(cover: Cover, size: int) -> Found | None:
    match = _FIRM.search(cover.text[:size])
    return None if match is None else found_at(cover, "issuer", *match.span(), 0.7, "first firm")


def _letterhead(cover: Cover) -> Found | None:
    """Return the first line above date and addressee, if it looks like a name."""
    for line in cover.lines[:4]:
        text = re.split(
            r"\s{3,}|\||\s+(?i:(?:tax |retail )?invoice|rechnung|receipt)\b", line.text
        )[0].strip()
        if SALUTATION.match(text) or NOT_TITLE.match(text) or find_dates(text):
            if SALUTATION.match(text):
                return None
            continue
        if re.fullmatch(
            r"(?i:.*\b(?:invoice|rechnung|facture|order|estimate|quotation|receipt|bill|rfp|request|factuuradres|address)\b.*)",
            text,
        ):
            continue
        if (
            3 < len(text) < 60
            and (is_titled(text) or _FIRM.fullmatch(text))
            and not re.search(r"\d{3}|[:@]", text)
        ):
            return found_at(cover, "issuer", line.start, line.start + len(text), 0.65, "letterhead")
        return None
    return None


def _signer(cover: Cover) -> Found | None:
    closing = _CLOSING.search(cover.text)
    if closing is None:
        return None
    below = [line for line in cover.lines if line.start > closing.end()][:4]
    for line in below:
        text = re.sub(r"^(?:By|/s/|Name):?\s*", "", line.text)
        if len(text) < 60 and (_FIRM.search(text) or PERSON.match(text)):
            return found_at(cover, "issuer", line.end - len(text), line.end, 0.7, "signature")
    return None


def _authors(cover: Cover, kind: str) -> Found | None:
    """Return the names below the title of a paper."""
    by = _BY.search(cover.text[:1500]) if kind == "paper" else None
    if by:
        return matched(cover, "issuer", by, 0.85, "author line")
    labelled = matched(cover, "issuer", _ISSUER_LABEL.search(cover.text[:2500]), 0.85, "label")
    if labelled:
        return labelled
    if kind == "paper" and cover.author and len(PERSON.findall(cover.author)) > 1:
        return of_property("issuer", cover.author, "author of the file")
    title = read_title(cover, kind)
    after = title.end if title and title.start >= 0 else 0
    abstract = re.search(
        r"abstract|zusammenfassung|introduction", cover.text[after:], re.IGNORECASE
    )
    high = after + min(abstract.start() if abstract else 900, 1200)
    lines = [line for line in cover.lines if after <= line.start < high]
    start = end = -1
    for line in lines[:12]:
        inline = re.match(rf"(?P<n>{PERSON.pattern}),\s", line.text)
        if (
            start < 0
            and inline
            and re.search(
                r"university|institute|laborator|college|inc\b|corp", line.text, re.IGNORECASE
            )
        ):
            return found_at(
                cover, "issuer", line.start, line.start + inline.end("n"), 0.8, "author line"
            )
        text = re.sub(r"[\d*†‡§∗,;&]|\band\b", " ", line.text)
        people = [
            p for p in PERSON.findall(text) if len(p.split()[-1]) > 3 or not p.split()[-1].isupper()
        ]
        letters = sum(len(p) for p in people)
        is_names = (
            people
            and letters >= 0.7 * len(" ".join(text.split()))
            and not re.search(
                r"university|institute|department|inc\b|corp|laborator|school|college|abstract|research|group|labs",
                line.text,
                re.IGNORECASE,
            )
        )
        if is_names:
            start, end = (line.start, line.end) if start < 0 else (start, line.end)
        elif start >= 0:
            break
    if start >= 0 and kind == "paper":
        names = found_at(cover, "issuer", start, end, 0.8, "author line")
        # Marks of footnotes and institutions are no part of the names.
        return names and replace(names, value=clean(re.sub(r"\s*[\d*†‡§∗]+", "", names.value)))
    if kind == "paper" and (author := _plausible(cover.author)):
        return of_property("issuer", author, "author of the file")
    found = _agency(cover) or _owner(cover) or _first_firm(cover, 300)
    return found or of_property("issuer", _plausible(cover.author), "author of the file")


def _owner(cover: Cover) -> Found | None:
    """Return the owner of the copyright."""
    for match in _COPYRIGHT.finditer(cover.text):
        if not re.match(
            r"(?:notice|all|holder|owner|law|act|protect\w*)\b", match["v"], re.IGNORECASE
        ):
            return matched(cover, "issuer", match, 0.7, "copyright")
    return None


def _agency(cover: Cover) -> Found | None:
    match = _AGENCY.search(cover.text[:1800])
    return matched(cover, "issuer", match, 0.65, "agency")


def _body_of_minutes(cover: Cover) -> Found | None:
    """Return the body in the title of minutes: "Node.js Technical Steering Committee Meeting"."""
    if named := _OF_BODY.search(cover.text[:400]):
        return matched(cover, "issuer", named, 0.75, "title of minutes")
    for line in cover.lines[:12]:
        text = re.sub(r"[#*_]+", " ", line.text)
        if line.text.startswith(("-", "•", "http")):
            continue
        match = _MEETING.match(text)
        if match and not re.match(
            r"(?:\w+treffen|mitglieder\w+|meeting|top|\w+tag\b|status)", match["v"], re.IGNORECASE
        ):
            value = match["v"]
            at = line.text.find(value.split()[0])
            return found_at(
                cover,
                "issuer",
                line.start + at,
                line.start + at + len(value),
                0.75,
                "title of minutes",
            )
    return None
