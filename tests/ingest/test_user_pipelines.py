"""Pipelines of the user's: a file, the copy that a collection keeps, a step from a package."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from casetrack.api.library import Library
from casetrack.base.errors import PipelineError
from casetrack.faces.cli.main import main
from fakes import FakeEncoders, NamesByList, WordEncoder

CHECKOUT = Path(__file__).parent.parent.parent
PAGE = (CHECKOUT / "docs" / "pipelines.md").read_text(encoding="utf-8")
SMALL, EXAMPLE = (
    re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)[place]
    for kind, place in (("toml", 0), ("python", 0))
)
TEXT = "The appeal 2021-CV-00017 was heard by Ann Lee on 3 May 2021.\n\n" + "\n\n".join(
    f"Paragraph {n} says that the rent of {n} euros is due. " * 6 for n in range(12)
)
PACKAGE, MODULE = "casetrack-case-numbers", "casetrack_case_numbers"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The file of the documentation."""
    return write(tmp_path / "small.toml", SMALL)


@pytest.fixture
def document(tmp_path: Path) -> Path:
    return write(tmp_path / "files" / "appeal.txt", TEXT)


@pytest.mark.slow
def test_a_collection_keeps_its_pipeline(library: Library, small: Path, document: Path) -> None:
    made = library.create("Small", pipeline=small)
    small.unlink()
    assert made.info.pipeline == "small"
    assert made.ingest([document]).count("ingested") == 1
    usual = library.create("Usual")
    usual.ingest([document])
    rows = made.workspace.state().snapshot.scan(["char_count", "mentions", "dense"])
    assert max(rows["char_count"].to_pylist()) <= 1000
    assert made.stats().chunk_count > usual.stats().chunk_count
    assert rows["mentions"].null_count == rows.num_rows
    (result,) = made.documents()
    assert result.pipeline == "small"
    (note,) = [n for n in made.map.statistics().notes if '"small"' in n]
    assert '"names"' in note
    # Another program finds it as well.
    opened = Library(library.settings)
    opened.encoders = FakeEncoders(WordEncoder("mini", 384, token_width=384))  # type: ignore[assignment]
    again = opened.get("Small")
    assert again.admin.reindex().documents == 1
    assert again.admin.index_status().ok
    assert again.workspace.state().snapshot.scan(["dense"])["dense"].null_count == 0


@pytest.mark.slow
def test_it_travels_with_an_export(
    library: Library, small: Path, document: Path, tmp_path: Path
) -> None:
    made = library.create("Small", pipeline=small)
    made.ingest([document])
    made.admin.export(tmp_path / "small.ctcollection")
    report = library.import_archive(tmp_path / "small.ctcollection", name="Brought")
    brought = library.get(report.collection)
    assert brought.ingest([document], force=True).count("ingested") == 1
    assert brought.info.pipeline == "small"
    assert [c.name for c in brought.admin.doctor().checks if not c.ok] == []


@pytest.mark.slow
def test_another_pipeline_for_a_collection(
    library: Library, small: Path, document: Path, tmp_path: Path
) -> None:
    library.encoders = FakeEncoders(WordEncoder("mini", 384, token_width=384))  # type: ignore[assignment]
    made = library.create("C")
    made.ingest([document])
    before = made.stats().chunk_count
    other = write(tmp_path / "other.txt", "A note.")
    report = made.ingest([other], pipeline=small)
    assert any("`casetrack reindex" in n for n in report.notes)
    assert not [n for n in made.ingest([other], pipeline=small).notes if "`casetrack reindex" in n]
    assert made.info.pipeline == "small"
    assert made.admin.index_status().problems == {"stale": 1}
    made.admin.reindex()
    assert made.admin.index_status().problems == {"earlier_reading": 1}
    made.admin.reindex(reparse=True)
    assert made.admin.index_status().ok
    assert made.stats().chunk_count > before
    made.ingest([other], pipeline="standard")
    assert made.info.pipeline == "standard"


def test_those_of_the_data_folder_go_by_name(library: Library, document: Path) -> None:
    folder = library.settings.data_dir / "pipelines"
    write(folder / "small.toml", SMALL)
    assert library.create("C", pipeline="small").ingest([document]).count("ingested") == 1
    with pytest.raises(PipelineError, match=r"'smal'.* small, standard"):
        library.create("D", pipeline="smal")
    write(folder / "standard.toml", SMALL.replace('"small"', '"standard"'))
    with pytest.raises(PipelineError, match="'standard'"):
        library.create("D", pipeline=folder / "standard.toml")
    # The usual one is not to be had by a file that happens to have its name.
    assert library.create("E").info.pipeline == "standard"


BROKEN_FILES = {
    "step": ('"embed"', '"embd"'),
    "parameter": ("target_chars", "target_char"),
    "truth": ("= false", "= 0"),
    "step over the collection": ('"join_entities"', '"join"'),
    "missing step": ('[[step]]\nname = "language"\n', ""),
    "table": ("[[collection_step]]", "[[colection_step]]"),
    "syntax": ('name = "small"', "name = "),
}


@pytest.mark.parametrize("how", BROKEN_FILES)
def test_a_broken_file_does_nothing(
    library: Library, small: Path, document: Path, how: str, messages: Callable[..., None]
) -> None:
    old, new = BROKEN_FILES[how]
    made = library.create("C")
    assert old in SMALL
    write(small, SMALL.replace(old, new))
    with pytest.raises(PipelineError) as refused:
        made.ingest([document], pipeline=small)
    messages(refused.value.message, hide={"Invalid value (at line 1, column 8)": "<of TOML>"})
    assert made.info.pipeline == "standard"
    assert not made.documents()
    with pytest.raises(PipelineError):
        library.create("D", pipeline=small)
    assert [c.name for c in library.collections()] == ["C"]


def test_how_names_are_joined_is_a_step(library: Library, tmp_path: Path) -> None:
    class Models(FakeEncoders):
        def names(self, profile: str, /) -> Any:
            return NamesByList(Julian_Whitlock="person", Mr_Whitlock="person", Acme="organization")

    library.encoders = Models(WordEncoder("mini", 384, token_width=384))  # type: ignore[assignment]
    for name, text in {
        "a.txt": "Julian Whitlock wrote to Acme Trading Limited. Acme answered.",
        "b.txt": "Acme Trading Limited paid Mr Whitlock.",
    }.items():
        write(tmp_path / "letters" / name, text)
    standard = (CHECKOUT / "pipelines" / "standard.toml").read_text(encoding="utf-8")
    plain = standard.partition("[[collection_step]]")[0]
    apart = write(tmp_path / "apart.toml", plain.replace('"standard"', '"apart"', 1))
    joined = write(tmp_path / "joined.toml", standard.replace('"standard"', '"joined"', 1))
    made = library.create("C", pipeline=apart)
    made.ingest([tmp_path / "letters"])

    def people() -> list[str]:
        rows = made.sql("SELECT name FROM entities WHERE kind = 'person' ORDER BY name")
        names: list[str] = rows["name"].to_pylist()
        return names

    assert people() == ["Julian Whitlock", "Mr Whitlock"]
    fingerprints = {d.pipeline_fingerprint for d in made.documents()}
    made.ingest([tmp_path / "letters"], pipeline=joined)
    assert people() == ["Julian Whitlock"]
    # Documents are unchanged: only the results over all of them have changed.
    assert {d.pipeline_fingerprint for d in made.documents()} == fingerprints


# --- a step from a package --------------------------------------------------------------------


def entry_point() -> tuple[str, str, str]:
    import tomllib

    matches = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (raw,) = [tomllib.loads(t) for t in matches if "entry-points" in t]
    ((group, points),) = raw["project"]["entry-points"].items()
    ((name, target),) = points.items()
    assert raw["project"]["name"] == PACKAGE
    return group, name, target


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that installs the package like pip; the test removes it afterwards."""

    def unpack(source: str) -> None:
        group, name, target = entry_point()
        write(tmp_path / "site" / f"{MODULE}.py", source)
        info = tmp_path / "site" / f"{MODULE}-1.0.dist-info"
        write(info / "METADATA", f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 1.0\n")
        write(info / "entry_points.txt", f"[{group}]\n{name} = {target}\n")
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        monkeypatch.delitem(sys.modules, MODULE, raising=False)

    return unpack


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """A pipeline with the step of the package."""
    step = '[[step]]\nname = "case_numbers"\nlabel = "case"\n\n[[collection_step]]'
    text = SMALL.replace("[[collection_step]]", step).replace('"small"', '"labelled"')
    return write(tmp_path / "labelled.toml", text)


@pytest.mark.slow
def test_a_step_from_a_package(
    library: Library,
    unpacked: Callable[[str], None],
    tmp_path: Path,
    labelled: Path,
    document: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    unpacked(EXAMPLE)
    assert main(["schema", "--pipelines", str(labelled), "--json"]) == 0
    explained = json.loads(capfd.readouterr().out)
    (step,) = [s for s in explained["steps"] if s["package"] == PACKAGE]
    assert step["about"] in EXAMPLE
    assert [(p["name"], p["value"]) for p in step["parameters"]] == [
        ("pattern", r"\b\d{4}-CV-\d{5}\b"),
        ("label", "case"),
    ]
    library.create("C", pipeline=labelled).ingest([document])
    rows = library.get("C").sql("SELECT labels, count(*) AS n FROM chunks GROUP BY ALL ORDER BY n")
    assert [(r["labels"], r["n"]) for r in rows.to_pylist()] == [(["case"], 1), ([], 5)]
    # Without the package no data is lost: searches work, and ingest names the missing package.
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p != str(tmp_path / "site")])
    monkeypatch.delitem(sys.modules, MODULE)
    kept = Library(library.settings).get("C")
    with pytest.raises(PipelineError, match=PACKAGE) as refused:
        kept.ingest([document], force=True)
    assert f"pip install {PACKAGE}" in refused.value.hint
    assert any("2021-CV-00017" in result.text for result in kept.search("appeal"))
    (messages,) = [c for c in kept.admin.doctor().checks if c.name.endswith("pipeline")]
    assert PACKAGE in messages.detail
    assert f"pip install {PACKAGE}" in str(messages.remedy)


BROKEN = {
    "cannot be loaded": (
        "import pyarrow as pa",
        "import pyarrow_of_tomorrow as pa",
        "ModuleNotFoundError",
    ),
    "fails": ("matches = pc", "matches = 1 / 0 or pc", "ZeroDivisionError"),
    "changes the text": (
        "yield batch.append_column(",
        (
            'batch = batch.set_column(batch.schema.get_field_index("text"), "text", '
            'pc.utf8_upper(batch["text"]))\n            yield batch.append_column('
        ),
        "'text'",
    ),
    "loses a batch": (
        "            yield batch.append",
        "            if found is None:\n                yield batch.append",
        "'case_numbers'",
    ),
    "is no generator": ("yield batch.append", "_ = batch.append", "TypeError"),
    "is no dataclass": ("@dataclass(frozen=True)", "", "TypeError"),
    "gives another type": (
        "pa.list_(pa.string())",
        "pa.list_(pa.large_string())",
        "'labels' is list<item: large_string>",
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_step_names_its_package(
    library: Library, unpacked: Callable[[str], None], labelled: Path, document: Path, how: str
) -> None:
    old, new, fact = BROKEN[how]
    assert old in EXAMPLE
    unpacked(EXAMPLE.replace(old, new))
    try:
        # An error of one document is reported for that document.
        (message,) = library.create("C", pipeline=labelled).ingest([document]).outcomes
        assert message.status == "partial"
        text = message.message
    except PipelineError as error:
        text = error.message
    assert fact in text
    assert PACKAGE in text


def test_a_step_that_cannot_be_loaded_stops_nothing_else(
    unpacked: Callable[[str], None], capfd: pytest.CaptureFixture[str]
) -> None:
    old, new, _ = BROKEN["cannot be loaded"]
    unpacked(EXAMPLE.replace(old, new))
    assert main(["schema", "--pipelines", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)
