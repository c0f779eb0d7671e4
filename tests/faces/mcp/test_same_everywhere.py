"""The same question has the same answer in both eras, as a command, and in every process.

Every reading tool receives the same question over every transport, and the command for the same
question must have the same facts. Only times are left out of the comparison. The additions of
processes, pipes and HTTP, are compared in the slow suite.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.faces.cli.main import main as casetrack
from casetrack.faces.mcp.app import build_server
from casetrack.faces.mcp.catalogue import declared
from casetrack.faces.mcp.session import NO_STATE
from conformance.checks import serving
from same_questions import (
    AGREEMENT,
    INVOICE,
    NAME,
    SHEETS,
    WITHOUT_COMMAND,
    Known,
    failures,
    questions,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp.client import Client

    from same_questions import Question

Found = dict[str, list[dict[str, Any]]]
"""Answers of each transport to every question, in order."""
ROOT = Path(__file__).parents[3]
MODERN, LEGACY = "2026-07-28", "legacy"
HERE, SESSION, PIPE = "in process, stateless", "in process, session", "stdio"
WEB_SESSION, WEB = "HTTP, session", "HTTP, stateless"

REMEMBERING = {"switch_collection"}
"""Tools that use the state of the connection; a stateless one has none."""

TIMES = {"search_time_ms", "seconds", "stage_ms", "remaining_seconds", "uptime_seconds"}
TIMES |= {"memory_used"}  # Each process uses another amount.
_TIME_IN_TEXT = re.compile(r"\d[\d,.]* ?m?s\b|[\d.]+ [MG]B used")

BEGINNINGS = {
    "aliases",
    "chunk_ids",
    "document_ids",
    "documents",
    "evidence",
    "key_actors",
    "key_dates",
    "pinpoint",
    "quotes",
    "rest",
    "relations",
    "shared",
    "topics",
}
"""Lists that a tool shortens to the first entries and the command prints completely."""

ONE_SIDED = {
    "collection",
    "highlight",
    "highlight_omitted",
    "notice",
    "page_image_uri",
    "rank",
    "uri",
}
"""Keys that only one face has next to a quoted passage: addresses are for AI programs."""

ROUNDED = 5.1e-5
"""Numbers that are rounded to four digits."""


@dataclass(frozen=True)
class Place:
    """A data folder that all ways read."""

    home: Path
    models: Path
    known: Known

    @property
    def env(self) -> dict[str, str]:
        """Environment of a process on it."""
        mine = {"CASETRACK_HOME": str(self.home), "CASETRACK_MODELS": str(self.models)}
        return {**os.environ, **mine}

    def library(self) -> Library:
        """Open the library again, as a process would."""
        return Library(load_settings(self.home))


@pytest.fixture(scope="module")
def _environment(models_dir: Path, demo_home: Path, tmp_path_factory: Any) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("same") / "data"
    shutil.copytree(demo_home, home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASETRACK_MODELS", str(models_dir))
        patch.setenv("CASETRACK_HOME", str(home))
        yield home


@pytest.fixture(scope="module")
def place(_environment: Path, models_dir: Path, tmp_path_factory: Any) -> Place:
    """Return the sample case file with a finished job and a watched folder."""
    folder = tmp_path_factory.mktemp("more")
    (folder / "Plan.dwg").write_text("not a document that can be read")
    typed("sync", str(folder))
    typed("watch", "add", str(folder), "--schedule", "manual")
    collection = Library(load_settings(_environment)).get(NAME)
    for make in (collection.map.summary, collection.map.graph):
        make()  # files that are made on first use count in the collection's size
    agreement = collection.read.browse(AGREEMENT, 2, 2)[0]
    people = [e.name for e in collection.map.entities(kind="organization", limit=2)]
    known = Known(
        chunk=agreement.chunk_id,
        cell_chunk=collection.read.browse(SHEETS, 1, 1)[0].chunk_id,
        drawn_chunk=collection.read.browse(INVOICE, 1, 1)[0].chunk_id,
        job=typed("jobs", "list", named=False)[0]["id"],
        names=(people[0], people[1]),
        reference=collection.map.references(limit=1)[0].name,
    )
    return Place(_environment, models_dir, known)


# --- the ways --------------------------------------------------------------------------------


async def _ask(place: Place, way: str, server: Any, mode: str, result: Found) -> None:
    from mcp.client import Client

    async with Client(server, mode=mode) as client:
        result[way] = await _ask_all(client, place.known)


async def _ask_here(place: Place) -> Found:
    """Ask in this process, in both eras."""
    by_name: Found = {}
    for way, mode in ((HERE, MODERN), (SESSION, LEGACY)):
        await _ask(place, way, build_server(place.library()), mode, by_name)
    return by_name


async def _ask_processes(place: Place) -> Found:
    """Ask over all transports at once: each except one has a separate process."""
    from mcp import StdioServerParameters

    by_name: Found = {}
    pipe = StdioServerParameters(
        command=sys.executable, args=["-m", "casetrack", "serve"], env=place.env, cwd=ROOT
    )
    env = place.env | {"PYTHONPATH": str(ROOT), "HOME": str(place.home.parent)}
    with serving(env) as url:
        async with anyio.create_task_group() as group:
            for way, server, mode in (
                (HERE, build_server(place.library()), MODERN),
                (PIPE, pipe, LEGACY),
                (WEB_SESSION, url, LEGACY),
                (WEB, url, MODERN),
            ):
                group.start_soon(_ask, place, way, server, mode, by_name)
    return by_name


async def _ask_all(client: Client, known: Known) -> list[dict[str, Any]]:
    messages = []
    tools = (await client.list_tools()).tools
    forms = {tool.name for tool in tools if "response_format" in tool.input_schema["properties"]}
    for question in [*failures(known), *questions(known)]:
        named = _arguments(question)
        if question.tool in forms:
            # The command line also returns all facts.
            named.setdefault("response_format", "detailed")
        result = await client.call_tool(question.tool, named)
        messages.append(result.model_dump(mode="json", by_alias=True, exclude={"meta"}))
    return messages


def _arguments(question: Question) -> dict[str, Any]:
    """Name the collection: not every way has an active one."""
    takes_none = {
        "list_collections",
        "list_watches",
        "get_job_status",
        "get_status",
        "switch_collection",
    }
    named = {} if question.tool in takes_none else {"collection": NAME}
    return {**question.arguments, **named}


def typed(*command: str, named: bool = True, as_json: bool = True) -> Any:
    """Return the JSON that a command writes in this process."""
    options = [*(["-c", NAME] if named else []), *(["--json"] if as_json else [])]
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(io.StringIO()):
        casetrack([*command, *options])
    return json.loads(text.getvalue()) if as_json else text.getvalue()


# --- tests -----------------------------------------------------------------------------------


def _reading() -> set[str]:
    return {name for name, spec in declared().items() if spec.hints.read_only}


def test_every_reading_tool_is_asked() -> None:
    asked = questions(Known("", "", "", "", ("", ""), ""))
    assert {q.tool for q in asked} == _reading()
    assert {q.tool for q in asked if not q.command} == set(WITHOUT_COMMAND)


@pytest.mark.slow
def test_both_eras_and_the_command_say_the_same(place: Place, subtests: pytest.Subtests) -> None:
    """One test, since asking takes seconds and workers share no fixtures."""
    answers = anyio.run(_ask_here, place)
    with subtests.test("both eras give the same answer"):
        _ways_agree(place.known, answers)
    with subtests.test("commands fail for the same reason"):
        _commands_fail_alike(place.known, answers[HERE])
    with subtests.test("commands say the same"):
        _commands_agree(place.known, answers[HERE])


@pytest.mark.slow
def test_every_process_says_the_same(place: Place) -> None:
    answers = anyio.run(_ask_processes, place)
    assert set(answers) == {HERE, PIPE, WEB_SESSION, WEB}
    _ways_agree(place.known, answers)
    for words in (("search", "late payment", "-k", "3"), ("timeline",)):
        _same_in_a_process(place, *words)


def _ways_agree(known: Known, answers: Found) -> None:
    bad, good = failures(known), questions(known)
    assert [a["isError"] for a in answers[HERE]] == [True] * len(bad) + [False] * len(good)
    different = []
    for way, messages in answers.items():
        for question, local, remote in zip([*bad, *good], answers[HERE], messages, strict=True):
            if way == WEB and question.tool in REMEMBERING:
                assert NO_STATE in remote["content"][0]["text"]
            elif _timeless(local) != _timeless(remote):
                different.append((way, question.tool, question.arguments, _timeless(remote)))
    assert different == []


def _commands_fail_alike(known: Known, message: Sequence[dict[str, Any]]) -> None:
    for question, answer in zip(failures(known), message, strict=False):
        error = _said(question)["error"]
        assert answer["content"][0]["text"].startswith(error["message"])
        assert error["hint"]


def _commands_agree(known: Known, message: Sequence[dict[str, Any]]) -> None:
    different = []
    for question, answer in zip(questions(known), message[len(failures(known)) :], strict=True):
        if question.command:
            compared = Comparison()
            text = question.shaped(_said(question))
            for local, remote in question.same.items():
                compared.add(_at(answer["structuredContent"], local), _at(text, remote), local)
            assert compared.facts, f"nothing to compare: {question}"
            different += [(question.command, line) for line in compared.differences]
    assert different == []


def _same_in_a_process(place: Place, *words: str) -> None:
    """The server in this process must have the same answers as one in a new process."""
    command = [sys.executable, "-m", "casetrack", *words, "-c", NAME, "--json"]
    process = subprocess.run(
        command, cwd=ROOT, env=place.env, capture_output=True, encoding="utf-8", check=True
    )
    assert _without_times(json.loads(process.stdout)) == _without_times(typed(*words))


def test_differences_are_found() -> None:
    compared = Comparison()
    local = {"total": 2, "score": 0.5, "results": [1], "citation": "p. 1", "page": 1}
    compared.add(local, {"total": 3, "score": 0.6, "results": [1, 2], "citation": "p. 1"})
    compared.add({"aliases": ["b"]}, {"aliases": ["a", "b"]})
    messages = {line.partition(":")[0].partition(" ")[0] for line in compared.differences}
    assert messages == {".total", ".score", ".results", ".page", ".aliases.0"}
    compared = Comparison()
    compared.add({"aliases": ["a"], "score": 0.12345}, {"aliases": ["a", "b"], "score": 0.1234})
    assert compared.differences == []


# --- comparing -------------------------------------------------------------------------------


class Comparison:
    """Collects differences between a tool and a command.

    Both must agree on every common fact. In quotations, each must also have every fact of the
    other: no face leaves out text, citation or source.
    """

    def __init__(self) -> None:
        self.facts = 0
        self.differences: list[str] = []

    def add(self, local: Any, remote: Any, where: str = "") -> None:
        """Compare the answer of the tool with that of the command."""
        if isinstance(local, dict) and isinstance(remote, dict):
            self._add_objects(local, remote, where)
        elif isinstance(local, list) and isinstance(remote, list):
            self._add_lists(local, remote, where)
        else:
            self.facts += 1
            if not _equal(local, remote):
                self.differences.append(f"{where}: {local!r} != {remote!r}")

    def _add_objects(self, local: dict[str, Any], remote: dict[str, Any], where: str) -> None:
        if "citation" in local:
            lacking = (local.keys() ^ remote.keys()) - ONE_SIDED
            self.differences += [f"{where}.{name} is on one side only" for name in lacking]
        for name in local.keys() & remote.keys() - TIMES:
            self.add(local[name], remote[name], f"{where}.{name}")

    def _add_lists(self, local: list[Any], remote: list[Any], where: str) -> None:
        shorter = len(local) < len(remote) and where.rpartition(".")[2] in BEGINNINGS
        if len(local) != len(remote) and not shorter:
            self.differences.append(f"{where}: {len(local)} entries != {len(remote)}")
        for number, (one, other) in enumerate(zip(local, remote, strict=False)):
            self.add(one, other, f"{where}.{number}")


def _equal(local: Any, remote: Any) -> bool:
    if isinstance(local, float) and isinstance(remote, float):
        return abs(local - remote) < ROUNDED
    return bool(local == remote)


def _said(question: Question) -> Any:
    unnamed = question.command[:1] in {("jobs",), ("collection",)} and question.command[1] != "info"
    return typed(*question.command, named=not unnamed)


def _at(value: Any, path: str) -> Any:
    for step in filter(None, path.split(".")):
        value = value[int(step) if isinstance(value, list) else step]
    return value


def _timeless(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without times, neither in its structure nor in its text."""
    texts = [_TIME_IN_TEXT.sub("#", block.get("text", "")) for block in answer["content"]]
    rest = [{k: v for k, v in block.items() if k != "text"} for block in answer["content"]]
    structured = _without_times(answer.get("structuredContent"))
    return {"texts": texts, "rest": rest, "structured": structured, "wrong": answer["isError"]}


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_times(v) for k, v in value.items() if k not in TIMES}
    return [_without_times(v) for v in value] if isinstance(value, list) else value
