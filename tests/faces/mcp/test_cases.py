"""The server for lawyers: its tools, parameters and texts are those of the requirement."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pymupdf
import pytest

from casetrack.api.library import Library
from casetrack.base.config import Settings
from casetrack.base.editions import LEGAL, edition
from casetrack.editions.legal.cases import Cases
from casetrack.editions.legal.mcp import legal_edition
from casetrack.faces.mcp.app import server_for
from casetrack.faces.mcp.catalogue import choose, declared
from casetrack.faces.mcp.instructions import instructions
from casetrack.faces.mcp.prompts import Prompts
from casetrack.faces.mcp.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.faces.mcp.specs import ToolChoice

GOLDEN = Path(__file__).parent / "golden" / "legal"
NEED_A_CASE: dict[str, dict[str, Any]] = {
    "get_case_info": {},
    "ingest_document": {"file_path": "/a.pdf"},
    "ingest_folder": {"folder_path": "/a"},
    "list_documents": {},
    "get_document": {"document_name": "a"},
    "delete_document": {"document_name": "a", "confirm": True},
    "search_case": {"query": "a"},
    "find_entity": {"entity": "a"},
}
COMPLAINT = (
    "UNITED STATES DISTRICT COURT\nSOUTHERN DISTRICT OF NEW YORK\n\n"
    "HARBOR LINE LLC, Plaintiff, v. NORTH QUAY INC., Defendant.\nCase No. 1:24-cv-01234\n\n"
    "COMPLAINT\n\n1. Defendant terminated the Charter without the thirty days notice that it "
    "promised. See Calder v. Brandt, 512 U.S. 301, 307 (1994); 42 U.S.C. § 1983.\n"
)
_COURT = "organization:united-states-district-court-for-the-southern-district-of-new-york"
LETTER = "Dear Counsel,\n\nThe crane was delivered to Pier 9 on 3 May 2024.\n\nRuth Ansel\n"


def _server(library: Library, choice: ToolChoice | None = None) -> Any:
    return server_for(Session(library), choice, legal_edition())


def _listed() -> dict[str, dict[str, Any]]:
    nowhere = Path("nowhere").absolute()
    server = _server(Library(Settings(data_dir=nowhere, models_dir=nowhere)))
    tools = anyio.run(server.list_tools)
    return {t.name: t.model_dump(mode="json", by_alias=True, exclude_none=True) for t in tools}


LISTED = _listed()


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder with a complaint, a letter, an unknown file and one that is damaged."""
    folder = tmp_path / "Papers"
    folder.mkdir()
    (folder / "Complaint.txt").write_text(COMPLAINT, encoding="utf-8")
    (folder / "Letter.txt").write_text(LETTER, encoding="utf-8")
    (folder / "plan.dwg").write_bytes(b"AC1032\0\0")
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7\nnothing else")
    return folder


@pytest.fixture
def talk(library: Library) -> Callable[..., list[tuple[bool, str, Any]]]:
    """Return ``talk(call, ...)``: calls on one connection; failed?, text and structure of each."""

    def run(*calls: tuple[str, dict[str, Any]]) -> list[tuple[bool, str, Any]]:
        from mcp.client import Client

        async def main() -> list[tuple[bool, str, Any]]:
            async with Client(_server(library), mode="legacy") as client:
                made = [await client.call_tool(name, given) for name, given in calls]
            return [
                (bool(r.is_error), r.content[0].text, r.structured_content)
                for r in made
                if r.content[0].type == "text"
            ]

        return anyio.run(main)

    return run


# --- descriptions of the tools --------------------------------------------------------------


def test_the_tools_and_their_order_are_as_recorded(messages: Any) -> None:
    messages("\n".join(LISTED))


@pytest.mark.parametrize("name", LISTED)
def test_tool_is_declared_as_recorded(name: str, golden: Callable[[Path, str], None]) -> None:
    text = json.dumps(LISTED[name], indent=1, sort_keys=True, ensure_ascii=False)
    golden(GOLDEN / f"{name}.json", text + "\n")


def test_the_list_of_the_requirement_s_tools_is_cheap() -> None:
    tools = list(LISTED.values())[:13]
    size = len(json.dumps({"tools": tools}, ensure_ascii=False, separators=(",", ":")).encode())
    assert size < 11_000


@pytest.mark.parametrize("chosen", ["all", "read-only", "core", "daily", "search", "legal"])
def test_instructions_and_prompts_name_only_tools_that_are_there(chosen: str) -> None:
    served, words = legal_edition(), edition(LEGAL)
    choice = choose(chosen, served)
    specs = declared(served)
    offered = set(choice.of(specs))
    text = instructions(words.instructions, offered)
    assert len(text.encode()) < 2048
    prompts = Prompts(choice, words)
    for request in prompts.requests():
        values = {a.name: f"the {a.name}" for a in request.arguments}
        text += prompts.text(request, values)
        assert '"the case"' in text
    assert {word for word in _words(text) if word in specs} <= offered
    assert not {word for word in _words(text) if word in declared()} - set(specs)


def _words(text: str) -> set[str]:
    return {word.strip(".,;:()\"'") for word in text.split() if "_" in word}


# --- cases ----------------------------------------------------------------------------------


def test_a_case_is_made_chosen_told_of_and_deleted(
    talk: Any, library: Library, codes: list[str], messages: Any
) -> None:
    made, _, listed, switched, info, kept, gone, empty = talk(
        ("create_case", {"name": "Harbor Line v. North Quay", "case_type": "Contract"}),
        (
            "create_case",
            {"name": "Doe v. State", "case_number": "24-cr-7", "case_type": "CRIMINAL"},
        ),
        ("list_cases", {}),
        ("switch_case", {"case_name": "harbor line v. north quay"}),
        ("get_case_info", {}),
        ("delete_case", {"case_name": "Harbor Line v. North Quay", "confirm": False}),
        ("delete_case", {"case_name": "Harbor Line v. North Quay", "confirm": True}),
        ("get_case_info", {}),
    )
    assert [case["is_active"] for case in listed[2]["cases"]] == [True, False]
    assert codes == ["usage", "no_collection_active"]
    assert kept[0]
    moments = dict.fromkeys(re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d", info[1] + listed[1]), "<time>")
    lines = "\n\n".join(text for _, text, _ in (made, listed, switched, info, kept, gone, empty))
    messages(re.sub(r"\d+(\.\d)? k?B", "<size>", lines), hide=moments)
    assert [info.name for info in Cases(library).all()] == ["Doe v. State"]


def test_without_a_case_every_tool_says_how_to_choose_one(talk: Any, codes: list[str]) -> None:
    for failed, text, structure in talk(*NEED_A_CASE.items()):
        assert failed
        assert all(name in text for name in ("create_case", "switch_case", "list_cases"))
        assert structure == {"error": {"code": "InvalidRequest", "message": text}}
    assert codes == ["no_collection_active"] * len(NEED_A_CASE)


def test_wrong_names_and_kinds_are_told_with_what_there_is(
    talk: Any, library: Library, codes: list[str], messages: Any
) -> None:
    other = library.create("General papers").info.id
    (_, _, made), *message = talk(
        ("create_case", {"name": "Smith v. Jones Corp"}),
        ("switch_case", {"case_name": "Smith"}),
        ("switch_case", {"case_name": "Nobody at all"}),
        ("switch_case", {"case_name": "General papers"}),
        ("create_case", {"name": "smith v. jones corp"}),
        ("create_case", {"name": "General Papers"}),
        ("create_case", {"name": "X", "case_type": "maritime"}),
        ("list_cases", {"status_filter": "open"}),
        ("delete_case", {"case_name": "Smith v. Jones Corp"}),
        ("search_documents", {"query": "a"}),
    )
    short = made["case"]["id"][:8]
    assert all(failed for failed, _, _ in message)
    texts = [text for _, text, _ in message]
    assert codes == [
        *["collection_not_found"] * 3,
        "collection_exists",
        *["usage"] * 4,
        "unknown_tool",
    ]
    assert all("Smith v. Jones Corp" in texts[n] for n in (0, 1, 2, 3, 7))
    assert [short in text for text in texts[:4]] == [True, False, False, True]
    assert '"General papers"' in texts[4]
    kinds = LISTED["create_case"]["inputSchema"]["properties"]["case_type"]["enum"]
    assert ", ".join(kinds) in texts[5]
    assert "active, closed, archived, all" in texts[6]
    assert '"search_documents"' in texts[8]
    assert {each["error"]["code"] for _, _, each in message} == {"InvalidRequest"}
    whole = made["case"]["id"]
    told_texts = "\n\n".join(texts[:6]).replace(whole, short)
    messages(told_texts, hide={short: "<id>", other[:8]: "<other>"})


# --- tiers ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("free_tier")
def test_the_free_tier_keeps_three_cases_and_says_what_is_pro(
    talk: Any, library: Library, papers: Path, codes: list[str], messages: Any
) -> None:
    library.create("Not a case")
    *_, fourth, folder, entity = talk(
        *(("create_case", {"name": f"Case {n}"}) for n in range(3)),
        ("create_case", {"name": "One too many"}),
        ("ingest_folder", {"folder_path": str(papers)}),
        ("find_entity", {"entity": "Ruth Ansel"}),
    )
    assert codes == ["free_tier_limit"] * 3
    assert all(answer[0] for answer in (fourth, folder, entity))
    assert "ingest_document" in folder[1]
    messages("\n\n".join(answer[1] for answer in (fourth, folder, entity)))
    assert library.create("One more")


# --- documents ------------------------------------------------------------------------------


def test_documents_are_taken_in_listed_described_and_removed(
    talk: Any, papers: Path, codes: list[str]
) -> None:
    complaint, letter = str(papers / "Complaint.txt"), str(papers / "Letter.txt")
    _, taken, twice, other, listed, one, info, kept, gone, left = talk(
        ("create_case", {"name": "Harbor", "case_number": "1:24-cv-01234"}),
        ("ingest_document", {"file_path": complaint, "document_type": "Pleading"}),
        ("ingest_document", {"file_path": complaint}),
        ("ingest_document", {"file_path": letter, "document_name": "Ansel to counsel"}),
        ("list_documents", {"sort_by": "name"}),
        ("get_document", {"document_name": "Complaint.txt"}),
        ("get_case_info", {}),
        ("delete_document", {"document_name": "Ansel to counsel", "confirm": False}),
        ("delete_document", {"document_name": "Ansel to counsel", "confirm": True}),
        ("get_document", {"document_name": "Ansel to counsel"}),
    )
    assert taken[2]["outcome"]["status"] == "ingested"
    assert taken[2]["case"] == "Harbor (1:24-cv-01234)"
    assert twice[0]
    assert twice[2]["error"] == {"code": "InvalidRequest", "message": twice[1]}
    assert other[2]["outcome"]["document_name"] == "Ansel to counsel"
    kinds = {d["name"]: d["document_type"] for d in listed[2]["documents"]}
    assert kinds["Complaint.txt"] == "pleading"
    assert one[2]["document"]["document_type_evidence"] is None
    assert [d["name"] for d in info[2]["documents"]] == ["Ansel to counsel", "Complaint.txt"]
    assert kept[0]
    assert all(fact in kept[1] for fact in ("Ansel to counsel", "Harbor", "confirm=true", " 1 "))
    assert gone[2]["deleted"]["name"] == "Ansel to counsel"
    assert left[0]
    assert codes[-1] == "document_not_found"
    assert "list_documents" in left[1]


def test_a_folder_is_told_file_by_file_where_something_is_wrong(
    talk: Any, papers: Path, messages: Any
) -> None:
    (papers / "More").mkdir()
    (papers / "More" / "Second letter.txt").write_text(LETTER * 2, encoding="utf-8")
    _, flat, deep = talk(
        ("create_case", {"name": "Harbor"}),
        ("ingest_folder", {"folder_path": str(papers)}),
        ("ingest_folder", {"folder_path": str(papers), "recursive": True}),
    )
    assert flat[2]["counts"]["ingested"] == 2
    assert deep[2]["counts"]["ingested"] == 1
    took = re.compile(r"(?<= in )\d+\.\d s.*")
    messages(took.sub("<time>", f"{flat[1]}\n\n{deep[1]}"))


def test_a_file_that_cannot_be_taken_in_is_reported(
    talk: Any, papers: Path, codes: list[str]
) -> None:
    names = ["nowhere.pdf", "plan.dwg", "torn.pdf", ""]
    _, *message = talk(
        ("create_case", {"name": "Harbor"}),
        *(("ingest_document", {"file_path": str(papers / name)}) for name in names),
    )
    for (failed, text, structure), named in zip(
        message, ["nowhere.pdf", ".dwg", "torn.pdf", "ingest_folder"], strict=True
    ):
        assert failed
        assert named in text
        assert structure == {"error": {"code": "InvalidRequest", "message": text}}
    assert codes == ["file_not_found", "wrong_path_kind"]  # others are of the file


# --- search ---------------------------------------------------------------------------------

SOURCE = (
    "document document_path document_id chunk_id chunk_index page paragraph_start paragraph_end "
    "line_start line_end char_start char_end extraction_method ocr_confidence chunk_created_at "
    "chunk_embedded_at document_ingested_at"
).split()


def test_a_search_answers_in_the_canonical_form(talk: Any, papers: Path, codes: list[str]) -> None:
    _, _, _, result, only, concise, nothing = talk(
        ("create_case", {"name": "Harbor", "case_number": "24-cv-1"}),
        ("ingest_document", {"file_path": str(papers / "Complaint.txt")}),
        ("ingest_document", {"file_path": str(papers / "Letter.txt")}),
        ("search_case", {"query": "thirty days notice"}),
        ("search_case", {"query": "crane", "document_filter": "Complaint.txt"}),
        ("search_case", {"query": "crane", "response_format": "concise"}),
        ("search_case", {"query": "  "}),
    )
    answer = result[2]
    assert answer["case"] == "Harbor (24-cv-1)"
    assert (answer["query"], answer["tier"]) == ("thirty days notice", "pro")
    assert answer["results_count"] == len(answer["results"]) == 1
    assert answer["search_time_ms"] > 0
    assert "bm25" in answer["stages_used"]
    (best,) = answer["results"]
    assert best["citation"].startswith("Complaint.txt, p. 1, ")
    assert best["citation_short"] == "Complaint, p. 1"
    assert best["source"].keys() >= set(SOURCE)
    source = best["source"]
    assert COMPLAINT[source["char_start"] : source["char_end"]] == best["text"]
    assert best["context"].keys() >= {"before", "after"}
    assert "Calder v. Brandt, 512 U.S. 301 (1994)" in best["legal_citations"]
    assert "42 U.S.C. § 1983" in best["legal_citations"]
    assert 0 <= best["relevance"] <= 1
    head = result[1].split("\n")
    assert '"thirty days notice"' in head[0]
    assert "Harbor (24-cv-1)" in head[1]
    assert f"{best['relevance']:.2f}" in result[1]
    assert only[2]["results"] == []
    assert "source" in concise[2]["results"][0]
    assert "document_id" not in concise[2]["results"][0]
    assert nothing[0]
    assert codes == ["usage"]


ENTITIES = [
    ("Ruth Ansel", "person", None),
    ("Calder v. Brandt", "case_citation", "case:512-us-301"),
    ("Calder v. Brandt", "any", "case:512-us-301"),
    ("42 USC 1983", "statute", "regulation:usc-42-1983"),
    ("Southern District of New York", "court", _COURT),
    ("Harbor Line LLC", "any", "organization:harbor-line-llc"),
    ("Harbor Line LLC", "court", None),
    ("Nobody Nowhere", "any", None),
]


def test_entities_and_authorities_are_found(talk: Any, papers: Path, codes: list[str]) -> None:
    _, _, _, *answers = talk(
        ("create_case", {"name": "Harbor"}),
        ("ingest_document", {"file_path": str(papers / "Complaint.txt")}),
        ("ingest_document", {"file_path": str(papers / "Letter.txt")}),
        *(("find_entity", {"entity": name, "entity_type": kind}) for name, kind, _ in ENTITIES),
    )
    assert codes == ["entity_not_found"] * 3
    for (failed, text, structure), (entity, kind, key) in zip(answers, ENTITIES, strict=True):
        if key is None:
            assert failed
            assert f'"{entity}"' in text
            continue
        assert not failed
        if "entity" in structure:  # from the caption: without a model no other names are read
            assert structure["entity"]["entity_id"] == key
            assert structure["entity"]["role"] == ("court" if kind == "court" else "plaintiff")
            places = structure["mentions"]
        else:
            assert structure["reference"]["reference_id"] == key
            places = structure["citations"]
        assert places[0]["citation"].startswith("Complaint.txt, p. 1, ")
        assert structure["case"] == "Harbor"


def test_the_citator_tells_who_cites_an_authority(
    talk: Any, papers: Path, codes: list[str]
) -> None:
    *_, (failed, text, message), (missing, why, _) = talk(
        ("create_case", {"name": "Harbor"}),
        ("ingest_document", {"file_path": str(papers / "Complaint.txt")}),
        ("citator", {"authority": "Calder"}),
        ("citator", {"authority": "Roe v. Wade"}),
    )
    assert not failed
    assert (message["authority_id"], message["total"]) == ("case:512-us-301", 1)
    (place,) = message["places"]
    assert (place["signal"], place["pin"]) == ("see", "307")
    assert place["sentence"].endswith("42 U.S.C. \u00a7 1983.")
    assert place["sentence"] in text
    assert "Calder v. Brandt, 512 U.S. 301 (1994)" in text
    source = place["source"]
    assert COMPLAINT[source["char_start"] : source["char_end"]] == place["text"]
    assert missing
    assert codes == ["authority_not_cited"]
    assert all(name in why for name in ('"Harbor"', '"Roe v. Wade"'))


def test_a_table_of_authorities_needs_no_case(
    talk: Callable[..., list[tuple[bool, str, Any]]], tmp_path: Path
) -> None:
    brief = tmp_path / "Brief.txt"
    brief.write_text(
        "See 28 U.S.C. \u00a7 1331. Roe v. Wade, 410 U.S. 113 (1973).", encoding="utf-8"
    )
    made, missing = talk(
        ("table_of_authorities", {"brief": str(brief), "compare": True}),
        ("table_of_authorities", {"brief": str(tmp_path / "gone.pdf")}),
    )
    failed, text, facts = made
    assert not failed
    assert "Roe v. Wade" in text
    assert [(a["section"], a["name"], a["listed"]) for a in facts["authorities"]] == [
        ("Cases", "Roe v. Wade, 410 U.S. 113 (1973)", "1"),
        ("Statutes", "28 U.S.C. \u00a7 1331", "1"),
    ]
    assert facts["authorities"][1]["places"][0]["char_start"] == 4
    assert facts["notes"]
    assert missing[0]


def test_a_protected_file_needs_its_password(talk: Any, tmp_path: Path) -> None:
    path = tmp_path / "Sealed.pdf"
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "The sealed settlement of the parties.")
        document.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="seal")
    _, (failed, text, _), (still, again, _), (_, _, opened) = talk(
        ("create_case", {"name": "Harbor"}),
        ("ingest_document", {"file_path": str(path)}),
        ("ingest_document", {"file_path": str(path), "password": "wrong"}),
        ("ingest_document", {"file_path": str(path), "password": "seal"}),
    )
    assert failed
    assert still
    assert all("password" in messages for messages in (text, again))
    assert opened["outcome"]["status"] == "ingested"
