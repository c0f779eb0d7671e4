"""A collection whose documents come from several sources, stored without any file or source."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from casetrack.api.collection import Collection
from casetrack.ingest.pipeline import Tools
from casetrack.store.session import write_session
from casetrack.store.workspace import Workspace
from conftest import store_text
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from casetrack.api.library import Library

WORDS = (
    "token session refresh cache retry queue worker index search merge branch deploy rollback "
    "secret header parser stream buffer socket timeout lock replica shard schema migrate"
).split()
SOURCES = ("git:platform", "git:web", "filesystem:notes", "s3:runbooks", "script:tickets", None)
PATHS = ("docs/{}.md", "src/auth/{}.py", "{}.txt", "docs/deep/er/{}.md", "checks/{}.py")
START = datetime(2023, 1, 1, tzinfo=UTC)


def facts_of(number: int, chance: random.Random) -> dict[str, Any]:
    """Return facts of one document, from its source and from its reader."""
    source = chance.choice(SOURCES)
    path = chance.choice(PATHS).format(f"file{number}")
    day = START + timedelta(days=chance.randrange(900), seconds=chance.randrange(86_400))
    kind = {"md": "markdown", "py": "code", "txt": "txt"}[path.rsplit(".")[-1]]
    facts: dict[str, Any] = {
        "document_id": f"{number:08x}-0000-4000-8000-{number:012x}",
        "path": f"/files/work/{path}" if source is None else f"{source}/{path}",
        "format": kind,
        "document_type": chance.choice([None, "report", "memo"]),
        "language": chance.choice(["en", "de", None]),
        "properties": (("language", "Python"),) if kind == "code" else (),
        "file_modified_at": day + timedelta(days=400),
        "content_created_at": chance.choice([None, day + timedelta(days=30)]),
    }
    if source is not None:
        facts |= {
            "source": source,
            "source_id": path,
            "source_url": f"https://github.com/acme/{source[4:]}/blob/4f1c/{path}"
            if source.startswith("git")
            else None,
            "source_author": "Ada",
            "source_updated_at": chance.choice([day, START, None]),
            "metadata": json.dumps({"size": number}),
        }
    return facts


def sourced_collection(library: Library, count: int = 60, *, vectors: bool = True) -> Collection:
    """Return a collection of *count* documents of one to four passages, the same each time."""
    chance = random.Random(19)
    encoder = WordEncoder("mini", token_width=None)
    made = library.create("context")
    collection = Collection(Workspace(made.folder, library.settings, FakeEncoders(encoder)))
    tools = Tools(encoder=encoder) if vectors else None
    with write_session(collection.folder) as session:
        for number in range(count):
            pages = [
                "\n".join(" ".join(chance.choices(WORDS, k=6)) + "." for _ in range(5))
                for _ in range(chance.randint(1, 4))
            ]
            facts = facts_of(number, chance)
            store_text(session, facts["path"].rsplit("/")[-1], *pages, tools=tools, **facts)
    return collection
