"""Names that a document makes sure are found at all their places, and nothing else is."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.extract.card.cover import Cover
from casetrack.extract.card.read import card_columns
from casetrack.extract.papers.caption import read_caption
from casetrack.extract.papers.text import TextPage, WholeText
from casetrack.extract.spans import NameSpan
from casetrack.graph.document import read_document
from casetrack.graph.document.anchored_names.companies import find_companies
from casetrack.graph.document.anchored_names.facts import Form, patterns, readable
from casetrack.graph.document.anchored_names.occurrences import NameFinder, vocabulary
from graph.test_document import document, entities, marked, read

if TYPE_CHECKING:
    from casetrack.graph.document.facts import DocumentGraph

NAMED = {"person", "organization"}


def places(graph: DocumentGraph, text: str, name: str) -> list[str]:
    """Return the texts of the mentions of the entity of a name, in order."""
    actual = [i for i, e in enumerate(graph.entities) if e.kind in NAMED and e.name == name]
    assert len(actual) == 1, [(e.kind, e.name) for e in graph.entities if e.kind in NAMED]
    return [
        " ".join(text[m.start : m.end].split()) for m in graph.mentions if m.entity == actual[0]
    ]


# Invented, of papers from several trades and countries; [P:…] is an output of a tagger, <1|…> a
# mention of the first name.
PLACE = re.compile(r"<(\d)\|(.*?)>", re.DOTALL)
PARTIES = {
    "Kestrel Dairy Holdings, Inc. | Jonas Weber": (
        "SUPPLY AGREEMENT\n\nThis Agreement is between <1|Kestrel Dairy Holdings, Inc.>, a "
        'Delaware corporation with offices at 12 Mill St. Albany ("<1|Kestrel>"), and <2|Jonas '
        'Weber>, an individual residing in Ohio (the "<2|Consultant>").\n\n<1|Kestrel> shall pay.'
        " <1|KESTREL>’S duty ends; the <2|Consultant> works for <1|Kestrel>’s plants. The kestrel"
        " is a bird. A consultant may be asked."
    ),
    "Marlow Estates Ltd | HARBOUR BOOKS LLP": (
        "THIS LEASE is made on 4 May 2021 BETWEEN (1) <1|MARLOW ESTATES LIMITED> (company number "
        '01234567) (the "<1|Landlord>") and (2) <2|HARBOUR BOOKS LLP> ("<2|Tenant>").\n\nThe '
        "<1|Landlord> lets the shop to the <2|Tenant>. <1|Marlow Estates Ltd> may enter.\nNo "
        "other landlord counts."
    ),
    "Pfeiffer Maschinenbau GmbH | Nordlicht Energie AG": (
        "Darlehensvertrag zwischen\n\n<1|Pfeiffer Maschinenbau GmbH>, Musterstr. 1, 50667 "
        "Köln\n(nachfolgend „<1|Darlehensgeber>“ genannt)\n\nund\n\n<2|Nordlicht Energie AG>, "
        "Hamburg\n(nachfolgend „<2|Nordlicht>“ genannt).\n\n<2|Nordlicht> zahlt an die "
        "<1|Pfeiffer Maschinenbau\nGmbH>. Der <1|Darlehensgeber> kündigt."
    ),
    "Verde Funding Trust 2031 | OAKHAM SAVINGS, N.A.": (
        "LOAN AGREEMENT\namong\n\n<1|VERDE FUNDING TRUST 2031>,\nas <1|Borrower>,\n\n<2|OAKHAM "
        "SAVINGS, N.A.>,\nas <2|Lender>\n\nThe <1|Borrower> repays the <2|Lender>. <1|Verde "
        "Funding Trust 2031> is a trust."
    ),
    "Orchard Micro Systems Corp. | Silo Partners LLC": (
        "This agreement is entered into between <1|Orchard Micro Systems Corp.> d/b/a "
        '<1|Pearwood> ("<1|Orchard>") and <2|Silo Partners LLC>, formerly known as <2|Barn Works '
        'LLC> ("<2|Silo>").\n<1|Pearwood> sells. <2|Barn Works LLC> bought. <1|Orchard> and '
        "<2|Silo> agree."
    ),
    "Linden Travel Co., Ltd. | Mistral Booking Co., Ltd.": (
        "AGREEMENT made by and between:\n\n(1) <1|Linden Travel Co., Ltd.>, with its office at 5 "
        "Quay St. and its legal representative being [P:Bao Lin] (“<1|Party A>”);\n\n(2) "
        "<2|Mistral Booking Co., Ltd.>, whose managing director is [P:Bao Lin] (“<2|Party B>”)."
        "\n\n<1|Party A> pays <2|Party B>."
    ),
    "Quill Robotics, Inc.": (
        '1.1 "<1|Quill>" means <1|Quill Robotics, Inc.> and its Affiliates. "Closing Date" means '
        "1 June.\n1.2 <1|Quill> Products are made by <1|Quill>; Quill Robotics Holdings GmbH is "
        "another firm. On the Closing Date <1|QUILL> pays."
    ),
    "Amber Foods plc": (
        "<1|Amber Foods plc> (together with its subsidiaries, “<1|Amber>”, “we”, “our”, or the "
        "“<1|Company>”) (NYSE: <1|AMBF>) files this report. The <1|Company> grew. We sold. "
        "<1|Amber>'s sales rose; <1|AMBF> rose."
    ),
    "Jane Q. Roe | KESTREL DAIRY, INC.": (
        "DISTRICT COURT, ELM COUNTY, OHIO\n\n"
        "<1|JANE Q. ROE>,\n    <1|Plaintiff>,\nv.\n<2|KESTREL DAIRY, INC.>,\n    "
        "<2|Defendant>.\n\n<1|Plaintiff> sued. <1|Jane Q. Roe> says that <2|Defendant> owes her. "
        "<2|Kestrel Dairy> denies it."
    ),
    "Thornbury Glass Ltd | Adaeze Okafor": (
        "EMPLOYMENT AGREEMENT between <1|Thornbury Glass Ltd> (hereinafter referred to as the "
        "“<1|Employer>” or “<1|Thornbury>”) and <2|[P:Adaeze Okafor]> "
        "(“<2|Executive>”).\n\n<2|Executive> reports to <1|Thorn-\nbury>. <1|Employer>\nmay end "
        "it. All employer duties stay. Other Executives too."
    ),
}


@pytest.mark.parametrize(("names", "written"), PARTIES.items(), ids=PARTIES)
def test_every_place_of_a_party(names: str, written: str) -> None:
    text = PLACE.sub(r"\2", written)
    plain = marked(text).text
    paper = read_caption(WholeText((TextPage(1, plain),)))
    graph = read(text, parties=paper.parties)
    for number, name in enumerate(names.split(" | "), 1):
        wanted = [marked(words).text for n, words in PLACE.findall(written) if n == str(number)]
        assert places(graph, plain, name) == [" ".join(words.split()) for words in wanted]


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
    card = card_columns(Cover([TextPage(1, text)]), "contract")["card"]
    result = entities(read(text, card=card), "organization")
    assert not count or [e.mention_count for e in result.values()] == [count]
    assert key is None or key in result


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


def test_a_quoted_definition_counts_before_another_firm_s_initials() -> None:
    text = (
        "This Agreement is among Oakham Rentals Inc., a Delaware corporation with an address of "
        '12 Mill St. (hereinafter "OERC"), and Tarn Paints LLC, a Maine company ("Tarn").\n\n'
        "OERC shall pay Tarn.\n\nThe name of Oakham Equipment Rental Corporation (OERC) may be "
        "used by OERC until June."
    )
    graph = read(text)
    assert places(graph, text, "Oakham Rentals Inc.").count("OERC") >= 3


def test_a_name_that_a_firm_will_have_is_not_its_name() -> None:
    text = (
        "Tarn is owned by Oakham Holdings, Inc., a Delaware corporation (“OHI”).\n\nThe plan of "
        "Dunmore Cars, Inc. (to be renamed “Oakham Holdings, Inc.” in connection with it, “New "
        "Oakham”) and OHI is dated 30 June 2016. OHI ends; New Oakham begins."
    )
    graph = read(text)
    assert places(graph, text, "Oakham Holdings, Inc.").count("OHI") == 3
    assert "OHI" not in places(graph, text, "Dunmore Cars, Inc.")


def test_how_a_place_was_found() -> None:
    text = "Between [O:Acme Mills Inc.] (“Acme”) and others. [O:Acme Mills Inc.] ran. Acme ran."
    graph = read(text)
    actual = [m.found_by for m in graph.mentions if graph.entities[m.entity].kind in NAMED]
    assert actual == ["defined", "defined", "tagged", "spread"], actual
    entity = entities(graph, "organization")["acme-mills-inc"]
    assert dict(entity.evidence).keys() >= {"legal form", "definition"}


def test_a_signer_counts_once() -> None:
    text = (
        "IN WITNESS WHEREOF\n\nACME MILLS, INC.\n\nBy: /s/ Jo A. Roe\nName: Jo A. Roe\n"
        "Title: Chief Executive Officer\n\nBOLT GMBH\n\nBy: /s/ Ann Lee\nName: Ann Lee\n"
        "Business Name: Elm Roe | Agency Name: Oak Lee\n"
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
        "To: all.staff@acme.com, shift.dl-portland@acme.com, help.desk@acme.com",
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
    ("moved to Denver, CO 80203, then to Adelaide, SA 5000", 0),
    ("Under the terms of each Maine Corporation it votes", 0),
    ("Section 18 of the Delaware Limited Liability Company Act", 0),
    ("THE FAILURE OF ANY LIMITED REMEDY; Chief Executive Officer Oakham Mills LLC", 1),
    ("sold to Fjordkraft Nord ASA. It grew", 1),
    ("sold to Ocel Brod a.s. and to Bern Technik s.r.o. in Brno a.s.a.p.", 2),
]


@pytest.mark.parametrize(("text", "count"), COMPANIES)
def test_companies(text: str, count: int) -> None:
    actual = [text[a:b] for a, b, weak in find_companies(text) if not weak]
    assert len(actual) == count, actual


def test_a_date_before_a_company_is_no_part_of_its_name() -> None:
    text = "By a letter of 11 November 2024 Oakham Mills plc and 7 Eleven Inc. agreed"
    assert [text[a:b] for a, b, _ in find_companies(text)] == ["Oakham Mills plc", "7 Eleven Inc."]


CASES = Path(__file__).with_name("names_whole.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("case", [line for line in CASES if line[:1] not in {"", "#"}])
def test_names_are_whole_and_name_somebody(case: str) -> None:
    text, _, wanted = case.replace("\\n", "\n").partition(" =>")
    names = sorted(e.name for e in read(text).entities if e.kind in NAMED)
    assert names == sorted(filter(None, wanted.strip().split(" | ")))


def spelled(text: str, kind: str) -> list[str]:
    """Return the places of names of a kind, in order; of text as `read` marks it."""
    graph, plain = read(text), marked(text).text
    return [plain[m.start : m.end] for m in graph.mentions if graph.entities[m.entity].kind == kind]


EXACT = {
    "organization: Oakham Global Income and Growth Fund 2 | Global Income | Global Income": (
        "Oakham Global Income and Growth Fund 2 (Global Income). Global Income grew, a Fund fell."
    ),
    "organization: Oakham Tax-Free Bond Fund 3 | Tax-Free 3 | Tax-Free 3": (
        "the [O:Oakham] Tax-Free Bond Fund 3 (Tax-Free 3) and Tax-Free 3 too."
    ),
    "organization: Oak Rye B.V. | Marsh Inc. | Oak | Marsh Inc. | Elm S.A. | Zed S.A.S.": (
        "[O:Oak Rye B.V.] and [O:Marsh Inc.] sign.\n\n[O:Oak Marsh Inc.]\n\n[O:Rye B.V.]\n\n"
        "By: /s/ Jo Roe\n[O:Elm S.A. Zed S.A.]S."
    ),
    "organization: ": (
        "for acute oat disease ([O:AOD]) and restricted stock units (“[O:RSUs]”). [O:AOD] kills; "
        "[O:RSUs] vest. The Grain Safety Act of 1971 ([O:GSA]) and the [O:GSA] rules."
    ),
    "person: Mary Marlow | Mary Marlow": (
        "[O:Zed Dairy, Inc.] sold. [O:Mary Marlow Zed Dairy, Inc.] Yes. "
        "[O:Mary Marlow Zed Dairy, Inc.] No."
    ),
    "organization: Oat Office": "the Director of the [O:Oat Office] (Director); the Director left.",
    "location: Hamburg | Hamburg": "Buyer: [O:Oak Ltd] | City: [O:Hamburg]\nCity: [O:Hamburg]",
    "person: Jo Roe | Roe | Ann Doe": "Mr. [P:Jo Roe] (“Roe”), Ms. [P:Ann Doe], Company Secretary.",
    "person: John P. Varga | Varga": "[P:John P. Varga] left. [O:Varga] was chair.",
    "location: Oakham | ME | Washington, D.C. | U.S.": (
        "in [L:Oakham], ME 04401; [L:Washington], D.C. and non-[L:U.S.] firms in U.S. dollars"
    ),
    "location: United States | United States": (
        "a resident of the [L:United States], a corporation organized there; the [L:United States]"
    ),
    "location: Maine | Peru": (
        "[O:Oakham Maine Dairy, Inc.] ([L:Maine]) and [O:Oakham Peru Mills, Inc.] ([L:Peru])."
    ),
    "person: ": "by [O:Gordon Mills Retail\nPartners, LLC] of late",
    "person: Stan | Stan | Stan | Stan": "[P:Stan] came. [P:Stan] saw. [P:Stan] ran; [P:Stan]",
}


@pytest.mark.parametrize(("wanted", "text"), EXACT.items(), ids=EXACT)
def test_exact_places(wanted: str, text: str) -> None:
    kind, _, _ = wanted.partition(":")
    assert f"{kind}: {' | '.join(spelled(text, kind))}" == wanted


def test_a_thing_with_a_term_is_nobody() -> None:
    text = "a copy of the [P:Disk Image] (“Rescue Disk”) is kept. The Disk Image. The Rescue Disk."
    graph = read(text)
    assert not [m for m in graph.mentions if "Rescue" in text[m.start : m.end] and m.found_by]


def test_a_firm_is_no_person_because_the_tagger_says_so() -> None:
    text = (
        'between Cardinal, Incorporated ("Cardinal") and Zed Ltd. [P:Cardinal] pays; [P:Cardinal] '
        "acts, [P:Cardinal] sues. [P:Vanta] grew, [P:Vanta] fell, [P:Vanta] sold."
    )
    assert not entities(read(text), "person")


LETTERS = {
    "Harrow & Lyle": (
        "HARROW & LYLE\nSolicitors\n12 Quay Street, Bristol\n\n4 May 2021\n\nMr P Sandoval\n\n"
        "Dear Mr Sandoval\n\nHarrow & Lyle act for the seller.\n\nYours sincerely\n\nHarrow & Lyle"
    ),
    "Cabinet Morel & Fils": (
        "Cabinet Morel & Fils\nAvocats\n14 rue des Lilas, 69003 Lyon\n\nLyon, le 4 mai 2021\n\n"
        "Madame Claire Petit\n3 place du Marché\n\nMadame,\n\nLe Cabinet Morel & Fils agit."
    ),
}


@pytest.mark.parametrize(("name", "text"), LETTERS.items(), ids=LETTERS)
def test_the_head_of_a_letter_makes_its_firm_sure(name: str, text: str) -> None:
    cover = Cover([TextPage(1, text)])
    graph = read(text, card=card_columns(cover, "correspondence")["card"])
    result = entities(graph, "organization").values()
    sure = [e for e in result if dict(e.evidence).get("letterhead")]
    assert [(e.name, e.mention_count) for e in sure] == [(name, text.lower().count(name.lower()))]


_STREET, _TELEPHONE = "12 Quay Street, Bristol", "Tel: 0117 496 0000"
_PRIVATE = (
    "{0}\n4 Palm Street\nLeeds LS1 4AP\n{1}\n\n5 May 2020\n\nTarn Water\n9 Kay Street\n\n"
    "Dear Sirs\n\nMy bill is wrong.\n\nYours faithfully\n\n{0}"
)
NO_LETTERHEADS = {
    "a person's own": _PRIVATE.format("Adaeze Okafor", "adaeze@okafor.example"),
    "a couple": f"Mr & Mrs Roe\n{_STREET}\n{_TELEPHONE}\n\nPell Ltd\n\nDear Sirs\n\nNo.",
    "a form": f"MEMBERSHIP APPLICATION FORM\n{_TELEPHONE}\n\nPlease fill in\n\nDear applicant\n",
    "a part of a firm": f"Customer Services\n{_STREET}\n{_TELEPHONE}\n\nMs Roe\n\nDear Ms Roe\n",
    "a town": f"Bristol\n7 Dock Road\n{_TELEPHONE}\n\nMs Roe\n\nDear Ms Roe\n\nHello.",
}


@pytest.mark.parametrize("text", NO_LETTERHEADS.values(), ids=NO_LETTERHEADS)
def test_no_heading_and_no_person_is_a_letterhead(text: str) -> None:
    card = card_columns(Cover([TextPage(1, text)]), "correspondence")["card"] or ()
    assert not [f.value for f in card if f.evidence == "letterhead"]


# --- any text ------------------------------------------------------------------------------------

WORD = st.sampled_from(
    ["Kestrel", "Oakham", "Dairy", "Thornbury", "Quill", "Über", "3D", "Nord-West"]
)
BASE = st.lists(WORD, min_size=1, max_size=3, unique=True).map(" ".join)
COMPANY = st.tuples(BASE, st.sampled_from([", Inc.", " Ltd", " GmbH", " plc"])).map("".join)
BETWEEN = st.sampled_from(
    [" ", "\n", "\n\n", " and ", ", ", " (", ") ", "’s ", " – ", "\u00a0", ". The "]
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
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
    for hit in NameFinder(forms, words).find(text):
        result = text[hit.start : hit.end]
        assert re.sub(r"[\W_]", "", result.lower()) in wanted
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


@settings(max_examples=30, deadline=None)
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
