"""License keys as text: written and read without loss, forgiving to typists and not to forgers."""

from __future__ import annotations

import json
import stat
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.base.license.key import (
    ALPHABET,
    EPOCH,
    Claims,
    LicenseKey,
    MalformedKey,
    base32_bytes,
    base32_text,
    parse_key,
)
from casetrack.base.license.signature import PACKAGED, CannotVerify, is_genuine, public_keys
from release.license_keys import main as vendor
from release.license_keys import new_key_pair, sign

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.conftest import Signer

days = st.integers(1, 2**16 - 1).map(lambda n: EPOCH + timedelta(days=n))
claims = st.builds(
    Claims,
    tier=st.sampled_from(["PRO", "TEAM"]),
    serial=st.integers(0, 2**40 - 1),
    seats=st.integers(1, 2**12 - 1),
    issued=days,
    expires=st.none() | days,
    offline=st.booleans(),
)
keys = st.builds(LicenseKey, claims, st.binary(min_size=64, max_size=64))


@given(keys)
def test_a_key_says_what_it_was_made_of(key: LicenseKey) -> None:
    text = key.text()
    tier, *groups, signature = text.split("-")
    assert parse_key(text) == key
    assert (tier, [len(g) for g in groups]) == (key.claims.tier, [6, 6, 6])
    assert set("".join(groups) + signature) <= set(ALPHABET)
    assert set(key.masked().split("-", 2)[2]) == {"*", "-"}


@pytest.mark.slow
@given(keys, st.randoms(use_true_random=False))
def test_how_a_key_is_typed_does_not_matter(key: LicenseKey, chance: random.Random) -> None:
    confused = {"0": "0Oo", "1": "1IiLl"}
    typed = "".join(
        chance.choice(confused.get(c, c + c.lower())) + chance.choice(["", "", "", " ", "\n", "-"])
        for c in key.text()
    )
    assert parse_key(typed) == key


@given(st.binary(max_size=80))
def test_base32_loses_nothing(data: bytes) -> None:
    assert base32_bytes(base32_text(data)) == data


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: text[:-30],
        lambda text: text * 9,
        lambda text: text[:-5] + "U" + text[-4:],
        lambda text: "PR5" + text[3:],
        lambda text: text[:-1] + "1",
    ],
    ids=["empty", "short", "long", "letter U", "tier", "last letter"],
)
def test_what_is_no_key(change: Any, signer: Signer, messages: Any) -> None:
    with pytest.raises(MalformedKey) as caught:
        parse_key(change(signer.key()))
    messages(str(caught.value))


@pytest.mark.parametrize(
    "wrong",
    [
        {"seats": 0},
        {"seats": 4096},
        {"serial": 2**40},
        {"tier": "pro"},
        {"issued": date(2019, 1, 1)},
    ],
)
def test_what_does_not_fit_into_a_key_is_refused(wrong: dict[str, Any], signer: Signer) -> None:
    with pytest.raises(ValueError, match=r"tier|seat|serial|issued|start"):
        signer.key(**wrong)


def test_only_a_trusted_signature_counts(signer: Signer, monkeypatch: pytest.MonkeyPatch) -> None:
    key = parse_key(signer.key())
    assert is_genuine(key)
    assert not is_genuine(parse_key(sign(key.claims, new_key_pair()[0]).text()))
    for place in range(0, 64, 7):
        changed = bytearray(key.signature)
        changed[place] ^= 1 << place % 8
        assert not is_genuine(LicenseKey(key.claims, bytes(changed)))
    for other in (
        {"tier": "TEAM"},
        {"serial": 2},
        {"seats": 2},
        {"issued": date(2020, 1, 2)},
        {"expires": date(2199, 1, 1)},
        {"offline": False},
    ):
        claims = parse_key(signer.key(**other)).claims
        assert claims != key.claims
        assert not is_genuine(LicenseKey(claims, key.signature))
    monkeypatch.delenv("CASETRACK_LICENSE_PUBLIC_KEYS")
    assert not is_genuine(key)


def test_several_signers(signer: Signer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [new_key_pair() for _ in range(2)]
    file = tmp_path / "keys.txt"
    file.write_text(f"# two\n{pairs[0][1].hex()}  # old\n\n{base32_text(pairs[1][1])}\n")
    monkeypatch.setenv("CASETRACK_LICENSE_PUBLIC_KEYS", str(file))
    claims = parse_key(signer.key()).claims
    assert all(is_genuine(sign(claims, seed)) for seed, _ in pairs)


@pytest.mark.parametrize("content", [b"rubbish", b"\xff\xfe", b"ab" * 31, None])
def test_a_bad_file_of_signers(
    content: bytes | None, signer: Signer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "keys.txt"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("CASETRACK_LICENSE_PUBLIC_KEYS", str(file))
    with pytest.raises(CannotVerify, match="CASETRACK_LICENSE_PUBLIC_KEYS"):
        is_genuine(parse_key(signer.key()))


def test_the_package_has_a_signer() -> None:
    assert len(public_keys(PACKAGED.read_text(encoding="utf-8"))) >= 1


# --- the vendor's command ------------------------------------------------------------------------


def test_a_vendor_issues_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    private, public = tmp_path / "private.key", tmp_path / "public.txt"
    assert vendor(["keypair", "--private", str(private)]) == 0
    public.write_text(capsys.readouterr().out)
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    monkeypatch.setenv("CASETRACK_LICENSE_PUBLIC_KEYS", str(public))
    issue = ["issue", "--private", str(private), "--tier", "team", "--seats", "5", "--days", "365"]
    assert vendor([*issue, "--count", "3"]) == 0
    issued = capsys.readouterr().out.split()
    assert len(set(issued)) == 3
    assert vendor(["show", issued[0]]) == 0
    shown = json.loads(capsys.readouterr().out)
    ends = date.fromisoformat(shown["issued"]) + timedelta(days=365)
    assert (shown["tier"], shown["seats"], shown["offline"]) == ("TEAM", 5, False)
    assert (shown["expires"], shown["genuine"]) == (ends.isoformat(), True)
    assert vendor([*issue, "--offline"]) == 0
    assert parse_key(capsys.readouterr().out).claims.offline


@pytest.mark.parametrize(
    "command",
    [
        "keypair --private {checkout}/sub/private.key",
        "keypair --private {there}",
        "keypair --private {none}/private.key",
        "issue --private {there} --tier pro",
        "issue --private {good} --tier pro --days 0",
        "issue --private {good} --tier pro --seats 5000",
        "show PRO-1",
    ],
)
def test_what_a_vendor_cannot_do(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], messages: Any
) -> None:
    checkout, remote, good = tmp_path / "checkout", tmp_path / "there", tmp_path / "good"
    (checkout / ".git").mkdir(parents=True)
    (checkout / "sub").mkdir()
    remote.write_text("something else")
    assert vendor(["keypair", "--private", str(good)]) == 0
    places = {"checkout": checkout, "there": remote, "good": good, "none": tmp_path / "none"}
    capsys.readouterr()
    assert vendor(command.format(**places).split()) == 1
    messages(capsys.readouterr().err)
    assert remote.read_text() == "something else"
    assert not (checkout / "sub" / "private.key").exists()
