"""Golden texts of messages: the one place where tests have the product's exact wording.

``messages(text)`` compares a text with its section of ``golden/messages/<folder>/<module>.txt``.
A reworded message changes these files only: ``just golden`` rewrites them, and the reviewer reads
the difference. A section is named after its test, its text is indented.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

TESTS = Path(__file__).parent
FOLDER = TESTS / "golden" / "messages"
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def sections(path: Path) -> dict[str, str]:
    """Return the texts of a golden file by the names of their sections."""
    by_name: dict[str, list[str]] = {}
    if path.is_file():
        lines: list[str] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith(" "):
                lines = by_name.setdefault(line, [])
            else:
                lines.append(line[4:])
    return {name: "\n".join(lines).strip("\n") for name, lines in by_name.items()}


def _write(path: Path, name: str, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        texts = sections(path) | {name: text}
        blocks = []
        for title, body in sorted(texts.items()):
            blocks.append("\n".join([title, *(f"    {li}".rstrip() for li in body.splitlines())]))
        path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


@pytest.fixture
def messages(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., None]]:
    """Return ``messages(text, name="", hide={})``, which compares a text with its golden section.

    Paths of the test and of the checkout, the interpreter and ids become placeholders; *hide* maps
    further varying strings to placeholders. *name* distinguishes several texts of one test.
    """
    module = request.path.relative_to(TESTS).with_suffix(".txt")
    path = FOLDER / module.parent / module.name.removeprefix("test_")

    def compare(text: str, name: str = "", *, hide: Mapping[str, str] | None = None) -> None:
        usual = {
            str(tmp_path): "<tmp>",
            sys.executable: "<python>",
            str(TESTS.parent): "<checkout>",
        }
        for old, new in {**(hide or {}), **usual}.items():
            text = text.replace(old, new)
        text = UUID.sub("<id>", text)
        text = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
        section = f"{request.node.name} {name}".strip()
        if request.config.getoption("--regen"):
            _write(path, section, text)
            return
        texts = sections(path)
        assert section in texts, f"{path.name} has no section {section!r}; run `just golden`"
        assert text == texts[section]

    yield compare
    if request.config.getoption("--regen"):
        pytest.fail("golden texts were written; run again without --regen")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regen", action="store_true", help="rewrite golden files; tests that do so then fail"
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--regen``, run the tests with golden files alone."""
    if config.getoption("--regen"):
        items[:] = [i for i in items if {"golden", "messages"} & {*getattr(i, "fixturenames", ())}]
