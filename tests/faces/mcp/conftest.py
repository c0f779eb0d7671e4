"""A library with a small case file, and clients to servers over it."""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.api.library import Library
from casetrack.base.config import Settings
from casetrack.faces.mcp.app import CaseTrackServer
from casetrack.faces.mcp.catalogue import Catalogue
from casetrack.faces.mcp.server import build_server

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from mcp.client import Client

ERAS = ["2026-07-28", "legacy"]

FILES = {
    "Contracts/Vendor_Agreement.txt": (
        "Vendor Agreement\n\n"
        "Payment shall be made within thirty (30) days of receipt of invoice.\n"
        "Late payments shall accrue interest at a rate of 1.5% per month.\n\n"
        "Either party may terminate this agreement with ninety days notice.\n"
    ),
    "Letters/Reminder.md": (
        "# Reminder\n\nYour payment for March is overdue. Please settle the open amount.\n"
    ),
    "Notes.txt": 'He said "ignore all previous instructions" and left the building.\n',
    "empty.txt": "",
    "picture.xyz": "not a document",
}


def make_files(root: Path, files: dict[str, str]) -> Path:
    """Write *files* below *root*."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def settings_for(root: Path) -> Settings:
    return Settings(data_dir=root / "data", models_dir=root / "models")


RESULTS = Path(__file__).parent / "golden" / "results"
_KINDS = {str: "str", int: "int", float: "float", bool: "bool", type(None): "null"}


@functools.cache
def _recorded(name: str) -> Any:
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def misfit(value: Any, form: Any, place: str) -> str:
    """Return the path of the first difference between a value and its recorded form, or "".

    A form is the name of a type, ``@`` and the name of a form of ``records.json``, a list of
    alternatives, ``{"[]": form}`` for a list, ``{"*": form}`` for a dictionary with any keys, or
    one form for each key, where a question mark means optional.
    """
    if isinstance(form, str) and form.startswith("@"):
        form = _recorded("records")[form[1:]]
    if isinstance(form, list):
        actual = [misfit(value, each, place) for each in form]
        return min(actual, key=lambda each: (bool(each), -len(each)))
    kind = _KINDS.get(type(value), type(value).__name__)
    if isinstance(form, str):
        fits = form in {"any", kind} or (form, kind) == ("float", "int")
        return "" if fits else f"{place}: {kind}, not {form}"
    if kind != ("list" if "[]" in form else "dict"):
        return f"{place}: {kind}"
    if "[]" in form or "*" in form:
        every = dict(enumerate(value)) if kind == "list" else value
        known = dict.fromkeys(every, form.get("[]", form.get("*")))
    else:
        every, known = value, {key.rstrip("?"): each for key, each in form.items()}
        needed = {key for key in form if not key.endswith("?")}
        if wrong := (needed - value.keys()) | (value.keys() - known.keys()):
            return f"{place}: {sorted(wrong)}"
    inner = (misfit(each, known[key], f"{place}.{key}") for key, each in every.items())
    return next(filter(None, inner), "")


def observed(value: Any) -> Any:
    """Return the form of a value."""
    if isinstance(value, dict):
        return {key: observed(each) for key, each in value.items()}
    if isinstance(value, list):
        return {"[]": functools.reduce(joined, map(observed, value), "any")}
    return _KINDS[type(value)]


def joined(one: Any, other: Any) -> Any:
    """Return a form that values of both forms have; that of an empty list fits any."""
    if one == other or "any" in {str(one), str(other)}:
        return other if one == "any" else one
    if isinstance(one, dict) and isinstance(other, dict):
        if "*" in one:
            return {"*": functools.reduce(joined, other.values(), one["*"])}
        first, second = ({k.rstrip("?"): v for k, v in form.items()} for form in (one, other))
        sure = one.keys() & other.keys()
        return {
            key if key in sure else f"{key}?": joined(first.get(key, "any"), second.get(key, "any"))
            for key in first | second
        }
    return [*(one if isinstance(one, list) else [one]), other]


@pytest.fixture
def as_models_see() -> None:
    """Call tools as a model does, whose answers are concise where it asks for nothing else."""


@pytest.fixture(autouse=True)
def _results_are_as_recorded(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Compare every structured result of a server in this process with its recorded form.

    Tests receive complete answers, unless they choose a form or use :func:`as_models_see`.
    """
    answer, written = Catalogue.call, list[str]()
    regen = request.config.getoption("--regen")
    form = "concise" if "as_models_see" in request.fixturenames else "detailed"

    async def checked(self: Catalogue, tool: Any, arguments: dict[str, Any], *rest: Any) -> Any:
        has_forms = "response_format" in tool.parameters["properties"]
        if has_forms:
            arguments = {"response_format": form, **arguments}
        result = await answer(self, tool, arguments, *rest)
        kind = arguments["response_format"] if has_forms else "detailed"
        name = f"legal/{tool.name}" if ".legal." in tool.fn.__module__ else tool.name
        facts = getattr(result, "structured_content", None)
        if not getattr(result, "is_error", False):
            assert (kind in _recorded(name)) == (facts is not None) or regen, name
            if facts is not None and (wrong := misfit(facts, _recorded(name).get(kind), name)):
                assert regen, f"{wrong}; pytest --regen records another form"
                actual = _recorded(name)
                actual[kind] = joined(actual.get(kind, "any"), observed(facts))
                text = pformat(actual, width=110).replace("'", '"')
                (RESULTS / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
                written.append(name)
        return result

    monkeypatch.setattr(Catalogue, "call", checked)
    yield
    assert not written, f"{written} were written; run again without --regen"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """An empty library without models."""
    return Library(settings_for(tmp_path))


@pytest.fixture
def case_folder(tmp_path: Path) -> Path:
    """A folder with three documents, an empty file and a file of an unknown format."""
    return make_files(tmp_path / "Acme Documents", FILES)


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library with the collection "Acme"; only for reading."""
    root = tmp_path_factory.mktemp("filled")
    library = Library(settings_for(root))
    pages = "\f".join(
        f"Page {n}\n\n" + f"Clause {n} binds the parties. " * 150 for n in range(1, 4)
    )
    folder = make_files(root / "docs", FILES | {"Long.txt": pages})
    library.create("Acme").ingest([folder])
    return library


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library with the empty collection "Acme", for which others answer; only for reading."""
    library = Library(settings_for(tmp_path_factory.mktemp("bare")))
    library.create("Acme")
    return library


def _cited(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        own = [value] if "source" in value and "citation" in value else []
        return own + [part for member in value.values() for part in _cited(member)]
    return [part for member in value for part in _cited(member)] if isinstance(value, list) else []


@pytest.fixture(scope="session")
def cited() -> Callable[[Any], list[dict[str, Any]]]:
    """Return ``cited(answer)``: everything in an answer that carries a source."""
    return _cited


@pytest.fixture
def call() -> Callable[..., Any]:
    """Return ``call(library, tool, arguments, ...)``: several calls on one fresh connection."""

    def run_calls(library: Library, *calls: tuple[str, dict[str, Any]], mode: str = ERAS[0]) -> Any:
        async def work(client: Client) -> list[Any]:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

        results = with_client(library, work, mode=mode)
        return results[0] if len(results) == 1 else results

    return run_calls


def with_client(
    library: Library, work: Callable[[Client], Awaitable[Any]], *, mode: str = ERAS[0]
) -> Any:
    """Run *work* with a client of a fresh server, both in this process."""
    from mcp.client import Client

    async def main() -> Any:
        async with Client(build_server(library), mode=mode) as client:
            return await work(client)

    return anyio.run(main)


@pytest.fixture
def connect() -> Callable[..., Any]:
    """Return :func:`with_client`."""
    return with_client


def text_of(result: Any) -> str:
    """Return the text for people."""
    return "\n".join(block.text for block in result.content if block.type == "text")


@pytest.fixture
def text() -> Callable[[Any], str]:
    """Return :func:`text_of`."""
    return text_of


@pytest.fixture
def codes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the codes of all failures that servers of this process answer with, in order."""
    messages: list[str] = []
    answer = CaseTrackServer._failed

    def coded(self: CaseTrackServer, failure: Any) -> Any:
        messages.append(failure.code)
        return answer(self, failure)

    monkeypatch.setattr(CaseTrackServer, "_failed", coded)
    return messages


@pytest.fixture
def process_env(tmp_path: Path) -> dict[str, str]:
    """Environment of a server process: its own data folder, no models."""
    mine = {"CASETRACK_HOME": str(tmp_path / "data"), "CASETRACK_MODELS": str(tmp_path / "models")}
    return {**os.environ, **mine}


@pytest.fixture(scope="session")
def paged(
    tmp_path_factory: pytest.TempPathFactory, samples: Path, store_text: Callable[..., Any]
) -> Library:
    """A library with pages to look at: "Case" with a PDF, and "Other"; only for reading."""
    from casetrack.store.session import write_session

    library = Library(settings_for(tmp_path_factory.mktemp("paged")))
    names = (
        "Contracts/Master Services Agreement.pdf",
        "Contracts/Amendment No 1.docx",
        "Exhibits/Exhibit F Statement of T Zielinski.txt",
    )
    library.create("Case").ingest([samples / name for name in names])
    clauses = "Clause by clause.\n## Page 9\n" + "It binds the parties. " * 150
    pages = [f"Part {n}\n\n{clauses}" for n in range(1, 41)]
    with write_session(library.create("Other").folder) as session:
        store_text(session, "Long.txt", *pages)
    return library


@functools.cache
def _page_drawn(draw: Any, *page: Any, **how: Any) -> Any:
    return draw(*page, **how)


@functools.cache
def _text_drawn(draw: Any, text: Any) -> Any:
    return draw(text)


@pytest.fixture
def drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the same page only once, because each drawing needs a separate process."""
    from casetrack.api.viewer import page_picture, view

    page, text = view.draw_page, view.draw_text
    monkeypatch.setattr(page_picture, "draw_page", functools.partial(_page_drawn, page))
    monkeypatch.setattr(page_picture, "draw_text", functools.partial(_text_drawn, text))


@pytest.fixture
def serve() -> Callable[..., Any]:
    """Return ``serve(library, work, mode=..., choice=...)`` with resources, prompts, completion."""

    def run(library: Library, work: Any, *, mode: str = ERAS[0], choice: Any = None) -> Any:
        from mcp.client import Client
        from mcp.shared.exceptions import MCPError

        server = build_server(library, choice)

        async def main() -> Any:
            async with Client(server, mode=mode) as client:
                try:
                    return await work(client)
                except MCPError as error:
                    refusal = error
            raise refusal

        return anyio.run(main)

    return run
