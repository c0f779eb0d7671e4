"""One document: equal names, and the meaning of its dates and amounts."""

from __future__ import annotations

import datetime as dt
import re
import string
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.base.records.documents import CardFact
from casetrack.extract.card.cover import Cover
from casetrack.extract.card.read import card_columns
from casetrack.extract.dates import find_dates
from casetrack.extract.papers.text import TextPage
from casetrack.extract.spans import AmountSpan, NameSpan, ReferenceSpan
from casetrack.graph.document import concepts, read_document
from casetrack.graph.document.concepts import find_concepts
from casetrack.graph.document.facts import ChunkFacts, DocumentFacts
from casetrack.graph.identity.facts import Joined
from casetrack.graph.identity.mails import read_quoted_heads

if TYPE_CHECKING:
    from casetrack.graph.document.facts import DocumentGraph, LocalEntity

_MARK = re.compile(r"\[([POL]):([^\]]*)\]")
NAMED = {"person", "organization", "location"}
_KINDS = {"P": "person", "O": "organization", "L": "location"}


def marked(text: str, /, number: int = 0, **fields: Any) -> ChunkFacts:
    """Return a chunk whose names are marked: ``[P:Ms Okafor]``, ``[O:...]``, ``[L:...]``."""
    plain, names, at = "", [], 0
    for match in _MARK.finditer(text):
        plain += text[at : match.start()]
        start, at = len(plain), match.end()
        plain += match[2]
        kind: Any = _KINDS[match[1]]
        names.append(NameSpan(start, len(plain), match[2], kind, 0.9))
    plain += text[at:]
    place = {"page": 1, "char_start": 2000 * number, "heading_path": ()} | fields
    return ChunkFacts(
        chunk_id=f"c{number}",
        chunk_index=number,
        char_end=place["char_start"] + len(plain),
        text=plain,
        names=tuple(names),
        dates=fields.get("dates", find_dates(plain)),
        amounts=fields.get("amounts", ()),
        citations=fields.get("citations", ()),
        **{n: place[n] for n in ("page", "char_start", "heading_path")},
    )


def document(**fields: Any) -> DocumentFacts:
    known = dict.fromkeys(("title", "author", "document_type", "content_created_at"))
    known |= {"document_id": "d", "revision": "r", "name": "letter.pdf", "format": "pdf"}
    return DocumentFacts(**known | {"language": "en", "properties": ()} | fields)


def read(*texts: str, **fields: Any) -> DocumentGraph:
    facts = document(**fields)
    if facts.card is None:
        page, own = TextPage(1, "".join(texts[:1])), dict(facts.properties)
        cover = Cover([page], format=facts.format, properties=own)
        card = card_columns(cover, facts.document_type or "")["card"] or ()
        facts = replace(facts, card=tuple(fact for fact in card if fact.field == "date"))
    return read_document(facts, [marked(text, i) for i, text in enumerate(texts)])


def entities(graph: DocumentGraph, kind: str) -> dict[str, LocalEntity]:
    return {e.key: e for e in graph.entities if e.kind == kind}


def keys_of(graph: DocumentGraph) -> list[str]:
    """Return the key of each name, in order of the text."""
    places = [m for m in graph.mentions if graph.entities[m.entity].kind in NAMED]
    return [graph.entities[m.entity].key for m in places]


ONE = [
    ("[P:Adaeze Okafor] met. [P:Ms Okafor], [P:A. Okafor], [P:Okafor]", "adaeze-okafor"),
    ("Ms [P:Okafor] and [P:Adaeze Okafor]", "adaeze-okafor"),
    ("[P:ADAEZE OKAFOR] is [P:Adaeze\nOkafor], and [P:Adaeze Okafor's] word", "adaeze-okafor"),
    ("[P:Okafor, Adaeze] is [P:Adaeze Okafor]", "adaeze-okafor"),
    ("[P:Dr. Adaeze Okafor, PhD] and [P:Adaeze Okafor,]", "adaeze-okafor"),
    ("[P:Adaeze] wrote to [P:Adaeze Okafor]", "adaeze-okafor"),
    ("[P:José Núñez] and [P:Jose Nunez]", "jose-nunez"),
    ("[P:John Albert Smith], [P:John A. Smith], [P:John Smith]", "john-albert-smith"),
    ("[P:J.R. Ewing] and [P:J. R. Ewing]", "j-r-ewing"),
    ("[P:Ludwig van der Berg] and [P:Mr van der Berg]", "ludwig-van-der-berg"),
    ("[P:Herr Dr. Klaus Müller], [P:K. Müller], [P:Herr Müller]", "klaus-muller"),
    ("[P:William Hill], Jr. and [P:William Hill, Jr.] and [P:Mr Hill]", "william-hill-jr"),
    ("[O:Acme Foods Ltd] [O:Acme Foods Limited] [O:ACME FOODS LTD.]", "acme-foods-ltd"),
    ("[O:Acme Inc.] [O:Acme, Incorporated] [O:The Acme]", "acme-inc"),
    ("[O:Brackenfell Foods plc] and [O:Brackenfell]'s staff", "brackenfell-foods-plc"),
    ("[O:Marks & Spencer plc] [O:Marks and Spencer]", "marks-and-spencer-plc"),
    ("[O:World Trade Organization] (WTO) says; [O:WTO] rules", "world-trade-organization"),
    ("[O:Federal Reserve Board] and the [O:FRB]", "federal-reserve-board"),
    ('[O:Tidewell Systems Limited] ("Tidewell"): [O:Tidewell] did', "tidewell-systems-ltd"),
    ('[O:the Elm Association, Inc.] ("Association"): [O:Association] has', "elm-association-inc"),
    ("[O:Rautenberg GmbH & Co. KG] [O:Rautenberg G.m.b.H. & Co KG]", "rautenberg-gmbh-co-kg"),
    ("[L:U.S.] [L:United States] [L:the United States of America] [L:USA]", "united-states"),
    ("[L:München] [L:Munich]", "munich"),
]


@pytest.mark.parametrize(("text", "key"), ONE)
def test_one_entity(text: str, key: str) -> None:
    assert set(keys_of(read(text))) == {key}


APART = [
    ("[P:John Smith] [P:Jane Smith] [P:J. Smith]", ["john-smith", "jane-smith", "j-smith"]),
    ("[P:John Smith] [P:Jane Smith] [P:Mr Smith]", ["john-smith", "jane-smith", "john-smith"]),
    ("[P:Lee Smith] [P:Kim Smith] [P:Mr Smith]", ["lee-smith", "kim-smith", "mr-smith"]),
    ("[P:Mr Osei] [P:Ms Osei] [P:Kofi Osei]", ["mr-osei", "ms-osei", "kofi-osei"]),
    ("[P:Mr Robin Gray] [P:Ms Robin Gray]", ["mr-robin-gray", "ms-robin-gray"]),
    ("[P:Jane Smith] [P:Mr Smith]", ["jane-smith", "mr-smith"]),
    ("[P:Jo A. Smith] [P:Jo B. Smith] [P:Jo Smith]", ["jo-a-smith", "jo-b-smith", "jo-smith"]),
    ("[P:J. A. Smith] [P:J. B. Smith] [P:John Smith]", ["j-a-smith", "j-b-smith", "john-smith"]),
    ("[P:J. A. Smith] [P:James Smith] [P:John Smith]", ["j-a-smith", "james-smith", "john-smith"]),
    ("[P:John Smith Jr.] [P:John Smith Sr.]", ["john-smith-jr", "john-smith-sr"]),
    ("[P:John Smith] [P:John Smith Jr.]", ["john-smith", "john-smith-jr"]),
    ("[P:Mr and Mrs Smith] [P:Lee Smith]", ["mr-and-mrs-smith", "lee-smith"]),
    ("[P:Ann Lee] [P:Ann Cole] [P:Ann]", ["ann-lee", "ann-cole", "ann"]),
    ("[P:John Smith-Jones] [P:John Jones]", ["john-smithjones", "john-jones"]),
    ("[O:Acme Ltd] [O:Acme GmbH] [O:Acme]", ["acme-ltd", "acme-gmbh", "acme"]),
    ("[O:Acme Foods plc] [O:Acme Rail plc] [O:Acme]", ["acme-foods-plc", "acme-rail-plc", "acme"]),
    ("[O:Baker Foods plc] [P:Tom Baker] [O:Baker]", ["baker-foods-plc", "tom-baker", "baker"]),
    ("[O:Acme Ltd] [O:Acme Foods GmbH]", ["acme-ltd", "acme-foods-gmbh"]),
    ("[O:Lumora]® gel of [O:Acme Ltd]; [O:Lumora]™", ["acme-ltd"]),
    (
        "[O:World Trade Organization] [O:World Tennis Organization] [O:WTO]",
        ["world-trade-organization", "world-tennis-organization", "wto"],
    ),
]


@pytest.mark.parametrize(("text", "keys"), APART)
def test_kept_apart(text: str, keys: list[str]) -> None:
    assert keys_of(read(text)) == keys


def test_a_part_in_a_contract_is_a_role_and_no_name() -> None:
    graph = read(
        'between [O:Tidewell Systems Limited], a company of [L:England] (the "Supplier"), and '
        "[O:Brackenfell Foods plc] (the “Customer”). [O:The Supplier] shall deliver."
    )
    result = entities(graph, "organization")
    assert {k: e.roles for k, e in result.items()} == {
        "tidewell-systems-ltd": (("supplier", 3),),
        "brackenfell-foods-plc": (("customer", 2),),
    }


def test_name_and_spellings() -> None:
    graph = read("[P:OKAFOR] and [P:Ms Okafor] and Ms [P:Okafor]", "[P:Adaeze N. Okafor]")
    (person,) = entities(graph, "person").values()
    assert person.name == "Adaeze N. Okafor"
    assert person.spellings == (("Ms Okafor", 2), ("Adaeze N. Okafor", 1), ("OKAFOR", 1))
    assert (person.mention_count, person.chunk_count, person.first_chunk) == (4, 2, 0)


def test_majority_decides_the_kind_of_a_spelling() -> None:
    graph = read("[O:Tidewell] [O:Tidewell] [P:Tidewell]")
    assert [e.kind for e in graph.entities] == ["organization"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[L:Tidewell] shall pay.", "organization"),
        ("[L:Tidewell] shall pay in [L:Tidewell].", "location"),
        ("[L:Tidewell] is wet.", "location"),
        ("[L:Tidewell] shall pay, [O:Tidewell Rail plc] too.", "location"),
    ],
)
def test_a_place_that_acts_is_the_organization_it_begins(text: str, kind: str) -> None:
    graph = read(f"{text} See [O:Tidewell Systems Limited].")
    assert graph.entities[graph.mentions[0].entity].kind == kind


# Guesses by the words around a name are no roles.
NO_ROLES = """
[P:John Smith] said that the director left | [P:John Smith], the late director's brother, left
[P:John Smith], Tuesday, said | The director knew [P:John Smith] well
[O:Acme Ltd], the Administrator and the Depositor may | Notes: [O:Acme Ltd]
[O:Acme Ltd] gave a paper (the "Agreement") | Vendor: [O:Acme Ltd]
[O:Acme Ltd], its insurer, paid | its auditor [O:Acme LLP] said
between [O:Acme Ltd], as lender, and others | [P:John Smith] as the Chancellor of the University
the claimant, [P:John Smith], left | [P:John Smith], Petitioner.
[P:John Smith], an employee of Acme, was hurt | Witness: [P:John Smith]
then Professor [P:John Smith] spoke
with [O:Acme Ltd], and Acme shall serve it (the "Customer")
between [O:Acme Ltd], with offices in York, and ________ ("Distributor"). Distributor sells
between [O:Acme Ltd] and the above-named distributor (the "Distributor")
by [O:Acme Ltd] and [*] ("Buyer") | by [O:Acme Ltd] and [Name of Company] ("Recipient")
between [O:Acme Ltd], a Maine firm, and the individual named below ("you" or the "Consultant")
between [O:Acme Ltd] ("we") and you (the "Licensee"). Licensee
"""
ROLES = [
    *((text, None) for text in NO_ROLES.strip().replace("\n", " | ").split(" | ")),
    ("[P:John Smith], Chief Executive Officer of [O:Acme Ltd], said", "chief executive"),
    ("[P:John Smith], President and General Counsel of Acme", "president and general counsel"),
    ("then CEO [P:John Smith] left", "chief executive"),
    ("By:\nName: [P:John Smith]\nTitle: Director of Operations\n", "director of operations"),
    ("Name: [P:John Smith] Title: Chief Widget Officer", "chief widget officer"),
    ("Yours sincerely,\n\n[P:J. Whitlock]\nProject Director", "project director"),
    ("From: [P:John Smith]\nTo: x", "sender"),
    ("From: x\nTo: y, [P:John Smith] <j@example.org>\n", "recipient"),
    ("Present: [P:Dame Harriet Penrose] (Chair), others", "chair"),
    ("Geschäftsführer: [P:Klaus Rautenberg]", "geschäftsführer"),
    ("Name: [P:John Smith]\nTitle: ________", None),
    ("[P:John Smith] went.\nDirector of what?", None),
    (
        "Name: [P:John Smith]\nTitle: President and Chief Executive Officer",
        "president and chief executive officer",
    ),
    ("Name: [P:John Smith]\n[P:Jane Roe]\nTitle: Director", None),
    ("Role: Chair | Name: [P:John Smith]\nRole: Sponsor | Name: [P:Jo Roe]", "chair"),
    ("[O:Acme Ltd], Customer\nshall pay", None),
    ("between [O:Acme Ltd] (Buyer) and others", "buyer"),
    ('[O:Acme Ltd] (hereinafter referred to as "Licensor")', "licensor"),
    ("zwischen der [O:Acme GmbH] (nachfolgend „Verkäuferin“)", "verkäuferin"),
    ("[P:Eric Hodnett] (claimant) appeals", "claimant"),
    ('the system of [O:Acme Ltd] ("Transporter")', "transporter"),
    ("Insurer: [O:Acme Ltd]\nOur file: 3", None),
    ("The expert, Professor [P:Jane Dray], decided", "expert"),
]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[O:KELP] pays. The [O:KELP Review Board] meets.", {"KELP", "KELP Review Board"}),
        ("[O:The KELP] pays. [O:KELP] left. [O:KELP] won.", {"KELP"}),
        ("[P:William S. Roe]\n[P:S. Roe] is here.", {"William S. Roe"}),
        ("[P:William S. Roe\nS. Roe]", {"William S. Roe"}),
        ("[P:EpiPen (Epinephrine]", set()),
    ],
)
def test_full_names(text: str, names: set[str]) -> None:
    assert {e.name for e in read(text).entities if e.kind in NAMED} == names


@pytest.mark.parametrize(("text", "role"), ROLES)
def test_role(text: str, role: str | None) -> None:
    graph = read(text)
    named = [m for m in graph.mentions if graph.entities[m.entity].kind in NAMED]
    assert named[0].role == role
    assert [r for r, _ in graph.entities[named[0].entity].roles] == ([role] if role else [])


def test_the_author_of_the_file_is_known_by_name() -> None:
    graph = read("[P:Adaeze Okafor] wrote this", author="Okafor, Adaeze")
    assert entities(graph, "person")["adaeze-okafor"].roles == (("author", 1),)
    assert not entities(read("No names here.", author="Adaeze Okafor"), "person")


def test_a_place_that_two_chunks_hold_counts_once() -> None:
    first = marked("We met [P:Adaeze Okafor]", 0)
    again = marked("[P:Adaeze Okafor] on 3 May 2024", 1, char_start=7)
    graph = read_document(document(), [first, again])
    (person,) = entities(graph, "person").values()
    assert person.mention_count == 1
    assert [m.repeated for m in graph.mentions] == [False, True, False]


def test_a_place_without_its_title_is_who_it_was() -> None:
    first = marked("Mr Lee, [P:Kim Lee] and Ms [P:Lee]", 0)
    again = marked("[P:Lee]", 1, char_start=len("Mr Lee, Kim Lee and Ms "))
    graph = read_document(document(), [first, again])
    assert graph.mentions[-1].repeated
    assert graph.mentions[-1].entity == graph.mentions[-2].entity


_SENT = (("date", "2024-03-12T23:10:00-07:00"),)
_MARCH = dt.datetime(2024, 3, 12, tzinfo=dt.UTC)
DATES = [
    ("Paid on 03/04/2024 and 25/04/2024.", {}, "2024-04-03 2024-04-25", "day_order"),
    ("Paid on 03/04/2024 and 04/25/2024.", {}, "2024-03-04 2024-04-25", "day_order"),
    ("Paid on 03/04/2024.", {}, "", None),
    ("Paid on 03/04/2024, not on 31/02/2024 or 30.02.2023.", {}, "", None),
    ("Paid on 03/04/05 and 25/04/2024.", {}, "2024-04-25", None),
    ("12 March 2024\n\nDear Sir, yesterday.", {}, "2024-03-11 2024-03-12", "document_date"),
    ("We met yesterday.", {}, "", None),
    ("It was dark on the hills on 12 March 2024. Yesterday was not.", {}, "2024-03-12", None),
    (
        "This agreement between all who sign is dated 12 March 2024 and follows yesterday.",
        *({}, "2024-03-11 2024-03-12", "document_date"),
    ),
    ("Yesterday.", {"name": "2024-03-12 Letter.pdf"}, "2024-03-11", "document_date"),
    ("Yesterday.", {"format": "eml", "properties": _SENT}, "2024-03-11", "document_date"),
    ("Yesterday.", {"format": "pdf", "content_created_at": _MARCH}, "", None),
]


@pytest.mark.parametrize(("text", "fields", "values", "read_by"), DATES)
def test_dates(text: str, fields: dict[str, Any], values: str, read_by: str | None) -> None:
    graph = read(text, **fields)
    assert sorted(entities(graph, "date")) == values.split()
    assert {d.read_by for d in graph.dates} - {None} == ({read_by} - {None})
    assert all(d.entity is not None for d in graph.dates if d.span.value)


@pytest.mark.parametrize("date", ["12 March", "03/04/2024", "last week"])
def test_a_date_without_an_entity_is_repeated_only_where_it_stands_twice(date: str) -> None:
    graph = read_document(
        document(),
        [
            marked(f"paid {date}. paid {date}", 0, char_start=0),
            marked(f"paid {date}", 1, char_start=len(f"paid {date}. ")),
            marked(f"paid {date}", 2, page=2, char_start=0),
        ],
    )
    assert [d.entity for d in graph.dates] == [None] * 4
    assert [d.repeated for d in graph.dates] == [False, False, True, False]


@pytest.mark.parametrize("kind", ["relative", "ambiguous"])
@pytest.mark.parametrize(("confidence", "is_date"), [(0.49, False), (0.5, True)])
def test_a_guess_is_kept_and_never_settled(kind: Any, confidence: float, is_date: bool) -> None:
    message = {"relative": "yesterday", "ambiguous": "03/04/2024"}[kind]
    text = f"The invoices of {message} and 25/12/2024 are paid."
    start = text.index(message)
    (certain,) = find_dates("25/12/2024")
    readings = () if kind == "relative" else ("2024-04-03", "2024-03-04")
    where = {"start": start, "end": start + len(message), "text": message, "kind": kind}
    unsettled = dict.fromkeys(("value", "first", "last", "precision"))
    output = {"readings": readings, "confidence": confidence}
    guess = replace(certain, **where, **unsettled, **output)
    at = text.index("25/12/2024")
    dates = (guess, replace(certain, start=at, end=at + len(certain.text)))
    written = CardFact("date", "2024-12-25", *[None] * 5, 0.9, "own date")
    graph = read_document(document(card=(written,)), [marked(text, dates=dates)])
    assert len(graph.dates) == 2
    settled = {"relative": "2024-12-24", "ambiguous": "2024-04-03"}[kind]
    assert graph.dates[0].span.value == (settled if is_date else None)
    assert (graph.dates[0].read_by is not None) == is_date
    assert (settled in entities(graph, "date")) == is_date


def test_a_guess_with_a_value_is_no_entity_and_no_date_of_the_document() -> None:
    (day,) = find_dates("12 March 2024")
    text = "12 March 2024\n\nWe met yesterday."
    (spoken,) = [d for d in find_dates(text) if d.text == "yesterday"]
    graph = read_document(document(), [marked(text, dates=(replace(day, confidence=0.4), spoken))])
    assert [d.span.value for d in graph.dates] == ["2024-03-12", None]
    assert entities(graph, "date") == {}


def test_dates_without_a_year_are_kept_and_are_no_entities() -> None:
    graph = read("It was on 12 March.", name="note.txt")
    (date,) = graph.dates
    assert (date.span.kind, date.entity, date.read_by) == ("partial", None, None)


AMOUNTS = [
    ("money", 318400.0, None, "GBP", "GBP:318400", "GBP 318,400"),
    ("money", -59400.5, None, "GBP", "GBP:-59400.5", "GBP -59,400.5"),
    ("percent", 15.7, None, "percent", "percent:15.7", "15.7 %"),
    ("quantity", 30.0, None, "day", "day:30", "30 days"),
    ("quantity", 200.0, 250.0, "kg", "kg:200..250", "200 – 250 kg"),
    ("quantity", 1.0, None, "day", "day:1", "1 day"),
    ("money", 5.0, None, "dollar", "dollar:5", "5 dollars"),
    ("number", 0.1 + 0.2, None, None, "number:0.3", "0.3"),
    ("money", 1e12, None, "EUR", "EUR:1000000000000", "EUR 1,000,000,000,000"),
]


@pytest.mark.parametrize(("kind", "value", "high", "unit", "key", "name"), AMOUNTS)
def test_amounts(
    kind: Any, value: float, high: float | None, unit: str | None, key: str, name: str
) -> None:
    span = AmountSpan(0, 4, "some", kind, value, high, unit, 1.0)
    graph = read_document(document(), [marked("some sum", amounts=(span,))])
    assert [(e.kind, e.key, e.name) for e in graph.entities][:1] == [("amount", key, name)]
    assert graph.amounts[0].entity == 0


def test_citations_are_kept_with_their_repetition() -> None:
    span = ReferenceSpan(0, 8, "ISO 9001", "standard", "standard:iso-9001", "", "cites", True, 1.0)
    chunks = [
        marked("ISO 9001 holds", i, char_start=at, citations=(span,))
        for i, at in enumerate((0, 0, 50))
    ]
    graph = read_document(document(), chunks)
    assert [c.repeated for c in graph.citations] == [False, True, False]


LAW = """The defrost valve failed. The loss adjuster saw that the defrost valves of the cold store
leaked. Termination for cause requires notice. The Supplier shall repair each defrost valve. The
independent loss adjuster agreed. After termination for cause the cold store closes."""


def test_concepts_are_phrases() -> None:
    result = entities(read(LAW), "concept")
    assert {"defrost valve", "loss adjuster", "termination for cause", "cold store"} <= set(result)
    assert result["defrost valve"].mention_count == 3
    assert not any("shall" in k or "requires" in k or k.startswith(("the ", "of ")) for k in result)


def test_a_long_document_keeps_what_it_says_more_than_once() -> None:
    filler = ["The parties signed a paper about matters."] * 6
    result = entities(read(LAW, "One odd camel breeder came.", *filler), "concept")
    assert "defrost valve" in result
    assert "camel breeder" not in " ".join(result)


_SAID = st.lists(
    st.text(st.sampled_from("The law of a cold store, for defrost valves.\n"), max_size=120)
    | st.sampled_from(LAW.split(". ")),
    max_size=8,
)


@pytest.mark.slow
@given(_SAID)
def test_very_long_documents_are_gone_over_and_give_the_same(texts: list[str]) -> None:
    chunks = [marked(text, number) for number, text in enumerate(texts)]
    kept = find_concepts(chunks, "en")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(concepts, "_KEPT_CHUNKS", -1)
        assert find_concepts(chunks, "en") == kept


@pytest.mark.parametrize(("year", "count"), [("2021", 1), ("1087", 0), ("0002", 0), ("2199", 0)])
def test_a_quoted_head_has_a_plausible_year(year: str, count: int) -> None:
    for head in (
        f"From: Ada Moss\nSent: Monday, 3 May {year} 10:12\nTo: Bo\nSubject: Rent",
        f"From: Ada Moss\nSent: {year}-05-03 10:12\nSubject: Rent",
        f"On 3 May {year} at 10:12, Ada Moss wrote:",
    ):
        joined = Joined([marked(f"Subject: Re: Rent\n\nSee below.\n\n{head}\n\nPay.")])
        assert len(list(read_quoted_heads(joined))) == count, head


def test_single_words_need_a_heading_or_three_places() -> None:
    chunk = marked(
        "Arbitration is here. We want arbitration. The camel ate.", heading_path=("Arbitration",)
    )
    result = entities(read_document(document(), [chunk]), "concept")
    assert "arbitration" in result
    assert "camel" not in result


@pytest.mark.parametrize(
    "furniture",
    [
        "1. Sailing 4 2. Mooring Buoys 7 3. Dues 9 4. Storage 12 5. Sluices 15 6. Quay Lights 18",
        "Mooring Buoys\n\nThe boats lie there.\n\nMooring Buoys\n\nThey are red.",
        "7.2 Mooring buoys\n\nThe boats lie there.\n\n7.3 Mooring buoys\n\nThey are red.",
        '<td class="mooring buoys">red</td> <td class="mooring buoys">green</td>',
    ],
    ids=["contents", "headings", "numbered headings", "tags"],
)
def test_what_only_heads_or_frames_a_text_is_no_concept(furniture: str) -> None:
    assert "mooring buoy" not in entities(read(furniture), "concept")
    text = "We checked the mooring buoys twice. The mooring buoys were loose."
    assert "mooring buoy" in entities(read(furniture, text), "concept")


def test_a_name_is_no_concept() -> None:
    result = entities(
        read("[O:Cold Harbour] opened. Then cold harbour closed. cold harbour"), "concept"
    )
    assert "cold harbour" not in result


def test_german_concepts_end_with_a_noun() -> None:
    text = "Die fristlose Kündigung ist möglich. Eine fristlose Kündigung bedarf der Schriftform. "
    result = entities(read(text, language="de"), "concept")
    assert "fristlos kundigung" in result
    assert result["fristlos kundigung"].name == "fristlose Kündigung"


@pytest.mark.parametrize("language", ["zh", "ja", "ru", "xx"])
def test_languages_without_lists_have_no_concepts(language: str) -> None:
    assert not entities(read("合同 合同 合同 the cat the cat", language=language), "concept")


BAD = [
    *((), ("",), ("[P:***] [O:---] [L:...]",), ("[P:Mr] [P:Dr.] [O:Ltd] [O:The] [P:.]",)),
    ("[P:l<~ 0|<afor] tbe Agrccmcnt ~~ ]|[ [O:AC M E lnc .] $$ rn rn",),
    ("[P:山田太郎] [O:株式会社山田] [L:東京]",),
    ("[P:Mr and Mrs Smith] [P:A B C D E F G H I J]", "[P:\n\n] [O:\u0301]"),
]


@pytest.mark.parametrize("texts", BAD)
def test_bad_inputs_are_read(texts: tuple[str, ...]) -> None:
    check(read(*texts), [marked(t, i) for i, t in enumerate(texts)])


def check(graph: DocumentGraph, chunks: list[ChunkFacts]) -> None:
    """Check the invariants of every graph."""
    assert len({(e.kind, e.key) for e in graph.entities}) == len(graph.entities)
    counts = [0] * len(graph.entities)
    for m in graph.mentions:
        text = chunks[m.chunk].text
        assert 0 <= m.start < m.end <= len(text)
        counts[m.entity] += not m.repeated
    for entity, count in zip(graph.entities, counts, strict=True):
        assert entity.key
        assert entity.name
        assert entity.mention_count == count > 0
        # "The Buyer" is a mention of its party, and not one of the party's names.
        assert 0 <= count - sum(n for _, n in entity.spellings) <= sum(n for _, n in entity.roles)
    for m in graph.mentions:
        is_name = graph.entities[m.entity].kind in NAMED
        assert (m.found_by in {"tagged", "defined", "spread"}) == is_name


WORD = st.text(st.sampled_from(string.ascii_letters + " .,'-&()\nßéŁ’0"), min_size=1, max_size=12)
NAME = st.tuples(st.sampled_from("POL"), WORD).map(lambda n: f"[{n[0]}:{n[1]}]")
TEXT = st.lists(st.one_of(WORD, NAME, st.just(' (the "Buyer") ')), max_size=12).map(" ".join)


@settings(max_examples=30, deadline=None)
@given(st.lists(TEXT, max_size=4), st.sampled_from(["en", "de", "fr", None, "zh"]))
def test_any_text_is_read(texts: list[str], language: str | None) -> None:
    chunks = [marked(t, i) for i, t in enumerate(texts)]
    graph = read_document(document(language=language), chunks)
    check(graph, chunks)
    assert graph == read_document(document(language=language), chunks)


def test_the_order_of_the_text_does_not_decide() -> None:
    names = ["[P:J. A. Smith]", "[P:James Smith]", "[P:John Smith]", "[P:Mr Smith]", "[P:Smith]"]
    forward = dict(zip(names, keys_of(read(" and ".join(names))), strict=True))
    backward = dict(zip(names[::-1], keys_of(read(" and ".join(names[::-1]))), strict=True))
    assert forward == backward


def test_a_crowd_of_one_name_is_kept_apart() -> None:
    graph = read(
        " ".join(f"[P:John {_letters(i).title()} Smith]" for i in range(300)), "[P:J. Smith]"
    )
    assert len(entities(graph, "person")) == 301


def _letters(i: int) -> str:
    return "".join(chr(97 + (i // 26**k) % 26) for k in range(4))


FISCAL_YEARS = {
    "For the fiscal year ended June 30, 2031. In fiscal 2030 and Q2 of fiscal 2031 sales fell.": (
        "FY2030 2029-07-01 2030-06-30, FY2031-Q2 2030-10-01 2030-12-31"
    ),
    # Years of weeks, named by the text.
    (
        "The fiscal years ended January 31, 2032, February 1, 2031 and February 2, 2030 are "
        "called so: fiscal 2031 ended January 31, 2032. Fiscal 2030 was good, fiscal 2029 was "
        "not, and Q1 FY31 was neither."
    ): (
        "FY2031 2031-02-02 2032-01-31, FY2030 2030-02-03 2031-02-01, FY2029 None None, "
        "FY2031-Q1 None None"
    ),
    # Which year is meant stays open.
    "For the fiscal year ended January 31, 2032. In fiscal 2031 sales fell.": "FY2031 None None",
    "In fiscal 2031 sales fell.": "FY2031 None None",
    # A year of weeks may end with a month.
    "For the fiscal year ended December 31, 2033 (53 weeks). Fiscal 2032 was worse.": (
        "FY2032 None None"
    ),
    "Fiscal 2031 and fiscal 2030 ended on January 31, 2032 and February 1, 2031, respectively.": (
        "FY2031 2031-02-02 2032-01-31, FY2030 None None"
    ),
    "Our fiscal year ends on December 31. Fiscal 2031 was fine.": "FY2031 2031-01-01 2031-12-31",
}


@pytest.mark.parametrize(("text", "expected"), FISCAL_YEARS.items())
def test_days_of_fiscal_years(text: str, expected: str) -> None:
    graph = read(text)
    spans = {d.span.value: d for d in graph.dates if (d.span.value or "").startswith("FY")}
    assert ", ".join(f"{v} {d.span.first} {d.span.last}" for v, d in spans.items()) == expected
    assert all((d.read_by == "fiscal_year") == (d.span.first is not None) for d in spans.values())


YEARS = [
    ("letter.pdf", "other", "It failed on Thursday 9 May.", "2030-05-09"),  # the weekday leaves one
    ("a.pdf", "correspondence", "We met on 9 May.", "2030-05-09"),
    ("a.pdf", "correspondence", "Pay until 1 July.", "2030-07-01"),
    # Not in negations, not for yearly events, not half a year apart.
    ("a.pdf", "correspondence", "It was held on 1 July.", None),
    ("a.pdf", "correspondence", "Every year we dance on 1 July.", None),
    ("a.pdf", "correspondence", "The ball of 9 December.", None),
    ("a.pdf", "contract", "Pay until 1 July.", None),  # a contract lasts
    ("a.pdf", "correspondence", "Conference 2031, Oslo, 9 May: Fair 2031", None),  # a list
    # The number is the year, or a day.
    ("a.pdf", "correspondence", "May 29 was good.", None),
    ("a.pdf", "correspondence", "Pay until May 29 or May 28.", "2030-05-28"),
    ("a.pdf", "correspondence", "We meet on May 29.", "2030-05-29"),
    ("a.pdf", "correspondence", "See April 29 production.", "2029-04-01"),
    ("2002-03-21 a.eml", "correspondence", "January 02 - billed", None),
    ("2002-03-21 a.eml", "correspondence", "Dec 01 thru Feb. 02", "2001-12-01"),
    ("2002-03-21 a.eml", "correspondence", "Dec 01: paid. January 02: billed", "2002-01-01"),
]


@pytest.mark.parametrize(("name", "kind", "text", "value"), YEARS)
def test_years_are_filled_where_one_fits(name: str, kind: str, text: str, value: str) -> None:
    head = "" if name[0] == "2" else "Date: 20 May 2030\n\n"
    *_, date = read(head + text, name=name, document_type=kind).dates
    assert (date.span.first, date.read_by == "document_year") == (value, value is not None)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the [O:University of Hawai]'i at Manoa", "University of Hawai'i"),
        ("the [O:University of Hawai]‘i’s plan", "University of Hawai‘i"),
        ("the [O:University of Hawaiʻi]", "University of Hawaiʻi"),
        ("at ‘[O:Ōlelo Media] they met", "‘Ōlelo Media"),
        ("a [O:Qur]’an Society", "Qur’an"),
        ("Ka‘[L:anapali] lies there", "Ka‘anapali"),
        ("the ‘[P:Adaeze Okafor]’ file", "Adaeze Okafor"),
        ("[P:Adaeze Okafor]'ll go", "Adaeze Okafor"),
    ],
)
def test_marks_that_are_letters_of_a_name_stay_in_it(text: str, name: str) -> None:
    assert [e.name for e in read(text).entities if e.kind in NAMED] == [name]
