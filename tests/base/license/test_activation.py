"""Activating, confirming and giving back a key, with a license server on this machine."""

from __future__ import annotations

import json
import re
import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from unittest.mock import ANY

import pytest

from casetrack.base import errors
from casetrack.base.license import FREE, PRO, Entitlements
from casetrack.base.license.manage import LicenseManager, LicenseServer
from casetrack.faces.cli.main import main

if TYPE_CHECKING:
    from casetrack.base.config import Settings
    from tests.base.license.conftest import FakeServer
    from tests.conftest import Signer

pytestmark = pytest.mark.usefixtures("free_tier")


def stored(settings: Settings) -> dict[str, Any]:
    raw: dict[str, Any] = json.loads((settings.data_dir / "license.json").read_text())
    return raw


def only_record(settings: Settings) -> dict[str, str]:
    (record,) = stored(settings)["keys"].values()
    return dict(record)


@pytest.fixture
def key(signer: Signer) -> str:
    """A key that has to be confirmed."""
    return signer.key(offline=False)


def test_the_life_of_a_key(settings: Settings, server: FakeServer, key: str) -> None:
    running = Entitlements(settings)
    manager = LicenseManager(settings)
    assert running.tier is FREE

    typed = key.lower().replace("-", " - ").replace("0", "o")
    assert (manager.activate(typed).status.tier, running.tier) == (PRO, PRO)
    (verb, form) = server.asked[0]
    assert (verb, form) == ("activate", {"license_key": key, "instance_name": ANY})
    record = only_record(settings)
    assert stored(settings)["key"] == key
    assert record["instance_id"] == "instance-1"
    assert record["instance_name"] == form["instance_name"]
    assert record["activated_at"] == record["confirmed_at"] >= record["first_seen"]
    assert stat.S_IMODE((settings.data_dir / "license.json").stat().st_mode) == 0o600

    assert manager.refresh().status.confirm_by is not None
    assert server.asked[1] == ("validate", {"license_key": key, "instance_id": "instance-1"})

    assert manager.deactivate().status.tier is running.tier is FREE
    assert server.asked[2] == ("deactivate", {"license_key": key, "instance_id": "instance-1"})
    assert not server.instances
    assert key not in (settings.data_dir / "license.json").read_text()
    with pytest.raises(errors.LicenseInvalid):
        manager.deactivate()
    assert manager.activate(key).status.tier is PRO
    assert len(server.asked) == 4


def test_the_name_sent_tells_nothing(settings: Settings, server: FakeServer, key: str) -> None:
    for _ in range(2):
        LicenseManager(settings).activate(key)
        LicenseManager(settings).deactivate()
    names = [form["instance_name"] for verb, form in server.asked if verb == "activate"]
    assert len(set(names)) == 2
    assert all(name.startswith("casetrack-") and len(name) == 18 for name in names)


def test_a_confirmation_starts_new_days(settings: Settings, server: FakeServer, key: str) -> None:
    now = [datetime.now(UTC)]
    manager = LicenseManager(settings, clock=lambda: now[0])
    manager.activate(key)
    now[0] += timedelta(days=25)
    assert str((now[0] + timedelta(days=5)).date()) in manager.status().notes[0]
    assert manager.refresh().status.notes == ()
    now[0] += timedelta(days=29)
    assert manager.status().tier is PRO
    now[0] += timedelta(days=2)
    assert manager.status().tier is FREE
    assert manager.refresh().status.tier is PRO


def test_a_refused_key_counts_no_more(settings: Settings, server: FakeServer, key: str) -> None:
    manager = LicenseManager(settings)
    manager.activate(key)
    server.refuses = "license_key is disabled."
    result = manager.refresh().status
    assert result.tier is FREE
    assert server.refuses in result.reason
    server.refuses = ""
    assert manager.refresh().status.tier is PRO


def test_a_seat_given_away_is_taken_again(settings: Settings, server: FakeServer, key: str) -> None:
    manager = LicenseManager(settings)
    manager.activate(key)
    server.instances.clear()
    assert "instance_id not found" in manager.refresh().status.reason
    assert manager.activate(key).status.tier is PRO
    assert only_record(settings)["instance_id"] in server.instances
    assert "refused" not in only_record(settings)


def test_a_refused_key_is_not_stored(settings: Settings, server: FakeServer, key: str) -> None:
    server.refuses = "This license key has reached the activation limit."
    with pytest.raises(errors.LicenseRefused, match=server.refuses) as caught:
        LicenseManager(settings).activate(key)
    assert caught.value.hint
    assert not settings.data_dir.exists()


def test_an_offline_key_asks_nobody(settings: Settings, server: FakeServer, signer: Signer) -> None:
    manager = LicenseManager(settings)
    assert manager.activate(signer.key()).status.tier is PRO
    assert manager.refresh().notes
    assert manager.deactivate().status.tier is FREE
    assert server.asked == []


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ((500, b"oops"), "500"),
        ((429, b"{}"), "429"),
        ((307, b"http://127.0.0.1:9/"), "307"),
        ((200, b"<html>Log in to the network of this hotel</html>"), ""),
        ((404, b"<html>Not found</html>"), ""),
        ((200, b"[]"), ""),
        ((200, b"[" * 60_000), ""),
        ((200, b'{"activated": true, "instance": {"id": 5}}'), ""),
    ],
)
def test_no_proper_answer_leaves_all_as_it_is(
    raw: tuple[int, bytes], message: str, settings: Settings, server: FakeServer, key: str
) -> None:
    manager = LicenseManager(settings)
    server.raw = raw
    done = manager.activate(key)
    assert done.status.tier is PRO
    assert {message or "30", "30"} <= {*re.findall(r"\d+", done.notes[0])}  # days to confirm it
    before = stored(settings)
    assert "confirmed_at" not in only_record(settings)
    with pytest.raises(errors.LicenseServerUnreachable, match=message or None) as caught:
        manager.refresh()
    assert caught.value.hint
    assert stored(settings) == before
    assert manager.deactivate().status.tier is FREE


def test_a_server_that_is_not_there(settings: Settings, key: str, server: FakeServer) -> None:
    manager = LicenseManager(settings)
    manager.activate(key)
    server.shutdown()
    server.server_close()
    before = stored(settings)
    with pytest.raises(errors.LicenseServerUnreachable, match=r"127\.0\.0\.1"):
        manager.refresh()
    assert (stored(settings), manager.status().tier) == (before, PRO)
    left = manager.deactivate()
    assert (left.status.tier, len(left.notes)) == (FREE, 1)  # the seat is still taken


@pytest.mark.parametrize(
    "url", ["http://example.com", "ftp://127.0.0.1", "rubbish", "https://", "http://[::1"]
)
def test_a_key_is_sent_over_https_only(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASETRACK_LICENSE_SERVER", url)
    with pytest.raises(errors.UsageError, match=re.escape(url)):
        LicenseServer()


def test_what_cannot_count_asks_nobody(
    settings: Settings, server: FakeServer, signer: Signer
) -> None:
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    manager = LicenseManager(settings)
    genuine = signer.key(offline=False)
    forged = genuine[:-40] + ("0" if genuine[-40] != "0" else "1") + genuine[-39:]
    for text in ("rubbish", forged, signer.key(offline=False, expires=yesterday)):
        with pytest.raises(errors.LicenseInvalid):
            manager.activate(text)
        with pytest.raises(errors.LicenseInvalid):
            LicenseManager(replace(settings, license_key=text)).refresh()
    with pytest.raises(errors.LicenseInvalid):
        manager.refresh()
    assert server.asked == []
    assert not settings.data_dir.exists()


def test_a_damaged_file_is_replaced(settings: Settings, server: FakeServer, key: str) -> None:
    settings.data_dir.mkdir()
    (settings.data_dir / "license.json").write_text("torn")
    manager = LicenseManager(settings)
    with pytest.raises(errors.LicenseInvalid, match=r"license\.json"):
        manager.refresh()
    done = manager.activate(key)
    assert done.status.tier is PRO
    assert "license.json" in done.notes[0]


def test_a_folder_that_cannot_be_written(settings: Settings, signer: Signer) -> None:
    settings.data_dir.write_text("a file")
    with pytest.raises(errors.StorageError, match=r"license\.json"):
        LicenseManager(settings).activate(signer.key())


# --- the commands --------------------------------------------------------------------------------


def test_the_commands(
    settings: Settings,
    server: FakeServer,
    key: str,
    capsys: pytest.CaptureFixture[str],
    messages: Any,
) -> None:
    lines = []

    def run(*arguments: str, code: int = 0) -> str:
        assert main(["license", *arguments, "--data-dir", str(settings.data_dir)]) == code
        ended = capsys.readouterr()
        assert key not in ended.out + ended.err
        lines.append(ended.out + ended.err)
        return ended.out

    run("status")
    run("activate", *key.split("-"))
    server.refuses = "license_key is disabled"
    run("status", "--refresh")
    run("activate", key, code=1)
    server.refuses = ""
    run("deactivate")
    run("deactivate", code=2)
    masked = json.loads(run("status", "--license", key, "--json"))["key"]
    text = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", "<day>", "\n---\n".join(lines[:-1]))
    messages(text, hide={masked: "<key>"})
    assert masked.endswith("-******-******-****")
    run("activate", key)
    shown = json.loads(run("status", "--json"))
    assert (shown["tier"], shown["limits"]) == ("pro", {"collections": None, "documents": None})
    failed = json.loads(run("activate", "rubbish", "--json", code=2))
    assert failed["error"]["code"] == "license_invalid"
