"""Buckets, over HTTP: a real server of moto's, and a proxy that has bad days."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import object_service
from casetrack.base.errors import JobStopped, SourceChanged, SourceError, SourceSkipped, UsageError
from casetrack.keep.sources import open_source

pytest.importorskip("obstore")
pytest.importorskip("moto.server")
from moto.s3.models import s3_backends


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with object_service.s3() as url:
        yield url


class Bucket:
    """A bucket; it is filled behind the server, and read over HTTP."""

    def __init__(self, service: str, name: str) -> None:
        self.service, self.name = service, name
        self._backend = s3_backends["123456789012"]["aws"]
        self._backend.create_bucket(name, "us-east-1")

    def put(self, key: str, text: str, **facts: str) -> None:
        self._backend.put_object(self.name, key, text.encode(), **facts)

    def delete(self, key: str) -> None:
        self._backend.delete_object(self.name, key)


@pytest.fixture(scope="module")
def large_bucket(service: str) -> Bucket:
    """One with more objects than a page of a listing holds."""
    bucket = Bucket(service, "large")
    for number in range(1012):
        bucket.put(f"docs/{number:04}.md", f"text {number}")
    return bucket


@pytest.fixture
def bucket(service: str, request: pytest.FixtureRequest) -> Bucket:
    return Bucket(service, f"docs-{abs(hash(request.node.nodeid)) % 10**12}")


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    object_service.use(monkeypatch, "")
    monkeypatch.delenv("AWS_ENDPOINT_URL")


def open_bucket(bucket: Bucket, tmp_path: Path, **keys: Any) -> Any:
    keys = {"bucket": bucket.name, "endpoint_url": bucket.service, **keys}
    return open_source("s3", "runbooks", keys, base=tmp_path)


def names(source: Any) -> list[str]:
    return [item.source_id for item in source.items()]


@pytest.mark.slow
def test_more_objects_than_a_page_holds(large_bucket: Bucket, tmp_path: Path) -> None:
    source = open_bucket(large_bucket, tmp_path)
    items = list(source.items())
    assert [item.source_id for item in items] == [f"docs/{n:04}.md" for n in range(1012)]
    assert len({item.token for item in items}) == 1012
    last = items[-1]
    assert (last.size, last.url) == (9, "s3://large/docs/1011.md")
    assert last.updated_at.tzinfo is not None
    source.fetch(last, tmp_path / "x")
    assert (tmp_path / "x").read_text() == "text 1011"


def test_prefix_and_globs(bucket: Bucket, tmp_path: Path) -> None:
    for key in ("run/a.md", "runbook/b.md", "runbook/c.txt", "z.md", "run/k.pem", "run/p.png"):
        bucket.put(key, "text")
    bucket.put("run/", "")
    assert names(open_bucket(bucket, tmp_path, prefix="run/")) == ["run/a.md"]
    some = open_bucket(bucket, tmp_path, prefix="run", include_globs=["*.md"])
    assert names(some) == ["run/a.md", "runbook/b.md"]
    assert names(open_bucket(bucket, tmp_path, exclude_globs=["run*/"])) == ["z.md"]
    assert names(open_bucket(bucket, tmp_path, prefix="nothing")) == []


def test_odd_keys_and_large_objects(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("a bü.md", "text")
    bucket.put("100%.md", "x" * 100)
    bucket.put("large.md", "x" * 101)
    source = open_bucket(bucket, tmp_path, max_extract_bytes=100)
    first, second = source.items()
    assert (first.source_id, second.source_id) == ("100%.md", "a bü.md")
    for item in (first, second):
        source.fetch(item, tmp_path / item.source_id)
    (note,) = source.notes
    assert "large.md" in note
    with pytest.raises(SourceSkipped, match=r"100%\.md"):
        open_bucket(bucket, tmp_path, max_extract_bytes=99).fetch(first, tmp_path / "y")


def test_a_token_is_of_content_and_never_of_time(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("a.md", "one")
    source = open_bucket(bucket, tmp_path)
    [before] = source.items()
    bucket.put("a.md", "one")
    [same] = source.items()
    bucket.put("a.md", "two")
    [other] = source.items()
    assert before.token == same.token != other.token


def test_an_object_that_was_replaced_or_removed(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("a.md", "one")
    source = open_bucket(bucket, tmp_path)
    [item] = source.items()
    bucket.put("a.md", "two")
    for change in (lambda: None, lambda: bucket.delete("a.md")):
        change()
        with pytest.raises(SourceChanged, match=r"s3:runbooks: a\.md"):
            source.fetch(item, tmp_path / "a")


class Proxy:
    """Forwards requests and changes them as *behave* defines."""

    def __init__(self, service: str, behave: Callable[[BaseHTTPRequestHandler, int], Any]) -> None:
        self.asked = 0
        target = urlsplit(service).netloc

        class Handler(BaseHTTPRequestHandler):
            def do_GET(inner) -> None:  # noqa: N805
                self.asked += 1
                text = behave(inner, self.asked)
                if isinstance(text, int):
                    body = b"<Error><Code>SlowDown</Code><Message>Less, please.</Message></Error>"
                    inner.send_response(text)
                    inner.send_header("Content-Length", str(len(body)))
                    inner.end_headers()
                    inner.wfile.write(body)
                    return
                wire = http.client.HTTPConnection(target)
                headers = {k: v for k, v in inner.headers.items() if k not in (text or ())}
                wire.request("GET", inner.path, headers=headers)
                answer = wire.getresponse()
                body = answer.read()
                wire.close()
                inner.send_response(answer.status)
                for key, value in answer.getheaders():
                    if key.lower() not in {"transfer-encoding", "connection", "content-length"}:
                        inner.send_header(key, value)
                inner.send_header("Content-Length", str(len(body)))
                inner.end_headers()
                inner.wfile.write(body[: len(body) // 2] if text == "half" else body)
                inner.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def proxied(bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return ``proxied(behave)``: a proxy, and a source that reads a bucket through it."""
    made: list[Proxy] = []

    def make(behave: Any, *, retries: int = 0, of: Bucket = bucket, **keys: Any) -> tuple[Any, Any]:
        monkeypatch.setattr("casetrack.base.objects.service.RETRIES", retries)
        made.append(Proxy(bucket.service, behave))
        return made[-1], open_bucket(of, tmp_path, endpoint_url=made[-1].url, **keys)

    yield make
    for proxy in made:
        proxy.close()


def test_throttling_is_waited_out(bucket: Bucket, tmp_path: Path, proxied: Any) -> None:
    bucket.put("a.md", "one")
    proxy, source = proxied(lambda _, number: 503 if number % 2 else None, retries=2)
    [item] = source.items()
    source.fetch(item, tmp_path / "a")
    assert (tmp_path / "a").read_text() == "one"
    assert proxy.asked == 4


def test_throttling_without_end_is_reported(proxied: Any) -> None:
    proxy, source = proxied(lambda *_: 503, retries=1)
    with pytest.raises(SourceError) as caught:
        names(source)
    assert caught.value.message.startswith(f"s3:runbooks: {proxy.url} ")
    assert " 1 " in caught.value.message  # tries
    assert caught.value.message.endswith(": Less, please.")


@pytest.mark.slow
def test_a_listing_that_dies_half_way_is_an_error(large_bucket: Bucket, proxied: Any) -> None:
    proxy, source = proxied(lambda _, number: 500 if number > 1 else None, of=large_bucket)
    collected = []
    with pytest.raises(SourceError, match=proxy.url):
        collected += source.items()
    assert len(collected) == 1000


def test_a_service_without_conditions(bucket: Bucket, tmp_path: Path, proxied: Any) -> None:
    bucket.put("a.md", "one")
    _, source = proxied(lambda *_: ("if-match", "If-Match"))
    [item] = source.items()
    bucket.put("a.md", "two")
    with pytest.raises(SourceChanged):
        source.fetch(item, tmp_path / "a")


def test_an_archived_object_is_no_question_of_credentials(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("a.md", "text", storage="GLACIER")
    source = open_bucket(bucket, tmp_path)
    with pytest.raises(SourceError, match=r"a\.md is archived") as caught:
        source.fetch(next(source.items()), tmp_path / "a")
    assert "exclude_globs" in caught.value.hint


def test_an_answer_that_breaks_off(bucket: Bucket, tmp_path: Path, proxied: Any) -> None:
    bucket.put("a.md", "x" * 100_000)
    _, source = proxied(lambda inner, _: "half" if "a.md" in inner.path else None)
    [item] = source.items()
    with pytest.raises(SourceError):
        source.fetch(item, tmp_path / "a")


def test_missing_credentials_are_named(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = open_bucket(bucket, tmp_path)
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(SourceError) as caught:
        names(source)
    assert "AWS_SECRET_ACCESS_KEY" in caught.value.message
    assert "AWS_ACCESS_KEY_ID" not in caught.value.message
    assert "`anonymous = true`" in caught.value.hint
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(SourceError, match=r"AWS_ACCESS_KEY_ID .*AWS_SECRET_ACCESS_KEY"):
        names(source)


def test_refused_credentials_are_never_shown(bucket: Bucket, proxied: Any) -> None:
    def refuse(inner: BaseHTTPRequestHandler, _: int) -> int:
        assert object_service.KEY in inner.headers["authorization"]
        return 403

    with pytest.raises(SourceError, match=f"'{bucket.name}'") as caught:
        names(proxied(refuse)[1])
    assert object_service.KEY not in str(caught.value)
    assert object_service.SECRET not in str(caught.value)


def test_a_public_bucket_is_asked_without_any(
    proxied: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    _, source = proxied(lambda i, _: seen.append(i.headers["authorization"]), anonymous=True)
    assert names(source) == []
    assert seen == [None]


def test_a_bucket_that_is_gone(bucket: Bucket, tmp_path: Path) -> None:
    bucket.name = "gone"
    with pytest.raises(SourceError) as caught:
        names(open_bucket(bucket, tmp_path))
    assert "'gone'" in caught.value.message
    assert bucket.service in caught.value.message
    assert all(key in caught.value.hint for key in ("'bucket'", "'region'", "'endpoint_url'"))


def test_an_absent_service(bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("casetrack.base.objects.service.RETRIES", 0)
    with pytest.raises(SourceError) as caught:
        names(open_bucket(bucket, tmp_path, endpoint_url="http://127.0.0.1:1"))
    assert "http://127.0.0.1:1 " in caught.value.message


def test_a_key_that_is_no_path_hides_its_folder_alone(bucket: Bucket, tmp_path: Path) -> None:
    for key in ("a.md", "docs/a.md", "docs/deep/b.md", "odd//b.md", "odd/c.md", "z/d.md"):
        bucket.put(key, "text")
    source = open_bucket(bucket, tmp_path)
    assert sorted(names(source)) == ["a.md", "docs/a.md", "docs/deep/b.md", "z/d.md"]
    assert source.dark == ["odd"]
    (note,) = source.notes
    assert "'odd//'" in note
    with pytest.raises(SourceError, match="'odd//'"):
        names(open_bucket(bucket, tmp_path, prefix="odd/"))


def test_it_can_be_stopped(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put("a.md", "text")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(JobStopped):
        list(open_bucket(bucket, tmp_path).items(cancel=cancel))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"bucket": "s3://docs"}, "'bucket' of s3:runbooks"),
        ({"bucket": "docs", "endpoint_url": "localhost:9000"}, "'endpoint_url' of s3:runbooks"),
    ],
)
def test_values_that_cannot_be(tmp_path: Path, keys: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_source("s3", "runbooks", keys, base=tmp_path)


def test_the_package_that_is_missing_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "obstore", None)
    with pytest.raises(SourceError) as caught:
        names(open_source("s3", "a", {"bucket": "docs"}, base=tmp_path))
    assert "`pip install 'casetrack[s3]'`" in caught.value.hint
