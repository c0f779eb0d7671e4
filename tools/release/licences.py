"""Licences of the packages of an environment and of the models: listed, and checked.

::

    python -m release.licences --python ENVIRONMENT/bin/python --out THIRD_PARTY.txt
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.base.models.spec import ModelSpec

HERE = Path(__file__).parent
_WITH = re.compile(r" WITH [\w.-]+")
_LOOK = """
import json, sys
from importlib.metadata import distributions
found = []
for each in distributions():
    meta = each.meta
    texts = []
    for file in each.files or ():
        name = file.name.upper()
        if ".dist-info" in str(file) and name.startswith(("LICEN", "COPYING", "NOTICE", "AUTHORS")):
            path = file.locate()
            if path.is_file():
                texts.append([file.name, path.read_text("utf-8", "replace")])
    found.append({
        "name": meta["Name"], "version": meta["Version"], "expression": meta["License-Expression"],
        "word": (meta["License"] or "").strip(),
        "classifiers": [c for c in meta.get_all("Classifier", ()) if c.startswith("License ::")],
        "home": meta["Home-page"] or next(iter(meta.get_all("Project-URL", ())), ""),
        "texts": texts,
    })
json.dump(found, sys.stdout)
"""


@dataclass(frozen=True)
class Library:
    """A package of an environment.

    Attributes
    ----------
    licence
        An SPDX expression; empty if unknown.
    stated
        The licence fields of its metadata.
    texts
        Names and contents of its licence files.
    """

    name: str
    version: str
    licence: str
    stated: str
    home: str
    texts: tuple[tuple[str, str], ...]


def rules() -> dict[str, object]:
    """Return the content of ``licences.toml``."""
    return tomllib.loads((HERE / "licences.toml").read_text("utf-8"))


def libraries(python: Path, /) -> list[Library]:
    """Return the packages of an environment except CaseTrack, by name."""
    done = subprocess.run(
        [python, "-I", "-c", _LOOK], capture_output=True, text=True, encoding="utf-8", check=True
    )
    table = rules()
    packages = {str(raw["name"]).lower(): raw for raw in json.loads(done.stdout)}
    packages.pop("casetrack", None)
    return [_library(raw, table) for _, raw in sorted(packages.items())]


def _library(raw: Mapping[str, object], table: Mapping[str, object]) -> Library:
    classes = [str(each).rpartition(" :: ")[2] for each in raw["classifiers"]]  # type: ignore[attr-defined]
    word = str(raw["word"])
    short = word.splitlines()[0] if word else ""
    fields = [str(raw["expression"] or ""), short, *classes]
    texts = tuple((str(name), str(text)) for name, text in raw["texts"])  # type: ignore[attr-defined]
    name = str(raw["name"])
    return Library(
        name=name,
        version=str(raw["version"]),
        licence=licence_of(name, fields, table),
        stated=", ".join(dict.fromkeys(filter(None, fields))) or "nothing",
        home=str(raw["home"]).rpartition(" ")[2],
        texts=texts,
    )


def licence_of(name: str, fields: Sequence[str], table: Mapping[str, object], /) -> str:
    """Return the SPDX expression for the licence fields of a package; empty if unknown.

    The first known one of the expression, the free text and the classifiers counts.
    """
    words: Mapping[str, str] = table["words"]  # type: ignore[assignment]
    packages: Mapping[str, str] = table["packages"]  # type: ignore[assignment]
    programs: Mapping[str, str] = table["programs"]  # type: ignore[assignment]
    looked_up = packages.get(_plain(name)) or programs.get(_plain(name))
    if looked_up is not None:
        return looked_up
    if fields and fields[0]:
        return fields[0]
    allowed: Sequence[str] = table["allowed"]  # type: ignore[assignment]
    for each in fields[1:]:
        if each in words or each in allowed:
            return words.get(each, each)
    return ""


def _plain(name: str) -> str:
    """Return the one form of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def fits(expression: str, allowed: Iterable[str], /) -> bool:
    """Return whether an SPDX expression is compatible with the licence of CaseTrack.

    Of ``OR`` one part is enough, of ``AND`` all must fit. Exceptions (``WITH``) only allow more.
    """
    known = set(allowed)
    plain = _WITH.sub("", expression).replace("(", " ( ").replace(")", " ) ")
    text = "".join(
        {"AND": " and ", "OR": " or ", "(": "(", ")": ")"}.get(word, str(word in known))
        for word in plain.split()
    )
    if not re.fullmatch(r"(True|False|and|or|[() ])+", text):
        return False
    try:
        return bool(eval(text, {"__builtins__": {}}))  # nothing but True, False, and, or
    except SyntaxError:
        return False


def problems(packages: Iterable[Library], /) -> list[str]:
    """Return why a release with these libraries must not be made."""
    table = rules()
    allowed: Sequence[str] = table["allowed"]  # type: ignore[assignment]
    programs: Mapping[str, str] = table["programs"]  # type: ignore[assignment]
    return [
        f"{each.name} {each.version}: its licence ({each.licence or each.stated}) "
        + ("does not go with the AGPL" if each.licence else "is not known")
        for each in packages
        if not each.licence or not (fits(each.licence, allowed) or _plain(each.name) in programs)
    ]


def model_problems(specs: Iterable[ModelSpec], chosen: Iterable[str], /) -> list[str]:
    """Return the problems of the licences of models.

    *chosen* are the models that are fetched by default.
    """
    allowed: Sequence[str] = rules()["models"]  # type: ignore[assignment]
    usual = set(chosen)
    return [
        f"The model {spec.name} has a licence that is not known: {spec.licence or 'none'}"
        if not spec.is_non_commercial
        else f"The model {spec.name} is fetched by itself, and is for non-commercial use only"
        for spec in specs
        if not fits(spec.licence, allowed) and (not spec.is_non_commercial or spec.name in usual)
    ]


def third_party(packages: Iterable[Library], specs: Iterable[ModelSpec], /) -> str:
    """Return the file that names everything by others, with the texts of their licences."""
    rows = list(packages)
    parts = [
        "Libraries that CaseTrack installs beside itself, with their licences. Below them the",
        "models that it fetches; they are not part of it.",
        "",
        *(f"{each.name} {each.version}: {each.licence}" for each in rows),
        "",
        *(
            f"Model {spec.name} ({spec.published_as or spec.repository}): {spec.licence}"
            + (", for non-commercial use only" if spec.is_non_commercial else "")
            for spec in specs
        ),
    ]
    for each in rows:
        parts += ["", "=" * 100, f"{each.name} {each.version}", each.licence, each.home]
        for name, text in each.texts:
            parts += ["", f"--- {name}", text.rstrip()]
    return "\n".join(parts) + "\n"


def models() -> tuple[list[ModelSpec], list[str]]:
    """Return all models, and the names of those that are fetched by themselves."""
    from casetrack.base.models.catalog import EASY, MODELS, RAPID
    from casetrack.base.models.profiles import find_profile
    from casetrack.base.records import DEFAULT_PROFILE

    usual = [*find_profile(DEFAULT_PROFILE).model_names, *find_profile("multilingual").model_names]
    return [*MODELS, RAPID, EASY], [*usual, RAPID.name]


def main(argv: list[str] | None = None, /) -> int:
    """Write the list; exit code 1 where something does not fit."""
    parser = argparse.ArgumentParser("python -m release.licences", description=__doc__)
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="of what is looked at"
    )
    parser.add_argument("--out", type=Path, help="file to write; without it only the check is made")
    given = parser.parse_args(argv)
    packages = libraries(given.python)
    specs, chosen = models()
    bad = [*problems(packages), *model_problems(specs, chosen)]
    if given.out is not None:
        given.out.write_text(third_party(packages, specs), "utf-8")
    sys.stdout.write("".join(f"Error: {each}.\n" for each in bad))
    sys.stdout.write(f"{len(packages)} libraries and {len(specs)} models looked at.\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
