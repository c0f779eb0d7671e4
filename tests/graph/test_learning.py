"""Names that a document makes sure are found at all their places, and nothing else is."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.extract.spans import NameSpan
from casetrack.graph.document import read_document
from casetrack.graph.document.sure.companies import find_companies
from casetrack.graph.document.sure.forms import Form, patterns, readable
from casetrack.graph.document.sure.likeness import resembles
from casetrack.graph.document.sure.spread import Spreader, vocabulary
from graph.test_document import document, entities, marked, read

if TYPE_CHECKING:
    from casetrack.graph.document.facts import DocumentGraph

NAMED = {"person", "organization"}


def places(graph: DocumentGraph, text: str, name: str) -> list[str]:
    """Return what stands at the places of the entity of a name, in order."""
    found = [i for i, e in enumerate(graph.entities) if e.kind in NAMED and e.name == name]
    assert len(found) == 1, [(e.kind, e.name) for e in graph.entities if e.kind in NAMED]
    return [" ".join(text[m.start : m.end].split()) for m in graph.mentions if m.entity == found[0]]


# Made up, of kinds of papers from several trades and countries; [P:…] is what a tagger would say.
PARTIES = [
    pytest.param(
        "SUPPLY AGREEMENT\n\nThis Agreement is between Kestrel Dairy Holdings, Inc., a Delaware "
        'corporation with offices at 12 Mill St. Albany ("Kestrel"), and Jonas Weber, an '
        'individual residing in Ohio (the "Consultant").\n\nKestrel shall pay. KESTREL’S duty '
        "ends; the Consultant works for Kestrel’s plants. The kestrel is a bird. A "
        "consultant may be asked.",
        {
            "Kestrel Dairy Holdings, Inc.": [
                *("Kestrel Dairy Holdings, Inc.", "Kestrel", "Kestrel", "KESTREL", "Kestrel"),
            ],
            "Jonas Weber": ["Jonas Weber", "Consultant", "Consultant"],
        },
        id="supply, US",
    ),
    pytest.param(
        "THIS LEASE is made on 4 May 2021 BETWEEN (1) MARLOW ESTATES LIMITED (company number "
        '01234567) (the "Landlord") and (2) HARBOUR BOOKS LLP ("Tenant").\n\n'
        "The Landlord lets the shop to the Tenant. Marlow Estates Ltd may enter.\n"
        "No other landlord counts.",
        {
            "Marlow Estates Ltd": [
                *("MARLOW ESTATES LIMITED", "Landlord", "Landlord", "Marlow Estates Ltd"),
            ],
            "HARBOUR BOOKS LLP": ["HARBOUR BOOKS LLP", "Tenant", "Tenant"],
        },
        id="lease, UK",
    ),
    pytest.param(
        "Darlehensvertrag zwischen\n\nPfeiffer Maschinenbau GmbH, Musterstr. 1, 50667 Köln\n"
        "(nachfolgend „Darlehensgeber“ genannt)\n\nund\n\nNordlicht Energie AG, Hamburg\n"
        "(nachfolgend „Nordlicht“ genannt).\n\nNordlicht zahlt an die Pfeiffer Maschinenbau\nGmbH. "
        "Der Darlehensgeber kündigt.",
        {
            "Pfeiffer Maschinenbau GmbH": [
                "Pfeiffer Maschinenbau GmbH",
                "Darlehensgeber",
                "Pfeiffer Maschinenbau GmbH",
                "Darlehensgeber",
            ],
            "Nordlicht Energie AG": ["Nordlicht Energie AG", "Nordlicht", "Nordlicht"],
        },
        id="loan, German",
    ),
    pytest.param(
        "LOAN AGREEMENT\namong\n\nVERDE FUNDING TRUST 2031,\nas Borrower,\n\nOAKHAM SAVINGS, "
        "N.A.,\nas Lender\n\nThe Borrower repays the Lender. Verde Funding Trust 2031 is a trust.",
        {
            "Verde Funding Trust 2031": [
                *("VERDE FUNDING TRUST 2031", "Borrower", "Borrower", "Verde Funding Trust 2031"),
            ],
            "OAKHAM SAVINGS, N.A.": ["OAKHAM SAVINGS, N.A.", "Lender", "Lender"],
        },
        id="parts on a title page",
    ),
    pytest.param(
        "This agreement is entered into between Orchard Micro Systems Corp. d/b/a Pearwood "
        '("Orchard") and Silo Partners LLC, formerly known as Barn Works LLC ("Silo").\n'
        "Pearwood sells. Barn Works LLC bought. Orchard and Silo agree.",
        {
            "Orchard Micro Systems Corp.": [
                *("Orchard Micro Systems Corp.", "Pearwood", "Orchard", "Pearwood", "Orchard"),
            ],
            "Silo Partners LLC": [
                *("Silo Partners LLC", "Barn Works LLC", "Silo", "Barn Works LLC", "Silo"),
            ],
        },
        id="other names",
    ),
    pytest.param(
        '1.1 "Quill" means Quill Robotics, Inc. and its Affiliates. "Closing Date" means 1 June.\n'
        "1.2 Quill Products are made by Quill; Quill Robotics Holdings GmbH is another firm. "
        "On the Closing Date QUILL pays.",
        {"Quill Robotics, Inc.": ["Quill", "Quill Robotics, Inc.", "Quill", "Quill", "QUILL"]},
        id="definitions, and a longer name",
    ),
    pytest.param(
        "Amber Foods plc (together with its subsidiaries, “Amber”, “we”, “our”, or the “Company”) "
        "(NYSE: AMBF) files this report. The Company grew. We sold. Amber's sales rose; AMBF rose.",
        {
            "Amber Foods plc": [
                *("Amber Foods plc", "Amber", "Company", "AMBF", "Company", "Amber", "AMBF"),
            ],
        },
        id="filing",
    ),
    pytest.param(
        "JANE Q. ROE,\n    Plaintiff,\nv.\nKESTREL DAIRY, INC.,\n    Defendant.\n\n"
        "Plaintiff sued. Jane Q. Roe says that Defendant owes her. Kestrel Dairy denies it.",
        {
            "Jane Q. Roe": ["JANE Q. ROE", "Plaintiff", "Plaintiff", "Jane Q. Roe"],
            "KESTREL DAIRY, INC.": [
                *("KESTREL DAIRY, INC.", "Defendant", "Defendant", "Kestrel Dairy"),
            ],
        },
        id="caption",
    ),
    pytest.param(
        "EMPLOYMENT AGREEMENT between Thornbury Glass Ltd (hereinafter referred to as the "
        "“Employer” or “Thornbury”) and [P:Adaeze Okafor] (“Executive”).\n\nExecutive reports to "
        "Thorn-\nbury. Employer\nmay end it. All employer duties stay. Other Executives too.",
        {
            "Thornbury Glass Ltd": [
                *("Thornbury Glass Ltd", "Employer", "Thornbury", "Thorn- bury", "Employer"),
            ],
            "Adaeze Okafor": ["Adaeze Okafor", "Executive", "Executive"],
        },
        id="employment",
    ),
]


@pytest.mark.parametrize(("text", "wanted"), PARTIES)
def test_every_place_of_a_party(text: str, wanted: dict[str, list[str]]) -> None:
    graph = read(text)
    plain = marked(text).text
    assert {name: places(graph, plain, name) for name in wanted} == wanted


NOT_THERE = [
    ('between Target Ltd ("Target") and X GmbH. The target date is near; target it.', "target"),
    ('Apple Orchards Ltd ("Apple") sells. Every apple counts; www.apple.com.', "apple"),
    ('Acme Inc. (the "Company") is a company. An insurance company pays.', "company"),
    ('Acme Inc. (the "Company") and its Parent Company agree.', "Parent Company"),
    ("Seaforth Shipping Ltd sails. Seaforth Shipping (Asia) Ltd does not.", "(Asia)"),
    ('Smith Tools Inc. ("Smith") sells. Mr. Smith and Robert Smith buy.', "Mr. Smith"),
    ('Dove Inc. ("Dove") wrote to info@dove.com and dove.com.', "@dove"),
]


@pytest.mark.parametrize(("text", "other"), NOT_THERE)
def test_no_common_word_and_no_part_of_another_name(text: str, other: str) -> None:
    graph = read(text)
    at = text.index(other)
    mine = [
        text[m.start : m.end]
        for m in graph.mentions
        if graph.entities[m.entity].kind == "organization"
        and at <= m.start < at + len(other)
        and m.end - m.start < len(other)
    ]
    assert not mine


PERSONS = [
    'between Acme Mills Inc. ("Acme") and [P:Fang Xu] (the "Buyer"). [P:Fang Xu] pays.',
    'Mr. Hu Xiaoming (the "Executive") and China Com Ltd. (the "Company") agree.',
    'between Acme Mills Inc. ("Acme") and Ola Nordmann, an individual ("Nordmann").',
    'AGREEMENT between Dr. Jane Doe ("Dr. Doe") and Ehove, Inc. ("Ehove"). Dr. Doe works.',
]


@pytest.mark.parametrize("text", PERSONS)
def test_a_party_may_be_a_person(text: str) -> None:
    graph = read(text)
    assert len(entities(graph, "person")) == len(entities(graph, "organization")) == 1


FIRMS = [
    ('among Foo Bank, a Utah industrial bank ("Foo"), and others. Foo pays.', "foo-bank", 3),
    ("The Regents of the University of Mayfield (“Regents”) met. Regents met.", None, 0),
    ('between Hill Valley Research Foundation ("HVRF") and you. HVRF pays.', None, 3),
    ('between Johnson & Jonson, a Jersey corporation ("J&J"), and you. J&J pays.', None, 3),
    ("Agreement between NORTH MEDIA ENTERPRISES and you. North Media Enterprises sold.", None, 2),
]


@pytest.mark.parametrize(("text", "key", "count"), FIRMS)
def test_a_firm_without_a_legal_form(text: str, key: str | None, count: int) -> None:
    found = entities(read(text), "organization")
    assert not count or [e.mention_count for e in found.values()] == [count]
    assert key is None or key in found


def test_the_addressee_of_a_letter_is_not_the_company_that_writes_it() -> None:
    text = (
        "1 May 2020\n\n[P:Ola Nordmann]\n\nDear Ola:\n\nQuill Bio, Inc., a Delaware corporation "
        "(the “Company”), is pleased to retain [P:Ola Nordmann] (“Consultant”).\n\nThe Company "
        "pays Consultant."
    )
    graph = read(text)
    plain = marked(text).text
    assert places(graph, plain, "Quill Bio, Inc.") == ["Quill Bio, Inc.", "Company", "Company"]
    assert places(graph, plain, "Ola Nordmann")[-2:] == ["Consultant", "Consultant"]


def test_the_last_of_a_list_has_the_term() -> None:
    text = (
        "among Amber plc, Bolt Works Pty Ltd and Corn Mills, Inc., as guarantors, and [O:Dune Bank "
        "Trust] Company Americas, as trustee (the “Trustee”). The Trustee acts."
    )
    graph = read(text)
    owner = next(m.entity for m in graph.mentions if m.role == "trustee" and m.found_by == "spread")
    assert graph.entities[owner].name.startswith("Dune Bank Trust")


def test_a_word_defined_for_two_leads_to_neither() -> None:
    text = (
        'Acme Mills Inc. (the "Seller") and Bolt Works GmbH (the "Buyer") agree.\n\nAnnex: Corn '
        'Ltd (the "Buyer") and Dune SA (the "Seller").\n\nThe Buyer pays.'
    )
    graph = read(text)
    last = text.rindex("Buyer")
    assert not [m for m in graph.mentions if m.start == last and m.found_by == "spread"]


def test_how_a_place_was_found() -> None:
    text = "Between [O:Acme Mills Inc.] (“Acme”) and others. [O:Acme Mills Inc.] ran. Acme ran."
    graph = read(text)
    found = [m.found_by for m in graph.mentions if graph.entities[m.entity].kind in NAMED]
    assert found == ["defined", "defined", "tagged", "spread"], found
    entity = entities(graph, "organization")["acme-mills-inc"]
    assert dict(entity.evidence).keys() >= {"legal form", "definition"}


def test_a_signer_counts_once() -> None:
    text = (
        "IN WITNESS WHEREOF\n\nACME MILLS, INC.\n\nBy: /s/ Jo A. Roe\nName: Jo A. Roe\n"
        "Title: Chief Executive Officer\n\nBOLT GMBH\n\nBy: /s/ Ann Lee\nName: Ann Lee\n"
    )
    graph = read(text)
    people = entities(graph, "person")
    assert {k: (e.mention_count, e.evidence) for k, e in people.items()} == {
        "jo-a-roe": (1, (("signature", 1),)),
        "ann-lee": (1, (("signature", 1),)),
    }
    assert people["jo-a-roe"].roles == (("chief executive", 1),)


MAIL = [
    ('From: "Roe, Jo" <jo.roe@acme.com>', "jo-roe", "jo.roe@acme.com"),
    ("To: Jo Roe <Jo.Roe@acme.com>; Ann Lee", "jo-roe", "jo.roe@acme.com"),
    ("Cc: jo.roe@acme.com, d.hall@acme.com", "jo-roe", "jo.roe@acme.com"),
    ("From: Roe, Jo </O=ACME/OU=NA/CN=RECIPIENTS/CN=JROE>\nTo: x", "jo-roe", ""),
    ("To:\tPratt, Sam; Roe, Jo; Osei, Kofi B.\nSubject: x", "jo-roe", ""),
    ("To: Jo Roe/LON/ACME@ACME, Sam Pratt@ACME\ncc:", "jo-roe", ""),
]


@pytest.mark.parametrize(("text", "key", "address"), MAIL)
def test_a_correspondent(text: str, key: str, address: str) -> None:
    people = entities(read(text), "person")
    assert people[key].addresses == ((address,) if address else ())
    assert ("mail head", 1) in people[key].evidence


@pytest.mark.parametrize(
    "text",
    [
        "To: all.staff@acme.com, help.desk@acme.com",
        "From: acme.announcements@acme.com",
        "To: undisclosed-recipients; IT Helpdesk <it@acme.com>",
        "cc: Jo Roe's team, Senior Vice President, Human Resources",
    ],
)
def test_no_person_of_a_mail_box(text: str) -> None:
    assert not entities(read(text), "person")


COMPANIES = [
    ("made between Bank of Oakham plc and the Kestrel and Partners LLP.", 2),
    ("PPG Lacke Trading (Ulm) Co., Ltd. and Beta GmbH & Co. KG shall", 2),
    ("President of Acme Widgets Inc. resigned", 1),
    ("Mrs. Bird's Bakeries Limited sold Compass Row Research & Trading, LLC", 2),
    ("a Delaware corporation, an Ohio limited liability company", 0),
    ("Incorporated by reference to Exhibit 3", 0),
    ("the Company shall, and Company may; each Corporation", 0),
]


@pytest.mark.parametrize(("text", "count"), COMPANIES)
def test_companies(text: str, count: int) -> None:
    found = [text[a:b] for a, b, weak in find_companies(text) if not weak]
    assert len(found) == count, found


BOUNDS = [
    ("the Securities and [O:Exchange Commission] says", "Securities and Exchange Commission"),
    ("by Kestrel [O:Glass] and Partners LLP", "Kestrel Glass and Partners LLP"),
    ("the Department of [O:Justice] said", "Department of Justice"),
    ("said D. [P:Michael Wilson] then", "D. Michael Wilson"),
    ("ads of [P:Jonson] & [P:Jonson] ran", "Jonson & Jonson"),
    ("met [P:Deutsche Bank]; [O:Deutsche Bank] paid, [O:Deutsche Bank]", "Deutsche Bank"),
]


@pytest.mark.parametrize(("text", "name"), BOUNDS)
def test_boundaries(text: str, name: str) -> None:
    assert [e.name for e in read(text).entities if e.kind in NAMED] == [name]


def test_a_thing_with_a_term_is_nobody() -> None:
    text = "a copy of the [P:Disk Image] (“Rescue Disk”) is kept. The Disk Image. The Rescue Disk."
    graph = read(text)
    assert not [m for m in graph.mentions if "Rescue" in text[m.start : m.end] and m.found_by]


def test_a_firm_is_no_person_because_the_tagger_says_so() -> None:
    text = (
        'between Cardinal, Incorporated ("Cardinal") and Zed Ltd. [P:Cardinal] pays; [P:Cardinal] '
        "acts, [P:Cardinal] sells and [P:Cardinal] sues. [P:Vanta] grew, [P:Vanta] fell, [P:Vanta] "
        "sold."
    )
    assert not entities(read(text), "person")


@pytest.mark.parametrize(
    ("short", "whole", "is_like"),
    [
        ("Oakham", "Bank of Oakham plc", True),
        ("IBW", "International Business Works Corporation", True),
        ("PPG Ulm", "PPG Lacke Trading (Ulm) Co., Ltd.", True),
        ("Bank", "Oakham Dairy plc", False),
        ("License", "Zed Ltd", False),
    ],
)
def test_resembles(short: str, whole: str, is_like: bool) -> None:
    assert resembles(short, whole) is is_like


# --- whatever the text ---------------------------------------------------------------------------

WORD = st.sampled_from(
    ["Kestrel", "Oakham", "Dairy", "Thornbury", "Quill", "Über", "3D", "Nord-West"]
)
BASE = st.lists(WORD, min_size=1, max_size=3, unique=True).map(" ".join)
COMPANY = st.tuples(BASE, st.sampled_from([", Inc.", " Ltd", " GmbH", " plc"])).map("".join)
BETWEEN = st.sampled_from(
    [" ", "\n", "\n\n", " and ", ", ", " (", ") ", "’s ", " – ", "\u00a0", ". The "]
)


@settings(max_examples=80, deadline=None)
@given(
    COMPANY, st.lists(st.tuples(BETWEEN, st.one_of(BASE, COMPANY, st.just("said")))), st.booleans()
)
def test_what_is_found_reads_as_a_form_of_the_name(
    name: str, more: list[tuple[str, str]], shout: bool
) -> None:
    rest = "".join(gap + word for gap, word in more)
    text = f"between {name} and others{rest.upper() if shout else rest}"
    forms = [Form(name, "x", "organization", "full")]
    words = vocabulary([text])
    wanted = {re.sub(r"[\W_]", "", p) for f in forms for p in patterns(f)}
    for hit in Spreader(forms, words).find(text):
        found = text[hit.start : hit.end]
        assert re.sub(r"[\W_]", "", found.lower()) in wanted
        assert not text[hit.end : hit.end + 1].isalnum()
        assert not text[hit.start - 1 : hit.start].isalnum()


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("abAB -\n\t’'\u00ad\u00a0ßİ.é"), max_size=60))
def test_the_readable_text_knows_where_its_signs_stood(text: str) -> None:
    read_, placed = readable(text)
    if placed is None:
        assert len(read_) == len(text)
        return
    assert len(placed) == len(read_) + 1
    assert list(placed) == sorted(placed)
    for sign, place in zip(read_, placed, strict=False):
        assert sign == " " or sign == text[place].lower() or not text[place].isascii()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(BETWEEN, st.one_of(COMPANY, BASE)), max_size=8), st.integers(0, 5))
def test_each_place_is_exact_and_none_overlap(parts: list[tuple[str, str]], seed: int) -> None:
    text = "Agreement between " + "".join(word + gap for gap, word in parts) + ' ("Short") '
    chunk = marked(text)
    start = min(seed * 7, max(len(text) - 6, 0))
    tagged = NameSpan(start, start + 5, text[start : start + 5], "person", 0.8)
    graph = read_document(document(), [replace(chunk, names=(tagged,))])
    spans = sorted(
        (m.start, m.end) for m in graph.mentions if graph.entities[m.entity].kind in NAMED
    )
    assert all(0 <= a < b <= len(text) for a, b in spans)
    assert all(before[1] <= behind[0] for before, behind in itertools.pairwise(spans))
