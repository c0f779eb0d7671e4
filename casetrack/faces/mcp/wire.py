"""Answers to invalid lines on standard input, which the SDK does not answer.

Their sender would otherwise wait forever (JSON-RPC 2.0, section 5.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp import types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from casetrack.base.dataclass import dataclass

if TYPE_CHECKING:
    from mcp.shared._context_streams import ContextReceiveStream, ContextSendStream

    from casetrack.faces.mcp.opening import Opening

_ID_CHARS = 256
"""Longer ids are not answered."""


@dataclass(eq=False)
class AnsweringStream:
    """A stream of valid messages; invalid ones are answered with an error and left out.

    Parameters
    ----------
    messages
        The incoming messages, with an exception for each invalid line.
    answers
        Receives the errors.
    opening
        The line before the first message.
    """

    messages: ContextReceiveStream[SessionMessage | Exception]
    answers: ContextSendStream[SessionMessage]
    opening: Opening | None = None

    @property
    def last_context(self) -> Any:
        """The context of the last message, in which the SDK continues."""
        return self.messages.last_context

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message.

        Raises
        ------
        anyio.EndOfStream
            The stream has ended.
        """
        while True:
            opening, self.opening = self.opening, None
            item = _message(opening.line) if opening else await self.messages.receive()
            if not isinstance(item, ValidationError):
                return item
            error = refusal(item)
            if error is not None:
                await self.answers.send(SessionMessage(error))

    async def aclose(self) -> None:
        """Close the stream."""
        await self.messages.aclose()

    def __aiter__(self) -> AnsweringStream:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        import anyio

        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> AnsweringStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class UnansweredStream:
    """A stream of answers without the one to the request *opening*, which is answered already."""

    def __init__(
        self, answers: ContextSendStream[SessionMessage], opening: Opening | None, /
    ) -> None:
        self._answers = answers
        self._answered = None if opening is None else opening.answered

    async def send(self, item: SessionMessage, /) -> None:
        """Send an answer, or drop it."""
        message, number = item.message, self._answered
        if number is None or not isinstance(message, types.JSONRPCResponse) or message.id != number:
            await self._answers.send(item)
        else:
            self._answered = None

    async def aclose(self) -> None:
        """Close the stream."""
        await self._answers.aclose()

    async def __aenter__(self) -> UnansweredStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _message(line: str) -> SessionMessage | Exception:
    """Read a line as the SDK does."""
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValidationError as error:
        return error


def refusal(error: ValidationError, /) -> types.JSONRPCError | None:
    """Return the answer to a line that is not a message; ``None`` for an empty line."""
    first = error.errors(include_url=False)[0]
    value = first["input"]
    if first["type"] == "json_invalid":
        if isinstance(value, str) and not value.strip():
            return None
        reason = str(first["msg"]).removeprefix("Invalid JSON: ")
        return _error(None, types.PARSE_ERROR, f"The line is not JSON: {reason}.")
    if isinstance(value, list):
        # Versions of the protocol since 2025-06-18 know no batch: a parser has nothing for one.
        problem = "The protocol has no batches: send one message per line."
        return _error(None, types.PARSE_ERROR, problem)
    return _error(
        _id(value), types.INVALID_REQUEST, "The line is JSON, but not a JSON-RPC 2.0 message."
    )


def _id(value: Any) -> str | int | None:
    """Return the request id of the sender, if it is valid."""
    number = value.get("id") if isinstance(value, dict) else None
    if isinstance(number, str) and len(number) <= _ID_CHARS:
        return number
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _error(number: str | int | None, code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(
        jsonrpc="2.0", id=number, error=types.ErrorData(code=code, message=message)
    )
