"""Pipelines of the user's: a file, the copy that a collection keeps, a step from a package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.config import load_settings
from casetrack.errors import PipelineError
from casetrack.library import Library
from fakes import FakeEncoders, NamesByList, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKOUT = Path(__file__).parent.parent.parent
PAGE = (CHECKOUT / "docs" / "pipelines.md").read_text(encoding="utf-8")
SMALL, EXAMPLE, _, ENTRY = (
    re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)[place]
    for kind, place in (("toml", 0), ("python", 0), ("toml", 1), ("toml", 2))
)
TEXT = "The appeal 2021-CV-00017 was heard by Ann Lee on 3 May 2021.\n\n" + "\n\n".join(
    f"Paragraph {n} says that the rent of {n} euros is due. " * 6 for n in range(12)
)
PACKAGE = "casetrack-case-numbers"


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
    (found,) = made.documents()
    assert found.pipeline == "small"
    said = 'Nobody looks for names: the pipeline "small" has no step "names".'
    assert said in made.map.statistics().notes
    # Another program finds it as well.
    opened = Library(library.settings)
    opened.encoders = FakeEncoders(WordEncoder("mini", 384, token_width=384))  # type: ignore[assignment]
    again = opened.get("Small")
    assert again.admin.reindex().documents == 1
    assert again.admin.index_status().ok
    assert again.workspace.state().snapshot.scan(["dense"])["dense"].null_count == 0


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


def test_another_pipeline_for_a_collection(
    library: Library, small: Path, document: Path, tmp_path: Path
) -> None:
    library.encoders = FakeEncoders(WordEncoder("mini", 384, token_width=384))  # type: ignore[assignment]
    made = library.create("C")
    made.ingest([document])
    before = made.stats().chunk_count
    other = write(tmp_path / "other.txt", "A note.")
    report = made.ingest([other], pipeline=small)
    assert any("of 1 document stays until you run `casetrack reindex" in n for n in report.notes)
    assert not [n for n in made.ingest([other], pipeline=small).notes if "pipeline" in n]
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
    with pytest.raises(PipelineError, match=r"Unknown pipeline 'smal'; known: small, standard"):
        library.create("D", pipeline="smal")
    write(folder / "standard.toml", SMALL.replace('"small"', '"standard"'))
    with pytest.raises(PipelineError, match="the name 'standard' of one that comes with"):
        library.create("D", pipeline=folder / "standard.toml")
    # The usual one is not to be had by a file that happens to have its name.
    assert library.create("E").info.pipeline == "standard"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"embed"', '"embd"', r"unknown step 'embd' \(did you mean 'embed'\?\); known: parse"),
        (
            "target_chars",
            "target_char",
            r"no parameter 'target_char' .did you mean 'target_chars'",
        ),
        ("= 800", '= "800"', "target_chars must be a whole number, not '800'"),
        ("= false", "= 0", "shortened must be true or false, not 0"),
        ('"join_entities"', '"join"', "unknown step over the collection 'join'"),
        ('[[step]]\nname = "language"\n', "", "Step 'chunk' needs pages.language, which step 'par"),
        ("[[collection_step]]", "[[colection_step]]", "'colection_step' means nothing in it"),
        ('name = "small"', "name = ", "Cannot read the pipeline file"),
    ],
)
def test_a_broken_file_does_nothing(
    library: Library, small: Path, document: Path, old: str, new: str, message: str
) -> None:
    made = library.create("C")
    assert old in SMALL
    write(small, SMALL.replace(old, new))
    with pytest.raises(PipelineError, match=message):
        made.ingest([document], pipeline=small)
    assert made.info.pipeline == "standard"
    assert not made.documents()
    with pytest.raises(PipelineError, match=message):
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
    plain = standard[: standard.index("# Over all documents")]
    apart = write(tmp_path / "apart.toml", plain.replace('"standard"', '"apart"', 1))
    joined = write(tmp_path / "joined.toml", standard.replace('"standard"', '"joined"', 1))
    made = library.create("C", pipeline=apart)
    made.ingest([tmp_path / "letters"])

    def people() -> list[str]:
        found = made.sql("SELECT name FROM entities WHERE kind = 'person' ORDER BY name")
        names: list[str] = found["name"].to_pylist()
        return names

    assert people() == ["Julian Whitlock", "Mr Whitlock"]
    fingerprints = {d.pipeline_fingerprint for d in made.documents()}
    made.ingest([tmp_path / "letters"], pipeline=joined)
    assert people() == ["Julian Whitlock"]
    # Documents are as they were: only what is over all of them has changed.
    assert {d.pipeline_fingerprint for d in made.documents()} == fingerprints


# --- a step from a package --------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return what runs casetrack in a process of its own, with the packages in ``site``."""

    def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
        paths = os.pathsep.join([str(tmp_path / "site"), str(CHECKOUT)])
        own = {"PYTHONPATH": paths, "CASETRACK_HOME": str(tmp_path / "home")}
        return subprocess.run(
            [sys.executable, "-m", "casetrack", *map(str, words)],
            env=os.environ | own | {"CASETRACK_MODELS": str(tmp_path / "none")},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return call


def wheel_of(tmp_path: Path, source: str, *, version: str = "1.0") -> Path:
    """Make a wheel of the package of the documentation."""
    module, (group, name, target) = PACKAGE.replace("-", "_"), entry_point()
    info = f"{module}-{version}.dist-info"
    files = {
        f"{module}.py": source,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[{group}]\n{name} = {target}\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    wheel = tmp_path / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def install(tmp_path: Path, source: str) -> None:
    """Install the package with pip, without any network."""
    wheel, target_dir = wheel_of(tmp_path, source), str(tmp_path / "site")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--upgrade"]
    pip += ["--disable-pip-version-check", "--root-user-action=ignore", "--target", target_dir]
    subprocess.run([*pip, str(wheel)], check=True)


def entry_point() -> tuple[str, str, str]:
    import tomllib

    found = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (raw,) = [tomllib.loads(t) for t in found if "entry-points" in t]
    ((group, points),) = raw["project"]["entry-points"].items()
    ((name, target),) = points.items()
    assert raw["project"]["name"] == PACKAGE
    return group, name, target


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return what makes the package importable here, as pip would; it is forgotten afterwards."""

    def unpack(source: str) -> None:
        with zipfile.ZipFile(wheel_of(tmp_path, source)) as archive:
            archive.extractall(tmp_path / "site")
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        monkeypatch.delitem(sys.modules, PACKAGE.replace("-", "_"), raising=False)

    return unpack


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """A pipeline with the step of the package."""
    step = '[[step]]\nname = "case_numbers"\nlabel = "case"\n\n[[collection_step]]'
    text = SMALL.replace("[[collection_step]]", step).replace('"small"', '"labelled"')
    return write(tmp_path / "labelled.toml", text)


def test_a_step_from_a_package(
    run: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    labelled: Path,
    document: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(tmp_path, EXAMPLE)
    explained = run("schema", "--pipelines", labelled, "--json")
    assert explained.returncode == 0, explained.stderr
    (step,) = [s for s in json.loads(explained.stdout)["steps"] if s["package"] == PACKAGE]
    assert step["about"] == "Labels every passage that holds a case number."
    assert [(p["name"], p["value"]) for p in step["parameters"]] == [
        ("pattern", r"\b\d{4}-CV-\d{5}\b"),
        ("label", "case"),
    ]
    done = run("ingest", document, "--create", "-c", "C", "--pipeline", labelled)
    assert done.returncode == 0, done.stderr
    asked = run(
        *("query", "-c", "C", "--json"),
        "SELECT labels, count(*) AS n FROM chunks GROUP BY ALL ORDER BY n",
    )
    assert [(r["labels"], r["n"]) for r in json.loads(asked.stdout)] == [(["case"], 1), ([], 5)]
    # Without the package nothing is lost: searching goes on, and ingest says what is missing.
    for path in (tmp_path / "site").glob("casetrack_case_numbers*"):
        path.rename(path.with_name(f"gone_{path.name}").with_suffix(".away"))
    refused = run("ingest", document, "-c", "C", "--force")
    assert refused.returncode == 1
    assert f"of the package '{PACKAGE}', which is not installed here" in refused.stderr
    assert f"pip install {PACKAGE}" in refused.stderr
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "none"))
    kept = Library(load_settings(tmp_path / "home")).get("C")
    assert any("2021-CV-00017" in result.text for result in kept.search("appeal"))
    (told,) = [c for c in kept.admin.doctor().checks if c.name.endswith("pipeline")]
    assert PACKAGE in told.detail
    assert told.remedy is not None
    assert told.remedy.startswith(f"Install it (pip install {PACKAGE})")


def test_a_reindex_runs_only_the_step_that_changed(
    library: Library,
    unpacked: Callable[[str], None],
    tmp_path: Path,
    labelled: Path,
    document: Path,
) -> None:
    unpacked(EXAMPLE)
    models = WordEncoder("mini", 384, token_width=384)
    library.encoders = FakeEncoders(models)  # type: ignore[assignment]
    made = library.create("C", pipeline=labelled)
    made.ingest([document])
    write(labelled, labelled.read_text(encoding="utf-8").replace('"case"', '"docket"'))
    seen = len(models.seen)
    made.ingest([write(tmp_path / "note.txt", "A note.")], pipeline=labelled)
    assert made.admin.index_status().problems == {"stale": 1}
    assert made.admin.reindex().documents == 1
    assert made.admin.index_status().ok
    assert len(models.seen) == seen + 1
    rows = made.workspace.state().snapshot.scan(["labels"])["labels"].to_pylist()
    assert sorted(rows) == [[]] * (len(rows) - 1) + [["docket"]]


BROKEN = {
    "cannot be loaded": (
        "import pyarrow as pa",
        "import pyarrow_of_tomorrow as pa",
        (
            "The step 'case_numbers' of the package 'casetrack-case-numbers' cannot be loaded: "
            "ModuleNotFoundError"
        ),
    ),
    "fails": (
        "found = pc",
        "found = 1 / 0 or pc",
        "The step 'case_numbers' of the package 'casetrack-case-numbers' failed: ZeroDivisionError",
    ),
    "changes the text": (
        "yield batch.append_column(",
        (
            'batch = batch.set_column(batch.schema.get_field_index("text"), "text", '
            'pc.utf8_upper(batch["text"]))\n            yield batch.append_column('
        ),
        "failed: it changed the column 'text', which is not its own",
    ),
    "loses a batch": (
        "            yield batch.append",
        "            if found is None:\n                yield batch.append",
        "failed: it did not give a batch for each that it took",
    ),
    "is no generator": ("yield batch.append", "_ = batch.append", "failed: TypeError"),
    "is no dataclass": ("@dataclass(frozen=True)", "", "cannot be loaded: TypeError: it must be a"),
    "gives another type": (
        "pa.list_(pa.string())",
        "pa.list_(pa.large_string())",
        "its column 'labels' is list<item: large_string>, and must be list<string>",
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_step_names_its_package(
    library: Library,
    unpacked: Callable[[str], None],
    labelled: Path,
    document: Path,
    how: str,
) -> None:
    old, new, message = BROKEN[how]
    assert old in EXAMPLE
    unpacked(EXAMPLE.replace(old, new))
    try:
        # What goes wrong only with a document is told of that document.
        (told,) = library.create("C", pipeline=labelled).ingest([document]).outcomes
        assert told.status == "failed"
        said = told.message
    except PipelineError as error:
        said = error.message
    assert message in said
    assert PACKAGE in said


def test_a_step_that_cannot_be_loaded_stops_nothing_else(
    run: Callable[..., subprocess.CompletedProcess[str]],
    unpacked: Callable[[str], None],
    labelled: Path,
    document: Path,
) -> None:
    old, new, message = BROKEN["cannot be loaded"]
    unpacked(EXAMPLE.replace(old, new))
    done = run("ingest", document, "--create", "-c", "C", "--pipeline", labelled)
    assert done.returncode == 1
    assert message in " ".join((done.stdout + done.stderr).split())
    listed = run("schema", "--pipelines")
    assert listed.returncode == 0, listed.stderr
