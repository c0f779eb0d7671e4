"""Kills workers, machines and drivers of an ingest on a cluster, and looks at what is there then.

A cluster of several machines runs on this one. A program takes files in; while it works, one of
its processes, one of the machines, or the program itself is killed, again and again, until it
ends. Then the collection is compared with that of one process: every document once, with the same
passages.

    python -m bench.cluster_kills --files 60 --kills 100
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.records import DEFAULT_PROFILE

KINDS = ("worker", "machine", "driver")
_DRIVER = """
import sys
from casetrack.base.config import load_settings
from casetrack.api.library import Library
library = Library(load_settings(sys.argv[1]))
report = library.get(sys.argv[2]).ingest([sys.argv[3]], engine="ray", on=sys.argv[4])
failed = [o.path + ": " + o.message for o in report.outcomes if o.status == "failed"]
sys.exit("failed: " + "\\n".join(failed) if failed else 0)
"""


def write_files(folder: Path, count: int, random_: random.Random) -> None:
    """Write letters of some pages, and mails with the same file attached."""
    words = "rent notice harbour pump delivery claim invoice contract winter account".split()
    folder.mkdir(parents=True)
    for n in range(count):
        text = "\n\n".join(
            f"Paragraph {k} of letter {n}: " + " ".join(random_.choices(words, k=60))
            for k in range(random_.randint(2, 60))
        )
        if n % 10:
            (folder / f"letter {n:04d}.txt").write_text(text)
        else:
            mail = f"Subject: Letter {n}\nMIME-Version: 1.0\nContent-Type: multipart/mixed; "
            mail += 'boundary="b"\n\n--b\nContent-Type: text/plain\n\nSee below.\n--b\n'
            mail += "Content-Type: text/plain\nContent-Disposition: attachment; "
            mail += f'filename="letter {n}.txt"\n\n{text}\n--b--\n'
            (folder / f"mail {n:04d}.eml").write_text(mail)


def contents(library: Library, name: str) -> dict[str, list[str]]:
    """Return the passages of each document by its path; a document that is there twice, fails."""
    snapshot = library.get(name).workspace.state().snapshot
    paths = [document.path for document in snapshot.documents.values()]
    twice = [path for path, count in Counter(paths).items() if count > 1]
    if twice:
        raise AssertionError(f"there twice: {twice}")
    names = {d.document_id: d.path for d in snapshot.documents.values()}
    found: dict[str, list[str]] = {path: [] for path in paths}
    rows = snapshot.scan(["document_id", "chunk_index", "text"]).to_pylist()
    for row in sorted(rows, key=lambda row: row["chunk_index"]):
        found[names[row["document_id"]]].append(row["text"])
    for document in snapshot.documents.values():
        if len(found[document.path]) != document.chunk_count:
            raise AssertionError(f"{document.path}: {len(found[document.path])} passages")
    return found


class Machines:
    """Some machines on this one: a first that stays, and others that come and go."""

    def __init__(self, others: int) -> None:
        from ray.cluster_utils import Cluster

        os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
        self._cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 1,
                "include_dashboard": False,
                "object_store_memory": 2**28,
            },
        )
        self._others = [self._add() for _ in range(others)]
        self.address = self._cluster.address

    def _add(self) -> Any:
        return self._cluster.add_node(num_cpus=1, object_store_memory=2**28)

    def kill_one(self, random_: random.Random) -> None:
        gone = self._others.pop(random_.randrange(len(self._others)))
        self._cluster.remove_node(gone, allow_graceful=False)
        self._others.append(self._add())

    def workers(self) -> list[psutil.Process]:
        """Return the processes that work for the program: tasks, models, the registrar.

        Not the agents of a machine: Ray ends a machine of which one dies.
        """
        found = []
        for process in psutil.process_iter(["cmdline", "ppid"]):
            title = " ".join(process.info["cmdline"] or ())
            is_agent = title.rstrip().endswith("Agent")
            if title.startswith("ray::") and not is_agent and self._is_ours(process):
                found.append(process)
        return found

    def _is_ours(self, process: psutil.Process) -> bool:
        try:
            return os.getpid() in {parent.pid for parent in process.parents()}
        except psutil.Error:
            return False

    def end(self) -> None:
        self._cluster.shutdown()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--machines", type=int, default=2, help="beside the first, which stays")
    parser.add_argument("--pause", type=float, default=4.0, help="most seconds between two kills")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    random_ = random.Random(given.seed)
    killed: Counter[str] = Counter()
    rounds = 0
    with tempfile.TemporaryDirectory(prefix="casetrack-kills-") as home:
        data, files = Path(home) / "data", Path(home) / "files"
        write_files(files, given.files, random_)
        library = Library(load_settings(data))
        library.create("one", profile=DEFAULT_PROFILE).ingest([files])
        expected = contents(library, "one")
        machines = Machines(given.machines)
        try:
            while killed.total() < given.kills:
                rounds += 1
                name = f"round {rounds}"
                library.create(name, profile=DEFAULT_PROFILE)
                left = given.kills - killed.total()
                killed += one_round(machines, data, name, files, random_, left, given.pause)
                found = contents(library, name)
                if found != expected:
                    lost, more = expected.keys() - found.keys(), found.keys() - expected.keys()
                    print(f"{name}: lost {sorted(lost)}, too many {sorted(more)}", file=sys.stderr)
                    return 1
                library.delete(name)
                print(json.dumps({"rounds": rounds, "killed": dict(killed)}), flush=True)
        finally:
            machines.end()
    return 0


def one_round(
    machines: Machines,
    data: Path,
    name: str,
    files: Path,
    random_: random.Random,
    left: int,
    pause: float,
) -> Counter[str]:
    """Take the files in under kills until that ends well; return what was killed."""
    killed: Counter[str] = Counter()
    # The last drivers are left alone, so that the round comes to an end.
    most = min(left, 8)
    while True:
        command = [sys.executable, "-c", _DRIVER, str(data), name, str(files), machines.address]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as driver:
            while driver.poll() is None:
                time.sleep(random_.uniform(0.5, pause))
                if killed.total() >= most or driver.poll() is not None:
                    continue
                kind = random_.choice(KINDS)
                workers = machines.workers() if kind == "worker" else []
                if kind == "worker" and workers:
                    random_.choice(workers).kill()
                elif kind == "machine":
                    machines.kill_one(random_)
                elif kind == "driver" and killed["driver"] < 3:
                    driver.send_signal(signal.SIGKILL)
                else:
                    continue
                killed[kind] += 1
            said = driver.stderr.read() if driver.stderr else ""
        if driver.returncode == 0:
            return killed
        # All machines have one address here, so that the program may belong to the one that went:
        # Ray ends it then, without a word of Python's, or lets it find out.
        is_silent = "Traceback" not in said and "failed:" not in said
        with_machine = killed["machine"] and (is_silent or "has left the cluster" in said)
        if driver.returncode != -signal.SIGKILL and not with_machine:
            raise AssertionError(f"the program ended with {driver.returncode}: {said[-3000:]}")


if __name__ == "__main__":
    sys.exit(main())
