"""The current tier: valid and invalid keys with reasons, and no exceptions."""

from __future__ import annotations

import json
import random
import stat
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.base.config import Settings, load_settings
from casetrack.base.errors import FreeTierLimit, UsageError
from casetrack.base.license import FREE, PRO, TIERS, UNLIMITED, Entitlements, LicenseStatus
from casetrack.base.license.entitlements import ACTIVATED, CONFIG, ENVIRONMENT, OPTION, REFRESH
from casetrack.base.license.key import ALPHABET, parse_key
from casetrack.base.license.tiers import FEATURES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Signer

pytestmark = pytest.mark.usefixtures("free_tier")
UPGRADE = "https://casetrack.dev/upgrade"
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
TODAY = NOW.date()


def days(count: int) -> timedelta:
    return timedelta(days=count)


def status(settings: Settings, now: datetime = NOW) -> LicenseStatus:
    return Entitlements(settings, clock=lambda: now).status()


def write_file(settings: Settings, key: str, stored: str = "", /, **facts: Any) -> None:
    """Write a license.json by hand: facts of a key, and which key is activated."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    record = {k: v.isoformat() if isinstance(v, datetime) else v for k, v in facts.items()}
    raw = {"version": 1, "key": stored, "keys": {parse_key(key).signed_text(): record}}
    (settings.data_dir / "license.json").write_text(json.dumps(raw))


# --- the table -----------------------------------------------------------------------------------


def test_the_table_is_that_of_the_requirement() -> None:
    rows = {t.name: (t.price, t.collections, t.documents) for t in TIERS.values()}
    assert rows == {
        "free": ("$0", 3, 100),
        "pro": ("$29/mo", None, None),
        "team": ("$99/mo", None, None),
    }
    assert not FREE.features
    assert PRO.features == TIERS["team"].features == frozenset(FEATURES)


ASKED: dict[str, tuple[Callable[[Entitlements], None], Callable[[Entitlements], None]]] = {
    "collections": (lambda e: e.allow_collection(3), lambda e: e.allow_collection(2)),
    "documents": (lambda e: e.allow_document(100), lambda e: e.allow_document(99)),
    "archive": (lambda e: e.allow_archive(1000), lambda e: e.allow_archive(100)),
    "feature": (lambda e: e.require("entity_search"), lambda _: None),
}


@pytest.mark.parametrize("asked", ASKED)
def test_what_a_refusal_says(asked: str, settings: Settings, messages: Any) -> None:
    too_much, allowed = ASKED[asked]
    with pytest.raises(FreeTierLimit) as caught:
        too_much(Entitlements(settings))
    assert (caught.value.code, UPGRADE in caught.value.message) == ("free_tier_limit", True)
    messages(str(caught.value))
    allowed(Entitlements(settings))
    too_much(Entitlements(settings, tier=PRO))
    too_much(Entitlements(settings, tier=UNLIMITED))


def test_a_refusal_tells_why_a_key_does_not_count(settings: Settings) -> None:
    asked = Entitlements(replace(settings, license_key="rubbish"))
    with pytest.raises(FreeTierLimit) as caught:
        asked.require("rerank")
    assert caught.value.hint == asked.status().reason != ""


# --- where a key comes from ----------------------------------------------------------------------


def test_the_first_key_that_counts(
    settings: Settings, signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    issued = date(2026, 1, 1)
    given, of_env, of_config, stored = (signer.key(serial=n, issued=issued) for n in range(4))
    write_file(settings, stored, stored, first_seen=NOW)
    monkeypatch.setenv("CASETRACK_LICENSE", of_env)
    (settings.data_dir / "config.toml").write_text(f'license_key = "{of_config}"\n')
    everything = replace(load_settings(settings.data_dir), license_option=given)

    def found(**changes: Any) -> tuple[str, str]:
        now = status(replace(everything, **changes))
        return now.source, now.key

    def expect(source: str, key: str) -> tuple[str, str]:
        return source, parse_key(key).masked()

    assert found() == expect(OPTION, given)
    assert found(license_option=" ") == expect(ENVIRONMENT, of_env)
    monkeypatch.setenv("CASETRACK_LICENSE", "${user_config.license_key}")
    assert found(license_option=None) == expect(CONFIG, of_config)
    last = status(replace(everything, license_option=None, license_key="PRO-OLD"))
    assert (last.tier, last.source) == (PRO, ACTIVATED)
    (other,) = last.others
    assert CONFIG in other


def test_the_settings_file_is_checked(settings: Settings, signer: Signer) -> None:
    key = signer.key()
    assert key not in repr(replace(settings, license_key=key, license_option=key))
    settings.data_dir.mkdir()
    (settings.data_dir / "config.toml").write_text("license_key = 5\n")
    with pytest.raises(UsageError, match="license_key"):
        load_settings(settings.data_dir)


# --- valid keys ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claims", "tier", "reason"),
    [
        ({}, "pro", ""),
        ({"tier": "TEAM", "seats": 5}, "team", ""),
        ({"expires": TODAY}, "pro", ""),
        ({"expires": TODAY - days(1)}, "free", f"2026-06-14 {UPGRADE}"),
        ({"issued": TODAY + days(1)}, "pro", ""),  # the world has several dates at once
        ({"issued": TODAY + days(2)}, "free", f"2026-06-17 {TODAY}"),
        ({"tier": "GOLD"}, "free", '"GOLD"'),
    ],
)
def test_what_a_key_says(
    claims: dict[str, Any], tier: str, reason: str, settings: Settings, signer: Signer
) -> None:
    key = signer.key(**({"issued": date(2026, 1, 1)} | claims))
    result = status(replace(settings, license_key=key))
    assert result.tier.name == tier
    assert all(word in result.reason for word in reason.split())
    assert bool(result.reason) == bool(result.notes) == (tier == "free")
    assert key not in json.dumps(result.as_dict())
    assert not (settings.data_dir / "license.json").exists()


@pytest.mark.parametrize(
    ("facts", "tier", "text"),
    [
        ({"first_seen": NOW}, "pro", ""),
        ({"first_seen": NOW - days(22)}, "pro", ""),
        ({"first_seen": NOW - days(23)}, "pro", f"2026-06-22 {REFRESH}"),
        ({"first_seen": NOW - days(30)}, "pro", "2026-06-15"),
        ({"first_seen": NOW - days(31)}, "free", f"30 {REFRESH}"),
        ({"first_seen": NOW - days(90), "confirmed_at": NOW - days(5)}, "pro", ""),
        ({"first_seen": NOW - days(90), "confirmed_at": NOW - days(31)}, "free", REFRESH),
        ({"first_seen": NOW, "refused": "disabled."}, "free", "disabled."),
        ({"first_seen": NOW + days(2)}, "free", f"2026-06-17 {TODAY}"),
        ({"first_seen": NOW + timedelta(hours=20)}, "pro", ""),
    ],
)
def test_a_key_is_confirmed_in_time(
    facts: dict[str, Any], tier: str, text: str, settings: Settings, signer: Signer
) -> None:
    key = signer.key(issued=date(2026, 1, 1), offline=False)
    write_file(settings, key, **facts)
    result = status(replace(settings, license_key=key))
    assert result.tier.name == tier
    assert bool(result.notes) == bool(text)
    assert all(word in result.notes[0] for word in text.split())


def test_the_first_use_starts_the_thirty_days(settings: Settings, signer: Signer) -> None:
    with_key = replace(settings, license_key=signer.key(issued=date(2026, 1, 1), offline=False))
    assert status(with_key).confirm_by == NOW + days(30)
    file = settings.data_dir / "license.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert with_key.license_key not in file.read_text()
    assert status(with_key, NOW + days(10)).confirm_by == NOW + days(30)
    assert status(with_key, NOW + days(31)).tier is FREE


def test_without_a_first_use_the_day_of_issue_counts(settings: Settings, signer: Signer) -> None:
    settings.data_dir.write_text("a file where the folder should be")
    for age, tier in ((29, "pro"), (31, "free")):
        key = signer.key(issued=TODAY - days(age), offline=False)
        assert status(replace(settings, license_key=key)).tier.name == tier


def test_what_cannot_be_checked_is_free(
    settings: Settings, signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_key = replace(settings, license_key=signer.key())
    assert Entitlements(with_key).tier is PRO
    with monkeypatch.context() as patch:
        patch.setenv("CASETRACK_LICENSE_PUBLIC_KEYS", str(settings.data_dir / "none.txt"))
        assert "none.txt" in Entitlements(with_key).status().reason
    for name in [n for n in sys.modules if n.split(".")[0] == "nacl"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "nacl", None)
    result = Entitlements(with_key).status()
    assert result.tier is FREE
    assert "pynacl" in result.reason


# --- damage --------------------------------------------------------------------------------------


def test_random_keys_are_free(settings: Settings, signer: Signer) -> None:
    chance = random.Random(8)
    genuine = signer.key()
    signs = ALPHABET + "OILU-–\n é\0"
    for number in range(500):
        if number % 2:
            length = chance.choice([0, 1, 24, 124, 128, 130, 2000])
            text = "".join(chance.choice(signs) for _ in range(length))
        else:  # near misses
            place = chance.randrange(len(genuine) - 1)
            new = chance.choice([c for c in ALPHABET if c != genuine[place]])
            text = genuine[:place] + new + genuine[place + 1 :]
            if parse_or_none(text) == parse_key(genuine):
                continue  # a letter that is read as the one that it took the place of
        result = status(replace(settings, license_key=text), datetime.now(UTC))
        assert result.tier is FREE
        assert bool(result.reason) == bool(text.strip())


def parse_or_none(text: str) -> Any:
    try:
        return parse_key(text)
    except ValueError:
        return None


def test_no_content_of_the_file_raises(settings: Settings, signer: Signer) -> None:
    key = signer.key(issued=date(2026, 1, 1), offline=False)
    write_file(settings, key, key, first_seen=NOW, confirmed_at=NOW, instance_id="i")
    file = settings.data_dir / "license.json"
    whole = file.read_bytes()
    assert status(settings).tier is PRO
    contents = [whole[:n] for n in range(0, len(whole) - 1, 7)]
    contents += [b"[]", b"null", b"{}", b"[" * 100_000, b'{"version": 2, "key": "", "keys": {}}']
    contents += [whole.replace(b'"i"', b"5"), whole.replace(b"+00:00", b""), b"\xff\xfe\0"]
    contents += [whole.replace(b"{", b"[").replace(b"}", b"]"), whole.replace(b":", b"")]
    chance = random.Random(9)
    for _ in range(100):
        damaged = bytearray(whole)
        for _ in range(3):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        contents.append(bytes(damaged))
    for content in contents:
        file.write_bytes(content)
        result = status(settings)
        assert result.tier is PRO or result.reason, content
        assert content not in (b"[]", b"null") or "casetrack license activate" in result.reason


def test_a_damaged_file_does_not_stop_other_keys(settings: Settings, signer: Signer) -> None:
    settings.data_dir.mkdir()
    (settings.data_dir / "license.json").write_text("torn")
    offline = replace(settings, license_key=signer.key())
    assert Entitlements(offline).tier is PRO
    online = Entitlements(replace(settings, license_key=signer.key(offline=False)))
    assert "license.json" in online.status().reason
    assert (settings.data_dir / "license.json").read_text() == "torn"
    (settings.data_dir / "license.json").unlink()
    (settings.data_dir / "license.json").mkdir()
    assert "license.json" in Entitlements(settings).status().reason


# --- cost ----------------------------------------------------------------------------------------


def test_a_change_is_seen_at_once(settings: Settings, signer: Signer) -> None:
    key = signer.key()
    entitlements = Entitlements(settings)
    assert entitlements.tier is FREE
    write_file(settings, key, key, first_seen=NOW)
    assert entitlements.tier is PRO
    (settings.data_dir / "license.json").unlink()
    assert entitlements.tier is FREE


def test_a_new_day_is_seen(settings: Settings, signer: Signer) -> None:
    now = [NOW]
    with_key = replace(settings, license_key=signer.key(issued=date(2026, 1, 1), expires=TODAY))
    entitlements = Entitlements(with_key, clock=lambda: now[0])
    assert entitlements.tier is PRO
    now[0] += days(1)
    assert entitlements.tier is FREE
