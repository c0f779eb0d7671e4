"""The parties of a contract with their roles: "between X (the “Buyer”) and Y (the “Seller”)"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists
from casetrack.extract.card.facts import Found
from casetrack.extract.card.patterns import FORM, pattern
from casetrack.extract.card.unnamed import POINTED, UNNAMED_HERE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from casetrack.extract.card.cover import Cover

_LISTS = WordLists(__file__)
PAIRS: Final = _LISTS.pairs("pairs")
"""The role implied by each role of a contract of two: a licensee implies a licensor."""
_GENERAL: Final = frozenset(("company", "corporation"))
_OF_SUPPLY: Final = _LISTS.pairs("of_supply")
_SUPPLY: Final = re.compile(r"\bsupply\b[\w ,&]{0,40}\b(?:agreement|contract)\b", re.IGNORECASE)
ROLES: Final = frozenset(_LISTS.words("roles"))
"""Last words of the roles of parties in a contract or a case, in lower case."""
_NAME_END: Final = pattern("name_end")
_CLAUSE: Final = pattern("clause")
_ABOUT: Final = pattern("about_contract")
_STOP: Final = pattern("stop")
_RECITAL: Final = pattern("recital")
_REACH: Final = 2600
_FIRST: Final = re.compile(r"\(?(?:\d|[a-z]|i{1,3})[).]\s+(?=[A-Z])")
"""The mark of the first party of a list."""
_AND: Final = pattern("and")
_NEXT: Final = pattern("next")
_TERM: Final = pattern("term")
_SHARED = _LISTS.pattern("shared")
_AS: Final = pattern("as")
_BARE: Final = re.compile(r"\((?:the\s+)?([A-Z][\w ]{2,28})\)")
_HEREIN: Final = pattern("herein")
_LABELLED: Final = pattern("labelled")
_PROMISES: Final = pattern("promises")
_OFFERS: Final = pattern("offers")
_NOT_NAMES: Final = pattern("not_names")


def read_parties(cover: Cover, addressee: Found | None = None, /) -> tuple[Found, ...]:
    """Return the parties of a contract in order; one without a name has an empty value.

    A letter agreement is between its *addressee* and the firm that it defines.
    """
    best: tuple[Found, ...] = ()
    for clause in _CLAUSE.finditer(cover.text):
        before = cover.text[max(0, clause.start() - 400) : clause.start()]
        if not _ABOUT.search(before):
            continue
        on_lines = _listed(cover, clause.end()) if "\n" in clause[0] else []
        parties = tuple(on_lines or _in_clause(cover.text, clause.end()))
        if _worth(parties) > _worth(best):
            best = parties
        if _worth(best) >= _ENOUGH or clause.start() > _LATEST:
            break
    if not best:
        listed: list[Found] = []
        for side, recital in enumerate(_RECITAL.finditer(cover.text[:_LATEST]), 1):
            best = tuple(_in_clause(cover.text, recital.end()))
            if _worth(best):
                break
            listed += [replace(p, side=side) for p in best if p.role and _FIRM.search(p.value)]
        else:
            best = tuple(listed)
    if not best and addressee and (writer := _OFFERS.search(cover.text, addressee.end)):
        # A letter agreement: the firm that it defines, and its addressee.
        role = "employee" if "employ" in cover.text[: writer.end() + 90].lower() else None
        name, own = writer["v"], _as_role(writer["term"], writer["v"])
        at = writer.start("v"), writer.end("v"), 0.8, "letter"
        you = replace(addressee, field="party", role=role, side=2)
        best = (Found("party", " ".join(name.split()), *at, own, 1), you)
    if not best and (promise := _PROMISES.search(cover.text[:_LATEST])):
        best = tuple(_of_note(cover.text, promise))
    labelled = tuple(_labelled(cover))
    if _worth(labelled) > _worth(best):
        best = labelled
    best = tuple(p for p in best if not _is_no_party(p))
    if len({p.side for p in best}) < 2:
        return ()
    pairs = PAIRS | (_OF_SUPPLY if _SUPPLY.search(cover.text[:600]) else {})
    return _with_implied(_unique(best), pairs)


def _of_note(text: str, promise: re.Match[str]) -> Iterator[Found]:
    """Yield maker and payee of a promissory note."""
    for side, (group, implied) in enumerate((("maker", "maker"), ("payee", "payee")), 1):
        at, high = promise.start(group), promise.end("payee") if side == 2 else promise.end(group)
        span = _name_span(text, at, high)
        if span:
            name = " ".join(text[slice(*span)].split())
            role, _ = _role_after(text, span[1], high, name)
            yield Found("party", name, *span, 0.85, "promise to pay", role or implied, side)


def _stop(text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the first sign that a party clause has ended, outside of brackets."""
    stops = _STOP.finditer(text, start, end)
    parts = ((stop, text[start : stop.end()]) for stop in stops)
    return next((stop for stop, part in parts if part.count("(") <= part.count(")")), None)


def _is_no_party(party: Found) -> bool:
    # One word without a role is the short name of a party whose full name is elsewhere.
    is_short = party.role is None and (_NO_PARTY.match(party.value) or " " not in party.value)
    last = party.value.lower().rpartition(" ")[2].rstrip("s")
    is_role = last in ROLES - _OF_NAMES
    return bool(party.value and (is_short or is_role or _NO_NAME.search(party.value)))


_OF_NAMES: Final = frozenset(
    "agency bank company corporation fund investor member partner partners trust warehouse".split()
)
"""Words for roles that are also last words of names."""
_NO_PARTY = _LISTS.pattern("no_party")
_NO_NAME = _LISTS.pattern("no_name")
_LINE_LINKS = _LISTS.pattern("line_links")
_LIST_END = _LISTS.pattern("list_end")
_LINE_ROLE: Final = re.compile(
    r"(?:(?P<name>.*\S)\s+)?(?:[Aa]s|AS)\s+(?:(?:the|an?|THE|AN?)\s+)?"
    r"(?P<role>[A-Z][\w/.-]*(?:\s[A-Z][\w/.-]*){0,4})(?:,?\s(?:and|AND|&)\s.*)?"
    rf"|(?P<plain>(?!(?:{FORM})$)[A-Z][a-zA-Z]+)\.?"
)
_GROUP_LINE = _LISTS.pattern("group_line")
_IS_DETAIL: Final = re.compile(r"(?i)(?:the$|an?|on|acting|individually|solely|not|its|c/o)\b|.*\d")
_LONGEST_LINE, _LONGEST_NAME = 90, 12
_GROUPS: Final = 0.85
"""Groups and blank parties are less certain than names."""
_ENOUGH, _LATEST = 40, 6000


def _worth(parties: tuple[Found, ...]) -> int:
    """Return a rank: parties of at least two sides, with roles."""
    if len({p.side for p in parties}) < 2:
        return 0
    return 20 + 10 * sum(p.role is not None for p in parties[:2])


def _in_clause(text: str, at: int) -> Iterator[Found]:
    stop = _stop(text, at + 3, at + _REACH)
    high = min(len(text), at + _REACH)
    if stop:
        high = stop.start() + max(stop[0].find("."), 0) + (stop[0][0] in ')"”')
    mark = _FIRST.match(text, at)
    at = mark.end() if mark else at
    side, waiting = 1, list[Found]()
    while at < high and side <= 12:
        party = _party_at(text, at, high)
        if party is None:
            break
        name, role, then = party
        if name is not None:
            waiting.append(Found("party", *name, 0.9, "party clause", role, side))
        elif role is not None:
            waiting.append(
                Found("party", "", at, min(at + 1, then), 0.8, "party clause", role, side)
            )
        link = _AND.match(text, then, high)
        if role is not None:
            # "Inmac Corp., Inmac B.V. and Inmac AB, each a Borrower": one side with one role.
            shared = _SHARED.search(text, waiting[-1].end if waiting else at, then) is not None
            first = waiting[0].side if waiting else side
            yield from (
                replace(f, role=role, side=first) if shared and not f.role else f for f in waiting
            )
            waiting = []
        if role is not None or (link and re.search(r"and|und|;|favou?r", link[0], re.IGNORECASE)):
            side += 1
        if link is None:
            break
        at = link.end()
    yield from waiting


def _listed(cover: Cover, at: int) -> list[Found]:
    """Return the parties of a cover page: names on separate lines, each above its role."""
    found: list[Found] = []
    waiting: list[Found] = []
    side: int | None
    apart = 0  # number of waiting names before the last "and" on its own line
    for line in cover.lines:
        if line.start < at:
            continue
        shown = _LINE_LINKS.sub("", line.text)
        if _LIST_END.match(shown) or len(shown) > _LONGEST_LINE:
            break
        stated = _LINE_ROLE.fullmatch(shown)
        role = stated and _as_role(
            (stated["role"] or stated["plain"]).strip(" ."), "", is_role=bool(stated["role"])
        )
        name = (stated["name"] or "").strip(" ,") if stated and role else shown
        if name and _GROUP_LINE.search(name):
            found, waiting, apart = found + waiting, [], 0
        elif name and _IS_DETAIL.match(name):
            continue
        elif name:
            if not _is_name_line(name):
                break
            side = len(found) + len(waiting) + 1
            end = line.start + line.text.find(name) + len(name)
            waiting.append(
                Found("party", name, end - len(name), end, 0.85, "cover page", None, side)
            )
        elif role is None:
            apart = len(waiting)
        if role:
            first = 0 if role.endswith("s") else apart
            side = waiting[first].side if waiting[first:] else None
            waiting[first:] = [replace(w, role=role, side=side) for w in waiting[first:]]
            found, waiting, apart = found + waiting, [], 0
    return found + waiting if len(found) > 1 else []


def _is_name_line(text: str) -> bool:
    words = [w for w in re.findall(r"[^\W\d_][\w'’.-]*", text) if w.lower() not in _SMALL]
    return 1 < len(words) < _LONGEST_NAME and all(w[0].isupper() for w in words)


def _party_at(
    text: str, at: int, high: int
) -> tuple[tuple[str, int, int] | None, str | None, int] | None:
    """Return name with span, role and end of the party at a position."""
    blank = UNNAMED_HERE.match(text, at, high)
    pointed = None if blank else POINTED.match(text, at, high)
    if blank or pointed:
        end = (blank or pointed).end()  # type: ignore[union-attr]
        role, then = _role_after(text, end, high, "")
        words = re.findall(r"[a-z-]+", (blank or pointed)[0].lower())  # type: ignore[index]
        # "[Name of the Tenant]": the words of a blank state its role.
        known = ROLES if blank else {"you"}
        return None, role or next((w for w in words if w in known), "party"), then
    span = _name_span(text, at, high)
    if span is None:
        return None
    start, end = span
    name = " ".join(text[start:end].split()).strip(" ,.*_") + (
        "." if text[end - 1 : end] == "." else ""
    )
    role, then = _role_after(text, end, high, name)
    return (name, start, end), role, then


def _name_span(text: str, at: int, high: int) -> tuple[int, int] | None:
    while at < high and text[at] in ' \n\t*_|"“,':
        at += 1
    lead = re.match(
        r"(?:the|The|THE|Mr\.?|Ms\.?|Mrs\.?|Dr\.?|Herrn?|Frau|der|die|(?:[Ll]a\s+)?[Ss]oci[ée]t[ée]|"
        r"Monsieur|Madame|Mme|Don(?:/Doña)?|Doña)\s+",
        text[at:high],
    )
    first = at + (lead.end() if lead else 0)
    if not re.match(r"[A-ZÄÖÜ0-9]|[a-z]{1,3}[A-Z\d]", text[first : first + 4]) or _NOT_NAMES.match(
        text[at : at + 60]
    ):
        return None
    end = _end_of_name(text, first, high)
    value = text[first:end].strip(" \n,*_")
    if len(value) < 2 or len(value) > 120 or _NOT_NAMES.match(value) or _TIME.search(value):
        return None
    words = [w for w in re.findall(r"[^\W\d_][\w'’.-]*", value) if w.lower() not in _SMALL]
    if not words or sum(not (w.isalpha() and w.islower()) for w in words) < 0.8 * len(words):
        return None
    return (at if lead and lead[0].strip().lower() == "the" else first), first + len(
        text[first:end].rstrip(" \n,*_")
    )


_TIME: Final = re.compile(r"(?i)\b(?:date|agreement|period|term|time|closing)$")
_GOES_ON: Final = re.compile(
    r"\s+(?:&|OF\b|of\s+[A-Z][a-z]|(?i:and)\s+(?i:trust|savings|company(?=,))\b)"
)
_LAST_WORD: Final = re.compile(rf"\w+(?:\s\w+)?,?\s+(?:{FORM})(?!\w)")
_INNER: Final = re.compile(rf"(?<!\.) (?:[A-Z][\w-]* ){{0,2}}[A-Z][\w-]*,? (?:{FORM})(?![\w&])")
"""Words between a form inside a name and its last one."""
_FIRM: Final = re.compile(rf"\s(?:{FORM})$")
_SHORTENED: Final = re.compile(r"(?:\b[A-Z]|\b(?:Mr|Ms|Dr|St|Jr|Sr|Inc|Co|Corp|Ltd|No|Bros))$")
_SMALL: Final = frozenset(
    "of and the for de la du von und der & an to in plc gmbh ag llc inc ltd d/b/a t/a y e van den "
    "da dos".split()
)


def _end_of_name(text: str, first: int, high: int) -> int:
    """Return the end of the name that starts at *first*."""
    end = first
    for match in _NAME_END.finditer(text, first, min(high, first + 140)):
        if match["form"]:
            end = match.end()
            following = _NAME_END.match(text, end)
            if following and following["form"]:
                continue
            if _INNER.match(text, end):  # "American Bank Note Holographics, Inc."
                end = first
                continue
            if not _GOES_ON.match(text, end):
                return end
            end = first
        elif match.start() <= end and end > first:
            return end
        elif not _is_inside(text, first, match):
            return match.start()
    line = text.find("\n", first, high)
    return line if 0 < line <= first + 140 else min(high, first + 60)


def _is_inside(text: str, first: int, match: re.Match[str]) -> bool:
    """Return whether a possible end of a name is inside of it."""
    name, piece = text[first : match.start()], match[0]
    if re.search(r"\b(?:and|und)\b", piece, re.IGNORECASE):
        # "GREATE BAY HOTEL AND CASINO, INC.": the word after "and" completes the name.
        if _GOES_ON.match(text, match.start()):
            return True
        is_last = _LAST_WORD.match(text, match.end()) is not None
        is_person = len(name.split()) == 2 or re.search(r"\b[A-Z]\.\s", name) is not None
        return is_last and not is_person and "," not in name + piece
    return re.fullmatch(r"\.\s", piece) is not None and _SHORTENED.search(name) is not None


def _role_after(text: str, end: int, high: int, name: str) -> tuple[str | None, int]:
    """Return the role that follows a party, and the end of its description."""
    limit = min(high, end + 520)
    then = limit
    for link in _NEXT.finditer(text, end, limit):
        inside = text[end : link.start()] + link[0][:1]
        if inside.count("(") > inside.count(")"):
            continue
        if re.match(
            r"\s*(?:its|their|existing|having|the\s+laws|subsidiar|affiliat|successors|assigns|duly|with\b|is\b|each|a\s|between|severally)",
            text[link.end() : link.end() + 20],
        ):
            continue
        rest = text[link.end() : link.end() + 30].lstrip()
        starts = re.match(
            r"\(?[\dA-ZÄÖÜ]|\(?(?:[a-z]|i{1,3})[).]\s|[\"“_\[{<]|\(see\b|[a-z]{1,3}[A-Z\d]|you\b|the\s(?!owner|holder|parent|sole\b)|-{4}|any\s|each\s|certain\s|other\s",
            rest,
        )
        if starts is None:
            continue
        then = link.start() + (1 if link[0].startswith(")") else 0)
        break
    part = text[end:then]
    role: str | None = None
    for paren in re.finditer(r"\(((?:[^()]|\([^()]{0,80}\)){2,240})\)", part):
        terms = [r for term in _TERM.finditer(paren[1]) if (r := _as_role(term[1], name))]
        # (the "Bank" or the "Employer"): the part in this contract says more.
        role = role or min(terms, key=lambda r: r in _GENERAL or r == "bank", default=None)
        role = role or (_as_role(m[1], name) if (m := _BARE.fullmatch(paren[0])) else None)
    role = role or next(
        (r for m in _AS.finditer(part) if (r := _as_role(m[1], name, is_role=True))), None
    )
    role = role or next((r for m in _HEREIN.finditer(part) if (r := _as_role(m[1], name))), None)
    return role, then


def _as_role(term: str, name: str, *, is_role: bool = False) -> str | None:
    """Return a term in lower case if it is a role, not a short name of the party."""
    words = re.sub(
        r"^(?:the|der|die|das)\s+", "", " ".join(term.split()), flags=re.IGNORECASE
    ).strip(" .,")
    low = words.lower()
    if not low or low in {"parties", "party", "agreement", "you", "we", "us", "our", "your"}:
        return None
    last = low.split()[-1].rstrip("s") if low.split()[-1] not in ROLES else low.split()[-1]
    known = last in ROLES or low in ROLES or low.split()[-1].rstrip("(s)") in ROLES
    letters = re.sub(r"\W", "", low)
    own = re.sub(r"\W", "", name.lower())
    if known and not (letters in own and last not in {"company", "bank", "trust"}):
        return low
    return low if is_role and len(low) > 3 and letters not in own else None


def _labelled(cover: Cover) -> Iterator[Found]:
    side = 0
    for match in _LABELLED.finditer(cover.text[:3500]):
        label = " ".join((match["term"] or match["role"]).split())
        is_party = re.fullmatch(r"(?i:party|partei) \w", label)
        if not is_party and label.lower().split()[-1] not in ROLES:
            continue
        raw = match["name"].strip(" *_|")
        value = re.split(r"\s{3,}|,\s+(?=an?\b|with|\d)|\s\(", raw, maxsplit=1)[0].strip(" ,;")
        side += 1
        blank = not any(c.isalpha() for c in value) or UNNAMED_HERE.match(value) is not None
        start = match.start("name") + max(match["name"].find(value), 0)
        shown, end = "" if blank else value, start + len(value)
        yield Found("party", shown, start, end, 0.85, "label", label.lower(), side)


def _unique(parties: tuple[Found, ...]) -> tuple[Found, ...]:
    seen: dict[tuple[str, str | None], Found] = {}
    for party in parties:
        key = (party.value.casefold() or str(party.side), party.role if not party.value else None)
        seen.setdefault(key, party)
    return tuple(seen.values())


def _with_implied(parties: tuple[Found, ...], pairs: Mapping[str, str], /) -> tuple[Found, ...]:
    """Add the role that the other party's role implies, in a contract of two sides.

    It replaces a role that states nothing, such as "company".
    """
    sides = {p.side for p in parties}
    if len(sides) != 2:
        return parties
    stated = {p.side: p.role for p in parties if p.role and p.role not in _GENERAL}
    if len(stated) != 1:
        return parties
    ((side, role),) = stated.items()
    implied = pairs.get(role or "")
    return tuple(p if p.side == side or not implied else replace(p, role=implied) for p in parties)
