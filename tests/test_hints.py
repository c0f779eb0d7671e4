"""Wrong calls of every operation on every face: errors name only objects of that face."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_origin

import anyio
import pytest
import typer
from mcp.client import Client

import casetrack
from casetrack.api.library import Library
from casetrack.api.operation import Argument, arguments_of, called
from casetrack.api.operations import operations
from casetrack.base.config import Settings
from casetrack.base.editions import ANY, LEGAL
from casetrack.base.errors import CaseTrackError, See, UsageError
from casetrack.base.license.tiers import FREE
from casetrack.editions.context.cli.main import app as ctx_app
from casetrack.editions.context.cli.main import main as ctx_main
from casetrack.editions.context.home import ContextHome
from casetrack.editions.context.mcp import context_edition
from casetrack.editions.legal.mcp import legal_edition
from casetrack.faces.cli.main import app, main
from casetrack.faces.mcp.app import server_for
from casetrack.faces.mcp.catalogue import any_collection, choose, declared
from casetrack.faces.mcp.session import Session
from casetrack.faces.window.pages import PAGES
from faces.window.conftest import text_of, visitor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COMMANDS: dict[str, Any] = {
    "casetrack": typer.main.get_command(app),
    "ctx": typer.main.get_command(ctx_app),
}
EVERYWHERE = {"--data-dir", "--license", "--config", "--help"}
NOT_CALLED = {
    "browse": "serves until it ends",
    "serve": "serves until it ends",
    "watch run": "serves until it ends",
    "setup": "changes settings of other programs",
    "uninstall": "changes settings of other programs",
    "update": "asks a package index",
    "models pull": "asks a model hub",
    "demo": "makes a collection",
    "query": "opens a prompt",
    "completion": "changes settings of the shell",
    "shards build": "needs a cluster",
}
"""Commands that the test does not call, and why."""
DAYS = {"start_date": "2025", "end_date": "2024", "since": "2025", "until": "2024"}
WRONG: tuple[dict[str, Any], ...] = (
    {},
    {"collection": "Nowhere", "case": "Nowhere", "collection_name": "Nowhere"},
    {"collection": "Empty", "case": "Empty", "mode": "semantic"},
    {"collection": "Closed", "case": "Closed", "collection_name": "Closed", "confirm": True},
    {**DAYS, "min_value": 5, "max_value": 3, "start_page": 5, "end_page": 3},
    {"start_date": "yesterday", "since": "yesterday", "min_similarity": 1, "ocr": "easyocr"},
    {"document_name": "Notes.txt", "file_path": "{file}", "path": "{file}", "sql": "SELECT x"},
    {"limit": 10**9, "top_k": -1, "kind": "nothing", "sort_by": "nothing"},
)
VALUES = {"string": "Nowhere", "integer": 3, "number": 0.9, "boolean": False, "array": ["A", "B"]}


@pytest.fixture
def several(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Collections with a little, nothing, and one that is closed; no model is installed."""
    root = tmp_path_factory.mktemp("several")
    settings = Settings(data_dir=root / "data", models_dir=root / "models")
    library = Library(settings, tier=FREE)
    (root / "Notes.txt").write_text("The rent is due on 1 May 2024 to Ann Lee.", encoding="utf-8")
    library.create("Acme").ingest([root / "Notes.txt"])
    library.create("Empty")
    library.create("Closed").admin.close()
    return library


def options(names: list[str], program: str) -> set[str] | None:
    """Return the options of a command; ``None`` where there is no such command."""
    command = COMMANDS[program]
    for name in (name for name in names if not name.startswith("-")):
        if not hasattr(command, "commands"):
            break
        command = command.commands.get(name)
        if command is None:
            return None
    return EVERYWHERE.union(*([*p.opts, *p.secondary_opts] for p in command.params))


def bad_commands(text: str) -> Iterator[str]:
    """Yield the commands of a text that do not exist or have other options."""
    for program, line in re.findall(r"`(casetrack|ctx) ([^`]+)`", text):
        bare = re.sub(r"--data-dir\s+\S+", "", line)
        words = re.sub(r'"[^"]*"|\'[^\']*\'', "X", bare).split()
        known = options(words, program)
        if known is None or {w.partition("=")[0] for w in words if w.startswith("-")} - known:
            yield line


def every_command(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from every_command(below, f"{path} {name}")


@pytest.mark.parametrize("program", COMMANDS)
def test_each_argument_has_a_plain_name_and_a_help_text(program: str) -> None:
    """Typer adds brackets and dots, and shows a type if there is no name."""
    bad = [
        f"{path}: {p.name}"
        for path, command in every_command(COMMANDS[program], program)
        for p in command.params
        if not p.help or re.search(r"^\[|\.\.\.", p.metavar or "")
    ]
    assert bad == []


def plain(text: str) -> str:
    """Return a text without quotations and commands."""
    text = re.sub(r"`(?:casetrack|ctx) [^`]+`|(?:casetrack|ctx) [a-z].*", " ", text)
    return re.sub(r'"[^"]*"|“[^”]*”|\'[^\']*\'', " ", text)


def bad_in_shell(text: str, called: list[str], program: str) -> list[str]:
    """Return the options and commands in a text that the command line lacks."""
    rest = plain(text)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest)) - (options(called, program) or set())
    words = (PARAMETERS | EVERY_TOOL) & set(re.findall(r"\b\w+_\w+\b", rest))
    return [*bad_commands(text), *incomplete(text, called, program), *named, *words]


def incomplete(text: str, called: list[str], program: str) -> Iterator[str]:
    """Yield the commands of a hint that lack an argument, or the collection of the call."""
    for line in re.findall(rf"`{program} ([^`]+)`", text):
        command, words = COMMANDS[program], re.sub(r'"[^"]*"|\'[^\']*\'', "X", line).split()
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        needed = any(p.param_type_name == "argument" and p.required for p in command.params)
        if needed and not any(not word.startswith("-") for word in words):
            yield f"no argument: {line}"
        if called.count("-c") == 1 and "-c" in {o for p in command.params for o in p.opts} - {
            *words
        }:
            yield f"no collection: {line}"


def bad_in_mcp(text: str, tool: Any, catalogue: Any) -> list[str]:
    """Return the tools and parameters in a result that the server lacks."""
    problems = list(bad_commands(text))
    for sentence in re.split(r"(?<=[.!?])\s+|\n", text):
        rest = plain(sentence)
        words = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", rest))
        problems += ["internal error"] * ("internal error" in sentence)
        tools = words & EVERY_TOOL
        problems += tools - catalogue.usable() - {tool.name}
        fields = {f for n in {*tools, tool.name} for f in _fields(catalogue, n)}
        problems += (words & PARAMETERS) - fields - tools
        if tools == {tool.name} and not re.search(r":|with|failed|again|\bby\b", rest):
            problems.append(f"itself: {sentence}")
        problems += re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest)
        if re.search(r"`(casetrack|ctx) ", sentence) and not re.search(r"\b[Uu]ser\b", sentence):
            problems.append(sentence)
    return problems


def _fields(catalogue: Any, name: str) -> list[str]:
    tool = catalogue.get_tool(name)
    return [] if tool is None else _names(tool.parameters)


def _names(schema: dict[str, Any]) -> list[str]:
    fields = schema.get("properties", {})
    return [*fields, *(n for field in fields.values() for n in _names(field))]


def _parameters() -> set[str]:
    nothing = Library(Settings(Path("none"), Path("none")))
    everything = [server_for(Session(nothing), None, e) for e in (None, legal_edition())]
    actual = {n for s in everything for t in s.catalogue.list_tools() for n in _names(t.parameters)}
    return {name for name in actual if "_" in name}


EVERY_TOOL = frozenset({*declared(), *declared(legal_edition())})
PARAMETERS = _parameters()


def arguments(schema: dict[str, Any], given: dict[str, Any], file: Path) -> dict[str, Any]:
    """Return arguments of a tool: the given ones that it has, and something for the others."""
    fields = schema["properties"]
    needed = {
        name: fields[name].get("enum", [VALUES.get(fields[name].get("type", ""), "Nowhere")])[0]
        for name in schema.get("required", ())
    }
    known = {k: str(file) if v == "{file}" else v for k, v in given.items() if k in fields}
    about = {"collection": "Acme"} if "collection" in fields else {}
    return about | needed | known


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("chosen", "edition"),
    [("daily", ANY), ("core,read-only", ANY), (None, ANY), (None, LEGAL), (None, "context")],
    ids=["daily", "core", "all", "legal", "context"],
)
def test_mcp_errors_name_tools_and_parameters_of_the_server(
    several: Library, tmp_path: Path, chosen: str | None, edition: str
) -> None:
    (tmp_path / "ctx.toml").write_text('[connectors.filesystem.docs]\nroot = "docs"\n')
    served = {
        ANY: any_collection,
        LEGAL: legal_edition,
        "context": lambda: context_edition(ContextHome.open(tmp_path / "ctx.toml")),
    }[edition]()
    server = server_for(Session(several), choose(chosen, served), served)
    (tmp_path / "Scan.png").write_bytes(b"\x89PNG\r\n\x1a\nno picture")
    problems: dict[str, list[str]] = {}

    async def ask() -> None:
        async with Client(server, mode="legacy") as client:
            for tool, given in product(server.catalogue.list_tools(), WRONG):
                if tool.name == "query" and "sql" not in given:
                    continue
                asked = arguments(tool.parameters, given, tmp_path / "Scan.png")
                result = await client.call_tool(tool.name, asked)
                text = "\n".join(getattr(block, "text", "") for block in result.content)
                if not result.is_error:
                    facts = result.structured_content or {}
                    text = "\n".join(
                        str(facts.get(key, "")) for key in ("more", "next_step", "notes")
                    )
                if bad := bad_in_mcp(text, tool, server.catalogue):
                    problems.setdefault(tool.name, []).append(f"{bad}: {text[:300]}")

    anyio.run(ask)
    assert problems == {}


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the commands of a program that are no groups."""
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from leaves(inner, (*path, name))


def wrong_lines(command: Any) -> Iterator[list[str]]:
    """Yield wrong arguments of a command: unknown names, states, reversed and odd values."""
    needed = ["Nowhere" for p in command.params if p.param_type_name == "argument" and p.required]
    known = {o: p for p in command.params for o in p.opts if o.startswith("-")}
    yes = ["--yes"] * ("--yes" in known)
    within = ["-c", "Acme"] * ("-c" in known)
    for name in ("Nowhere", "Closed", "Empty"):
        if "-c" in known:
            yield [*needed, *yes, "-c", name]
        elif needed:
            yield [name, *needed[1:], *yes]
    for first, last in (("--from", "--to"), ("--since", "--until"), ("--min", "--max")):
        if {first, last} <= known.keys():
            yield [*needed, *within, first, "2025", last, "2024"]
    for name, option in known.items():
        texts = (str, list[str])
        if name.startswith("--") and option.type_descriptor.annotation in texts:
            yield [*needed, *within, *yes, name, "yesterday"]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("program", [pytest.param("casetrack", marks=pytest.mark.slow), "ctx"])
def test_shell_errors_name_commands_and_options_of_the_program(
    several: Library,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    program: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.setenv("CASETRACK_HOME", str(several.settings.data_dir))
    monkeypatch.setenv("CASETRACK_MODELS", str(several.settings.models_dir))
    (tmp_path / "ctx.toml").write_text('[connectors.filesystem.docs]\nroot = "docs"\n')
    run = main if program == "casetrack" else lambda a: ctx_main(["--config", "ctx.toml", *a])
    problems: dict[str, list[str]] = {}
    for path, command in leaves(COMMANDS[program]):
        if {" ".join(path), path[0]} & NOT_CALLED.keys():
            continue
        for line in wrong_lines(command):
            code = run([*path, *line])
            text = capfd.readouterr().err
            bad = bad_in_shell(text, [*path, *line], program) if code else []
            if bad:
                problems.setdefault(" ".join(path), []).append(f"{line} {bad}: {text[:300]}")
    assert problems == {}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("value", ["5", "x"])
@pytest.mark.parametrize("name", ["Nowhere", "Empty", "Closed", "Acme"])
def test_window_errors_name_no_commands(several: Library, name: str, value: str) -> None:
    window = visitor(replace(several.settings))
    problems = {}
    given = dict.fromkeys(("a", "b", "q", "from", "to", "do", "kind", "page", "sql"), value)
    for page in PAGES:
        if page.name in {"models", "license", "create", "choose", "briefing"}:
            continue
        path = re.sub(r"\{(?!collection)\w+(?::\w+)?\}", "7", page.path)
        path = path.replace("{collection}", name)
        send = {"data": given} if page.method == "POST" else {"params": given | {"from": "9"}}
        answer = window.request(page.method, path, **send)
        text = text_of(re.sub(r"(?s)<(pre|script|style|nav|footer).*?</\1>", "", answer.text))
        bad = re.findall(r"`?(?:casetrack|ctx) [a-z][^`]*`|(?<![\w-])--[a-z-]+", text)
        bad += (PARAMETERS | EVERY_TOOL) & set(re.findall(r"\b\w+_\w+\b", plain(text)))
        if "html" in answer.headers.get("content-type", "") and bad:
            problems[page.name] = (bad, text[:400])
    assert problems == {}


def test_references_name_commands_and_their_options() -> None:
    bad = []
    for path in Path(casetrack.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "See":
                given = {key.arg or "": True for key in call.keywords}
                bad += bad_commands(See(ast.literal_eval(call.args[0]), **given))
    assert bad == []


@pytest.mark.parametrize("face", ["cli_name", "mcp_name", "name"])
def test_argument_errors_use_the_names_of_the_face(several: Library, face: str) -> None:
    high = {"start": "2025", "end": "2024", "least": 5, "most": 3}
    for operation in (each for each in operations().values() if not each.of_library):
        known = arguments_of(operation.method)
        wrong: list[dict[str, Any]] = [{a.name: a.arg.ge - 1} for a in known if _is_bounded(a)]
        if operation.feature is None and not any(a.is_required for a in known):
            wrong += [{a.name: "nothing"} for a in known if get_origin(a.type) is Literal]
            wrong.append({a.name: high[a.name] for a in known if a.name in high})
        for given in filter(None, wrong):
            with pytest.raises(UsageError) as caught:
                called(operation.method, several.get("Acme"), given, name=attrgetter(face))
            names = [f"`{getattr(a, face)}`" for a in known if a.name in given]
            assert [n for n in names if n not in caught.value.message] == [], operation.name


def _is_bounded(argument: Argument) -> bool:
    return argument.arg.ge is not None and not argument.is_list


def test_python_errors_name_parameters_and_no_options(several: Library, tmp_path: Path) -> None:
    c = several.get("Acme")
    calls: tuple[Callable[[], object], ...] = (
        lambda: several.get("Nowhere"),
        lambda: c.search("rent", mode="semantic"),
        lambda: c.search("rent", since="yesterday"),
        lambda: c.search("rent", since="2025", until="2024"),
        lambda: c.document("Nowhere"),
        lambda: c.map.timeline(start="2025", end="2024"),
        lambda: c.map.amounts(least=5, most=3),
        lambda: c.map.reference_citations("Nowhere"),
        lambda: c.sql("SELECT nothing FROM nowhere"),
        lambda: several.get("Closed").ingest(tmp_path),
        lambda: c.sync(tmp_path / "none"),
        lambda: c.admin.rename("Acme"),
    )
    for call in calls:
        with pytest.raises(CaseTrackError) as caught:
            call()
        assert list(bad_commands(str(caught.value))) == []
        assert not re.search(r"(?<![\w-])--[a-z]", plain(str(caught.value)))
        assert not EVERY_TOOL & set(re.findall(r"\w+_\w+", plain(str(caught.value))))
