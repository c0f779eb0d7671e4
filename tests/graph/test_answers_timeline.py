"""Events by date: their bounds and descriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import UsageError
from casetrack.graph.answers.sentence import sentence_around, shortened
from casetrack.graph.answers.timeline import timeline
from graph.fakes import HandMadeGraph, Written

if TYPE_CHECKING:
    from collections.abc import Callable

SIGNED = (
    "Intro. The [[ref document:msa|Agreement]] was signed on [[date:2024-03-12|12 March 2024]] by "
    "[[person:ann|Ann Lee]]. Outro."
)


def events(*chunks: str, **span: str) -> list[tuple[str, str]]:
    result = timeline(HandMadeGraph([Written("a.txt", list(chunks))]), **span)  # type: ignore[arg-type]
    assert result.total == len(result.events)
    return [(e.value, e.description) for e in result.events]


def test_an_event_is_the_sentence_around_its_date() -> None:
    assert events(SIGNED) == [
        ("2024-03-12", "The Agreement was signed on 12 March 2024 by Ann Lee.")
    ]


def test_a_left_out_document_has_no_events() -> None:
    graph = HandMadeGraph([Written(f"{name}.txt", [SIGNED]) for name in "ab"])
    for left_out in graph.documents:
        (event,) = timeline(graph, without=[left_out.document_id]).events
        assert event.quote.provenance.document_id != left_out.document_id


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("This lease, dated [[date:2024-03-12|12 March 2024]], is between two.", "signed"),
        ("The lease shall commence on [[date:2024-03-12|12 March 2024]] in full.", "effective"),
        ("Signed by all, the lease expires on [[date:2024-03-12|12 March 2024]].", "expiry"),
        ("The rent is due no later than [[date:2024-03-12|12 March 2024]] at noon.", "deadline"),
    ],
)
def test_the_nearest_words_are_the_type_of_an_event(text: str, type: str) -> None:  # noqa: A002
    assert [e.type for e in timeline(HandMadeGraph([Written("a.txt", [text])])).events] == [type]


@pytest.mark.timeout(30)
def test_white_space_behind_a_date_is_read_in_proportion() -> None:
    text = SIGNED.replace(" by ", f"{'  , ' * 2000} by ")
    assert [value for value, _ in events(text)] == ["2024-03-12"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "noise",
    [
        "© [[date:2024|2024]] Acme Corp. All rights reserved, signed or not.",
        "Printed on [[date:2024-03-12|12/03/2024]] and delivered to the desk.",
        "Year | [[date:2024|2024]] | paid",
        "Model [[date:2024|2024]] is blue.",
        "Date of Birth: [[date:1985-05-14|05/14/1985]]",
        "Paid in Nuclear Methods, Volume 764, [[date:2014-11-11|11 November 2014]].",
        "Item Last Month 2017/06 2017/07 [[date:2017-08|2017/08]] 2017/09 2017/10 2017/11 12 13",
        "Roe, 2010 U.S. Dist. LEXIS 35078 (M.D. Pa. [[date:2010-04-07|Apr. 7, 2010]]) (adopted).",
        "46191 ([[date:1991-09-10|September 10, 1991]]).",
        "a. FAR 52.252-1 -- Provisions Incorporated by Reference ([[date:1998-02|Feb 1998]])",
        "From: Bo\nDate: [[date:2057-05-02|2 May 2057]]\nSubject: Rent\n\nPaid.",
        "From: Bo\nSent: [[date:1970-01-01|1 January 1970]] 00:00\nTo: Al\n\nPaid.",
        "From: Bo\nSubject: Rent\nStated date: [[date:2003-05-02|2 May 2003]] 16:00\n\nPaid.",
    ],
)
def test_noise_is_no_event(noise: str) -> None:
    assert events(noise) == []


@pytest.mark.slow
def test_the_year_in_the_name_of_a_law_is_no_event() -> None:
    text = "The Companies Act [[date:2006|2006]] was paid in [[date:2007|2007]] or so."
    source = HandMadeGraph([Written("a.txt", [text])])
    act = HandMadeGraph([Written("a.txt", ["The [[ref regulation:a|Companies Act 2006]]."])])
    source.set_table("citations", act.table("citations"))
    assert [e.value for e in timeline(source).events] == ["2007"]


def test_the_place_that_says_most_speaks_for_the_date() -> None:
    source = HandMadeGraph(
        [
            Written("a.txt", ["[[date:2024-03-12|12 March 2024]]\nDear all"]),
            Written("b.txt", [SIGNED]),
            Written("c.txt", ["Something was blue on [[date:2024-03-12|12 March 2024]]."]),
        ]
    )
    (event,) = timeline(source).events
    assert (event.mention_count, event.document_count) == (3, 3)
    assert event.quote.provenance.document_name == "b.txt"
    assert event.quote.text == "12 March 2024"
    assert 0 < event.weight <= 1


@pytest.mark.parametrize(
    ("text", "at_head"),
    [
        ("ACME Ltd.\n1 High Street\n\n[[date:2024-03-12|12 March 2024]]\n\nDear all,\nhi.", True),
        ("Dear all,\n\nThe rent is due.\n\nBo\n[[date:2024-03-12|12 March 2024]]", False),
        ("word " * 300 + "\n\nBo\n[[date:2024-03-12|12 March 2024]]", False),
    ],
)
def test_only_a_date_above_the_text_is_at_the_head(text: str, at_head: bool) -> None:
    assert [("head of" in message) for _, message in events(text)] == [True] * at_head


@pytest.mark.slow
def test_deeds_weigh_more_than_remarks() -> None:
    remark = "The sky was blue on [[date:2024-05-05|5 May 2024]] above."
    source = HandMadeGraph([Written("a.txt", [remark, SIGNED])])
    both = timeline(source)
    assert both.total == 2
    assert [e.value for e in timeline(source, limit=1).events] == ["2024-03-12"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("start", "end", "values"),
    [
        (None, None, ["2023-12-31", "2024", "2024-06-15"]),
        ("2024-01-01", None, ["2024", "2024-06-15"]),
        ("2024-07-01", None, ["2024"]),
        (None, "2023-12-31", ["2023-12-31"]),
        ("2024", "2024", ["2024", "2024-06-15"]),
        ("June 2024", "30 June 2024", ["2024", "2024-06-15"]),
        ("2025-01-01", None, []),
    ],
)
def test_spans_hold_what_touches_them(
    start: str | None, end: str | None, values: list[str]
) -> None:
    source = HandMadeGraph(
        [Written("a.txt", ["It was paid on [[date:2023-12-31|31 December 2023]] in full.",
                           "It was paid in [[date:2024|2024]] in full.",
                           "It was paid on [[date:2024-06-15|15 June 2024]] in full."])]
    )  # fmt: skip
    result = timeline(source, start=start, end=end)
    assert [e.value for e in result.events] == values
    assert result.total == len(values)


@pytest.mark.parametrize(
    ("start", "end", "facts"),
    [
        ("soon", None, ["soon"]),
        (None, "2024-13-45", ["2024-13-45"]),
        ("03/04/2024", None, ["2024-03-04", "2024-04-03"]),
        ("2024-05-01", "2024-04-01", ["2024-05-01", "2024-04-01"]),
    ],
)
def test_wrong_spans_say_what_to_write(
    start: str | None, end: str | None, facts: list[str]
) -> None:
    with pytest.raises(UsageError) as caught:
        timeline(HandMadeGraph([Written("a.txt", [SIGNED])]), start=start, end=end)
    assert all(fact in str(caught.value) for fact in facts)


def test_dates_whose_days_nobody_knows_are_counted_by_what_they_are(
    messages: Callable[[str], None],
) -> None:
    unclear = "Paid [[date?|03/04/2024]] in full."
    fiscal = "Sales fell in the [[date:2022-Q4|fourth quarter of fiscal 2022]] by a tenth."
    result = timeline(HandMadeGraph([Written("a.txt", [unclear, fiscal, SIGNED])]))
    assert (result.undated, result.fiscal, result.total, len(result.events)) == (1, 1, 1, 1)
    messages(result.left_out)


def test_long_sentences_are_cut_around_the_date() -> None:
    text = "word " * 200 + "signed on 12 March 2024 in full " + "word " * 200
    start = text.index("12 March")
    low, high = sentence_around(text, start, start + 13)
    cut = shortened(text, low, high, (start, start + 13), 240)
    assert "signed on 12 March 2024 in full" in cut
    assert cut.startswith("… word")
    assert cut.endswith("word …")
    assert len(cut) <= 250


MAIL = """From: Ines Brandt <i.brandt@kelp.example>
To: Marek Novak <m.novak@tern.example>; Ana Ruiz <a.ruiz@tern.example>
Date: [[date:2024-05-02|2 May 2024]]
Subject: Late pallets

Dear Marek, the pallets have not come."""
NOTES = """Ines Brandt
[[date:2024-05-02|05/02/2024]] 07:46 AM
To: Marek Novak/OSL/Tern
cc:
Subject: Late pallets

Dear Marek, the pallets have not come."""


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (MAIL, ["Ines Brandt", "Marek Novak", "1", "Late pallets"]),
        (NOTES, ["Ines Brandt", "Marek Novak", "Late pallets"]),
        (MAIL.replace("Subject: Late pallets\n", ""), ["Ines Brandt", "Marek Novak", "1"]),
    ],
)
def test_the_day_of_a_mail_says_who_wrote_to_whom(text: str, facts: list[str]) -> None:
    ((day, message),) = events(text)
    assert day == "2024-05-02"
    at = [message.find(fact) for fact in facts]
    assert -1 not in at
    assert at == sorted(at)
    assert "example" not in message


def test_copies_of_a_mail_are_one_event_and_other_mails_of_the_day_their_own(
    messages: Callable[[str], None],
) -> None:
    answer = MAIL.replace("Ines Brandt <i", "Marek Novak <m").replace(
        "Late pallets", "Re: Lorry broke down"
    )
    answer = answer.replace("To: Marek Novak <m.novak@tern.example>; ", "To: ")
    source = HandMadeGraph(
        [Written(name, [text]) for name, text in
         (("1.eml", MAIL), ("copy of 1.eml", MAIL), ("2.eml", answer))]
    )  # fmt: skip
    result = timeline(source)
    messages("\n".join(e.description for e in result.events))
    assert result.total == 2


def test_different_deeds_of_a_day_are_events_and_one_told_twice_is_not() -> None:
    day = "[[date:2024-03-12|12 March 2024]]"
    texts = {
        "a.txt": f"The lease of the mill was signed on {day} by both sides in Leeds.",
        "b.txt": f"On {day} both sides signed the lease of the mill, says the clerk.",
        "c.txt": f"Kelp paid the first invoice for barley on {day} by wire transfer.",
        "d.txt": f"It was raining hard over the quay on {day} until noon or later.",
    }
    source = HandMadeGraph([Written(name, [text]) for name, text in texts.items()])
    messages = {e.quote.provenance.document_name for e in timeline(source).events}
    assert messages == {"a.txt", "c.txt"}


@pytest.mark.parametrize(
    "furniture",
    [
        "Net sales for the year ended {} rose by a tenth and 4 million was paid to owners.",
        "Loans of 12 million were outstanding at {}, and all interest was paid by then.",
        "Exhibit 4 is incorporated by reference to the report on Form 8-K that was filed on {}.",
    ],
)
def test_what_happened_goes_before_ends_of_years_and_days_of_filing(furniture: str) -> None:
    filed = furniture.format("[[date:2023-12-31|December 31, 2023]]")
    ended = "The tenancy was terminated on [[date:2024-03-12|12 March 2024]]."
    source = HandMadeGraph([Written("a.txt", [filed, ended]), Written("b.txt", [filed, filed])])
    assert [e.value for e in timeline(source, limit=1).events] == ["2024-03-12"]


def test_one_talkative_document_does_not_fill_the_timeline() -> None:
    days = [f"[[date:2024-01-{n:02}|{n} January 2024]]" for n in range(1, 21)]
    minutes = [
        f"The board met and approved item {n} on {day} in Oslo." for n, day in enumerate(days)
    ]
    later = [f"[[date:2024-02-{n:02}|{n} February 2024]]" for n in range(1, 6)]
    others = [
        Written(f"{n}.txt", [f"Tarn Mill delivered lorry {n} on {day}."])
        for n, day in enumerate(later)
    ]
    source = HandMadeGraph([Written("minutes.txt", minutes), *others])
    shown = timeline(source, limit=10).events
    assert sum(e.quote.provenance.document_name == "minutes.txt" for e in shown) < 10
    assert timeline(source).total == 25
