"""Reports to the Securities and Exchange Commission: form, period, registrant, exhibits listed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.graph.entities.organizations import read_organization
from casetrack.graph.identity.facts import Description, Identity
from casetrack.graph.identity.joined import days_of

if TYPE_CHECKING:
    from casetrack.graph.identity.facts import Kind
    from casetrack.graph.identity.joined import Joined

_OPENING = 5000
_TITLE_LINE = 40
_FORM = re.compile(
    r"(?<!\w)(?:FORM|Form)\s{1,3}(?P<form>10-?KT?|10-?Q|8-?K|20-?F|40-?F|6-?K)(?:\s*[/-]\s*(?P<changed>A))?(?![\w-])"
)
_BODY = re.compile(r"SECURITIES\s+AND\s+EXCHANGE\s+COMMISSION", re.IGNORECASE)
_ENDED = re.compile(
    r"(?:fiscal\s+year|quarterly\s+period|quarter|year|period|transition\s+period)s?\s+ended\s*:?|date\s+of\s+(?:earliest\s+event\s+reported|report)[^\n]{0,60}?[:)]*\s*",
    re.IGNORECASE,
)
_FILE_NUMBER = re.compile(r"(?<![\d-])(?P<number>\d{1,3}-\d{4,6}(?:-\d{2})?)(?![\d-])")
_FILE_LABEL = re.compile(r"Commission\s+File\s+(?:Number|No)", re.IGNORECASE)
_REGISTRANT = re.compile(r"\(\s*Exact\s+name\s+of\s+(?:the\s+)?registrant", re.IGNORECASE)
_LISTED = re.compile(r"(?:^|\n)[ \t|*]*(?:Exhibit\s+)?(?P<label>\d{1,3}\.\d{1,3})(?=[\s|*])")
_KINDS: dict[str, Kind] = {
    "10k": "annual report",
    "10kt": "annual report",
    "20f": "annual report",
    "40f": "annual report",
    "10q": "interim report",
    "8k": "current report",
    "6k": "current report",
}


def read_filing(joined: Joined, digest: str, /) -> tuple[Identity, int, int] | None:
    """Return what a report says that it is, and where it says so; ``None`` for other documents.

    Its title is the form ("10-k", and "amended" for one that changes an earlier one), its dates are
    the end of its period, its numbers the file number and the registrant.
    """
    text = joined.text[:_OPENING]
    form = next((m for m in _FORM.finditer(text[:3000]) if _is_title(text, m)), None)
    if form is None or not _BODY.search(text[:3000]) or text[: form.start()].count("\n") > 60:
        return None
    name = form["form"].lower().replace("-", "")
    numbers = [f"file:{n}" for n in _file_numbers(text)]
    registrant = _registrant(text)
    if registrant:
        numbers.append(f"registrant:{registrant}")
    title = (form["form"].lower(), "amended") if form["changed"] else (form["form"].lower(),)
    end = _period_end(joined, text)
    listed = tuple(dict.fromkeys(m["label"] for m in _LISTED.finditer(joined.text)))[:400]
    described = Description(_KINDS[name], title, dates=end, numbers=tuple(numbers))
    return Identity(1, described, parts=listed, digest=digest), form.start(), form.end()


def _is_title(text: str, form: re.Match[str]) -> bool:
    """Tell whether a line is little more than the name of the form."""
    start = text.rfind("\n", 0, form.start()) + 1
    end = text.find("\n", form.end())
    line = text[start : end if end >= 0 else len(text)]
    return len(line.strip()) < _TITLE_LINE or form[0].startswith("FORM")


def _file_numbers(text: str) -> list[str]:
    found = dict[str, None]()
    for label in _FILE_LABEL.finditer(text):
        near = text[max(0, label.start() - 60) : label.end() + 80]
        for match in _FILE_NUMBER.finditer(near):
            found["-".join(str(int(part)) for part in match["number"].split("-"))] = None
    return list(found)[:4]


def _registrant(text: str) -> str:
    label = _REGISTRANT.search(text)
    if label is None:
        return ""
    lines = [line.strip(" \t_*#|-–—") for line in text[: label.start()].split("\n")]
    named = (n for n in reversed(lines) if sum(c.isalpha() for c in n) > 2)
    name = next((n for n in named if not _FILE_LABEL.search(n)), "")
    form = read_organization(re.split(r"\s{3,}", name)[0]) if len(name) < 120 else None
    return "-".join(form.base) if form else ""


def _period_end(joined: Joined, text: str) -> tuple[str, ...]:
    for label in _ENDED.finditer(text):
        for date in joined.dates_within(label.end(), label.end() + 60)[:1]:
            return days_of(date)
    return ()
