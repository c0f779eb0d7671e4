"""``casetrack collection create --at|attach|detach``, and commands that are given an address."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from faces.cli.conftest import Run, error_of


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"{(tmp_path / 'shared').as_uri()}/mill"


def test_a_collection_of_two_computers(
    run: Run, files: Path, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("collection", "create", "Mill", "--at", address).code == 0
    assert run("ingest", files / "lease.txt", "-c", "Mill").code == 0
    facts = json.loads(run("collection", "info", "Mill", "--json").out)
    assert facts["place"] == address
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path / "other"))
    ended = run("search", "rent", "-c", address, "--mode", "keyword")
    assert "lease.txt, p. 1" in ended.out
    attached = run("collection", "attach", address)
    assert f'"Mill" (ID: {facts["id"]}): 1 ' in attached.out
    assert address in " ".join(run("collection", "info", "Mill").out.split())
    checks = json.loads(run("doctor", "-c", "Mill", "--json").out)["checks"]
    assert all(check["ok"] for check in checks if check["name"] == "folder")
    detached = run("collection", "detach", "Mill")
    assert (detached.code, address in detached.out) == (0, True)
    assert json.loads(run("collection", "list", "--json").out) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (("collection", "attach", "s3://cases"), "s3://cases"),
        (("collection", "attach", "ADDRESS"), "file:"),
        (("search", "rent", "-c", "ADDRESS"), "file:"),
        (("collection", "create", "Mill", "--at", "Mill"), "'Mill'"),
        (("watch", "add", "s3://cases/x", "-c", "Own"), "s3://cases/x"),
    ],
)
def test_what_cannot_be_meant(
    run: Run, address: str, arguments: tuple[str, ...], fact: str
) -> None:
    run("collection", "create", "Own")
    ended = run(*(address if a == "ADDRESS" else a for a in arguments), "--json")
    assert ended.code == 2
    assert fact in error_of(ended)["message"]
