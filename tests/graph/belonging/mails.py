"""Mails in three formats: threads with and without ids, forwards, copies, and mails that only look so.

Undirected edges have their documents in the order of the alphabet.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.message import EmailMessage
from email.utils import format_datetime
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
_TABLE = """
# A thread with ids; its third mail changes the subject, its fourth answers one that is not here.
ids/1.eml | 0 | ADA > BO | Roof of hall two | ROOF | message_id=<r1@mill>
ids/2.eml | 2 | BO > ADA | Re: Roof of hall two | Please take the cheapest. | message_id=<r2@mill> answers=<r1@mill> references=<r1@mill>
ids/3.eml | 5 | ADA > BO | Crane inspection | While we are at it: who inspects the crane? | message_id=<r3@mill> answers=<r2@mill> references=<r1@mill>,<r2@mill>
ids/5.eml | 30 | BO > ADA | Re: Roof of hall two | Thursday is fine. | message_id=<r5@mill> answers=<r4@mill> references=<r1@mill>,<r4@mill>
# Copies of the first in other folders, one with another id.
copies/sent.eml | 0 | ADA > BO | Roof of hall two | ROOF | message_id=<r1@mill> folder=Sent
copies/export.eml | 0 | ADA > BO | Roof of hall two | ROOF ¶ ¶ | message_id=<export-77@archive> folder=All zone=2
# Without ids: the quoted head says what is answered, in a program's English and German.
heads/offer.eml | 80 | CY > ADA | Offer 4471 | We offer the roof for nine thousand.
heads/answer.eml | 82 | ADA > CY | RE: Offer 4471 | Can you do eight? ¶ ¶ -----Original Message----- ¶ From: Cy Hale [mailto:cy@hale.example] ¶ Sent: Thursday, September 07, 2023 6:30 PM ¶ To: Ada Moss ¶ Subject: Offer 4471 ¶ ¶ We offer the roof for nine thousand.
heads/wg.eml | 90 | BO > DI | WG: Offer 4471 | Zur Kenntnis. ¶ ¶ -----Ursprüngliche Nachricht----- ¶ Von: Ada Moss ¶ Gesendet: Donnerstag, 7. September 2023 20:30 ¶ An: Cy Hale ¶ Betreff: RE: Offer 4471 ¶ ¶ Can you do eight?
heads/wrote.eml | 95 | CY > ADA | Re: Offer 4471 | Eight and a half. ¶ ¶ On Thu, Sep 7, 2023 at 8:30 PM Ada Moss <ada@mill.example> wrote: ¶ > Can you do eight?
# Subject, people and time alone.
words/q.eml | 200 | DI > EVA | Insurance certificate for the mill | Please send it.
words/a.eml | 203 | EVA > DI | AW: Insurance certificate for the mill | Here it is.
words/a2.eml | 204 | DI > EVA | Re: AW: Insurance certificate for the mill | Thank you.
# The same subjects among unlike people.
alike/meeting 1.eml | 10 | FINN > EVA | Meeting | Tuesday at nine?
alike/meeting 2.eml | 12 | CY > DI | Re: Meeting | Friday at four.
alike/lunch 1.eml | 20 | ADA > BO | lunch | Soup or salad?
alike/lunch 2.eml | 22 | EVA > FINN | FW: lunch | Have a look.
# The same form every month, each a mail of its own; nobody knows which one is answered.
alike/report 1.eml | 40 | BO > ADA | Weekly figures | Output was 40 tons.
alike/report 2.eml | 208 | BO > ADA | Weekly figures | Output was 43 tons.
alike/report re.eml | 260 | ADA > BO | Re: Weekly figures | Well done.
# The same words from the same writer on another day are another mail.
alike/thanks 1.eml | 300 | EVA > DI | Thanks | Thanks for everything and see you soon.
alike/thanks 2.eml | 340 | EVA > DI | Thanks | Thanks for everything and see you soon.
# A forward without prefix, as Lotus Notes wrote them.
notes/terms.eml | 400 | FINN > ADA | Terms of the loan | Five per cent, ten years.
notes/fwd.eml | 410 | ADA > EVA | Terms of the loan | What do you think? ¶ ---------------------- Forwarded by Ada Moss/MILL on 09/21/2023 11:00 AM --------------------------- ¶ ¶ Finn Ray ¶ 09/21/2023 12:30 AM ¶ To: Ada Moss/MILL ¶ cc: ¶ Subject: Terms of the loan ¶ ¶ Five per cent, ten years.
# Two that pass on one mail which is not here: one thread, and neither answers the other.
gone/a.eml | 669.55 | BO > CY | Fw: Crane | CRANE
gone/b.eml | 669.57 | BO > DI | Fw: Crane | CRANE
# A mailbox of two messages: one is a copy of a mail above, the other answers one.
box/archive.mbox | 203 | EVA > DI | AW: Insurance certificate for the mill | Here it is.
box/archive.mbox | 420 | DI > FINN | Re: Terms of the loan | Six is too much. ¶ ¶ -----Original Message----- ¶ From: Finn Ray ¶ Sent: 21 September 2023 00:30 ¶ To: Ada Moss ¶ Subject: Terms of the loan ¶ ¶ Five per cent
"""


def _files() -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {}
    box = b""
    for line in filter(None, _TABLE.splitlines()):
        if line.startswith("#"):
            continue
        path, hours, people, subject, body, *rest = line.split(" | ")
        for name, text in _BODIES.items():
            body = body.replace(name, text)
        told: dict[str, Any] = dict(word.split("=") for word in " ".join(rest).split())
        told |= {"references": told.get("references", "").replace(",", " ")}
        told |= {"zone": int(told.get("zone", 0))}
        sender, to = (_PEOPLE[name] for name in people.split(" > "))
        body = re.sub(" ?¶ ?", "\n", body)
        raw = mail(sender, to, subject, body, float(hours), **told)
        if path.endswith(".mbox"):
            box += b"From - Mon Sep 04 08:30:00 2023\n" + raw.replace(b"\r\n", b"\n") + b"\n\n"
            raw = box
        files[path] = raw
    return files


FILES = _files()
_RELATIONS = {
    "response_to": "ids/2.eml > ids/1.eml; ids/3.eml > ids/2.eml; ids/5.eml > ids/1.eml; "
    "heads/answer.eml > heads/offer.eml; heads/wrote.eml > heads/answer.eml; "
    "words/a.eml > words/q.eml; words/a2.eml > words/a.eml; box/archive.mbox > notes/terms.eml",
    "forward_of": "heads/wg.eml > heads/answer.eml; notes/fwd.eml > notes/terms.eml",
    "copy": "copies/export.eml > ids/1.eml; copies/sent.eml > ids/1.eml",
    "same_thread": "ids/1.eml > ids/2.eml; ids/1.eml > ids/3.eml; ids/1.eml > ids/5.eml; "
    "heads/answer.eml > heads/offer.eml; heads/offer.eml > heads/wg.eml; "
    "heads/offer.eml > heads/wrote.eml; words/a.eml > words/q.eml; words/a2.eml > words/q.eml; "
    "notes/fwd.eml > notes/terms.eml; gone/a.eml > gone/b.eml; box/archive.mbox > notes/terms.eml",
}
EDGES = {
    (*pair.split(" > "), kind) for kind, pairs in _RELATIONS.items() for pair in pairs.split("; ")
}
