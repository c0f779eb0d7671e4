"""The ``casetrack`` command: its global options, and what happens without a command."""

import gc
import os
import sys
from typing import Annotated, NoReturn

import typer

from casetrack.api.operation import words_of_commands
from casetrack.base.registry import registered
from casetrack.faces.cli.layout import Command, Entry, Family, program
from casetrack.faces.cli.output import line
from casetrack.faces.cli.program import global_first, run_command
from casetrack.faces.cli.state import State
from casetrack.version import __version__

# The list of commands, as ``casetrack --help`` groups them.

# fmt: off
GROUPS: dict[str, tuple[Entry, ...]] = {
    "Your documents": (
        Command("demo", ".demo:demo", "Try everything on a small case file."),
        Command("browse", ".serve:browse", "Open a window on your collections in the browser."),
        Family("collection", "Make, list, describe, delete collections.",
               "Make, list, describe, close, seal and delete collections of documents.", (
            Command("create", ".collection:create", "Make an empty collection.",
                    '"Acme 2024" --type contract'),
            Command("list", ".collection:list_collections", "List the collections.",
                    "--status active"),
            Command("info", ".collection:info", "Show what a collection holds and where it lies.",
                    "Acme"),
            Command("rename", "", "Give a collection another name.",
                    'Acme "Acme 2024"'),
            Command("describe", "", "Change description, reference or type.",
                    'Acme --description "Supply contracts"'),
            Command("tag", "", "Add and remove tags.",
                    "Acme --add urgent --remove draft"),
            Command("close", "", "Make a collection read-only.", "Acme"),
            Command("reopen", "", "Let it take changes again.", "Acme"),
            Command("archive", "",
                    "Make it read-only and leave it out of lists.", "Acme"),
            Command("seal", ".transfer:seal", "Encrypt a closed collection into one file.", "Acme"),
            Command("unseal", ".transfer:unseal", "Open a sealed collection again.", "Acme"),
            Command("attach", ".collection:attach", "Use a collection in object storage.",
                    "s3://cases/acme"),
            Command("detach", ".collection:detach", "Forget it here; there it stays.", "Acme"),
            Command("delete", ".collection:delete",
                    "Delete a collection; your files stay.", "Acme"),
        )),
        Command("ingest", "", "Take files and folders into a collection.",
                "~/Contracts --create -c Contracts"),
        Command("sync", "", "Bring a collection in step with a folder.",
                "~/Contracts -c Contracts --dry-run"),
        Family("watch", "Keep collections in sync with folders.",
               "Keep collections in sync with folders, by themselves.", (
            Command("add", ".watch:add_watch", "Watch a folder from now on.",
                    "~/Contracts -c Contracts"),
            Command("list", "", "List the watched folders and how they do."),
            Command("show", "",
                    "Show all about one watched folder.", "~/Contracts"),
            Command("remove", "", "Stop watching a folder; documents stay.",
                    "~/Contracts"),
            Command("schedule", "", "Change when a folder is synced.",
                    "~/Contracts daily --daily-time 03:00"),
            Command("pause", "", "Leave a folder alone for now.", "~/Contracts"),
            Command("resume", "", "Watch a paused folder again.", "~/Contracts"),
            Command("run", ".watch:run_watches", "Watch all folders in the foreground."),
        )),
        Command("documents", ".documents:documents", "List the documents of a collection.",
                "-c Acme --sort pages"),
        Command("tag", ".marks:tag", "Put tags of your own on documents and passages.",
                "Lease.pdf privileged -c Acme"),
        Command("star", ".marks:star", "Star a document or a passage.",
                'Lease.pdf --page 3 --note "the cap" -c Acme'),
        Command("marks", ".marks:marks", "List all that you have marked, and take it back.",
                "-c Acme --kind star"),
        Command("document", ".documents:document", "Show everything known about one document.",
                "Lease.pdf -c Acme"),
        Command("delete", ".documents:delete", "Remove a document; the file itself stays.",
                "Lease.pdf -c Acme"),
    ),
    "Find and read": (
        Command("search", ".search:search", "Find passages, each with its exact source.",
                '"payment terms" -c Acme -k 5'),
        Command("chunk", ".search:chunk", "Show one passage with its whole provenance.",
                "CHUNK_ID --window 1"),
        Command("read", ".show:read", "Read a document's text in order, page by page.",
                "Lease.pdf -c Acme --pages 3-5"),
        Command("show", ".show:show", "Write a page with a passage highlighted where it stands.",
                "CHUNK_ID --open"),
        Command("query", ".query.command:query", "Ask a collection in read-only SQL.",
                "'SELECT name FROM documents WHERE page_count > $n' -p n=10"),
    ),
    "The whole collection": (
        Command("timeline", ".entities:timeline", "Show what happened when, by the documents.",
                "-c Acme --from 2023-01-01 --to 2023-12-31"),
        Command("report", ".report:report", "Write a briefing of a whole collection.",
                "-c Acme --open"),
    ),
    "Who, what, and how it hangs together": (
        Command("entity", ".entities:entity", "Show where somebody or something is mentioned.",
                '"John Smith" -c Acme'),
        Command("graph", ".entities:graph", "Show who and what belongs together.",
                '"Acme Corp" -c Acme --depth 1'),
        Command("references", ".entities:references", "List what is cited, or where it is.",
                '"ISO 27001" -c Acme'),
    ),
    **dict(registered("commands").values()),
    "With AI programs": (
        Command("setup", ".setup:setup", "Enter CaseTrack into an AI program.", "claude-code"),
        Command("serve", ".serve:serve", "Serve AI programs (MCP), on this machine.",
                "--data-dir ~/Cases"),
        *registered("server_commands").values(),
    ),
    "Keep it well": (
        Command("index-status", ".upkeep:index_status",
                "Show what of the index is out of date.",
                "-c Acme --problems"),
        Command("reindex", "", "Make vectors anew, also with other models.",
                "-c Acme --profile standard"),
        Command("upkeep", ".upkeep:upkeep", "Free space, remove what was deleted for good.",
                "-c Acme --secure"),
        Family("jobs", "See and stop long work of all programs.",
               "See and stop long work, that of other programs too.", (
            Command("list", "", "List what runs now and what ended lately."),
            Command("show", ".history:show_job", "Show how far a job is and what came of it.",
                    "j-7f3a2c --follow"),
            Command("cancel", "", "Ask a job to end; what is finished is kept.",
                    "j-7f3a2c"),
        )),
        Family("snapshots", "Keep states, and go back to them.",
               "Keep states of a collection, and go back to them.", (
            Command("list", "", "List the states that can be restored.",
                    "-c Acme"),
            Command("take", "", "Keep the present state under a name.",
                    '"before clean-up" -c Acme'),
            Command("restore", ".history:restore", "Bring the documents back to a state.",
                    '"before clean-up" -c Acme'),
            Command("remove", "",
                    "Remove a snapshot.", '"before clean-up" -c Acme'),
        )),
        Command("export", ".transfer:export", "Write a whole collection into one file.",
                "-c Acme ~/Backups"),
        Command("import", ".transfer:import_collection", "Make a collection of an exported file.",
                "~/Backups/Acme.ctcollection"),
        Family("audit", "See who did what, and check the log of it.",
               "See who did what in the data folder, and check the log of it.", (
            Command("list", "", "List what was done, the last first.",
                    "-c Acme --action deleted"),
            Command("verify", "", "Check that the log is as it was written."),
            Command("export", ".history:export_log", "Write the log as CSV.", "~/audit.csv"),
        )),
        Command("doctor", "", "Check that everything is well."),
    ),
    "The program": (
        Family("models", "Fetch, list and check the search models.",
               "Fetch, list and check the models that search by meaning.", (
            Command("pull", ".models:pull", "Fetch a model and check it."),
            Command("list", ".models:list_models", "List the models and which are installed."),
            Command("verify", ".models:verify", "Check every file of the installed models."),
        )),
        Family("license", "Show the tier, enter a license key.",
               "Show the tier in force; enter and remove a license key.", (
            Command("status", ".installation:status", "Show the tier and what it allows.",
                    "--refresh"),
            Command("activate", ".installation:activate", "Enter a license key.",
                    "PRO-1A2B3C-..."),
            Command("deactivate", ".installation:deactivate",
                    "Remove the key, to use it elsewhere."),
        )),
        Command("update", ".installation:update", "Install the newest version of CaseTrack.",
                "--check"),
        Command("uninstall", ".installation:uninstall", "Remove CaseTrack; your data stays.",
                "--dry-run"),
        Command("completion", ".completion:completion",
                "Let the shell complete commands and names.",
                "bash --install"),
        Command("schema", ".schema:schema", "Show the tables and their columns.", "chunks"),
        Command("eval", ".evaluate:evaluate", "Measure the search on judged questions.",
                "./scifact --mode hybrid"),
    ),
}
# fmt: on
"""What there is, in the order of use; what operations make follows the first of its group."""
for _name, _words in reversed(words_of_commands().items()):
    _first, *_others = GROUPS[_words["group"]]
    _made = Command(_name, "", _words["summary"], _words.get("example", ""))
    GROUPS[_words["group"]] = (_first, _made, *_others)

app = program("casetrack", GROUPS)


_GLOBAL = ("--data-dir", "--license")


def _show_version(wanted: bool) -> None:
    if wanted:
        line(f"casetrack {__version__}")
        raise typer.Exit


_ABOUT = """\
Search folders of documents and get answers with their exact source.

Everything stays on this computer. Try it with: casetrack demo

\b
Your own documents:
  casetrack ingest ~/Contracts --create -c Contracts
  casetrack search "notice period" -c Contracts

With no command it serves AI programs over standard input (MCP), or shows this help on a terminal.
"""


@app.callback(help=_ABOUT, invoke_without_command=True)
def root(
    ctx: typer.Context,
    data_dir: Annotated[
        str | None,
        typer.Option(
            "--data-dir",
            metavar="FOLDER",
            help="Where the data lies; may also follow the command. "
            "Otherwise CASETRACK_HOME, or CaseTrack in your documents folder.",
        ),
    ] = None,
    license_key: Annotated[
        str | None,
        typer.Option(
            "--license",
            metavar="KEY",
            help="License key for this run; may also follow the command. "
            "Otherwise CASETRACK_LICENSE, config.toml, or the activated one.",
        ),
    ] = None,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> int | None:
    """Set the data folder, and decide what happens without a command."""
    state = ctx.ensure_object(State)
    if data_dir is not None:
        state.data_dir = data_dir
    if license_key is not None:
        state.license_key = license_key
    if ctx.invoked_subcommand is not None:
        return None
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        line(ctx.get_help())
        return None
    from casetrack.faces.cli.serve import serve

    return serve(ctx)


def main(argv: list[str] | None = None, /) -> int:
    """Run one command and return its exit code; errors are told, not raised.

    Parameters
    ----------
    argv
        Arguments without the program's name; those of this process by default.
    """
    given = global_first(sys.argv[1:] if argv is None else argv, _GLOBAL)
    return run_command(app, "casetrack", State(), _current_words(given))


def run() -> NoReturn:
    """Run as the console command; what it writes is its user's alone, unless others are let in."""
    # What imports make lives as long as the process: by default Python would look through it for
    # garbage hundreds of times, which is a seventh of the time of a search.
    gc.set_threshold(_GARBAGE)
    os.umask(0o077)
    sys.exit(main())


_GARBAGE = 100_000
"""New objects after which Python looks for garbage."""
_OLD_WORDS = {
    "--setup-claude-code": ["setup", "claude-code"],
    "--update": ["update"],
    "--uninstall": ["uninstall"],
}


def _current_words(arguments: list[str]) -> list[str]:
    """Write the commands that used to be options as commands; global options stand before them."""
    place = 0
    while place < len(arguments) and arguments[place].partition("=")[0] in _GLOBAL:
        place += 1 if "=" in arguments[place] else 2
    old = arguments[place : place + 1]
    return arguments[:place] + _OLD_WORDS.get("".join(old), old) + arguments[place + 1 :]
