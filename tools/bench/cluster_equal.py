"""Holds what a cluster makes of real files against what one process makes of them.

``python -m bench.cluster_equal FOLDER... --files 1000`` takes the same files in twice: by one
process into a folder, and by Ray on this machine into a collection in object storage (moto's S3
over HTTP; ``--here``: in a folder, too, which tells what Ray alone adds). Compared are documents,
passages with all their columns (texts, places, vectors, matrices), every table of the map, and what
searches find; documents have the same ids in both, so that what is alike is ordered alike. Beside
it stand the seconds of the processor that both took, of the whole machine: run it alone.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from bench.licensed import use_pro_license
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.records import DEFAULT_PROFILE
from casetrack.graph.opened import graph_of
from casetrack.ingest import plan
from casetrack.store.sql.views import GRAPH_VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.api.collection import Collection

OF_THEIR_MOMENT = {
    *("revision", "ingested_at", "updated_at", "original_copy", "created_at", "embedded_at"),
    "checksum",
}
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_WIDE = 600


def main() -> int:
    """Take in, compare, print."""
    given = _arguments()
    use_pro_license()
    paths = _chosen(given.folders, given.files, given.seed)
    print(f"{len(paths):,} files, {sum(p.stat().st_size for p in paths) / 1e6:.0f} MB")
    with tempfile.TemporaryDirectory() as room, _s3() as bucket:
        library = Library(load_settings(Path(room)))
        here = library.create("here", profile=DEFAULT_PROFILE)
        at = None if given.here else f"{bucket}/there"
        there = library.create("there", profile=DEFAULT_PROFILE, at=at)
        on_ray = _timed("Ray", lambda: there.ingest(paths, engine="ray", on="local"))
        with _with_ids_of(there):
            ends = [_timed("one process", lambda: here.ingest(paths)), on_ray]
        told = [Counter((o.path, o.status, o.code) for o in report.outcomes) for report in ends]
        failed = _say("outcomes", told[0], told[1])
        one, two = (_rows(collection) for collection in (here, there))
        for name in one:
            failed += _say(name, one[name], two[name])
        failed += _searches(here, there, given.seed)
    return 1 if failed else 0


def _chosen(folders: list[Path], count: int, seed: int) -> list[Path]:
    found = sorted(p for folder in folders for p in folder.rglob("*") if p.is_file())
    random.Random(seed).shuffle(found)
    return sorted(found[:count])


@contextlib.contextmanager
def _s3() -> Iterator[str]:
    """Run a service in a process of its own; yield the address of a bucket."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "ours",
        "AWS_SECRET_ACCESS_KEY": "ours",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "RAY_AUTH_MODE": "disabled",
    }
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
        try:
            for _ in range(100):
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            made = urllib.request.Request(f"http://127.0.0.1:{port}/cases", method="PUT")
            urllib.request.urlopen(made).close()
            yield "s3://cases"
        finally:
            program.terminate()


def _timed(name: str, work: Callable[[], Any]) -> Any:
    before, started = psutil.cpu_times(), time.perf_counter()
    made = work()
    after = psutil.cpu_times()
    # Ray's workers are nice, and so counted apart.
    spent = sum(getattr(after, n, 0) - getattr(before, n, 0) for n in ("user", "system", "nice"))
    taken = time.perf_counter() - started
    counts = Counter(o.status for o in made.outcomes)
    print(f"{name}: {taken:.0f} s, {spent:.0f} s of the processor; {dict(counts)}", flush=True)
    return made


@contextlib.contextmanager
def _with_ids_of(collection: Collection) -> Iterator[None]:
    """Give documents the ids that they have in a collection: what is alike is ordered by ids."""
    documents = collection.workspace.state().snapshot.documents.values()
    ids, real = {d.path: d.document_id for d in documents}, plan.Job

    def job(path: Path, shown: str, facts: Any, document_id: str, previous: Any) -> plan.Job:
        return real(path, shown, facts, ids.pop(shown, document_id), previous)

    plan.Job = job  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        plan.Job = real  # type: ignore[misc]


def _rows(collection: Collection) -> dict[str, Counter[str]]:
    """Return the rows of all tables as text, ids as what they stand for."""
    state = collection.workspace.state()
    snapshot = state.snapshot
    names = {d.document_id: d.path for d in snapshot.documents.values()}
    table = snapshot.scan(snapshot.chunks.schema.names).to_pylist()
    names |= {r["chunk_id"]: f"{names[r['document_id']]}#{r['chunk_index']}" for r in table}

    def text(row: dict[str, Any]) -> str:
        kept = {k: v for k, v in row.items() if k not in OF_THEIR_MOMENT}
        said = json.dumps(kept, default=repr, sort_keys=True)
        said = _ID.sub(lambda found: json.dumps(names.get(found[0], found[0]))[1:-1], said)
        return said if row.get("directed", True) else _either_way(json.loads(said))

    documents = Counter(text(d.as_row()) for d in snapshot.documents.values())
    found = {"documents": documents, "passages": Counter(map(text, table))}
    for view in GRAPH_VIEWS:
        found[view] = Counter(map(text, graph_of(state).table(view).to_pylist()))
    return found


def _some(texts: list[str], seed: int) -> list[str]:
    return random.Random(seed).sample(sorted(texts), min(60, len(texts)))


def _either_way(edge: dict[str, Any]) -> str:
    """Return an edge without direction as text: which end comes first is a matter of its ids."""
    ends = sorted([edge.pop(f"{end}_id"), edge.pop(f"{end}_kind")] for end in ("source", "target"))
    return json.dumps(edge | {"ends": ends, "evidence": sorted(edge["evidence"])}, sort_keys=True)


def _searches(here: Collection, there: Collection, seed: int) -> int:
    """Ask both the same questions in each mode, and compare places and scores."""
    texts = here.workspace.state().snapshot.scan(["text"])["text"].to_pylist()
    words = [re.findall(r"[^\W\d_]{4,}", text) for text in _some(texts, seed)]
    questions = [" ".join(each[:5]) for each in words if len(each) >= 5][:40]
    found: list[Counter[str]] = []
    for collection in (here, there):
        said: Counter[str] = Counter()
        for mode in ("keyword", "semantic", "hybrid"):
            for question in questions:
                results = collection.search(question, mode=mode, limit=10).results
                for result in results:
                    at = f"{result.provenance.document_path} {result.provenance.char_start}"
                    # The last digits of a fused score are those of the order of its sums.
                    said[f"{mode} {question}: {at} {result.score:.12g}"] += 1
        found.append(said)
    return _say(f"results of {3 * len(questions)} searches", *found)


def _say(name: str, one: Counter[Any], two: Counter[Any]) -> int:
    less, more = one - two, two - one
    print(f"{name}: {one.total():,}; differ {max(less.total(), more.total()):,}", flush=True)
    for row, other in zip(sorted(map(str, less)), sorted(map(str, more)), strict=False):
        print(f"   {_apart(row, other)}"[:_WIDE])
    return less.total() + more.total()


def _apart(one: str, other: str) -> str:
    """Return what differs between two rows."""
    try:
        left, right = json.loads(one), json.loads(other)
        apart = {k: (left[k], right.get(k)) for k in left if left[k] != right.get(k)}
        return f"{left.get('path', '')} {apart}"
    except ValueError:
        return f"{one} | {other}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--here", action="store_true", help="Ray takes them into a folder")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
