"""Instructions of a server to its client: available collections and first calls."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from casetrack.api.library import Library
from casetrack.base.config import Settings
from casetrack.base.editions import ANY, LEGAL, edition
from casetrack.base.errors import StorageError
from casetrack.base.license.tiers import FREE, UNLIMITED
from casetrack.editions.legal.mcp import legal_edition
from casetrack.faces.mcp.catalogue import choose, declared
from casetrack.faces.mcp.instructions import holdings, instructions
from casetrack.faces.mcp.opening import Opening, _request_id, opened
from casetrack.faces.mcp.server import build_server
from casetrack.faces.mcp.specs import SET_NAMES
from hostile_lines import HELLO, request

NO_TOOLS = {"document_filter"}


@pytest.mark.parametrize("tier", [FREE, UNLIMITED], ids=["free", "pro"])
@pytest.mark.parametrize("chosen", [*SET_NAMES, "search,read-only", "get_status"])
def test_they_fit_and_name_only_tools_that_would_answer(
    chosen: str, tier: Any, messages: Any
) -> None:
    nowhere = Path("nowhere").absolute()
    library = Library(Settings(data_dir=nowhere, models_dir=nowhere), tier=tier)
    text = build_server(library, choose(chosen)).instructions
    specs = declared()
    usable = {
        name
        for name in choose(chosen).of(specs)
        if specs[name].feature is None or tier is UNLIMITED
    }
    named = {word.strip(".,;:()\"'") for word in text.split() if "_" in word}
    assert named - NO_TOOLS <= usable
    assert len(text.encode()) <= 2_000
    assert "switch_" not in text
    if chosen == "all":
        messages(text)


@pytest.mark.parametrize("tier", [FREE, UNLIMITED], ids=["free", "pro"])
@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_the_first_answer_comes_without_the_sdk_and_is_the_same(
    tier: Any, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(Settings(data_dir=tmp_path, models_dir=tmp_path), tier=tier)
    library.create("Acme")
    reader, writer = os.pipe()
    line = request("h", "initialize", HELLO | {"protocolVersion": version})
    os.write(writer, line + b"\nrest")
    with os.fdopen(reader) as given, (tmp_path / "told").open("w") as answers:
        monkeypatch.setattr(sys, "stdin", given)
        monkeypatch.setattr(sys, "stdout", answers)
        assert opened(library) == Opening(f"{line.decode()}\n", "h")
        assert os.read(reader, 9) == b"rest"
    sdk = build_server(library).create_initialization_options()
    facts = json.loads((tmp_path / "told").read_text())["result"]
    # These versions of the protocol know no extensions, and the SDK leaves them out.
    can = sdk.capabilities.model_dump(by_alias=True, exclude_none=True, exclude={"extensions"})
    assert facts["capabilities"] == can
    assert facts["instructions"] == sdk.instructions
    assert facts["protocolVersion"] == version


@pytest.mark.parametrize(
    "unusual", [{"_meta": {}}, {"capabilities": {"roots": 5}}, {"protocolVersion": "2026-07-28"}]
)
def test_what_the_sdk_has_to_check_waits_for_it(unusual: dict[str, Any]) -> None:
    assert _request_id(request("h", "initialize", HELLO | unusual).decode()) is None
    assert _request_id(request(True, "initialize", HELLO).decode()) is None


def test_as_many_collections_are_named_as_fit() -> None:
    message = edition(ANY).instructions
    every = [f'"{"Ünterlagen " * 5}{n}" (1,234 documents)' for n in range(200)]
    text = instructions(message, frozenset(declared()), every)
    assert 1_800 < len(text.encode()) <= 2_000
    shown = text.count(" (1,234 documents)")
    assert 0 < shown < 200
    assert str(200 - shown) in text
    assert " 200." in instructions(message, frozenset(declared()), ['"x"' * 400] * 200)


def test_a_folder_that_cannot_be_read_is_reported(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(self: Library) -> Any:
        raise StorageError("quizzlefrax /x")

    monkeypatch.setattr(Library, "collections", denied)
    (text,) = holdings(library, ANY)
    assert "quizzlefrax /x" in text


def test_lawyers_are_told_their_cases(library: Library) -> None:
    library.create("Acme")
    library.create("Smith v. Jones", edition=LEGAL)
    text = instructions(
        edition(LEGAL).instructions, frozenset(declared(legal_edition())), holdings(library, LEGAL)
    )
    assert '"Smith v. Jones" (0 ' in text
    assert "Acme" not in text
