"""A collection in Azure's storage: held against Azurite, Microsoft's own stand-in."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from typing import TYPE_CHECKING

import pytest

from casetrack.config import load_settings
from casetrack.errors import ObjectStorageError
from casetrack.library import Library
from casetrack.objects import service
from casetrack.objects.address import Address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AZURITE = shutil.which("azurite-blob")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(AZURITE is None, reason="Azurite is missing: `npm install -g azurite`"),
]
ACCOUNT = "devstoreaccount1"
KEY = (  # not secret: the same in every Azurite
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)


def new_container(address: str, name: str) -> None:
    """Make a container; the library that CaseTrack uses cannot."""
    headers = {
        "x-ms-date": dt.datetime.now(dt.UTC).strftime("%a, %d %b %Y %H:%M:%S GMT"),
        "x-ms-version": "2021-08-06",
    }
    kind = "application/octet-stream"
    lines = ["PUT", "", "", "", "", kind, *[""] * 6, *(f"{k}:{v}" for k, v in headers.items())]
    words = "\n".join([*lines, f"/{ACCOUNT}/{ACCOUNT}/{name}", "restype:container"]).encode()
    digest = hmac.new(base64.b64decode(KEY), words, hashlib.sha256).digest()
    headers["authorization"] = f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}"
    request = urllib.request.Request(
        f"{address}/{name}?restype=container",
        method="PUT",
        data=b"",
        headers=headers | {"content-type": kind},
    )
    assert urllib.request.urlopen(request).status == 201


@pytest.fixture(scope="module")
def azure() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(AZURITE), "--inMemoryPersistence", "--silent", "--skipApiVersionCheck"]
    with subprocess.Popen(
        [*command, "--disableTelemetry", "--blobPort", str(port)], stdout=subprocess.DEVNULL
    ) as program:
        address = f"http://127.0.0.1:{port}/{ACCOUNT}"
        for _ in range(100):
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        new_container(address, "cases")
        yield address
        program.terminate()


@pytest.fixture(autouse=True)
def _asking(azure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_STORAGE_USE_EMULATOR", "true")
    monkeypatch.setenv("AZURITE_BLOB_STORAGE_URL", azure.rpartition("/")[0])
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", ACCOUNT)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", KEY)
    service.open_objects.cache_clear()


def test_objects_are_swapped_by_one_only(tmp_path: Path) -> None:
    objects = service.open_objects(Address.of("az://cases/one"))
    first = objects.swap("a/b", b"1", None)
    assert first is not None
    assert objects.swap("a/b", b"2", None) is None
    second = objects.swap("a/b", b"2", first)
    assert second not in {None, first}
    assert objects.swap("a/b", b"3", first) is None
    assert [(e.key, e.size) for e in objects.list("a")] == [("a/b", 1)]
    found = objects.get("a/b")
    assert found is not None
    assert (found.data, found.tag) == (b"2", second)
    assert objects.get("a/b", unless=second) is None
    (tmp_path / "c").write_bytes(b"whole")
    objects.send("c", tmp_path / "c")
    assert objects.fetch("c", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == b"whole"
    objects.remove("a/b")
    assert objects.get("a/b") is None


def test_two_computers_share_a_collection(tmp_path: Path) -> None:
    (tmp_path / "lease.txt").write_text("The tenant pays the rent on the third working day.")
    (tmp_path / "later.txt").write_text("The landlord repairs the roof.")
    one, two = (Library(load_settings(tmp_path / name)) for name in ("one", "two"))
    here = one.create("Acme", at="az://cases/acme")
    here.ingest([tmp_path / "lease.txt"])
    there = two.attach("az://cases/acme")
    assert there.search("rent", mode="keyword").results[0].provenance.document_name == "lease.txt"
    there.ingest([tmp_path / "later.txt"])
    assert here.search("roof", mode="keyword").results[0].provenance.document_name == "later.txt"
    assert here.stats().document_count == 2


def test_what_is_not_there_is_said_in_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ObjectStorageError, match="no such container") as caught:
        service.open_objects(Address.of("az://nowhere/acme")).put("a", b"")
    assert "AZURE_STORAGE_ACCOUNT_NAME" in (caught.value.hint or "")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", base64.b64encode(os.urandom(64)).decode())
    service.open_objects.cache_clear()
    with pytest.raises(ObjectStorageError, match="may not do this") as caught:
        service.open_objects(Address.of("az://cases/acme")).put("a", b"")
    assert "AZURE_STORAGE_ACCOUNT_KEY" in (caught.value.hint or "")
