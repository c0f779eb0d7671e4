"""References in texts: spans, types, keys, and relationships."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base.errors import UsageError
from casetrack.extract.references.finder import References

if TYPE_CHECKING:
    from casetrack.extract.spans import ReferenceSpan


def find(text: str) -> tuple[ReferenceSpan, ...]:
    return References().find(text)


def keys(text: str) -> list[str]:
    return [span.key for span in find(text)]


KEYS = (Path(__file__).parent / "references_keys.txt").read_text(encoding="utf-8")
LINKS = {
    "at https://www.example.com/a/ today": ["link:example.com/a"],
    "at http://example.com/a.": ["link:example.com/a"],
    "(see https://example.com/x_(y))": ["link:example.com/x_(y)"],
    "on www.example.co.uk now": ["link:example.co.uk"],
    "on http://localhost:8080/#/123 now": ["link:localhost:8080/#/123"],
    "doi:10.1000/182 and https://doi.org/10.1000/182": ["link:doi-10-1000-182"] * 2,
    "short bit.ly and nyti.ms.": ["link:bit.ly", "link:nyti.ms"],
    "write to anna@example.com or anna.b@mail.example.co.uk": [],
    "http://# is none": [],
    "Received: from rly-zd05.mx.example.com (10.0.0.1)": [],
}
NOTHING = (
    "This Agreement and the Agreement bind the Parties to any Agreement.",
    "Section headings are for convenience; every Section counts.",
    "The meeting lasted 5 hours; 16 GB of memory; 3 January 2024.",
    "Articles of Association, a Schedule of Fees and an exhibit list.",
    "The Code of Conduct and the Board of Directors.",
    "It was minus 11.4 °C. 3.2 degrees more would be fatal.",
    "Payment within 30 days of the invoice, 45 units of order 12.",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *LINKS.items(),
        (
            "Sections 13(a) and 15(d) of the Securities Exchange Act of 1934",
            [f"regulation:securities-exchange-act-1934-{part}" for part in ("13-a", "15-d")],
        ),
        *(
            (text, [key if ":" in key else f"{kind}:{key}" for key in each.split()])
            for kind, table in re.findall(r"## (\w+)\n((?:.+\n)+)", KEYS)
            for text, each in re.findall("(.+) = (.+)", table)
        ),
    ],
)
def test_keys(text: str, expected: list[str]) -> None:
    assert keys(text) == expected
    assert all(span.key.startswith(span.type + ":") for span in find(text))


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_reference(text: str) -> None:
    assert find(text) == ()


def test_text_and_name() -> None:
    first, second = find("by Sections 13(a) and 15(d) of the Exchange Act")
    assert first.text == "Sections 13(a)"
    assert second.text == "15(d) of the Exchange Act"
    assert second.name == "Section 15(d) Exchange Act"


@pytest.mark.parametrize("text", ["Section 5 of the Act", "pursuant to Section 409A of the Code"])
def test_section_of_an_act_that_is_not_named_stays_open(text: str) -> None:
    (span,) = find(text)
    assert (span.type, span.resolved) == ("regulation", False)


HEADINGS = (
    "Section 8.2 Termination. The parties may end it.",
    "1. Fees\n\nSection 8.2. Term.\nText",
    "EXHIBIT B\n\nFees",
    "## Schedule 2 – Fees",
    "**Article IV**\n",
    "Amendment No. 1\n\nbetween",
    "text ends here.\nSchedule 3: Milestones",
)


@pytest.mark.parametrize("text", HEADINGS)
def test_a_heading_is_no_reference_to_itself(text: str) -> None:
    assert find(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Section 8.2 shall apply.",
        "as set out in\nSection 8.2.",
        "Fees are in,\nSection 8.2 Fees",
        "Section 8.2 of this Agreement",
    ],
)
def test_a_line_that_goes_on_is_a_reference(text: str) -> None:
    assert keys(text) == ["section:8-2"]


RELATIONSHIPS = {
    "amends": """
This Amendment amends the Supply Agreement dated 1 May 2020.
By this deed, Clause 6.3 is hereby amended
""",
    "supersedes": """
It supersedes the Supply Agreement dated 1 May 2020.
And Schedule 2 to the Agreement is deleted and replaced
Dies ersetzt den Vertrag vom 1. Mai 2020.
""",
    "responds_to": """
In reply to your letter of 21 October 2024 we write.
We write in response to the notice dated 3 May 2024.
""",
    "attaches": """
attached hereto as Exhibit B | The form in Exhibit C, attached hereto, counts
""",
    "incorporates": """
And Schedule 3 is incorporated herein by reference | It incorporates by reference Schedule 3.
""",
    "implements": """
tested in accordance with EN 378 | pursuant to Section 8.2
""",
    "contradicts": "This is contrary to Article 5(2) of Directive 95/46/EC.",
    "supports": "The count confirms the Progress Report Q3 2024.",
    "discusses": "The chapter discusses ISO 9001:2015.",
    "cites": """
See Section 8.2. | as amended by Amendment No. 1 | It does not supersede Schedule 2.
This is not contrary to Section 8.2. | the Securities Act of 1933, as amended
We amend nothing. See Section 8.2.
""",
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [(t, name) for name, ts in RELATIONSHIPS.items() for t in re.split(r" \| |\n", ts.strip())],
)
def test_relationship(text: str, expected: str) -> None:
    assert [span.relationship for span in find(text)] == [expected]


@pytest.mark.parametrize(("page", "offset"), [(0, 0), (1, -1)])
def test_bad_places_are_explained(page: int, offset: int) -> None:
    with pytest.raises(UsageError, match=f"{page}.*{offset}") as error:
        References().find("Section 8.2", page=page, offset=offset)
    assert error.value.hint


@pytest.mark.parametrize(
    "text", [".xlsx", ".xlsx Section 8", "saved as .docx, sent", "the sheet .xlsx", "\n.pdf\n.pdf"]
)
def test_the_ending_of_a_file_alone_is_no_file(text: str) -> None:
    assert not [span for span in find(text) if span.type == "document"]


PIECES = (
    "Section 8.2(a)", "EXHIBIT B\n", "clauses 6.3 and 6.4", "ISO 9001:2015",
    "17 C.F.R. § 240.10b-5", "Roe v. Wade, 410 U.S. 113 (1973)", "Id. at 120.", "supra",
    "the Exchange Act", "Amendment No. 1", "https://example.com/a", "a@b.com",
    "§§ 433, 434 BGB", "\n", "\n\n", " ", "amends", "of the", "(a)", "dated 12 March 2024",
    "Supply Agreement", "“Long title”", "report", "Budget.xlsx", ".xlsx", "ä", "😀", "1", "A",
    ".", ";", "[2015] UKSC 67", "Schedules 1 to 4", "SI 2013/1554", "12", "\u00a0", "\t",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=14).map(" ".join)


def check(text: str, spans: tuple[ReferenceSpan, ...]) -> None:
    for span in spans:
        assert text[span.start : span.end] == span.text
        assert span.text
        assert span.key.startswith(span.type + ":")
        assert span.name
        assert 0 <= span.confidence <= 1
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(texts)
def test_places_hold_what_they_say(text: str) -> None:
    check(text, find(text))


@settings(max_examples=100, deadline=None)
@given(texts, st.data())
def test_overlapping_texts(text: str, data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, len(text)))
    references = References()
    first = references.find(text[:end])
    check(text[:end], first)
    second = references.find(text[begin:], offset=begin)
    check(text[begin:], second)
    # References that are whole in both, away from the cut, are the same.
    known = {(s.start, s.end): s for s in first if s.start >= begin and s.end < end}
    again = {(s.start + begin, s.end + begin): s for s in second}
    for place, span in known.items():
        if place in again:
            other = again[place]
            assert (other.key, other.resolved, other.relationship) == (
                span.key,
                span.resolved,
                span.relationship,
            )
        else:
            # Only something that the cut had hidden may take its place.
            assert any(s < place[1] and place[0] < e and e >= end for s, e in again)
    assert references.find(text[begin:], offset=begin) == second
