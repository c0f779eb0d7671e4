"""Mails in three formats: threads with and without ids, forwards, copies, and mails that only look so.

Undirected edges have their documents in the order of the alphabet.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from email.message import EmailMessage
from email.utils import format_datetime

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
    message = EmailMessage()
    message["From"] = sender
    message["To"] = to
    if cc:
        message["Cc"] = cc
    message["Subject"] = subject
    moment = (_START + timedelta(hours=hours)).astimezone(timezone(timedelta(hours=zone)))
    message["Date"] = format_datetime(moment)
    for name, value in (
        ("Message-ID", message_id),
        ("In-Reply-To", answers),
        ("References", references),
        ("X-Folder", folder),
    ):
        if value:
            message[name] = value
    message.set_content(body)
    return message.as_bytes()


ADA, BO, CY = (
    "Ada Moss <ada@mill.example>",
    "Bo Renner <bo@mill.example>",
    "Cy Hale <cy@hale.example>",
)
DI, EVA, FINN = (
    "Di Okoro <di@okoro.example>",
    "Eva Lind <eva@lind.example>",
    "Finn Ray <finn@ray.example>",
)
_QUOTE = """The roof of hall two leaks above the second crane. I have asked for three offers and expect the first one on Thursday."""

FILES: dict[str, str | bytes] = {
    # A thread with ids; its third mail changes the subject, its fourth answers one that is not here.
    "ids/1.eml": mail(ADA, BO, "Roof of hall two", _QUOTE, 0, message_id="<r1@mill.example>"),
    "ids/2.eml": mail(
        BO,
        ADA,
        "Re: Roof of hall two",
        "Please take the cheapest.",
        2,
        message_id="<r2@mill.example>",
        answers="<r1@mill.example>",
        references="<r1@mill.example>",
    ),
    "ids/3.eml": mail(
        ADA,
        BO,
        "Crane inspection",
        "While we are at it: who inspects the crane?",
        5,
        message_id="<r3@mill.example>",
        answers="<r2@mill.example>",
        references="<r1@mill.example> <r2@mill.example>",
    ),
    "ids/5.eml": mail(
        BO,
        ADA,
        "Re: Roof of hall two",
        "Thursday is fine.",
        30,
        message_id="<r5@mill.example>",
        answers="<r4@mill.example>",
        references="<r1@mill.example> <r4@mill.example>",
    ),
    # Copies of the first in other folders, one with another id.
    "copies/sent.eml": mail(
        ADA, BO, "Roof of hall two", _QUOTE, 0, message_id="<r1@mill.example>", folder="Sent"
    ),
    "copies/export.eml": mail(
        ADA,
        BO,
        "Roof of hall two",
        _QUOTE + "\n\n",
        0,
        message_id="<export-77@archive.example>",
        folder="All",
        zone=2,
    ),
    # Without ids: the quoted head says what is answered, in a program's English and German.
    "heads/offer.eml": mail(CY, ADA, "Offer 4471", "We offer the roof for nine thousand.", 80),
    "heads/answer.eml": mail(
        ADA,
        CY,
        "RE: Offer 4471",
        """Can you do eight?

-----Original Message-----
From: Cy Hale [mailto:cy@hale.example]
Sent: Thursday, September 07, 2023 6:30 PM
To: Ada Moss
Subject: Offer 4471

We offer the roof for nine thousand.""",
        82,
    ),
    "heads/wg.eml": mail(
        BO,
        DI,
        "WG: Offer 4471",
        """Zur Kenntnis.

-----Ursprüngliche Nachricht-----
Von: Ada Moss
Gesendet: Donnerstag, 7. September 2023 20:30
An: Cy Hale
Betreff: RE: Offer 4471

Can you do eight?""",
        90,
    ),
    "heads/wrote.eml": mail(
        CY,
        ADA,
        "Re: Offer 4471",
        """Eight and a half.

On Thu, Sep 7, 2023 at 8:30 PM Ada Moss <ada@mill.example> wrote:
> Can you do eight?""",
        95,
    ),
    # Subject, people and time alone.
    "words/q.eml": mail(DI, EVA, "Insurance certificate for the mill", "Please send it.", 200),
    "words/a.eml": mail(EVA, DI, "AW: Insurance certificate for the mill", "Here it is.", 203),
    "words/a2.eml": mail(DI, EVA, "Re: AW: Insurance certificate for the mill", "Thank you.", 204),
    # The same subjects among unlike people.
    "alike/meeting 1.eml": mail(FINN, EVA, "Meeting", "Tuesday at nine?", 10),
    "alike/meeting 2.eml": mail(CY, DI, "Re: Meeting", "Friday at four.", 12),
    "alike/lunch 1.eml": mail(ADA, BO, "lunch", "Soup or salad?", 20),
    "alike/lunch 2.eml": mail(EVA, FINN, "FW: lunch", "Have a look.", 22),
    # The same form every month, each a mail of its own; nobody knows which one is answered.
    "alike/report 1.eml": mail(BO, ADA, "Weekly figures", "Output was 40 tons.", 40),
    "alike/report 2.eml": mail(BO, ADA, "Weekly figures", "Output was 43 tons.", 208),
    "alike/report re.eml": mail(ADA, BO, "Re: Weekly figures", "Well done.", 260),
    # The same words from the same writer on another day are another mail.
    "alike/thanks 1.eml": mail(EVA, DI, "Thanks", "Thanks for everything and see you soon.", 300),
    "alike/thanks 2.eml": mail(EVA, DI, "Thanks", "Thanks for everything and see you soon.", 340),
    # A forward without prefix, as Lotus Notes wrote them.
    "notes/terms.eml": mail(FINN, ADA, "Terms of the loan", "Five per cent, ten years.", 400),
    "notes/fwd.eml": mail(
        ADA,
        EVA,
        "Terms of the loan",
        """What do you think?
---------------------- Forwarded by Ada Moss/MILL on 09/21/2023 11:00 AM ---------------------------

Finn Ray
09/21/2023 12:30 AM
To: Ada Moss/MILL
cc:
Subject: Terms of the loan

Five per cent, ten years.""",
        410,
    ),
    # Two that pass on one mail which is not here: one thread, and neither answers the other.
    "gone/a.eml": mail(
        BO,
        CY,
        "Fw: Crane",
        """fyi

---------------------- Forwarded by Bo Renner/MILL on 10/02/2023 06:03 AM ---------------------------

Bo Renner
10/02/2023 06:03 AM
To: Finn Ray/RAY
cc:
Subject: Crane

The crane stands still.""",
        669.55,
    ),
    "gone/b.eml": mail(
        BO,
        DI,
        "Fw: Crane",
        """fyi

---------------------- Forwarded by Bo Renner/MILL on 10/02/2023 06:03 AM ---------------------------

Bo Renner
10/02/2023 06:03 AM
To: Finn Ray/RAY
cc:
Subject: Crane

The crane stands still.""",
        669.57,
    ),
    # A mailbox of two messages; one is a copy of a mail above, the other answers one.
    "box/archive.mbox": b"".join(
        b"From - Mon Sep 04 08:30:00 2023\n" + raw.replace(b"\r\n", b"\n") + b"\n\n"
        for raw in (
            mail(EVA, DI, "AW: Insurance certificate for the mill", "Here it is.", 203),
            mail(
                DI,
                FINN,
                "Re: Terms of the loan",
                """Six is too much.

-----Original Message-----
From: Finn Ray
Sent: 21 September 2023 00:30
To: Ada Moss
Subject: Terms of the loan

Five per cent""",
                420,
            ),
        )
    ),
}

EDGES = {
    ("ids/2.eml", "ids/1.eml", "response_to"),
    ("ids/3.eml", "ids/2.eml", "response_to"),
    ("ids/5.eml", "ids/1.eml", "response_to"),
    ("copies/export.eml", "ids/1.eml", "copy"),
    ("copies/sent.eml", "ids/1.eml", "copy"),
    ("ids/1.eml", "ids/2.eml", "same_thread"),
    ("ids/1.eml", "ids/3.eml", "same_thread"),
    ("ids/1.eml", "ids/5.eml", "same_thread"),
    ("heads/answer.eml", "heads/offer.eml", "response_to"),
    ("heads/wg.eml", "heads/answer.eml", "forward_of"),
    ("heads/wrote.eml", "heads/answer.eml", "response_to"),
    ("heads/answer.eml", "heads/offer.eml", "same_thread"),
    ("heads/offer.eml", "heads/wg.eml", "same_thread"),
    ("heads/offer.eml", "heads/wrote.eml", "same_thread"),
    ("words/a.eml", "words/q.eml", "response_to"),
    ("words/a2.eml", "words/a.eml", "response_to"),
    ("words/a.eml", "words/q.eml", "same_thread"),
    ("words/a2.eml", "words/q.eml", "same_thread"),
    ("notes/fwd.eml", "notes/terms.eml", "forward_of"),
    ("notes/fwd.eml", "notes/terms.eml", "same_thread"),
    ("gone/a.eml", "gone/b.eml", "same_thread"),
    ("box/archive.mbox", "notes/terms.eml", "response_to"),
    ("box/archive.mbox", "notes/terms.eml", "same_thread"),
}
