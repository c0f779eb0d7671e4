"""Lines for what Outlook keeps besides mails: appointments, tasks, contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.parse.mail.mapi import Properties

_APPOINTMENT = (("Start", 0x820D), ("End", 0x820E), ("Location", 0x8208))
_TASK = (("Start", 0x8104), ("Due", 0x8105), ("Completed", 0x810F), ("Owner", 0x811F))
_TASK_STATUS, _TASK_SHARE = 0x8101, 0x8102
_STATUS = ("not started", "in progress", "complete", "waiting", "deferred")
_CONTACT = (
    ("Name", 0x3001),
    ("Company", 0x3A16),
    ("Department", 0x3A18),
    ("Job title", 0x3A17),
    ("Profession", 0x3A46),
    ("Business phone", 0x3A08),
    ("Home phone", 0x3A09),
    ("Mobile phone", 0x3A1C),
    ("Fax", 0x3A24),
    ("Web page", 0x3A51),
)
_CONTACT_NAMED = (
    ("Email", 0x8083),
    ("Email 2", 0x8093),
    ("Email 3", 0x80A3),
    ("Business address", 0x801B),
    ("Home address", 0x801A),
    ("Other address", 0x801C),
    ("Instant messaging", 0x8062),
)


def item_lines(kind: str, found: Properties, named: dict[int, int], /) -> list[tuple[str, str]]:
    """Return further lines for the head of an item.

    Parameters
    ----------
    kind
        Its message class, such as ``IPM.Appointment``.
    found
        Its properties.
    named
        Ids of properties named by a number, by that number.
    """
    kind = kind.lower()
    if kind.startswith(("ipm.appointment", "ipm.schedule.meeting")):
        return _lines(found, [(name, named.get(key)) for name, key in _APPOINTMENT])
    if kind.startswith("ipm.task"):
        lines = _lines(found, [(name, named.get(key)) for name, key in _TASK])
        return lines + _task_state(found, named)
    if kind.startswith("ipm.contact"):
        keys = [(name, named.get(key)) for name, key in _CONTACT_NAMED]
        return _lines(found, [*_CONTACT, *keys])
    return []


def _lines(found: Properties, keys: list[tuple[str, int | None]]) -> list[tuple[str, str]]:
    lines = []
    for name, key in keys:
        if key is None:
            continue
        time = found.time(key)
        text = time.isoformat(timespec="seconds") if time else found.line(key)
        if text:
            lines.append((name, text))
    return lines


def _task_state(found: Properties, named: dict[int, int]) -> list[tuple[str, str]]:
    lines = []
    status = found.number(named.get(_TASK_STATUS, 0))
    if status is not None and 0 <= status < len(_STATUS):
        lines.append(("Status", _STATUS[status]))
    share = found.values.get(named.get(_TASK_SHARE, 0))
    if isinstance(share, float) and 0 <= share <= 1:
        lines.append(("Complete", f"{share:.0%}"))
    return lines
