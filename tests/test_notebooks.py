"""Every notebook runs from top to bottom for a new user without a license, and is kept stripped."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import uuid
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from PIL import Image, ImageColor

from casetrack.base.errors import UsageError
from casetrack.faces.notebook import plots
from casetrack.faces.notebook.tables import marked_changes, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

FOLDER = Path(__file__).parent.parent / "notebooks"
SHOWN = {
    "inspect_collection": ("Exhibit C Condemned Goods.pdf, p. 1",),
    "search_and_sources": ("Master Services Agreement.pdf, p. 7", "data:image/png", "maxsim"),
    "people_and_firms": ("Tidewell Systems Limited",),
    "timeline_and_amounts": ("GBP 318,400", "2024-10-14"),
    "compare_versions": ("amends", "<del", "1,200", "forty-five", "Agreement amended.txt, p. 1"),
    "measure_retrieval": ("nDCG@10", "bm25 + semantic + maxsim + feedback"),
    "bring_your_own_folder": ("Amendment No 1.docx, p. 2, ", "When must an invoice be paid?"),
}
"""Required output of each notebook."""
CELLS = range(11, 16)
LINES, CHARS = 14, 100
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
ABSOLUTE = re.compile(r"(?<![\w.~/])/(?:home|tmp|root|Users|mnt|var|opt|work)/|\b[A-Z]:\\")
RESET = "get_ipython().run_line_magic('reset', '-f')"
QUESTIONS = 12
"""Of 71, in every sixth place: each is asked in six ways."""
OWN = ("Contracts/Amendment No 1.docx", "Board/Board Minutes 2025-03-25.md")

notebooks = pytest.mark.parametrize("name", sorted(SHOWN))


def test_these_are_all_notebooks() -> None:
    assert sorted(p.stem for p in FOLDER.glob("*.ipynb")) == sorted(SHOWN)


# --- as they are kept ----------------------------------------------------------------------


@notebooks
def test_notebook_is_stripped_and_short(name: str) -> None:
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    raw = json.loads(text)
    nbformat.validate(raw)
    assert raw["metadata"] == METADATA
    assert not ABSOLUTE.search(text)
    assert len(raw["cells"]) in CELLS
    assert raw["cells"][0]["cell_type"] == "markdown"
    assert raw["cells"][0]["source"].startswith("# ")
    for cell in raw["cells"]:
        assert not cell["metadata"]
        assert cell["cell_type"] in {"code", "markdown"}
        lines = cell["source"].splitlines()
        assert max(map(len, lines)) <= CHARS
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None), "strip the outputs"
            assert len(lines) <= LINES


@notebooks
def test_the_last_step_says_where_to_go(name: str) -> None:
    last = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4).cells[-1].source
    assert last.startswith("## Where to go next\n")
    named = re.findall(r"`(\S+\.(?:ipynb|md))`", last)
    assert named
    assert [file for file in named if not (page_of(file)).is_file()] == []


def page_of(file: str) -> Path:
    """Return the notebook or documentation page of a link."""
    return (FOLDER.parent if file.startswith("docs/") else FOLDER) / file


# --- as they run ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Ran:
    """The outputs of one notebook."""

    outputs: tuple[Any, ...]

    def of_kind(self, kind: str) -> list[Any]:
        return [o for o in self.outputs if o["output_type"] == kind]

    @property
    def shown(self) -> str:
        printed = [o["text"] for o in self.of_kind("stream")]
        data = [o["data"] for o in self.outputs if "data" in o]
        return "\n".join([*printed, *(d.get("text/html") or d["text/plain"] for d in data)])


def prelude(name: str, home: Path, folder: Path) -> str:
    """Return the code before a notebook: it sets the data folder."""
    own = name == "bring_your_own_folder"
    return f"import os\nos.environ['CASETRACK_HOME'] = {str(folder / 'home' if own else home)!r}"


def code_of(name: str, folder: Path) -> list[str]:
    """Return the code of a notebook, with the one line changed that is the user's, if any."""
    cells = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4).cells
    code = [c.source for c in cells if c.cell_type == "code"]
    mine = {
        "bring_your_own_folder": ("folder", f"Path({str(folder / 'My case')!r})"),
        "measure_retrieval": (
            "questions",
            f"__import__('pathlib').Path({str(folder / 'golden.jsonl')!r})",
        ),
    }
    if name not in mine:
        return code
    what, value = mine[name]
    line = re.compile(rf"^{what} = .*$", re.MULTILINE)
    changed = [line.sub(lambda _: f"{what} = {value}", c, count=1) for c in code[:1]]
    assert changed != code[:1]
    return [*changed, *code[1:]]


def run_all(
    names: list[str], demo_home: Path, models_dir: Path, samples: Path, folder: Path
) -> dict[str, Ran]:
    """Run notebooks in one kernel, emptied in between: the start of one takes seconds."""
    from nbclient import NotebookClient

    (folder / "My case").mkdir()
    for file in OWN:
        shutil.copy(samples / file, folder / "My case")
    lines = (samples.parent / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    some = lines[:: len(lines) // QUESTIONS][:QUESTIONS]
    (folder / "golden.jsonl").write_text("\n".join(some), encoding="utf-8")
    whole, of_cell = nbformat.v4.new_notebook(), []
    for name in names:
        for code in (RESET, prelude(name, demo_home, folder), *code_of(name, folder)):
            whole.cells.append(nbformat.v4.new_code_cell(code, id=uuid.uuid4().hex[:8]))
            of_cell.append(name)
    without = {"CASETRACK_LICENSE", "MPLBACKEND"}
    env = {key: value for key, value in os.environ.items() if key not in without}
    env["CASETRACK_MODELS"] = str(models_dir)
    client = NotebookClient(whole, timeout=120, kernel_name="python3", allow_errors=True)
    client.execute(env=env)
    outputs: dict[str, list[Any]] = {name: [] for name in names}
    for name, cell in zip(of_cell, whole.cells, strict=True):
        outputs[name] += cell.outputs
    return {name: Ran(tuple(each)) for name, each in outputs.items()}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::UserWarning:jupyter_client")
@pytest.mark.parametrize(
    "names",
    [["people_and_firms"], pytest.param(sorted(SHOWN), marks=pytest.mark.slow)],
    ids=["one", "all"],
)
def test_notebooks_run(
    demo_home: Path, models_dir: Path, samples: Path, tmp_path: Path, names: list[str]
) -> None:
    ran = run_all(names, demo_home, models_dir, samples, tmp_path)
    for name in names:
        errors = ["\n".join(o["traceback"]) for o in ran[name].of_kind("error")]
        assert not errors, f"{name}: {errors[0]}"
        shown = ran[name].shown
        warned = [o["text"] for o in ran[name].of_kind("stream") if o["name"] == "stderr"]
        assert not warned, f"{name}: {warned}"
        assert '<svg role="img" aria-label="' in shown, f"{name} shows no chart"
        assert re.search(r"\.\w+, (p\. \d|sheet)", shown), f"{name} shows no citation"
        assert "<progress" not in shown, f"{name} leaves a bar that has not ended"
        missing = [words for words in SHOWN[name] if words not in shown]
        assert not missing, f"{name} does not show {missing}"


# --- the sample case file ------------------------------------------------------------------


@pytest.fixture
def two_samples(tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the sample case file a small one, in a data folder without a model."""
    from casetrack.base.errors import ModelNotFound

    files = tmp_path / "resources" / "files"
    files.mkdir(parents=True)
    shutil.copy(samples / "Board" / "Board Minutes 2025-03-25.md", files)

    def no_model(folder: Path, _progress: object) -> None:
        raise ModelNotFound("mini", folder)

    monkeypatch.setattr("casetrack.base.resources.resource_dir", lambda _name: files.parent)
    monkeypatch.setattr("casetrack.api.models.supplies.fetch", no_model)
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    return files


def test_sample_is_taken_in_once_and_then_kept_up(
    two_samples: Path, tmp_path: Path, samples: Path, free_tier: None
) -> None:
    from casetrack.faces.demo import open_sample

    with pytest.warns(UserWarning, match="models pull"):
        first = open_sample(data_dir=tmp_path / "data")
    assert [d.name for d in first.documents()] == ["Board Minutes 2025-03-25.md"]
    assert first.search("settlement").results
    before = first.documents()[0].ingested_at

    shutil.copy(samples / "Contracts" / "Amendment No 1.docx", two_samples)
    with pytest.warns(UserWarning, match="models pull"):
        again = open_sample(data_dir=tmp_path / "data")
    assert len(again.documents()) == 2
    kept = again.document("Board Minutes 2025-03-25.md")
    assert kept.ingested_at == before


# --- charts --------------------------------------------------------------------------------


def luminance(color: str) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = [v / 255 for v in ImageColor.getrgb(color)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.slow
def test_chart_takes_the_color_of_its_page(messages: Callable[..., None]) -> None:
    chart = plots.bars(["a & b", "c"], [3, 1], title="Pages <of> two", unit="pages")
    drawn = chart._repr_html_()
    assert drawn.startswith('<svg role="img" aria-label="Pages &lt;of&gt; two. ')
    assert "currentColor" in drawn
    assert "#767677" not in drawn
    assert not re.search(r'<g id="|<metadata|<script|<\?xml|fill: ?#fff', drawn)
    assert ">a &amp; b</text>" in drawn
    messages(repr(chart))


def test_saved_chart_has_no_background(tmp_path: Path) -> None:
    chart = plots.bars(["a"], {"one": [2], "two": [-1], "none": [0]}, title="T")
    with Image.open(chart.save(tmp_path / "chart.png")) as image:
        assert image.getpixel((2, image.height // 2))[3] == 0
    assert "<svg" in chart.save(tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert [t.get_text() for t in chart.figure.axes[0].get_legend().get_texts()] == ["one", "two"]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plots.bars([], [], title="T"),
        lambda: plots.bars([], {"one": []}, title="T"),
        lambda: plots.confidence_histogram([], title="T", doubt=0.8),
        lambda: plots.timeline_strip([], title="T"),
        lambda: plots.amount_strip([], title="T"),
        lambda: plots.ablation_dots([], title="T"),
    ],
    ids=["bars", "series", "histogram", "timeline", "amounts", "ablation"],
)
def test_nothing_is_drawn_as_nothing(draw: Callable[[], plots.Plot]) -> None:
    drawn = draw()
    text = repr(drawn).removeprefix("T. ")
    page = drawn._repr_html_()
    assert ">T</text>" in page
    assert f">{text}</text>" in page


def test_names_keep_their_ends_and_are_no_formulas() -> None:
    long = "A_very_long_name_of_a_file_without_any_space_in_it_v2.pdf"
    names = [long, "Fee $5 or $10^6.pdf", "合同.pdf"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = plots.bars(names, [1, 0.5, 2], title="T")._repr_html_()
    assert re.search(r">A_very_long_name_of_a_file_\w*…\w+_v2\.pdf</text>", drawn)
    assert ">Fee $5 or $10^6.pdf</text>" in drawn
    assert ">合同.pdf</text>" in drawn
    assert [f">{value}</text>" in drawn for value in ("1.000", "0.500", "2.000")] == [True] * 3


@pytest.mark.parametrize("sums", [[50_000], [20_000, 90_000], [1, 2e9]])
def test_axis_of_sums_has_few_and_round_numbers(sums: list[float]) -> None:
    drawn = plots.amount_strip([("a", s) for s in sums], title="T", unit="GBP")._repr_html_()
    texts = re.findall(r"<text [^>]*>([^<]*)</text>", drawn)
    numbers = [text for text in texts if text not in {"a", "T", "GBP"}]
    assert 2 <= len(numbers) <= 12
    assert [n for n in numbers if not re.fullmatch(r"[\d.]+( (k|m|bn))?", n)] == []


def test_ablation_says_which_measure_over_how_many_questions(messages: Callable[..., None]) -> None:
    def run(label: str, *scores: float) -> SimpleNamespace:
        by_question = {str(number): {"ndcg@10": score} for number, score in enumerate(scores)}
        return SimpleNamespace(
            label=label, scores=by_question, means={"ndcg@10": sum(scores) / len(scores)}
        )

    one = plots.ablation_dots([run("words", 0.2, 0.4), run("all", 1.0, 0.6)], title="T")
    two = plots.ablation_dots([run("a", 0.5), run("b", 0.5, 0.5)], title="T")
    messages(f"{one!r}\n{two!r}")
    assert len(re.findall(r">[^<]*\b2\b[^<]*95 %[^<]*</text>", one._repr_html_())) == 1


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "matplotlib" else find(name)
    )
    with pytest.raises(UsageError, match="matplotlib") as caught:
        plots.bars(["a"], [1], title="T")
    assert "%pip install matplotlib" in caught.value.hint


def test_answer_of_sql_is_shown_as_a_table(demo: Collection) -> None:
    answer = demo.sql("SELECT name, page_count AS pages FROM documents ORDER BY name")
    shown = table(answer, limit=2)._repr_html_()
    assert {"25", "23"} <= {*re.findall(r"\d+", re.sub("<table.*</table>", "", shown))}
    assert shown.count("<tr>") == 3
    empty = table(answer.slice(0, 0))
    assert empty._repr_html_() == f"<p>{empty!r}</p>"


def test_words_of_strips_and_histograms(messages: Callable[..., None]) -> None:
    days = [("b", "2024-03-01", "2024-03-31"), ("a", "2024-01-05", "2024-01-05")]
    sums = [("x", 12.0), ("y", 9e6), ("z", -1.0)]
    charts = (
        plots.timeline_strip(days, title="T"),
        plots.amount_strip(sums, title="T", unit="pounds"),
        plots.confidence_histogram([0.2, 0.9, 1.0], title="T", doubt=0.8),
    )
    messages("\n".join(chart.alt for chart in charts))


def test_changes_are_marked_word_for_word(demo: Collection) -> None:
    changes = demo.map.changes("Invoice TS-2024-0187.pdf", "Invoice TS-2024-0311.pdf")
    marked = marked_changes(changes, limit=2)
    assert "[-0187-]{+0311+}" in repr(marked)
    assert "Invoice TS-2024-0187.pdf, p. 1, para. 3" in repr(marked)
    drawn = marked._repr_html_()
    assert re.search(r"<del[^>]*>0187</del><ins[^>]*>0311</ins>", drawn)
    assert drawn.count("<blockquote") == 2
