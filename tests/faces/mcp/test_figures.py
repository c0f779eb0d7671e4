"""Metrics of a server for Prometheus, and log lines for programs."""

from __future__ import annotations

import json
import logging
import re
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.base import metrics
from casetrack.base.config import load_settings
from casetrack.base.errors import UsageError
from casetrack.base.http.address import Address, access
from casetrack.faces.mcp.app import server_for
from casetrack.faces.mcp.figures import JsonLines, metrics_route
from casetrack.faces.mcp.http.serving import gated
from casetrack.faces.mcp.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    import httpx2

    from casetrack.api.library import Library

TOKEN = "correct-horse-battery-staple"
_SAMPLE = re.compile(r"([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)")
_LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"')


def parsed(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Read the form as its definition has it: a TYPE before every sample, every name once."""
    assert text.endswith("\n")
    by_name: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    kinds: dict[str, str] = {}
    for line in text.split("\n")[:-1]:
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            assert name not in kinds
            kinds[name] = kind
        elif not line.startswith("# HELP "):
            fits = _SAMPLE.fullmatch(line)
            assert fits, line
            labels = _LABEL.findall(fits[2] or "")
            assert ",".join(f'{k}="{v}"' for k, v in labels) == (fits[2] or "")
            family = re.sub(r"_(bucket|sum|count)$", "", fits[1])
            assert fits[1] in kinds or kinds[family] == "histogram"
            key = (fits[1], frozenset(labels))
            assert key not in by_name
            by_name[key] = float(fits[3])
    return by_name


def test_times_are_counted_in_every_bucket_above_them() -> None:
    times = metrics.Histogram("x_seconds", "Times.")
    for seconds in (0.001, 0.005, 0.3, 99.0):
        times.observe(seconds, tool="a")
    result = parsed("\n".join(times.lines()) + "\n")
    at = {dict(key[1]).get("le"): value for key, value in result.items()}
    assert (at["0.005"], at["0.25"], at["0.5"], at["60"], at["+Inf"]) == (2, 2, 3, 3, 4)
    label = frozenset({("tool", "a")})
    assert result["x_seconds_count", label] == 4
    assert result["x_seconds_sum", label] == pytest.approx(99.306)


@pytest.mark.parametrize("text", ['a "b"', "back\\slash", "two\nlines", "\udcff", "ü,{}="])
def test_any_label_can_be_reported(text: str) -> None:
    many = metrics.Counter("x_total", "Things.")
    many.add(name=text)
    many.add(2, name=text)
    many.add(name="other")
    assert sorted(parsed("\n".join(many.lines()) + "\n").values()) == [1, 3]


def answers(library: Library, *asked: Any, token: str | None = None) -> list[httpx2.Response]:
    """Return the metrics answers of a server without and with the token."""
    import httpx2

    address = Address(None, "127.0.0.1", 8765, is_loopback=True)  # type: ignore[arg-type]
    session = Session(library)
    server = server_for(session)
    gate = gated(server, access(address, (), token), [metrics_route(session.library)])
    got: list[httpx2.Response] = []

    async def work() -> None:
        app: Any = gate._app
        transport = httpx2.ASGITransport(app=gate)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as client,
        ):
            for tool, arguments in asked:
                await server.call_tool(tool, arguments)
            got.append(await client.get("/metrics"))
            known = {"authorization": f"Bearer {TOKEN}"}
            got.append(await client.get("/metrics", headers=known))

    anyio.run(work)
    return got


def test_a_server_tells_what_it_answered_and_holds(
    library: Library, store_text: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from casetrack.store.session import write_session

    monkeypatch.setattr(metrics.CALLS, "_values", {})
    monkeypatch.setattr(metrics.CALL_SECONDS, "_counts", {})
    monkeypatch.setattr(metrics.CALL_SECONDS, "_sums", {})
    made = library.create("Very confidential name")
    with write_session(made.folder) as session:
        store_text(session, "secret.txt", "The rent is EUR 900.")
    asked = [("list_collections", {}), ("get_document", {"document": "hidden"}), ("no_such", {})]
    answer = answers(library, *asked)[0]
    assert answer.status_code == 200
    assert answer.headers["content-type"] == metrics.CONTENT_TYPE
    text = parsed(answer.text)

    def value(name: str, **labels: str) -> float:
        return text[name, frozenset(labels.items())]

    assert value("casetrack_calls_total", tool="list_collections", outcome="ok") == 1
    assert value("casetrack_calls_total", tool="unknown", outcome="failed") >= 1
    assert value("casetrack_call_seconds_count", tool="list_collections") == 1
    assert value("casetrack_documents", collection=made.info.id) == 1
    assert value("casetrack_passages", collection=made.info.id) == 1
    assert value("casetrack_collections_unreadable") == 0
    assert value("process_resident_memory_bytes") > 1e6
    for word in ("confidential", "secret", "hidden", "no_such", "rent is"):
        assert word not in answer.text


def test_a_collection_that_is_damaged_is_counted(library: Library) -> None:
    made = library.create("C")
    for name in ("collection.json", ".collection.json.bak"):
        (made.folder / name).write_bytes(b"{")
    for name in ("chunks.lance", "documents.lance"):
        (made.folder / name).rename(made.folder / f"{name}.lost")
    text = parsed(answers(library)[0].text)
    assert text["casetrack_collections_unreadable", frozenset()] == 1


def test_figures_are_behind_the_token(library: Library) -> None:
    without, with_it = answers(library, token=TOKEN)
    assert (without.status_code, with_it.status_code) == (401, 200)
    assert "Authorization: Bearer" in without.text


def test_a_line_of_the_log_is_one_line_of_json() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        record = logging.LogRecord(
            "casetrack.faces.mcp", logging.ERROR, "", 1, "said %s", ("ü\n\udcff",), sys.exc_info()
        )
    record.tool, record.seconds = "search", 0.25
    text = JsonLines().format(record)
    assert "\n" not in text
    line = json.loads(text)
    assert line.pop("error").splitlines()[-2:] == ["ValueError: two", "lines"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time"))
    assert line == {
        "level": "ERROR",
        "logger": "casetrack.faces.mcp",
        "message": "said ü\n\udcff",
        "tool": "search",
        "seconds": 0.25,
    }


def test_the_form_of_the_log_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings(tmp_path).log == "text"
    (tmp_path / "config.toml").write_text('log = "json"\n')
    assert load_settings(tmp_path).log == "json"
    monkeypatch.setenv("CASETRACK_LOG", "Text")
    assert load_settings(tmp_path).log == "text"
    monkeypatch.setenv("CASETRACK_LOG", "xml")
    with pytest.raises(UsageError, match="'xml'") as caught:
        load_settings(tmp_path)
    assert "text, json" in str(caught.value)
