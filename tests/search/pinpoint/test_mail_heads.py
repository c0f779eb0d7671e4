"""Marks of mails are in their bodies, unless the question asks for a field of the head."""

from __future__ import annotations

import pytest

from casetrack.search.pinpoint.mail_heads import units_to_mark
from casetrack.search.pinpoint.units import units_of

HEAD = "From: Dana <dana@corbel.example>\nTo: Tom,\n  Ida\nDate: 3 March 2025\nSubject: Boiler"
QUOTED = "----- Original Message -----\n> From: Tom\n> Sent: Monday\n> To: Dana\n> Subject: Boiler"
BODY = "The boiler is checked on 14 April."


@pytest.mark.parametrize(
    ("text", "question", "parts"),
    [
        (f"{HEAD}\n\n{BODY}", "Dana boiler", [BODY]),
        (f"{HEAD}\n{BODY}", "When is the boiler checked?", [BODY]),
        (f"{HEAD}\n\nThanks.\n{QUOTED}\n>\n> {BODY}", "boiler", ["Thanks.", f">\n> {BODY}"]),
        (HEAD, "boiler", ["Subject: Boiler"]),
        (f"{HEAD}\n\n{BODY}", "Who sent the mail on the boiler?", [HEAD.partition("\n")[0]]),
        (f"{HEAD}\n\n{BODY}", "To whom was the mail sent?", ["To: Tom,\n  Ida"]),
        (f"{HEAD}\n\n{BODY}", "When was the e-mail sent?", ["Date: 3 March 2025"]),
        (f"{HEAD}\n\n{BODY}", "Who sent the boiler back?", [BODY]),
        ("From: 1 May 2024\nTo: 30 April 2025", "term", ["From: 1 May 2024\nTo: 30 April 2025"]),
    ],
)
def test_parts_of_a_mail_that_a_question_may_mark(
    text: str, question: str, parts: list[str]
) -> None:
    units = units_to_mark(text, units_of(text), question)
    assert [text[unit.start : unit.end] for unit in units] == parts


def test_a_passage_may_start_inside_of_a_head() -> None:
    for text in (f"Cc: Ida\nSubject: Boiler\n\n{BODY}", f"Ida\nSubject: Boiler\n{BODY}", BODY):
        (unit,) = units_to_mark(text, units_of(text), "boiler", continues=True)
        assert text[unit.start : unit.end] == BODY
