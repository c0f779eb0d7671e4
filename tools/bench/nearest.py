"""Nearest vectors: our own cells beside the vector indexes of Lance, by recall, time and bytes.

``python -m bench.nearest FOLDER --size 200000`` makes what is missing in FOLDER and prints a line
for each way. The vectors are those that the embedded model gives to abstracts of SciFact
(``--texts`` names its folder), brought to size: each is a random mixture of an abstract's vector
and that of one of its nearest neighbours, with a little noise; the questions are SciFact's own.
Every way runs in a process of its own over the same files and the same questions; the ways take
turns, so that a busy machine is no advantage to any. Whoever has the disk cache is whoever ran
last: every question is asked once before it is timed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.store.index.index import Index
    from casetrack.store.index.segment import Segment

    Floats = np.ndarray
    Search = Callable[[Floats, int], list[int]]

DIMENSION, PART, SEED = 384, 65_536, 16
NEIGHBOURS, NOISE = 12, 0.25
QUESTIONS, DEPTHS, PASSES = 100, (10, 100), 3
CHARACTERS = 800
INDEXES: dict[str, dict[str, Any]] = {
    "IVF_PQ": {"num_sub_vectors": 48},
    "IVF_SQ": {},
    "IVF_RQ": {"num_bits": 1},
    "IVF_HNSW_SQ": {},
}
LOOKS = [
    {"nprobes": probes, "refine_factor": refine}
    for probes, refine in ((20, None), (20, 5), (20, 20), (50, 5), (50, 20))
]


def real_vectors(home: Path, texts: Path, count: int, /) -> tuple[Floats, Floats]:
    """Return the vectors of abstracts and of questions, float32 [n, 384]; kept in *home*."""
    if not (home / "questions.npy").exists():
        from casetrack.base.config import load_settings
        from casetrack.models.profile_encoder import load_profile

        encoder = load_profile(load_settings().models_dir, "mini")
        abstracts = [
            f"{r['title']}. {r['text']}"[:CHARACTERS] for r in _lines(texts / "corpus.jsonl")
        ]
        asked = [r["text"] for r in _lines(texts / "queries.jsonl")][:QUESTIONS]
        made = [e.dense for e in encoder.encode_documents(abstracts[:count])]
        np.save(home / "passages.npy", np.stack(made).astype(np.float32))
        questions = np.stack([encoder.encode_query(text).dense for text in asked])
        np.save(home / "questions.npy", questions.astype(np.float32))
    return np.load(home / "passages.npy"), np.load(home / "questions.npy")


def _lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def mixtures(passages: Floats, size: int, /) -> Iterator[Floats]:
    """Yield blocks of unit vectors about the real ones, *size* in all; always the same."""
    near = np.argsort(-(passages @ passages.T), axis=1)[:, 1 : NEIGHBOURS + 1]
    for number, start in enumerate(range(0, size, PART)):
        rng = np.random.default_rng([SEED, number])
        count = min(PART, size - start)
        first = rng.integers(0, len(passages), count)
        second = near[first, rng.integers(0, NEIGHBOURS, count)]
        share = rng.uniform(0.0, 1.0, (count, 1)).astype(np.float32)
        noise = rng.standard_normal((count, DIMENSION), dtype=np.float32) / DIMENSION**0.5
        mixed = share * passages[first] + (1 - share) * passages[second] + NOISE * noise
        yield mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


def prepare(home: Path, passages: Floats, questions: Floats, size: int, /) -> None:
    """Write the vectors for both sides, and which are truly nearest."""
    import lance
    import pyarrow as pa

    from casetrack.store.index.vectors import quantize

    if (home / "truth.npy").exists():
        return
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    best = [np.empty((len(questions), 0), np.float32), np.empty((len(questions), 0), np.int64)]
    layout = pa.schema({"dense": pa.list_(pa.float32(), DIMENSION)})
    for part, block in enumerate(mixtures(passages, size)):
        numbers = np.arange(part * PART, part * PART + len(block))
        dense = pa.FixedSizeListArray.from_arrays(block.ravel(), DIMENSION)
        table = pa.table([dense], schema=layout)
        mode = "append" if part else "create"
        lance.write_dataset(table, home / "lance", mode=mode, enable_stable_row_ids=True)
        codes, scales = quantize(block)
        (home / f"own-{part:03d}").mkdir()
        np.save(home / f"own-{part:03d}" / "dense.npy", codes)
        np.save(home / f"own-{part:03d}" / "scale.npy", scales)
        scores = np.concatenate([best[0], questions @ block.T], axis=1)
        every = np.concatenate([best[1], np.tile(numbers, (len(questions), 1))], axis=1)
        order = np.argsort(-scores, axis=1)[:, : max(DEPTHS)]
        best = [np.take_along_axis(values, order, axis=1) for values in (scores, every)]
    np.save(home / "truth.npy", best[1])


# --- our own -------------------------------------------------------------------------------------


def segments(home: Path, /) -> list[Segment]:
    """Return the vectors as segments that have nothing else."""
    import pyarrow as pa

    from casetrack.store.index.cells import CellFile
    from casetrack.store.index.columns import Strings
    from casetrack.store.index.segment import Segment

    found = []
    for number, folder in enumerate(sorted(home.glob("own-*"))):
        scales = np.load(folder / "scale.npy")
        ids = pa.array([f"{number * PART + n:09d}" for n in range(len(scales))])
        plain = np.zeros(len(scales), np.int16)
        rows = pa.table({"chunk_id": ids, "scale": scales, "embedder": plain})
        starts, lengths = np.array([0, len(scales)]), np.array([0])
        dense = np.load(folder / "dense.npy", mmap_mode="r")
        parts: Any = (rows, None, None, None, dense, Strings.of(ids), CellFile(folder), folder)
        found.append(Segment((f"r{number}",), starts, lengths, (("mini",),), *parts))
    return found


def build_own(home: Path, /) -> None:
    from casetrack.store.index.cells_build import _build_one

    os.nice(19)
    for segment in segments(home):
        assert segment.folder is not None
        _build_one(segment, segment.folder)


def own(home: Path, /, *, approximate: bool) -> Search:
    from casetrack.search.dense import dense_top
    from casetrack.store.index.index import live_index

    made = segments(home)
    index: Index = live_index(made, {f"r{n}": f"d{n}" for n in range(len(made))}, DIMENSION)

    def search(query: Floats, depth: int) -> list[int]:
        places, _ = dense_top(index, query, depth, approximate=approximate)
        return [number * PART + row for number, row in places]

    return search


# --- Lance ---------------------------------------------------------------------------------------


def build_lance(home: Path, kind: str, /) -> None:
    """Make an index over a copy of the dataset that shares its data files."""
    import lance

    os.nice(19)

    target = home / kind
    shutil.copytree(home / "lance", target, copy_function=os.link)
    dataset = lance.dataset(target)
    cells = 2 ** round(float(np.log2(dataset.count_rows() ** 0.5)))
    options = {"num_partitions": cells, "metric": "cosine", **INDEXES[kind]}
    dataset.create_index("dense", kind, **options)


def with_lance(home: Path, kind: str, look: dict[str, Any], /) -> Search:
    import lance

    given = {n: v for n, v in look.items() if v is not None}
    cache = given.pop("cache_mb", None)
    options = {} if cache is None else {"index_cache_size_bytes": cache << 20}
    dataset = lance.dataset(home / kind, **options)

    def search(query: Floats, depth: int) -> list[int]:
        nearest = {"column": "dense", "q": query, "k": depth, **given}
        found = dataset.scanner(columns=["_distance"], nearest=nearest, with_row_id=True).to_table()
        return found["_rowid"].to_pylist()

    return search


# --- measuring -----------------------------------------------------------------------------------


def measured(search: Search, questions: Floats, truth: np.ndarray, depth: int, /) -> dict[str, Any]:
    """Ask every question, once to warm up and then *PASSES* times."""
    started = time.perf_counter()
    search(questions[0], depth)
    first = 1000 * (time.perf_counter() - started)
    found = [search(question, depth) for question in questions]
    shares = {
        top: [
            len(set(f) & set(t)) / top for f, t in zip(found, truth[:, :top].tolist(), strict=True)
        ]
        for top in DEPTHS
        if top <= depth
    }
    took, began = [], time.process_time()
    for _ in range(PASSES):
        for question in questions:
            started = time.perf_counter()
            search(question, depth)
            took.append(1000 * (time.perf_counter() - started))
    cpu = 1000 * (time.process_time() - began) / len(took)
    p50, p95 = statistics.median(took), float(np.quantile(took, 0.95))
    return {f"recall@{t}": round(statistics.mean(s), 4) for t, s in shares.items()} | {
        "p50_ms": round(p50, 2),
        "p95_ms": round(p95, 2),
        "cpu_ms": round(cpu, 2),
        "first_ms": round(first, 1),
    }


def _in_process(task: Callable[..., Any], /, *arguments: Any) -> Any:
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_timed, (task, arguments))


def _timed(task: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    started, began = time.perf_counter(), time.process_time()
    result = task(*arguments)
    facts = {
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_s": round(time.process_time() - began, 1),
        "peak_mb": _memory("VmHWM"),
        "anonymous_mb": _memory("RssAnon"),
    }
    return result, facts


def _memory(name: str) -> int:
    """Return MiB: ``VmHWM`` for the most it ever was, ``RssAnon`` without pages of files."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.split(f"{name}:")[1].split()[0]) // 1024


def _ask(home: Path, kind: str, look: dict[str, Any], depth: int) -> dict[str, Any]:
    questions, truth = np.load(home.parent / "questions.npy"), np.load(home / "truth.npy")
    exact = look.get("exact", False)
    search = own(home, approximate=not exact) if kind == "own" else with_lance(home, kind, look)
    return measured(search, questions, truth, depth)


def _bytes(paths: Iterator[Path]) -> int:
    return sum(p.stat().st_size for p in paths if p.is_file())


def run(home: Path, size: int, kinds: list[str], looks: list[dict[str, Any]], /) -> Iterator[dict]:
    """Build what is missing, ask, and yield a row for each way."""
    for kind in kinds:
        row: dict[str, Any] = {"size": size, "way": kind}
        note = home / f"built-{kind}.json"
        if not note.exists():
            task = (build_own, home) if kind == "own" else (build_lance, home, kind)
            _, facts = _in_process(*task)
            files = (
                home.glob("own-*/cells.bin")
                if kind == "own"
                else home.glob(f"{kind}/_indices/**/*")
            )
            facts["index_mb"] = round(_bytes(files) / 2**20, 1)
            note.write_text(json.dumps(facts), "utf-8")
        yield row | {"build": json.loads(note.read_text("utf-8"))}
    for depth in DEPTHS:
        for look in looks:
            for kind in kinds:
                if kind == "own" and look is not looks[0]:
                    continue
                found, facts = _in_process(_ask, home, kind, look, depth)
                shown = {} if kind == "own" else look
                memory = {name: facts[name] for name in ("peak_mb", "anonymous_mb")}
                yield {"size": size, "way": kind, "limit": depth, **shown, **found, **memory}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path, help="folder for vectors and indexes; made if missing")
    parser.add_argument("--texts", type=Path, default=Path("../../shared/data/scifact"))
    parser.add_argument("--passages", type=int, default=5183, help="abstracts to encode")
    parser.add_argument("--size", type=int, action="append", default=[])
    parser.add_argument("--way", action="append", default=[], choices=["own", *INDEXES])
    parser.add_argument("--look", action="append", default=[], help='JSON, such as {"nprobes": 20}')
    chosen = parser.parse_args()
    chosen.home.mkdir(parents=True, exist_ok=True)
    os.environ["LANCE_LOG"] = "error"
    passages, questions = real_vectors(chosen.home, chosen.texts, chosen.passages)
    looks = [json.loads(look) for look in chosen.look] or LOOKS
    for size in chosen.size or [200_000]:
        home = chosen.home / str(size)
        prepare(home, passages, questions, size)
        for row in run(home, size, chosen.way or ["own", *INDEXES], looks):
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
