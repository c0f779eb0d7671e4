"""The server for lawyers: its tools, parameters and texts are those of the requirement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.config import Settings
from casetrack.editions import LEGAL, edition
from casetrack.legal.cases import Cases
from casetrack.library import Library
from casetrack.mcp.app import server_for
from casetrack.mcp.catalogue import choose, declared
from casetrack.mcp.instructions import instructions
from casetrack.mcp.legal import legal_edition
from casetrack.mcp.prompts import Prompts
from casetrack.mcp.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.mcp.toolsets import ToolChoice

GOLDEN = Path(__file__).parent / "golden" / "legal"
CASE_TYPES = (
    "civil criminal family bankruptcy contract employment personal_injury real_estate "
    "intellectual_property immigration other"
).split()
DOCUMENT_TYPES = (
    "pleading motion brief contract exhibit correspondence deposition discovery statute case_law "
    "other"
).split()

# The parameters of the requirement: name -> (schema without its description, required).
REQUIRED: dict[str, dict[str, tuple[dict[str, Any], bool]]] = {
    "create_case": {
        "name": ({"type": "string"}, True),
        "case_number": ({"type": "string"}, False),
        "case_type": ({"type": "string", "enum": CASE_TYPES}, False),
    },
    "list_cases": {
        "status_filter": (
            {
                "type": "string",
                "enum": ["active", "closed", "archived", "all"],
                "default": "active",
            },
            False,
        )
    },
    "switch_case": {"case_name": ({"type": "string"}, True)},
    "delete_case": {
        "case_name": ({"type": "string"}, True),
        "confirm": ({"type": "boolean", "default": False}, True),
    },
    "get_case_info": {},
    "ingest_document": {
        "file_path": ({"type": "string"}, True),
        "document_name": ({"type": "string"}, False),
        "document_type": ({"type": "string", "enum": DOCUMENT_TYPES}, False),
        "copy_original": ({"type": "boolean", "default": False}, False),
    },
    "ingest_folder": {
        "folder_path": ({"type": "string"}, True),
        "recursive": ({"type": "boolean", "default": False}, False),
        "document_type": (
            {
                "type": "string",
                "enum": [t for t in DOCUMENT_TYPES if t not in {"statute", "case_law"}],
            },
            False,
        ),
    },
    "list_documents": {
        "sort_by": (
            {"type": "string", "enum": ["name", "date", "pages", "type"], "default": "date"},
            False,
        )
    },
    "get_document": {"document_name": ({"type": "string"}, True)},
    "delete_document": {
        "document_name": ({"type": "string"}, True),
        "confirm": ({"type": "boolean", "default": False}, True),
    },
    "search_case": {
        "query": ({"type": "string"}, True),
        "top_k": ({"type": "integer", "default": 5, "minimum": 1, "maximum": 50}, False),
        "document_filter": ({"type": "string"}, False),
    },
    "find_entity": {
        "entity": ({"type": "string"}, True),
        "entity_type": (
            {
                "type": "string",
                "enum": ["person", "court", "statute", "case_citation", "organization", "any"],
                "default": "any",
            },
            False,
        ),
        "top_k": ({"type": "integer", "default": 20, "minimum": 1, "maximum": 100}, False),
    },
    "get_status": {},
}
CASELESS = {"create_case", "list_cases", "switch_case", "delete_case", "get_status"}
"""Tools that are not about the active case."""
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


# --- what clients are told about the tools --------------------------------------------------


def test_the_first_tools_are_those_of_the_requirement() -> None:
    assert [name for name in LISTED if name in REQUIRED] == list(REQUIRED)


@pytest.mark.parametrize("name", REQUIRED)
def test_parameters_are_those_of_the_requirement(name: str) -> None:
    schema = LISTED[name]["inputSchema"]
    properties, required = schema["properties"], schema.get("required", [])
    for parameter, (wanted, needed) in REQUIRED[name].items():
        told = {k: v for k, v in properties[parameter].items() if k != "description"}
        assert told == wanted, parameter
        assert (parameter in required) == needed
    extra = properties.keys() - REQUIRED[name].keys()
    assert extra <= {"case", "offset", "response_format", "password"}
    assert not extra & set(required)
    assert ("case" in extra) == (name not in CASELESS)
    plain = {"case", "offset", "top_k", "response_format"}
    assert all(field.get("description") for name, field in properties.items() if name not in plain)


@pytest.mark.parametrize("name", REQUIRED)
def test_tool_is_declared_as_recorded(name: str, golden: Callable[[Path, str], None]) -> None:
    text = json.dumps(LISTED[name], indent=1, sort_keys=True, ensure_ascii=False)
    golden(GOLDEN / f"{name}.json", text + "\n")


@pytest.mark.parametrize("name", LISTED)
def test_everything_a_client_may_show_is_there(name: str) -> None:
    hints = LISTED[name]["annotations"]
    assert hints["title"]
    assert hints["openWorldHint"] is False
    assert hints["destructiveHint"] == name.startswith("delete_")
    assert len(LISTED[name]["description"]) + len(json.dumps(LISTED[name]["inputSchema"])) < 2500


def test_the_list_of_the_requirement_s_tools_is_cheap() -> None:
    tools = [tool for name, tool in LISTED.items() if name in REQUIRED]
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
    assert "Always cite" in text
    prompts = Prompts(choice, words)
    for request in prompts.requests():
        values = {a.name: f"the {a.title}" for a in request.arguments}
        text += prompts.text(request, values)
        assert '"the Case"' in text
    assert {word for word in _words(text) if word in specs} <= offered
    assert not {word for word in _words(text) if word in declared()} - set(specs)


def _words(text: str) -> set[str]:
    return {word.strip(".,;:()\"'") for word in text.split() if "_" in word}


# --- cases ----------------------------------------------------------------------------------


def test_a_case_is_made_chosen_told_of_and_deleted(talk: Any, library: Library) -> None:
    made, again, listed, switched, info, kept, gone, empty = talk(
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
    short = made[2]["case"]["id"][:8]
    assert made[1] == (
        f'Created case "Harbor Line v. North Quay" (ID: {short}).\nType: Contract\n'
        "This is now your active case.\n\nNext: Ingest documents with ingest_document."
    )
    day = again[2]["case"]["created_at"][:10]
    assert listed[1] == (
        "Cases (2 active):\n\n"
        "* Doe v. State [ACTIVE] <-- current\n"
        f"  24-cr-7 | Criminal | 0 documents | 0 chunks | Created {day}\n\n"
        "  Harbor Line v. North Quay [ACTIVE]\n"
        f"  Contract | 0 documents | 0 chunks | Created {day}"
    )
    assert [case["is_active"] for case in listed[2]["cases"]] == [True, False]
    assert switched[1] == 'Switched to case "Harbor Line v. North Quay" (0 documents, 0 chunks).'
    assert info[1].startswith(
        "Case: Harbor Line v. North Quay\nType: Contract | Status: Active\n"
        f"Created: {day}\n\nDocuments (0):\n\nTotal: 0 pages, 0 chunks\nStorage: "
    )
    assert info[1].endswith(" (embeddings + index)\nEmbedders: mini, BM25 (Pro tier)")
    assert kept[:2] == (
        True,
        (
            'Deletion requires confirm=true. This will permanently delete case "Harbor Line v. '
            'North Quay" and all 0 documents. This cannot be undone.'
        ),
    )
    assert gone[1] == (
        f'Deleted case "Harbor Line v. North Quay" (ID: {short}) and all its data. The original '
        "files are untouched.\nNo case is active now."
    )
    there = '\n\nThere are:\n  - "Doe v. State"'
    assert empty[:2] == (True, edition(LEGAL).texts["no_collection_active"] + there)
    assert [info.name for info in Cases(library).all()] == ["Doe v. State"]


@pytest.mark.parametrize("tool", sorted(set(REQUIRED) - CASELESS))
def test_without_a_case_every_tool_says_how_to_choose_one(talk: Any, tool: str) -> None:
    given = {"file_path": "/a.pdf", "folder_path": "/a", "document_name": "a", "confirm": True}
    given |= {"query": "a", "entity": "a"}
    wanted = LISTED[tool]["inputSchema"].get("required", [])
    ((failed, text, structure),) = talk((tool, {name: given[name] for name in wanted}))
    assert failed
    assert text == (
        "No active case. Create or switch to a case first:\n"
        "  - create_case: Create a new case\n"
        "  - switch_case: Switch to an existing case\n"
        "  - list_cases: See all cases"
    )
    assert structure == {"error": {"code": "InvalidRequest", "message": text}}


def test_wrong_names_and_kinds_are_told_with_what_there_is(talk: Any, library: Library) -> None:
    library.create("General papers")
    (_, _, made), *told = talk(
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
    assert all(failed for failed, _, _ in told)
    texts = [text for _, text, _ in told]
    assert texts[0] == (
        'Case not found: "Smith". Did you mean:\n'
        f"  - Smith v. Jones Corp (ID: {short})\nUse the full name or ID."
    )
    for text, name in ((texts[1], "Nobody at all"), (texts[2], "General papers")):
        assert text == (
            f'Case not found: "{name}". Use list_cases to see available cases. '
            'There are:\n  - "Smith v. Jones Corp"'
        )
    assert texts[3].startswith('A case named "Smith v. Jones Corp" already exists (ID: ')
    assert texts[3].endswith("Use that one, or choose another name.")
    assert texts[4].startswith('The name "General papers" is taken by a collection that is no case')
    assert texts[5] == f"Unknown case type 'maritime'.\n\nUse one of: {', '.join(CASE_TYPES)}."
    assert "status_filter: must be one of active, closed, archived, all" in texts[6]
    assert "Deletion requires confirm=true." in texts[7]
    assert texts[8].startswith('Unknown tool: "search_documents"')
    assert {each["error"]["code"] for _, _, each in told} == {"InvalidRequest"}


def test_without_a_memory_the_case_is_named_with_each_call(library: Library, papers: Path) -> None:
    from mcp.client import Client

    from casetrack.mcp.session import ConnectionState, serve_for

    async def main() -> tuple[Any, ...]:
        serve_for(ConnectionState(remembers=False))
        async with Client(_server(library)) as client:
            made = await client.call_tool("create_case", {"name": "Ours"})
            bare = await client.call_tool("list_documents", {})
            given = {"file_path": str(papers / "Letter.txt"), "case": "Ours"}
            taken = await client.call_tool("ingest_document", given)
            listed = await client.call_tool("list_documents", {"case": "Ours"})
        return made, bare, taken, listed

    made, bare, taken, listed = anyio.run(main)
    assert "Pass `case` with each call instead." in made.content[0].text
    assert bare.content[0].text.startswith("No case was named. Pass its name as `case`.")
    assert not taken.is_error
    assert listed.structured_content["total"] == 1


# --- tiers ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("free_tier")
def test_the_free_tier_keeps_three_cases_and_says_what_is_pro(
    talk: Any, library: Library, papers: Path
) -> None:
    library.create("A collection does not count as a case")
    *_, fourth, folder, entity = talk(
        *(("create_case", {"name": f"Case {n}"}) for n in range(3)),
        ("create_case", {"name": "One too many"}),
        ("ingest_folder", {"folder_path": str(papers)}),
        ("find_entity", {"entity": "Ruth Ansel"}),
    )
    assert fourth[:2] == (
        True,
        (
            "Free tier allows 3 cases (you have 3). Delete a case or upgrade to Pro for unlimited "
            "cases: https://casetrack.dev/upgrade"
        ),
    )
    for failed, text, _ in (folder, entity):
        assert failed
        assert text.startswith("Free tier does not include ")
        assert text.endswith(" Upgrade to Pro for it: https://casetrack.dev/upgrade")
    assert "one by one (ingest_document)" in folder[1]
    assert library.create("Nor does a case count as a collection")


# --- documents ------------------------------------------------------------------------------


def test_documents_are_taken_in_listed_described_and_removed(talk: Any, papers: Path) -> None:
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
    lines = taken[1].split("\n")
    assert lines[0] == 'Ingested "Complaint.txt" into Harbor'
    rows = dict(line.strip().split(":", 1) for line in lines if line.startswith("  "))
    assert {k: v.strip() for k, v in rows.items()} | {"Duration": "", "Storage": "", "ID": ""} == {
        "Pages": "1",
        "Chunks": "1",
        "Type": "Pleading",
        "Extraction": "Native text",
        "Embedders": "mini, BM25",
        "Duration": "",
        "Storage": "",
        "ID": "",
    }
    assert lines[-1] == "This document is now searchable."
    assert taken[2]["case"] == "Harbor (1:24-cv-01234)"
    assert twice[0]
    assert "Nothing was added" in twice[1]
    assert twice[2]["error"] == {"code": "InvalidRequest", "message": twice[1]}
    assert other[1].startswith('Ingested "Ansel to counsel" into Harbor')
    kinds = {d["name"]: d["document_type"] for d in listed[2]["documents"]}
    assert kinds["Complaint.txt"] == "pleading"
    assert one[2]["document"]["document_type_evidence"] is None
    assert "  1. Ansel to counsel - 1 page, 1 chunk (Native extraction)" in info[1]
    assert kept[1] == (
        'Deletion requires confirm=true. This will permanently remove "Ansel to counsel" and its 1 '
        'chunk from case "Harbor". This cannot be undone; the file itself stays where it is.'
    )
    assert gone[1].startswith('Deleted "Ansel to counsel" (ID: ')
    assert left[:2] == (
        True,
        'Document not found: "Ansel to counsel".\n\nList what is there with list_documents.',
    )


def test_a_folder_is_told_file_by_file_where_something_is_wrong(talk: Any, papers: Path) -> None:
    (papers / "More").mkdir()
    (papers / "More" / "Second letter.txt").write_text(LETTER * 2, encoding="utf-8")
    _, flat, deep = talk(
        ("create_case", {"name": "Harbor"}),
        ("ingest_folder", {"folder_path": str(papers)}),
        ("ingest_folder", {"folder_path": str(papers), "recursive": True}),
    )
    assert flat[1].startswith("Batch ingestion complete for Harbor\n\n  Folder:    ")
    assert "  Found:     3 supported files\n  Succeeded: 2\n  Failed:    1\n" in flat[1]
    assert "  Ignored:   1 (format not supported)\n" in flat[1]
    assert "\n\n  Failures:\n  - torn.pdf: PDF parse error" in flat[1]
    assert flat[2]["counts"]["ingested"] == 2
    assert "  Succeeded: 1\n  Skipped:   2\n" in deep[1]


BAD_FILES = [
    (
        "nowhere.pdf",
        "File not found: {path}\n\nCheck that the path is correct and the file exists.",
    ),
    ("plan.dwg", "Unsupported file format: .dwg\n\nSupported formats: PDF, DOCX, "),
    ("torn.pdf", "PDF parse error for {path}: "),
    (".", "{path} is a folder, not a file.\n\nUse ingest_folder for it."),
]


@pytest.mark.parametrize(("name", "said"), BAD_FILES, ids=[name for name, _ in BAD_FILES])
def test_a_file_that_cannot_be_taken_in_is_told(
    talk: Any, papers: Path, name: str, said: str
) -> None:
    path = papers if name == "." else papers / name
    _, (failed, text, structure) = talk(
        ("create_case", {"name": "Harbor"}),
        ("ingest_document", {"file_path": str(path)}),
    )
    assert failed
    assert text.startswith(said.format(path=path))
    assert structure == {"error": {"code": "InvalidRequest", "message": text}}


@pytest.mark.parametrize(
    ("tool", "argument", "kind"),
    [("ingest_document", "file_path", "report"), ("ingest_folder", "folder_path", "statute")],
)
def test_kinds_of_documents_are_those_of_the_requirement(
    talk: Any, papers: Path, tool: str, argument: str, kind: str
) -> None:
    _, (failed, text, _) = talk(
        ("create_case", {"name": "Harbor"}),
        (tool, {argument: str(papers), "document_type": kind}),
    )
    assert failed
    known = ", ".join(LISTED[tool]["inputSchema"]["properties"]["document_type"]["enum"])
    assert f'document_type: must be one of {known}, not "{kind}"' in text


# --- search ---------------------------------------------------------------------------------

SOURCE = (
    "document document_path document_id chunk_id chunk_index page paragraph_start paragraph_end "
    "line_start line_end char_start char_end extraction_method ocr_confidence chunk_created_at "
    "chunk_embedded_at document_ingested_at"
).split()


def test_a_search_answers_in_the_canonical_form(talk: Any, papers: Path) -> None:
    _, _, _, found, only, concise, nothing = talk(
        ("create_case", {"name": "Harbor", "case_number": "24-cv-1"}),
        ("ingest_document", {"file_path": str(papers / "Complaint.txt")}),
        ("ingest_document", {"file_path": str(papers / "Letter.txt")}),
        ("search_case", {"query": "thirty days notice"}),
        ("search_case", {"query": "crane", "document_filter": "Complaint.txt"}),
        ("search_case", {"query": "crane", "response_format": "concise"}),
        ("search_case", {"query": "  "}),
    )
    answer = found[2]
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
    head = found[1].split("\n")
    assert head[:2] == [
        'Search: "thirty days notice"',
        "Case: Harbor (24-cv-1) | 2 documents, 2 chunks searched",
    ]
    assert head[2].endswith("-stage pipeline)")
    assert f"relevance: {best['relevance']:.2f}) ---" in found[1]
    assert only[2]["results"] == []
    assert "source" in concise[2]["results"][0]
    assert "document_id" not in concise[2]["results"][0]
    assert nothing[0]
    assert nothing[1].startswith("The query is empty.")


@pytest.mark.parametrize(
    ("entity", "kind", "key"),
    [
        ("Ruth Ansel", "person", None),
        ("Calder v. Brandt", "case_citation", "case:512-us-301"),
        ("Calder v. Brandt", "any", "case:512-us-301"),
        ("42 USC 1983", "statute", "regulation:usc-42-1983"),
        ("Southern District of New York", "court", _COURT),
        ("Harbor Line LLC", "any", "organization:harbor-line-llc"),
        ("Harbor Line LLC", "court", None),
        ("Nobody Nowhere", "any", None),
    ],
)
def test_entities_and_authorities_are_found(
    talk: Any, papers: Path, entity: str, kind: str, key: str | None
) -> None:
    *_, (failed, text, structure) = talk(
        ("create_case", {"name": "Harbor"}),
        ("ingest_document", {"file_path": str(papers / "Complaint.txt")}),
        ("ingest_document", {"file_path": str(papers / "Letter.txt")}),
        ("find_entity", {"entity": entity, "entity_type": kind}),
    )
    if key is None:
        assert failed
        assert text.startswith(f'Entity not found: "{entity}"')
        assert text.endswith(("Search for the words with search_case.", "Use the full name."))
        return
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


def test_the_citator_tells_who_cites_an_authority(talk: Any, papers: Path) -> None:
    *_, (failed, text, told), (missing, why, _) = talk(
        ("create_case", {"name": "Harbor"}),
        ("ingest_document", {"file_path": str(papers / "Complaint.txt")}),
        ("citator", {"authority": "Calder"}),
        ("citator", {"authority": "Roe v. Wade"}),
    )
    assert not failed
    assert (told["authority_id"], told["total"]) == ("case:512-us-301", 1)
    (place,) = told["places"]
    assert (place["signal"], place["pin"]) == ("see", "307")
    assert place["sentence"].endswith("42 U.S.C. \u00a7 1983.")
    assert place["sentence"] in text
    assert text.startswith("Calder v. Brandt, 512 U.S. 301 (1994) (case): 1 citation in 1 document")
    source = place["source"]
    assert COMPLAINT[source["char_start"] : source["char_end"]] == place["text"]
    assert missing
    assert why.startswith('No document of "Harbor" cites "Roe v. Wade".')


def test_the_status_says_what_is_there(talk: Any, library: Library, papers: Path) -> None:
    library.create("Not a case")
    *_, (failed, text, status) = talk(
        ("create_case", {"name": "Harbor"}),
        ("ingest_document", {"file_path": str(papers / "Letter.txt")}),
        ("get_status", {}),
    )
    assert not failed
    lines = text.split("\n")
    assert lines[0].startswith("CaseTrack v")
    assert lines[2:4] == ["License: Pro", "Active Case: Harbor"]
    for said in ("Models:", "  BM25: Ready (algorithmic)", "System:"):
        assert said in lines
    assert any(line.startswith("  Cases: 1 (") for line in lines)
    assert (status["cases"], status["active_case"], status["jobs"]) == (1, "Harbor", [])


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
    assert text.splitlines()[2:4] == ["CASES", ""]
    assert [(a["section"], a["name"], a["listed"]) for a in facts["authorities"]] == [
        ("Cases", "Roe v. Wade, 410 U.S. 113 (1973)", "1"),
        ("Statutes", "28 U.S.C. \u00a7 1331", "1"),
    ]
    assert facts["authorities"][1]["places"][0]["char_start"] == 4
    assert "The brief holds no table of authorities to compare with." in facts["notes"]
    assert missing[0]


def test_addresses_and_completion_are_those_of_cases(library: Library) -> None:
    from mcp.client import Client
    from mcp.types import PromptReference

    library.create("General papers")
    Cases(library).create("Harbor")

    async def main() -> tuple[list[str], list[str]]:
        async with Client(_server(library)) as client:
            listed = (await client.list_resources()).resources
            prompt = PromptReference(type="ref/prompt", name="brief_case")
            typed = await client.complete(prompt, {"name": "case", "value": ""})
            return [r.title or r.name for r in listed], typed.completion.values

    listed, completed = anyio.run(main)
    assert completed == ["Harbor"]
    assert "General papers" not in " ".join(listed)
    assert "Harbor" in " ".join(listed)


def test_a_protected_file_needs_its_password(
    talk: Any, tmp_path: Path, protected_pdf: Callable[[Path], Path]
) -> None:
    path = protected_pdf(tmp_path / "Sealed.pdf")
    _, (failed, text, _), (still, again, _), (_, opened, _) = talk(
        ("create_case", {"name": "Harbor"}),
        ("ingest_document", {"file_path": str(path)}),
        ("ingest_document", {"file_path": str(path), "password": "wrong"}),
        ("ingest_document", {"file_path": str(path), "password": "seal"}),
    )
    assert failed
    assert still
    for said in (text, again):
        assert said.startswith("File is password-protected")
        assert "Ask the user for its password and call again with it as password" in said
    assert opened.startswith('Ingested "Sealed.pdf" into Harbor')


@pytest.fixture
def protected_pdf() -> Callable[[Path], Path]:
    """Return what writes a PDF that opens with the password ``seal``."""

    def write(path: Path) -> Path:
        import pymupdf

        with pymupdf.open() as document:
            document.new_page().insert_text((72, 72), "The sealed settlement of the parties.")
            document.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="seal")
        return path

    return write
