"""The tool that makes vectors and search terms anew."""

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from casetrack.mcp import outputs, render
from casetrack.mcp.progress import StepProgress, run_long
from casetrack.mcp.results import answer
from casetrack.mcp.session import Session, in_thread, locate
from casetrack.mcp.specs import SWITCHES, CollectionName, tool
from casetrack.mcp.tools_collections import ProfileName, profile_notes

if TYPE_CHECKING:
    from casetrack.collection import Collection
    from casetrack.ingest.reindexed import ReindexReport

LISTED_FILES = 100


class ReindexTools:
    """The tool of this module, for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @tool(
        "Reindex collection",
        SWITCHES,
        description="Rebuild embeddings and search terms of a collection from its stored text, "
        "where they are out of date or with another profile of models. Nothing is lost meanwhile: "
        "searches go on, and a cancelled run goes on where it stopped. With reparse: true the "
        "source files are read again first; those that are gone are kept as stored. May take "
        "minutes. Returns what was rebuilt.",
    )
    async def reindex_collection(
        self,
        ctx: Context,
        profile: ProfileName = None,
        reparse: Annotated[
            bool, Field(description="Read the source files again (default: false)")
        ] = False,
        force: Annotated[
            bool, Field(description="Rebuild also what is up to date (default: false)")
        ] = False,
        collection: CollectionName = None,
    ) -> Annotated[CallToolResult, outputs.ReindexOutput]:
        """Make vectors and terms anew."""
        found: Collection = await locate(self._session, collection)

        def work(hear: Callable[[StepProgress], None], stop: threading.Event) -> "ReindexReport":
            return found.reindex(
                profile,
                reparse=reparse,
                force=force,
                progress=lambda what, done, total: hear(StepProgress(what, done, total)),
                cancel=stop,
            )

        report = await run_long(
            work,
            ctx,
            self._session.writing(found.info.id),
            self._session.running,
            amount=lambda report: report.chunks,
            kept=lambda report: f"{report.documents} documents, {report.embedded} embedded texts",
        )
        notes = await in_thread(partial(profile_notes, self._session.library, profile))
        notes += report.files.notes if report.files else ()
        return answer(_text(report, notes), _result(report, notes))


def _result(report: "ReindexReport", notes: list[str]) -> dict[str, Any]:
    raw = report.as_dict()
    files = raw.pop("files")
    listed = raw["missing_files"][:LISTED_FILES]
    return raw | {
        "counts": files["counts"] if files else None,
        "missing_files": listed,
        "missing_files_omitted": len(raw["missing_files"]) - len(listed),
        "notes": notes,
    }


def _text(report: "ReindexReport", notes: list[str]) -> str:
    size = f"{render.counted(report.documents, 'document')}, "
    size += render.counted(report.chunks, "chunk")
    lines = [f'Reindexed "{report.collection}": {size} in {report.seconds:.1f} s.']
    if report.cancelled:
        lines = [f'Stopped; "{report.collection}" is whole. Call reindex_collection to go on.']
    elif not report.documents:
        lines = [f'"{report.collection}" is up to date; nothing had to be rebuilt.']
    lines.append(f"Profile: {report.profile} (before: {report.previous_profile})")
    if report.files is not None:
        counts = report.files.as_dict()["counts"]
        lines.append("Files: " + ", ".join(f"{n:,} {status}" for status, n in counts.items() if n))
    if report.missing_files:
        gone = render.counted(len(report.missing_files), "source file")
        lines.append(f"{gone} not found any more; what is stored of them was kept:")
        lines += [f"- {path}" for path in report.missing_files[:LISTED_FILES]]
    return "\n".join([*lines, *(f"Note: {note}" for note in notes)])
