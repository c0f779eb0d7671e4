"""Confirmation of deletions by the user, where the client can ask, in both eras."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult, ErrorData

from casetrack.faces.mcp.server import build_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library

ERAS = ["2026-07-28", "legacy"]
GONE, KEPT = 0, 1


@pytest.fixture
def acme(library: Library, case_folder: Path) -> Library:
    library.create("Acme").ingest([case_folder / "Notes.txt"])
    return library


def asking(
    library: Library, answer: Any, mode: str, *calls: tuple[str, dict[str, Any]]
) -> tuple[list[Any], list[str]]:
    """Call tools with a client whose user answers so; return the results and the questions."""
    questions: list[str] = []

    async def ask(_context: Any, params: ElicitRequestParams) -> Any:
        questions.append(params.message)
        assert isinstance(params, ElicitRequestFormParams)
        assert params.requested_schema == {"type": "object", "properties": {}}
        return answer

    async def main() -> list[Any]:
        async with Client(build_server(library), mode=mode, elicitation_callback=ask) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return anyio.run(main), questions


DELETE = ("delete_document", {"document_name": "Notes.txt", "confirm": True})


@pytest.mark.slow
@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("answer", "left"),
    [
        (ElicitResult(action="accept", content={}), GONE),
        (ElicitResult(action="accept", content={"confirm": True}), GONE),
        (ElicitResult(action="accept", content={"confirm": False}), KEPT),
        (ElicitResult(action="decline"), KEPT),
        (ElicitResult(action="cancel"), KEPT),
    ],
)
def test_the_user_decides(
    acme: Library, answer: ElicitResult, left: int, mode: str, codes: list[str], messages: Any
) -> None:
    (result,), (question,) = asking(acme, answer, mode, DELETE)
    assert codes == ["declined"] * left
    assert bool(result.is_error) == bool(left)
    assert len(acme.get("Acme").documents()) == left
    assert all(fact in question for fact in ('"Notes.txt"', "1 ", "Acme"))
    if (answer.action, mode) == ("decline", "legacy"):
        messages(f"{question}\n\n{result.content[0].text}")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", ERAS)
def test_nobody_is_asked_for_nothing(acme: Library, mode: str, codes: list[str]) -> None:
    """No question without the argument, for a missing object, or for a reversible action."""
    yes = ElicitResult(action="accept", content={})
    results, questions = asking(
        acme,
        yes,
        mode,
        ("delete_document", {"document_name": "Notes.txt", "confirm": False}),
        ("delete_document", {"document_name": "Nothing.txt", "confirm": True}),
        ("delete_collection", {"collection_name": "Nobody", "confirm": True}),
        ("close_collection", {"collection_name": "Acme"}),
    )
    assert questions == []
    assert [bool(result.is_error) for result in results] == [False, True, True, False]
    assert codes == ["document_not_found", "collection_not_found"]
    (deleted,), questions = asking(
        acme, yes, mode, ("delete_collection", {"collection_name": "Acme", "confirm": True})
    )
    assert '"Acme"' in questions[0]
    assert not deleted.is_error
    assert acme.collections() == []


@pytest.mark.slow
@pytest.mark.parametrize("mode", ERAS)
def test_a_client_that_cannot_ask_gives_its_word(acme: Library, mode: str, call: Any) -> None:
    assert not call(acme, DELETE, mode=mode).is_error
    assert acme.get("Acme").documents() == []


def test_a_client_that_fails_to_ask_deletes_nothing(
    acme: Library, text: Callable[[Any], str]
) -> None:
    broken = ErrorData(code=-32603, message="no window")
    (result,), _ = asking(acme, broken, "legacy", DELETE)
    assert result.is_error
    assert "no window" in text(result)
    assert len(acme.get("Acme").documents()) == KEPT


@pytest.mark.slow
def test_an_answer_counts_for_its_own_question_only(acme: Library, case_folder: Path) -> None:
    """A stateless client brings its answer along; it may be old, forged or for something else."""
    yes = {"confirm": ElicitResult(action="accept", content={})}

    async def main() -> None:
        async def never(_context: Any, _params: ElicitRequestParams) -> Any:
            raise AssertionError("the client answers by itself here")

        server = build_server(acme)
        async with Client(server, mode=ERAS[0], elicitation_callback=never) as client:

            async def ask(arguments: dict[str, Any], **more: Any) -> Any:
                return await client.session.call_tool(
                    "delete_collection", arguments, allow_input_required=True, **more
                )

            def question(result: Any) -> str:
                return str(result.input_requests["confirm"].params.message)

            arguments = {"collection_name": "Acme", "confirm": True}
            first = await ask(arguments)
            assert " 1 " in question(first)
            # No state: the question was never put.
            assert " 1 " in question(await ask(arguments, input_responses=yes))
            # The collection has more documents now than the user has seen.
            acme.get("Acme").ingest([case_folder / "Letters" / "Reminder.md"])
            state = first.request_state
            second = await ask(arguments, input_responses=yes, request_state=state)
            assert " 2 " in question(second)
            other = {"collection_name": "acme", "confirm": True}
            with pytest.raises(MCPError, match="requestState"):
                await ask(other, input_responses=yes, request_state=second.request_state)
            assert [info.name for info in acme.collections()] == ["Acme"]
            done = await ask(arguments, input_responses=yes, request_state=second.request_state)
            assert done.structured_content["deleted"]["name"] == "Acme"

    anyio.run(main)
    assert acme.collections() == []
