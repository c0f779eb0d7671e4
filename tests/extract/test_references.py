"""References in texts: what is found, of which kind, under which key, with which relationship."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base.errors import UsageError
from casetrack.extract.references import References, keys_relate, reference_key

if TYPE_CHECKING:
    from casetrack.extract.spans import ReferenceSpan


def find(text: str) -> tuple[ReferenceSpan, ...]:
    return References().find(text)


def keys(text: str) -> list[str]:
    return [span.key for span in find(text)]


# Texts and their keys, which begin with the kind of the table where they name no other one.
KEYS = {
    "standard": """
certified to ISO 9001:2015 throughout = iso-9001-2015
according to BS EN ISO 9001:2015 = iso-9001-2015 | under DIN EN ISO 14001 = iso-14001
controls of ISO/IEC 27001 apply = iso-27001 | pressure tests to EN 378-2:2016 = en-378-2-2016
rails to DIN EN 528 = en-528 | functional safety per IEC 61508-3 = iec-61508-3
tension by ASTM D638-14 = astm-d638-14 | wireless IEEE 802.11ac = ieee-802-11ac
keywords of RFC 2119 = rfc-2119 | controls of NIST SP 800-53 Rev. 5 = nist-sp-800-53-rev-5
modules by FIPS PUB 140-2 = fips-140-2 | certificates by ITU-T X.509 = itu-t-x-509
wired to AS/NZS 3000:2018 = as-nzs-3000-2018 | as GB/T 19001-2016 says = gb-t-19001-2016
labels by ANSI Z535.4-2011 = ansi-z535-4-2011 | wired to BS 7671:2018+A2:2022 = bs-7671-2018
""",
    "regulation": """
violates 17 C.F.R. § 240.10b-5 here = cfr-17-240-10b-5 | under 15 U.S.C. § 78j(b) = usc-15-78j-b
21 C.F.R. § 312.70 or § 812.119 = cfr-21-312-70 cfr-21-812-119
published at 81 Fed. Reg. 12,345 = fed-reg-81-12345
by Wash. Rev. Code §§ 19.100.180 = washington-revised-code-19-100-180
Fla. Stat. § 120.68 (2007) = florida-statutes-120-68
Mass. Gen. Laws ch. 1, § 2 = massachusetts-general-laws-1-2
see Public Law 108-53 = public-law-108-53
the Securities Act of 1933, as amended = securities-act-1933
filed under the Securities Act = securities-act-1933
Section 10(b) of the Exchange Act = securities-exchange-act-1934-10-b
by s. 172 Companies Act 2006 = companies-act-2006-172
section 172(1) of the Companies Act 2006 = companies-act-2006-172-1
Companies Act 2006, s. 172 = companies-act-2006-172 | rights of SI 2013/1554 = uk-si-2013-1554
rights of S.I. 2013 No. 1554 = uk-si-2013-1554
Section 1542 of the California Civil Code = california-civil-code-1542
California Civil Code Section 1542 = california-civil-code-1542
Cal. Civ. Code § 1542 = california-civil-code-1542
CALIFORNIA CIVIL CODE § 1542 = california-civil-code-1542
Section 1542 of the Civil Code of the State of California = california-civil-code-1542
Cal. Rev. & Tax. Code § 17041 = california-revenue-and-taxation-code-17041
California Code of Civil Procedure § 1060 = california-code-civil-procedure-1060
Cal. Civ. Proc. Code § 1060 = california-code-civil-procedure-1060
Section 5-1401 of the New York General Obligations Law = new-york-general-obligations-law-5-1401
N.Y. Gen. Oblig. Law § 5-1401 = new-york-general-obligations-law-5-1401
N.Y. Bus. Corp. Law § 626 = new-york-business-corporations-law-626
New York Business Corporation Law § 626 = new-york-business-corporations-law-626
New York Judiciary Law § 487 = new-york-judicial-law-487
N.Y. Jud. Law § 487 = new-york-judicial-law-487
Texas Business and Commerce Code § 17.46 = texas-business-and-commercial-code-17-46
Tex. Bus. & Com. Code Ann. § 17.46 = texas-business-and-commercial-code-17-46
Section 501.204, Florida Statutes = florida-statutes-501-204
Florida Statutes § 501.204 = florida-statutes-501-204
Section 18-101 of Title 6 of the Delaware Code = delaware-code-6-18-101
Del. Code Ann. tit. 6, § 18-101 = delaware-code-6-18-101
6 Del. C. § 18-101 = delaware-code-6-18-101
Section 220 of the General Corporation Law of Delaware = delaware-code-8-220
Revised Code of Washington § 19.86.020 = washington-revised-code-19-86-020
Regulation (EU) 2016/679 and the GDPR = eu-2016-679 eu-2016-679
the General Data Protection Regulation = eu-2016-679
by Article 6(1)(f) GDPR = eu-2016-679-6-1-f
nach Art. 6 Abs. 1 lit. f DSGVO = eu-2016-679-6-1-f | repeals Directive 95/46/EC = eu-95-46
gemäß § 433 Abs. 1 BGB = bgb-433-1 | nach §§ 433, 434 BGB = bgb-433 bgb-434
by Rule 10b-5 and Regulation S-K = sec-rule-10b-5 sec-regulation-sk
""",
    "section": """
under Section 12.3, New York Law shall govern = 12-3
as Section 8.2(a) says = 8-2-a | clauses 6.3 and 6.4 apply = 6-3 6-4
by Sections 8.2(a) and (b) hereof = 8-2-a 8-2-b
by Sections 5 through 9 of this Agreement = 5 9 | under § 5 Abs. 2 dieses Vertrags = 5-2
nach Ziffer 4.2 und Anlage 3 = 4-2 exhibit:annex-3 | in Article IV hereof = article-4
by paragraph 3 of Schedule 2 = paragraph-3 exhibit:schedule-2
the form in Exhibit B hereto = exhibit:exhibit-b
in Exhibits A, B and C hereto = exhibit:exhibit-a exhibit:exhibit-b exhibit:exhibit-c
see Schedules 1 to 4 below = exhibit:schedule-1 exhibit:schedule-4
see Schedules 1-3 below = exhibit:schedule-1 exhibit:schedule-3
see Appendix 2 and Annex B = exhibit:appendix-2 exhibit:annex-b
clause 7.1 of the Supply Agreement = supply-agreement-7-1 document:supply-agreement
""",
    "document": """
under the Master Services Agreement dated 12 March 2024 = master-services-agreement-2024-03-12
the Supply Agreement, dated as of May 23, 2017, by = supply-agreement-2017-05-23
set out in Amendment No. 1 to = amendment-1 | as the First Amendment says = amendment-1
against Purchase Order 4711 only = purchase-order-4711
we paid Invoice TS-2024-0187 late = invoice-ts-2024-0187
by Change Requests CR-07 and CR-09 = change-request-cr-07 change-request-cr-09
our letter of 21 October 2024 stands = letter-2024-10-21
unser Schreiben vom 19. August 2024 = schreiben-2024-08-19
figures of Budget.xlsx differ = budget-xlsx
opened Board Minutes 2024-10-29.docx again = board-minutes-2024-10-29-docx
by the Annual Report 2023 alone = report:annual-report-2023
the 2023 Annual Report = report:annual-report-2023
from the Progress Report Q3 2024 on = report:progress-report-q3-2024
its Form 10-K for the fiscal year ended December 31, 2019 = report:form-10-k-2019
a report entitled “Frost in the Doors” says = report:frost-in-the-doors
the Expert Determination of 3 February 2025 = report:expert-determination-2025-02-03
""",
    "case": """
In Smith v. Jones the court = smith-v-jones | in Ivey v Genting [2017] UKSC 67 it = 2017-uksc-67
in Case C-131/12 the Court = eu-c-131-12 | ECLI:EU:C:2014:317. = ecli-eu-c-2014-317
BGH, Urteil vom 12.3.2020 – VIII ZR 12/19 = bgh-viii-zr-12-19
pending as Case No. 3:12-cv-01234 = no-3-12-cv-01234
""",
}
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
            (text, [key if ":" in key else f"{kind}:{key}" for key in found.split()])
            for kind, table in KEYS.items()
            for text, found in re.findall("(.+) = (.+)", table.replace(" | ", "\n"))
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


NAMES = {
    ("standard", "ISO 27001"): "standard:iso-27001",
    ("standard", "iso/iec 27001:2013"): "standard:iso-27001-2013",
    ("section", "Section 8.2"): "section:8-2",
    ("section", "clause 8.2(a)"): "section:8-2-a",
    ("regulation", "17 C.F.R. § 240.10b-5"): "regulation:cfr-17-240-10b-5",
    ("regulation", "gdpr"): "regulation:eu-2016-679",
    ("regulation", "securities act of 1933"): "regulation:securities-act-1933",
    ("exhibit", "exhibit b"): "exhibit:exhibit-b",
    ("case", "Roe v. Wade, 410 U.S. 113 (1973)"): "case:410-us-113",
    ("document", "invoice ts-2024-0187"): "document:invoice-ts-2024-0187",
    ("link", "https://www.example.com/a/"): "link:example.com/a",
    ("document", "The Blue Book"): "document:the-blue-book",
}


@pytest.mark.parametrize(("asked", "expected"), NAMES.items())
def test_key_of_a_name(asked: tuple[str, str], expected: str) -> None:
    assert reference_key(*asked) == expected  # type: ignore[arg-type]


def test_keys_with_and_without_year_relate() -> None:
    with_year = reference_key("standard", "ISO 9001:2015")
    without = reference_key("standard", "ISO 9001")
    assert with_year != without
    assert keys_relate(with_year, without)
    assert keys_relate(without, with_year)
    assert not keys_relate(without, reference_key("standard", "ISO 90011"))
    assert not keys_relate(with_year, reference_key("standard", "ISO 9001:2008"))


def test_bad_names_are_explained() -> None:
    for kind, name, named in (("standard", " – ", "ISO 9001:2015"), ("law", "GDPR", "regulation")):
        with pytest.raises(UsageError) as caught:
            reference_key(kind, name)  # type: ignore[arg-type]
        assert named in caught.value.hint


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
    # What lies whole in both, away from the cut, is answered the same way.
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
