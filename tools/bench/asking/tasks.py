"""The thirty tasks: what is asked, what must come back from where, and how a program goes about it.

The documents of ``case`` are this project's own samples. The contracts are those of CUAD (The
Atticus Project, CC BY 4.0), of which only what is asked for stands here, in patterns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.asking.agent import Task
from bench.asking.homes import CASE, CONTRACTS, LETTINGS, NEW_FILE
from bench.asking.judge import Part, page
from bench.asking.ways import (
    SEARCH,
    begin,
    first_of,
    in_sql,
    in_turn,
    look_up,
    paged,
    read_both,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.asking.agent import Agent, Call

AGREEMENT, AMENDMENT = "Master Services Agreement", "Amendment No 1"
_ANY_PAGE = r"\b(?:pp?\.|page|S\.)\s?\d|\"page\":\d"
_ROWS = r"(?i)sheet|row"
_NOT_FOUND = (r'(?i)"evidence":"(?:weak|none)"|evidence: (?:weak|none)|not (?:found|in these)',)

_SUMS = (
    "SELECT DISTINCT document_name, page, text, unit FROM amounts WHERE value >= 100000000 "
    "ORDER BY document_name"
)
_SUMS_OF_DOCUMENT = (
    "SELECT DISTINCT document_name, page, text, unit FROM amounts WHERE value >= 1000000 "
    "AND document_name LIKE 'Master Services Agreement%'"
)
_EDGES = (
    "SELECT a.name AS document, e.type, b.name AS other FROM edges e "
    "JOIN documents a ON a.document_id = e.source_id JOIN documents b "
    "ON b.document_id = e.target_id WHERE a.name = '2024-10-21 Notice of Claim.docx' "
    "OR b.name = '2024-10-21 Notice of Claim.docx'"
)
_READING = (
    "SELECT name, extraction_method, ocr_confidence FROM documents "
    "WHERE name = 'Exhibit C Condemned Goods.pdf'"
)


def picture_of(agent: Agent) -> Iterator[Call]:
    yield from begin(agent, CASE, SEARCH, query=agent.question)
    chunks = agent.values("chunk_id", "chunk")
    for chunk in chunks[:2]:
        yield "get_page_image", {"chunk_id": chunk, **within(agent, CASE)}


def take_in(agent: Agent) -> Iterator[Call]:
    path = agent.question.split('"')[1]
    yield from begin(agent, CASE, "ingest_document", file_path=path)
    yield SEARCH, {"query": "Who shut the boiler down, and why?", **within(agent, CASE)}


def delete(agent: Agent) -> Iterator[Call]:
    wanted = {"document_name": "Invoice HCS-20417.pdf"}
    yield from begin(agent, CASE, "delete_document", **wanted)
    yield "delete_document", {**wanted, "confirm": True, **within(agent, CASE)}


def read_clause(agent: Agent) -> Iterator[Call]:
    yield from begin(agent, CASE, SEARCH, query=agent.question)
    chunks = agent.values("chunk_id", "chunk")
    where = within(agent, CASE)
    if chunks:
        yield "get_source_context", {"chunk_id": chunks[0], **where}
    name = agent.shown(rf"{AGREEMENT}\.pdf")
    shown = agent.shown(rf"{AGREEMENT}\.pdf, p\. (\d+)")
    if name and shown:
        first = int(shown)
        yield (
            "browse_pages",
            {"document_name": name, "start_page": first, "end_page": first + 1, **where},
        )


def sums_of_document(agent: Agent) -> Iterator[Call]:
    tool = agent.tool("amounts", "min_value", "unit", "document_name")
    if tool is not None:
        least = {"min_value": 1_000_000, "unit": "GBP", "document_name": AGREEMENT}
        yield from begin(agent, CASE, tool, **least)
        yield from paged(agent, tool, least, CASE)
    else:
        yield from in_sql(CASE, "amounts", _SUMS_OF_DOCUMENT)(agent)
    yield from begin(agent, CASE, SEARCH, query=agent.question)
    name = agent.shown(rf"{AGREEMENT}\.pdf")
    if name:
        asked = {"document_name": name, "start_page": 1, "end_page": 20}
        yield "browse_pages", asked | within(agent, CASE)
        end = agent.shown(r"pages are 1 to (\d+)")
        if agent.last.failed and end:
            asked |= {"end_page": int(end)}
            yield "browse_pages", asked | within(agent, CASE)
        yield from paged(agent, "browse_pages", asked, CASE)


def sums_of_contracts(agent: Agent) -> Iterator[Call]:
    tool = agent.tool("amounts", "min_value", "unit")
    if tool is not None:
        least = {"min_value": 100_000_000, "unit": "USD"}
        yield from begin(agent, CONTRACTS, tool, **least)
        yield from paged(agent, tool, least, CONTRACTS)
    yield from in_sql(CONTRACTS, "amounts", _SUMS)(agent)
    yield from look_up(CONTRACTS, "$100,000,000", "hundred million dollars")(agent)


def laws(agent: Agent) -> Iterator[Call]:
    for query in (agent.question, *agent.task.own):
        yield from begin(agent, CONTRACTS, SEARCH, query=query, top_k=20)
        yield from paged(agent, SEARCH, {"query": query, "top_k": 20}, CONTRACTS)


TASKS = (
    Task(
        "payment",
        "case",
        "Within how many days must a valid invoice be paid under the Master Services Agreement?",
        (Part(("within thirty days of receiving",), AGREEMENT, page(3)),),
        look_up(CASE, document=rf"{AGREEMENT}\.pdf"),
    ),
    Task(
        "amended",
        "case",
        "What is the time for payment of invoices after the amendment?",
        (Part(("within forty-five days of receiving",), AMENDMENT, page(2)),),
        look_up(CASE, document=rf"{AMENDMENT}\.docx"),
    ),
    Task(
        "day-rate",
        "case",
        "What does the lead controls engineer cost per day?",
        (Part(("Lead controls engineer", r"985"), "Project Budget", _ROWS),),
        look_up(CASE),
    ),
    Task(
        "spare-part",
        "case",
        "How many light barriers with heated lens are in stock, and on which shelf?",
        (Part(("Light barrier, heated lens", "R2-01"), "Spare Parts Register", _ROWS),),
        look_up(CASE),
    ),
    Task(
        "watchman",
        "case",
        "Why did the watchman do nothing about the signal?",
        (
            Part(
                ("never been told what the lamp meant|Nobody had ever explained",),
                "Expert Determination|Exhibit F",
                r"\bp\. 2|\bll?\. \d|para",
            ),
        ),
        look_up(CASE, "guard did not react to the alarm lamp"),
        own=("guard did not react to the alarm lamp",),
    ),
    Task(
        "penalty-de",
        "case",
        "Wie hoch ist die Vertragsstrafe je Werktag?",
        (Part(("0,3 %",), "Rautenberg", page(2)),),
        look_up(CASE),
    ),
    Task(
        "fitters",
        "case",
        "How many fitters does Rautenberg send to make up for the delay?",
        (Part(("acht Monteure",), "Rautenberg", page(1)),),
        look_up(CASE, "Wie viele Monteure schickt Rautenberg?"),
        own=("Wie viele Monteure schickt Rautenberg?",),
    ),
    Task(
        "two-counts",
        "case",
        "How many pallets were lost in Chamber 3? Give every count that the papers have.",
        (
            Part((r"\b212 pallets",), "Board Minutes 2024-10-29|Notice of Claim", _ANY_PAGE),
            Part((r"\b187\b", "pallets"), "Progress Report|Reply to Notice", _ANY_PAGE),
        ),
        look_up(CASE, "other count of pallets condemned in Chamber 3"),
        own=("other count of pallets condemned",),
    ),
    Task(
        "october",
        "case",
        "What happened between 1 and 31 October 2024, in order?",
        (
            Part(("8 October 2024", "Chamber 3|claim"), r"\.(?:docx|pdf|txt|md)", _ANY_PAGE),
            Part(("14 October",), "Amendment|Board Minutes", _ANY_PAGE),
            Part(("21 October",), "Amendment|Board Minutes", _ANY_PAGE),
        ),
        first_of(
            CASE,
            ("get_collection_timeline", {"start_date": "2024-10-01", "end_date": "2024-10-31"}),
            then=look_up(CASE),
        ),
        own=("2024-10-01 2024-10-31",),
    ),
    Task(
        "who",
        "case",
        "Who is Ms Adeyemi, and from when on?",
        (Part(("Adeyemi", "2 December|takes over"), f"{AMENDMENT}|Project Log", _ANY_PAGE),),
        look_up(CASE, "Adeyemi"),
    ),
    Task(
        "briefing",
        "case",
        "Brief me: who are the parties in these papers, and in which role?",
        (
            Part(("Tidewell Systems Limited", "(?i)supplier"), r"\.(?:docx|pdf)", _ANY_PAGE),
            Part(("Brackenfell Foods plc", "(?i)customer"), r"\.(?:docx|pdf)", _ANY_PAGE),
        ),
        first_of(CASE, ("get_collection_summary", {}), then=look_up(CASE)),
    ),
    Task(
        "everywhere",
        "case",
        "Show me every place where Mr Devane is named.",
        (
            Part(("Devane",), "Expert Determination", page(2)),
            Part(("Devane",), "Exhibit F", _ANY_PAGE),
        ),
        first_of(
            CASE,
            ("get_entity_mentions", {"entity_name": "Mr Devane"}),
            ("get_entity_mentions", {"entity_name": "Devane"}),
            then=look_up(CASE, "Devane"),
        ),
    ),
    Task(
        "large-sums",
        "case",
        "Which sums of £1,000,000 or more stand in the Master Services Agreement?",
        (
            Part(("3,960,000",), AGREEMENT, _ANY_PAGE),
            Part(("1,386,000",), AGREEMENT, page(9)),
            Part(("5,000,000",), AGREEMENT, page(6)),
            Part(("10,000,000",), AGREEMENT, page(6)),
        ),
        sums_of_document,
        own=("1000000 GBP DESCRIBE", _SUMS_OF_DOCUMENT),
    ),
    Task(
        "invoices",
        "case",
        "Which invoices are there?",
        tuple(
            Part((rf"Invoice {number}",), rf"Invoice {number}\.pdf")
            for number in ("HCS-20417", "TS-2024-0187", "TS-2024-0311", "TS-2025-0042")
        ),
        first_of(
            CASE,
            ("list_documents_by_type", {"document_type": "invoice"}),
            ("list_documents", {}),
            then=look_up(CASE),
        ),
    ),
    Task(
        "clause-6",
        "case",
        "Read me clause 6 of the Master Services Agreement, from charges to spare parts.",
        (
            Part((r"6\.3 The Customer shall pay",), AGREEMENT, page(3)),
            Part((r"6\.5 The Customer may retain",), AGREEMENT, page(4)),
            Part((r"6\.9 Spare parts",), AGREEMENT, page(4)),
        ),
        read_clause,
    ),
    Task(
        "auditors",
        "case",
        "Who are Brackenfell's external auditors?",
        (Part(_NOT_FOUND),),
        look_up(CASE, "auditor audit firm"),
        own=("auditor audit firm",),
    ),
    Task(
        "answers-to",
        "case",
        "Which papers answer the 2024-10-21 Notice of Claim.docx or are attached to it?",
        (
            Part(("(?i)answer|reply|response_to",), "2024-11-04 Reply to Notice of Claim"),
            Part(("(?i)attach|enclosed",), "Exhibit C Condemned Goods"),
        ),
        first_of(
            CASE,
            ("find_related_documents", {"document_name": "2024-10-21 Notice of Claim.docx"}),
            ("get_document", {"document_name": "2024-10-21 Notice of Claim.docx"}),
            then=in_turn(in_sql(CASE, "edges", _EDGES), look_up(CASE)),
        ),
        own=("DESCRIBE edges", _EDGES),
    ),
    Task(
        "picture",
        "case",
        "Show me the page of the exhibit that lists the condemned goods.",
        (Part(("Exhibit C",), "Exhibit C Condemned Goods", r"[Pp]age:? ?1|\bp\. 1", True),),
        picture_of,
    ),
    Task(
        "how-read",
        "case",
        "Was Exhibit C Condemned Goods.pdf read by text recognition, and how surely?",
        (Part(("(?i)ocr", r"0\.\d\d|\d\d ?%"), "Exhibit C"),),
        first_of(
            CASE,
            ("get_document", {"document_name": "Exhibit C Condemned Goods.pdf"}),
            ("list_documents", {}),
            then=in_turn(in_sql(CASE, "documents", _READING), look_up(CASE)),
        ),
        own=("DESCRIBE", _READING),
    ),
    Task(
        "take-in",
        "case",
        'Take in "{files}/' + NEW_FILE + '", then tell me: Who shut the boiler down, and why?',
        (Part(("Ruan Tolley", "safety valve"), "Boiler Inspection", _ANY_PAGE),),
        take_in,
        changes=True,
    ),
    Task(
        "delete",
        "case",
        "Delete the document Invoice HCS-20417.pdf; I have thought about it.",
        (Part(("(?i)deleted|removed",), r"Invoice HCS-20417\.pdf"),),
        delete,
        changes=True,
    ),
    Task(
        "minimum-fee",
        "shelf",
        "What minimum fee does Converge pay to VerticalNet during the initial term?",
        (Part((r"\$4,500,000",), "VERTICALNET", page(6)),),
        look_up(CONTRACTS),
    ),
    Task(
        "without-cause",
        "shelf",
        "With how much notice can the NETGEAR distributor agreement be ended without cause?",
        (Part((r"without cause", r"ninety \(90\) days"), "NETGEAR.*DISTRIBUTOR", page(6)),),
        look_up(CONTRACTS, document=r"NETGEAR[^\"]*DISTRIBUTOR AGREEMENT\.pdf"),
    ),
    Task(
        "insurance",
        "shelf",
        "How much product liability insurance must the supplier of Fuse Medical maintain?",
        (Part((r"AU\$ ?10 million",), "FuseMedical", page(9)),),
        look_up(CONTRACTS, document=r"FuseMedical[^\"]*\.pdf"),
    ),
    Task(
        "which-law",
        "shelf",
        "Which law governs the Pharmagen endorsement agreement?",
        (Part(("State of Georgia",), "Pharmagen", page(5)),),
        look_up(CONTRACTS, document=r"Pharmagen[^\"]*\.pdf"),
    ),
    Task(
        "new-york",
        "shelf",
        "Which of my contracts are governed by the law of New York?",
        tuple(
            Part((r"(?i)laws?\s+of\s+(?:the\s+)?(?:state\s+of\s+)?new\s+york",), name, page(at))
            for name, at in (
                ("AzulSa", 7),
                ("BLUEROCK", 43),
                ("CARDAX", 16),
                ("Cytodyn", 41),
                ("QuantumGroup", 9),
                ("SPHERE3D", 3),
                ("VARIABLESEPARATE", 5),
                ("WebmdHealth", 6),
            )
        ),
        laws,
        own=("governed by and construed in accordance with the laws of the State of New York",),
    ),
    Task(
        "anywhere",
        "shelf",
        "What is the rent of the warehouse in Quern Lane now?",
        (Part(("£2,390",), r"Letting Quern Lane v2", _ANY_PAGE),),
        look_up(LETTINGS),
    ),
    Task(
        "versions",
        "shelf",
        "What changed from the first to the second version of the Quern Lane letting?",
        (
            Part(("2,150",), "Letting Quern Lane v1|document_a|before"),
            Part(("2,390",), "Letting Quern Lane v2|document_b|after"),
            Part(("six months|six",), "Letting Quern Lane v2|document_b|after"),
            Part(("insures the goods",), "Letting Quern Lane v2|document_b|after"),
        ),
        read_both(LETTINGS, r"Letting Quern Lane v1[^\"]*", r"Letting Quern Lane v2[^\"]*"),
    ),
    Task(
        "amendment",
        "shelf",
        "What does Amendment #2 change in NETGEAR's distribution agreement?",
        (Part(("(?i)Territory", "(?i)amended"), "NETGEAR.*AMENDMENT", page(1)),),
        look_up(CONTRACTS, document=r"NETGEAR[^\"]*AMENDMENT[^\"]*\.pdf"),
    ),
    Task(
        "hundred-million",
        "shelf",
        "Which of my contracts name a sum of 100 million dollars or more?",
        (
            Part((r"\$(?:251,325,000|125,000,000|574,831,000)",), "BONTON", _ANY_PAGE),
            Part((r"\$(?:100,000,000|1,325,700,000)",), "VerizonAbs", page(74)),
            Part((r"\$ ?(?:3|2\.25|1\.25) Billion",), "INNOVIVA", _ANY_PAGE),
        ),
        sums_of_contracts,
        own=("100000000 USD $100,000,000 hundred million dollars", "DESCRIBE", _SUMS),
    ),
)
