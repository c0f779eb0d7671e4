"""What a server tells its client at the start: what is here, and what to call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import Settings
from casetrack.base.editions import ANY, LEGAL, edition
from casetrack.base.errors import StorageError
from casetrack.base.license.tiers import FREE, UNLIMITED
from casetrack.editions.legal.mcp import legal_edition
from casetrack.faces.mcp.catalogue import choose, declared
from casetrack.faces.mcp.prompts import holdings, instructions
from casetrack.faces.mcp.server import build_server
from casetrack.faces.mcp.session import Session
from casetrack.faces.mcp.specs import SET_NAMES

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


def test_as_many_collections_are_named_as_fit() -> None:
    told = edition(ANY).instructions
    every = [f'"{"Ünterlagen " * 5}{n}" (1,234 documents)' for n in range(200)]
    text = instructions(told, frozenset(declared()), every)
    assert 1_800 < len(text.encode()) <= 2_000
    shown = text.count(" (1,234 documents)")
    assert 0 < shown < 200
    assert str(200 - shown) in text
    assert " 200." in instructions(told, frozenset(declared()), ['"x"' * 400] * 200)


def test_a_folder_that_cannot_be_read_is_told(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(self: Session) -> Any:
        raise StorageError("quizzlefrax /x")

    monkeypatch.setattr(Session, "infos", denied)
    (said,) = holdings(Session(library))
    assert "quizzlefrax /x" in said


def test_lawyers_are_told_their_cases(library: Library) -> None:
    library.create("Acme")
    library.create("Smith v. Jones", edition=LEGAL)
    session = Session(library)
    session.edition = LEGAL
    text = instructions(
        edition(LEGAL).instructions, frozenset(declared(legal_edition())), holdings(session)
    )
    assert '"Smith v. Jones" (0 ' in text
    assert "Acme" not in text
