"""A service that fails, refuses or sends invalid answers."""

from __future__ import annotations

import email.utils
import logging
import socket
import time

import pytest

from casetrack.base.errors import ProviderError, ProviderUnreachable
from casetrack.models import providers
from casetrack.models.providers.transport import Backoff, retry_after

from .conftest import KEY, WIDTH, dropped, refusing, replying

BOTH = pytest.mark.parametrize("name", providers.PROVIDERS)
RATE = "Rate limit reached for requests"


@BOTH
@pytest.mark.parametrize(
    ("faults", "waited"),
    [
        ([refusing(429, RATE, Retry_After="7")], [7.0]),
        ([refusing(429, RATE, retry_after_ms="1500")], [1.5]),
        ([refusing(429, RATE, Retry_After="0")], [0.375]),
        ([refusing(429, RATE), refusing(429, RATE)], [0.375, 0.75]),
        ([refusing(500, "The server had an error")], [0.375]),
        ([replying(502, b"<html>Bad Gateway</html>")], [0.375]),
        ([replying(503, {"error": "server busy, please try again"})], [0.375]),
        ([replying(504, b"")] * 3, [0.375, 0.75, 1.5]),
        ([dropped], [0.375]),
    ],
)
def test_passing_failures_are_tried_again(name, faults, waited, server, encoder, pauses):
    server.faults = list(faults)
    assert encoder(name, model="m").encode_query("rent").dense.shape == (WIDTH,)
    assert pauses == pytest.approx(waited)
    assert len(server.bodies) == len(faults) + 1


@BOTH
def test_the_tries_end(name, server, encoder, pauses):
    server.faults = [refusing(503, "Overloaded")] * 9
    with pytest.raises(ProviderUnreachable, match=r"503 .*Overloaded.*\b4\b"):
        encoder(name, model="m").encode_query("rent")
    assert len(server.bodies) == 4
    assert len(pauses) == 3


@BOTH
def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for(name, server, encoder, pauses):
    server.faults = [refusing(429, RATE, Retry_After="3600")]
    with pytest.raises(ProviderUnreachable, match="3600"):
        encoder(name, model="m").encode_query("rent")
    assert pauses == []


@BOTH
def test_a_slow_server_is_given_up(name, server, encoder, pauses):
    server.faults = [lambda handler, body: time.sleep(0.2)] * 2
    with pytest.raises(ProviderUnreachable, match=r"\b2\b"):
        encoder(name, model="m", read=0.05, tries=2).encode_query("rent")
    assert len(pauses) == 1


@BOTH
def test_a_server_that_is_down_is_named_with_what_to_do(name, encoder, pauses, messages):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ProviderUnreachable, match=rf"127\.0\.0\.1:{port}.*\b2\b") as caught:
        encoder(name, url=f"http://127.0.0.1:{port}", model="m").encode_query("rent")
    assert pauses == [0.375], "whoever searches is not kept waiting for what does not run"
    assert ("ollama serve" in caught.value.hint) == (name == "ollama")
    messages(str(caught.value), hide={str(port): "<port>"})


OPENAI = {
    "another key": refusing(401, "Incorrect API key: sk-te**ghij.", "invalid_api_key"),
    "no access": refusing(403, "Project does not have access"),
    "no such model": refusing(404, "The model does not exist", "model_not_found"),
    "bad request": refusing(400, "Unknown parameter: 'dimensions'."),
    "quota": refusing(429, "You exceeded your current quota", "insufficient_quota"),
    "redirected": replying(302, b"", Location="https://elsewhere.example"),
}
OLLAMA = {
    "no such model": replying(404, {"error": "model 'm' not found"}),
    "no such model, newer": replying(404, {"error": 'model "m" not found, try pulling it first'}),
    "no such path": replying(404, b"404 page not found"),
    "bad request": replying(400, {"error": "invalid input type"}),
    "no embeddings": replying(500, {"error": "this model does not support embeddings"}),
    "no embeddings, newer": replying(501, {"error": "this model does not support embeddings"}),
}


@BOTH
def test_refusals_are_explained_and_not_repeated(name, server, encoder, pauses, messages):
    lines = []
    for case, fault in {"openai": OPENAI, "ollama": OLLAMA}[name].items():
        server.faults, server.bodies = [fault], []
        with pytest.raises(ProviderError) as caught:
            encoder(name, model="m").encode_query("rent")
        assert not isinstance(caught.value, ProviderUnreachable)
        assert caught.value.hint
        assert len(server.bodies) == 1
        lines.append(f"{case}: {caught.value.message}")
    assert pauses == []
    messages("\n".join(lines), hide={server.url: "<url>"})


def test_a_missing_model_of_ollama_says_how_to_get_it(server, encoder):
    server.faults = [replying(404, {"error": "model 'bge-m3' not found"})]
    with pytest.raises(ProviderError) as caught:
        encoder("ollama", model="bge-m3").encode_query("rent")
    assert "`ollama pull bge-m3`" in caught.value.hint


@BOTH
@pytest.mark.parametrize(
    "body", [b"<html>Sign in</html>", b"", b"[]", b'{"data": [{}], "embeddings": {}}', b"\xff\xfe{"]
)
def test_an_answer_in_another_form_is_refused(name, body, server, encoder, pauses):
    server.faults = [replying(200, body)]
    with pytest.raises(ProviderError):
        encoder(name, model="m").encode_query("rent")
    assert pauses == []


@BOTH
@pytest.mark.parametrize(
    "vector",
    [
        *([0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0], [None, 1.0], ["1", 1.0]),
        *([True, 1.0], [10**400, 1.0], [], {"0": 1.0}, "AAAA", "%%%", "AAAAAAAAAAA="),
    ],
    ids=lambda vector: str(vector)[:20],
)
def test_vectors_that_cannot_be_used_are_refused(name, vector, server, encoder):
    data = [{"index": 0, "embedding": vector}]
    server.faults = [replying(200, {"data": data, "embeddings": [vector]})]
    with pytest.raises(ProviderError) as caught:
        encoder(name, model="m").encode_query("rent")
    assert not isinstance(caught.value, ProviderUnreachable)


@BOTH
def test_as_many_vectors_as_texts_are_wanted(name, server, encoder):
    server.faults = [
        replying(200, {"data": [{"index": 0, "embedding": [1.0]}], "embeddings": [[1.0]]})
    ]
    with pytest.raises(ProviderError, match=r"\b1\b.*\b2\b"):
        list(encoder(name, model="m").encode_documents(["a", "b"]))


@pytest.mark.parametrize("indexes", [(0, 0), (1, 2), (0, -1)])
def test_indexes_must_be_those_of_the_texts(indexes, server, encoder):
    data = [{"index": index, "embedding": [1.0]} for index in indexes]
    server.faults = [replying(200, {"data": data})]
    with pytest.raises(ProviderError):
        list(encoder("openai", model="m").encode_documents(["a", "b"]))


def test_the_key_is_in_no_error_log_or_representation(server, encoder, caplog):
    caplog.set_level(logging.DEBUG)
    made = encoder("openai", model="m")
    server.faults = [
        refusing(500, f"upstream said no to {KEY}"),
        refusing(400, f"header Bearer {KEY} is odd, and so is sk-proj-abc***xyz"),
    ]
    with pytest.raises(ProviderError) as caught:
        made.encode_query("rent")
    assert "[key]" in caplog.text
    shown = f"{caught.value} {caught.value.as_dict()} {made!r} {made.service!r} {vars(made)}"
    assert "[key]" in shown
    assert caplog.records
    for text in (shown, caplog.text):
        assert KEY not in text
        assert "sk-proj" not in text


def test_the_key_is_in_no_error_after_the_last_try(server, encoder):
    server.faults = [refusing(500, f"upstream said no to {KEY}")] * 9
    with pytest.raises(ProviderUnreachable) as caught:
        encoder("openai", model="m").encode_query("rent")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-two words", "sk-line\nbreak", "sk-ümlaut"])
def test_a_key_that_cannot_be_one_is_not_quoted(key, server, encoder, monkeypatch):
    made = encoder("openai", model="m")
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ProviderError, match="OPENAI_API_KEY") as caught:
        made.encode_query("rent")
    assert "sk-" not in str(caught.value)
    assert server.bodies == []


def test_openai_itself_is_not_asked_without_a_key(encoder, monkeypatch):
    made = encoder("openai", url="https://api.openai.com/v1")
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        made.encode_query("rent")


def test_another_service_may_do_without_a_key(server, encoder, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    encoder("openai", model="m").encode_query("rent")
    assert "Authorization" not in server.headers[0]


@BOTH
def test_a_proxy_of_the_environment_is_not_used_on_this_machine(name, server, encoder, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert encoder(name, model="m").encode_query("rent").dense.shape == (WIDTH,)


def test_a_proxy_of_the_environment_is_used_elsewhere(server, encoder, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.delenv("no_proxy", raising=False)
    made = encoder("ollama", url="http://models.example:11434", model="m")
    with pytest.raises(ProviderError, match="/api/embed"):
        made.encode_query("rent")
    assert server.headers[0]["Host"] == "models.example:11434"


def test_pauses_grow_up_to_a_limit_and_leave_half_to_chance():
    low, high = Backoff(chance=lambda: 0.0), Backoff(chance=lambda: 1.0)
    assert [low.pause(n) for n in (1, 2, 3, 20)] == [0.25, 0.5, 1.0, 15.0]
    assert [high.pause(n) for n in (1, 2, 3, 20)] == [0.5, 1.0, 2.0, 30.0]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_retry_after_has_several_forms(headers, seconds):
    assert retry_after(headers) == seconds


def test_retry_after_may_be_a_date():
    later = email.utils.formatdate(time.time() + 100, usegmt=True)
    assert retry_after({"retry-after": later}) == pytest.approx(100, abs=5)
