"""``casetrack collection create --at|attach|detach``, and commands that are given an address."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Any]


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"{(tmp_path / 'shared').as_uri()}/mill"


def test_a_collection_of_two_computers(
    run: Run, files: Path, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("collection", "create", "Mill", "--at", address).code == 0
    assert run("ingest", files / "lease.txt", "-c", "Mill").code == 0
    told = json.loads(run("collection", "info", "Mill", "--json").out)
    assert told["place"] == address
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path / "other"))
    found = run("search", "rent", "-c", address, "--mode", "keyword")
    assert "lease.txt, p. 1" in found.out
    attached = run("collection", "attach", address)
    assert attached.out.startswith(f'Attached "Mill" (ID: {told["id"]}): 1 document.')
    assert f"Lies at {address}" in " ".join(run("collection", "info", "Mill").out.split())
    assert "does not belong" not in run("doctor", "-c", "Mill").out
    detached = run("collection", "detach", "Mill")
    assert detached.out == f'Detached "Mill" (ID: {told["id"]}). It stays at {address}.\n'
    assert "No collections" in run("collection", "list").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("collection", "attach", "s3://cases"), "names a whole bucket"),
        (("collection", "attach", "ADDRESS"), "There is no collection at file:"),
        (("search", "rent", "-c", "ADDRESS"), "There is no collection at file:"),
        (("collection", "create", "Mill", "--at", "Mill"), "'Mill' is no address of a place"),
        (("watch", "add", "s3://cases/x", "-c", "Own"), "cannot be watched: object storage tells"),
        (("collection", "detach", "Own"), "lies in this data folder, and nowhere else"),
    ],
)
def test_what_cannot_be_meant(
    run: Run, address: str, arguments: tuple[str, ...], said: str
) -> None:
    run("collection", "create", "Own")
    ended = run(*(address if a == "ADDRESS" else a for a in arguments))
    assert ended.code == 2
    assert said in " ".join(ended.err.split())
    assert "Traceback" not in ended.err
