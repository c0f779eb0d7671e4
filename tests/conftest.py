"""Fixtures shared by all tests: the corpora, a models folder, a data folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sys
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pyarrow as pa
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from casetrack.api.library import Library
from casetrack.api.models.supplies import fetch
from casetrack.base.config import load_settings
from casetrack.base.records import Document
from casetrack.ingest.assemble import seal
from casetrack.ingest.pipeline import Tools, load_pipeline
from casetrack.parse.workers.messages import page_schema
from kept_workers import kept_workers
from tests.parse.processes import leave_out_others

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.api.collection import Collection
    from casetrack.store.session import WriteSession
    from kept_workers import Stock

CHECKOUT = Path(__file__).parent.parent
pytest_plugins = ["needs", "wings", "wording"]

# A shell that starts programs in the background has them ignore Ctrl-C, and all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Thousands of tests write collections, and every write waits for its disk: memory does not wait.
_MEMORY, _ROOM = Path("/dev/shm"), 6 * 2**30
if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK):
    _disk = os.statvfs(_MEMORY)
    _free = min(_disk.f_bavail * _disk.f_frsize, psutil.virtual_memory().available)
    if _free > _ROOM and not _disk.f_flag & os.ST_NOEXEC:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))
# The duration of an example depends on the load of the machine, not on correctness.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")
# Hundreds of tests start programs; without byte code each of them compiles the package again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare text with a golden file; a missing one fails, and so does writing it."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--regen"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            pytest.fail(f"{path.name} was written; run again without --regen")
        assert path.is_file(), f"golden file {path} is missing; run pytest --regen once"
        assert text == path.read_text(encoding="utf-8")

    return compare


@dataclass(frozen=True)
class Signer:
    """Issuer of license keys that are valid in this test run; *seed* is its private half."""

    seed: bytes
    public_keys: Path

    def key(self, **claims: Any) -> str:
        """Return a key: by default Pro, issued yesterday, without end, offline."""
        from casetrack.base.license.key import Claims
        from release.license_keys import sign

        yesterday = datetime.now(UTC).date() - timedelta(days=1)
        usual = {"tier": "PRO", "serial": 1, "seats": 1, "issued": yesterday, "expires": None}
        return sign(Claims(**(usual | {"offline": True} | claims)), self.seed).text()


@pytest.fixture(scope="session", autouse=True)
def signer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signer]:
    """Give all tests, and the programs that they start, a Pro license; see :func:`free_tier`."""
    from release.license_keys import new_key_pair

    seed, public = new_key_pair()
    made = Signer(seed, tmp_path_factory.mktemp("license") / "public_keys.txt")
    made.public_keys.write_text(f"{public.hex()}  # of this test run\n", encoding="ascii")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASETRACK_LICENSE_PUBLIC_KEYS", str(made.public_keys))
        patch.setenv("CASETRACK_LICENSE", made.key())
        # Servers that tests start fetch nothing by themselves.
        patch.setenv("CASETRACK_OFFLINE", "1")
        yield made


@pytest.fixture(scope="session", autouse=True)
def _kept_workers() -> Iterator[Stock]:
    with kept_workers() as stock:
        yield stock


@pytest.fixture
def own_workers(_kept_workers: Stock) -> Iterator[None]:
    """Let no process that reads files be there but those that the test starts."""
    with _kept_workers.resting():
        leave_out_others()
        yield


@pytest.fixture
def free_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the license: later requests are answered as on the Free tier."""
    monkeypatch.delenv("CASETRACK_LICENSE", raising=False)


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """Return a folder with the models of a fresh installation, from the checkout's cache."""
    home = os.environ.get("CASETRACK_MODELS")
    folder = Path(home) if home else CHECKOUT / ".cache" / "models"
    list(fetch(folder, lambda *_: None))
    return folder


@pytest.fixture(scope="session")
def samples() -> Path:
    """Return the sample case file."""
    return CHECKOUT / "data-samples" / "files"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """Return an empty library without a model, for operations that need none."""
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    return Library(load_settings(tmp_path / "data"))


@pytest.fixture
def library_with_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models_dir: Path
) -> Library:
    """Return an empty library that embeds."""
    monkeypatch.setenv("CASETRACK_MODELS", str(models_dir))
    return Library(load_settings(tmp_path / "data"))


def page_row(text: str, number: int = 1) -> dict[str, object]:
    """Return a row of ``pages`` with the text's own lines; paragraphs are blocks of them."""
    lines, paragraphs, position = [], [], 0
    boxless = dict.fromkeys(("x0", "y0", "x1", "y1", "row", "column_start", "column_end"))
    for block_number, block in enumerate(text.split("\n\n"), start=1):
        start = position
        for line in block.split("\n"):
            place = {"start": position, "end": position + len(line), "number": len(lines) + 1}
            lines.append(place | boxless)
            position += len(line) + 1
        place = {"start": start, "end": position - 1, "number": block_number}
        paragraphs.append(place | {"kind": "body", "level": None})
        position += 1
    return {
        "page": number,
        "page_is_estimated": False,
        "text": text,
        "lines": lines,
        "paragraphs": paragraphs,
        "heading_path": [],
        "extraction_method": "Native",
    }


def store_text(
    session: WriteSession,
    name: str,
    *pages: str | dict[str, object],
    tools: Tools | None = None,
    **facts: Any,
) -> Document:
    """Process page texts, or rows of ``pages``, with the default pipeline and without a file.

    *facts* are values of the document's row, and ``replaces``.
    """
    pipeline = load_pipeline("standard", tools)
    rows = [
        page_row(page, number) if isinstance(page, str) else page
        for number, page in enumerate(pages, start=1)
    ]
    texts = [str(row["text"]) for row in rows]
    batch = pa.RecordBatch.from_pylist(rows, schema=page_schema())
    now, count = datetime.now(UTC), 0
    document_id = facts.get("document_id") or str(uuid.uuid4())
    revision = session.new_revision()
    for chunks in pipeline.run(document_id, iter([batch]), name=name):
        session.append(seal(chunks, revision, count, facts.get("path", f"/files/{name}"), now))
        count += chunks.num_rows
    document = Document(
        document_id=document_id,
        revision=revision,
        name=name,
        path=f"/files/{name}",
        format="txt",
        document_type=None,
        title=None,
        author=None,
        language="en",
        page_count=len(pages),
        pages_without_text=0,
        chunk_count=count,
        char_count=sum(map(len, texts)),
        extraction_method="Native",
        file_hash=hashlib.sha256("".join(texts).encode()).hexdigest(),
        file_size=1,
        file_modified_at=now,
        original_copy=None,
        pipeline="standard",
        pipeline_fingerprint=pipeline.fingerprint,
        warnings=(),
        ingested_at=now,
        updated_at=now,
    )
    replaces = facts.pop("replaces", None)
    document = replace(document, **facts)
    session.finish(document, replaces=replaces)
    return document


@pytest.fixture(name="store_text", scope="session")
def store_text_fixture() -> Callable[..., Document]:
    """Return :func:`store_text`."""
    return store_text


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory, models_dir: Path, samples: Path) -> Path:
    """Return a read-only data folder whose collection "Demo" has the sample case file.

    It is slow to make, so all workers of a run read the same one.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    home, ready = shared / "demo", shared / "demo-is-ready"
    with FileLock(shared / "demo.lock"):
        if not ready.exists():
            shutil.rmtree(home, ignore_errors=True)
            settings = replace(load_settings(home), models_dir=models_dir)
            Library(settings).create("Demo").ingest([samples])
            ready.touch()
    return home


@pytest.fixture(scope="session")
def demo(demo_home: Path, models_dir: Path) -> Collection:
    """Return the collection "Demo" of :func:`demo_home`; do not change it."""
    return Library(replace(load_settings(demo_home), models_dir=models_dir)).get("Demo")
