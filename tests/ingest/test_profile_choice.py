"""A new collection takes the profile that the language of its first files calls for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.ingest.intake import FIRST_FILES
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library

ENGLISH = "The tenant pays the rent every month and keeps the premises in good repair, number {}."
RUSSIAN = "Арендатор платит арендную плату каждый месяц и содержит помещение в порядке, номер {}."
GERMAN = "Der Mieter zahlt die Miete jeden Monat und hält die Räume in gutem Zustand, Nummer {}."


@pytest.fixture
def encoders(library: Library) -> FakeEncoders:
    names = ("mini", "multilingual")
    actual = FakeEncoders(*(WordEncoder(name, 384, token_width=384) for name in names))
    library.encoders = actual  # type: ignore[assignment]
    return actual


def files(folder: Path, *texts: str) -> list[Path]:
    paths = [folder / f"{number:03}.txt" for number in range(len(texts))]
    for number, (path, text) in enumerate(zip(paths, texts, strict=True)):
        path.write_text(text.format(number), encoding="utf-8")
    return paths


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("texts", "profile"),
    [
        ([ENGLISH] * 3 + [RUSSIAN], "mini"),
        ([ENGLISH, GERMAN, RUSSIAN], "multilingual"),
        ([RUSSIAN] * FIRST_FILES + [ENGLISH] * 4, "multilingual"),
        (["12 | 13 | 14"], "mini"),
    ],
)
@pytest.mark.usefixtures("encoders")
def test_the_first_files_choose(
    library: Library, tmp_path: Path, texts: list[str], profile: str
) -> None:
    collection = library.create("Case")
    seen = []
    report = collection.ingest(
        files(tmp_path, *texts), progress=lambda moment: seen.append((moment.done, moment.total))
    )
    assert [o.status for o in report.outcomes] == ["ingested"] * len(texts)
    assert len(report.notes) == (profile != "mini")
    assert library.find("Case").profile == profile
    status = collection.admin.index_status()
    assert not status.problems
    assert sorted(seen) == seen
    assert seen[-1] == (len(texts), len(texts))


@pytest.mark.slow
@pytest.mark.usefixtures("encoders")
def test_what_was_chosen_stays(library: Library, tmp_path: Path) -> None:
    collection = library.create("Chosen", profile="mini")
    assert not collection.ingest(files(tmp_path, RUSSIAN)).notes
    assert library.find("Chosen").profile == "mini"

    collection = library.create("Reindexed")
    collection.admin.reindex("multilingual")
    collection.ingest(files(tmp_path, ENGLISH))
    assert library.find("Reindexed").profile == "multilingual"

    collection = library.create("Later")
    collection.ingest(files(tmp_path, ENGLISH))
    assert not collection.ingest(files(tmp_path, RUSSIAN)).notes
    assert library.find("Later").profile == "mini"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (GERMAN, "de"),
        ("Name: Saqib Razzaq Company: Aspose Phone: 111 Fax: 112 Web: www.aspose.com", None),
    ],
)
@pytest.mark.usefixtures("encoders")
def test_fields_and_addresses_have_no_language(
    library: Library, tmp_path: Path, text: str, language: str | None
) -> None:
    collection = library.create("Case")
    assert not collection.ingest(files(tmp_path, text)).notes or language
    (document,) = collection.documents()
    assert document.language == language


def test_models_that_are_not_there_are_named_with_the_way_to_get_them(
    library: Library, tmp_path: Path
) -> None:
    library.encoders = FakeEncoders(WordEncoder("mini", 384, token_width=384))  # type: ignore[assignment]
    collection = library.create("Case", profile="auto")
    report = collection.ingest(files(tmp_path, RUSSIAN))
    assert library.find("Case").profile == "mini"
    assert "`casetrack models pull multilingual`" in report.notes[0]
    assert "`casetrack reindex --profile multilingual`" in report.notes[0]
    results = collection.search("Кто платит арендную плату")
    assert (results.mode, len(results)) == ("keyword", 1)
