"""Buckets, over HTTP: a real server of moto's, and a proxy that has bad days."""

from __future__ import annotations

import http.client
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from casetrack.errors import JobStopped, SourceChanged, SourceError, SourceSkipped, UsageError
from casetrack.sources import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytest.importorskip("obstore")
moto_server = pytest.importorskip("moto.server")
from moto.s3.models import s3_backends  # noqa: E402 - it may not be there

SECRET = "s3cr3t-of-ours"


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


class Bucket:
    """A bucket; it is filled behind the server, and read over HTTP."""

    def __init__(self, service: str, name: str) -> None:
        self.service, self.name = service, name
        self._backend = s3_backends["123456789012"]["aws"]
        self._backend.create_bucket(name, "us-east-1")

    def put(self, key: str, text: str) -> None:
        self._backend.put_object(self.name, key, text.encode())

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
    digits = abs(hash(request.node.nodeid)) % 10**12
    return Bucket(service, f"docs-{digits}")


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAOURS")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    for name in ("AWS_SESSION_TOKEN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "none-of-this-machine")
    monkeypatch.setenv("AWS_CONFIG_FILE", "none-of-this-machine")


def open_bucket(bucket: Bucket, tmp_path: Path, **keys: Any) -> Any:
    keys = {"bucket": bucket.name, "endpoint_url": bucket.service, **keys}
    return open_source("s3", "runbooks", keys, base=tmp_path)


def names(source: Any) -> list[str]:
    return [item.source_id for item in source.items()]


class TestListing:
    def test_more_objects_than_a_page_holds(self, large_bucket: Bucket, tmp_path: Path) -> None:
        source = open_bucket(large_bucket, tmp_path)
        items = list(source.items())
        assert [item.source_id for item in items] == [f"docs/{n:04}.md" for n in range(1012)]
        assert len({item.token for item in items}) == 1012
        last = items[-1]
        assert (last.size, last.url) == (9, "s3://large/docs/1011.md")
        assert last.updated_at.tzinfo is not None
        source.fetch(last, tmp_path / "x")
        assert (tmp_path / "x").read_text() == "text 1011"

    def test_prefix_and_globs(self, bucket: Bucket, tmp_path: Path) -> None:
        for key in ("run/a.md", "runbook/b.md", "runbook/c.txt", "z.md", "run/k.pem", "run/p.png"):
            bucket.put(key, "text")
        bucket.put("run/", "")
        assert names(open_bucket(bucket, tmp_path, prefix="run/")) == ["run/a.md"]
        assert names(open_bucket(bucket, tmp_path, prefix="run", include_globs=["*.md"])) == [
            "run/a.md",
            "runbook/b.md",
        ]
        assert names(open_bucket(bucket, tmp_path, exclude_globs=["run*/"])) == ["z.md"]
        assert names(open_bucket(bucket, tmp_path, prefix="nothing")) == []

    def test_odd_keys_and_large_objects(self, bucket: Bucket, tmp_path: Path) -> None:
        bucket.put("a bü.md", "text")
        bucket.put("100%.md", "x" * 100)
        bucket.put("large.md", "x" * 101)
        source = open_bucket(bucket, tmp_path, max_extract_bytes=100)
        first, second = source.items()
        assert (first.source_id, second.source_id) == ("100%.md", "a bü.md")
        for item in (first, second):
            source.fetch(item, tmp_path / item.source_id)
        assert source.notes == [
            (
                "1 object larger than 100 bytes left out: large.md. Set max_extract_bytes to have "
                "larger ones read."
            )
        ]
        with pytest.raises(SourceSkipped, match=r"100%\.md is larger than 99 bytes"):
            open_bucket(bucket, tmp_path, max_extract_bytes=99).fetch(first, tmp_path / "y")

    def test_a_token_is_of_content_and_never_of_time(self, bucket: Bucket, tmp_path: Path) -> None:
        bucket.put("a.md", "one")
        source = open_bucket(bucket, tmp_path)
        [before] = source.items()
        bucket.put("a.md", "one")
        [same] = source.items()
        bucket.put("a.md", "two")
        [other] = source.items()
        assert before.token == same.token != other.token


class TestFetching:
    def test_an_object_that_was_replaced_or_removed(self, bucket: Bucket, tmp_path: Path) -> None:
        bucket.put("a.md", "one")
        source = open_bucket(bucket, tmp_path)
        [item] = source.items()
        bucket.put("a.md", "two")
        for change in (lambda: None, lambda: bucket.delete("a.md")):
            change()
            with pytest.raises(SourceChanged) as caught:
                source.fetch(item, tmp_path / "a")
            assert caught.value.message == (
                "s3:runbooks: a.md was replaced or removed since the bucket was listed."
            )


class Proxy:
    """Passes requests on, and does to them what *behave* says."""

    def __init__(self, service: str, behave: Callable[[BaseHTTPRequestHandler, int], Any]) -> None:
        self.asked = 0
        target = urlsplit(service).netloc

        class Handler(BaseHTTPRequestHandler):
            def do_GET(inner) -> None:  # noqa: N805
                self.asked += 1
                said = behave(inner, self.asked)
                if isinstance(said, int):
                    body = b"<Error><Code>SlowDown</Code><Message>Less, please.</Message></Error>"
                    inner.send_response(said)
                    inner.send_header("Content-Length", str(len(body)))
                    inner.end_headers()
                    inner.wfile.write(body)
                    return
                wire = http.client.HTTPConnection(target)
                headers = {k: v for k, v in inner.headers.items() if k not in (said or ())}
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
                inner.wfile.write(body[: len(body) // 2] if said == "half" else body)
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
def proxied(bucket: Bucket) -> Iterator[Callable[..., Proxy]]:
    made: list[Proxy] = []

    def make(behave: Callable[[BaseHTTPRequestHandler, int], Any]) -> Proxy:
        made.append(Proxy(bucket.service, behave))
        return made[-1]

    yield make
    for proxy in made:
        proxy.close()


class TestBadDays:
    def test_throttling_is_waited_out(
        self, bucket: Bucket, tmp_path: Path, proxied: Callable[..., Proxy]
    ) -> None:
        bucket.put("a.md", "one")
        proxy = proxied(lambda _, number: 503 if number % 2 else None)
        source = open_bucket(bucket, tmp_path, endpoint_url=proxy.url)
        [item] = source.items()
        source.fetch(item, tmp_path / "a")
        assert (tmp_path / "a").read_text() == "one"
        assert proxy.asked == 4

    def test_throttling_without_end_is_told(
        self,
        bucket: Bucket,
        tmp_path: Path,
        proxied: Callable[..., Proxy],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("casetrack.objects.service.RETRIES", 1)
        proxy = proxied(lambda *_: 503)
        with pytest.raises(SourceError) as caught:
            names(open_bucket(bucket, tmp_path, endpoint_url=proxy.url))
        assert caught.value.message == (
            f"s3:runbooks: {proxy.url} is too busy to answer, also after 1 more tries: "
            "Less, please."
        )

    def test_a_listing_that_dies_half_way_is_an_error(
        self,
        large_bucket: Bucket,
        tmp_path: Path,
        proxied: Callable[..., Proxy],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("casetrack.objects.service.RETRIES", 0)
        proxy = proxied(lambda _, number: 500 if number > 1 else None)
        found = []
        with pytest.raises(SourceError, match="too busy to answer"):
            found += open_bucket(large_bucket, tmp_path, endpoint_url=proxy.url).items()
        assert len(found) == 1000

    def test_a_service_that_knows_no_conditions(
        self, bucket: Bucket, tmp_path: Path, proxied: Callable[..., Proxy]
    ) -> None:
        bucket.put("a.md", "one")
        proxy = proxied(lambda *_: ("if-match", "If-Match"))
        source = open_bucket(bucket, tmp_path, endpoint_url=proxy.url)
        [item] = source.items()
        bucket.put("a.md", "two")
        with pytest.raises(SourceChanged):
            source.fetch(item, tmp_path / "a")

    def test_an_answer_that_breaks_off(
        self,
        bucket: Bucket,
        tmp_path: Path,
        proxied: Callable[..., Proxy],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("casetrack.objects.service.RETRIES", 0)
        bucket.put("a.md", "x" * 100_000)
        proxy = proxied(lambda inner, _: "half" if "a.md" in inner.path else None)
        source = open_bucket(bucket, tmp_path, endpoint_url=proxy.url)
        [item] = source.items()
        with pytest.raises(SourceError):
            source.fetch(item, tmp_path / "a")


class TestTrouble:
    def test_missing_credentials_are_named(
        self, bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source = open_bucket(bucket, tmp_path)
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
        with pytest.raises(SourceError) as caught:
            names(source)
        assert (caught.value.message, caught.value.hint) == (
            "s3:runbooks: AWS_SECRET_ACCESS_KEY is not set in the environment.",
            (
                "Set the credentials that may list and read the bucket, or `anonymous = true` for "
                "a public one."
            ),
        )
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        with pytest.raises(SourceError, match="AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are"):
            names(source)

    def test_refused_credentials_are_never_shown(
        self, bucket: Bucket, tmp_path: Path, proxied: Callable[..., Proxy]
    ) -> None:
        def refuse(inner: BaseHTTPRequestHandler, _: int) -> int:
            assert "AKIAOURS" in inner.headers["authorization"]
            return 403

        with pytest.raises(SourceError) as caught:
            names(open_bucket(bucket, tmp_path, endpoint_url=proxied(refuse).url))
        assert "does not let these credentials read" in caught.value.message
        assert "AKIAOURS" not in str(caught.value)
        assert SECRET not in str(caught.value)

    def test_a_public_bucket_is_asked_without_any(
        self,
        bucket: Bucket,
        tmp_path: Path,
        proxied: Callable[..., Proxy],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        seen: list[Any] = []
        proxy = proxied(lambda inner, _: seen.append(inner.headers["authorization"]))
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
        source = open_bucket(bucket, tmp_path, endpoint_url=proxy.url, anonymous=True)
        assert names(source) == []
        assert seen == [None]

    def test_a_bucket_that_is_gone(self, bucket: Bucket, tmp_path: Path) -> None:
        bucket.name = "gone"
        with pytest.raises(SourceError) as caught:
            names(open_bucket(bucket, tmp_path))
        assert (caught.value.message, caught.value.hint) == (
            f"s3:runbooks: there is no bucket 'gone' at {bucket.service} (any more).",
            "Check 'bucket', 'region' and 'endpoint_url'.",
        )

    def test_a_service_that_is_not_there(
        self, bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("casetrack.objects.service.RETRIES", 0)
        with pytest.raises(SourceError) as caught:
            names(open_bucket(bucket, tmp_path, endpoint_url="http://127.0.0.1:1"))
        assert caught.value.message == (
            "s3:runbooks: http://127.0.0.1:1 cannot be reached, or broke off."
        )

    def test_a_key_that_is_no_path_hides_its_folder_alone(
        self, bucket: Bucket, tmp_path: Path
    ) -> None:
        for key in ("a.md", "docs/a.md", "docs/deep/b.md", "odd//b.md", "odd/c.md", "z/d.md"):
            bucket.put(key, "text")
        source = open_bucket(bucket, tmp_path)
        assert sorted(names(source)) == ["a.md", "docs/a.md", "docs/deep/b.md", "z/d.md"]
        assert source.dark == ["odd"]
        assert source.notes == [
            (
                "The folder odd is not listed, and what is known of it stays: it has a key that is "
                "no path: 'odd//'. Rename that object: no empty parts (//), no '.' and '..'."
            )
        ]
        with pytest.raises(SourceError) as caught:
            names(open_bucket(bucket, tmp_path, prefix="odd/"))
        assert caught.value.message == (
            "s3:runbooks: the bucket has a key that is no path: 'odd//'."
        )

    def test_it_can_be_stopped(self, bucket: Bucket, tmp_path: Path) -> None:
        bucket.put("a.md", "text")
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(JobStopped):
            list(open_bucket(bucket, tmp_path).items(cancel=cancel))

    @pytest.mark.parametrize(
        ("keys", "message"),
        [
            ({"bucket": "s3://docs"}, "'bucket' of s3:runbooks cannot be the name of a bucket"),
            ({"bucket": "docs", "endpoint_url": "localhost:9000"}, "'endpoint_url' of s3:runbooks"),
        ],
    )
    def test_values_that_cannot_be(
        self, tmp_path: Path, keys: dict[str, str], message: str
    ) -> None:
        with pytest.raises(UsageError, match=message):
            open_source("s3", "runbooks", keys, base=tmp_path)


def test_without_the_package_one_is_told_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "obstore", None)
    with pytest.raises(SourceError) as caught:
        names(open_source("s3", "a", {"bucket": "docs"}, base=tmp_path))
    assert (caught.value.message, caught.value.hint) == (
        "s3:a: buckets are read with a package that is not installed.",
        "Install it with `pip install 'casetrack[s3]'`.",
    )
