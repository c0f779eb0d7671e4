"""The list of commands of ``ctx``; see :mod:`casetrack.faces.cli.commands`."""

from casetrack.editions.context.cli import (
    connector,
    embed,
    export,
    init,
    search,
    serve,
    sources,
    sync,
)
from casetrack.faces.cli import completion
from casetrack.faces.cli.layout import Command, Entry, Family, program

# fmt: off
GROUPS: dict[str, tuple[Entry, ...]] = {
    "Your sources": (
        Command("init", init.init, "Write a config for this folder, and check it."),
        Command("sync", sync.sync, "Bring the collection in step with the sources.",
                "git:platform --dry-run"),
        Command("sources", sources.sources, "List the sources and how they are in step."),
        Command("stats", sources.stats, "Count what is there, source by source."),
        Family("connector", "Make and check sources of your own.",
               "Make and check sources of your own.", (
            Command("init", connector.init, "Write a script source to begin with.", "tickets"),
            Command("test", connector.try_source, "Check a source without storing anything.",
                    "script:tickets"),
        )),
        Family("embed", "Make vectors, for questions by meaning.",
               "Make vectors, for questions by meaning.", (
            Command("pending", embed.pending, "Make those that are missing."),
            Command("rebuild", embed.rebuild, "Make all of them anew."),
        )),
    ),
    "Find and read": (
        Command("search", search.search, "Find documents, each with its best passages.",
                '"how do we deploy" --source git'),
        Command("get", search.get, "Read a document, whole or in parts.", "ID:0:5"),
    ),
    "Share": (
        Family("serve", "Answer AI programs and plain HTTP.",
               "Answer AI programs and plain HTTP.", (
            Command("mcp", serve.mcp, "Serve search, get and sources (MCP, REST)."),
        )),
        Command("export", export.export, "Write JSON, or a page that searches in the browser.",
                "-o search.html"),
    ),
    "The program": (
        Command("completions", completion.completion, "Let the shell complete commands and names.",
                "bash"),
    ),
}
# fmt: on

app = program("ctx", GROUPS)
