"""A client of a server in a process of its own, which keeps what a program would be shown."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.server import HELLO, Pipe
from vocabulary import compact, count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

PICTURE_TOKENS = 1_500
"""What a picture costs, about: models count its area, and clients shrink it to about this."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from a call.

    Attributes
    ----------
    text
        The text for people.
    data
        The structured content; ``None`` where there is none.
    pictures
        How many pictures came.
    failed
        Whether it says that the call could not be done.
    """

    tool: str
    arguments: Mapping[str, Any]
    text: str
    data: Any
    pictures: int
    failed: bool

    @property
    def shown(self) -> str:
        """What a client shows its model: the structure where there is one, else the text."""
        return self.text if self.data is None else compact(self.data)

    @property
    def asked(self) -> int:
        """Tokens that the model writes to call the tool."""
        return count({"name": self.tool, "arguments": self.arguments})

    @property
    def cost(self) -> int:
        """Tokens of what is shown."""
        return count(self.shown) + self.pictures * PICTURE_TOKENS

    @property
    def text_cost(self) -> int:
        """Tokens of the same in a client that shows its model the text."""
        return count(self.text) + self.pictures * PICTURE_TOKENS


class Server:
    """A connected server.

    Parameters
    ----------
    pipe
        Where it listens.
    """

    def __init__(self, pipe: Pipe, /) -> None:
        self._pipe = pipe
        self.instructions = str(pipe.call("initialize", HELLO).get("instructions", ""))
        pipe.send({"method": "notifications/initialized"})
        self.tools: list[dict[str, Any]] = pipe.call("tools/list", {})["tools"]

    @property
    def listed(self) -> int:
        """Tokens of the list of tools and of the instructions."""
        return count({"tools": self.tools}) + count(self.instructions)

    def call(self, tool: str, arguments: Mapping[str, Any], /) -> Answer:
        """Call a tool; an error of the protocol counts as a text that says so."""
        message = self._pipe.ask("tools/call", {"name": tool, "arguments": dict(arguments)})
        if "error" in message:
            return Answer(tool, arguments, json.dumps(message["error"]), None, 0, True)
        result = message["result"]
        blocks = result.get("content", [])
        return Answer(
            tool,
            arguments,
            "\n".join(block["text"] for block in blocks if block["type"] == "text"),
            result.get("structuredContent"),
            sum(block["type"] == "image" for block in blocks),
            bool(result.get("isError")),
        )


@contextmanager
def connected(program: Sequence[str], home: Path, tools: str, models: Path, /) -> Iterator[Server]:
    """Yield a server over the data folder *home*; *tools* empty leaves the choice to it."""
    command = [*program, "serve", "--data-dir", str(home)]
    command += ["--tools", tools] if tools else []
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=home,
        env=os.environ | {"CASETRACK_MODELS": str(models)},
    ) as process:
        try:
            yield Server(Pipe(process))
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=60)
