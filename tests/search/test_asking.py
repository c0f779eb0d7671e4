"""A question is read with the vocabularies, names and notes of its collection and user."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.search.question.vocabularies import OWN, read_vocabulary
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

DOCS = Path(__file__).parents[2] / "docs" / "searching.md"


@pytest.fixture
def fleet(library: Library, store_text: Callable[..., object]) -> Collection:
    collection = library.create("Fleet")
    with write_session(collection.folder) as session:
        store_text(session, "plan.txt", "Carrying capacity is 900 tons.\n\nThe hull is blue.")
        store_text(session, "notes.txt", "The crew is well and the sea is calm.")
    return collection


def write_own(library: Library, name: str, text: str) -> Path:
    folder = library.settings.data_dir / OWN
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def documented() -> str:
    (block,) = re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return str(block)


def names(results: object) -> list[str]:
    return [hit.provenance.document_name for hit in results]


def test_the_documented_vocabulary_is_used_from_the_next_search_on(
    library: Library, fleet: Collection
) -> None:
    assert not names(fleet.search("deadweight", mode="keyword"))
    path = write_own(library, "ships.toml", documented())
    assert len(read_vocabulary(path).terms) == 2
    answer = fleet.search("deadweight", mode="keyword")
    assert names(answer) == ["plan.txt"]
    assert answer.reading is not None
    (other,) = answer.reading.expansions
    assert (other.vocabulary, other.also) == ("ships", ("carrying capacity", "DWT"))
    facts = answer.as_dict(explain=True)["reading"]
    assert facts["expansions"][0]["part"] == {"text": "deadweight", "start": 0, "end": 10}
    assert "reading" not in answer.as_dict()
    assert not names(fleet.search("deadweight", mode="keyword", vocabulary=False))


def test_a_vocabulary_that_is_for_other_documents_is_not_used(
    library: Library, fleet: Collection
) -> None:
    write_own(library, "ships.toml", 'kinds = ["contract"]\n' + documented())
    assert not names(fleet.search("deadweight", mode="keyword"))
    write_own(library, "ships.toml", 'markers = ["hull"]\n' + documented())
    assert names(fleet.search("deadweight", mode="keyword")) == ["plan.txt"]


def test_a_vocabulary_that_cannot_be_read_is_reported_and_the_search_goes_on(
    library: Library, fleet: Collection
) -> None:
    path = write_own(library, "ships.toml", '[[term]]\nname = "keel"\nalso = "spine"\n')
    answer = fleet.search("hull", mode="keyword")
    assert names(answer) == ["plan.txt"]
    (note,) = answer.notes
    assert str(path) in note
    assert " 1" in note
    assert "--no-vocabulary" in note
    assert not fleet.search("hull", mode="keyword", vocabulary=False).notes


@pytest.mark.slow
def test_documents_that_are_named_come_first_and_others_are_still_found(
    stored: Callable[..., Collection],
) -> None:
    weather = "The weather in the north was as it is in most years. " * 40
    reports = {
        f"{firm.upper()}_2020.txt": [
            f"{firm} had {n} ships at sea. The revenue of {firm} was paid in part {n}.\n\n{weather}"
            for n in range(8)
        ]
        for firm in ("Orca", "Tern", "Wagtail")
    }
    collection = stored(reports)
    answer = collection.search("What was the revenue of Tern?", mode="keyword", limit=20)
    assert answer.reading is not None
    assert [n.document for n in answer.reading.named] == ["TERN_2020.txt"]
    first = names(answer)[:8]
    assert set(first) == {"TERN_2020.txt"}
    assert len(set(names(answer))) == 3
    assert answer[0].signals["document"].contribution > 0
    inside = collection.search("revenue of Tern", mode="keyword", document="ORCA_2020.txt")
    assert set(names(inside)) == {"ORCA_2020.txt"}
    assert not inside.reading.named
