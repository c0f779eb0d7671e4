"""Mails in three formats: threads with and without ids, forwards, copies, and lookalikes.

Undirected edges have their documents in alphabetical order.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

TYPES = ("response_to", "forward_of", "copy", "same_thread")
_START = datetime(2023, 9, 4, 8, 30, tzinfo=UTC)


def mail(
    sender: str,
    to: str,
    subject: str,
    body: str,
    hours: float,
    *,
    message_id: str = "",
    answers: str = "",
    references: str = "",
    cc: str = "",
    folder: str = "",
    zone: int = 0,
) -> bytes:
    """Return a mail as a file."""
    moment = (_START + timedelta(hours=hours)).astimezone(timezone(timedelta(hours=zone)))
    message = EmailMessage()
    heads = (
        *(("From", sender), ("To", to), ("Cc", cc), ("Subject", subject)),
        *(("Date", format_datetime(moment)), ("Message-ID", message_id), ("In-Reply-To", answers)),
        *(("References", references), ("X-Folder", folder)),
    )
    for name, value in heads:
        if value:
            message[name] = value
    message.set_content(body)
    return message.as_bytes()


_PEOPLE = {
    "ADA": "Ada Moss <ada@mill.example>",
    "BO": "Bo Renner <bo@mill.example>",
    "CY": "Cy Hale <cy@hale.example>",
    "DI": "Di Okoro <di@okoro.example>",
    "EVA": "Eva Lind <eva@lind.example>",
    "FINN": "Finn Ray <finn@ray.example>",
}
_BODIES = {
    "ROOF": "The roof of hall two leaks above the second crane. I have asked for three offers and expect the first one on Thursday.",
    "CRANE": """fyi

---------------------- Forwarded by Bo Renner/MILL on 10/02/2023 06:03 AM ---------------------------

Bo Renner
10/02/2023 06:03 AM
To: Finn Ray/RAY
cc:
Subject: Crane

The crane stands still.""",
}
# Path, hours after the first mail, who writes to whom, subject, body with its ends of lines, heads.
_TABLE = Path(__file__).with_suffix(".txt").read_text("utf-8")


def _files() -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {}
    box = b""
    for line in filter(None, _TABLE.splitlines()):
        if line.startswith("#"):
            continue
        path, hours, people, subject, body, *rest = line.split(" | ")
        for name, text in _BODIES.items():
            body = body.replace(name, text)
        messages: dict[str, Any] = dict(word.split("=") for word in " ".join(rest).split())
        messages |= {"references": messages.get("references", "").replace(",", " ")}
        messages |= {"zone": int(messages.get("zone", 0))}
        sender, to = (_PEOPLE[name] for name in people.split(" > "))
        body = re.sub(" ?¶ ?", "\n", body)
        raw = mail(sender, to, subject, body, float(hours), **messages)
        if path.endswith(".mbox"):
            box += b"From - Mon Sep 04 08:30:00 2023\n" + raw.replace(b"\r\n", b"\n") + b"\n\n"
            raw = box
        files[path] = raw
    return files


FILES = _files()
_RELATIONS = {
    "response_to": "ids/2.eml > ids/1.eml; ids/3.eml > ids/2.eml; ids/5.eml > ids/1.eml; "
    "heads/answer.eml > heads/offer.eml; heads/wrote.eml > heads/answer.eml; "
    "words/a.eml > words/q.eml; words/a2.eml > words/a.eml; box/archive.mbox/Re_ Terms of the loan.eml > notes/terms.eml",
    "forward_of": "heads/wg.eml > heads/answer.eml; notes/fwd.eml > notes/terms.eml",
    "copy": "copies/export.eml > ids/1.eml; copies/sent.eml > ids/1.eml; "
    "box/archive.mbox/AW_ Insurance certificate for the mill.eml > words/a.eml",
    "same_thread": "ids/1.eml > ids/2.eml; ids/1.eml > ids/3.eml; ids/1.eml > ids/5.eml; "
    "heads/answer.eml > heads/offer.eml; heads/offer.eml > heads/wg.eml; "
    "heads/offer.eml > heads/wrote.eml; words/a.eml > words/q.eml; words/a2.eml > words/q.eml; "
    "notes/fwd.eml > notes/terms.eml; gone/a.eml > gone/b.eml; box/archive.mbox/Re_ Terms of the loan.eml > notes/terms.eml",
}
EDGES = {
    (*pair.split(" > "), kind) for kind, pairs in _RELATIONS.items() for pair in pairs.split("; ")
}
