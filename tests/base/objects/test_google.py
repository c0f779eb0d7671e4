"""A collection in Google's storage, tested against moto with a translation of the protocol.

Google's XML interface is that of S3 with other terms: an object has a generation, and a write has
the condition that it is unchanged. Google has no emulator with this condition, so the terms are
implemented here and the objects are stored in moto.
"""

from __future__ import annotations

import http.client
import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest

import object_service
from base.objects.scenarios import share, swap_objects
from casetrack.base.errors import CollectionGone, ObjectStorageError
from casetrack.base.objects import service
from casetrack.base.objects.address import Address
from casetrack.store import mirror


class Google:
    """Google's protocol in front of an S3 service; ``seen`` has method, path and condition."""

    def __init__(self, behind: str) -> None:
        self.seen: list[tuple[str, str, str | None]] = []
        self._target = urlsplit(behind)
        self._generations: dict[str, int] = defaultdict(int)
        self._count, self._lock = 1_700_000_000_000_000, threading.Lock()
        google = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_: object) -> None:
                pass

            def _handle(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, headers, content = google.answer(
                    self.command, self.path, dict(self.headers), body
                )
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

        for method in ("GET", "PUT", "POST", "DELETE", "HEAD"):
            setattr(Handler, f"do_{method}", Handler._handle)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """Answer requests one at a time, so that compared and written state are the same."""
        asked = urlsplit(path)
        name, query = unquote(asked.path), parse_qs(asked.query, keep_blank_values=True)
        condition = headers.pop("x-goog-if-generation-match", None)
        with self._lock:
            self.seen.append((method, name, condition))
            if condition is not None and int(condition) != self._generations[name]:
                return 412, {"Content-Length": "0"}, b""
            status, message, content = self._passed(method, path, headers, body)
            is_written = method == "PUT" and "partNumber" not in query
            if status < 300 and (is_written or (method == "POST" and "uploadId" in query)):
                self._count += 1
                self._generations[name] = self._count
            elif status < 300 and method == "DELETE" and "uploadId" not in query:
                self._generations.pop(name, None)
            if self._generations.get(name):
                message["x-goog-generation"] = str(self._generations[name])
            return status, message, content

    def _passed(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        link = http.client.HTTPConnection(self._target.hostname or "", self._target.port)
        kept = {k: v for k, v in headers.items() if k.lower() not in {"host", "authorization"}}
        kept["Authorization"] = f"AWS4-HMAC-SHA256 Credential={object_service.KEY}/-/-/s3/-"
        plain, _, query = path.partition("?")
        link.request(method, quote(unquote(plain)) + (query and f"?{query}"), body, kept)
        answer = link.getresponse()
        content = answer.read()
        link.close()
        left_out = {"connection", "transfer-encoding", "date", "server", "content-length"}
        messages = {k: v for k, v in answer.getheaders() if k.lower() not in left_out}
        size = answer.getheader("Content-Length") if method == "HEAD" else None
        return answer.status, messages | {"Content-Length": size or str(len(content))}, content

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Google]:
    pytest.importorskip("obstore")
    pytest.importorskip("moto.server")
    monkeypatch.setattr(mirror, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr("casetrack.store.datasets._FRESH_NS", 0)
    with object_service.s3() as behind:
        result = Google(behind)
        key = tmp_path / "google.json"
        message = {"gcs_base_url": result.url, "disable_oauth": True}
        message |= dict.fromkeys(("client_email", "private_key", "private_key_id"), "")
        key.write_text(json.dumps(message))
        monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT", str(key))
        monkeypatch.setenv("GOOGLE_ALLOW_HTTP", "true")
        service.open_objects.cache_clear()
        yield result
        result.close()
        service.open_objects.cache_clear()


@pytest.fixture
def bucket(google: Google) -> str:
    return object_service.new_bucket()


def test_objects_are_swapped_by_one_only(google: Google, bucket: str, tmp_path: Path) -> None:
    swap_objects(f"gs://{bucket}/one", tmp_path)
    conditions = [c for method, _, c in google.seen if method == "PUT" and c is not None]
    assert conditions[:2] == ["0", "0"]
    assert conditions[2] != "0"


@pytest.mark.slow
def test_two_computers_share_a_collection(google: Google, bucket: str, tmp_path: Path) -> None:
    one, two, local, remote = share(f"gs://{bucket}/acme", tmp_path)
    local.admin.take_snapshot("both")
    local.delete_document("later.txt")
    assert remote.stats().document_count == 1
    local.admin.restore("both")
    local.admin.upkeep()
    assert remote.search("roof", mode="keyword").results
    # Each commit of both datasets, the lease and the list of files were made under a condition.
    written = {name.rpartition("/")[2] for method, name, c in google.seen if method == "PUT" and c}
    assert {"files.json", "lease.json"} <= written
    assert any(name.endswith(".manifest") for name in written)
    one.delete("Acme")
    with pytest.raises(CollectionGone):
        remote.search("rent")
    two.detach("Acme")


def test_missing_objects_are_reported(google: Google) -> None:
    with pytest.raises(ObjectStorageError, match="nowhere-to-be-found") as caught:
        service.open_objects(Address.of("gs://nowhere-to-be-found/acme")).put("a", b"")
    assert "project" in (caught.value.hint or "")
