"""A collection in Azure's storage, tested against Microsoft's emulator Azurite."""

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
from collections.abc import Iterator
from pathlib import Path

import pytest

from base.objects.scenarios import share, swap_objects
from casetrack.base.errors import ObjectStorageError
from casetrack.base.objects import service
from casetrack.base.objects.address import Address

pytestmark = pytest.mark.needs("npm")
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
    azurite = shutil.which("azurite-blob")
    if azurite is None:
        pytest.skip("Azurite is missing: `npm install -g azurite`")
    command = [azurite, "--inMemoryPersistence", "--silent", "--skipApiVersionCheck"]
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
    swap_objects("az://cases/one", tmp_path)


def test_two_computers_share_a_collection(tmp_path: Path) -> None:
    share("az://cases/acme", tmp_path)


def test_missing_objects_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ObjectStorageError, match="nowhere") as caught:
        service.open_objects(Address.of("az://nowhere/acme")).put("a", b"")
    assert "AZURE_STORAGE_ACCOUNT_NAME" in (caught.value.hint or "")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", base64.b64encode(os.urandom(64)).decode())
    service.open_objects.cache_clear()
    with pytest.raises(ObjectStorageError, match="cases") as caught:
        service.open_objects(Address.of("az://cases/acme")).put("a", b"")
    assert "AZURE_STORAGE_ACCOUNT_KEY" in (caught.value.hint or "")
