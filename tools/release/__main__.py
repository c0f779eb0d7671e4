"""``python -m release``: make a release, and check the result.

Builds from the last commit, in a room that cannot see the checkout: wheel, source archive, bundles
for Claude Desktop, the list of contents (CycloneDX), third-party licences, notes, checksums; and
signatures if there is a key. Everything is built twice and must be identical to the byte. The
result is then installed into an empty environment and does its main job.

``--dry-run`` does all steps that need no credentials, and reports the skipped ones.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from release import licences
from release.license_keys import VendorError
from release.room import Clock, Room, StepFailed
from release.signing import Signer
from release.wheel import read_wheel, sums, write_wheel

CHECKOUT = Path(__file__).resolve().parents[2]
_HERE = Path(__file__).parent
_UNREACHED = re.compile(
    r"ConnectionError|Max retries|resolve|timed out|ServiceError|HTTPError|not found on PyPI"
)


class Refused(Exception):
    """No release can be made; the message has the reason."""


def main(argv: list[str] | None = None, /) -> int:
    """Make a release; exit code 1 if a check fails."""
    given = _arguments(argv)
    clock = Clock()
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        room = Room(Path(folder).resolve(), CHECKOUT)
        try:
            _made(given, room, clock)
        except (Refused, StepFailed, VendorError) as error:
            sys.stderr.write(f"Error: {error}\n")
            return 1
    return 0


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m release", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=CHECKOUT / "dist", help="folder; dist by default"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="a rehearsal: needs no key and no tag"
    )
    parser.add_argument("--key", type=Path, help="file of the private key that signs")
    parser.add_argument("--no-demo", action="store_true", help="install, but fetch no models")
    return parser.parse_args(argv)


def _made(given: argparse.Namespace, room: Room, clock: Clock) -> None:
    version = _version()
    signer = Signer.read(given.key) if given.key else None
    left_out = _ready(version, signer, given.dry_run)
    clock.say(f"CaseTrack {version}, from the last commit")
    if not room.hides:
        left_out.append("the checkout could not be hidden from what was installed")
    tools = room.environment_of("tools")
    constraints = CHECKOUT / ".ci" / "constraints.txt"
    room.run(
        *(tools / "pip", "install", "-q", "-c", constraints, "-r", _HERE / "requirements.txt"),
        PIP_DISABLE_PIP_VERSION_CHECK="1",
    )
    clock.say("tools are there")
    first, second = (_built(room, tools, name, signer) for name in ("first", "second"))
    app = room.root / "app"
    python = _installed(room, tools, app, next(first.glob("*.whl")), constraints, clock)
    for folder, source in ((first, "first-source"), (second, "second-source")):
        _bundles(room, python, room.root / source, folder)
        _listed(room, tools, python, folder, version)
    _same(first, second)
    clock.say("built twice, the same to the byte")
    _checked(room, tools, python, given.dry_run, left_out, clock)
    if not given.no_demo:
        _shown(room, app / "bin" / "casetrack", clock)
    given.out.mkdir(parents=True, exist_ok=True)
    _finished(first, given.out, version, signer)
    for path in sorted(first.iterdir()):
        clock.say(f"{path.name}: {path.stat().st_size:,} bytes")
    for each in left_out:
        clock.say(f"not done: {each}")


def _version() -> str:
    return (CHECKOUT / "casetrack" / "version.py").read_text("utf-8").split('"')[-2]


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=CHECKOUT, capture_output=True, check=True).stdout


def _ready(version: str, signer: Signer | None, dry: bool) -> list[str]:
    """Check the conditions of a release; return those that a rehearsal ignores."""
    changes = _git("status", "--porcelain").decode().splitlines()
    tag = os.environ.get("GITHUB_REF_NAME", "")
    lacking = []
    if changes:
        lacking.append(f"{len(changes)} changes are not committed, and not in it")
    if tag != f"v{version}":
        lacking.append(f"no tag v{version} was named by GITHUB_REF_NAME")
    if signer is None:
        lacking.append("it is not signed: no --key")
    else:
        trusted = (CHECKOUT / "casetrack/faces/setup/release_keys.txt").read_text("utf-8")
        if signer.public.text() not in trusted:
            lacking.append("its signer's key is not in casetrack/faces/setup/release_keys.txt")
    if f"## {version}" not in (CHECKOUT / "CHANGELOG.md").read_text("utf-8"):
        lacking.append(f"CHANGELOG.md has no part about {version}; its first part stands for it")
    if lacking and not dry:
        raise Refused("; ".join(lacking) + ".")
    return lacking


def _built(room: Room, tools: Path, name: str, signer: Signer | None) -> Path:
    """Build wheel and source archive from the last commit, in a separate folder."""
    source, out = room.root / f"{name}-source", room.root / f"{name}-out"
    source.mkdir()
    archive = room.root / f"{name}.tar"
    archive.write_bytes(_git("archive", "--format=tar", "HEAD"))
    shutil.unpack_archive(archive, source, filter="data")
    moment = _git("log", "-1", "--format=%ct").decode().strip()
    made = ("build", "-d", out, "-t", "sdist", "-t", "wheel")
    room.run(tools / "hatchling", *made, cwd=str(source), SOURCE_DATE_EPOCH=moment, hidden=True)
    (wheel,) = out.glob("*.whl")
    write_wheel(wheel, read_wheel(wheel), signer)
    return out


def _installed(
    room: Room, tools: Path, app: Path, wheel: Path, constraints: Path, clock: Clock
) -> Path:
    """Install the wheel, and nothing that the checkout has, into an empty environment."""
    python = app / "bin" / "python"
    pinned = room.root / "constraints.txt"
    shutil.copyfile(constraints, pinned)
    base = Path(sys.base_prefix) / "bin" / "python3"
    room.run(tools / "uv", "venv", "-q", "--python", base, app)
    words = ("pip", "install", "-q", "--python", python, "-c", pinned, wheel)
    room.run(tools / "uv", *words, hidden=True)
    version = room.run(app / "bin" / "casetrack", "--version", hidden=True).strip()
    size = sum(p.lstat().st_blocks for p in app.rglob("*")) * 512 / 2**20
    clock.say(f"{version} is installed: {size:,.0f} MB")
    return python


def _bundles(room: Room, python: Path, source: Path, out: Path) -> None:
    for words in ((), ("--edition", "legal")):
        made = ("-m", "release.bundle", "--out", out, *words)
        room.run(
            python, *made, cwd=str(source), PYTHONPATH=f"{source}:{source / 'tools'}", hidden=True
        )
    for path in out.glob("*.mcpb.sha256"):
        path.unlink()  # one list holds all


def _listed(room: Room, tools: Path, python: Path, out: Path, version: str) -> None:
    """Write the list of contents, the third-party licences and the notes."""
    listing = out / f"casetrack-{version}.cdx.json"
    made = ("environment", "--output-reproducible", "--sv", "1.6", "-o", listing, python)
    room.run(tools / "cyclonedx-py", *made)
    listing.write_text(_placeless(listing.read_text("utf-8"), room.root), "utf-8")
    libraries, (specs, _) = licences.libraries(python), licences.models()
    (out / "THIRD_PARTY.txt").write_text(licences.third_party(libraries, specs), "utf-8")
    (out / "NOTES.md").write_text(_notes(version), "utf-8")
    whole = {p.name: p.read_bytes() for p in out.iterdir() if not p.name.startswith("SHA256SUMS")}
    (out / "SHA256SUMS").write_bytes(sums(whole))


def _placeless(text: str, root: Path) -> str:
    """Return a list without the folders of this room, so that it has no paths of the machine."""
    components = json.loads(text)
    for each in components.get("components", ()):
        kept = [r for r in each.pop("externalReferences", ()) if str(root) not in r["url"]]
        each.update({"externalReferences": kept} if kept else {})
    return json.dumps(components, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _notes(version: str) -> str:
    """Return the part of the changes that is about this version, else the first one."""
    parts = re.split(r"^## ", (CHECKOUT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)[
        1:
    ]
    part = next((p for p in parts if p.startswith((version, f"[{version}]"))), parts[0])
    return f"## {part.strip()}\n"


def _same(first: Path, second: Path) -> None:
    a, b = (
        {p.name: hashlib.sha256(p.read_bytes()).digest() for p in x.iterdir()}
        for x in (first, second)
    )
    other = sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))
    if other:
        raise Refused(f"Built twice, these are not the same: {', '.join(other)}")


def _checked(
    room: Room, tools: Path, python: Path, dry: bool, left_out: list[str], clock: Clock
) -> None:
    """Refuse a release with a licence that does not fit, or with a flaw that is known."""
    libraries = licences.libraries(python)
    bad = [*licences.problems(libraries), *licences.model_problems(*licences.models())]
    if bad:
        raise Refused("; ".join(bad))
    clock.say(f"licences of {len(libraries)} libraries go with ours")
    frozen = room.root / "frozen.txt"
    frozen.write_text("".join(f"{each.name}=={each.version}\n" for each in libraries), "utf-8")
    # Strict: a library that the list does not know of is no library without flaws.
    audit = ("--strict", "--no-deps", "--disable-pip", "--progress-spinner", "off", "-r", frozen)
    try:
        output = room.run(tools / "pip-audit", *audit)
    except StepFailed as error:
        if not _UNREACHED.search(str(error)) or not dry:
            raise Refused(f"Known flaws were looked for: {error}") from None
        left_out.append("known flaws were not looked for: their list cannot be reached from here")
    else:
        clock.say(f"known flaws: {output.strip() or 'none'}")


def _shown(room: Room, program: Path, clock: Clock) -> None:
    """Run the main job of the installed program: fetch a model, read files, answer a question."""
    started = Clock()
    output = room.run(program, "demo", hidden=True)
    if not re.search(r"\bp(age|\.) ?\d+", output):
        raise Refused("The demonstration gave no answer with a page.")
    started.say("of these for the demonstration, from models to cited answers")
    clock.say("the demonstration answers with its sources")


def _finished(made: Path, out: Path, version: str, signer: Signer | None) -> None:
    if signer is not None:
        text = signer.signed((made / "SHA256SUMS").read_bytes(), f"casetrack {version}")
        (made / "SHA256SUMS.minisig").write_text(text, "utf-8")
    for path in made.iterdir():
        shutil.copyfile(path, out / path.name)


if __name__ == "__main__":
    sys.exit(main())
