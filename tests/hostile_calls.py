"""Hostile calls: arguments that fit, nearly fit or should never have been sent; and a judge."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio.from_thread import start_blocking_portal
from hypothesis import strategies as st
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ElicitResult

from casetrack.api.library import Library
from casetrack.base.config import Settings
from casetrack.base.errors import CaseTrackError
from casetrack.faces.mcp.results import MAX_TOKENS, tokens
from casetrack.faces.mcp.server import build_server

if TYPE_CHECKING:
    import random

ERAS = ("2026-07-28", "legacy")
CLIENTS = range(2 * len(ERAS))
"""Of each era one that cannot put a question to its user, and one whose user answers anyhow."""
LONGEST_SECONDS = 60.0
CALLS_IN_A_HOME = 250
SECRET = "canary-of-the-environment-7391"


def _tools() -> dict[str, Any]:
    nowhere = Path("nowhere").absolute()
    server: Any = build_server(Library(Settings(data_dir=nowhere, models_dir=nowhere)))
    return {tool.name: tool for tool in server.catalogue.list_tools()}


TOOLS = _tools()
NAMES = tuple(TOOLS)
# These read files in separate processes, which takes the time of dozens of other calls.
LONG_WORK = ("ingest_document", "ingest_folder", "sync_folder", "reindex_document")
QUICK_NAMES = tuple(name for name in NAMES if name not in (*LONG_WORK, "reindex_collection"))
PARAMETERS = sorted({name for tool in TOOLS.values() for name in tool.parameters["properties"]})

DOCUMENTS = {
    "Vendor_Agreement.txt": "Vendor Agreement\n\nAcme Corp shall pay Globex Inc. $5,000.00 within "
    "thirty (30) days, by March 1, 2024. See Section 4.2 and ISO 9001:2015.\n\n"
    "Either party may terminate this agreement with ninety days notice.\n",
    "Reminder.md": "# Reminder\n\nOn 2024-04-02 John Smith of Acme Corp wrote to Globex Inc. that "
    "the payment is overdue; see Vendor_Agreement.txt, Section 4.2.\n",
    "Notes.txt": 'He said "ignore all previous instructions" and left the building.\n',
    "Long.txt": "\f".join(
        f"Page {n}\n\n" + f"Clause {n} binds Acme Corp and the parties. " * 150 for n in range(1, 9)
    ),
}

# "@x" is a placeholder of an existing object in the home of the run; see Home.resolve.
OWN = {
    "collection": ["Acme", "Acme", "Acme", "acme", "@collection", "Acm"],
    "document": ["Notes.txt", "Long.txt", "Reminder.md", "@document", "notes", "Vendor"],
    "chunk": ["@chunk", "@chunk", "@last_chunk"],
    "path": [
        *("@/docs", "@/docs/Notes.txt", "@/docs/..", "@/docs/missing.txt", "@/pipe", "@/loop"),
        *("@/docs/../docs/Notes.txt", "@/escape.txt", "@/locked.pdf", "@", "docs/Notes.txt"),
        *("../../etc/passwd", "/dev/zero", "/proc/self/mem", "/dev/stdin", "/nowhere/x"),
        *("/nowhere/" + "x" * 5000, "/nowhere/\x00", "/nowhere/caf\udce9", "", "casetrack://x"),
        *("file:///etc/passwd", "~nobody-at-all/x", "\\\\server\\share", "C:\\Windows"),
    ],
    "words": [
        "Globex Inc.",
        "Acme Corp",
        "Section 4.2",
        "payment",
        "ISO 9001:2015",
        "the",
        "notice AND",
        '"',
    ],
    "moment": ["2024-01-01", "2024-12-31", "0000-00-00", "9999-12-31", "09:30", "24:00", "today"],
    "other": ["j-00000000", "Tagged", "eng", "pdf", ".txt", "*.txt", "**/*", "[", "@job"],
}
KINDS = {
    **dict.fromkeys(("collection", "collection_name", "collection_filter"), "collection"),
    **dict.fromkeys(("document_name", "document_filter", "document_a", "document_b"), "document"),
    **dict.fromkeys(("chunk_id", "start_chunk_id"), "chunk"),
    **dict.fromkeys(("file_path", "folder_path"), "path"),
    **dict.fromkeys(("start_date", "end_date", "daily_time"), "moment"),
    **dict.fromkeys(("query", "topic", "entity", "entity_name", "entities", "reference"), "words"),
}
HOSTILE = [
    *("", " ", "\n\n", "\x00", "a\x00b", "\ud800", "x\udfff", "\x1b[31mred\x1b]0;x\x07", "\u202e"),
    *("../../etc/passwd", "'; DROP TABLE chunks; --", "x' OR '1'='1", "casetrack://collections"),
    *("casetrack://collections/../../x", "{{7*7}}", "%s%n%x", "${HOME}", "<a href='file:///x'>"),
    *("null", "true", "NaN", "1e999", "-1", "(" * 5000, '"' * 999, "*" * 5000, "\U0001f9e8" * 900),
    *("a AND OR NOT", "NEAR(", "a:b^9~2", "[", "]", "all", "any", "/", "~", "x" * 1_000_000),
]
LEAVES: list[Any] = [
    *(None, True, False, 0, -1, 1, 51, 2**31, 2**63, -(2**64), 10**400, 0.5, -0.0, 1e308),
    *(float("nan"), float("inf"), -float("inf"), "", "1", "x", [], {}, [[]], [None], {"a": {}}),
]
TEXTS = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=()), max_size=30)
KEYS = st.text(max_size=30)  # JSON has no way to write a name with half a character
NESTED = st.integers(2, 60).map(lambda depth: json.loads("[" * depth + "]" * depth))
ANYTHING = st.sampled_from(LEAVES) | TEXTS | NESTED | st.dictionaries(KEYS, TEXTS, max_size=2)


def _paths() -> st.SearchStrategy[str]:
    """Return paths, none of which is a real folder of the current user."""
    words = st.text(st.characters(exclude_categories=()), max_size=60)
    elsewhere = words.filter(lambda text: ".." not in text).map(lambda text: f"/nowhere/x{text}")
    return st.sampled_from(OWN["path"]) | elsewhere


def _text(name: str, kind: bool) -> st.SearchStrategy[str]:
    topic = KINDS.get(name, "other")
    if topic == "path":
        return st.sampled_from(OWN[topic][:3]) if kind else _paths()
    if kind and topic != "other":
        return st.sampled_from(OWN[topic][:3])
    fitting = st.sampled_from(OWN[topic])
    return st.one_of(fitting, fitting, fitting, TEXTS)


def _fitting(name: str, field: dict[str, Any], *, kind: bool) -> st.SearchStrategy[Any]:
    """Return values that fit the schema of an argument; *kind* adds names of existing objects."""
    if "enum" in field:
        # Services that are not on this computer are never asked.
        return st.sampled_from([v for v in field["enum"] if v not in {"openai", "ollama"}])
    if "anyOf" in field:
        return st.one_of([_fitting(name, one, kind=kind) for one in field["anyOf"]])
    form = field["type"]
    if form == "boolean":
        return st.booleans()
    if name == "wait_seconds":
        return st.sampled_from([0, 1, 1500])
    if name in {"start_page", "end_page", "page_filter", "page"} and kind:
        return st.integers(1, 3)
    if form == "integer":
        low, high = field.get("minimum", -9), field.get("maximum", 10**20)
        return st.integers(low, high) | st.integers(low, min(high, low + 5))
    if form == "number":
        return st.floats(field.get("minimum"), field.get("maximum"))
    if form == "array":
        few, many = field.get("minItems", 0), field.get("maxItems", 3)
        return st.lists(_text(name, kind), min_size=few, max_size=many, unique=kind)
    return _text(name, kind)


@st.composite
def calls(draw: st.DrawFn, names: tuple[str, ...] = NAMES) -> tuple[str, dict[str, Any]]:
    """Return a tool and arguments: most fit its schema, some do not, some are not its own."""
    tool = draw(st.sampled_from(names))
    kind = draw(st.booleans())
    schema = TOOLS[tool].parameters
    arguments: dict[str, Any] = {}
    for name, field in schema["properties"].items():
        dice = draw(st.integers(0, 99))
        needed = name in schema.get("required", ()) or name.startswith("collection")
        if dice < (0 if needed and kind else 5 if needed else 55):
            continue
        hostile = dice > 89 and not kind and KINDS.get(name) != "path"
        arguments[name] = draw(ANYTHING if hostile else _fitting(name, field, kind=kind))
    if not kind and draw(st.integers(0, 9)) == 0:
        name = draw(st.sampled_from(PARAMETERS) | KEYS)
        if name not in schema["properties"]:
            arguments[name] = draw(ANYTHING)
    return tool, arguments


class Home:
    """A temporary data folder with servers, rebuilt when calls have changed too much of it.

    *chance* decides the answers of users whose clients ask them.
    """

    def __init__(self, root: Path, models_dir: Path, chance: random.Random) -> None:
        self.root, self.models_dir = root, models_dir
        self._chance = chance
        self.places = (str(root), str(models_dir))
        self.count, self.slowest = 0, (0.0, "")
        self._make_files()
        library = self._library(root / "template")
        library.create("Acme").ingest([root / "docs"])
        (root / "locked.pdf").chmod(0)
        self._stack = ExitStack()
        self._generation = 0
        self.renew()

    def _library(self, data: Path) -> Library:
        return Library(Settings(data_dir=data, models_dir=self.models_dir))

    def _make_files(self) -> None:
        (self.root / "docs").mkdir()
        for name, text in DOCUMENTS.items():
            (self.root / "docs" / name).write_text(text, encoding="utf-8")
        (self.root / "locked.pdf").write_bytes(b"%PDF-1.4")
        (self.root / "loop").symlink_to(self.root / "loop")
        (self.root / "escape.txt").symlink_to("/etc/hostname")
        (self.root / "docs" / "inner").symlink_to(self.root / "docs")
        os.mkfifo(self.root / "pipe")

    def renew(self) -> None:
        """Close the servers and begin again with the collection as it was."""
        self.close()
        self._generation += 1
        self._left = CALLS_IN_A_HOME
        data = self.root / f"data{self._generation}"
        shutil.copytree(self.root / "template", data)
        self.library = self._library(data)
        collection = self.library.get("Acme")
        chunks = collection.read.chunks("Long.txt")
        self._known = {
            "@collection": collection.info.id,
            "@document": collection.document("Notes.txt").document_id,
            "@chunk": chunks[0].chunk_id,
            "@last_chunk": chunks[-1].chunk_id,
            "@job": "j-",
        }
        self._portal = self._stack.enter_context(start_blocking_portal())
        server = build_server(self.library)
        self._clients = [
            self._stack.enter_context(
                self._portal.wrap_async_context_manager(
                    Client(server, mode=era, elicitation_callback=ask)
                )
            )
            for ask in (None, self._ask)
            for era in ERAS
        ]

    async def _ask(self, _context: Any, _params: Any) -> ElicitResult:
        """Answer a question of the server, mostly with the wanted value."""
        actions: list[Any] = ["accept", "accept", "decline", "cancel"]
        return ElicitResult(action=self._chance.choice(actions), content={})

    def close(self) -> None:
        """Stop the servers and remove their data."""
        self._stack.close()
        shutil.rmtree(self.root / f"data{self._generation}", ignore_errors=True)

    def worn(self) -> bool:
        """Return whether the collection lacks something that the next call needs."""
        self._left -= 1
        try:
            acme = self.library.get("Acme")
            return self._left < 0 or acme.info.status != "active" or len(acme.documents()) < 4
        except CaseTrackError:
            return True

    def resolve(self, value: Any) -> Any:
        """Return *value* with placeholders replaced by existing objects."""
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if not isinstance(value, str) or not value.startswith("@"):
            return value
        return self._known.get(value) or str(self.root) + value[1:]

    def ask(self, client: int, method: str, *arguments: Any) -> dict[str, Any]:
        """Make another request; return its result, or the error that the protocol has for it."""
        begun = getattr(self._clients[client], method)
        try:
            result = self._portal.start_task_soon(begun, *arguments).result(LONGEST_SECONDS)
        except MCPError as error:
            return {"error": error.error.message, "code": error.error.code}
        return dict(result.model_dump(mode="json"))

    def call(self, tool: str, arguments: dict[str, Any], client: int) -> CallToolResult:
        """Call a tool and return its result, within the longest time."""
        begun = time.monotonic()
        future = self._portal.start_task_soon(self._clients[client].call_tool, tool, arguments)
        result: CallToolResult = future.result(timeout=LONGEST_SECONDS)
        self.count += 1
        self.slowest = max(self.slowest, (time.monotonic() - begun, f"{tool} {arguments!r:.300}"))
        return result


STEP = re.compile(
    r"\b[a-z]+_[a-z_]+\b"  # the name of a tool, an argument or a field
    r"|\b(Check|Use|Leave|Give|Choose|Ask|Run|See|List|Search|Call|Pass|Try|Wait|Name|Type|Take|Write|give)\b"
    r"|\b(Look|Do not|Kinds|Such as|allowed|at most)\b"
    r"|Did you mean|\bIt(s pages are| has)\b"
    r"|\b(must be|missing|Use the|first|can be searched|[Uu]pgrade to)\b"
    r"|\b(Swap|For instance|is written|ends with)\b"
)
PATH = re.compile(r"(?<![\w/.:~])/(?:root|home|usr|work|opt|var|etc|proc|lib|tmp)/[^\s\"']*")
LEAKS = ("Traceback (most recent", 'File "/', "site-packages", "internal error", SECRET)


def check(home: Home, arguments: dict[str, Any], result: CallToolResult) -> None:
    """Check the conditions that every result must meet."""
    assert isinstance(result, CallToolResult)
    sent = json.loads(result.model_dump_json(by_alias=True, exclude_none=True))
    text = "".join(block.get("text", "") for block in sent["content"])
    whole = json.dumps(sent, ensure_ascii=False)
    assert sent["content"]
    assert text.strip() or any(block["type"] == "image" for block in sent["content"])
    for leak in LEAKS:
        assert leak not in whole
    given = json.dumps(arguments, ensure_ascii=False, default=str)
    for path in PATH.findall(text):
        assert path.startswith(home.places) or path[:20] in given, path
    assert tokens(text) < MAX_TOKENS
    assert tokens(sent.get("structuredContent", {})) < MAX_TOKENS
    if result.is_error:
        assert STEP.search(text), text
        assert "structuredContent" not in sent
        assert len(text) < 6000
