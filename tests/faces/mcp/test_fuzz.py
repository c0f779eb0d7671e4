"""A call with any arguments ends soon with a valid and helpful result.

`just faults fuzz` makes 5,000 such calls; `CASETRACK_FUZZ` is their number.
"""

from __future__ import annotations

import json
import logging
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hostile_calls import (
    CLIENTS,
    KEYS,
    LEAKS,
    NAMES,
    QUICK_NAMES,
    SECRET,
    TEXTS,
    Home,
    calls,
    check,
)

pytestmark = pytest.mark.slow
CALLS = int(os.environ.get("CASETRACK_FUZZ", "120"))


@pytest.fixture(scope="module", autouse=True)
def _surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("CASETRACK_SECRET_OF_THE_TEST", SECRET)
        patch.delenv("OPENAI_API_KEY", raising=False)
        logger = logging.getLogger("casetrack.mcp")
        before = logger.level
        logger.setLevel(logging.CRITICAL)
        yield
        logger.setLevel(before)


def run_calls(home: Home, how: settings, names: tuple[str, ...] = NAMES) -> None:
    """Run generated calls of some tools; *how* are the settings."""

    @settings(how, deadline=None, suppress_health_check=list(HealthCheck))
    @given(call=calls(names), client=st.sampled_from(CLIENTS))
    def one(call: tuple[str, dict[str, Any]], client: int) -> None:
        if home.worn():
            home.renew()
        tool, drawn = call
        arguments = {name: home.resolve(value) for name, value in drawn.items()}
        check(home, arguments, home.call(tool, arguments, client))

    one()


def test_any_call(tmp_path: Path) -> None:
    home = Home(tmp_path, tmp_path / "models", random.Random(7391))
    try:
        how = settings(max_examples=CALLS, derandomize=True, phases=[Phase.generate])
        run_calls(home, how, QUICK_NAMES)
    finally:
        home.close()


PIECES = st.sampled_from(["@collection", "@document", "@chunk", "1", "9999999", "0", ""]) | TEXTS
URIS = st.lists(
    st.sampled_from(["collections", "documents", "chunks", "pages", "page", ".."]) | PIECES,
    max_size=7,
)
PROMPTS = st.dictionaries(st.sampled_from(["collection", "topic", "document_name"]) | KEYS, TEXTS)


def test_any_resource_and_prompt(tmp_path: Path) -> None:
    home = Home(tmp_path, tmp_path / "models", random.Random(7391))
    known = [prompt["name"] for prompt in home.ask(0, "list_prompts")["prompts"]]

    @settings(
        max_examples=80,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        pieces=URIS,
        name=st.sampled_from([*known, "x"]),
        arguments=PROMPTS,
        client=st.sampled_from(CLIENTS),
    )
    def one(pieces: list[str], name: str, arguments: dict[str, str], client: int) -> None:
        # Clients cannot even send half a character here, as the address is also a header.
        whole = "/".join(map(str, home.resolve(pieces))).encode("utf-8", "replace").decode()
        uris = (f"casetrack://{whole}", whole)
        answers = [home.ask(client, "read_resource", uri) for uri in uris]
        answers.append(home.ask(client, "get_prompt", name, arguments))
        for answer in answers:
            facts = json.dumps(answer)
            assert not any(leak in facts for leak in LEAKS)
            assert "root:x:0:0" not in facts
            # Codes for bad requests, never for a defect of the server.
            assert answer.get("code", -32602) in {-32600, -32601, -32602, -32002, -32042}, answer

    try:
        one()
    finally:
        home.close()
