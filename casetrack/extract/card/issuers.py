"""Issuer or author, and addressee of a document, from its cover and its file."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from casetrack.base.addresses import correspondents
from casetrack.extract.card.facts import Found, clean, found_at, matched, of_line, of_property
from casetrack.extract.card.patterns import (
    BILLS,
    FILINGS,
    ISSUED,
    MAILS,
    NOT_TITLE,
    PERSON,
    SALUTATION,
    pattern,
)
from casetrack.extract.card.titles import (
    BETWEEN,
    CONTRACT_NOUN,
    OPEN_END,
    is_day,
    is_firm,
    is_titled,
    page_title,
    read_title,
)
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
_ABOUT: Final = pattern("about")
_ANNOUNCES: Final = pattern("announces")
_LEAD: Final = pattern("lead")
_PHRASE: Final = re.compile(
    r"(?<![\w.])(?!(?:of|on|and|the|for|de|der|des|für|du)\b)[a-z]+(?!\w)|[a-z]ly$"
)
_NO_KEY: Final = frozenset(
    "the inc incorporated ltd limited llc corp corporation co company plc ag gmbh se".split()
)
_CLOSING: Final = pattern("closing")
_PLACEHOLDER: Final = pattern("placeholder")
_ABSTRACT: Final = re.compile(r"(?im)^\W*(?:\d\W+)?(?:abstract|zusammenfassung|introduction)\b")
_INSTITUTION: Final = re.compile(
    r"(?i)\b(?:universit|institut|department|inc\b|corp|laborator|school|college|abstract|research|"
    r"group\b|labs|fiscal\b|paper\b|report\b|journal|proceedings|conference|press\b|introduction|preprint)"
)
_TITLED: Final = re.compile(r"^(?:Mr|Ms|Mrs|Dr)\.?\s+|,[^,]*$")
_SALUTED: Final = re.compile(r"(?i:herrn?|frau|mr\.?|ms\.?|mrs\.?|attn\.?)")
_MEETING: Final = pattern("meeting")
_PLAIN_MEETING: Final = re.compile(
    r"(?i)(?:\w+treffen|mitglieder\w+|meeting|top|\w+tag\b|status|\w+ly\b|annual|regular|special"
    r"|emergency|extraordinary|public|joint|closed|open|(?:committee|board|group|team)$)"
)
_BY: Final = re.compile(
    rf"^\W*[Bb]y:?[ \t]+(?P<v>{PERSON.pattern})(?=\s*$|,? (?:Universi|Depart|Institu))",
    re.MULTILINE,
)
_OF_BODY: Final = re.compile(
    r"(?:versammlung|sitzung|meeting|minutes)\s+(?:des|der|of(?:\s+the)?)\s+(?P<v>[A-ZÄÖÜ][^\n,(]{2,70})"
)
_AGENCY: Final = pattern("agency")
_COURT, _CAPTION = pattern("court"), pattern("caption")
_BY_COURT, _BY_PARTY = pattern("by_court"), pattern("by_party")
_JOB: Final = re.compile(
    r"(?:Manager|Clerk|Director|Secretary|Officer|Counsel|Attorney|President)s?$"
)
_ADOPTS: Final = pattern("adopts")
_WORD: Final = re.compile(r"[^\W\d]{2}")
_LONGEST: Final = 4  # words of a person's name
_MOSTLY: Final = 0.7  # share of an author line that is names
_TO: Final = re.compile(r"^\W*(?:TO|To|An)\s*:\s*(?P<v>[^\n]{2,80})", re.MULTILINE)
_SUBJECT: Final = re.compile(r"(?:re|betreff|subject|via|by)\b", re.IGNORECASE)
_SMALL_ADDRESS: Final = re.compile(r"\w\s+[●•·∙|–-]\s+.*\d\s+[●•·∙|–-]\s+\D{0,3}\d{4,5}\s")
"""A name, street and town on one line, with marks between them."""
_HOST: Final = pattern("host")
_RIGHTS: Final = pattern("rights")
_OFFICE: Final = pattern("office")
_COVER, _TOP, _BELOW_TITLE, _BLOCK, _WORDS = 2500, 400, 3, 12, 7
_SUBJECT_WORDS = 5
"""Minimum number of words of a line with a date that is a subject."""
"""Characters in which a firm may be alone on a line, of a filing and of others; lines below a
title, and above a salutation."""


def read_issuer(cover: Cover, kind: str, /) -> Found | None:
    """Return who issued or wrote a document of a kind; ``None`` for contracts."""
    if cover.format in MAILS:
        return of_property(
            "issuer", _mail_name(cover.properties.get("from") or cover.author), "sender"
        )
    if kind in FILINGS:
        return _registrant(cover)
    if kind in ISSUED:
        page = matched(cover, "issuer", page_title(cover), 0.8, "title of the page")
        return page or _releases(cover) or _repeated(cover, is_release=True)
    if kind in BILLS:
        return _labelled(cover, "issuer") or _letterhead(cover) or _firm_line(cover, _COVER)
    if kind == "paper":
        return _authors(cover)
    if kind == "contract" and not is_letter(cover):
        return None
    if kind in {"contract", "correspondence"}:
        if own := _PLACEHOLDER.search(cover.text[:_TOP]):
            return matched(cover, "issuer", own, 0.85, "letterhead")
        head, to = _letterhead(cover), read_addressee(cover, kind)
        if head is None or (to and head.start >= to.start) or PERSON.fullmatch(head.value):
            return _signer(cover)
        is_own = (
            _FIRM.search(head.value)
            or _AGENCY.fullmatch(head.value)
            or _is_again(cover, head.value, head.end)
        )
        return head if is_own else _signer(cover)
    if kind == "minutes":
        return _body_of_minutes(cover) or _firm_line(cover) or _agency(cover)
    if kind == "regulation" and (found := _agency(cover, _COVER)):
        return found
    if (court := _COURT.search(cover.text[:_COVER])) and _CAPTION.search(cover.text[:_COVER]):
        # A party's paper has its name and its counsel in the same places.
        is_order = _BY_COURT.search(cover.text) and not _BY_PARTY.search(cover.text)
        return matched(cover, "issuer", court, 0.8, "court") if is_order else None
    found = _labelled(cover, "issuer")
    found = found if found and re.fullmatch(r"\D+ \D+?(?: ?[(]\d+[)])?", found.value) else None
    found = found or matched(cover, "issuer", _ADOPTS.search(cover.text), 0.8, "adopts it")
    found = found or _firm_line(cover)
    # The agency at the head of a form receives it.
    found = found or (None if kind == "form" else _agency(cover)) or _author(cover)
    return found or (None if kind == "spreadsheet" else _repeated(cover))


def read_addressee(cover: Cover, kind: str, /) -> Found | None:
    """Return to whom a document of a kind is addressed."""
    if cover.format in MAILS:
        return of_property("addressee", _mail_name(cover.properties.get("to")), "recipient")
    if kind in BILLS:
        return _labelled(cover, "addressee") or _in_window(cover)
    if kind not in {"correspondence", "memo"} and not (kind == "contract" and is_letter(cover)):
        return None
    if labelled := _TO.search(cover.text[:2000]):
        return matched(cover, "addressee", labelled, 0.9, "label")
    at = next((n for n, line in enumerate(cover.lines[:40]) if SALUTATION.match(line.text)), 0)
    first: Line | None = None
    size = 0
    for line in reversed(cover.lines[max(0, at - _BLOCK) : at]):
        is_other = ":" in line.text or _SUBJECT.match(line.text) or _SALUTED.fullmatch(line.text)
        if not (is_other or find_dates(line.text)):
            is_apart = first and "\n\n" in cover.text[line.end : first.start]
            if is_apart and size > 1:  # an empty line, in a block without others
                break
            first, size = line, 1 if is_apart else size + 1
        elif size > 1 or (first is not None and len(line.text.split()) < _SUBJECT_WORDS):
            break
        else:  # one line below a subject is a heading
            first, size = None, 0
    if first is None or re.search(r"[\d\[{]", first.text):  # a street, or a blank
        return None
    first = replace(first, text=re.split(r"\s{3,}", first.text)[0])
    name = _TITLED.sub("", first.text)
    is_named = PERSON.fullmatch(name) or _FIRM.fullmatch(name)
    if kind == "contract" and (not is_named or CONTRACT_NOUN.search(name)):
        return None
    return of_line(cover, "addressee", first, 0.75, "address block")


def is_letter(cover: Cover, /) -> bool:
    """Return whether the cover has a salutation, as a contract in the form of a letter has."""
    return any(SALUTATION.match(line.text) for line in cover.lines[:40])


def _in_window(cover: Cover) -> Found | None:
    """Return the name below the small address of the sender in the window of a letter."""
    for line, below in itertools.pairwise(cover.lines[:_BLOCK]):
        if _SMALL_ADDRESS.search(line.text):
            name = re.split(r"\s{3,}|(?:^|\s)(?i:phone|fon|tel|fax)\b|\d", below.text)[0]
            if _is_name(name):
                end = below.start + len(name)
                return found_at(cover, "addressee", below.start, end, 0.75, "address window")
    return None


def _author(cover: Cover) -> Found | None:
    """Return the author of the file if the cover names it too."""
    parts = re.split(r",\s*|;\s*|\s+and\s+", cover.author or "")
    at = cover.text.casefold()
    is_named = all(PERSON.fullmatch(p) and p.casefold() in at for p in parts)
    return of_property("issuer", cover.author, "author of the file") if is_named else None


def _mail_name(sender: str | None) -> str | None:
    return next((c.person for c in correspondents(sender or "")), sender)


def _registrant(cover: Cover) -> Found | None:
    filer = cover.text.find("FILED BY:") if "SUBJECT COMPANY:" in cover.text else 0
    if filer < 0:
        return None
    if header := _CONFORMED.search(cover.text, filer):
        return matched(cover, "issuer", header, 0.9, "header of the filing")
    label = _REGISTRANT.search(cover.text)
    if label is None:
        return _firm_line(cover, _COVER)
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
                start, end = (line.start + at for at in cells[0].span())
                return found_at(cover, "issuer", start, end, 0.97, "exact name of registrant")
    return _firm_line(cover, _COVER)


def _releases(cover: Cover) -> Found | None:
    """Return the firm that two of headline, lead and "About" block name, in full."""
    text = cover.text
    headlines = [line for line in cover.lines[:6] if _is_headline(line.text)][:3]
    alone = {clean(line.text) for line in cover.lines}
    about = next((m.start("v") for m in _ABOUT.finditer(text)), _COVER)
    matches = (
        *((m, "about section") for m in _ABOUT.finditer(text)),
        *((m, "lead") for m in _LEAD.finditer(text[: min(_COVER, about)])),
        *((m, "headline") for m in _ANNOUNCES.finditer(text[:800])),
    )
    found = [f for m, place in matches if (f := matched(cover, "issuer", m, 0.85, place))]
    found = [
        f
        for f in found
        if not (_is_person(f, text) if f.evidence == "lead" else _PHRASE.search(f.value))
    ]
    firms = [f.value for f in found if f.evidence == "about section"]
    products = {v for v in firms if any(v.startswith(f"{firm} ") for firm in firms)}
    found = [f for f in found if f.value not in products]
    best: tuple[int, Found] | None = None
    for one in found:
        same = [f for f in found if _firm_key(f.value) == _firm_key(one.value)]
        places = {f.evidence for f in same}
        short = re.match(r"\s*\(([A-Z]{2,8})\)", text[one.end :])
        is_above = (one.evidence == "lead" and short and text.count(short[1]) > 1) or any(
            _firm_key(one.value) in _firm_key(line.text, 40)
            or _firm_key(one.value, 1) == _firm_key(line.text, 1)
            for line in headlines
            if line.end < one.start
        )
        places |= {"headline"} if is_above else {"contact"} if one.value in alone else set()
        if len(places) > (best[0] if best else 1):
            best = len(places), max(same, key=lambda f: len(f.value))
    if best:
        return best[1]
    opening = _firm_key(text[:about], len(text))
    is_only = len({f.value for f in found}) == 1 and _firm_key(found[0].value) in opening
    return found[0] if is_only and found[0].evidence == "about section" else None


def _repeated(cover: Cover, *, is_release: bool = False) -> Found | None:
    """Return the only office, else the only name of an address or a copyright line, named again.

    Only a release may name it below its head.
    """
    for source in (_OFFICE, _HOST, _RIGHTS):
        names: list[re.Match[str]] = []
        for given in sorted({m["v"].lower() for m in source.finditer(cover.text)})[:_BLOCK]:
            written = r"[ &.-]{0,2}".join(map(re.escape, given))
            name = rf"(?<![\w@/.])(?=[A-Z])(?P<v>(?i:{written}))(?![\w@/]|\.\w)"
            places = list(re.finditer(name, cover.text))
            is_above = places and places[0].end() < _TOP
            is_above = is_above and cover.page(places[0].start()) == cover.page(0)
            if is_above or (is_release and len(places) > 1):
                names.append(places[0])
        if len(names) == 1:
            return matched(cover, "issuer", names[0], 0.7, "named again")
    return None


def _is_person(found: Found, text: str) -> bool:
    """Return whether the name before a plain verb may be a person."""
    verb = re.match(r"\s+(?:is|are|will|has)\s(?!pleased|proud|today|announced)", text[found.end :])
    return verb is not None and not _FIRM.fullmatch(found.value)


def _is_headline(text: str) -> bool:
    return len(text) > 12 and not NOT_TITLE.match(text) and not is_day(text)


def _firm_key(name: str, words: int = 2) -> str:
    """Return the first words of a name without article and legal forms, for comparison."""
    kept = [w for w in re.findall(r"[\w&]+", name.casefold()) if w not in _NO_KEY]
    return f" {' '.join(kept[:words])} "


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


def _firm_line(cover: Cover, size: int = _TOP) -> Found | None:
    """Return the only firm that fills a line of the cover."""
    lines = [line for line in cover.lines if line.end < size and is_firm(cover, line.text)]
    is_one = len({_firm_key(line.text, _BLOCK) for line in lines}) == 1
    if not is_one:
        return None
    first = lines[0]
    above = next((line for line in reversed(cover.lines) if line.end < first.start), None)
    if above and BETWEEN.match(above.text):
        return None
    if above and len(_firm_key(first.text).split()) < 2 and above.text.istitle():
        # "Oak" above "Industries Limited": the name is on two lines.
        return found_at(cover, "issuer", above.start, first.end, 0.7, "lines of the cover")
    return of_line(cover, "issuer", first, 0.7, "line of the cover")


def _letterhead(cover: Cover) -> Found | None:
    """Return the first line above date and addressee, if it looks like a name."""
    for line in cover.lines[:4]:
        text = re.split(
            r"\s{3,}|\||\s+(?i:(?:tax |retail )?invoice|rechnung|receipt)\b", line.text
        )[0].strip()
        if SALUTATION.match(text) or re.fullmatch(r"(?i)[\w ]*ad+res+(?:e|at)?:?", text):
            return None
        if text.islower() or NOT_TITLE.match(text) or find_dates(text):
            continue
        if re.fullmatch(
            r"(?i:.*\b(?:invoice|rechnung|facture|order|estimate|quotation|receipt|bill|rfp|request)\b.*)",
            text,
        ):
            continue
        if (
            3 < len(text) < 60
            and len(text.split()) <= _WORDS
            and text[0].isalnum()
            and (is_titled(text) or _FIRM.fullmatch(text))
            and not re.search(r"\d{3}|[:@]", text)
        ):
            below = cover.text[line.end : line.end + 120]
            is_again = _is_again(cover, text, line.end)
            is_again |= (
                " " in text
                and text.isupper()
                and re.match(r"\s*(?:[^\n]*\n)?[^\n]*\d{2}", below) is not None
            )
            found = found_at(
                cover, "issuer", line.start, line.start + len(text), 0.75, "letterhead"
            )
            return found if is_again or _FIRM.fullmatch(text) else None
        return None
    return None


def _is_again(cover: Cover, name: str, after: int) -> bool:
    """Return whether a text repeats a name, also as part of a web address."""
    low, rest = name.casefold(), cover.text[after:].casefold()
    host = re.sub(r"\W|\b(?:the|inc|ltd|llc|gmbh|ag)\b", "", low)
    return (" " in low and low in rest) or any(
        host in re.sub(r"\W", "", m[0]) for m in _HOST.finditer(rest)
    )


def _signer(cover: Cover) -> Found | None:
    closing = _CLOSING.search(cover.text)
    if closing is None:
        return None
    below = [line for line in cover.lines if line.start > closing.end()][:4]
    for line in below:
        text = re.sub(r"^(?:By|/s/|Name):?\s*", "", line.text)
        named = _FIRM.fullmatch(text) or re.match(rf"{PERSON.pattern}(?=,|$)", text)
        if named and not _JOB.search(named[0]):
            start = line.end - len(text)
            return found_at(cover, "issuer", start, start + named.end(), 0.8, "signature")
    return None


def _authors(cover: Cover) -> Found | None:
    """Return the names on the lines below the title of a paper."""
    if by := _BY.search(cover.text[:1500]):
        return matched(cover, "issuer", by, 0.85, "author line")
    title = read_title(cover, "paper")
    after = title.end if title and title.start >= 0 else 0
    abstract = _ABSTRACT.search(cover.text, after)
    high = min(abstract.start() if abstract else after + 900, after + 1200)
    start = end = -1
    above = after
    lines = [x for x in cover.lines if after <= x.start < high][:12]
    for number, line in enumerate(lines):
        if start < 0 and number > _BELOW_TITLE:
            break
        names = re.sub(r"(?:\s*[\d*†‡§∗]+,?)+(?=\W|$)", ",", line.text)
        people = [p.strip() for p in re.split(r",|;|&|\band\b", names) if p.strip()]
        is_placed = len(people) > 1 and _INSTITUTION.search(line.text) is not None
        is_name = PERSON.fullmatch(people[0]) if people else None
        if start < 0 and is_placed and is_name and not _INSTITUTION.search(people[0]):
            end = line.start + len(people[0])
            return found_at(cover, "issuer", line.start, end, 0.8, "author line")
        is_title = start < 0 and len(people) < 2 and cover.text.count("\n", above, line.start) < 2
        is_title &= not (
            is_name and any(_INSTITUTION.search(x.text) for x in lines[number + 1 :][:1])
        )
        above = line.end
        if is_title:  # It goes on over the next lines.
            continue
        named = [p for p in people if PERSON.fullmatch(p) and 1 < len({*p.split()}) <= _LONGEST]
        if named and len(named) >= _MOSTLY * len(people) and not _INSTITUTION.search(line.text):
            start, end = (line.start, line.end) if start < 0 else (start, line.end)
        elif start >= 0:
            break
    if start < 0:
        return _labelled(cover, "issuer") or _author(cover)
    found = found_at(cover, "issuer", start, end, 0.8, "author line")
    # Marks of footnotes and institutions are no part of the names.
    return found and replace(found, value=clean(re.sub(r"\s*[\d*†‡§∗]+", "", found.value)))


def _agency(cover: Cover, size: int = _TOP) -> Found | None:
    agency = _AGENCY.search(cover.text[:size])
    is_name = agency and not re.search(r"\d", agency["v"])
    return matched(cover, "issuer", agency, 0.65, "agency") if is_name else None


def _body_of_minutes(cover: Cover) -> Found | None:
    """Return the body in the title of minutes: "Node.js Technical Steering Committee Meeting"."""
    if named := _OF_BODY.search(cover.text[:400]):
        return matched(cover, "issuer", named, 0.75, "title of minutes")
    for line in cover.lines[:12]:
        text = re.sub(r"[#*_]+", " ", line.text)
        if re.match(r"[-•]|\*\s|http|\d+\W", line.text) or len(text.split()) > _BLOCK:
            continue
        match = _MEETING.match(text)
        body = match["v"] if match else ""
        is_other = OPEN_END.search(body) or _PLAIN_MEETING.match(body)  # "Schedule the meeting"
        if _WORD.search(_firm_key(body)) and not is_other and not find_dates(body):
            start = line.start + line.text.find(body.split()[0])
            end = start + len(body)
            return found_at(cover, "issuer", start, end, 0.75, "title of minutes")
    return None
