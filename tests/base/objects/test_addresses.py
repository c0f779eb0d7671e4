"""Addresses in object storage and their credentials: accepted and refused ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from casetrack.base.errors import UsageError
from casetrack.base.objects import credentials
from casetrack.base.objects.address import Address, is_address
from casetrack.base.objects.service import fault_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://cases/harbour", "s3://cases/harbour"),
        (" s3://cases/a/b/ ", "s3://cases/a/b"),
        ("S3A://cases/harbour", "s3://cases/harbour"),
        ("gcs://cases/harbour", "gs://cases/harbour"),
        ("az://container/harbour", "az://container/harbour"),
        ("s3://cases/with space & Ümlaut", "s3://cases/with space & Ümlaut"),
    ],
)
def test_addresses(text: str, expected: str) -> None:
    assert str(Address.of(text)) == expected
    assert Address.of(expected) == Address.of(text)


@pytest.mark.parametrize(
    "text",
    [
        *("harbour", "ftp://cases/harbour", "s3://cases", "s3://cases/", "s3:///harbour"),
        *("s3://a/b", "s3://cases/../other", "s3://cases/a//b", "file:///", "file://host/path"),
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        Address.of(text)
    assert "://" in caught.value.hint


def test_a_secret_in_an_address_is_refused_and_not_repeated() -> None:
    for text in ("s3://key:s3cr3t@cases/x", "s3://cases/x?X-Amz-Signature=s3cr3t"):
        with pytest.raises(UsageError) as caught:
            Address.of(text)
        assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize("text", ["Harbour", "", "C:/cases", "C:\\cases", "a:b", "/s3://x", None])
def test_names_and_paths_are_no_addresses(text: str | None) -> None:
    assert not is_address(text)


def test_credentials_are_found_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*credentials.KEYS, credentials.SESSION, *credentials._ROLES, "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", *credentials._ENDPOINTS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(credentials, "_MAKERS", ())
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    with pytest.raises(credentials.CredentialsMissing, match=r"_KEY_ID .*_ACCESS_KEY"):
        credentials.of_s3()
    (tmp_path / "credentials").write_text(
        "[default]\naws_access_key_id = own\naws_secret_access_key = a%b\n"
        "[work]\naws_access_key_id = works\naws_secret_access_key = s\naws_session_token = t\n"
    )
    (tmp_path / "config").write_text(
        "[default]\nregion = eu-west-1\n[profile work]\nendpoint_url = http://store:9000\n"
    )
    assert credentials.of_s3().options() == {"access_key_id": "own", "secret_access_key": "a%b"}
    assert (credentials.region_of_s3(), credentials.endpoint_of_s3()) == ("eu-west-1", None)
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert credentials.of_s3().options()["session_token"] == "t"
    assert (credentials.region_of_s3(), credentials.endpoint_of_s3()) == (None, "http://store:9000")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "env")
    with pytest.raises(credentials.CredentialsMissing, match=r"^AWS_SECRET_ACCESS_KEY "):
        credentials.of_s3()
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert credentials.of_s3().key == "env"
    assert "secret" not in repr(credentials.of_s3())


def test_torn_credentials_count_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config").write_bytes(b"\xff\xfe[[[")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    assert credentials.region_of_s3() is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<Code>NoSuchBucket</Code><Message>No</Message>", "no_bucket"),
        ("<Code>ExpiredToken</Code><Message>Old</Message>", "expired"),
        ("<Code>AccessDenied</Code>", "refused"),
        ("Server returned non-2xx status code: 403 Forbidden: ", "refused"),
        ("<Code>PermanentRedirect</Code>", "elsewhere"),
        ("Server returned error response: 503 Service Unavailable", "busy"),
        ("<Code>SlowDown</Code>", "busy"),
        ("error sending request for url (http://x/)", "unreachable"),
        ("operation timed out", "unreachable"),
        ("a file is damaged", "other"),
    ],
)
def test_what_an_error_means(text: str, kind: str) -> None:
    assert fault_of(OSError(text)).kind == kind
