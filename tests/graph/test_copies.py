"""Copies of one mail in several folders count once in every count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from graph.belonging.mails import mail
from graph.belonging.measure import write

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records.graph import Entity, Event

ADA, BO, CY = (
    "Ada Mossop <ada.mossop@mill.example>",
    "Bo Renner <bo.renner@mill.example>",
    "Cyril Haleworth <cyril.haleworth@hale.example>",
)
OFFER = (
    "The offer for the mill",
    (
        "Dear Bo,\n\nHaleworth Grain Ltd signed the lease of the mill on 12 March 2024 for $48,000 "
        "a year. Cyril Haleworth was there.\n\nAda"
    ),
)
KEYS = (
    "The keys",
    "Dear Cyril,\n\nHaleworth Grain Ltd gets the keys of the mill on 2 May 2024.\n\nBo",
)
LOST = ("Lost", "Dear Ada,\n\nNobody at Tern Ferries GmbH has seen the pallets.\n\nCyril")


def offer(folder: str) -> bytes:
    return mail(ADA, BO, *OFFER, 0, cc=CY, message_id=f"<{folder}-1@mill.example>", folder=folder)


def keys(folder: str) -> bytes:
    # The server has given each of its copies the same id.
    return mail(BO, CY, *KEYS, 24, message_id="<keys@mill.example>", folder=folder)


ONCE = {
    "inbox/1.eml": offer("inbox"),
    "inbox/2.eml": keys("inbox"),
    "inbox/3.eml": mail(CY, ADA, *LOST, 48),
}
THRICE = ONCE | {
    "sent/1.eml": offer("sent"),
    "sent/2.eml": keys("sent"),
    "zz all/1.eml": offer("all"),
    "zz all/2.eml": keys("all"),
}


@pytest.fixture(scope="module", name="both")
def taken(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> list[Collection]:
    folder = tmp_path_factory.mktemp("copies")
    library = Library(replace(load_settings(folder / "data"), models_dir=models_dir))
    made = []
    for name, files in (("once", ONCE), ("thrice", THRICE)):
        made.append(library.create(name))
        made[-1].ingest([write(files, folder / name)])
    return made


Counted = tuple[str, int, int, int]


def counted(entities: Iterable[Entity]) -> list[Counted]:
    return [(e.name, e.mention_count, e.chunk_count, e.document_count) for e in entities]


def dated(events: Iterable[Event]) -> list[tuple[object, ...]]:
    return [(e.value, e.description, e.mention_count, e.document_count) for e in events]


@pytest.mark.slow
def test_what_the_summary_counts_is_that_of_one_folder(both: list[Collection]) -> None:
    once, thrice = (each.map.summary() for each in both)
    actors = [counted(actor.entity for actor in each.key_actors) for each in (once, thrice)]
    # The order of equal counts is open.
    assert sorted(actors[0]) == sorted(actors[1]) != []
    assert sorted(counted(once.entities)) == sorted(counted(thrice.entities)) != []
    assert dated(once.key_dates) == dated(thrice.key_dates) != []


@pytest.mark.slow
def test_all_documents_are_there_and_a_note_says_what_counts_once(both: list[Collection]) -> None:
    once, thrice = (each.map.summary().statistics for each in both)
    assert (once.document_count, thrice.document_count) == (3, 7)
    (note,) = {*thrice.notes} - {*once.notes}
    assert "4" in note


@pytest.mark.sampled(1)
@pytest.mark.parametrize("sort_by", ["mentions", "documents", "name"])
def test_the_list_of_entities_counts_once(both: list[Collection], sort_by: str) -> None:
    once, thrice = (counted(each.map.entities(sort_by=sort_by)) for each in both)
    assert once == thrice
    assert ("Haleworth Grain Ltd", 2, 2, 2) in once


@pytest.mark.slow
def test_the_timeline_counts_once(both: list[Collection]) -> None:
    once, thrice = (each.map.timeline() for each in both)
    assert once.total == thrice.total
    assert dated(once.events) == dated(thrice.events)


@pytest.mark.slow
def test_a_passage_is_met_once(both: list[Collection]) -> None:
    who = ["Cyril Haleworth", "Haleworth Grain Ltd"]
    once, thrice = (each.map.encounters(who) for each in both)
    assert once.total == thrice.total == 2
    assert counted(once.entities) == counted(thrice.entities)


@pytest.mark.slow
def test_every_place_is_still_found(both: list[Collection]) -> None:
    once, thrice = (each.map.find_entity("Haleworth Grain Ltd", limit=None) for each in both)
    assert (once.entity.mention_count, thrice.entity.mention_count) == (2, 2)
    assert (once.total, thrice.total) == (2, 6)
    assert len(thrice.documents) == 6
