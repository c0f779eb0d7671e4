"""Every command in the README and in docs runs as it is written there."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.cli.main import main
from casetrack.config import load_settings
from casetrack.library import Library
from casetrack.setup.clients import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKOUT = Path(__file__).parents[1]
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
COMMAND = "casetrack "

NOT_RUN = {
    "casetrack serve": "it waits for its client; tests/mcp and tests/cli/test_serve.py run it",
    "CASETRACK_HTTP_TOKEN": "the same",
    "casetrack models pull standard": "it fetches 600 MB from the model hub",
    'casetrack reindex -c "Project Alpha" --profile standard': "it needs those models",
}
"""Commands that are not run here, by how they begin, and why."""

STANDS_FOR = {
    "Lease.pdf": "Master Services Agreement.pdf",
    "Agreement.pdf": "Master Services Agreement.pdf",
    "Proposal.docx": "Proposal TS-P-2024-017.docx",
    "Notice of Claim.docx": "2024-10-21 Notice of Claim.docx",
    "Lease v1.docx": "Proposal TS-P-2024-017.docx",
    "Lease v2.docx": "Amendment No 1.docx",
    "organization:halyard": "organization:halyard-cold-services",
}
"""What the names on the pages stand for in the sample case file."""


def commands() -> Iterator[tuple[str, str]]:
    """Yield the page and the text of every command, in order."""
    for page in PAGES:
        for block in re.findall(
            r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        ):
            whole = re.sub(r"\n {3,}", " ", block.replace("\\\n", " "))
            for line in whole.splitlines():
                if line.startswith((COMMAND, "CASETRACK_")):
                    yield page.name, line


EXAMPLES = list(commands())


def is_run(line: str) -> bool:
    return not line.startswith(tuple(NOT_RUN))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, demo_home: Path, samples: Path) -> Path:
    """A user's folder: documents, scans, and a data folder with the collection of the pages."""
    home = tmp_path_factory.mktemp("user")
    shutil.copytree(samples / "Board", home / "Projects" / "Alpha")
    shutil.copytree(samples / "Exhibits", home / "work" / "Scans")
    shutil.copytree(demo_home, home / "data")
    Library(load_settings(home / "data")).get("Demo").rename("Project Alpha")
    return home


def runnable(line: str, home: Path) -> list[str]:
    """Return the arguments of a command, with what its names stand for."""
    chunk = Library(load_settings(home / "data")).get("Project Alpha").search("rent", k=1)[0]
    line = re.sub(r"\b[0-9a-f]{8}-\u2026", chunk.provenance.chunk_id, line)
    words = shlex.split(line, comments=True)[1:]
    for name, what in STANDS_FOR.items():
        words = [what if w == name else w.replace(f"'{name}'", f"'{what}'") for w in words]
    return [w.replace("~", str(home), 1) if w.startswith("~") else w for w in words]


def test_examples_are_found() -> None:
    assert len(EXAMPLES) > 40
    assert {page for page, _ in EXAMPLES} >= {"README.md", "mcp.md"}
    for start in NOT_RUN:
        assert [line for _, line in EXAMPLES if line.startswith(start)], f"no example: {start}"


@pytest.mark.slow
def test_every_example_runs(
    place: Path,
    models_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    subtests: pytest.Subtests,
) -> None:
    """In the order of the pages: an example may need what an earlier one has made."""
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("CASETRACK_HOME", str(place / "data"))
    monkeypatch.setenv("CASETRACK_MODELS", str(models_dir))
    monkeypatch.setattr(Machine, "here", lambda: Machine("linux", place, {}))
    monkeypatch.setattr("webbrowser.open", lambda _address: True)
    monkeypatch.chdir(place / "work")
    for page, line in EXAMPLES:
        if not is_run(line):
            continue
        with subtests.test(page=page, line=line):
            code = main(runnable(line, place))
            assert code == 0, capsys.readouterr().err
        # The pages leave -c out while there is one collection.
        library = Library(load_settings(place / "data"))
        for other in library.collections():
            if other.name != "Project Alpha":
                library.delete(other.id)
    capsys.readouterr()
