"""Who writes to whom: the heads of mails, also of forwarded and quoted ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from casetrack.graph.document.sure.facts import SureName, Where
from casetrack.graph.document.titles import MODIFIERS, PARTIES, is_job, job_title
from casetrack.graph.entities.organizations import is_company
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.extract.spans import NameKind

_FIELD: Final = re.compile(
    r"(?:^|\n)[> \t]*(?:From|To|Cc|CC|cc|Bcc|bcc|Sender|Sent by|Reply-To|Von|An|Kopie|De|À|"
    r"Para)[ \t]*:[ \t]*"
)
_ADDRESS: Final = re.compile(r"[\w.+'&-]+@[\w-]+(?:\.[\w-]+)+")
_ITEM: Final = re.compile(
    r"[\"'“]?(?P<name>[^\W\d_][^<>;@\"/\[\n]*?(?:\n[^<>;@\"/\[\n:]*?)?)[\"'”]?\s*"
    r"(?:/[\w/]+(?:@\w+)?|@[A-Z][\w ]*(?![\w.])|[<\[](?:mailto:)?(?P<address>[^>\]\n]*)[>\]]|"
    r"(?=\s*(?:;|$)))"
)
_LOTUS: Final = re.compile(
    r"(?:Forwarded by|^From:|\n)[ \t]*\"?([A-Z][\w.'-]*(?: "
    r"[A-Z][\w.'-]*){1,3})/[A-Z][\w/]+(?:@[\w]+)?\s+on\s"
)
_FUNCTIONS = frozenset(
    "admin administrator alert alerts all announcement announcements assistant benefits billing "
    "board bounce clips careers claims communications compliance contact customer daemon "
    "department "
    "desk digest distribution do employees enquiries enquiry enterprise everyone exchange feedback "
    "finance group groups help helpdesk hr info information invoices issues it jobs legal list "
    "lists "
    "mail mailer mailing mailman management manager marketing media members news newsletter "
    "noreply "
    "no-reply notification notifications office online operations orders outlook owner payroll "
    "postmaster "
    "press program project promotions query recipients reply report reports reservations sales "
    "secretary "
    "security server service services shop staff store subscriptions support survey system team "
    "teams "
    "technology trading undisclosed updates user users web webmaster worldwide www".split()
)
"""Words of addresses and display names that are no person's."""
_SHORTEST_MC = 4
_PART: Final = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_LETTERS: Final = re.compile(r"[^\W\d_]")


def mail_heads(chunk: int, text: str, /) -> Iterator[SureName]:
    r"""Yield the correspondents that the heads of mails in a chunk name, with their addresses.

    Parameters
    ----------
    chunk
        Position of the chunk among the document's.
    text
        Its text.

    Examples
    --------
    >>> text = 'From: "Roe, Jo" <jo.roe@acme.com>\\nTo: ann.lee@acme.com\\n'
    >>> [(n.called or n.text, n.address) for n in mail_heads(0, text)]
    [('Roe, Jo', 'jo.roe@acme.com'), ('Ann Lee', 'ann.lee@acme.com')]
    """
    for field in _FIELD.finditer(text):
        start, end = field.end(), _end_of(text, field.end())
        yield from _correspondents(chunk, text, start, end)
    if "/" in text:
        for match in _LOTUS.finditer(text):
            where = Where(chunk, match.start(1), match.end(1))
            yield SureName(where, match[1], "person", "mail head")


def _end_of(text: str, start: int) -> int:
    """Return where a field ends; a line that ends in a comma goes on."""
    at = start
    while True:
        end = text.find("\n", at)
        if end < 0:
            return len(text)
        if not text[:end].rstrip(" \t").endswith((",", ";")):
            return end
        at = end + 1


def _correspondents(chunk: int, text: str, start: int, end: int) -> Iterator[SureName]:
    for low, high in _items(text, start, end):
        item = text[low:high]
        address = _ADDRESS.search(item)
        if address is not None and not item[: address.start()].strip(" \t\n\"'<[“"):
            called = _called(address[0])
            if called:
                local = low + address.start(), low + address.start() + address[0].index("@")
                where = Where(chunk, *local)
                mail = address[0].lower()
                yield SureName(
                    where, text[local[0] : local[1]], "person", "mail head", mail, called
                )
            continue
        match = _ITEM.match(item)
        if match is None:
            continue
        first, last = match.span("name")
        name = item[first:last].rstrip(" ,\t\n'\"")
        mail = (match["address"] or "").strip().lower()
        kind = _kind(name, mail)
        if kind:
            where = Where(chunk, low + first, low + first + len(name))
            known = mail if _ADDRESS.fullmatch(mail) else ""
            yield SureName(where, name, kind, "mail head", known)


def _items(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the places of the correspondents: between semicolons, or commas that part them."""
    value = text[start:end]
    cuts = [i for i, c in enumerate(value) if c == ";"]
    if not cuts:
        cuts = [i for i, c in enumerate(value) if c == "," and _parts(value, i)]
    at = 0
    for cut in (*cuts, len(value)):
        low = at + len(value[at:cut]) - len(value[at:cut].lstrip(" \t\n\"'“<"))
        high = at + len(value[at:cut].rstrip())
        if low < high:
            yield start + low, start + high
        at = cut + 1


def _parts(value: str, at: int) -> bool:
    """Return whether a comma parts two correspondents, and not a surname from given names."""
    if value.count('"', 0, at) % 2 == 1:
        return False
    before = re.split(r"[,;]", value[:at])[-1]
    if "@" in before or ">" in before or "/" in before:
        return True
    behind = value[at + 1 :]
    # "Roe, Jo <jo@acme.com>" and a lone "Roe, Jo": one name, two commas further two.
    rest = re.match(r"[^,;]*", behind)
    return len(before.split()) > 1 and bool(rest) and "<" not in (rest[0] if rest else "")


def _called(address: str) -> str:
    """Return the name that an address is made of, such as ``Jo Roe``; empty for a function's."""
    local, _, host = address.partition("@")
    parts = [p for p in re.split(r"[._]+", local) if p]
    if not 2 <= len(parts) <= 4 or not all(_PART.fullmatch(p) for p in parts):
        return ""
    low = [fold(p) for p in parts]
    owner = fold(host).split(".")
    if (
        any(p in _FUNCTIONS or p in owner for p in low)
        or max(map(len, low)) < 2
        or len(low[-1]) < 2
    ):
        return ""
    return " ".join(p if any(c.isupper() for c in p[1:]) else _capital(p) for p in parts)


def _capital(part: str) -> str:
    word = "-".join(p[:1].upper() + p[1:].lower() for p in part.split("-"))
    if word.startswith("Mc") and len(word) > _SHORTEST_MC:
        word = f"Mc{word[2:].capitalize()}"
    return f"{word}." if len(word) == 1 else word


def _kind(name: str, address: str) -> NameKind | None:
    words = name.replace(",", " ").split()
    if is_company(name):
        return "organization"
    if not 2 <= len(words) <= 5 or not all(_LETTERS.match(w) and w[0].isupper() for w in words):
        return None
    if any(fold(w.strip(".")) in _FUNCTIONS for w in words) or any(c.isdigit() for c in name):
        return None
    if is_job(words[-1]) or job_title(name) or fold(words[-1]) in MODIFIERS | PARTIES:
        return None
    if len(words[0]) > 1 and name.isupper() and "," not in name and not address:
        return None
    return "person"
