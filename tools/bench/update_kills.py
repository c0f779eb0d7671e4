"""Kill updates at any moment: the old version or the new one is there afterwards, and goes on.

A program of a few files is updated to and fro between two versions, by the real package manager and
the real updater, and the whole process group is killed: half of the times at any moment, half of
them while the versions change places.

    python -m bench.update_kills --kills 200
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from casetrack.faces.setup.switching import STAGE
from faces.setup.wheels import content, write_wheel
from release.signing import Signer

VERSIONS = ("0.0.1", "0.0.2")
_SCRIPT = f"#!{sys.executable}\nfrom casetrack.faces.cli.main import run\nrun()\n"
_UPDATE = """
import sys
from pathlib import Path
from casetrack.faces.setup.installation import Installation
from casetrack.faces.setup.update import Place, signers, update
root, kind, version = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
place = Place(root / "site", root / "bin")
update(Installation(kind, "here", sys.executable), version, signers(root / "key.pub"), print,
       place=place)
"""


def main(argv: list[str] | None = None, /) -> int:
    """Do it; exit code 1 where a program was left that is not whole, or cannot go on."""
    parser = argparse.ArgumentParser("python -m bench.update_kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        return _run(Path(folder).resolve(), given.kills, random.Random(given.seed))


def _prepared(root: Path, chance: random.Random) -> None:
    signer = Signer(chance.randbytes(32))
    (root / "key.pub").write_text(signer.public.text())
    for version in VERSIONS:
        write_wheel(root / "index", version, signer=signer)
    for name, data in content(VERSIONS[0]).items():
        path = root / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "bin").mkdir()
    (root / "bin" / "casetrack").write_text(_SCRIPT)


def look(site: Path, /) -> tuple[str, bool]:
    """Return the version that would run, and whether nothing of another one is about.

    Raises
    ------
    OSError
        None would run.
    """
    version = (site / "casetrack" / "version.py").read_text().split('"')[1]
    assert (site / "casetrack" / "__init__.py").is_file()
    facts = [path.name[10:-10] for path in site.glob("casetrack-*.dist-info")]
    return version, facts == [version] and not (site / STAGE).exists()


def _run(root: Path, kills: int, chance: random.Random) -> int:
    _prepared(root, chance)
    site, index = root / "site", str(root / "index")
    kind = "uv" if shutil.which("uv") else "pip"
    env = os.environ | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": index, "PIP_CONFIG_FILE": os.devnull}
    env |= {"UV_NO_INDEX": "1", "UV_FIND_LINKS": index, "UV_LINK_MODE": "copy"}
    env |= {"UV_CACHE_DIR": str(root / "cache")}

    def begin(version: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", _UPDATE, str(root), kind, version],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def ended(version: str) -> None:
        done = begin(version)
        said, _ = done.communicate()
        if done.returncode != 0 or look(site) != (version, True):
            raise SystemExit(f"An update that nobody killed went wrong: {said}")

    started = time.monotonic()
    ended(VERSIONS[1])
    whole = time.monotonic() - started
    seen: Counter[str] = Counter()
    for number in range(kills):
        before, _ = look(site)
        wanted = VERSIONS[before == VERSIONS[0]]
        process = begin(wanted)
        if number % 2:
            time.sleep(chance.uniform(0, whole))
        else:
            while process.poll() is None and not (site / STAGE / "ready").exists():
                time.sleep(0.0002)
            time.sleep(chance.uniform(0, 0.004))
        alive = process.poll() is None
        if alive:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        after, tidy = look(site)
        kind_of = "the new version" if after == wanted else "the old version"
        seen[f"{kind_of}{'' if tidy else ', to be tidied'}" if alive else "not in time"] += 1
        ended(VERSIONS[after == VERSIONS[0]])  # goes on from whatever there is
    for told, count in sorted(seen.items()):
        sys.stdout.write(f"{count:5} {told}\n")
    sys.stdout.write(
        f"{kills} kills by {kind}: one version ran after each, and the next update too\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
